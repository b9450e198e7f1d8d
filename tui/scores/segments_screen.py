"""The segments of a system, worst first, or what two systems differ by, the biggest loss of the first one first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.cells import cut_middle, padded
from corpusdb.display import cell_safe
from corpusdb.queries.scoretable.segments import SegmentRow, segment_rows
from corpusdb.queries.scoretable.table import ScoreTable
from corpusdb.reports.evaluation.score_tables import number, segment_columns, segment_table
from tui.background.reader import DatabaseReader
from tui.messages import Highlighted, Opened
from tui.scores.exporting import ask_export
from tui.scores.segment_screen import SegmentScreen
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints
from tui.widgets.row_list import RowList

__all__ = ["SegmentsScreen"]

_CELLS = 9


@dataclass(frozen=True)
class _Found:
    rows: list[SegmentRow]
    sources: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]


class SegmentsScreen(PlaceScreen):
    """The list; below it the texts of the segment under the cursor."""

    PLACE = "scores"
    AUTO_FOCUS = "#segments"
    REACHED = "Enter on a system"
    HINTS = Hints(("list.open", "segments.right", "segments.reverse", "segments.export"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "column(1)", "Metric", id="segments.right", tooltip="By the next column of the table"),
        Binding(
            "left,h",
            "column(-1)",
            "Metric",
            id="segments.left",
            tooltip="By the column before of the table",
            show=False,
        ),
        Binding("r", "reverse", "Reverse", id="segments.reverse", tooltip="The best first, or the worst again"),
        Binding("e", "export", "Export", id="segments.export", tooltip="Write the list to a file"),
    ]

    def __init__(self, table: ScoreTable, column: int, outputs: tuple[int, ...]) -> None:
        super().__init__()
        self._table = table
        self._column = column
        self._outputs = outputs
        self._names = [next(row.name for row in table.rows if row.output == output) for output in outputs]
        self._best_first = False
        self._found = _Found([], (), ())

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield Static("", id="segments-columns", classes="scores-columns")
        yield RowList(id="segments", empty="...")
        yield Static("", id="segment-texts")

    def on_mount(self) -> None:
        self._load()

    def _load(self, by: int = 0) -> None:
        """Read the segments by a column; by the next one, ``by`` places on, where that can be done."""
        column, best_first = self._column + by, self._best_first

        def question(reader: DatabaseReader) -> _Found:
            scores = reader.score_reader
            rows = segment_rows(scores, self._table, column, self._outputs, best_first=best_first)
            sources = scores.sources(self._table.test_set)
            return _Found(rows, sources, tuple(scores.output(output) for output in self._outputs))

        def then(found: _Found) -> None:
            self._column = column
            self._show(found)

        self.ask(question, then, kind="segments")

    def _show(self, found: _Found) -> None:
        self._found = found
        column = self._table.columns[self._column]
        order = "best" if self._best_first else "worst"
        if len(self._names) == 1:
            what, heads = self._names[0], ["score"]
        else:
            what, heads = " - ".join(self._names), [*self._names, "A - B"]
            order = f"the biggest {'win' if self._best_first else 'loss'} of {self._names[0]}"
        self.query_one(HeadLine).show(cell_safe(f"{what}: {column.name}"), cell_safe(f"{order} first"))
        names = (cut_middle(cell_safe(name), _CELLS - 1) for name in ["segment", *heads])
        head = "".join(padded(name, _CELLS, right=True) for name in names)
        self.query_one("#segments-columns", Static).update(Text(f"  {head}  output"), layout=False)
        rows = self.query_one(RowList)
        rows.show_rows(len(found.rows), self._row, empty="No segment has a score.")
        self._show_texts()

    def _row(self, at: int) -> Text:
        row, column = self._found.rows[at], self._table.columns[self._column]
        scores = [row.score] if len(self._outputs) == 1 else [row.score, row.other, row.difference]
        cells = [f"{row.segment:,}", *(number(score, column) for score in scores)]
        figures = "".join(padded(cell, _CELLS, right=True) for cell in cells)
        return Text(f"{figures}  {cell_safe(self._found.outputs[0][row.segment - 1])}", no_wrap=True)

    @on(Highlighted)
    def _show_texts(self) -> None:
        """The texts of the segment under the cursor."""
        rows = self.query_one(RowList)
        if not self._found.rows:
            return
        at = self._found.rows[rows.cursor].segment - 1
        told = [("source", self._found.sources[at])] if self._found.sources[at] else []
        told += [(name, texts[at]) for name, texts in zip(self._names, self._found.outputs, strict=True)]
        lines = [Text.assemble((f"{cell_safe(name)}  ", "bold"), cell_safe(text)) for name, text in told]
        self.query_one("#segment-texts", Static).update(Text("\n").join(lines), layout=False)

    def action_column(self, by: int) -> None:
        if 0 <= self._column + by < len(self._table.columns):
            self._load(by)
        else:
            self.say("there is no other column")

    def action_reverse(self) -> None:
        self._best_first = not self._best_first
        self._load()

    def action_export(self) -> None:
        found = self._found
        rows = list(segment_table(found.rows, found.sources, found.outputs))
        ask_export(self, "segments", (segment_columns(self._names), rows))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        def moved(at: object) -> None:
            if isinstance(at, int):
                self.query_one(RowList).cursor = at

        segments = [row.segment for row in self._found.rows]
        self.app.push_screen(SegmentScreen(self._table, self._column, self._outputs, segments, message.row), moved)
