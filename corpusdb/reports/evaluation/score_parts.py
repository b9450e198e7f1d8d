"""Scores of the parts of a test set as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from corpusdb.queries.agreement.score_parts import PartScore
from corpusdb.queries.evaluation.scoring import MetricScores

__all__ = ["LONG_COLUMNS", "OfMetrics", "long_part_rows", "wide_part_table"]

Cell: TypeAlias = str | int | float | None
OfMetrics: TypeAlias = Sequence[tuple[MetricScores, Sequence[Sequence[PartScore]]]]
"""For each metric, of each system, the scores of the parts."""

LONG_COLUMNS = ("part", "segments", "system", "metric", "score", "low", "high", "signature")


def wide_part_table(found: OfMetrics) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each part and system, a column for each metric, with the interval behind each score."""
    columns = ["part", "segments", "system", *(scores.label for scores, _ in found)]
    rows: list[tuple[Cell, ...]] = []
    first, of_systems = found[0]
    for place, part in enumerate(of_systems[0]):
        for at, system in enumerate(first.systems):
            cells = [_cell(scores, of_metric[at][place]) for scores, of_metric in found]
            rows.append((part.part, part.segments, system, *cells))
    return columns, rows


def _cell(scores: MetricScores, of_part: PartScore) -> str:
    decimals, interval = scores.measure.metric.decimals, of_part.interval
    return f"{of_part.score:.{decimals}f} [{interval.low:.{decimals}f}, {interval.high:.{decimals}f}]"


def long_part_rows(found: OfMetrics) -> Iterator[tuple[Cell, ...]]:
    """A row for each number."""
    for scores, of_metric in found:
        for system, parts in zip(scores.systems, of_metric, strict=True):
            for each in parts:
                interval = each.interval
                yield (
                    *(each.part, each.segments, system, scores.label, each.score, interval.low, interval.high),
                    scores.signature,
                )
