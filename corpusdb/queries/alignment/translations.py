"""How a word is translated: what it is aligned with, and how often with nothing."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.queries.alignment.linked_pairs import LinkedPair, linked_pair
from corpusdb.queries.alignment.pair_tokens import SentencePair
from corpusdb.queries.alignment.phrases.phrase_lookup import (
    Occurrences,
    key_in,
    models_of,
    occurrences,
    sentences_with,
    shown,
    with_other_apostrophes,
)
from corpusdb.queries.alignment.phrases.phrase_places import PhraseStanding, standing_of
from corpusdb.queries.alignment.token_cutting import UNITS
from corpusdb.queries.search.search import Searcher
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["PhraseTranslation", "Translations", "translations_of"]


@dataclass(frozen=True, slots=True)
class PhraseTranslation:
    """A phrase of the other language that a phrase is aligned with."""

    text: str
    count: int
    share: float
    """Of all places where the phrase stands."""
    example: LinkedPair
    """The shortest pair of sentences in which both stand."""


@dataclass(frozen=True, slots=True)
class Translations:
    """What a phrase is aligned with in another language."""

    text: str
    language: str
    other: str
    occurrences: int
    """In pairs of sentences; of phrases of several words only places with a translation are known."""
    unlinked: int
    """How often it is aligned with nothing."""
    unpaired: int
    """How often it is a part of what has more than three words, or is no phrase."""
    total: int
    """How many different phrases it is aligned with."""
    members: tuple[PhraseTranslation, ...]
    """The most frequent first, then by text."""
    has_several_words: bool = False
    """Then ``occurrences`` are only those that are aligned as a whole."""
    sentences: int = 0
    """Where it is aligned as a whole nowhere: how many sentences of its language hold it."""
    otherwise: int = 0
    """How often it stands there with the other apostrophe, ' or U+2019: another phrase, which nobody sees to be one."""
    asked: str = ""
    """The phrase as it was asked for, with its capitals and without spaces around a hyphen."""
    standing: PhraseStanding | None = None
    """Where it stands in the aligned pairs; None of a word of a language that is cut into morphemes."""


_NONE = Occurrences(0, 0, 0, 0)
_PAIRED = """
select phrase.text, pair.count, pair.sentence, pair.translation, pair.total from (
    select {other} as other, count, sentence, translation, count(*) over () as total from phrase_pair
    where model = :model and {own} = :phrase and count >= :least) pair
cross join phrase on phrase.id = pair.other
order by pair.count desc, phrase.text limit :limit
"""


def translations_of(
    store: Store, language: str, text: str, other: str, limit: int = 0, *, min_count: int = 1
) -> Translations:
    """The phrases of another language that a phrase is aligned with, at most ``limit``; 0 is all.

    Raises InputError where the two languages are not aligned, UsageError for no text, and DatabaseDamaged where the
    links of an example are not those of its sentences. Where the analyser that found its tokens is not installed it
    raises UsageError, and InputError where another version is.
    """
    (model,) = models_of(store, language, (other,))
    key = key_in(store, model, language, text)
    found = occurrences(store, model, language, key) or _NONE
    is_source = language == model.source
    statement = _PAIRED.format(**_sides(is_source))
    bound = {"model": model.id, "phrase": found.phrase, "least": min_count, "limit": limit or -1}
    rows = store.connection.execute(statement, bound).fetchall()
    members = []
    for phrase, count, *pair, _ in rows:
        example = linked_pair(store, model, SentencePair(*pair))
        example = example.marked(key, phrase) if is_source else example.marked(phrase, key).turned()
        members.append(PhraseTranslation(shown(phrase), count, count / found.total, example))
    total = rows[0][-1] if rows else 0
    counts = found.total, found.unlinked, found.unpaired, total
    others = with_other_apostrophes(key)
    alike = None if others == key else occurrences(store, model, language, others)
    otherwise = alike.total if alike else 0
    is_phrase = " " in key
    searcher, standing = Searcher(store), None
    if is_phrase or model.way_of(language) == UNITS:
        standing = standing_of(store, searcher, model, language, key, found.total)
    holding = sentences_with(searcher, language, text) if is_phrase and not found.total else 0
    told = holding, otherwise, normalise(text), standing
    return Translations(shown(key), language, other, *counts, tuple(members), is_phrase, *told)


def _sides(is_source: bool) -> dict[str, str]:
    """The columns of a phrase pair for a phrase of the one or the other side."""
    return {"own": "source", "other": "target"} if is_source else {"own": "target", "other": "source"}
