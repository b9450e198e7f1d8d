"""What a file of scores holds, whatever its kind: the score of each metric for each system, or each segment of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose, isfinite, nan
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError

Level: TypeAlias = Literal["segment", "system"]

_ROUNDED: Final = 5e-5
"""What is lost where a score is given with four decimals."""
_MISSING: Final = ("None", "")
_MOST_SEGMENTS: Final = 1_000_000
"""A larger number is that of something else, and room for all before it would fill the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class ExternalScores:
    """The scores of some systems by one metric, at one level."""

    name: str
    """Of the metric, or of the kind of human score."""
    level: Level
    scores: Mapping[str, F64]
    """By the name of the system: shape (segments,), or (1,) for the system as a whole; NaN where there is no score."""
    path: Path
    lines: Mapping[str, int]
    """Where the first score of each system stands, from 1."""
    paths: Mapping[str, Path] = field(default_factory=dict)
    """The file of each system that stands in another than ``path``."""

    @property
    def segments(self) -> int | None:
        """How many segments each system has; None for scores of whole systems."""
        return len(next(iter(self.scores.values()))) if self.level == "segment" else None

    def path_of(self, system: str) -> Path:
        """The file that holds the scores of a system."""
        return self.paths.get(system, self.path)


def name_of_mean(name: str) -> str:
    """What the mean of the segments is called where it is not the score of the system."""
    return f"{name} (segments' mean)"


def differs(whole: float, segments: F64) -> bool:
    """Whether the score that is given for a system is another than the mean of its segments, but for rounding."""
    return not isclose(whole, float(np.nanmean(segments)), rel_tol=0, abs_tol=_ROUNDED)


class _Score(NamedTuple):
    value: float
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFile:
    """The scores in a file, with the numbers that the file gives to segments."""

    path: Path
    of_systems: Mapping[str, Mapping[str, _Score]]
    of_segments: Mapping[str, Mapping[str, Mapping[int, _Score]]]
    """By metric, system, and number of the segment: that of the file, or from 0 where all stand in their order."""
    usual_first: int | None
    """The first number in files of its kind; None where the segments have no numbers and stand in their order."""
    said_first: int | None = None
    """The first number, where somebody said it."""
    notes: tuple[str, ...] = ()
    """What is to be told of how the file was read."""
    left_columns: tuple[str, ...] = ()
    """Columns with numbers that are taken for no scores."""

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.of_systems, *self.of_segments)))

    @property
    def systems(self) -> Mapping[str, int]:
        """Each system with the line of its first score."""
        found: dict[str, int] = {}
        for of_metric in self.of_systems.values():
            for system, score in of_metric.items():
                found.setdefault(system, score.line)
        for by_system in self.of_segments.values():
            for system, scores in by_system.items():
                line = min(each.line for each in scores.values())
                found[system] = min(found.get(system, line), line)
        return found

    @property
    def numbers(self) -> frozenset[int]:
        """Of all segments that it names."""
        return frozenset(at for systems in self.of_segments.values() for scores in systems.values() for at in scores)

    def first(self, segments: int | None = None) -> int:
        """The number of the first segment of so many: 0 or 1.

        A file with a segment 0 counts from 0, and one with as high a number as there are segments from 1. One with
        neither does as it was said; else it is a guess: from 0 where that makes its highest number that of the last
        segment, from 1 where it has all numbers from there to its highest, else as is usual in files of its kind.
        Raises InputError where what was said is wrong.
        """
        numbers = self.numbers
        if self.usual_first is None or not numbers:
            return 0
        if 0 in numbers:
            if self.said_first == 1:
                raise InputError("it has a segment 0, and is said to count from 1", path=self.path)
            return 0
        if self.said_first is not None:
            return self.said_first
        highest = max(numbers)
        if segments is None or highest >= segments:
            return 1 if 1 in numbers or highest == segments else self.usual_first
        if self.usual_first == 0 and highest + 1 == segments:
            return 0
        return 1 if len(numbers) == highest else self.usual_first

    def count(self, segments: int | None = None) -> int | None:
        """How many segments it needs at least, or has, where they stand in their order; None where it scores none."""
        return max(self.numbers) - self.first(segments) + 1 if self.numbers else None

    @property
    def is_whole(self) -> bool:
        """Whether it names every segment from the first to the last that it has."""
        numbers = self.numbers
        return bool(numbers) and min(numbers) == self.first() and len(numbers) == self.count()

    def numbering(self, segments: int | None = None) -> str | None:
        """What is told of how it counts; None where it has no numbers."""
        numbers = self.numbers
        if self.usual_first is None or not numbers:
            return None
        first = self.first(segments)
        told = f"segments numbered from {first} in {self.path.name}{', shown from 1' * (first == 0)}"
        is_sure = 0 in numbers or self.said_first is not None or (1 in numbers and segments is None)
        if not is_sure and max(numbers) != segments:
            if segments is None or 1 not in numbers:
                told += ", as is usual: it has neither 0 nor 1"
            else:
                told += f", a guess: it has neither 0 nor {segments:,}"
            told += f"; --first-segment {1 - first} says otherwise"
        return told

    def how_read(self, segments: int | None = None) -> tuple[str, ...]:
        """All that is to be told of how it was read."""
        told = self.numbering(segments)
        return (*self.notes, *([told] if told else ()))

    @property
    def columns_left(self) -> tuple[str, ...]:
        """What is told of columns that are no scores, to those who want all that there are."""
        names = ", ".join(self.left_columns)
        return (f"columns of {self.path.name} that are taken for no scores: {names}",) if names else ()

    def scores(self, segments: int | None = None) -> list[ExternalScores]:
        """Its scores as arrays: those of segments by metric, then those of whole systems.

        Where segments have numbers, there are ``segments`` of them, or as many as it needs. Raises InputError, with the
        line, for a number beyond that, and where systems have different numbers of segments that stand in their order.
        """
        self.check_equal()
        first, found = self.first(segments), []
        length = (None if self.usual_first is None else segments) or self.count() or 0
        for name, by_system in self.of_segments.items():
            arrays = {system: self._array(system, of_it, first, length) for system, of_it in by_system.items()}
            lines = {system: min(each.line for each in of_it.values()) for system, of_it in by_system.items()}
            found.append(ExternalScores(name, "segment", arrays, self.path, lines))
        for name, by_name in self.of_systems.items():
            arrays = {system: np.array([score.value]) for system, score in by_name.items()}
            lines = {system: score.line for system, score in by_name.items()}
            found.append(ExternalScores(name, "system", arrays, self.path, lines))
        return found

    def check_equal(self) -> None:
        """Raise InputError unless systems whose segments stand in their order have as many of them."""
        for by_system in self.of_segments.values() if self.usual_first is None else ():
            (usual, _), *_ = Counter(map(len, by_system.values())).most_common(1)
            name = next(system for system, scores in by_system.items() if len(scores) == usual)
            for system, scores in by_system.items():
                if len(scores) != usual:
                    reason = f"{system} has {len(scores):,} segments, {name} has {usual:,}"
                    line = scores[usual].line if len(scores) > usual else max(each.line for each in scores.values())
                    raise InputError(reason, path=self.path, line=line)

    def _array(self, system: str, scores: Mapping[int, _Score], first: int, length: int) -> F64:
        array = np.full(length, nan)
        for number, score in scores.items():
            if number - first >= length:
                reason = f"{system} has a score of segment {number}, and there are {length:,}, counted from {first}"
                raise InputError(reason, path=self.path, line=score.line)
            if number >= first:
                array[number - first] = score.value
        return array


