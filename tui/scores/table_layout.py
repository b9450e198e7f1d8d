"""How the table of systems stands on a screen: which columns have room, and the lines of its head and its rows."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.cells import cut_middle, cut_right, padded
from corpusdb.display import cell_safe
from corpusdb.queries.scoretable.table import Column, ScoreTable, SystemRow
from corpusdb.reports.evaluation.score_tables import Marks, mark_of, number
from tui.shown import Text

__all__ = ["TableLayout"]

_NAME_CELLS = 18
_CELLS = 11
"""Of a column: a space, eight for the number, two for its mark."""
_MARK_CELLS = 2


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table on a screen of some width, with the cursor in one of its columns."""

    table: ScoreTable
    column: int
    width: int
    """In cells, without the mark of the row."""

    @property
    def shown(self) -> range:
        """The columns that have room: the one with the cursor, and as many before and behind it as fit."""
        count = len(self.table.columns)
        room = max((self.width - _NAME_CELLS) // _CELLS, 1)
        first = max(min(self.column - room // 2, count - room), 0)
        return range(first, min(first + room, count))

    @property
    def hidden(self) -> str:
        """How many columns there are before and behind those that are shown."""
        before, behind = self.shown.start, len(self.table.columns) - self.shown.stop
        told = [f"< {before} more"] * (before > 0) + [f"{behind} more >"] * (behind > 0)
        return "  ".join(told)

    def heads(self) -> tuple[Text, Text]:
        """The line of the metrics and that of the reference sets; brackets are around what has the cursor."""
        first, second = Text(" " * _NAME_CELLS, no_wrap=True), Text(" " * _NAME_CELLS, no_wrap=True)
        for at in self.shown:
            column = self.table.columns[at]
            is_here = at == self.column
            first.append(_head(f"[{_cut(column.label)}]" if is_here else _cut(column.label)), "bold")
            second.append(_head(_cut(_references(column))), "bold" if is_here else "")
        return first, second

    def row(self, row: SystemRow, marks: Marks, *, is_baseline: bool) -> Text:
        """The line of a system; the baseline has a sign behind its name."""
        name = cut_middle(cell_safe(row.name), _NAME_CELLS - 2)
        text = Text(padded(f"{name} =" if is_baseline else name, _NAME_CELLS), no_wrap=True)
        for at in self.shown:
            cell, column = row.cells[at], self.table.columns[at]
            shown = number(None if cell is None else cell.value, column)
            told = padded(shown, _CELLS - _MARK_CELLS, right=True) + padded(mark_of(marks, at, row), _MARK_CELLS)
            text.append(told, "bold" if at == self.column else "")
        return text


def _references(column: Column) -> str:
    return f"{column.references}!" if column.is_frozen else column.references


def _cut(text: str) -> str:
    return cut_right(cell_safe(text), _CELLS - _MARK_CELLS)


def _head(text: str) -> str:
    """Above the numbers, which end before their marks; brackets stand where the marks do."""
    cells = _CELLS - _MARK_CELLS + text.endswith("]")
    return padded(padded(text, cells, right=True), _CELLS)
