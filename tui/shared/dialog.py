"""What all dialogs have: a line of hints with the way out, and the help."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from tui.widgets.legend import Hints, Legend

__all__ = ["Dialog"]

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], Generic[Answer]):
    """Stands above a screen, asks something, and goes away with the answer."""

    HINTS: ClassVar[Hints] = Hints()
    """What its line of hints names; the way out first of its ``last``, then the help."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "app.help", "Keys", id="dialog.help", tooltip="Help: the keys of this dialog"),
    ]

    def __init__(self) -> None:
        super().__init__(classes="dialog")

    def hints(self) -> Legend:
        """The line of hints, which is the last one of the dialog."""
        return Legend(self.HINTS)
