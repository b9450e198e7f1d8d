"""Curves: the score of a system, and the agreement of all with people, by the number of references."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.display import cell_safe
from corpusdb.errors import CorpusError, InputError, UsageError
from corpusdb.queries.evaluation.reference_count import ReferenceWorth
from corpusdb.queries.scoretable.curves import reference_curve
from corpusdb.queries.scoretable.table import ScoreTable
from corpusdb.reports.evaluation.score_curves import Curve, copies_note, curves_of
from corpusdb.reports.studies.reference_tables import WORTH_COLUMNS, worth_rows
from corpusdb.store import Store
from tui.scores.exporting import ask_export
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints

__all__ = ["CurveScreen"]

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
