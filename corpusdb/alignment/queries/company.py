"""Words in company: what stands beside a word and beside its translations, and what is often in translations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from corpusdb.alignment.queries.pairs import StoredModel, ordered_languages
from corpusdb.alignment.queries.phrase_places import (
    AlignedPhrase,
    first_translation,
    part_where,
    times_together,
    translations_where,
)
from corpusdb.alignment.queries.phrases import models_of
from corpusdb.base.arrays import I64, Bools, distinct
from corpusdb.corpus.queries.attributes import documents_where
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import SIGNIFICANT, log_dice, log_likelihood
from corpusdb.search.queries.collocations import Neighbourhood, collocates
from corpusdb.search.queries.token_selection import TokenSelection, select_tokens, usual_spellings, without_case
from corpusdb.search.token_corpus import TokenCorpus

# Words in company: a word and its translations, each with the words that stand before and after it. What they have in
# common is seen at a glance: each of these words has its own translation into the language of the word.

_WINDOW = 3
_LEAST_TOGETHER = 3
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


_COMPANIONS = 5
"""Of a word on each side, at most."""


def word_sketches(
    store: Store, language: str, word: str, others: Sequence[str], limit: int = 0, *, where: tuple[str, ...] = ()
) -> list[WordSketch]:
    """A word, and its most frequent translations in other languages, at most ``limit`` in each; 0 is all.

    Raises InputError and UsageError as translations_where does.
    """
    asked = [AlignedPhrase(language, word, other, None, where=where) for other in others]
    found = [translations_where(store, each, limit) for each in asked]
    corpus, own = _folded(store, language, where)
    nodes, *sides = _beside(corpus, own, store, word)
    sketches = [WordSketch(language, word, nodes, None, *sides)]
    for each in found:
        (model,) = models_of(store, language, (each.other,))
        corpus, theirs = _folded(store, each.other, where)
        for member in each.members:
            if member.share >= _LEAST_SHARE:
                _, *sides = _beside(corpus, theirs, store, member.text)
                known = [tuple(_translated(store, model, each.other, one, own) for one in side) for side in sides]
                sketches.append(WordSketch(each.other, member.text, member.count, member.share, *known))
    return sketches


def _selection(language: str, where: Sequence[str] = ()) -> TokenSelection:
    return TokenSelection(language, document=documents_where(None, where), fold_case=True, words_only=True)


def _folded(store: Store, language: str, where: Sequence[str]) -> tuple[TokenCorpus, Mapping[str, str]]:
    """The words of a language in lower case, and how each of them is usually written."""
    written = select_tokens(store, replace(_selection(language, where), fold_case=False))
    return without_case(written), usual_spellings(written)


def _translated(
    store: Store, model: StoredModel, language: str, one: Companion, spellings: Mapping[str, str]
) -> Companion:
    translation = first_translation(store, model, language, one.text)
    return replace(one, translation=spellings.get(translation, translation))


_Side: TypeAlias = tuple[Companion, ...]


def _beside(corpus: TokenCorpus, spellings: Mapping[str, str], store: Store, text: str) -> tuple[int, _Side, _Side]:
    """How often a text stands in the corpus, and what before and after it."""
    nodes, sides = 0, []
    for left, right in ((_WINDOW, 0), (0, _WINDOW)):
        near = Neighbourhood(_selection(corpus.language), text, left=left, right=right, least=_LEAST_TOGETHER)
        found = collocates(store, near, "logdice", 0, corpus=corpus)
        nodes = found.nodes
        rows = [row for row in found.rows if row.loglikelihood >= SIGNIFICANT]
        best = rows[:_COMPANIONS]
        sides.append(tuple(Companion(spellings.get(row.text, row.text), row.count, row.logdice) for row in best))
    return nodes, sides[0], sides[1]


# What stands in the translations of the sentences with some words more often than by chance.
#
# For what is not aligned as a whole, such as "give up" where a French verb is one word, or "give it up" as a query
# over tokens: every sequence of up to three words of these translations is held against all sentences of their
# language.

_LONGEST: Final = 3
_LEAST: Final = 2


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    text: str
    """In lower case, with spaces between the words."""
    count: int
    """How many of the translations have it."""
    share: float
    frequency: int
    """How many sentences of the language have it."""
    loglikelihood: float
    logdice: float


_TRANSLATIONS = """
select given.value, translation.translation from json_each(?) given
join translation on translation.sentence = given.value
join sentence on sentence.id = translation.translation where sentence.language = ?
"""


def cooccurrences(
    store: Store, sentences: I64 | Sequence[int], language: str, other: str, *, where: Sequence[str] = ()
) -> tuple[list[Cooccurrence], int]:
    """The words and sequences of words in the translations of sentences of a language, by logDice; how many these are.

    Where conditions on attributes hold, if there are any, and the translations stand at these places.
    Those that stand there twice or more, more often than elsewhere (p < .001), and not only as a part of a longer one.
    Raises InputError for a language that the corpus does not have, and UsageError for one language twice.
    """
    check_languages(store, ordered_languages(language, other))
    given = json.dumps(np.asarray(sentences, dtype=np.int64).tolist())
    rows = store.connection.execute(_TRANSLATIONS, (given, other)).fetchall()
    if (part := part_where(store, where)) is not None:
        times = times_together(store, rows, part)
        rows = [row for row, count in zip(rows, times, strict=True) if count]
    translations = {translation for _, translation in rows}
    corpus = select_tokens(store, _selection(other, where))
    chosen = np.isin(corpus.sentences, np.array([*translations], dtype=np.int64))
    found = [each for size in range(1, _LONGEST + 1) for each in _of_size(corpus, chosen, size)]
    longer = {(part, each.count) for each in found for part in _parts(each.text)}
    whole = [each for each in found if (each.text, each.count) not in longer]
    whole.sort(key=lambda each: (-each.logdice, each.text))
    return whole, len(translations)


def _of_size(corpus: TokenCorpus, chosen: Bools, size: int) -> Iterator[Cooccurrence]:
    places = np.repeat(np.arange(len(corpus.sentences)), corpus.lengths)
    begins = np.flatnonzero(places[: max(0, len(places) - size + 1)] == places[size - 1 :])
    # Numbered anew with each word, so that no number is too large, however many types there are.
    numbers = corpus.tokens[begins].astype(np.int64)
    for step in range(1, size):
        numbers = np.unique(numbers, return_inverse=True)[1] * len(corpus.types) + corpus.tokens[begins + step]
    first, numbers = np.unique(numbers, return_index=True, return_inverse=True)[1:]
    of, at = np.divmod(distinct(numbers * len(chosen) + places[begins]), max(1, len(chosen)))
    counts = np.bincount(of[chosen[at]], minlength=len(first))
    own = np.flatnonzero(counts >= _LEAST)
    counts, frequencies = counts[own], np.bincount(of, minlength=len(first))[own]
    size_of_chosen, total = int(chosen.sum()), len(chosen)
    likelihoods = log_likelihood(counts, size_of_chosen, frequencies, total)
    dice = log_dice(counts, size_of_chosen, frequencies)
    for begin, *figures in zip(
        begins[first[own]].tolist(), *(each.tolist() for each in (counts, frequencies, likelihoods, dice)), strict=True
    ):
        count, frequency, likelihood, logdice = figures
        if likelihood >= SIGNIFICANT and count * total > frequency * size_of_chosen:
            text = " ".join(map(corpus.types.__getitem__, corpus.tokens[begin : begin + size].tolist()))
            yield Cooccurrence(text, count, count / size_of_chosen, frequency, likelihood, logdice)


def _parts(text: str) -> Iterator[str]:
    words = text.split(" ")
    for size in range(1, len(words)):
        yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
