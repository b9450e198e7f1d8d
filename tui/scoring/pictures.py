"""Scores as pictures: the systems of a column, the segments of one or two by their scores, and people beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.display import cell_safe
from corpusdb.base.errors import InputError
from corpusdb.scoring.queries.score_table import ScoreTable
from corpusdb.scoring.table_report import PictureLine, agreement_lines, segment_lines, system_lines
from tui.kit.place_screen import HeadLine, Hints, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Opened, RowList, Text, bind

_BESIDE, _PLOT_LINES = 4, 16
"""Cells for the mark of the cursor and the scroll bar; lines of a picture of points."""


_NO_PEOPLE = (
    "No scores of people yet",
    "! `scores import` takes a file of them: say yes in human. Then they are a column of the table.",
)


class PictureScreen(PlaceScreen):
    """One list of pictures; Enter on a bar shows its segments, from there on those of the next ones."""

    PLACE = "scores"
    AUTO_FOCUS = "#pictures"
    REACHED = "p on a system"
    HINTS = Hints(("list.open", "pictures.right", "screen.find", "screen.copy"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right,l", "column(1)", "Metric", "pictures.right", "Pictures of the next column of the table"),
        bind("left,h", "column(-1)", "Metric", "pictures.left", "Pictures of the column before of the table"),
    ]

    def __init__(
        self, table: ScoreTable, column: int, outputs: tuple[int, ...], segments: Callable[..., PlaceScreen]
    ) -> None:
        """``segments`` makes the screen of segments, of the table, a column, outputs, and the bar to begin at."""
        super().__init__()
        self._segments = segments
        self._table = table
        self._column = column
        self._outputs = outputs
        self._names = [next(row.name for row in table.rows if row.output == output) for output in outputs]
        self._lines: list[PictureLine] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield RowList(id="pictures", empty="reading the scores ...")

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width, ascii = max(self.size.width - _BESIDE, 20), self.shell.ascii_only
        table, column, outputs = self._table, self._column, self._outputs
        what = " - ".join(self._names)

        def question(reader: DatabaseReader) -> list[PictureLine]:
            lines = [*system_lines(table, column, width, ascii=ascii), PictureLine("")]
            try:
                values = [reader.score_reader.segment_values(table, column, output) for output in outputs]
            except InputError as error:  # scores of systems alone
                lines.append(PictureLine(cell_safe(str(error))))
            else:
                of_segments = values[0] if len(values) == 1 else values[0] - values[1]
                lines += segment_lines(
                    of_segments, outputs[0], what, width, are_differences=len(outputs) > 1, ascii=ascii
                )
            people = list(agreement_lines(table, column, (width - 2, _PLOT_LINES), ascii=ascii))
            none = [PictureLine(line, not at) for at, line in enumerate(_NO_PEOPLE)]
            return [*lines, PictureLine(""), *(people or none)]

        self.ask(question, self._show, kind="pictures")

    def _show(self, lines: list[PictureLine]) -> None:
        self._lines = lines
        rows = self.query_one(RowList)
        rows.show_rows(len(lines), self._line, cursor=rows.cursor)
        self.query_one(HeadLine).show(cell_safe(self._table.columns[self._column].name), " - ".join(self._names))

    def _line(self, place: int) -> Text:
        return Text(self._lines[place].text, "bold" if self._lines[place].is_heading else "", no_wrap=True)

    def action_column(self, by: int) -> None:
        if 0 <= self._column + by < len(self._table.columns):
            self._column += by
            self._draw()
        else:
            self.say("there is no other column")

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        line = self._lines[message.row]
        if line.bar is not None:
            self.app.push_screen(self._segments(self._table, self._column, self._outputs, line.bar))
        elif line.output is not None:
            self.app.push_screen(self._segments(self._table, self._column, (line.output,)))
        else:
            self.say("Enter on a system, or on a bar, shows its segments")
