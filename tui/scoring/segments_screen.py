"""The segments of a system or two, worst first, and the score of a system by the number of references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.cells import cut_middle, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.reference_count import ReferenceWorth
from corpusdb.scoring.queries.score_table import ScoreTable, SegmentRow, reference_curve, segment_rows
from corpusdb.scoring.table_report import Curve, copies_note, curves_of, number, segment_columns, segment_table
from corpusdb.studies.references.report import WORTH_COLUMNS, worth_rows
from tui.kit.lines import HeadLine, Hints
from tui.kit.messages import Highlighted, Opened
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text
from tui.scoring.segment_screen import SegmentScreen
from tui.scoring.table_layout import ask_export

__all__ = [
    "CurveScreen",
    "SegmentsScreen",
]


# The segments of a system, worst first, or what two systems differ by, the biggest loss of the first one first.


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


# Curves: the score of a system, and the agreement of all with people, by the number of references.


_AROUND = 6
"""Lines of the screen that are no plot."""


class CurveScreen(PlaceScreen):
    """A curve with a cursor on one of its points."""

    PLACE = "scores"
    AUTO_FOCUS = ""  # there is nothing to type here
    REACHED = "c on a system"
    HINTS = Hints(("curve.right", "curve.left", "curve.next", "curve.previous", "curve.export"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "walk(1)", "Point", id="curve.right", tooltip="Go to the next point"),
        Binding("left,h", "walk(-1)", "Point", id="curve.left", tooltip="Go to the point before", show=False),
        Binding("j,down", "curve(1)", "Curve", id="curve.next", tooltip="The next curve: systems, then agreement"),
        Binding("k,up", "curve(-1)", "Curve", id="curve.previous", tooltip="The curve before", show=False),
        Binding("e", "export", "Export", id="curve.export", tooltip="Write the numbers of all curves to a file"),
    ]

    def __init__(self, table: ScoreTable, column: int, output: int) -> None:
        """The curve of the system with this output is shown first."""
        super().__init__()
        self._table = table
        self._column = column
        self._first = next(row.name for row in table.rows if row.output == output)
        self._found: ReferenceWorth | None = None
        self.has_answer = False
        self.curves: list[Curve] = []
        self.at = 0
        """The curve that is shown."""
        self.point = 0
        """Its point under the cursor."""

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield Static("drawing references ...", id="curve")
        yield Static("", id="curve-point")

    def on_mount(self) -> None:
        def question(store: Store) -> ReferenceWorth | CorpusError:
            try:
                return reference_curve(store, self._table, self._column)
            except (InputError, UsageError) as error:  # this column has no curve: said where it would stand
                return error

        self.wait_for(lambda: self.shell.runner.ask_beside(question), self._answered)

    def on_unmount(self) -> None:
        if not self.has_answer:
            self.shell.runner.stop_beside()

    def _answered(self, found: ReferenceWorth | CorpusError) -> None:
        self.has_answer = True
        if isinstance(found, CorpusError):
            self.query_one("#curve", Static).update(Text(cell_safe(str(found))))
            self.say(str(found), is_error=True)
        else:
            self._show(found)

    def _show(self, found: ReferenceWorth) -> None:
        self._found = found
        self.curves = curves_of(found)
        names = [curve.system for curve in self.curves]
        self.at = names.index(self._first) if self._first in names else 0
        judged = f"{len(found.judged)} systems have human scores" if found.judged else "no human score is stored"
        self.say(copies_note(found) or f"{len(self.curves)} curves; {judged}")
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        if not self.curves:
            return
        curve = self.curves[self.at]
        size = (self.size.width, max(self.size.height - _AROUND, 6))
        self.query_one("#curve", Static).update(
            Text("\n".join(curve.plot(self.point, size, ascii=self.shell.ascii_only)))
        )
        self.query_one("#curve-point", Static).update(Text(curve.point_told(self.point)), layout=False)
        column = self._table.columns[self._column]
        self.query_one(HeadLine).show(
            cell_safe(f"{curve.name}: {column.name}"), f"curve {self.at + 1} of {len(self.curves)}"
        )

    def lines(self) -> list[str]:
        """The curve, each point in words."""
        if not self.curves:
            return ["no curve yet"]
        curve = self.curves[self.at]
        return [curve.name, *(curve.point_told(at) for at in range(len(curve.points)))]

    def copied_text(self) -> str:
        """The numbers of the point under the cursor."""
        return self.curves[self.at].point_told(self.point) if self.curves else ""

    def action_walk(self, by: int) -> None:
        if self.curves:
            self.point = max(0, min(self.point + by, len(self.curves[self.at].points) - 1))
            self._draw()

    def action_curve(self, by: int) -> None:
        if self.curves:
            self.at = (self.at + by) % len(self.curves)
            self.point = min(self.point, len(self.curves[self.at].points) - 1)
            self._draw()

    def action_export(self) -> None:
        if self._found is None:
            self.say("there is no curve to export yet", is_error=True)
        else:
            ask_export(self, "curve", (WORTH_COLUMNS, list(worth_rows(self._found))))
