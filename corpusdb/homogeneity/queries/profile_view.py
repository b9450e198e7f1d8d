"""A profile to be looked at: lines in the order of a scale, what lies between two thresholds, and keeping it.

The entries of one level in the order of a scale, with running sums, so that any stretch of it costs two look-ups.
The order has those that were clipped to 0 first, then all others by their value, those that were clipped to 1, and
at last those that have no value. Every bar of a histogram, and what lies between two thresholds, is a stretch of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.display import check_name
from corpusdb.base.errors import UsageError
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.likeness import OutlierReport, lines_to_measure
from corpusdb.homogeneity.queries.profile_levels import (
    ALL_ASKED,
    LEVELS,
    Level,
    LevelSums,
    Subset,
    level_sums,
)
from corpusdb.homogeneity.queries.profiles import StoredProfile, profile_languages, profiles_of
from corpusdb.homogeneity.scale import Statistics, coefficients
from corpusdb.search.queries.results import NewSelection, check_selection_name, keep_selection

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
        self.order: I64 = np.lexsort((self.values, side, np.isnan(self.values)))
        """Places of entries."""
        self._sorted = self.values[self.order]
        self._characters = np.concatenate(([0], np.cumsum(statistics.characters[self.order])))

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


@dataclass(frozen=True)
class ProfileLines:
    """What the lines of a profile cost."""

    sentences: I64
    """Ascending."""
    statistics: Statistics
    left_out: int
    """Sentences of the language without figures: they stand in a reference, are empty, or wait to be measured."""
    changed: tuple[str, ...]
    """What of the references is not as it was, in words."""


_LINES = "select sentence, characters, bits1, bits2 from profile_sentence where profile = ? order by sentence"
_COUNT = "select count(*) from sentence where language = ?"


def read_lines(store: Store, profile: StoredProfile, among: Subset | None = None) -> ProfileLines:
    """Every measured line, or those ``among`` some sentences; texts are not read."""
    connection = store.connection
    rows = connection.execute(_LINES, (profile.id,)).fetchall()
    sentences, characters, bits1, bits2 = zip(*rows, strict=True) if rows else ((), (), (), ())
    numbers = np.array(sentences, dtype=np.int64)
    statistics = Statistics(np.array(characters, dtype=np.int64), np.array(bits1), np.array(bits2))
    (total,) = connection.execute(_COUNT, (profile.language,)).fetchone()
    changed = tuple(profile.changed(store))
    if among is None:
        return ProfileLines(numbers, statistics, total - len(numbers), changed)
    there = np.isin(numbers, among.sentences, assume_unique=True)
    return ProfileLines(numbers[there], statistics.at(there), 0, changed)


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


def all_profiles(store: Store) -> tuple[list[StoredProfile], list[str]]:
    found = [
        each for language in profile_languages(store.connection) for each in profiles_of(store.connection, language)
    ]
    return found, languages_of(store)


_STATE = """
select coalesce(max(id), 0) from run where operation in ('import', 'accept', 'profile', 'profile sentences')
"""


def profile_state(store: Store) -> int:
    """A number that is another one where profiles or their lines may have changed."""
    return int(store.connection.execute(_STATE).fetchone()[0])


_OF_DOCUMENT = """
select distinct occurrence.sentence from occurrence
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
where occurrence.document = ? and unit.section is ? and sentence.language = ?
"""
_OF_COLLECTION = """
select distinct occurrence.sentence from document
join occurrence on occurrence.document = document.id
join sentence on sentence.id = occurrence.sentence
where document.collection = ? and sentence.language = ?
"""


def check_new_name(store: Store, name: str) -> None:
    """Raise UsageError for what is no name, and InputError for that of a selection or collection."""
    check_name(name, "a selection")
    check_selection_name(store, name)


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
    check_new_name(store, name)
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
    check_new_name(store, name)
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
