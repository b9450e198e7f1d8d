"""What somebody looks up: the translations of a phrase, or what else it is called, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from corpusdb.errors import InputError
from corpusdb.queries.alignment.alignment_models import ready_models
from corpusdb.queries.alignment.equivalents import (
    DEFAULT_FILTER,
    EquivalentFilter,
    FoundEquivalent,
    FoundEquivalents,
    equivalents_of,
)
from corpusdb.queries.alignment.phrases.phrase_lookup import aligned_languages, languages_of_phrase, phrase_key
from corpusdb.queries.alignment.translations import PhraseTranslation, Translations, translations_of
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.reports.alignments import NOTHING, equivalents_missing_told, equivalents_told, translations_told
from corpusdb.store import Store

__all__ = ["PART", "Found", "Languages", "Lookup", "LookupRow", "View", "found_languages", "no_alignment"]

View: TypeAlias = Literal["translations", "equivalents"]
PART: Final = "(part of longer phrases)"
_FIRST_ROWS: Final = 100
_FIRST_LANGUAGE: Final = "eng"
_SHOWN: Final = replace(DEFAULT_FILTER, with_rejected=True)
_DOUBTFUL: Final = EquivalentFilter(min_count=1, min_pivot=0.0, left_out="nothing", with_rejected=True)


@dataclass(frozen=True, slots=True)
class Languages:
    """What is aligned with what."""

    aligned: tuple[str, ...] = ()
    """Ascending."""
    missing: str = ""
    """What to do where nothing is."""

    @property
    def first(self) -> str:
        """That with which one begins."""
        return _FIRST_LANGUAGE if _FIRST_LANGUAGE in self.aligned else next(iter(self.aligned), "")


def found_languages(store: Store) -> Languages:
    """What is aligned in a database."""
    aligned = aligned_languages(store)
    return Languages(tuple(aligned), "" if aligned else no_alignment(languages_of(store)))


def no_alignment(languages: list[str]) -> str:
    """Which command has to be run where nothing is aligned and the corpus has these languages."""
    if len(languages) < 2:
        have = f"only {languages[0]}" if languages else "nothing"
        return f"The corpus has {have}: `corpusdb import FILE --lang A,B` takes in sentences with translations."
    one, other = sorted(languages, key=lambda each: (each != _FIRST_LANGUAGE, each))[:2]
    return f"Nothing is aligned yet: `corpusdb align --lang {one},{other}` does it."


@dataclass(frozen=True, slots=True)
class LookupRow:
    """One row of what was found."""

    text: str
    count: int
    weight: float
    """The share of a translation, or the pivot probability of an equivalent: from 0 to 1, but for rounding."""
    found: PhraseTranslation | FoundEquivalent | None = None
    """None for the places with no translation."""

    @property
    def is_rejected(self) -> bool:
        return isinstance(self.found, FoundEquivalent) and self.found.is_rejected


@dataclass(frozen=True, slots=True)
class Found:
    """What is at the end of a lookup."""

    lookup: Lookup
    """The same with the languages that it came to."""
    rows: tuple[LookupRow, ...]
    more: int
    """How many there are besides."""
    told: str
    """In one line."""
    empty: str
    """What stands where there is no row."""
    others: tuple[str, ...]
    """The languages that this one is aligned with."""

    @property
    def longest(self) -> float:
        """The greatest weight of a row."""
        return max((row.weight for row in self.rows), default=0.0)


@dataclass(frozen=True, slots=True)
class Lookup:
    """A phrase, and what is wanted of it."""

    text: str
    language: str
    other: str = ""
    """The language of the translations; that of equivalents is the phrase's own."""
    view: View = "translations"
    cursor: int = 0
    is_whole: bool = False
    """Whether all rows are wanted, and not only the first hundred."""
    has_doubtful: bool = False
    """Whether equivalents without good figures are wanted, too."""
    is_told: bool = False
    """Whether somebody chose the language: the phrase is then looked up in no other."""

    @property
    def name(self) -> str:
        """The phrase and what is wanted, for the line above the rows."""
        where = f" in {self.other}" if self.view == "translations" else ""
        return f"{self.text} ({self.language}): {self.view}{where}"

    def ask(self, store: Store) -> Found:
        """Look it up. A phrase that only another language has is looked up there.

        Raises InputError where nothing is aligned, and UsageError for no phrase.
        """
        phrase_key(self.text)  # which refuses what is no phrase
        languages = found_languages(store)
        if languages.missing:
            raise InputError(languages.missing)
        having, language = languages_of_phrase(store, self.text), self.language or languages.first
        is_elsewhere = not self.is_told and language not in having and len(having) == 1
        if language not in languages.aligned or is_elsewhere:
            language = having[0] if having else languages.first
        others = tuple(model.other(language) for model in ready_models(store, language))
        lookup = replace(self, language=language, other=self.other if self.other in others else others[0])
        return (
            lookup._translations(store, others) if self.view == "translations" else lookup._equivalents(store, others)
        )

    def _translations(self, store: Store, others: tuple[str, ...]) -> Found:
        limit = 0 if self.is_whole else _FIRST_ROWS
        found = translations_of(store, self.language, self.text, self.other, limit)
        rows = [LookupRow(each.text, each.count, each.share, each) for each in found.members]
        rows += _rest(found)
        # Which keeps the order of the translations; what cannot be told apart comes last, however much it is.
        rows.sort(key=lambda row: (row.text == PART and row.found is None, -row.count))
        empty = f"{found.text!r} stands in no {self.language} sentence that is aligned with {self.other}."
        empty = f"{translations_told(found)}." if found.sentences else empty
        return Found(self, tuple(rows), found.total - len(found.members), translations_told(found), empty, others)

    def _equivalents(self, store: Store, others: tuple[str, ...]) -> Found:
        limit = 0 if self.is_whole else _FIRST_ROWS
        kept = _DOUBTFUL if self.has_doubtful else _SHOWN
        found = equivalents_of(store, self.language, self.text, None, kept, limit)
        rows = tuple(LookupRow(each.text, each.count, each.pivot, each) for each in found.members)
        return Found(self, rows, found.total - len(rows), _told(found), self._why_none(found), others)

    def _why_none(self, found: FoundEquivalents) -> str:
        if not found.through:
            return f"{equivalents_missing_told(found)}."
        if self.has_doubtful:
            return "Nothing else is aligned with the same words."
        return "Nothing else is aligned with the same words often enough; a shows also what is doubtful."


def _rest(found: Translations) -> list[LookupRow]:
    """The places without a translation of their own."""
    counts = ((NOTHING, found.unlinked), (PART, found.unpaired))
    return [LookupRow(text, count, count / found.occurrences) for text, count in counts if count]


def _told(found: FoundEquivalents) -> str:
    rejected = f", {found.rejected:,} rejected" if found.rejected else ""
    return f"{found.total:,} equivalent{'' if found.total == 1 else 's'} of {equivalents_told(found)}{rejected}"
