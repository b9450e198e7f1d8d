"""Human scores of machine translations, for systems or their segments, from tab-separated values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines

__all__ = ["HumanJudgements", "read_human_scores"]


@dataclass(frozen=True, slots=True)
class HumanJudgements:
    """Scores by the name of the system."""

    systems: Mapping[str, float]
    segments: Mapping[str, Mapping[int, float]]
    """By the number of the segment, from 0, too; empty where only systems were scored."""


def read_human_scores(path: Path, column: str = "z") -> HumanJudgements:
    """The scores in ``column`` of a file with a header that names ``system`` and, for segments, ``segment`` (from 0).

    Where segments are scored, the score of a system is the mean of theirs, as WMT computes it. Raises InputError for a
    missing column, a line with too few fields, a value that is no number, a system or segment that comes twice, and
    a file without scores.
    """
    lines = read_lines(path)
    header = next(lines)[1].split("\t")
    for name in ("system", column):
        if name not in header:
            raise InputError(f"no column {name!r}; there are {', '.join(header)}", path=path, line=1)
    systems: dict[str, float] = {}
    segments: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(f"{len(fields)} fields under {len(header)} names", path=path, line=number)
        row = dict(zip(header, fields, strict=True))
        name = row["system"]
        try:
            score = float(row[column])
            segment = int(row["segment"]) if "segment" in row else None
        except ValueError as error:
            raise InputError(f"not a number: {error}", path=path, line=number) from error
        if not isfinite(score) or (segment is not None and segment < 0):
            raise InputError(f"no score or segment can be {line!r}", path=path, line=number)
        if name in systems if segment is None else segment in segments[name]:
            raise InputError(f"{name} has two scores", path=path, line=number)
        if segment is None:
            systems[name] = score
        else:
            segments[name][segment] = score
    if not systems and not segments:
        raise InputError("holds no scores", path=path)
    means = {name: fmean(scores.values()) for name, scores in segments.items()}
    return HumanJudgements(systems or means, dict(segments))
