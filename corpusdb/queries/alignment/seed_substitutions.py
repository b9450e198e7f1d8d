"""One phrase of a sentence replaced by an equivalent of good figures (Owczarzak et al. 2006, section 3.5)."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.alignment.phrases import has_letter, may_part
from corpusdb.queries.alignment.alignment_models import ready_models
from corpusdb.queries.alignment.equivalents import EquivalentFilter, FoundEquivalent, equivalents_of
from corpusdb.queries.alignment.phrases.phrase_counts import LONGEST_PHRASE
from corpusdb.queries.alignment.phrases.phrase_lookup import phrase_key
from corpusdb.queries.alignment.token_cutting import can_cut, spans_of
from corpusdb.store import Store
from corpusdb.textsearch.token_corpus import tokenise

__all__ = ["SeedSubstitution", "seed_substitutions"]

_MOST_OF_A_PHRASE: Final = 5
_MIN_COUNT: Final = 3
_MIN_PIVOT: Final = 0.08


@dataclass(frozen=True, slots=True)
class SeedSubstitution:
    """A sentence with one phrase replaced."""

    text: str
    begin: int
    """Where the new phrase begins in the text, in code points."""
    stop: int
    left: int
    """Where the token before it begins, or 0."""
    right: int
    """Where the token after it ends, or the length of the text."""
    before: str
    """The phrase that it stands for."""
    equivalent: FoundEquivalent


def seed_substitutions(
    store: Store, language: str, sentence: str, known: MutableMapping[str, tuple[FoundEquivalent, ...]] | None = None
) -> Iterator[SeedSubstitution]:
    """The sentence with each of its phrases replaced by each of its best equivalents, in the order of the places.

    An equivalent shares phrases of two languages with what it replaces, where the language is aligned with two. Names,
    and other words that begin with a capital inside of the sentence, are left as they are. None where the language is
    not aligned, or by an analyser that is not installed. ``known`` keeps the equivalents of each phrase for other
    sentences, most of whose words are the same; who gives it forgets it where alignment or rejections change.
    """
    known = {} if known is None else known
    models = ready_models(store, language)
    if not models:
        return
    kept = EquivalentFilter(_MIN_COUNT, _MIN_PIVOT, min(2, len(models)))
    way = models[0].way_of(language)
    if not can_cut(way):
        return
    spans = spans_of(way)(sentence)
    tokens = [sentence[begin:stop] for begin, stop in spans]
    for first, last in _phrases(tokens):
        begin, stop = spans[first][0], spans[last][1]
        before = sentence[begin:stop]
        if before not in known:
            known[before] = equivalents_of(store, language, before, kept=kept, limit=_MOST_OF_A_PHRASE).members
        for each in known[before]:
            written = _written(store, language, each.text)
            if first == 0 and before[:1].isupper():
                written = written[:1].upper() + written[1:]
            text = sentence[:begin] + written + sentence[stop:]
            if phrase_key(text, way) != phrase_key(sentence, way):
                left = spans[first - 1][0] if first else 0
                longer = len(text) - len(sentence)
                right = (spans[last + 1][1] if last + 1 < len(spans) else len(sentence)) + longer
                yield SeedSubstitution(text, begin, begin + len(written), left, right, before, each)


def _phrases(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first and the last token of each phrase of words that cuts no clitic from its host."""
    for first in range(len(tokens)):
        if first and not may_part(tokens[first - 1], tokens[first]):
            continue
        for last in range(first, min(first + LONGEST_PHRASE, len(tokens))):
            if not has_letter(tokens[last]) or (last > 0 and tokens[last][:1].isupper()):
                break
            if last + 1 == len(tokens) or may_part(tokens[last], tokens[last + 1]):
                yield first, last


_TYPE = "select exists (select 1 from type where language = ? and text = ?)"


def _written(store: Store, language: str, text: str) -> str:
    """A phrase, which is stored in lower case, with a capital where the corpus has a word in no other way."""
    for token in tokenise(text):
        capital = token[:1].upper() + token[1:]
        (has_lower,), (has_capital,) = (
            store.connection.execute(_TYPE, (language, form)).fetchone() for form in (token, capital)
        )
        if has_capital and not has_lower:
            text = text.replace(token, capital, 1)
    return text
