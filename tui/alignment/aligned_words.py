"""What somebody looks up, the way from one lookup to the next, and aligned phrases as rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, TypeAlias

from corpusdb.alignment.queries.equivalents import (
    DEFAULT_FILTER,
    EquivalentFilter,
    FoundEquivalent,
    FoundEquivalents,
    Pivot,
    equivalents_of,
)
from corpusdb.alignment.queries.pairs import (
    LinkedPair,
    Span,
    aligned_in_characters,
    ready_models,
)
from corpusdb.alignment.queries.phrase_places import AlignedPhrase, PhraseTranslation, translations_of
from corpusdb.alignment.queries.phrases import aligned_languages, languages_of_phrase, phrase_key
from corpusdb.alignment.report import (
    NOTHING,
    format_equivalents,
    format_equivalents_missing,
    format_none,
    format_translations,
)
from corpusdb.base.cells import bar, cell_width, cut_left, cut_right, padded
from corpusdb.base.display import Cell, cell_safe, counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.queries.meant_language import languages_by_size
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store
from tui.kit.shown import Text, marked_text
from tui.kit.terminal import MATCH

View: TypeAlias = Literal["translations", "equivalents"]
PART: Final = "(part of longer phrases)"
_FIRST_ROWS: Final = 100
_FIRST_LANGUAGE: Final = "eng"
_SHOWN: Final = replace(DEFAULT_FILTER, with_rejected=True)
_DOUBTFUL: Final = EquivalentFilter(1, 0.0, min_probability=0.0, with_forms=True, with_rejected=True)


@dataclass(frozen=True, slots=True)
class AlignedLanguages:
    aligned: tuple[str, ...] = ()
    """Ascending."""
    missing: str = ""
    """What to do where nothing is."""
    begins: str = ""
    """The command that Enter begins then."""

    @property
    def first(self) -> str:
        return _FIRST_LANGUAGE if _FIRST_LANGUAGE in self.aligned else next(iter(self.aligned), "")


def found_languages(store: Store) -> AlignedLanguages:
    aligned = aligned_languages(store)
    if aligned:
        return AlignedLanguages(tuple(aligned))
    if len(languages := languages_of(store)) > 1:
        return AlignedLanguages(missing="Words are not aligned yet: Enter begins that, by a form.", begins="align")
    have = f"only {languages[0]}" if languages else "nothing"
    return AlignedLanguages(
        missing=f"The corpus has {have}: Enter begins an import of sentences with translations.", begins="import"
    )


@dataclass(frozen=True, slots=True)
class LookupRow:
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
class LookupResult:
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
    in_characters: tuple[str, ...] = ()
    """Those of them whose characters are aligned, and not their words."""

    @property
    def longest(self) -> float:
        """The greatest weight of a row."""
        return max((row.weight for row in self.rows), default=0.0)

    @property
    def cells(self) -> int:
        """Of the column of equivalents: what is longer than the column pushes others to the right."""
        return min(max([len("equivalent"), *(cell_width(cell_safe(row.text)) for row in self.rows)]), _PHRASE_CELLS)


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
        if self.has_doubtful and self.view == "equivalents":
            where = ", all that share a translation"
        return f"{self.text} ({self.language}): {self.view}{where}"

    def ask(self, store: Store) -> LookupResult:
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
        largest = next(each for each in languages_by_size(store) if each in others)
        lookup = replace(self, language=language, other=self.other if self.other in others else largest)
        asked = lookup._translations if self.view == "translations" else lookup._equivalents
        found, in_characters = asked(store, others), aligned_in_characters(store, language)
        these = [each for each in in_characters if each == lookup.other or self.view == "equivalents"]
        told = f"{found.told}; {', '.join(these)}: characters are aligned, not words" if these else found.told
        return replace(found, told=told, in_characters=in_characters)

    def _translations(self, store: Store, others: tuple[str, ...]) -> LookupResult:
        limit = 0 if self.is_whole else _FIRST_ROWS
        found = translations_of(store, self.language, self.text, self.other, limit)
        rows = [LookupRow(each.text, each.count, each.share, each) for each in found.members]
        # The places without a translation of their own.
        rest = ((NOTHING, found.unlinked), (PART, found.unpaired))
        rows += [LookupRow(text, count, count / found.occurrences) for text, count in rest if count]
        # Which keeps the order of the translations; what cannot be told apart comes last, however much it is.
        rows.sort(key=lambda row: (row.text == PART and row.found is None, -row.count))
        empty = f"{found.text!r} occurs in no {self.language} sentence that is aligned with {self.other}."
        empty = f"{format_translations(found)}." if found.sentences else empty
        return LookupResult(
            self, tuple(rows), found.total - len(found.members), format_translations(found), empty, others
        )

    def _equivalents(self, store: Store, others: tuple[str, ...]) -> LookupResult:
        limit = 0 if self.is_whole else _FIRST_ROWS
        kept = _DOUBTFUL if self.has_doubtful else _SHOWN
        found = equivalents_of(store, self.language, self.text, None, kept, limit)
        rows = tuple(LookupRow(each.text, each.count, each.probability, each) for each in found.members)
        rejected = f", {found.rejected:,} rejected" if found.rejected else ""
        doubtful = "" if self.has_doubtful else "; a shows all that share a translation"
        told = f"{counted(found.total, 'equivalents')} of {format_equivalents(found)}{rejected}{doubtful}"
        told = told if found.through else format_equivalents_missing(found)
        return LookupResult(self, rows, found.total - len(rows), told, self._why_none(found), others)

    def _why_none(self, found: FoundEquivalents) -> str:
        if not found.through:
            return f"{format_equivalents_missing(found)}."
        if self.has_doubtful:
            return "Nothing else is aligned with the same words."
        why = format_none(found)
        return f"{why[:1].upper()}{why[1:]}; a shows all."


Steps: TypeAlias = tuple[Lookup, ...]
"""Lookups, the last of which is to be asked."""


@dataclass(frozen=True, slots=True)
class LookupHistory:
    """Where somebody is; every step is another trail to be asked for. UsageError says why there is none."""

    languages: AlignedLanguages = field(default_factory=AlignedLanguages)
    lookups: Steps = ()
    found: LookupResult | None = None
    """What is at the end of the last one."""
    cursor: int = 0

    @property
    def name(self) -> str:
        """The lookups, or the languages where there is none."""
        if self.found is None:
            return f"aligned: {', '.join(self.languages.aligned) or 'nothing'}"
        *before, last = self.lookups
        told = dict.fromkeys(f"{each.text} ({each.language})" for each in before)
        told.pop(f"{last.text} ({last.language})", None)
        return " > ".join([*told, last.name])

    @property
    def count(self) -> int:
        return 0 if self.found is None else len(self.found.rows) + (self.found.more > 0)

    @property
    def last(self) -> Lookup:
        """The lookup that is shown, with where the cursor is. Raises UsageError before the first."""
        if not self.lookups or self.found is None:
            raise UsageError(self.languages.missing or "type a word first")
        return replace(self.lookups[-1], cursor=self.cursor)

    @property
    def row(self) -> LookupRow | None:
        """The row under the cursor; None where there is none, and for the one that leads to more."""
        rows = () if self.found is None else self.found.rows
        return rows[self.cursor] if self.cursor < len(rows) else None

    @property
    def phrase(self) -> tuple[str, str]:
        """The phrase under the cursor, else the one that was looked up, and its language."""
        last, row = self.last, self.row
        if row is None or row.found is None:
            return last.text, last.language
        return row.text, last.other if isinstance(row.found, PhraseTranslation) else last.language

    def begun(self, text: str, language: str = "") -> Steps:
        """A lookup of a phrase, in this language or in the one before if it has the phrase."""
        if not text.strip():
            raise UsageError("type a word, or up to three")
        before = self.lookups[-1] if self.lookups else Lookup("", "")
        language = language or before.language
        return (replace(before, text=text, language=language, cursor=0, is_whole=False, is_told=False),)

    def equivalents(self, rows: frozenset[int]) -> list[LookupRow]:
        """The equivalents among these rows, or under the cursor where these are none."""
        found = self.last and self.found
        chosen = [each for at, each in enumerate(found.rows if found else ()) if at in (rows or {self.cursor})]
        if not (wanted := [each for each in chosen if isinstance(each.found, FoundEquivalent)]):
            raise UsageError("only equivalents can be rejected; t turns to them")
        return wanted

    def aligned(self) -> AlignedPhrase:
        """The phrase with what it is aligned with under the cursor."""
        last, row = self.last, self.row
        if row is None or row.text == PART:
            raise UsageError("these are in longer phrases, which have translations of their own")
        return AlignedPhrase(last.language, last.text, last.other, None if row.found is None else row.text)

    def whole(self) -> Steps:
        """All rows, from this one on."""
        return (*self.lookups[:-1], replace(self.last, is_whole=True))

    def again(self) -> Steps:
        """The same, as it is now."""
        return (*self.lookups[:-1], self.last)

    def _changed(self, lookup: Lookup) -> Steps:
        """Another view of the same phrase."""
        return (*self.lookups[:-1], replace(lookup, cursor=0, is_whole=False))

    def turned(self) -> Steps:
        """From translations to equivalents, from where one goes back, and the other way round."""
        last, before = self.last, self.lookups[-2:][0]
        if (before.text, before.language) == (last.text, last.language) and before.view != last.view:
            return self.lookups[:-1]
        view: View = "equivalents" if last.view == "translations" else "translations"
        return (*self.lookups[:-1], last, replace(last, view=view, cursor=0, is_whole=False))

    @property
    def next_language(self) -> str:
        """The next one that is aligned."""
        last, aligned = self.last, self.languages.aligned
        at = aligned.index(last.language) + 1 if last.language in aligned else 0
        return aligned[at % len(aligned)]

    def in_next_language(self) -> Steps:
        """The same word there."""
        return self._changed(replace(self.last, language=self.next_language, is_told=True))

    @property
    def next_other(self) -> str:
        """The next language of translations, which is the same one where the word's is aligned with no other."""
        last, others = self.last, self.found.others if self.found else ()
        return others[(others.index(last.other) + 1) % len(others)]

    def with_next_other(self) -> Steps:
        """Its translations in the next language."""
        last = self.last
        if self.next_other == last.other:
            raise UsageError(f"{last.language} is aligned with {last.other} only")
        return self._changed(replace(last, other=self.next_other))

    def with_doubtful(self) -> Steps:
        """Also equivalents without good figures, or no longer."""
        last = self.last
        return self._changed(replace(last, has_doubtful=not last.has_doubtful))

    def followed(self) -> Steps:
        last, row = self.last, self.row
        if row is None or row.found is None:
            raise UsageError("this row is not a phrase")
        onward = replace(last, text=row.text, cursor=0, is_whole=False, is_told=True)
        if isinstance(row.found, PhraseTranslation):
            onward = replace(onward, language=last.other, other=last.language)
        return (*self.lookups[:-1], last, onward)


