"""How the table of systems stands on a screen, its marks of significance, and scores as pictures and curves."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.cells import cell_width, cut_apart, cut_middle, padded, wrapped
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.reference_count import ReferenceWorth
from corpusdb.scoring.queries.score_table import (
    ColumnStatistics,
    ScoreTable,
    SystemRow,
    comparisons,
    counting_column,
    drawing_reference_curve,
)
from corpusdb.scoring.queries.stored_people import JudgedColumn, judging_column
from corpusdb.scoring.table_report import (
    WORTH_COLUMNS,
    Marks,
    PictureLine,
    ScoreCurve,
    agreement_lines,
    copies_note,
    curves_of,
    format_marks,
    mark_of,
    number,
    segment_lines,
    system_lines,
    worth_rows,
)
from tui.kit.exports import ask_export
from tui.kit.late_screen import is_there
from tui.kit.place_screen import HeadLine, Hints, PlaceScreen
from tui.kit.reader import DatabaseReader, Superseded
from tui.kit.shown import Opened, RowList, Static, Text, bind
from tui.scoring.segment_screen import SegmentsScreen

if TYPE_CHECKING:
    from corpusdb.base.estimates import SystemComparison


_NAME_CELLS = 18
"""The most that names of systems have."""
_BASELINE = " ="
_CELLS = 11
"""Of a column, at least: a space, eight for the number, two for its mark."""
_MOST_CELLS = 24
"""Of a column that has room for more, so that names are whole."""
_MARK_CELLS = 2
_ROW_MARK = 2
"""Cells before a row, for the mark of the cursor."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table on a screen of some width, with the cursor in one of its columns."""

    table: ScoreTable
    column: int
    width: int
    """In cells, without the mark of the row."""
    left_out: Collection[str] = ()
    """The names of columns that somebody hid."""

    @property
    def name_cells(self) -> int:
        """Of the names of systems, with the sign behind that of the baseline."""
        return min(max(cell_width(cell_safe(row.name)) for row in self.table.rows) + len(_BASELINE), _NAME_CELLS)

    @property
    def columns(self) -> list[int]:
        """The places of those that nobody hid."""
        return [at for at, column in enumerate(self.table.columns) if column.name not in self.left_out]

    @property
    def shown(self) -> list[int]:
        """The columns that have room: the one with the cursor, and as many before and behind it as fit."""
        columns = self.columns
        room = max((self.width - self.name_cells) // _CELLS, 1)
        first = max(min(columns.index(self.column) - room // 2, len(columns) - room), 0)
        return columns[first : first + room]

    @property
    def cells(self) -> int:
        """Of each column that is shown: what there is room for, as long as a heading needs it."""
        needed = max(cell_width(each) for at in self.shown for each in self._heads_of(at)) + _MARK_CELLS + 1
        room = (self.width - self.name_cells) // len(self.shown)
        return max(min(needed, room, _MOST_CELLS), _CELLS)

    def _heads_of(self, at: int) -> tuple[str, str]:
        column = self.table.columns[at]
        part = "" if column.part is None else f" {column.part.short}"
        references = "people" if column.kind == "human" else "meaningless" if column.lacks_words else column.references
        return cell_safe(column.label), cell_safe(f"{references}{part}{'!' * column.is_frozen}")

    @property
    def hidden(self) -> str:
        """How many columns there are before and behind those that are shown, and how many were hidden."""
        columns, shown = self.columns, self.shown
        before = columns.index(shown[0])
        behind, less = len(columns) - before - len(shown), len(self.table.columns) - len(columns)
        told = [f"< {before} more"] * (before > 0) + [f"{behind} more >"] * (behind > 0)
        return "  ".join([*told, *([f"{less} hidden (+)"] if less else [])])

    def seen(self, marks: Marks) -> tuple[ScoreTable, Marks]:
        """The table and its marks without what was hidden."""
        columns = self.columns
        rows = (replace(row, cells=tuple(row.cells[at] for at in columns)) for row in self.table.rows)
        names = tuple(self.table.columns[at] for at in columns)
        kept = {place: marks[at] for place, at in enumerate(columns) if at in marks}
        return replace(self.table, columns=names, rows=tuple(rows)), kept

    def heads(self) -> tuple[Text, Text]:
        """The line of the metrics and those of the reference sets; brackets are around what has the cursor."""
        metrics, sets = zip(*map(self._heads_of, self.shown), strict=True)
        lines = list(zip_longest(*_folded(sets, self.cells), fillvalue=""))
        heads = [Text(no_wrap=True) for _ in range(1 + len(lines))]
        for text, names in zip(heads, [_cut(metrics, self.cells), *lines], strict=True):
            text.append(" " * (_ROW_MARK + self.name_cells))
            for at, name in zip(self.shown, names, strict=True):
                is_here = at == self.column
                told = f"[{name}]" if is_here and text is heads[0] else name
                text.append(_head(told, self.cells), "bold" if is_here or text is heads[0] else "")
        return heads[0], Text("\n").join(heads[1:])

    def row(self, row: SystemRow, marks: Marks, *, is_baseline: bool) -> Text:
        """The line of a system; the baseline has a sign behind its name."""
        name = cut_middle(cell_safe(row.name), self.name_cells - len(_BASELINE))
        text = Text(padded(name + _BASELINE * is_baseline, self.name_cells), no_wrap=True)
        for at in self.shown:
            cell, column = row.cells[at], self.table.columns[at]
            shown = number(None if cell is None else cell.value, column)
            told = padded(shown, self.cells - _MARK_CELLS, right=True) + padded(mark_of(marks, at, row), _MARK_CELLS)
            text.append(told, "bold" if at == self.column else "")
        return text


_NUMBER = re.compile(r"(.*?)((?: [\d,]+/[\d,]+|[+/]\d+)?!?)", re.DOTALL)


def _folded(heads: Sequence[str], cells: int) -> list[list[str]]:
    """Each in one line, or in two between its words where these have room; what has none so is cut."""
    room = cells - _MARK_CELLS
    folded = [wrapped(head, room) for head in heads]
    fits = [len(parts) <= _HEAD_LINES and " ".join(parts) == head for parts, head in zip(folded, heads, strict=True)]
    cut = iter(_cut([head for head, fit in zip(heads, fits, strict=True) if not fit], cells))
    return [parts if fit else [next(cut)] for parts, fit in zip(folded, fits, strict=True)]


_HEAD_LINES = 2


def _cut(heads: Sequence[str], cells: int) -> list[str]:
    """What is too long, with the number at its end: of how many more reference sets, or of which part, it is."""
    room = cells - _MARK_CELLS
    parts = [_NUMBER.fullmatch(head).groups() for head in heads]  # type: ignore[union-attr]
    is_whole = [cell_width(name + number) <= room for name, number in parts]
    longest = max((len(number) for (_, number), whole in zip(parts, is_whole, strict=True) if not whole), default=0)
    cut = cut_apart([name for name, _ in parts], max(room - longest, 1))
    each = zip(parts, is_whole, cut, strict=True)
    return [(name if whole else short) + number for (name, number), whole, short in each]


def _head(text: str, cells: int) -> str:
    """Above the numbers, which end before their marks; brackets stand where the marks do."""
    return padded(padded(text, cells - _MARK_CELLS + text.endswith("]"), right=True), cells)


class Significance:
    """What is known of the differences from a baseline. The statistics of columns are kept for the next baseline."""

    def __init__(self, screen: PlaceScreen, show: Callable[[], None]) -> None:
        """``show`` is called whenever there are new marks."""
        self._screen = screen
        self._show = show
        self.baseline: int | None = None
        """The number of an output."""
        self.marks: dict[int, dict[int, SystemComparison]] = {}
        self._statistics: dict[tuple[int, str], ColumnStatistics] = {}

    def forget(self) -> None:
        """Compare with nothing, as for another table."""
        if self.baseline is not None:
            self._screen.shell.runner.stop_beside()
            self._screen.say("")  # what was told of the marks
        self.baseline = None
        self.marks = {}

    def compare(self, table: ScoreTable, baseline: int, first: int) -> None:
        """Compare every column with the output ``baseline``, beginning with the column at ``first``."""
        self.baseline = baseline
        self.marks = {}
        self._show()
        self.go_on(table, first)

    def go_on(self, table: ScoreTable, first: int) -> None:
        """Compare the columns that are not compared yet: another question may have come in between."""
        if self.baseline is not None and len(self.marks) < len(table.columns):
            work = self._compare(table, self.baseline, first)
            self._screen.run_worker(work, group="significance", exclusive=True)

    async def _compare(self, table: ScoreTable, baseline: int, first: int) -> None:
        name = next(row.name for row in table.rows if row.output == baseline)
        problem = ""
        for column in _around(len(table.columns), first):
            done = len(self.marks)
            if column in self.marks:
                continue
            if is_there(self._screen):
                self._screen.say(f"comparing with {name}: {done} of {len(table.columns)} columns are done")
            try:
                self.marks[column] = await self._screen.shell.runner.ask_beside(
                    lambda store, column=column: self._compared(store, table, column, baseline)  # type: ignore[misc]
                )
            except Superseded:
                return
            except CorpusError as error:
                self.marks[column] = {}
                problem = str(error)
            if not is_there(self._screen):
                return
            self._show()
        is_any = any(self.marks.values())
        self._screen.say(
            format_marks(name, self.marks) if is_any or not problem else problem, is_error=not is_any and bool(problem)
        )

    def _compared(self, store: Store, table: ScoreTable, column: int, baseline: int) -> dict[int, SystemComparison]:
        """In a thread of its own."""
        key = table.test_set.number, table.columns[column].name
        if key not in self._statistics:
            self._statistics[key] = finished(counting_column(store, table, column))
        return comparisons(self._statistics[key], baseline)


def _around(count: int, first: int) -> Iterator[int]:
    yield first
    yield from (place for place in range(count) if place != first)


# Scores as pictures: the systems of a column, the segments of one or two by their scores, and people beside them.

_BESIDE, _PLOT_LINES = 4, 16
"""Cells for the mark of the cursor and the scroll bar; lines of a picture of points."""


_NO_PEOPLE = ("No scores of people yet", "! scores import, with yes in Human scores, makes a column of a file of them")
_THEIR_OWN = (
    "These are scores of people",
    "in the column of a metric (left, right) the same picture shows how far it agrees with them",
)


class PictureScreen(PlaceScreen):
    """One list of pictures; Enter on a bar shows its segments, from there on those of the next ones."""

    PLACE = "scores"
    AUTO_FOCUS = "#pictures"
    REACHED = "p on a system"
    HINTS = Hints(("list.open", "pictures.right", "screen.find", "screen.copy"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "column(1)", "Metric", "pictures.right", "Pictures of the next column of the table"),
        bind("left", "column(-1)", "Metric", "pictures.left", "Pictures of the previous column of the table"),
    ]

    def __init__(self, table: ScoreTable, column: int, outputs: tuple[int, ...]) -> None:
        super().__init__()
        self._table = table
        self._column = column
        self._outputs = outputs
        self._names = [next(row.name for row in table.rows if row.output == output) for output in outputs]
        self._lines: list[PictureLine] = []
        self._judged: dict[int, Mapping[int, JudgedColumn]] = {}
        """By column how far it agrees with people, which takes time."""

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield RowList(id="pictures", empty="reading the scores ...")

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        """Draw the systems and segments, which are there at once, then what takes longer: how far people agree."""
        width, ascii = max(self.size.width - _BESIDE, 20), self.shell.ascii_only
        table, column, outputs = self._table, self._column, self._outputs
        what = " - ".join(self._names)

        def question(reader: DatabaseReader) -> list[PictureLine]:
            lines = [*system_lines(table, column, width, ascii=ascii), PictureLine("")]
            try:
                values, is_smoothed = reader.score_reader.sentence_values(table, column, outputs)
            except InputError as error:  # scores of systems alone
                return [*lines, PictureLine(cell_safe(str(error)))]
            of_segments = values[0] if len(values) == 1 else values[0] - values[1]
            told = f"{what}, by smoothed BLEU" if is_smoothed else what
            are_two = len(outputs) > 1
            return [*lines, *segment_lines(of_segments, outputs[0], told, width, are_differences=are_two, ascii=ascii)]

        def of_people(store: Store) -> list[PictureLine]:
            try:
                if column not in self._judged:
                    self._judged[column] = finished(judging_column(store, table, column))
            except (InputError, UsageError) as error:  # what is lacking to compute the scores of a part again
                return [PictureLine(cell_safe(str(error)))]
            size = width - 2, _PLOT_LINES
            return [*agreement_lines(table, column, self._judged[column], size, ascii=ascii)]

        def then(lines: list[PictureLine]) -> None:
            is_theirs = table.columns[column].kind == "human"
            none = [PictureLine(line, not at) for at, line in enumerate(_THEIR_OWN if is_theirs else _NO_PEOPLE)]
            if not any(each.kind == "human" for at, each in enumerate(table.columns) if at != column):
                self._show([*lines, PictureLine(""), *none])
                return
            self._show([*lines, PictureLine(""), PictureLine("Scoring the segments that people scored ...", True)])
            people = self.shell.runner.ask_beside
            self.wait_for(lambda: people(of_people), lambda found: self._show([*lines, PictureLine(""), *found]))

        self.ask(question, then, kind="pictures")

    def on_unmount(self) -> None:
        self.shell.runner.stop_beside()

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
            self.app.push_screen(SegmentsScreen(self._table, self._column, self._outputs, line.bar))
        elif line.output is not None:
            self.app.push_screen(SegmentsScreen(self._table, self._column, (line.output,)))
        else:
            self.say("Enter on a system, or on a bar, shows its segments")


# Curves: the score of a system, and the agreement of all with people, by the number of references.


_AROUND_PLOT = 6
"""Lines of the screen that are no plot."""


class CurveScreen(PlaceScreen):
    PLACE = "scores"
    AUTO_FOCUS = ""  # there is nothing to type here
    REACHED = "c on a system"
    HINTS = Hints(("curve.right", "curve.left", "curve.next", "curve.previous", "curve.export"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "walk(1)", "Point", "curve.right", "Go to the next point"),
        bind("left", "walk(-1)", "Point", "curve.left", "Go to the point before"),
        bind("j,down", "curve(1)", "Curve", "curve.next", "The next curve: systems, then agreement"),
        bind("k,up", "curve(-1)", "Curve", "curve.previous", "The curve before"),
        bind("e", "export", "Export", "curve.export", "Write the numbers of all curves to a file"),
    ]

    def __init__(self, table: ScoreTable, column: int, output: int) -> None:
        """The curve of the system with this output is shown first."""
        super().__init__()
        self._table = table
        self._column = column
        self._first = next(row.name for row in table.rows if row.output == output)
        self._found: ReferenceWorth | None = None
        self.has_answer = False
        self.curves: list[ScoreCurve] = []
        self.at = 0
        self.point = 0

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield Static("drawing references ...", id="curve")
        yield Static("", id="curve-point")

    def on_mount(self) -> None:
        def question(store: Store) -> ReferenceWorth | CorpusError:
            try:
                return finished(drawing_reference_curve(store, self._table, self._column))
            except (InputError, UsageError) as error:  # this column has no curve: said where it would stand
                return error

        self.wait_for(lambda: self.shell.runner.ask_beside(question), self._answered)

    def on_unmount(self) -> None:
        if not self.has_answer:
            self.shell.runner.stop_beside()

    def _answered(self, found: ReferenceWorth | CorpusError) -> None:
        self.has_answer = True
        if not isinstance(found, CorpusError):
            self._show(found)
            return
        below = self.app.screen_stack[-2] if self.is_current else None
        if isinstance(below, PlaceScreen):
            self.dismiss()
            below.say(str(found), is_error=True)
        else:
            self.query_one("#curve", Static).update(Text(cell_safe(str(found))))

    def _show(self, found: ReferenceWorth) -> None:
        self._found = found
        self.curves = curves_of(found)
        names = [curve.system for curve in self.curves]
        self.at = names.index(self._first) if self._first in names else 0
        judged = f"{len(found.judged)} systems have human scores" if found.judged else "no human score is stored"
        self.say(copies_note(found) or f"{len(self.curves)} curves; {judged}", stays=True)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        if not self.curves:
            return
        curve = self.curves[self.at]
        size = (self.size.width, max(self.size.height - _AROUND_PLOT, 6))
        self.query_one("#curve", Static).update(
            Text("\n".join(curve.plot(self.point, size, ascii=self.shell.ascii_only)))
        )
        self.query_one("#curve-point", Static).update(Text(curve.format_point(self.point)), layout=False)
        column = self._table.columns[self._column]
        self.query_one(HeadLine).show(
            cell_safe(f"{curve.name}: {column.name}"), f"curve {self.at + 1} of {len(self.curves)}"
        )

    def lines(self) -> list[str]:
        if not self.curves:
            return ["no curve yet"]
        curve = self.curves[self.at]
        return [curve.name, *(curve.format_point(at) for at in range(len(curve.points)))]

    def copied_text(self) -> str:
        return self.curves[self.at].format_point(self.point) if self.curves else ""

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
