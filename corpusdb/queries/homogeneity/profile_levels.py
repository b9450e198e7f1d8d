"""Coefficients of lines, documents and collections, made of the sums that a profile keeps.

A line is a sentence, once however often it stands in the corpus. Documents and collections are sums over all their
lines, never means of lines; a sentence counts in them as often as it stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.normalisation import normalised
from corpusdb.homogeneity.scale import Statistics, Summary, coefficients, summary
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile
from corpusdb.store import Store

__all__ = ["LEVELS", "Entry", "Level", "LevelSummary", "ProfileReport", "entries_of", "profile_report"]

Level: TypeAlias = Literal["line", "document", "collection"]
LEVELS: Final[tuple[Level, ...]] = ("line", "document", "collection")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line, document or collection."""

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
    """Where a language stands between two references."""

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
select count(*), coalesce(sum(characters), 0), coalesce(sum(unknown), 0) from profile_sentence where profile = ?
"""
_SENTENCES = "select count(*) from sentence where language = ?"
_LEFT_OUT = """
select text from sentence where language = ? and not exists (
    select 1 from profile_sentence where profile = ? and profile_sentence.sentence = sentence.id)
"""


def profile_report(store: Store, profile: StoredProfile, levels: Sequence[Level] = LEVELS) -> ProfileReport:
    """The references, what was left out, and the distribution at each level."""
    connection = store.connection
    measured, characters, unknown = connection.execute(_TOTALS, (profile.id,)).fetchone()
    left_out = [row[0] for row in connection.execute(_LEFT_OUT, (profile.language, profile.id))]
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
        sentences=int(connection.execute(_SENTENCES, (profile.language,)).fetchone()[0]),
        measured=measured,
        in_references=len(left_out) - empty,
        empty=empty,
        unknown=unknown,
        measured_characters=characters,
        levels=tuple(_level_summary(store, profile, level) for level in levels),
    )


def _level_summary(store: Store, profile: StoredProfile, level: Level) -> LevelSummary:
    """Of the entries of which something was measured."""
    sums = _sums(store, profile, level).statistics
    there = sums.characters > 0
    statistics = Statistics(sums.characters[there], sums.bits1[there], sums.bits2[there])
    positions = None if profile.scale is None else summary(profile.scale.positions(statistics))
    return LevelSummary(level, summary(coefficients(statistics, profile.anchors)), positions)


@dataclass(frozen=True, slots=True)
class _Sums:
    names: list[str]
    counts: I64
    """Lines, lines left out, and unknown characters of each entry: shape (entries, 3)."""
    statistics: Statistics


_LINES = """
select sentence.text, 1, 0, unknown, characters, bits1, bits2
from profile_sentence join sentence on sentence.id = profile_sentence.sentence where profile = ? order by sentence
"""
_DOCUMENTS = """
select coalesce(section.name, document.name), count(profile_sentence.sentence),
    count(*) - count(profile_sentence.sentence), total(profile_sentence.unknown), total(profile_sentence.characters),
    total(bits1), total(bits2)
from occurrence
join document on document.id = occurrence.document
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
left join profile_sentence on profile_sentence.profile = ? and profile_sentence.sentence = occurrence.sentence
where sentence.language = ?
group by occurrence.document, unit.section order by occurrence.document, section.number
"""
_COLLECTIONS = """
select collection.name, count(profile_sentence.sentence),
    count(*) - count(profile_sentence.sentence), total(profile_sentence.unknown), total(profile_sentence.characters),
    total(bits1), total(bits2)
from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
join sentence on sentence.id = occurrence.sentence
left join profile_sentence on profile_sentence.profile = ? and profile_sentence.sentence = occurrence.sentence
where sentence.language = ?
group by collection.id order by collection.id
"""


def _sums(store: Store, profile: StoredProfile, level: Level) -> _Sums:
    if level == "line":
        rows = store.connection.execute(_LINES, (profile.id,)).fetchall()
    else:
        statement = _DOCUMENTS if level == "document" else _COLLECTIONS
        rows = store.connection.execute(statement, (profile.id, profile.language)).fetchall()
    numbers: F64 = np.array([row[1:] for row in rows], dtype=np.float64).reshape(len(rows), 6)
    statistics = Statistics(numbers[:, 3].astype(np.int64), numbers[:, 4], numbers[:, 5])
    return _Sums([row[0] for row in rows], numbers[:, :3].astype(np.int64), statistics)


def entries_of(store: Store, profile: StoredProfile, level: Level) -> list[Entry]:
    """Every line, document or collection with its coefficient: from the spoken end to the written one.

    Those whose coefficient is not defined come last.
    """
    sums = _sums(store, profile, level)
    found = coefficients(sums.statistics, profile.anchors)
    positions = None if profile.scale is None else profile.scale.positions(sums.statistics).tolist()
    values = found.values.tolist()
    entries = [
        Entry(
            name=name,
            lines=int(sums.counts[place, 0]),
            left_out=int(sums.counts[place, 1]),
            characters=int(sums.statistics.characters[place]),
            unknown=int(sums.counts[place, 2]),
            coefficient=_known(values[place]),
            clipped=bool(found.clipped[place]),
            position=None if positions is None else _known(positions[place]),
        )
        for place, name in enumerate(sums.names)
    ]
    return sorted(entries, key=lambda entry: (entry.coefficient is None, entry.coefficient or 0.0))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