STEPS: Final[Mapping[str, Callable[[LookupHistory], Steps]]] = {
    "turn": LookupHistory.turned,
    "language": LookupHistory.in_next_language,
    "other": LookupHistory.with_next_other,
    "doubtful": LookupHistory.with_doubtful,
    "follow": LookupHistory.followed,
}
"""What keys do, by name."""


# Aligned phrases as rows: figures, bars, and sentences with what is aligned in brackets and underlined.


_BAR_CELLS, _PHRASE_CELLS, _EXAMPLE_CELLS = 8, 24, 24
PIVOT_COLUMNS: Final = "with the word  with the equivalent  shared translation"


def columns_of(found: LookupResult) -> str:
    """What stands above the rows."""
    if found.lookup.view == "translations":
        unit = "character" if found.lookup.other in found.in_characters else "translation"
        return f"  {'times':>7}  {'share':>7}  {'':{_BAR_CELLS}}  {unit:{_PHRASE_CELLS}}  an example"
    return f"  probability  languages  {'shared':>7}  {'contexts':>8}  {'equivalent':{found.cells}}  through"


def lookup_table(found: LookupResult) -> tuple[Sequence[str], list[tuple[Cell, ...]]]:
    """The names and the rows of what was found, for a file."""
    if found.lookup.view == "translations":
        return ("translation", "times", "share"), [(row.text, row.count, round(row.weight, 4)) for row in found.rows]
    rows = [(row.found, ",".join(row.found.languages)) for row in found.rows if isinstance(row.found, FoundEquivalent)]
    return ("equivalent", "probability", "languages", "shared", "contexts"), [
        (each.text, round(each.probability, 4), languages, each.count, each.contexts) for each, languages in rows
    ]


