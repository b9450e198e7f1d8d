"""Scores: the systems of a test set by metrics and reference sets."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.display import cell_safe, counted
from corpusdb.scoring.queries.score_table import (
    ScoreTable,
    SystemRow,
    chosen_test_set,
    score_table,
    sorted_rows,
)
from corpusdb.scoring.queries.stored_scores import TestSet, all_test_sets
from corpusdb.scoring.queries.variant_scores import options_of
from corpusdb.scoring.report import MARKS_TOLD
from corpusdb.scoring.table_report import (
    column_lines,
    column_words,
    format_signature,
    signature_signs,
    system_table,
    table_notes,
)
from tui.kit.background import JobState
from tui.kit.dialogs import ChoiceDialog
from tui.kit.exports import ask_export
from tui.kit.late_screen import LEADS_AWAY, is_there
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Highlighted, Opened, RowList, Static, Text, bind, said_here
from tui.scoring.segment_screen import SegmentsScreen
from tui.scoring.table_layout import CurveScreen, PictureScreen, Significance, TableLayout

_NOTHING = "No scores yet. To score the outputs of systems against references, press ! and then Enter."


def _keys(table: ScoreTable) -> tuple[object, ...]:
    """What a table must have in common with another that its marks and its order may stay."""
    return table.test_set.number, table.columns, {row.output: row.cells for row in table.rows}


def _same_columns(before: ScoreTable | None, now: ScoreTable | None) -> dict[int, int]:
    """Where the columns of a table stand in another one of its test set, by their names; empty where it is none."""
    if before is None or now is None or before.test_set.number != now.test_set.number:
        return {}
    places = {column.name: at for at, column in enumerate(now.columns)}
    return {at: places[column.name] for at, column in enumerate(before.columns) if column.name in places}


_MARGINS, _AROUND_SYSTEMS = 4, 11
"""Cells beside the signature; lines above and below the systems without it."""
_FIELD_CELLS, _WHOLE_FIELD = 16, 100
"""Of a field of a signature in the help, where the whole stands above them; and so many that none is cut."""


_FILES = ("hypotheses", "ref", "source", "metric", "unit")
_SCORED: Mapping[str, Mapping[str, str]] = {
    "score": {name: name for name in _FILES},
    "agreement": {name: name for name in _FILES},
    "compare": {name: "systems" if name == "hypotheses" else name for name in _FILES},
}
"""What forms have of the score of before, and what it is called there."""


def _chosen_for(screen: ScoresScreen, form: str) -> Mapping[str, str]:
    """The systems that are marked, else all of the table, with the files that they were scored from last here."""
    rows = screen.query_one(RowList)
    if form == "compare" and screen.table is not None:
        marked = [*sorted(rows.selected), *({rows.cursor} - rows.selected)] if rows.selected else [*range(rows.count)]
        names = [screen.table.rows[row].name for row in marked[:2]]
        return {"systems": shlex.join(names), **_as_seen(screen)} if len(names) > 1 else {}
    of_test_set = {"test_set": str(screen.table.test_set.number)} if screen.table is not None else {}
    if form == "scores import":
        return of_test_set
    if form == "scores remove" and screen.table is not None and (seen := screen.table.columns[screen.column]):
        name = {"name": seen.label} if seen.settings is None else {}
        return {**name, "human": "yes" if seen.kind == "human" else "no", **of_test_set}
    people = [] if screen.table is None else [each for each in screen.table.columns if each.kind == "human"]
    if form == "agreement" and people and screen.table is not None:
        here = screen.table.columns[screen.column]
        human = {"human": here.label} if here in people else {}
        return {**(of_test_set if len(screen.test_sets) > 1 else {}), **_as_seen(screen), **human}
    table = screen.table
    scored, _ = screen.shell.jobs.typed_before("score", lambda typed: table is None or _is_of(table, typed))
    files = {of_form: scored[name] for name, of_form in _SCORED.get(form, {}).items() if name in scored}
    if table is None or "hypotheses" not in files:
        return files
    if form == "score" and any(each.lacks_words for each in table.columns):
        files["unit"] = "char"  # as it says below the table
    chosen = {table.rows[row].name for row in rows.selected}
    named = [each for each in shlex.split(files["hypotheses"]) if Path(each).stem in chosen]
    return {**files, "hypotheses": shlex.join(named) or files["hypotheses"]}


def _is_of(table: ScoreTable, typed: Mapping[str, str]) -> bool:
    """Whether a form of score named systems and references of a table."""
    systems = {Path(found).stem for each in shlex.split(typed.get("hypotheses", "")) for found in glob(each) or [each]}
    files = [Path(each).name.partition("{")[0] for each in shlex.split(typed.get("ref", ""))]
    are_seen = any(column.references.startswith(each) for each in files for column in table.columns)
    return systems <= {row.name for row in table.rows} and (are_seen or not files)


def _tested(screen: ScoresScreen, table: ScoreTable) -> tuple[int, int] | None:
    """The last job that scored the systems of a table, and the output against which it tested the others; None where
    it tested nothing."""
    jobs = (each for each in reversed(screen.shell.jobs.states) if each.phase == "done")
    scored = ((each, each.program) for each in jobs if each.program is not None and each.program.form == "score")
    job, program = next(((job, each) for job, each in scored if _is_of(table, each.typed)), (None, None))
    if job is None or program is None or not program.typed.get("significance"):
        return None
    words = program.words
    name = Path(words[words.index("--baseline") + 1] if "--baseline" in words else words[1]).stem
    return next(((job.number, row.output) for row in table.rows if row.name == name), None)


def _show_signature(screen: ScoresScreen, told: str) -> None:
    """In one line, unless the systems leave room for all of it."""
    width, line = max(screen.size.width - _MARGINS, 1), screen.query_one("#scores-signature", Static)
    folded = [told[at : at + width] for at in range(0, len(told), width)]  # it has no blanks to break it at
    has_room = screen.size.height - screen.query_one(RowList).count - _AROUND_SYSTEMS >= len(folded)
    line.styles.height = len(folded) if has_room else 1
    line.update(Text("\n".join(folded) if has_room else told))


def _as_seen(screen: ScoresScreen) -> Mapping[str, str]:
    """The reference set of the column with the cursor, and how the metrics that were computed with it count."""
    if screen.table is None:
        return {}
    columns = [each for each in screen.table.columns if each.settings is not None]
    seen = screen.table.columns[screen.column]
    here = seen if seen in columns else next(iter(columns), None)
    if here is None:
        return {}
    of_set = [each for each in columns if each.reference_set == here.reference_set]
    how = options_of([each.settings for each in of_set if each.settings is not None], of_set.index(here))
    digest = screen.table.references_of(screen.table.columns.index(here)).short_digest
    is_one_of_several = sum(len(each.reference_sets) for each in screen.test_sets) > 1
    return {**how, "set": digest} if is_one_of_several else how


class ScoresScreen(PlaceScreen):
    """The table of one test set; the arrow keys go through its columns."""

    PLACE = "scores"
    CHOSEN_FOR = _chosen_for
    BEGINS = ("score", "compare", "agreement", "scores import", "references", "scores", "verify", "statistics")
    AUTO_FOCUS = "#systems"
    CALLED = {"list.select": "compare two"}  # noqa: RUF012
    NEEDS_ROWS = ("column", "sort", "baseline", "ask")
    SIGNS = (
        ("[ ]", "The column with the cursor"),
        ("!", "This reference set was frozen before it was scored"),
        ("=", "The system with which the others are compared"),
        ("** *", "p < 0.01; p < 0.05: differs from that system (approximate randomisation)"),
        ("?", "Nothing could be compared in this column"),
        ("meaningless", "It counts words, and the references have no spaces between them"),
        ("ref.A+1", "A set of references: those of the file ref.A, and of 1 file more"),
        ("187/1,000", "So many segments have a score of people, or an imported one: of the system with the fewest"),
    )
    HINTS = Hints(
        (
            *("list.open", "list.select", "scores.sort", "scores.baseline", "scores.picture", "scores.parts"),
            *("scores.export", "screen.begin", "scores.test-set", "scores.curve", "scores.hide"),
            *("scores.right", "scores.left"),
        ),
        needed=7,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "column(1)", "Column", "scores.right", "Go to the next column"),
        bind("left", "column(-1)", "Column", "scores.left", "Go to the column before"),
        bind("s", "sort", "Sort", "scores.sort", "Sort by this column; again: the worst first"),
        bind("b", "baseline", "Baseline", "scores.baseline", "Compare all with this system; again: with none"),
        bind("p", "ask('picture')", "Picture", "scores.picture", "Systems, segments and people's scores as pictures"),
        bind("c", "ask('curve')", "Curve", "scores.curve", "The score by the number of references"),
        bind("d", "app.begin_command('score', 'by')", "By part", "scores.parts", "Score by document, by length ..."),
        bind("D", "app.begin_command('scores remove')", "Remove", "scores.remove", "Take this column's imports back"),
        bind("minus", "ask('hide')", "Hide", "scores.hide", "Hide this column, in the table and what is exported"),
        bind("plus,equals_sign", "ask('unhide')", "Show", "scores.unhide", "Show all columns again"),
        bind("t", "ask('test_set')", "Test set", "scores.test-set", "Choose the test set"),
        bind("e", "ask('export')", "Export", "scores.export", "Write the table to a file"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.table: ScoreTable | None = None
        self._was_read = False
        """Whether there was a table to be seen, or none in the database."""
        self._read: ScoreTable | None = None
        """The same as the database has it, in its order."""
        self.column = 0
        self.left_out: set[str] = set()
        """The names of columns that are hidden."""
        self.test_sets: list[TestSet] = []
        self.number: int | None = None
        """Of the test set that was chosen."""
        self._sorted_by: int | None = 0
        self._worst_first = False
        self._tested_by: set[int] = set()
        """The jobs whose tests are shown, or were until another baseline was chosen."""
        self._baselines: dict[int, int | None] = {}
        """The system with which others were compared last, by the number of the test set."""
        self._marked: list[str] = []
        """The systems that are marked, as it was told last."""
        self.significance = Significance(self, self.show_table)

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield Static("", id="scores-metrics", classes="scores-columns")
        yield Static("", id="scores-references", classes="scores-columns")
        yield RowList(id="systems", empty="reading the scores ...")
        yield Static("", id="scores-told")
        yield Static("", id="scores-signature")

    def on_mount(self) -> None:
        def changed(state: JobState) -> None:
            """Show what a job has stored: what was scored is looked at next, but nothing goes away that is seen."""
            if state.is_over:
                is_seen = self in self.app.screen_stack
                self.number = self.number if is_seen or not state.title.startswith("score ") else None
                self.on_screen_resume()

        self.shell.job_changed.subscribe(self, changed)

    def on_screen_resume(self) -> None:
        """Read the test set that was chosen again, or the one that was scored last."""
        number = self.number
        if not self._was_read:
            self.begin_holding(*LEADS_AWAY)  # p, typed behind 5, is for the table

        def question(reader: DatabaseReader) -> tuple[list[TestSet], ScoreTable | None]:
            with reader.store.snapshot():
                found = all_test_sets(reader.store)
                return found, score_table(reader.store, chosen_test_set(found, number)) if found else None

        self.ask(question, lambda found: self._loaded(*found), kind="scores")

    def _loaded(self, test_sets: list[TestSet], table: ScoreTable | None) -> None:
        if not self._was_read:
            self._was_read = True
            self.hand_over()
        number = 0 if table is None else table.test_set.number
        known = max((each.last_score for each in self.test_sets), default=0)
        for each in test_sets if self.table is not None else ():
            if each.last_score > known and each.number != number:
                self.say(f"{each.name} is scored: t shows it; its answer: 6, Enter")
        self.test_sets = test_sets
        is_other = self.table is None or table is None or _keys(self.table) != _keys(table)
        is_new = self.table is None or table is None or self.table.test_set.number != number
        if self.table is not None:
            self._baselines[self.table.test_set.number] = self.significance.baseline
        baseline = self._baselines.get(number)
        if is_other:
            self.significance.forget()
            self.significance = Significance(self, self.show_table)
            places = _same_columns(self.table, table)
            self.column, self._sorted_by = places.get(self.column, 0), places.get(self._sorted_by or 0, 0)
            self._worst_first = self._worst_first and not is_new
        for line in self.query(".scores-columns"):
            line.display = table is not None and bool(table.columns)
        if table is None or not table.columns:
            self.table = None
            self.query_one(RowList).show_rows(0, lambda row: Text(), empty=_NOTHING)
            return
        if is_other or table != self._read:
            before = None if is_new or self.table is None else self.table.rows
            self.table, self._read, self.number = table, table, table.test_set.number
            self.left_out -= {table.columns[self.column].name}
            self._sort(before)
        tested = _tested(self, table)
        if tested is not None and tested[0] not in self._tested_by:
            self._tested_by.add(tested[0])
            baseline, is_other = tested[1], True
        if is_other and baseline is not None and any(row.output == baseline for row in table.rows):
            self.significance.compare(table, baseline, self.column)
        else:
            self.significance.go_on(table, self.column)

    def _sort(self, before: Sequence[SystemRow] | None) -> None:
        """Sort the rows; the cursor and the selection stay on their systems, which stood ``before`` in these rows."""
        if self.table is None:
            return
        rows = self.query_one(RowList)
        chosen = {before[row].output for row in rows.selected} if before else set()
        current = before[rows.cursor].output if before else self.table.rows[0].output
        if self._sorted_by is not None:
            self.table = replace(
                self.table, rows=sorted_rows(self.table, self._sorted_by, worst_first=self._worst_first)
            )
        cursor = next((at for at, row in enumerate(self.table.rows) if row.output == current), 0)
        rows.show_rows(len(self.table.rows), self._row, cursor=cursor)
        rows.selected |= {at for at, row in enumerate(self.table.rows) if row.output in chosen}
        self.show_table()

    @property
    def layout_now(self) -> TableLayout | None:
        width = self.size.width - 3
        return None if self.table is None else TableLayout(self.table, self.column, width, self.left_out)

    def _row(self, row: int) -> Text:
        layout = self.layout_now
        if layout is None or row >= len(layout.table.rows):
            return Text()
        system = layout.table.rows[row]
        is_baseline = system.output == self.significance.baseline
        return layout.row(system, self.significance.marks, is_baseline=is_baseline)

    @on(events.Resize)
    def show_table(self) -> None:
        layout = self.layout_now
        if layout is None or not is_there(self):
            return
        metrics, references = layout.heads()
        self.query_one("#scores-metrics", Static).update(metrics, layout=False)
        self.query_one("#scores-references", Static).update(references)
        column = layout.table.columns[self.column]
        compared = next((each.name for each in layout.table.rows if each.output == self.significance.baseline), None)
        told = [said_here(column_words(column))]
        if compared is not None:
            marks = self.significance.marks
            nothing = "; ? not compared" if not all(marks.values()) else ""
            less = len(layout.table.columns) - len(marks)
            later = f"; {counted(less, 'columns')} not yet" if less else ""
            told.append(f"= {compared}; {MARKS_TOLD} by approximate randomisation{nothing}{later}")
        self.query_one("#scores-told", Static).update(Text("\n".join(map(cell_safe, told))))
        signature = cell_safe(format_signature(column))
        _show_signature(self, f"signature  {signature}")
        self.signs_now = [("signature", signature), *signature_signs(column, _FIELD_CELLS)]
        count = len(self.test_sets)
        which = f"{layout.table.test_set.number} of {count} (t)" if count > 1 else ""
        self.query_one(HeadLine).show(
            cell_safe(str(layout.table.test_set)), "  ".join(filter(None, [which, layout.hidden]))
        )
        self.query_one(RowList).refresh()

    def lines(self) -> list[str]:
        if (layout := self.layout_now) is None:
            return [_NOTHING]
        seen, marks = layout.seen(self.significance.marks)
        columns, rows = system_table(seen, marks)
        table = ["\t".join(columns), *("\t".join(map(str, row)) for row in rows)]
        return [str(seen.test_set), *table, *column_lines(seen), self.query_one(Legend).line()]

    def action_column(self, by: int) -> None:
        if (layout := self.layout_now) is None:
            return
        at = layout.columns.index(self.column) + by
        if 0 <= at < len(layout.columns):
            self.column = layout.columns[at]
            self.show_table()
        else:
            self.say(f"this is the {'last' if by > 0 else 'first'} column")

    def action_sort(self) -> None:
        if self.table is None:
            return
        self._worst_first = self._sorted_by == self.column and not self._worst_first
        self._sorted_by = self.column
        self._sort(self.table.rows)
        first = "worst" if self._worst_first else "best"
        self.say(f"sorted by {self.table.columns[self.column].name}, the {first} first")

    def action_baseline(self) -> None:
        if self.table is None or not self.query_one(RowList).count:
            return
        current = self.table.rows[self.query_one(RowList).cursor]
        if current.output == self.significance.baseline:
            self.significance.forget()
            self.show_table()
            self.say("compared with no system")
        else:
            self.significance.compare(self.table, current.output, self.column)

    def action_ask(self, what: str) -> None:
        if self.table is not None and self.query_one(RowList).count:
            _ASKED[what](self, self.table)

    def chosen(self, row: int) -> tuple[int, ...]:
        """The outputs of the two systems that are selected, else that in a row; says where there are too many."""
        selected = sorted(self.query_one(RowList).selected)
        if self.table is None:
            return ()
        if len(selected) > 2:
            self.say(f"{len(selected)} systems are selected: two can be compared", is_error=True)
            return ()
        return tuple(self.table.rows[each].output for each in (selected if len(selected) == 2 else [row]))

    def _name_of(self, binding: Binding) -> str:
        """Enter compares the two that are marked, wherever the cursor is."""
        is_comparing = binding.id == "list.open" and len(self._marked) == 2
        return "compare the two" if is_comparing else super()._name_of(binding)

    @on(Highlighted)
    def _tell_of_marks(self) -> None:
        """What Enter does with the systems that are marked."""
        rows = self.query_one(RowList)
        marked = [] if self.table is None else [self.table.rows[row].name for row in sorted(rows.selected)]
        before, self._marked = self._marked, marked
        if set(marked) == set(before):
            return
        self.query_one(Legend).refresh()
        if len(marked) == 1:
            self.say(f"{marked[0]} is marked, the cursor went on; space marks another one to compare")
        elif len(marked) == 2:
            self.say(f"Enter compares {marked[0]}, as A, with {marked[1]}, as B")
        elif marked:
            self.say(f"{len(marked)} are marked, two can be compared; escape takes the marks away")

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """The segments of a system, or the differences of the two that are selected."""
        if self.table is None or not (outputs := self.chosen(message.row)):
            return
        if len(outputs) == 1 and self.table.rows[message.row].cells[self.column] is None:
            self.say(f"{self.table.rows[message.row].name} has no score in this column", is_error=True)
        else:
            self.app.push_screen(SegmentsScreen(self.table, self.column, outputs))


def _ask_test_set(screen: ScoresScreen, table: ScoreTable) -> None:
    def answered(place: int | None) -> None:
        if place is not None:
            screen.number = screen.test_sets[place].number
            screen.on_screen_resume()

    if len(screen.test_sets) > 1:
        names = list(map(str, screen.test_sets))
        screen.app.push_screen(ChoiceDialog("Which test set?", names, str(table.test_set)), answered)
    else:
        screen.say("there is no other test set")


def _show_picture(screen: ScoresScreen, table: ScoreTable) -> None:
    if outputs := screen.chosen(screen.query_one(RowList).cursor):
        screen.app.push_screen(PictureScreen(table, screen.column, outputs))


def _show_curve(screen: ScoresScreen, table: ScoreTable) -> None:
    output = table.rows[screen.query_one(RowList).cursor].output
    screen.app.push_screen(CurveScreen(table, screen.column, output))


def _hide(screen: ScoresScreen, table: ScoreTable) -> None:
    """Hide the column with the cursor, which goes to the next one, or from the last to that before."""
    layout = screen.layout_now
    if layout is None or len(layout.columns) == 1:
        screen.say("this is the only column", is_error=True)
        return
    at = layout.columns.index(screen.column)
    name = table.columns[screen.column].name
    screen.left_out.add(name)
    screen.column = layout.columns[at + 1 if at + 1 < len(layout.columns) else at - 1]
    screen.show_table()
    screen.say(f"{name} is hidden; + shows all columns again")


def _unhide(screen: ScoresScreen, table: ScoreTable) -> None:
    screen.left_out.clear()
    screen.show_table()


def _export(screen: ScoresScreen, table: ScoreTable) -> None:
    """Write what is seen of the table."""
    layout, significance = screen.layout_now, screen.significance
    if layout is None:
        return
    if significance.baseline is not None and len(significance.marks) < len(table.columns):
        screen.say("not all columns are compared yet; b ends comparing, and e writes the table then", is_error=True)
        return
    seen, marks = layout.seen(significance.marks)
    baseline = next((row.name for row in table.rows if row.output == significance.baseline), None)
    printed = table_notes(seen, baseline, marks)
    ask_export(screen, "scores", system_table(seen, marks), column_lines(seen), printed)


_ASKED: Mapping[str, Callable[[ScoresScreen, ScoreTable], object]] = {
    "test_set": _ask_test_set,
    "picture": _show_picture,
    "curve": _show_curve,
    "hide": _hide,
    "unhide": _unhide,
    "export": _export,
}
