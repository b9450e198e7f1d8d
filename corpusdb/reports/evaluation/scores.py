"""Scores of systems as tables, with how chance was tried out in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from corpusdb.queries.evaluation.score_rows import Chance, ScoreRow
from corpusdb.queries.evaluation.scoring import NULL_HYPOTHESIS, MetricScores, Significance

__all__ = [
    "chance_lines",
    "long_table",
    "segment_rows",
    "signature_lines",
    "significance_mark",
    "test_name",
    "wide_table",
]

Cell: TypeAlias = str | int | float | None

_MARKS = ((0.01, "**"), (0.05, "*"))
_COLUMNS = (
    "system", "metric", "score", "low", "high", "difference", "p", "sd_segments", "sd_references", "stored", "signature"
)  # fmt: skip
_TESTS = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}


def wide_table(rows: Sequence[ScoreRow]) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system and a column for each metric, as in a paper."""
    by_system: dict[str, list[Cell]] = {}
    for row in rows:
        by_system.setdefault(row.system, [row.system]).append(_cell(row))
    columns = ["system", *(each.label for each in _metrics(rows))]
    return columns, [tuple(cells) for cells in by_system.values()]


def long_table(rows: Sequence[ScoreRow]) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each number; the columns are those that some row has."""
    table = [dict(_figures(row)) for row in rows]
    had = {name for each in table for name in each}
    columns = [name for name in _COLUMNS if name in had]
    return columns, [tuple(each.get(name) for name in columns) for each in table]


def segment_rows(rows: Sequence[ScoreRow]) -> Iterator[tuple[Cell, ...]]:
    """The score of every segment: segment, system, metric, score, signature."""
    for row in rows:
        for segment, value in enumerate(row.segments.tolist(), 1):
            yield segment, row.system, row.scores.label, value, row.scores.signature


def signature_lines(rows: Sequence[ScoreRow]) -> list[str]:
    """The signature of each metric."""
    return [f"{each.label}: {each.signature}" for each in _metrics(rows)]


def chance_lines(baseline: str, chance: Chance) -> Iterator[str]:
    """How chance was tried out, in plain words; ``baseline`` is the name of a system."""
    samples, seed = chance.sampling.samples, chance.sampling.seed
    drawn = f"{samples:,} samples of segments, seed {seed}"
    if chance.test:
        trials = drawn if chance.test == "bootstrap" else f"{samples:,} trials, seed {seed}"
        yield f"{_TESTS[chance.test]} against {baseline}: {trials}; the null hypothesis is that {NULL_HYPOTHESIS}"
        yield "** p < 0.01, * p < 0.05; not corrected for the number of systems"
    if chance.intervals:
        yield f"intervals of 95 % by bootstrap: {drawn}"
    if chance.reference_draws:
        yield f"deviations over {drawn}, and over {chance.reference_draws:,} draws of references"


def _metrics(rows: Sequence[ScoreRow]) -> list[MetricScores]:
    """Each metric once, in the order of the rows."""
    return list({id(row.scores): row.scores for row in rows}.values())


def _figures(row: ScoreRow) -> Iterator[tuple[str, Cell]]:
    yield from (("system", row.system), ("metric", row.scores.label), ("score", row.score))
    if row.interval is not None:
        yield from (("low", row.interval.low), ("high", row.interval.high))
    if row.comparison is not None:
        yield from (("difference", row.comparison.difference), ("p", row.comparison.p_value))
    if row.spread is not None:
        yield from (("sd_segments", row.spread.segments**0.5), ("sd_references", row.spread.references**0.5))
    if row.stored is not None:
        yield "stored", row.stored
    yield "signature", row.scores.signature


def _cell(row: ScoreRow) -> str:
    """A number as in a paper: its interval or deviations behind it, and the mark of its significance."""
    decimals = row.scores.measure.metric.decimals
    text = f"{row.score:.{decimals}f}{_mark(row)}"
    if row.interval is not None:
        text += f" [{row.interval.low:.{decimals}f}, {row.interval.high:.{decimals}f}]"
    if row.spread is not None:
        text += f" ± {row.spread.segments**0.5:.{decimals}f} ± {row.spread.references**0.5:.{decimals}f}"
    return text


def _mark(row: ScoreRow) -> str:
    """Stars for a difference from the baseline that chance hardly explains."""
    return "" if row.comparison is None else significance_mark(row.comparison.p_value)


def significance_mark(p_value: float) -> str:
    """** for p < 0.01, * for p < 0.05."""
    return next((mark for level, mark in _MARKS if p_value < level), "")


def test_name(test: Significance) -> str:
    """What the test is called."""
    return _TESTS[test]
