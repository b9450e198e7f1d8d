"""Human scores of machine translations, for systems or their segments: tables, and the files of mt-metrics-eval."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.external_scores import read_external_scores
from corpusdb.formats.files.reading import read_lines

__all__ = ["HumanJudgements", "read_human_scores"]

_OF_METRICS_EVAL: Final = re.compile(r"\.(?:seg|sys)\.score(?:\.gz)?$")


@dataclass(frozen=True, slots=True)
class HumanJudgements:
    """Scores by the name of the system."""

    systems: Mapping[str, float]
    segments: Mapping[str, Mapping[int, float]]
    """By the number of the segment, from 0, too; empty where only systems were scored."""
    left_out: int = 0
    """How many scores are of segments that are not there."""


def read_human_scores(
    path: Path, column: str = "z", segments: int | None = None, *, leaves_out: bool = False
) -> HumanJudgements:
    """The scores in ``column`` of a file with a header that names ``system`` and, for segments, ``segment`` (from 0).

    ``NAME.seg.score`` and ``NAME.sys.score`` have no header (external_scores). Where segments are scored, the score of
    a system is the mean of theirs, as WMT computes it. ``segments`` is how many there are, where that is known. Raises
    InputError for a missing column, a line with too few fields, a value that is no number, a system or segment that
    comes twice, a segment that is not there unless it ``leaves_out`` those, and a file without scores.
    """
    if _OF_METRICS_EVAL.search(path.name):
        found = _read_metrics_eval(path, segments, leaves_out=leaves_out)
    else:
        found = _read_table(path, column, segments, leaves_out=leaves_out)
    if found.left_out and not found.segments:
        raise InputError(f"all its scores are of segments beyond the {segments or 0:,} that there are", path=path)
    return found


def _read_table(path: Path, column: str, segments: int | None, *, leaves_out: bool) -> HumanJudgements:
    lines = read_lines(path)
    header = next(lines)[1].split("\t")
    for name in ("system", column):
        if name not in header:
            raise InputError(f"no column {name!r}; there are {', '.join(header)}", path=path, line=1)
    systems: dict[str, float] = {}
    by_segment: defaultdict[str, dict[int, float]] = defaultdict(dict)
    left_out = 0
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
        if segments is not None and segment is not None and segment >= segments:
            if leaves_out:
                left_out += 1
                continue
            reason = f"{name} has a human score of segment {segment}, and there are {segments:,}, counted from 0"
            raise InputError(reason, path=path, line=number)
        if name in systems if segment is None else segment in by_segment[name]:
            raise InputError(f"{name} has two scores", path=path, line=number)
        if segment is None:
            systems[name] = score
        else:
            by_segment[name][segment] = score
    if not systems and not by_segment and not left_out:
        raise InputError("holds no scores", path=path)
    return HumanJudgements(systems or _means(by_segment), dict(by_segment), left_out)


def _means(segments: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    return {name: fmean(scores.values()) for name, scores in segments.items() if scores}


def _read_metrics_eval(path: Path, segments: int | None, *, leaves_out: bool) -> HumanJudgements:
    (found,) = read_external_scores(path)
    if found.level == "system":
        return HumanJudgements({name: float(row[0]) for name, row in found.scores.items() if isfinite(row[0])}, {})
    scored = found.segments or 0
    least = scored if segments is None else segments
    if scored < least or (scored > least and not leaves_out):
        reason = f"{scored:,} segments of each system are scored, and there are {least:,}"
        raise InputError(reason, path=path, line=min(found.lines.values()))
    by_segment = {
        name: {number: score for number, score in enumerate(row[:least].tolist()) if isfinite(score)}
        for name, row in found.scores.items()
    }
    judged = {name: scores for name, scores in by_segment.items() if scores}
    left_out = sum(isfinite(score) for row in found.scores.values() for score in row[least:].tolist())
    return HumanJudgements(_means(judged), judged, left_out)
