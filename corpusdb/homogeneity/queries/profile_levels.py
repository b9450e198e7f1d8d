"""Coefficients of lines, documents and collections, and a profile to be looked at: lines in the order of a scale."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools, in_file
from corpusdb.base.char_model_counts import normalised
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval, fisher, pearson
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.likeness import OutlierReport, lines_to_measure
from corpusdb.homogeneity.queries.profiles import (
    ProfileLines,
    StoredProfile,
    Subset,
    profile_languages,
    profile_rows,
    profiles_of,
)
from corpusdb.homogeneity.scale import Statistics, Summary, coefficients, summary
from corpusdb.search.queries.results import NewSelection, check_selection_name, keep_selection

# A line is a sentence, once however often it stands in the corpus. Documents and collections are sums over all their
# lines, never means of lines; a sentence counts in them as often as it stands there.


Level: TypeAlias = Literal["line", "document", "collection", "whole"]
LEVELS: Final[tuple[Level, ...]] = ("line", "document", "collection")
"""Those of a corpus. ``whole`` is all sentences that are asked for as one text, each once."""


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    name: str
    """Of a line its text."""
    lines: int
    """Lines that were measured."""
    left_out: int
    """Lines that were not: they stand in a reference, or are empty."""
    characters: int
    unknown: int
    """Characters that neither reference has."""
    coefficient: float | None
    """I, 0 to 1; None where it is not defined."""
    clipped: bool
    """Whether it lay outside of 0 to 1."""
    position: float | None
    """J on the linear scale; None where there is none, or there are no characters."""


@dataclass(frozen=True, slots=True)
class LevelSummary:
    """How the coefficients and the positions of one level are distributed."""

    level: Level
    coefficients: Summary
    positions: Summary | None
    """None where the references have no linear scale."""


@dataclass(frozen=True, slots=True)
class ProfileReport:
    id: int
    language: str
    parameters: dict[str, object]
    characters: tuple[int, int]
    """Of each reference, after they were cut."""
    h11: float
    h12: float
    h21: float
    h22: float
    d1: float | None
    d2: float | None
    unseen: tuple[float | None, float | None]
    """The coefficients of text of both references that their models had not seen."""
    changed: tuple[str, ...]
    """What of the references is not as it was; the profile is stale where it is not empty."""
    sentences: int
    """Different sentences of the language."""
    measured: int
    in_references: int
    """Sentences that stand in a reference, and are left out."""
    empty: int
    """Sentences that are empty in the normalisation, and are left out."""
    unknown: int
    """Characters that neither reference has, of all that were measured."""
    measured_characters: int
    levels: tuple[LevelSummary, ...]


_MODEL_CHARACTERS = "select characters from char_model where id = ?"
_TOTALS = """
select count(*), coalesce(sum(characters), 0), coalesce(sum(unknown), 0) from profile_sentence
where profile = :profile and (:among is null or sentence in (select value from json_each(:among)))
"""
_SENTENCES = """
select count(*) from sentence
where language = :language and (:among is null or id in (select value from json_each(:among)))
"""
_LEFT_OUT = """
select text from sentence
where language = :language and (:among is null or id in (select value from json_each(:among))) and not exists (
    select 1 from profile_sentence where profile = :profile and profile_sentence.sentence = sentence.id)
