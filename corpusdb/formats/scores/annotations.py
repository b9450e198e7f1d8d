"""What people marked and rated, one judgement a line: MQM as Google publishes it, ESA and DA as Appraise exports them.

MQM: Freitag et al. (2021), "Experts, Errors, and Context", whose weights these are; the score of a segment is less the
sum of its errors, the mean over its raters. ESA: Kocmi et al. (2024), "Error Span Annotation", 0 to 100.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Final

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.scores.score_file import Collected, ScoreFile, score_of
from corpusdb.formats.scores.tables import SEGMENT, as_records, segment_number
from corpusdb.formats.tables.reading import Row

__all__ = ["ErrorWeights", "is_appraise", "is_mqm", "read_appraise", "read_mqm"]

_WMT: Final[Mapping[tuple[str, ...], float]] = {
    ("major",): 5.0,
    ("minor",): 1.0,
    ("neutral",): 0.0,
    ("no-error",): 0.0,
    ("hotw-test",): 0.0,  # errors put in to see whether raters pay attention
    ("non-translation",): 25.0,
    ("minor", "punctuation"): 0.1,
}


@dataclass(frozen=True, slots=True)
class ErrorWeights:
    """What errors of each severity and category count."""

    weights: Mapping[tuple[str, ...], float] = field(default_factory=lambda: dict(_WMT))
    """By the severity, a category, or the severity and a category with its parts; what says most counts."""

    @classmethod
    def parse(cls, text: str | None) -> ErrorWeights:
        """Those of WMT, with others in their place: ``major:10,minor/punctuation:0.5``. Raises UsageError."""
        weights = dict(_WMT)
        for each in (text or "").split(","):
            name, colon, number = each.strip().rpartition(":")
            try:
                weight = float(number)
            except ValueError:
                weight = -1.0
            if each.strip() and not (colon and name.strip() and ":" not in name and isfinite(weight) and weight >= 0):
                raise UsageError(f"weights of errors are given as severity/category:number, unlike {each.strip()!r}")
            if each.strip():
                weights[_parts(name)] = weight
        return cls(weights)

    def weight(self, severity: str, category: str) -> float | None:
        """Of an error; None where nothing is said of its severity or category."""
        (level,), path = _parts(severity)[:1], _parts(category)
        ways = [(level, *path), (level, path[-1]), (level, path[0]), path, path[-1:], path[:1], (level,)]
        return next((self.weights[way] for way in ways if way in self.weights), None)


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip().rstrip("!").casefold() for part in name.split("/"))


_MQM: Final = frozenset({"system", "rater", "category", "severity"})


def is_mqm(header: Sequence[str]) -> bool:
    """Whether a header is that of marked errors."""
    return {name.strip().casefold() for name in header} >= _MQM


def read_mqm(
    header: Sequence[str], rows: Iterable[Row], path: Path, weights: ErrorWeights, first: int | None = None
) -> ScoreFile:
    """The MQM scores of segments, all negative or 0: higher is better.

    Raises InputError, with the line, where no column numbers the segments, and for a severity without a weight.
    """
    names = {name.strip().casefold(): name for name in header}
    segment = next((names[each] for each in SEGMENT if each in names), None)
    if segment is None:
        raise InputError("no column numbers the segments: globalSegId, seg_id or segment", path=path, line=1)
    sums: dict[tuple[str, int], dict[str, float]] = {}
    lines: dict[tuple[str, int], int] = {}
    for line, record in as_records(header, rows, path):
        severity, category = record[names["severity"]], record[names["category"]]
        weight = weights.weight(severity, category)
        if weight is None:
            reason = (
                f"an error of severity {severity!r} and category {category!r} has no weight; --mqm-weights gives it"
            )
            raise InputError(reason, path=path, line=line)
        key = record[names["system"]], segment_number(record[segment], path, line)
        raters = sums.setdefault(key, {})
        raters[record[names["rater"]]] = raters.get(record[names["rater"]], 0.0) + weight
        lines.setdefault(key, line)
    found = Collected(path, usual_first=1)
    for (system, number), raters in sums.items():
        found.add("MQM", system, number, 0.0 - fmean(raters.values()), lines[system, number])
    return found.file(first)


_COLUMNS: Final = {11: "DA", 12: "ESA"}
"""By the number of cells: annotator, system, segment, type, source and target language, score, document, whether it is
complete, the spans of errors (ESA alone), begin, end."""
_JUDGED: Final = "TGT"
_TYPES: Final = frozenset({_JUDGED, "BAD", "REF", "CHK", "SRC"})


def is_appraise(cells: Sequence[str]) -> bool:
    """Whether a line is a judgement as Appraise exports it, without a header."""
    return len(cells) in _COLUMNS and cells[3] in _TYPES


def read_appraise(rows: Iterable[Row], path: Path, first: int | None = None, languages: str | None = None) -> ScoreFile:
    """The ratings of segments, the mean where one was rated more than once; only of ``languages``, where some are said.

    Tutorials, and what is there to see whether annotators pay attention, are left out. Raises InputError, with the
    line, for another number of cells, what is no rating, and a second pair of languages where none is said.
    """
    ratings: dict[tuple[str, int], list[float]] = {}
    lines: dict[tuple[str, int], int] = {}
    left: Counter[str] = Counter()
    before, size = None, 0
    for line, cells in rows:
        if not is_appraise(cells) or len(cells) != (size or len(cells)):
            raise InputError(f"{len(cells)} cells, unlike a judgement that Appraise exports", path=path, line=line)
        size = len(cells)
        pair = "-".join(cells[4:6])
        if languages not in (None, pair):
            continue
        if (before := before or pair) != pair:
            reason = f"ratings of {pair}, and before of {before}; --language-pair says which are meant"
            raise InputError(reason, path=path, line=line)
        if cells[3] != _JUDGED or "tutorial" in cells[7]:
            left["tutorial" if "tutorial" in cells[7] else cells[3]] += 1
            continue
        value = score_of(cells[6], path, line)
        if not 0 <= value <= 100:
            raise InputError(f"{cells[6]!r} is no rating: 0 to 100 is expected", path=path, line=line)
        key = cells[1], segment_number(cells[2], path, line)
        ratings.setdefault(key, []).append(value)
        lines.setdefault(key, line)
    if languages is not None and before is None:
        raise InputError(f"holds no ratings of {languages}", path=path)
    found = Collected(path, usual_first=0)
    for (system, number), values in ratings.items():
        found.add(_COLUMNS[size], system, number, fmean(values), lines[system, number])
    told = ", ".join(f"{count:,} {name}" for name, count in left.items())
    return found.file(first, [f"left out of {path.name}, no ratings of outputs: {told}"] if left else [])
