"""Small dialogs for any place: choose one of a list, say yes or no, read a longer text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from tui.messages import Opened
from tui.shared.dialog import Dialog
from tui.shown import Label, Text
from tui.widgets.legend import Hints
from tui.widgets.row_list import RowList
from tui.widgets.text_pane import TextPane

__all__ = ["ChoiceDialog", "ConfirmDialog", "DetailsDialog"]


class ChoiceDialog(Dialog[int | None]):
    """Asks for one of some lines; gives its place, or None."""

    HINTS = Hints(("list.open",), last=("choice-dialog.cancel", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "dismiss(None)", "Cancel", id="choice-dialog.cancel", tooltip="Choose nothing"),
    ]

    def __init__(self, question: str, choices: Sequence[str], chosen: str | None = None) -> None:
        """The cursor begins on the one that is ``chosen`` now."""
        super().__init__()
        self._question = question
        self._choices = list(choices)
        self._chosen_now = self._choices.index(chosen) if chosen in self._choices else 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="form"):
            yield Label(self._question, classes="form-title")
            yield RowList(id="choices")
            yield self.hints()

    def on_mount(self) -> None:
        rows = self.query_one(RowList)
        rows.styles.height = min(len(self._choices), 12)
        rows.show_rows(len(self._choices), lambda row: Text(self._choices[row]), cursor=self._chosen_now)
        rows.focus()

    def lines(self) -> list[str]:
        """The question and what can be chosen."""
        return [self._question, *self._choices]

    @on(Opened)
    def _chosen(self, message: Opened) -> None:
        self.dismiss(message.row)


class ConfirmDialog(Dialog[bool]):
    """Asks whether something is to be done."""

    HINTS = Hints(("confirm.yes",), last=("confirm.no", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Yes", id="confirm.yes", tooltip="Do it"),
        Binding("n,q,escape", "dismiss(False)", "No", id="confirm.no", tooltip="Leave it as it is"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="form"):
            yield Label(self._question, classes="form-title")
            yield self.hints()

    def lines(self) -> list[str]:
        """The question."""
        return [self._question, "y  yes      n  no"]


class DetailsDialog(Dialog[None]):
    """Shows lines of any length, wrapped."""

    HINTS = Hints(("text.down", "text.up"), last=("details.close", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape,enter", "dismiss(None)", "Close", id="details.close", tooltip="Close this"),
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

    def show_more(self, lines: Sequence[str]) -> None:
        """Show other lines, of something that changed meanwhile."""
        self._lines = list(lines)
        self.query_one(TextPane).show(Text("\n".join(self._lines)))

    def lines(self) -> list[str]:
        """The title and all lines."""
        return [self._title, *self._lines]
