"""Stored scores as pictures in cells: systems beside each other, segments by their scores, agreement with people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.cells import cut_middle, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.plots import Axis, bar_plot, point_plot
from corpusdb.base.system_agreement import SYSTEM_STATISTICS, why_undefined
from corpusdb.scoring.queries.score_table import Column, ScoreTable
from corpusdb.scoring.table_report import number

_BARS = 20
"""At most, of a picture of segments."""
_NAME_CELLS = 20
_MARKED = 8
"""So many systems have marks of their own in a picture of points."""
_STEPS = (1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line, and what it is about."""

    text: str
    is_heading: bool = False
    output: int | None = None
    """Of the system that it shows, or of the segments that it counts."""
    bar: tuple[float, float] | None = None
    """The scores of these segments: from, and below."""


def system_lines(table: ScoreTable, column: int, width: int, *, ascii: bool = False) -> Iterator[PictureLine]:
    """Every system with a dot on one scale, from the lowest score to the highest; better is further to the right."""
    told = table.columns[column]
    rows = [(row, cell) for row in table.rows if (cell := row.cells[column]) is not None]
    ends = sorted((cell.value for _, cell in rows), reverse=told.lower_is_better)
    scale = f"{number(ends[0], told)} to {number(ends[-1], told)}"
    yield PictureLine(f"Systems by {cell_safe(told.name)}{_of_part(told)}, {scale}", True)
    cells = max((len(cell_safe(row.name)) for row, _ in rows), default=0)
    cells = min(cells, _NAME_CELLS)
    room = max(width - cells - 14, 10)
    dot, line = ("o", ".") if ascii else ("●", "·")
    for row, cell in rows:
        part = (cell.value - ends[0]) / (ends[-1] - ends[0]) if ends[0] != ends[-1] else 1.0
        place = round(part * (room - 1))
        name = padded(cut_middle(cell_safe(row.name), cells), cells)
        drawn = f"{line * place}{dot}{line * (room - 1 - place)}"
        yield PictureLine(f"  {name}  {number(cell.value, told):>8}  {drawn}", output=row.output)


def _of_part(column: Column) -> str:
    return "" if column.part is None else f" (of {column.part})"


def segment_lines(
    values: F64, output: int, what: str, width: int, *, are_differences: bool = False, ascii: bool = False
) -> Iterator[PictureLine]:
    """How many segments have about the same score, or difference; those without one are not counted.

    Of differences those of 0 have a bar of their own: neither of the two is better there.
    """
    known = values[~np.isnan(values)]
    yield PictureLine(f"{cell_safe(what)}: {known.size:,} segments, median {np.median(known):.4g}", True)
    edges = bin_edges(known)
    ends = edges.tolist()
    counts = np.histogram(known[known != 0] if are_differences else known, edges)[0].tolist()
    labels = [f"{low:,.6g} to {high:,.6g}" for low, high in pairwise(ends)]
    bins = list(zip(labels, counts, pairwise([*ends[:-1], math.inf]), strict=True))
    if are_differences and (ties := int(np.count_nonzero(known == 0))):
        at, above = ends.index(0), math.nextafter(0, 1)
        worse = [(label, count, (low, min(high, 0.0))) for label, count, (low, high) in bins[:at]]
        better = [(label, count, (low or above, high)) for label, count, (low, high) in bins[at:]]
        bins = [*worse, ("equal", ties, (0.0, above)), *better]
    bars = bar_plot([(label, f"{count:,}", float(count)) for label, count, _ in bins], width, ascii=ascii)
    for text, (_, count, bar) in zip(bars, bins, strict=True):
        yield PictureLine(text if count else text[: text.rindex("0") + 1], output=output, bar=bar)


def bin_edges(values: F64) -> F64:
    """Round ends of at most 20 bars over all values, ascending; the last bar has its upper end, too."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.array([low, low + 1])
    power = 10.0 ** math.floor(math.log10((high - low) / _BARS))
    steps = (power * step for step in (*_STEPS, *(10 * step for step in _STEPS)))
    step = next(step for step in steps if math.ceil(high / step) - math.floor(low / step) <= _BARS)
    edges: F64 = np.round(np.arange(math.floor(low / step), math.ceil(high / step) + 1) * step, 10)
    return edges


def agreement_lines(
    table: ScoreTable, column: int, size: tuple[int, int], *, ascii: bool = False
) -> Iterator[PictureLine]:
    """The scores of systems over those of people, for each kind of these, and how far they agree."""
    told = table.columns[column]
    for place, human in enumerate(table.columns):
        if human.kind != "human" or place == column:
            continue
        both = [(row.name, row.cells[column], row.cells[place]) for row in table.rows]
        points = {name: (theirs.value, ours.value) for name, ours, theirs in both if ours and theirs}
        both_named = f"{cell_safe(told.name)}{_of_part(told)} and {cell_safe(human.name)}{_of_part(human)}"
        yield PictureLine(f"{both_named} of {len(points)} systems", True)
        yield PictureLine(f"  {agreement_in_words(list(points.values()), lower_is_better=told.lower_is_better)}")
        if points:
            marked = {cell_safe(name): [point] for name, point in points.items()}
            series = marked if len(marked) <= _MARKED else {"": list(points.values())}
            axes = Axis(cell_safe(human.label), from_zero=False), Axis(cell_safe(told.label), from_zero=False)
            yield from (PictureLine(f"  {line}") for line in point_plot(series, size, *axes, ascii=ascii))


def agreement_in_words(points: Sequence[tuple[float, float]], *, lower_is_better: bool) -> str:
    """Correlations of scores of people and of a metric, (people, metric) for each system; or why there are none."""
    human, ours = np.array([point[0] for point in points]), np.array([point[1] for point in points])
    if why := why_undefined(ours, human):
        return why
    scores = (-ours if lower_is_better else ours)[:, None]
    found = {name: float(of(scores, human[:, None])[0]) for name, of in SYSTEM_STATISTICS.items()}
    return f"Pearson {found['pearson']:.3f}, Kendall {found['kendall']:.3f}, " + (
        f"pairs in the same order {100 * found['pairwise_accuracy']:.0f} %"
    )


def smoothed_difference(values: Sequence[F64 | None]) -> F64 | None:
    """Smoothed scores of one system, or the first minus the second; None where one has none."""
    known = [each for each in values if each is not None]
    if len(known) < len(values):
        return None
    return known[0] if len(known) == 1 else known[0] - known[1]