def row_text(result: LookupResult, row: LookupRow, *, ascii: bool) -> Text:
    """A row of a result; the bar of its greatest weight is full."""
    if isinstance(row.found, FoundEquivalent):
        return _equivalent(row.found, result.cells)
    line = bar(_BAR_CELLS * row.weight / (result.longest or 1.0), ascii=ascii)
    phrase = padded(cut_right(cell_safe(row.text), _PHRASE_CELLS), _PHRASE_CELLS)
    text = Text(f"{row.count:>7,}  {row.weight:>7.1%}  {line:{_BAR_CELLS}}  {phrase}", no_wrap=True)
    if isinstance(row.found, PhraseTranslation):
        text.append("  ").append(_with_mark(row.found.example.text, row.found.example.marks, _EXAMPLE_CELLS))
    return text


def _equivalent(found: FoundEquivalent, cells: int) -> Text:
    contexts = "-" if found.contexts is None else f"{found.contexts:,}"
    figures = f"{found.probability:>11.2f}  {len(found.languages):>9}  {found.count:>7,}  {contexts:>8}  "
    name = cell_safe(found.text)
    phrase = padded(name, cells)
    if found.is_rejected:
        return Text.assemble(figures, (name, "strike"), phrase[len(name) :], "  x rejected", no_wrap=True)
    first = found.pivots[0] if found.pivots else None
    through = "" if first is None else f"  {first.language} {cell_safe(first.text)}"
    return Text(f"{figures}{phrase}{through}", no_wrap=True)


