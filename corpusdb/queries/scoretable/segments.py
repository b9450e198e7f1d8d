"""The segments of one system, worst first, or the differences of two, the biggest loss of the first one first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64
from corpusdb.queries.scoretable.score_reader import ScoreReader
from corpusdb.queries.scoretable.table import ScoreTable

__all__ = ["SegmentRow", "segment_rows"]


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """The scores of a segment."""

    segment: int
    """From 1."""
    score: float | None
    """None where it has none."""
    other: float | None = None
    """Of the second system."""

    @property
    def difference(self) -> float | None:
        """Score minus the other one; None where one of them is missing."""
        return None if self.score is None or self.other is None else self.score - self.other


def segment_rows(
    reader: ScoreReader, table: ScoreTable, column: int, outputs: tuple[int, ...], *, best_first: bool = False
) -> list[SegmentRow]:
    """The segments of one or two ``outputs`` by a column of the table; those without a number stand last.

    Equal ones by BLEU that is not smoothed, of which most are 0, stand by smoothed BLEU; else in the order of the test
    set. Raises InputError where an output has no scores of segments there.
    """
    values = [reader.segment_values(table, column, output) for output in outputs]
    sign = -1 if table.columns[column].lower_is_better != best_first else 1
    goodness = sign * _combined(values)
    keys = [np.where(np.isnan(goodness), np.inf, goodness)]
    if len(np.unique(keys[0])) < len(goodness):
        smoothed = [reader.smoothed_values(table, column, output) for output in outputs]
        found = [each for each in smoothed if each is not None]
        keys = [sign * _combined(found), *keys] if len(found) == len(outputs) else keys
    order = np.lexsort(keys)
    columns = [[_number(row, at) for at in order] for row in values]
    return [SegmentRow(int(at) + 1, *row) for at, *row in zip(order, *columns, strict=True)]


def _combined(values: Sequence[F64]) -> F64:
    """Of one system, or the differences of two."""
    return values[0] if len(values) == 1 else values[0] - values[1]


def _number(values: F64, at: int) -> float | None:
    value = float(values[at])
    return None if np.isnan(value) else value
