"""Stored scores as rows: the table of systems, and the segments of one system or of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from corpusdb.queries.scoretable.segments import SegmentRow
from corpusdb.queries.scoretable.significance import SAMPLING
from corpusdb.queries.scoretable.table import Column, ScoreTable, SystemRow
from corpusdb.reports.evaluation.scores import MARKS_TOLD, interval_of, significance_mark
from corpusdb.rows import Cell
from corpusdb.stats.resampling import Comparison

__all__ = [
    "LONG_COLUMNS",
    "NO_MARKS",
    "Marks",
    "column_lines",
    "long_rows",
    "mark_of",
    "marks_told",
    "number",
    "segment_columns",
    "segment_table",
    "signature_told",
    "system_table",
]

Marks: TypeAlias = Mapping[int, Mapping[int, Comparison]]
"""For the places of columns each compared output by its number; a column that is not there was not compared."""
NO_MARKS: Marks = MappingProxyType({})

LONG_COLUMNS = (
    *("test_set", "system", "metric", "references", "kind", "score", "difference", "p", "stored", "frozen"),
    *("reference_set", "signature"),
)


def number(value: float | None, column: Column) -> str:
    """A score as it is printed."""
    return "-" if value is None else f"{value:.{column.decimals}f}"


def mark_of(marks: Marks, column: int, row: SystemRow) -> str:
    """The stars of a cell; a question mark in a column where nothing could be compared."""
    if column not in marks or row.cells[column] is None:
        return ""
    if not marks[column]:
        return "?"
    compared = marks[column].get(row.output)
    return "" if compared is None else significance_mark(compared.p_value, interval_of(compared))


def marks_told(baseline: str) -> str:
    """What the stars say."""
    drawn = f"{SAMPLING.samples:,} samples, seed {SAMPLING.seed}"
    return f"{MARKS_TOLD}, interval without 0, against {baseline} (paired bootstrap, {drawn})"


def system_table(table: ScoreTable, marks: Marks = NO_MARKS) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system and a column for each metric and reference set, as in a paper."""
    rows: list[tuple[Cell, ...]] = []
    for row in table.rows:
        cells = (
            "" if cell is None else number(cell.value, column) + mark_of(marks, at, row)
            for at, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True))
        )
        rows.append((row.name, *cells))
    return ["system", *(column.name for column in table.columns)], rows


def long_rows(table: ScoreTable, marks: Marks = NO_MARKS) -> Iterator[tuple[Cell, ...]]:
    """A row for each number with all that is known of it: LONG_COLUMNS."""
    digests = {each.id: each.digest for each in table.test_set.reference_sets}
    for row in table.rows:
        for at, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True)):
            if cell is None:
                continue
            compared = marks.get(at, {}).get(row.output)
            yield (
                table.test_set.number,
                row.name,
                column.label,
                column.references,
                column.kind,
                cell.value,
                None if compared is None else compared.difference,
                None if compared is None else compared.p_value,
                cell.number if column.kind == "computed" else None,
                column.is_frozen,
                None if column.reference_set is None else digests[column.reference_set],
                column.signature,
            )


def column_lines(table: ScoreTable) -> list[str]:
    """What stands below a table: the signature of each column."""
    return [f"{column.name}: {signature_told(column)}" for column in table.columns]


def signature_told(column: Column) -> str:
    """The signature, and whether its references were there before any score."""
    own = "; scores of systems as they are given, not the means of their segments" if column.gives_systems else ""
    return f"frozen before it was scored; {column.signature}" if column.is_frozen else f"{column.signature}{own}"


def segment_columns(names: Sequence[str]) -> list[str]:
    """Those of segment_table, for one or two systems."""
    if len(names) == 1:
        return ["segment", "score", "source", "output"]
    return ["segment", names[0], names[1], "difference", "source", f"output {names[0]}", f"output {names[1]}"]


def segment_table(
    rows: Sequence[SegmentRow], sources: Sequence[str], outputs: Sequence[Sequence[str]]
) -> Iterator[tuple[Cell, ...]]:
    """A row for each segment with its texts."""
    for row in rows:
        texts = (sources[row.segment - 1], *(output[row.segment - 1] for output in outputs))
        scores = (row.score,) if len(outputs) == 1 else (row.score, row.other, row.difference)
        yield (row.segment, *scores, *texts)
