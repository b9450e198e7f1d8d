"""Dialogs above a screen, the help and the guides among them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any, ClassVar, Final, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import DescendantFocus
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.cells import cell_width
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import CorpusError
from tui.kit.fields import Field, FieldLine, FindLine, named_for
from tui.kit.late_screen import LateScreen, is_there
from tui.kit.place_screen import Hints, Legend, hint_name
from tui.kit.shown import (
    MARK_CELLS,
    Highlighted,
    Label,
    Opened,
    RenderRow,
    RowList,
    Static,
    StatusChanged,
    Text,
    TextPane,
    bind,
    said_here,
)
from tui.kit.wide_lines import held_cells, next_stop

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], LateScreen[Answer], Generic[Answer]):
    """Stands above a screen, asks something, and goes away with the answer."""

    HINTS: ClassVar[Hints] = Hints()
    """What its line of hints names; the way out first of its ``last``, then the help."""
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("question_mark,f1", "app.help", "Keys", "dialog.help", "Help: the keys of this dialog"),
    ]

    def __init__(self) -> None:
        super().__init__(classes="dialog")

    def ask(self, screen: Screen[Any], then: Callable[[Any], object]) -> None:
        """Stand above a screen; ``then`` gets the answer, unless that is none, or no."""

        def answered(answer: Answer | None) -> None:
            if answer is not None and answer is not False:
                then(answer)

        screen.app.push_screen(self, answered)

    def hints(self) -> Legend:
        return Legend(self.HINTS)

    def action_previous(self) -> None:
        """To the line before; the first has none: the last one of a long form would not be expected there."""
        if self.focused is not next(iter(self.query(FieldLine)), None):
            self.focus_previous()


# Small dialogs for any place: choose one of a list, say yes or no, read a longer text.


MOST_CHOICES: Final = 14
"""So many are seen at once."""
_MARK_AND_BAR = 3
"""Cells of a row for the mark of the cursor, and the scroll bar beside it."""


class ChoiceDialog(Dialog[int | None]):
    """Asks for one of some lines; gives its place, or None."""

    TYPED_INTO: ClassVar[str] = "RowList"
    """What has the focus."""
    HINTS = Hints(("list.open",), last=("choice-dialog.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("q,escape", "dismiss(None)", "Cancel", "choice-dialog.cancel", "Choose nothing"),
    ]

    def __init__(self, question: str, choices: Sequence[str], chosen: str | None = None) -> None:
        """The cursor begins on the one that is ``chosen`` now."""
        super().__init__()
        self._question = question
        self._choices = list(choices)
        self._chosen_now = self._choices.index(chosen) if chosen in self._choices else 0
        self._places = list[int]()
        """Of the choices that are shown."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            yield Label(self._question, classes="form-title")
            yield RowList(id="choices")
            yield Static("", id="choice-whole")
            yield self.hints()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_whole)

    @on(Highlighted)
    def _show_whole(self) -> None:
        """Show the choice with the cursor whole, below, where it is longer than its row."""
        rows, whole = self.query_one(RowList), self.query_one("#choice-whole", Static)
        room = rows.size.width - _MARK_AND_BAR
        whole.display = room > 0 and any(cell_width(self._choices[place]) > room for place in self._places)
        chosen = self._choices[self._places[rows.cursor]] if self._places else ""
        whole.update(cell_safe(" ".join(chosen.split())) if cell_width(chosen) > room else "")

    def on_mount(self) -> None:
        self._places = list(range(len(self._choices)))
        self.query_one(RowList).styles.height = min(len(self._choices), MOST_CHOICES)
        self._show(self._chosen_now)
        self.set_focus(self.query_one(self.TYPED_INTO))

    def hints(self) -> Legend:
        return Legend(self.HINTS, lambda each: "choose" if (each.id or "").endswith(".open") else hint_name(each))

    def _show(self, cursor: int = 0) -> None:
        shown = lambda row: Text(self._choices[self._places[row]])  # noqa: E731
        self.query_one(RowList).show_rows(len(self._places), shown, cursor=cursor)

    def lines(self) -> list[str]:
        return [self._question, *self._choices]

    @on(Opened)
    def _chosen(self, message: Opened) -> None:
        self.dismiss(message.row)


