"""A dialog of lines to fill in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from corpusdb.display import cell_safe
from corpusdb.errors import CorpusError
from tui.shared.dialog import Dialog
from tui.shown import Label
from tui.widgets.legend import Hints

__all__ = ["Field", "FormDialog", "one_line"]


@dataclass(frozen=True, slots=True)
class Field:
    """One line."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()
    """What PageDown and PageUp go through; something else may be typed."""


def one_line(error: CorpusError) -> str:
    """The first line of an error, which is its reason."""
    return str(error).partition("\n")[0]


class FormDialog(Dialog[dict[str, str] | None]):
    """Asks for some texts and gives them by the names of their fields; None where somebody thinks better of it."""

    HINTS = Hints(("form.done", "form.choose", "form.next"), last=("form.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "Done", id="form.done", tooltip="Do what the form asks for", priority=True),
        Binding("escape,ctrl+g", "dismiss(None)", "Cancel", id="form.cancel", tooltip="Change nothing"),
        Binding("down", "app.focus_next", "Next", id="form.next", tooltip="Go to the next line", show=False),
        Binding(
            "up", "app.focus_previous", "Previous", id="form.previous", tooltip="Go to the line before", show=False
        ),
        Binding("pagedown", "choose(1)", "Choose", id="form.choose", tooltip="The next choice for this line"),
        Binding("pageup", "choose(-1)", "Choose", id="form.choose-back", tooltip="The choice before", show=False),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        check: Callable[[Mapping[str, str]], object],
        carry_out: Callable[[Mapping[str, str]], Awaitable[object]] | None = None,
    ) -> None:
        """``check`` raises CorpusError for texts that make no sense, and so does ``carry_out`` for what cannot be done.

        The dialog then says so and stays: it goes away when all is done.
        """
        super().__init__()
        self._title = title
        self._fields = {field.name: field for field in fields}
        self._check = check
        self._carry_out = carry_out

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            yield Label(self._title, classes="form-title")
            for field in self._fields.values():
                with Horizontal(classes="form-field"):
                    yield Label(field.label, classes="form-label long")
                    yield Input(field.value, id=field.name, placeholder=cell_safe(field.hint), compact=True)
            yield Label("", classes="form-error")
            yield self.hints()

    def values(self) -> dict[str, str]:
        """The texts as they are now."""
        return {name: self.query_one(f"#{name}", Input).value.strip() for name in self._fields}

    def lines(self) -> list[str]:
        """The title, and every line with its text."""
        values = self.values()
        return [self._title, *(f"{field.label}: {values[field.name]}" for field in self._fields.values())]

    @on(Input.Submitted)
    def action_done(self) -> None:
        self._finish(self.values())

    @work(exclusive=True)
    async def _finish(self, values: dict[str, str]) -> None:
        try:
            self._check(values)
            if self._carry_out is not None:
                self._tell("one moment ...")
                await self._carry_out(values)
        except CorpusError as error:
            told = one_line(error)
            if (field := self._fields.get("overwrite")) is not None:
                told = told.replace("--overwrite replaces it", f"yes in {field.label!r} replaces it")
            self._tell(f"! {told}")
        else:
            self.dismiss(values)

    def _tell(self, text: str) -> None:
        self.query_one(".form-error", Label).update(text)

    def action_choose(self, step: int) -> None:
        line = self.focused
        if not isinstance(line, Input) or not (choices := self._fields[line.id or ""].choices):
            self._tell("! nothing to choose from here: type")
            return
        place = choices.index(line.value) + step if line.value in choices else 0
        line.value = choices[place % len(choices)]
        line.cursor_position = len(line.value)
