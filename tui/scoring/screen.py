"""Scores: the systems of a test set by metrics and reference sets, and the way to their segments and curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.display import cell_safe
from corpusdb.scoring.queries.score_table import ScoreTable, SystemRow, chosen_test_set, score_table, sorted_rows
from corpusdb.scoring.queries.test_sets import TestSet, all_test_sets
from corpusdb.scoring.table_report import column_lines, marks_told, signature_told, system_table
from tui.kit.dialogs import ChoiceDialog
from tui.kit.lines import HeadLine, Hints, Legend
from tui.kit.messages import Opened
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text
from tui.scoring.segments_screen import CurveScreen, SegmentsScreen
from tui.scoring.table_layout import Significance, TableLayout, ask_export

__all__ = ["ScoresScreen"]

_NOTHING = "No score yet: `corpusdb score HYP... --ref FILE... --store` keeps some."


@dataclass
class _Found:
    """What the database holds."""

    test_sets: list[TestSet]
    table: ScoreTable | None


class ScoresScreen(PlaceScreen):
    """The table of one test set; the arrow keys go through its columns."""

    PLACE = "scores"
    AUTO_FOCUS = "#systems"
    SIGNS = (
        ("[ ]", "The column with the cursor"),
        ("!", "This reference set was frozen before it was scored"),
        ("=", "The system with which the others are compared"),
        ("** *", "p < 0.01; p < 0.05: differs from that system (paired bootstrap)"),
        ("?", "Nothing could be compared in this column"),
    )
    HINTS = Hints(
        (
            *("list.open", "list.select", "scores.sort", "scores.baseline", "scores.curve", "scores.test-set"),
            *("scores.export", "scores.right", "scores.left"),
        ),
        needed=7,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "column(1)", "Column", id="scores.right", tooltip="Go to the next column"),
        Binding("left,h", "column(-1)", "Column", id="scores.left", tooltip="Go to the column before", show=False),
        Binding("s", "sort", "Sort", id="scores.sort", tooltip="Sort by this column; again: the worst first"),
        Binding(
            "b", "baseline", "Baseline", id="scores.baseline", tooltip="Compare all with this system; again: with none"
        ),
        Binding("c", "curve", "Curve", id="scores.curve", tooltip="The score by the number of references"),
        Binding("t", "test_set", "Test set", id="scores.test-set", tooltip="Choose the test set"),
        Binding("e", "export", "Export", id="scores.export", tooltip="Write the table to a file"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.table: ScoreTable | None = None
        self.column = 0
        self._test_sets: list[TestSet] = []
        self._number: int | None = None
        """Of the test set that was chosen."""
        self._sorted_by: int | None = 0
        self._worst_first = False
        self.significance = Significance(self, self._show_rows)

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield Static("", id="scores-metrics", classes="scores-columns")
        yield Static("", id="scores-references", classes="scores-columns")
        yield RowList(id="systems", empty="...")
        yield Static("", id="scores-signature")

    def on_screen_resume(self) -> None:
        self._load()

    def on_resize(self, event: events.Resize) -> None:
        self._show_rows()

    def _load(self) -> None:
        """Read the test set that was chosen again, or the one that was scored last."""
        number = self._number

        def question(reader: DatabaseReader) -> _Found:
            with reader.store.snapshot():
                found = all_test_sets(reader.store)
                table = score_table(reader.store, chosen_test_set(found, number)) if found else None
            return _Found(found, table)

        self.ask(question, self._loaded, kind="scores")

    def _loaded(self, found: _Found) -> None:
        self._test_sets = found.test_sets
        is_other = self.table is None or found.table is None or self._keys(self.table) != self._keys(found.table)
        if is_other:
            self.significance.forget()
            self.column, self._sorted_by, self._worst_first = 0, 0, False
        if found.table is None or not found.table.columns:
            self.table = None
            self.query_one(RowList).show_rows(0, lambda row: Text(), empty=_NOTHING)
            return
        if is_other or found.table != self.table:
            self.table, self._number = found.table, found.table.test_set.number
            self._sort()
        self.significance.go_on(found.table, self.column)

    @staticmethod
    def _keys(table: ScoreTable) -> tuple[object, ...]:
        """What a table must have in common with another that its marks and its order may stay."""
        return table.test_set.number, table.columns, frozenset(row.output for row in table.rows)

    def _sort(self) -> None:
        """Sort the rows; the cursor and the selection stay on their systems."""
        if self.table is None:
            return
        rows, before = self.query_one(RowList), self.table.rows
        chosen = {before[row].output for row in rows.selected}
        current = before[rows.cursor].output if rows.count else before[0].output
        if self._sorted_by is not None:
            self.table = replace(
                self.table, rows=sorted_rows(self.table, self._sorted_by, worst_first=self._worst_first)
            )
        cursor = next(at for at, row in enumerate(self.table.rows) if row.output == current) if rows.count else 0
        rows.show_rows(len(self.table.rows), self._row, cursor=cursor)
        rows.selected |= {at for at, row in enumerate(self.table.rows) if row.output in chosen}
        self._show_rows()

    @property
    def _layout(self) -> TableLayout | None:
        width = self.size.width - 3
        return None if self.table is None else TableLayout(self.table, self.column, width)

    def _row(self, row: int) -> Text:
        layout = self._layout
        if layout is None or row >= len(layout.table.rows):
            return Text()
        system = layout.table.rows[row]
        is_baseline = system.output == self.significance.baseline
        return layout.row(system, self.significance.marks, is_baseline=is_baseline)

    def _show_rows(self) -> None:
        """Draw the table again, and what stands around it."""
        layout = self._layout
        if layout is None or not self.is_attached:
            return
        metrics, references = layout.heads()
        self.query_one("#scores-metrics", Static).update(Text("  ") + metrics, layout=False)
        self.query_one("#scores-references", Static).update(Text("  ") + references, layout=False)
        column = layout.table.columns[self.column]
        told = Text(cell_safe(f"{column.name}: {signature_told(column)}"))
        self.query_one("#scores-signature", Static).update(told, layout=False)
        count = len(self._test_sets)
        which = f"test set {layout.table.test_set.number} of {count}" if count > 1 else ""
        self.query_one(HeadLine).show(
            cell_safe(str(layout.table.test_set)), "  ".join(filter(None, [which, layout.hidden]))
        )
        self.query_one(RowList).refresh()

    def lines(self) -> list[str]:
        """The test set, its table with all columns, the signature of the current one, and the keys."""
        if self.table is None:
            return [_NOTHING]
        columns, rows = system_table(self.table, self.significance.marks)
        table = ["\t".join(columns), *("\t".join(map(str, row)) for row in rows)]
        return [str(self.table.test_set), *table, *column_lines(self.table), self.query_one(Legend).line()]

    def action_column(self, by: int) -> None:
        if self.table is None:
            return
        if 0 <= self.column + by < len(self.table.columns):
            self.column += by
            self._show_rows()
        else:
            self.say(f"this is the {'last' if by > 0 else 'first'} column")

    def action_sort(self) -> None:
        if self.table is None:
            return
        self._worst_first = self._sorted_by == self.column and not self._worst_first
        self._sorted_by = self.column
        self._sort()
        first = "worst" if self._worst_first else "best"
        self.say(f"sorted by {self.table.columns[self.column].name}, the {first} first")

    def _current(self) -> SystemRow | None:
        rows = self.query_one(RowList)
        return None if self.table is None or not rows.count else self.table.rows[rows.cursor]

    def action_baseline(self) -> None:
        current = self._current()
        if self.table is None or current is None:
            return
        if current.output == self.significance.baseline:
            self.significance.forget()
            self._show_rows()
            self.say("compared with no system")
        else:
            self.significance.compare(self.table, current.output, self.column)

    def action_test_set(self) -> None:
        def answered(place: int | None) -> None:
            if place is not None:
                self._number = self._test_sets[place].number
                self._load()

        if len(self._test_sets) > 1:
            chosen = str(self.table.test_set) if self.table else None
            self.app.push_screen(ChoiceDialog("Which test set?", list(map(str, self._test_sets)), chosen), answered)
        else:
            self.say("there is no other test set")

    def action_curve(self) -> None:
        current = self._current()
        if self.table is not None and current is not None:
            self.app.push_screen(CurveScreen(self.table, self.column, current.output))

    def action_export(self) -> None:
        if self.table is None:
            self.say("there is nothing to export", is_error=True)
            return
        notes = column_lines(self.table)
        baseline = next((row.name for row in self.table.rows if row.output == self.significance.baseline), None)
        if baseline is not None:
            notes.append(marks_told(baseline))
        ask_export(self, "scores", system_table(self.table, self.significance.marks), notes)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """The segments of a system, or the differences of the two that are selected."""
        if self.table is None:
            return
        selected = sorted(self.query_one(RowList).selected)
        if len(selected) > 2:
            self.say(f"{len(selected)} systems are selected: two can be compared", is_error=True)
            return
        rows = selected if len(selected) == 2 else [message.row]
        outputs = tuple(self.table.rows[row].output for row in rows)
        self.app.push_screen(SegmentsScreen(self.table, self.column, outputs))