"""


def profile_report(
    store: Store, profile: StoredProfile, levels: Sequence[Level] = LEVELS, among: Subset | None = None
) -> ProfileReport:
    """The references, what was left out, and the distribution at each level: of all, or ``among`` some sentences."""
    connection = store.connection
    bound = _bound(profile, among)
    measured, characters, unknown = connection.execute(_TOTALS, bound).fetchone()
    left_out = [row[0] for row in connection.execute(_LEFT_OUT, bound)]
    empty = sum(not text for text in normalised(left_out, profile.parameters["normalisation"]))
    sizes = [int(connection.execute(_MODEL_CHARACTERS, (model,)).fetchone()[0]) for model in profile.models]
    anchors, scale = profile.anchors, profile.scale
    return ProfileReport(
        id=profile.id,
        language=profile.language,
        parameters=profile.parameters,
        characters=(sizes[0], sizes[1]),
        h11=anchors.h11,
        h12=anchors.h12,
        h21=anchors.h21,
        h22=anchors.h22,
        d1=None if scale is None else scale.d1,
        d2=None if scale is None else scale.d2,
        unseen=profile.unseen,
        changed=tuple(profile.changed(store)),
        sentences=int(connection.execute(_SENTENCES, bound).fetchone()[0]),
        measured=measured,
        in_references=len(left_out) - empty,
        empty=empty,
        unknown=unknown,
        measured_characters=characters,
        levels=tuple(_level_summary(store, profile, level, among) for level in levels),
    )


def _bound(profile: StoredProfile, among: Subset | None) -> dict[str, object]:
    numbers = None if among is None else json.dumps(among.sentences.tolist())
    return {"profile": profile.id, "language": profile.language, "among": numbers}


def _level_summary(store: Store, profile: StoredProfile, level: Level, among: Subset | None) -> LevelSummary:
    """Of the entries of which something was measured."""
    sums = level_sums(store, profile, level, among).statistics
    statistics = sums.at(sums.characters > 0)
    positions = None if profile.scale is None else summary(profile.scale.positions(statistics))
    return LevelSummary(level, summary(coefficients(statistics, profile.anchors)), positions)


@dataclass(frozen=True, slots=True)
class EntryKey:
    number: int
    """Of a sentence, a file or a collection."""
    section: int | None = None
    """Of a document inside the file: the first of those that have its name."""


ALL_ASKED: Final = EntryKey(0)
"""Of all sentences that were asked for as one entry."""


@dataclass(frozen=True, slots=True)
class LevelSums:
    """What a coefficient is made of, for every entry of a level, in the order of the corpus."""

    keys: list[EntryKey]
    names: list[str]
    counts: I64
    """Lines, lines left out, and unknown characters of each entry: shape (entries, 3)."""
    statistics: Statistics


# The lines of one speaker stand in a section of their own, which has the name of their document, or none in a file
# that has no documents.
_FIRST = "iif(name = '', null, min(id) over (partition by document, name))"
_AMONG = "(:among is null or {} in (select value from json_each(:among)))"
_SUMS = """
count(profile_sentence.sentence), count(*) - count(profile_sentence.sentence), total(profile_sentence.unknown),
total(profile_sentence.characters), total(bits1), total(bits2)
"""
_OCCURRENCES = f"""
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join (select id, name, {_FIRST} as first from section) place on place.id = unit.section
left join profile_sentence on profile_sentence.profile = :profile
    and profile_sentence.sentence = occurrence.sentence
