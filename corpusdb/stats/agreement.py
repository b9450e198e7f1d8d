"""Agreement between two judges, corrected for chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, Literal, TypeAlias, TypeVar

from corpusdb.stats.intervals import Interval, normal_quantile

__all__ = ["Kappa", "Weights", "cohen_kappa", "contingency_table"]

Label = TypeVar("Label", bound=Hashable)
Weights: TypeAlias = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa with what it is made from; None is a value that is not defined."""

    items: int
    observed: float | None
    """The share of the items on which the two agree, 0 to 1 (near ones counting in part, where weighted)."""
    expected: float | None
    """The same for two judges who give their labels as often, but by chance."""
    value: float | None
    """(observed - expected) / (1 - expected), -1 to 1; None where both gave one and the same label only."""
    interval: Interval | None
    """Its confidence interval."""


def contingency_table(first: Sequence[Label], second: Sequence[Label], labels: Sequence[Label]) -> list[list[int]]:
    """How often the one judge gave the label of the row and the other that of the column, both as in ``labels``.

    Raises ValueError for sequences of different lengths and KeyError for a label that is not in ``labels``.
    """
    number = {label: position for position, label in enumerate(labels)}
    counts = Counter((number[one], number[other]) for one, other in zip(first, second, strict=True))
    return [[counts[row, column] for column in range(len(labels))] for row in range(len(labels))]


_CREDIT: Final[Mapping[Weights, Callable[[float], float]]] = {
    "none": lambda distance: float(not distance),
    "linear": lambda distance: 1 - distance,
    "quadratic": lambda distance: 1 - distance * distance,
}
"""How much of an agreement it is when two labels lie so far apart, on a scale from the first, 0, to the last, 1."""


def cohen_kappa(table: Sequence[Sequence[int]], *, weights: Weights = "none", confidence: float = 0.95) -> Kappa:
    """Kappa (Cohen 1960) of a square table of counts, a row and a column for each label.

    ``weights`` other than "none" are for grades, whose rows and columns must stand in their order: linear or quadratic
    in how far two grades lie apart (Cohen 1968). The interval is that of the large-sample standard error of Fleiss,
    Cohen and Everitt (1969), cut at -1 and 1. Raises ValueError for a table that is not square.
    """
    size, items = len(table), sum(map(sum, table))
    if any(len(row) != size for row in table):
        raise ValueError("the table is not square")
    if not items:
        return Kappa(0, None, None, None, None)
    steps = max(1, size - 1)
    credit = [[_CREDIT[weights](abs(i - j) / steps) for j in range(size)] for i in range(size)]
    rows = [sum(row) / items for row in table]
    columns = [sum(column) / items for column in zip(*table, strict=True)]
    cells = [(i, j) for i in range(size) for j in range(size)]
    observed = sum(credit[i][j] * table[i][j] for i, j in cells) / items
    expected = sum(credit[i][j] * rows[i] * columns[j] for i, j in cells)
    if expected >= 1:
        return Kappa(items, observed, expected, None, None)
    value = (observed - expected) / (1 - expected)
    # What each row and each column can expect of the labels of the other judge.
    by_row = [sum(credit[i][j] * columns[j] for j in range(size)) for i in range(size)]
    by_column = [sum(credit[i][j] * rows[i] for i in range(size)) for j in range(size)]
    square = sum(table[i][j] / items * (credit[i][j] - (by_row[i] + by_column[j]) * (1 - value)) ** 2 for i, j in cells)
    variance = (square - (value - expected * (1 - value)) ** 2) / (items * (1 - expected) ** 2)
    half = normal_quantile(confidence) * sqrt(max(0.0, variance))
    return Kappa(items, observed, expected, value, Interval(max(-1.0, value - half), min(1.0, value + half)))
