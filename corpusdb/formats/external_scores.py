"""Scores that others computed: of COMET, MetricX and other metrics, or of people, in the files that they come in.

``NAME.seg.score`` and ``NAME.sys.score`` are those of mt-metrics-eval (github.com/google-research/mt-metrics-eval): a
line "system TAB score" for each segment of each system, or for each system; ``None`` where there is no score. A file of
another name holds the same, or a table whose header names ``system`` and metrics, which are the columns with numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import isfinite, nan
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines
from corpusdb.formats.segments import base_name

__all__ = ["ExternalScores", "Level", "read_external_scores"]

Level: TypeAlias = Literal["segment", "system"]

_NAMED: Final = re.compile(r"(?P<name>.+)\.(?P<level>seg|sys)\.score")
_LEVELS: Final[Mapping[str, Level]] = {"seg": "segment", "sys": "system"}
_MISSING: Final = ("None", "")


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

    @property
    def segments(self) -> int | None:
        """How many segments each system has; None for scores of whole systems."""
        return len(next(iter(self.scores.values()))) if self.level == "segment" else None


def read_external_scores(path: Path) -> list[ExternalScores]:
    """The scores in a file: those of one metric, or of each column of a table that holds numbers.

    The lines of one system stand in the order of its segments, with those of other systems between them or not. Where
    the name of the file does not tell the level, systems that come once each are scored as a whole. Raises InputError,
    with the line, for what is no line of two fields, a score that is no finite number, systems with different numbers
    of segments, a system or metric that comes twice where it may come once, and a file without a score.
    """
    lines = read_lines(path)
    first = next(lines)
    header = first[1].split("\t")
    name = base_name(path)
    named = _NAMED.fullmatch(path.name.removesuffix(".gz"))
    if named is None and "system" in header and len(header) > 1:
        return _read_table(path, header, lines)
    scores: dict[str, list[float]] = {}
    places: dict[str, list[int]] = {}
    for number, line in chain([first], lines):
        fields = line.split("\t")
        if len(fields) != 2:
            raise InputError(f"{len(fields)} fields where system TAB score is expected", path=path, line=number)
        system = _system(fields[0], path, number)
        scores.setdefault(system, []).append(_score(fields[1], path, number))
        places.setdefault(system, []).append(number)
    level = _level(path, named["level"] if named else None, places)
    return [_checked(named["name"] if named else name, level, scores, path, places)]


def _system(text: str, path: Path, line: int) -> str:
    if not text.strip():
        raise InputError("the system has no name", path=path, line=line)
    return text.strip()


def _score(text: str, path: Path, line: int) -> float:
    """A finite number, or NaN where there is none. Raises InputError for anything else."""
    if text.strip() in _MISSING:
        return nan
    try:
        score = float(text)
    except ValueError:
        score = nan
    # Python reads 1_000 and digits of other scripts too, which no program writes for a score.
    if not isfinite(score) or "_" in text or not text.isascii():
        raise InputError(f"{text!r} is no score: a finite number is expected, or None", path=path, line=line)
    return score


def _level(path: Path, told: str | None, places: Mapping[str, list[int]]) -> Level:
    """The level that the name of the file tells, else that of what it holds."""
    if told is None:
        return "segment" if any(len(lines) > 1 for lines in places.values()) else "system"
    if told == "sys":
        for system, lines in places.items():
            if len(lines) > 1:
                raise InputError(f"{system} has two scores in a file of whole systems", path=path, line=lines[1])
    return _LEVELS[told]


def _checked(
    name: str, level: Level, scores: Mapping[str, list[float]], path: Path, places: Mapping[str, list[int]]
) -> ExternalScores:
    """The scores of one metric. Raises InputError where systems have different numbers of them, and for none at all."""
    first = next(iter(scores))
    for system, values in scores.items():
        if len(values) != len(scores[first]):
            reason = f"{system} has {len(values):,} segments, {first} has {len(scores[first]):,}"
            raise InputError(reason, path=path, line=places[system][-1])
    arrays = {system: np.array(values, dtype=np.float64) for system, values in scores.items()}
    if all(np.isnan(values).all() for values in arrays.values()):
        raise InputError(f"holds no scores of {name}", path=path)
    return ExternalScores(name, level, arrays, path, {system: lines[0] for system, lines in places.items()})


def _read_table(path: Path, header: list[str], lines: Iterator[tuple[int, str]]) -> list[ExternalScores]:
    """A metric in each column that holds a number, but ``system``; a system in each line."""
    for metric in header:
        if not metric.strip() or header.count(metric) > 1:
            reason = f"two columns are called {metric!r}" if metric.strip() else "a column has no name"
            raise InputError(reason, path=path, line=1)
    columns: dict[str, dict[str, str]] = {metric: {} for metric in header if metric != "system"}
    places: dict[str, list[int]] = {}
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(f"{len(fields)} fields under {len(header)} names", path=path, line=number)
        row = dict(zip(header, fields, strict=True))
        system = _system(row.pop("system"), path, number)
        if system in places:
            raise InputError(f"{system} comes twice", path=path, line=number)
        places[system] = [number]
        for metric, text in row.items():
            columns[metric][system] = text
    found = [
        _checked(metric, "system", _column(texts, path, places), path, places)
        for metric, texts in columns.items()
        if any(_is_number(text) for text in texts.values())
    ]
    if not found:
        raise InputError("no column holds scores", path=path)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _column(texts: Mapping[str, str], path: Path, places: Mapping[str, list[int]]) -> dict[str, list[float]]:
    return {system: [_score(text, path, places[system][0])] for system, text in texts.items()}