class Collected:
    """Scores as they come out of a file, one by one."""

    def __init__(self, path: Path, usual_first: int | None = None, hint: str = "") -> None:
        """``hint`` is told with what is wrong where a system has two scores."""
        self._path = path
        self._hint = hint
        self._usual_first = usual_first
        self._systems: dict[str, dict[str, _Score]] = {}
        self._segments: dict[str, dict[str, dict[int, _Score]]] = {}

    def add(self, metric: str, system: str, segment: int | None, value: float, line: int) -> None:
        """A score of a segment, by the number in the file, or of the whole system. Raises InputError for a second."""
        if not system.strip():
            raise InputError("the system has no name", path=self._path, line=line)
        system = system.strip()
        if segment is None:
            of_metric = self._systems.setdefault(metric, {})
            if system in of_metric:
                raise InputError(f"{system} has two scores of {metric}{self._hint}", path=self._path, line=line)
            of_metric[system] = _Score(value, line)
            return
        if segment > _MOST_SEGMENTS:
            raise InputError(f"{segment} is not a segment number", path=self._path, line=line)
        scores = self._segments.setdefault(metric, {}).setdefault(system, {})
        if segment in scores:
            reason = f"{system} has two scores of {metric} in segment {segment}"
            raise InputError(reason, path=self._path, line=line)
        scores[segment] = _Score(value, line)

    def add_next(self, metric: str, system: str, value: float, line: int) -> None:
        """The score of the next segment of a system."""
        known = self._segments.get(metric, {}).get(system.strip(), {})
        self.add(metric, system, len(known), value, line)

    def file(
        self, said_first: int | None = None, notes: Sequence[str] = (), left_columns: Sequence[str] = ()
    ) -> ScoreFile:
        """All of them. Raises InputError where there is none."""
        systems = {
            name: scores
            for name, scores in self._systems.items()
            if any(isfinite(each.value) for each in scores.values())
        }
        segments = {
            name: by_system
            for name, by_system in self._segments.items()
            if any(isfinite(each.value) for scores in by_system.values() for each in scores.values())
        }
        if not systems and not segments:
            names = ", ".join({**self._systems, **self._segments})
            raise InputError(f"holds no scores{f' of {names}' if names else ''}", path=self._path)
        told, left = tuple(notes), tuple(left_columns)
        return ScoreFile(self._path, systems, segments, self._usual_first, said_first, told, left)


def score_of(text: str, path: Path, line: int) -> float:
    """A finite number, or NaN where there is none. Raises InputError for anything else."""
    if text.strip() in _MISSING:
        return nan
    try:
        score = float(text)
    except ValueError:
        score = nan
    # Python reads 1_000 and digits of other scripts too, which no program writes for a score.
    if not isfinite(score) or "_" in text or not text.isascii():
        raise InputError(f"{text!r} is not a score: a finite number is expected, or None", path=path, line=line)
    return score


def joined(scores: Sequence[ExternalScores]) -> list[ExternalScores]:
    """The scores of each metric at each level together: its systems may stand in a file each.

    Raises InputError for a system that stands in two of them, and for different numbers of segments.
    """
    found: dict[tuple[str, Level], ExternalScores] = {}
    for each in scores:
        one = found.setdefault((each.name, each.level), each)
        if one is each:
            continue
        for system, line in each.lines.items():
            if system in one.scores:
                reason = f"scores of {each.name} by {each.level} are in {one.path_of(system)}, too"
                raise InputError(reason, path=each.path, line=line)
        if one.segments != each.segments:
            reason = f"scores of {each.segments:,} segments, and of {one.segments:,} in {one.path}"
            raise InputError(reason, path=each.path, line=min(each.lines.values()))
        found[each.name, each.level] = replace(
            one,
            scores={**one.scores, **each.scores},
            lines={**one.lines, **each.lines},
            paths={**one.paths, **dict.fromkeys(each.scores, each.path)},
        )
    return list(found.values())
