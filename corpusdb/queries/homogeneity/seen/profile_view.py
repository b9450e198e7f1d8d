"""All that a screen shows of a profile: read once, after which another scale, level or threshold asks nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from corpusdb.arrays import I64
from corpusdb.homogeneity.scale import Statistics
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.homogeneity.among import Among
from corpusdb.queries.homogeneity.profile_levels import EntryKey, Level, LevelSums, level_sums
from corpusdb.queries.homogeneity.seen.scale_order import Scale, ScaleOrder
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile, profile_languages, profiles_of
from corpusdb.store import Store

__all__ = [
    "LEVELS_SEEN",
    "ProfileLines",
    "ProfileView",
    "all_profiles",
    "entry_sentences",
    "profile_state",
    "read_groups",
    "read_lines",
]

LEVELS_SEEN: Final[tuple[Level, ...]] = ("line", "document", "collection")


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


def read_lines(store: Store, profile: StoredProfile, among: Among | None = None) -> ProfileLines:
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
    kept = Statistics(statistics.characters[there], statistics.bits1[there], statistics.bits2[there])
    return ProfileLines(numbers[there], kept, 0, changed)


def read_groups(store: Store, profile: StoredProfile, among: Among | None = None) -> dict[Level, LevelSums]:
    """Documents and collections of which something was measured."""
    return {level: _measured(level_sums(store, profile, level, among)) for level in LEVELS_SEEN[1:]}


def _measured(sums: LevelSums) -> LevelSums:
    there = np.flatnonzero(sums.statistics.characters > 0)
    places = there.tolist()
    statistics = sums.statistics
    return LevelSums(
        [sums.keys[place] for place in places],
        [sums.names[place] for place in places],
        sums.counts[there],
        Statistics(statistics.characters[there], statistics.bits1[there], statistics.bits2[there]),
    )


class ProfileView:
    """A profile at every level, and on both scales."""

    def __init__(
        self,
        profile: StoredProfile,
        lines: ProfileLines,
        groups: dict[Level, LevelSums] | None,
        among: Among | None = None,
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
    """The profiles of all languages, and the languages of the corpus."""
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


def entry_sentences(store: Store, level: Level, key: EntryKey, language: str) -> I64:
    """The sentences of a document or collection, by its key in ``LevelSums``; ascending."""
    rows: Sequence[tuple[int]] = (
        store.connection.execute(_OF_DOCUMENT, (key.number, key.section, language)).fetchall()
        if level == "document"
        else store.connection.execute(_OF_COLLECTION, (key.number, language)).fetchall()
    )
    return np.unique(np.array([row[0] for row in rows], dtype=np.int64))