def example_text(row: LookupRow) -> Text:
    """Two lines: an example of a translation, or what an equivalent shares with the phrase."""
    if isinstance(row.found, PhraseTranslation):
        pair = row.found.example
        lines = [linked_text(pair.text, pair.marks), linked_text(pair.translation, pair.translation_marks)]
    elif isinstance(row.found, FoundEquivalent):
        pivots = (f"{each.language} {each.text} ({each.count:,}, {each.other_count:,})" for each in row.found.pivots)
        first = next(iter(row.found.pivots), None)
        examples = "" if first is None else f"{first.example}  {first.other_example}"
        lines = [Text(cell_safe(f"both are {'; '.join(pivots)} times")), Text(cell_safe(examples))]
    else:
        lines = []
    return Text("\n").join(lines)


def pivot_row(pivot: Pivot) -> Text:
    """A phrase that two others share, with how often each of them stands with it."""
    figures = f"{pivot.count:>13,}  {pivot.other_count:>19,}"
    return Text(f"{figures}  {pivot.language} {cell_safe(pivot.text)}", no_wrap=True)


linked_text: Final = partial(marked_text, style=MATCH)
"""A sentence in which what is aligned stands in brackets and is underlined."""


def pair_row(pair: LinkedPair, width: int) -> Text:
    """A pair of sentences in one row, half of which is for either; the first mark in each can be seen."""
    half = max(1, (width - 2) // 2)
    own = _with_mark(pair.text, pair.marks, half)
    own.truncate(half, overflow="ellipsis", pad=True)
    return Text.assemble(own, "  ", _with_mark(pair.translation, pair.translation_marks, half), no_wrap=True)


def _with_mark(text: str, marks: Sequence[Span], cells: int) -> Text:
    """A marked sentence of which the beginning is left out where the first mark would stand behind so many cells."""
    if not marks or cell_width(text[: marks[0][1]]) + 2 < cells:
        return linked_text(text, marks)
    begin, end = marks[0]
    behind = min(cells // 3, cell_width(text[end:]) + 2)
    before = cut_left(cell_safe(text[:begin]), max(cells // 3, cells - cell_width(text[begin:end]) - behind))
    _, _, whole = before.partition(" ")
    if whole and before.startswith("…"):
        before = f"…{whole}"  # it begins with a word, where words are written apart
    shift = len(before) - begin
    return linked_text(before + text[begin:], [(first + shift, last + shift) for first, last in marks])
