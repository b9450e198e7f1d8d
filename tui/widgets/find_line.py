"""The line in which one types what to find in a list."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.widgets.row_list import RowList

__all__ = ["FindLine"]


class FindLine(Input):
    """Appears for ``/``, finds in a list while one types, and goes away on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", id="find.leave", tooltip="Leave without looking further", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="find-line", placeholder="find in this list", compact=True)
        self._list: RowList | None = None
        self.display = False

    def open_for(self, rows: RowList) -> None:
        """Ask what to find in a list."""
        self._list = rows
        self.value = ""
        self.display = True
        self.screen.set_focus(self)  # at once: what is typed next is for it

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._list is not None and self.display:
            self._list.find(self.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_leave()

    def action_leave(self) -> None:
        self.display = False
        if self._list is not None:
            self._list.focus()