where sentence.language = :language and {_AMONG.format("occurrence.sentence")}
"""
_STATEMENTS: Final[Mapping[Level, str]] = {
    "line": f"""
        select sentence, null, text, 1, 0, unknown, characters, bits1, bits2
        from profile_sentence join sentence on sentence.id = profile_sentence.sentence
        where profile = :profile and {_AMONG.format("sentence")} order by sentence
    """,
    "document": f"""
        select occurrence.document, place.first, iif(place.first, place.name, document.name), {_SUMS}
        from occurrence join document on document.id = occurrence.document {_OCCURRENCES}
        group by occurrence.document, place.first order by occurrence.document, place.first
    """,
    "collection": f"""
        select collection.id, null, collection.name, {_SUMS}
        from occurrence join document on document.id = occurrence.document
        join collection on collection.id = document.collection {_OCCURRENCES}
        group by collection.id order by collection.id
    """,
    "whole": f"""
        select 0, null, :name, {_SUMS} from sentence
        left join profile_sentence on profile_sentence.profile = :profile and profile_sentence.sentence = sentence.id
        where sentence.language = :language and {_AMONG.format("sentence.id")}
    """,
}


_FIRST_OF_NAME = f"select id, {_FIRST} from section"


def level_sums(store: Store, profile: StoredProfile, level: Level, among: Subset | None = None) -> LevelSums:
    """The sums of every line, document or collection, or of all as one; of all sentences, or ``among`` some.

    Where these were asked for by a document, other documents that have the same sentences are left out; where by a
    result, that is the collection, in which each sentence stands once.
    """
    bound = _bound(profile, among)
    if level == "whole":
        bound["name"] = profile.language if among is None else among.name
    if level == "collection" and among is not None and among.result is not None:
        level, bound["name"] = "whole", among.result
    rows = store.connection.execute(_STATEMENTS[level], bound).fetchall()
    if level == "document" and among is not None and among.places:
        first = dict(store.connection.execute(_FIRST_OF_NAME))
        there = {(place.document, first.get(place.section)) for place in among.places}
        rows = [row for row in rows if not there.isdisjoint({(row[0], row[1]), (row[0], None)})]
    numbers: F64 = np.array([row[3:] for row in rows], dtype=np.float64).reshape(len(rows), 6)
    statistics = Statistics(numbers[:, 3].astype(np.int64), numbers[:, 4], numbers[:, 5])
    keys, names = [EntryKey(row[0], row[1]) for row in rows], [row[2] for row in rows]
    return LevelSums(keys, names, numbers[:, :3].astype(np.int64), statistics)


def entries_of(store: Store, profile: StoredProfile, level: Level, among: Subset | None = None) -> list[ProfileEntry]:
    """Every line, document or collection with its coefficient: from the spoken end to the written one.

    Of all sentences, or ``among`` some. Those whose coefficient is not defined come last.
    """
    return _entries(profile, level_sums(store, profile, level, among))


def entries_of_texts(
    store: Store, profile: StoredProfile, texts: Sequence[str], name: str | None = None
) -> list[ProfileEntry]:
    """The same of texts that the corpus need not have: of all as one with a ``name``, without one of each.

    Those that are empty or stand in a reference are not measured; InputError where none is left.
    """
    rows = profile_rows(profile, profile.smoothed(store.connection), [*enumerate(texts)])
    if not rows:
        raise InputError("nothing is left to measure: all lines are empty, or stand in a reference")
    places, characters, bits1, bits2, unknown = (np.array(column) for column in zip(*rows, strict=True))
    names, statistics = [texts[place] for place in places], Statistics(characters, bits1, bits2)
    counts = np.column_stack((np.ones_like(unknown), np.zeros_like(unknown), unknown))
    if name is not None:
        names, statistics = [name], statistics.total()
        counts = np.array([[len(rows), len(texts) - len(rows), unknown.sum()]])
    return _entries(profile, LevelSums([], names, counts, statistics))


def _entries(profile: StoredProfile, sums: LevelSums) -> list[ProfileEntry]:
    found = coefficients(sums.statistics, profile.anchors)
    positions = None if profile.scale is None else profile.scale.positions(sums.statistics).tolist()
    values = found.values.tolist()
    entries = [
        ProfileEntry(
            name=name,
            lines=int(sums.counts[place, 0]),
            left_out=int(sums.counts[place, 1]),
            characters=int(sums.statistics.characters[place]),
            unknown=int(sums.counts[place, 2]),
            coefficient=if_defined(values[place]),
            clipped=bool(found.clipped[place]),
            position=None if positions is None else if_defined(positions[place]),
        )
        for place, name in enumerate(sums.names)
    ]
    return sorted(entries, key=lambda entry: (entry.coefficient is None, entry.coefficient or 0.0))


def if_defined(value: float) -> float | None:
    """None for what is not a number."""
    return None if math.isnan(value) else value


# What the coefficients of documents go with: their size, the length of their lines, their coefficients in another
# language (Denoual 2005, section 3.2).


@dataclass(frozen=True, slots=True)
class DocumentCorrelation:
    beside: str
    """characters, characters per line, or I in a language."""
    documents: int
    """Those that have a coefficient, in both languages where there are two."""
    value: float
    """Pearson's."""
    interval: Interval
    """95 %, by Fisher's z."""


