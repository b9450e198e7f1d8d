"""Words in company: a word and its translations, each with the words that stand before and after it.

What they have in common is seen at a glance: each of these words has its own translation into the language of the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from corpusdb.alignment.queries.phrase_places import first_translation, translations_of
from corpusdb.alignment.queries.phrases import models_of
from corpusdb.corpus.store import Store
from corpusdb.search.queries.collocations import Neighbourhood, collocates
from corpusdb.search.queries.token_selection import TokenSelection, select_tokens
from corpusdb.search.token_corpus import TokenCorpus

_WINDOW = 3
_LEAST_TOGETHER = 3
_SIGNIFICANT = 10.83
_LEAST_SHARE = 0.02
"""A translation has so many of the places of the word; what is rarer is most often an error of the alignment."""


@dataclass(frozen=True, slots=True)
class Companion:
    text: str
    count: int
    """How many of its tokens stand on that side, in a window of three words."""
    logdice: float
    translation: str = ""
    """The most frequent one, in the language of the word that was asked for; of a translation only."""


@dataclass(frozen=True, slots=True)
class WordSketch:
    language: str
    text: str
    count: int
    """How often it stands in the corpus, or how often a translation is aligned with the word."""
    share: float | None
    """Of a translation: of all places of the word in aligned pairs."""
    before: tuple[Companion, ...]
    """Those that stand there more often than by chance (G2 of 10.83 or more: p < .001), best first by logDice."""
    after: tuple[Companion, ...]


def word_sketches(
    store: Store, language: str, word: str, others: Sequence[str], limit: int = 0, *, most: int = 5
) -> list[WordSketch]:
    """A word, and its most frequent translations in other languages, at most ``limit`` in each; 0 is all.

    Raises InputError and UsageError as translations_of does.
    """
    found = [translations_of(store, language, word, other, limit) for other in others]
    corpus = select_tokens(store, _selection(language))
    nodes, *sides = _beside(corpus, store, word, most)
    sketches = [WordSketch(language, word, nodes, None, *sides)]
    for each in found:
        (model,) = models_of(store, language, (each.other,))
        corpus = select_tokens(store, _selection(each.other))
        for member in each.members:
            if member.share >= _LEAST_SHARE:
                _, *sides = _beside(corpus, store, member.text, most)
                known = [
                    tuple(
                        replace(one, translation=first_translation(store, model, each.other, one.text)) for one in side
                    )
                    for side in sides
                ]
                sketches.append(WordSketch(each.other, member.text, member.count, member.share, *known))
    return sketches


def _selection(language: str) -> TokenSelection:
    return TokenSelection(language, fold_case=True, words_only=True)


_Side: TypeAlias = tuple[Companion, ...]


def _beside(corpus: TokenCorpus, store: Store, text: str, most: int) -> tuple[int, _Side, _Side]:
    """How often a text stands in the corpus, and what before and after it."""
    nodes, sides = 0, []
    for left, right in ((_WINDOW, 0), (0, _WINDOW)):
        near = Neighbourhood(_selection(corpus.language), text, left=left, right=right, least=_LEAST_TOGETHER)
        found = collocates(store, near, "logdice", 0, corpus=corpus)
        nodes = found.nodes
        rows = [row for row in found.rows if row.loglikelihood >= _SIGNIFICANT]
        sides.append(tuple(Companion(row.text, row.count, row.logdice) for row in rows[:most]))
    return nodes, sides[0], sides[1]
