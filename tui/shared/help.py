"""The keys of a screen, made from the bindings that are in force."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen

from tui.keys.in_force import LiveKeys, keys_out_of_focus, live_keys
from tui.shown import Static, Text
from tui.widgets.row_list import RowList

__all__ = ["HelpScreen", "help_lines"]

_HEADINGS = ("Here", "In a list", "In a text", "In a line of input", "Everywhere")
_KEY_CELLS = 17
_MOST_CELLS = 76
_FRAME_CELLS = 5
"""For the frame, the mark of the cursor and the scroll bar."""


def help_lines(screen: Screen[object], changed: Mapping[str, str]) -> list[str]:
    """What each key does on a screen, as it is now: a line for each binding, its keys first, under headings.

    ``changed`` holds the keys that the user changed, by the ids of their bindings.
    """
    live = live_keys(screen)
    entries = [*live, *keys_out_of_focus(screen, live, dict(changed))]
    lines: list[str] = []
    for heading in _HEADINGS:
        told = [_line(entry) for entry in entries if entry.heading == heading]
        if told:
            lines += [*([""] if lines else []), heading, *told]
    return lines


def _line(entry: LiveKeys) -> str:
    return f"  {' '.join(entry.keys):<{_KEY_CELLS}} {entry.told or entry.binding.description}"


def _folded(line: str, width: int) -> list[str]:
    """A line in lines that fit, the explanation below itself."""
    indent = " " * (_KEY_CELLS + 3)
    return textwrap.wrap(line, width, subsequent_indent=indent, drop_whitespace=True) or [""]


class HelpScreen(ModalScreen[None]):
    """Shows the keys of the screen below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape,question_mark,f1", "dismiss", "Close", id="help.close", tooltip="Close the help"),
    ]

    def __init__(self, below: Screen[object], changed: Mapping[str, str]) -> None:
        """``changed`` as for ``help_lines``."""
        super().__init__()
        self._lines = help_lines(below, changed)
        self._folded: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("Keys on this screen; q closes", id="help-title")
        yield RowList(id="help-rows")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()

    def on_resize(self) -> None:
        """Fold the lines to the width that there is."""
        rows = self.query_one(RowList)
        width = min(self.size.width, _MOST_CELLS) - _FRAME_CELLS
        self._folded = [part for line in self._lines for part in _folded(line, width)]
        rows.show_rows(len(self._folded), self._row, cursor=rows.cursor)

    def lines(self) -> list[str]:
        """The keys and what they do."""
        return list(self._lines)

    def _row(self, row: int) -> Text:
        line = self._folded[row]
        return Text(line, "" if line.startswith(" ") else "bold")