def document_correlations(
    store: Store, profile: StoredProfile, among: Subset | None = None
) -> list[DocumentCorrelation]:
    """Over the documents of a language, or those ``among`` some sentences; none over fewer than four.

    The coefficients in another language are those of its profile that was made last, of the same documents.
    """
    sums = level_sums(store, profile, "document", among)
    values = coefficients(sums.statistics, profile.anchors).values
    sizes = sums.statistics.characters.astype(np.float64)
    lines = sums.counts[:, 0].astype(np.float64)
    beside = {
        "characters": sizes,
        "characters per line": np.divide(sizes, lines, out=np.full(len(sizes), np.nan), where=lines > 0),
    }
    for language in profile_languages(store.connection):
        if language != profile.language:
            beside[f"I in {language}"] = _there(store, profiles_of(store.connection, language)[-1], sums)
    found = (_correlation(name, values, other) for name, other in beside.items())
    return [each for each in found if each is not None]


def _there(store: Store, profile: StoredProfile, sums: LevelSums) -> F64:
    """The coefficients of the same documents by another profile; not a number for those that it has not."""
    own = level_sums(store, profile, "document")
    values = dict(zip(own.keys, coefficients(own.statistics, profile.anchors).values.tolist(), strict=True))
    return np.array([values.get(key, np.nan) for key in sums.keys], dtype=np.float64)


def _correlation(name: str, values: F64, other: F64) -> DocumentCorrelation | None:
    known: Bools = ~(np.isnan(values) | np.isnan(other))
    value = pearson(values[known], other[known]) if known.sum() > 1 else None
    interval = None if value is None else fisher(value, int(known.sum()))
    if value is None or interval is None:
        return None
    return DocumentCorrelation(name, int(known.sum()), value, interval)


# A profile to be looked at: lines in the order of a scale, what lies between two thresholds, and keeping it.
#
# The entries of one level in the order of a scale, with running sums, so that any stretch of it costs two look-ups.
# The order has those that were clipped to 0 first, then all others by their value, those that were clipped to 1, and
# at last those that have no value. Every bar of a histogram, and what lies between two thresholds, is a stretch of
# it.

Scale: TypeAlias = Literal["I", "J"]
SCALES: Final[tuple[Scale, ...]] = ("I", "J")
WIDTHS: Final = (0.2, 0.1, 0.05, 0.025, 0.01)
"""Of a bar, on either scale."""
DEFAULT_WIDTH: Final = 0.05
_OUTER: Final = 0.002
"""The share of the entries at each end of J that stands in an open bar, so that one strange line moves nothing."""