class ConfirmDialog(Dialog[bool]):
    """Asks whether something is to be done."""

    HINTS = Hints(("confirm.yes",), last=("confirm.no", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("y", "dismiss(True)", "Yes", "confirm.yes", "Do it"),
        bind("n,q,escape", "dismiss(False)", "No", "confirm.no", "Leave it as it is"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="form"):
            yield Label(self._question, classes="form-title")
            yield self.hints()

    def lines(self) -> list[str]:
        return [self._question, "y  yes      n  no"]


class DetailsDialog(Dialog[None]):
    """Shows lines of any length, wrapped."""

    HINTS = Hints(("text.down", "text.up"), last=("details.close", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("q,escape,enter", "dismiss(None)", "Close", "details.close", "Close this"),
    ]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = list(lines)

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            yield Label(self._title, classes="form-title")
            yield TextPane(Text("\n".join(self._lines)), id="details")
            yield self.hints()

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()

    def lines(self) -> list[str]:
        return [self._title, *self._lines]


class _AnswerRows(RowList):
    """Lines that are read, which the screen moves over sideways, while the names at the left stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "shift(1)", "More", "list.right", "Show what is further right"),
        bind("left", "shift(-1)", "Less", "list.left", "Back to the left"),
    ]

    def show_rows(self, count: int, render: RenderRow, *, cursor: int = 0, empty: str | None = None) -> None:
        super().show_rows(count, render, cursor=cursor, empty=empty)
        self.held = held_cells(self.lines(), self._room)

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - MARK_CELLS

    def action_shift(self, direction: int) -> None:
        """Go on by whole columns, as far as there is anything."""
        lines, room = self.lines(), self._room
        self.held = held_cells(lines, room)
        before, self.shifted = self.shifted, next_stop(lines, self.cursor, room, self.shifted, direction)
        if self.shifted == before:
            self.post_message(StatusChanged(f"nothing is further {'right' if direction > 0 else 'left'}"))
        self.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is opened by a line, nor done with several."""
        return action not in ("open", "select") and super().check_action(action, parameters)


class AnswerScreen(Dialog[None]):
    """Shows lines as they are, tables among them: over the whole screen, which goes sideways and finds in them."""

    HINTS = Hints(("answer.find", "list.right", "list.left"), last=("answer.close", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "find", "Find", "answer.find", "Find in these lines; n and N go on"),
        bind("q,escape,enter", "dismiss(None)", "Close", "answer.close", "Close this"),
    ]
    signs_now: Sequence[tuple[str, str]] = ()
    """Names of what stands there, and what each means, for the help."""

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = list(lines)

    def compose(self) -> ComposeResult:
        yield Static(self._title, id="guide-title")
        yield _AnswerRows(id="answer")
        yield FindLine()
        yield self.hints()

    def on_mount(self) -> None:
        self.show_more(self._lines)
        self.query_one(RowList).focus()

    def show_more(self, lines: Sequence[str]) -> None:
        """Show other lines, now or as soon as the screen is made."""
        self._lines = list(lines)
        for rows in self.query(RowList):
            rows.show_rows(len(self._lines), lambda row: Text(self._lines[row]), cursor=rows.cursor)

    def lines(self) -> list[str]:
        return [self._title, *self._lines]

    def action_find(self) -> None:
        self.query_one(FindLine).open_for(self.query_one(RowList))

    def on_status_changed(self, message: StatusChanged) -> None:
        """What became of looking for something."""
        self.query_one("#guide-title", Static).update(f"{self._title}: {message.text}")


# A dialog of lines to fill in.


def one_line(error: CorpusError) -> str:
    return said_here(str(error).partition("\n")[0])


def shown_lines(form: Screen[Any]) -> list[FieldLine]:
    """The lines of a form that are seen, or come into sight as one goes down: not those that are not opened."""
    return [each for each in form.query(FieldLine) if each.parent is None or each.parent.display]


class FormDialog(Dialog[dict[str, str] | None]):
    """Asks for some texts and gives them by the names of their fields; None where somebody thinks better of it."""

    HINTS = Hints(("form.done", "form.choose", "form.complete", "form.next"), last=("form.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("enter", "done", "Done", "form.done", "Do what the form asks for", priority=True),
        bind("escape,ctrl+g", "cancel", "Cancel", "form.cancel", "Change nothing; what was begun goes on"),
        bind("tab", "complete", "Complete", "form.complete", "Complete the name of a file", priority=True),
        bind("down,tab", "app.focus_next", "Next", "form.next", "Go to the next line", priority=True),
        bind("up", "previous", "Previous", "form.previous", "Go to the line before", priority=True),
        bind("space", "choose", "Choose", "form.choose", "The next choice for this line", priority=True),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        check: Callable[[Mapping[str, str]], object],
        carry_out: Callable[[Mapping[str, str]], Awaitable[object]] | None = None,
        usual: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None,
    ) -> None:
        """``check`` raises CorpusError for texts that make no sense, also when what it returns is awaited, and so does
        ``carry_out`` for what cannot be done.

        The dialog then says so and stays: it goes away when all is done. Who leaves it before is told what came of it.
        ``usual`` gives what fields say by what was chosen in others, unless somebody types.
        """
        super().__init__()
        self.is_busy = False
        """Whether what was typed is being looked up or carried out."""
        self._goes_on = False
        """Whether something is being carried out."""
        self._below: Screen[Any] | None = None
        self._late: Callable[[Mapping[str, str]], object] = lambda values: None
        self._told_of: Mapping[str, str] = {}
        """What the lines said when something was told of it."""
        self._told_line = ""
        """The line of which something is told, such as the names with which its path may go on."""
        self._usual_by = usual or (lambda values: {})
        self._usual: Mapping[str, str] = {field.name: field.value for field in fields}
        self._title = title
        self._fields = {field.name: field for field in fields}
        self._check = check
        self._carry_out = carry_out

    def ask(
        self,
        screen: Screen[Any],
        then: Callable[[Any], object],
        late: Callable[[Mapping[str, str]], object] | None = None,
    ) -> None:
        """Stand above a screen; ``then`` gets the answer, and ``late`` does where the form was left meanwhile."""
        self._below, self._late = screen, late or self._late
        super().ask(screen, then)

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            yield Label(self._title, classes="form-title")
            yield from self.compose_fields()
            if any(field.told or field.is_written for field in self._fields.values()):
                yield Static("", id="field-help")
            yield Label("", classes="form-error")
            yield self.hints()

    def explained(self) -> list[tuple[str, str]]:
        """What its lines are called, and what is said of each."""
        return [(field.label, field.told) for field in self._fields.values() if field.told]

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if self._told_line and event.widget.id != self._told_line:
            self._tell("")
        self._show_help(event.widget)

    def _show_help(self, focused: Widget | None) -> None:
        """What is said of the line with the cursor."""
        field = self._fields.get((focused.id if focused else "") or "")
        for line in self.query("#field-help").results(Static):
            line.update("" if field is None else cell_safe(field.told_of(self.values()[field.name])))

    def compose_fields(self) -> ComposeResult:
        for field in self._fields.values():
            with Horizontal(classes="form-field"):
                yield Label(field.label, classes="form-label")
                yield field.line()

    def values(self) -> dict[str, str]:
        return {name: self.query_one(f"#{name}", Input).value.strip() for name in self._fields}

    def lines(self) -> list[str]:
        told = str(self.query_one(".form-error", Label).content)
        lines = [f"{self._fields[each.id or ''].label}: {each.value.strip()}" for each in shown_lines(self)]
        return [self._title, *lines, *([told] if told else [])]

    @on(Input.Changed)
    def _adapt(self, event: Input.Changed) -> None:
        is_fault = str(self.query_one(".form-error", Label).content).startswith("!")
        is_past = is_fault or bool(self._told_line)
        if is_past and self.values() != self._told_of:  # a change may come here after what was told of it
            self._tell("")
        if self._fields[event.input.id or ""].is_written:
            self._show_help(event.input)
        if event.input.id == "format":
            for written in (
                self.query_one(f"#{each.name}", Input) for each in self._fields.values() if each.is_written
            ):
                written.value = named_for(written.value, event.value, self._fields["format"].choices)
        if self._fields[event.input.id or ""].choices:
            for name, value in self._usual_by(self.values()).items():
                line = self.query_one(f"#{name}", Input)
                if line.value == self._usual[name]:
                    line.value = value
                self._usual = {**self._usual, name: value}

    @on(Input.Submitted)
    def action_done(self) -> None:
        if not self.is_busy:
            self.is_busy = True
            self.begin_holding("form.cancel")
            self.app.run_worker(self._finish(self.values()))  # not of this screen: what was begun is told in any case

    async def _finish(self, values: dict[str, str]) -> None:
        try:
            if isawaitable(looked_up := self._check(values)):
                with self._waiting():
                    await looked_up
            if self._carry_out is not None and self.is_attached:
                self._goes_on = True
                with self._waiting():
                    await self._carry_out(values)
        except CorpusError as error:
            told = one_line(error)
            if (field := self._fields.get("overwrite")) is not None:
                told = told.replace("overwrite replaces it", f"yes in {field.label!r} replaces it")
            self._fail(told)
        else:
            if self.is_attached:
                self.hand_over()
                self.dismiss(values)
            elif self._goes_on and self._below is not None and is_there(self._below):
                self._late(values)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Say that something is waited for, and for how long."""
        since = time.monotonic()

        def tell() -> None:
            if is_there(self):
                self._tell(f"one moment ... {time.monotonic() - since:.0f} s")

        self._tell("one moment ...")
        timer = self.set_interval(1.0, tell)
        try:
            yield
        finally:
            timer.stop()

    def _fail(self, told: str) -> None:
        """Say what was wrong, here or where one went from here."""
        if is_there(self):
            self._tell(f"! {told}")
        elif self._goes_on and self._below is not None:
            self._below.post_message(StatusChanged(told, is_error=True))
        self.is_busy = self._goes_on = False
        self.stop_waiting()

    def action_cancel(self) -> None:
        if self._goes_on and self._below is not None:
            self._below.post_message(StatusChanged("what was begun goes on; a message says when it is done"))
        self.dismiss(None)

    def _tell(self, text: str, *, of_line: bool = False) -> None:
        """Say something; ``of_line``: of the line with the cursor, as long as that is there."""
        self._told_of = self.values()
        self._told_line = (self.focused.id or "") if of_line and self.focused else ""
        self.query_one(".form-error", Label).update(text)

    @property
    def choosing(self) -> FieldLine | None:
        """The line with the cursor, where a space goes on to its next choice."""
        line = self.focused
        return line if isinstance(line, FieldLine) and line.is_choosing else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        is_path = isinstance(self.focused, FieldLine) and self.focused.is_path
        needed = {"choose": self.choosing is not None, "complete": is_path}
        return super().check_action(action, parameters) and needed.get(action, True)

    def action_complete(self) -> None:
        """Complete a path as far as it goes, and list how it may go on; where it is whole, go to the next line."""
        line = self.focused
        if not isinstance(line, FieldLine) or not line.value:
            self.focus_next()
            return
        before, names = line.value, line.complete()
        if len(names) > 1:
            more = f"  and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
            self._tell("  ".join(names[:_MOST_TOLD]) + more, of_line=True)
        elif not names:
            self._tell("no file or folder begins so; down leaves the line as it is", of_line=True)
        elif line.value == before:
            self.focus_next()

    def action_choose(self) -> None:
        if (line := self.choosing) is not None:
            line.choose(1)


_MOST_TOLD = 8
"""So many names are listed."""