BarKind: TypeAlias = Literal["bar", "below", "above", "undefined"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbours in the order."""

    first: int
    last: int
    """Exclusive."""
    entries: int
    characters: int
    share: float
    """Of all characters that were measured, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Edges:
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Bar:
    kind: BarKind
    """On I below and above are what was clipped; on J what lies farther out than the bars."""
    low: float | None
    """Inclusive."""
    high: float | None
    """Exclusive, but for the last one of I."""
    stretch: Stretch


class ScaleOrder:
    """The entries of a level by their value on I or J."""

    def __init__(self, profile: StoredProfile, statistics: Statistics, scale: Scale) -> None:
        """Raises UsageError for J where the references have no linear scale."""
        self.scale = scale
        self.values: F64
        """Of each entry in its own order; not a number where there is none."""
        self.clipped: Bools = np.zeros(len(statistics.characters), dtype=np.bool_)
        if scale == "I":
            found = coefficients(statistics, profile.anchors)
            self.values, self.clipped = found.values, found.clipped
        elif profile.scale is None:
            raise UsageError("these references are too small for the scale J: no text of theirs can be held out")
        else:
            self.values = profile.scale.positions(statistics)
        side = np.where(self.clipped, np.where(self.values > 0, 1, -1), 0)
        self.values = in_file(self.values)
        self.order: I64 = in_file(np.lexsort((self.values, side, np.isnan(self.values))))
        """Places of entries."""
        self._sorted = in_file(self.values[self.order])
        self._characters = in_file(np.concatenate(([0], np.cumsum(statistics.characters[self.order]))))

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def defined(self) -> int:
        return len(self.order) - int(np.isnan(self.values).sum())

    @cached_property
    def _inside(self) -> tuple[int, int]:
        """Where the clipped ones at the lower end are over, and those at the upper end begin."""
        low = int((self.clipped & (self.values <= 0)).sum())
        return low, self.defined - int(self.clipped.sum()) + low

    def stretch(self, first: int, last: int) -> Stretch:
        """Neighbours by their places in the order."""
        last = max(first, last)
        characters = int(self._characters[last] - self._characters[first])
        return Stretch(first, last, last - first, characters, characters / max(int(self._characters[-1]), 1))

    def between(self, low: float, high: float) -> Stretch:
        """The entries with values from ``low`` to ``high``, both inclusive."""
        known = self._sorted[: self.defined]
        return self.stretch(int(np.searchsorted(known, low, "left")), int(np.searchsorted(known, high, "right")))

    def places(self, stretch: Stretch, *, others: bool = False) -> I64:
        """The places of the entries of a stretch, by their value; or of all others, with those that have none."""
        if others:
            return np.concatenate((self.order[: stretch.first], self.order[stretch.last :]))
        return self.order[stretch.first : stretch.last]

    def quantile(self, share: float) -> float | None:
        """The value of the entry below which so much of the others lies; None where none has a value."""
        return float(self._sorted[round(share * (self.defined - 1))]) if self.defined else None

    def bars(self, width: float, edges: Edges | None = None) -> list[Bar]:
        """The histogram from below to above, and at last what has no value; empty bars in between are there too.

        ``edges``, if not those that suit the entries.
        """
        edges = edges or self.edges(width)
        first, last = self._inside
        cuts = first + np.searchsorted(self._sorted[first:last], np.arange(edges.first, edges.last + 1) * width - 1e-12)
        if self.scale == "I":
            cuts[-1] = last
        return list(self._bars(width, edges.first, [int(cut) for cut in cuts]))

    def _bars(self, width: float, low: int, cuts: list[int]) -> Iterator[Bar]:
        yield Bar("below", None, round(low * width, 9), self.stretch(0, cuts[0]))
        for place in range(len(cuts) - 1):
            ends = (round((low + place) * width, 9), round((low + place + 1) * width, 9))
            yield Bar("bar", *ends, self.stretch(cuts[place], cuts[place + 1]))
        yield Bar("above", round((low + len(cuts) - 1) * width, 9), None, self.stretch(cuts[-1], self.defined))
        yield Bar("undefined", None, None, self.stretch(self.defined, len(self.order)))

    def edges(self, width: float) -> Edges:
        """Those of a histogram that has room for all entries, but for a few of J that stand far out."""
        if self.scale == "I":
            return Edges(0, round(1 / width))
        ends = (self.quantile(_OUTER), self.quantile(1 - _OUTER))
        low, high = (0.0 if end is None else end for end in ends)
        first = math.floor(low / width)
        return Edges(first, max(math.ceil(high / width), first + 1))


# All that a screen shows of a profile: read once, after which another scale, level or threshold asks nothing more.


def read_groups(store: Store, profile: StoredProfile, among: Subset | None = None) -> dict[Level, LevelSums]:
    """Documents and collections of which something was measured."""
    groups: dict[Level, LevelSums] = {}
    for level in LEVELS[1:]:
        sums = level_sums(store, profile, level, among)
        there = np.flatnonzero(sums.statistics.characters > 0)
        keys, names = [sums.keys[place] for place in there], [sums.names[place] for place in there]
        groups[level] = LevelSums(keys, names, sums.counts[there], sums.statistics.at(there))
    return groups


class ProfileView:
    def __init__(
        self,
        profile: StoredProfile,
        lines: ProfileLines,
        groups: dict[Level, LevelSums] | None,
        among: Subset | None = None,
    ) -> None:
        """``groups``: None as long as documents and collections are not summed up; ``among`` what is measured."""
        self.profile = profile
        self.lines = lines
        self.groups = groups
        self.among = among
        self.order = cache(self._order)

    def _order(self, level: Level, scale: Scale) -> ScaleOrder:
        """The entries of a level in the order of a scale. Raises UsageError where there is no such scale."""
        statistics = self.lines.statistics if level == "line" else (self.groups or {})[level].statistics
        return ScaleOrder(self.profile, statistics, scale)

    def summed(self, store: Store) -> ProfileView:
        """Itself, with its documents and collections summed up."""
        self.groups = read_groups(store, self.profile, self.among)
        return self


_OF_DOCUMENT = """
select distinct occurrence.sentence from occurrence
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where occurrence.document = ? and nullif(section.name, '') is (select name from section where id = ?)
    and sentence.language = ?
"""
_OF_COLLECTION = """
select distinct occurrence.sentence from document
join occurrence on occurrence.document = document.id
join sentence on sentence.id = occurrence.sentence
where document.collection = ? and sentence.language = ?
"""


def line_places(store: Store, view: ProfileView, level: Level, places: I64) -> I64:
    """The places of the lines of some entries of a level, in the order of these; each line once."""
    if level == "line" or view.groups is None:
        return places
    sentences, found = view.lines.sentences, [np.empty(0, dtype=np.int64)]
    for place in places.tolist():
        key, own = view.groups[level].keys[place], sentences
        if key != ALL_ASKED:
            asked = (key.number, key.section) if level == "document" else (key.number,)
            statement = _OF_DOCUMENT if level == "document" else _OF_COLLECTION
            rows = store.connection.execute(statement, (*asked, view.profile.language))
            own = np.fromiter((row[0] for row in rows), np.int64)
        found.append(np.flatnonzero(np.isin(sentences, own)))
    together = np.concatenate(found)
    _, first = np.unique(together, return_index=True)
    return together[np.sort(first)]


def keep_lines(store: Store, name: str, view: ProfileView, places: I64, seen: Mapping[str, object]) -> int:
    """Keep the lines at these places as a selection; how many.

    The score of each is H1 - H2, bits per character: the lower, the nearer to the spoken reference, and the first of
    them is the lowest. ``seen`` says what was seen. Raises UsageError and InputError for a name that cannot be given,
    and where there are no lines.
    """
    check_selection_name(store, name)
    profile, lines = view.profile, view.lines
    scores = lines.statistics.difference()[places]
    ranked = np.argsort(scores, kind="stable")
    members = zip(lines.sentences[places][ranked].tolist(), scores[ranked].tolist(), strict=True)
    parameters = {"method": "profile", "profile": profile.parameters, **seen}
    new = NewSelection(name, profile.language, parameters, [], int(lines.statistics.characters[places].sum()))
    return keep_selection(store, new, members)


def keep_outliers(
    store: Store, name: str, report: OutlierReport, collection: str | None = None, *, others: bool = False
) -> int:
    """Keep the outlying lines of a report as a selection, the strangest last, or all others of what was measured.

    The score is that of the report; others have 0. Raises as ``keep_lines`` does.
    """
    check_selection_name(store, name)
    listed = {line.sentence for line in report.lines}
    if others:
        numbers, originals, _ = lines_to_measure(store, report.language, collection)
        kept = [(each, text) for each, text in zip(numbers, originals, strict=True) if each not in listed]
        members, characters = [(each, 0.0) for each, _ in kept], sum(len(text) for _, text in kept)
    else:
        lines = sorted(report.lines, key=lambda line: line.score)
        members, characters = [(line.sentence, line.score) for line in lines], sum(len(line.text) for line in lines)
    parameters = {"method": "outliers", "collection": collection, "listed": len(listed), "others": others}
    return keep_selection(store, NewSelection(name, report.language, parameters, [], characters), members)
