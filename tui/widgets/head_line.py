"""A line with something on the left and something on the right, which changes without a new layout of the screen."""

from __future__ import annotations

from textual.widget import Widget

from corpusdb.cells import cell_width, cut_right
from tui.shown import Text

__all__ = ["HeadLine"]

_LEAST_NAME = 6
"""Cells that a name has in any case."""


class HeadLine(Widget):
    """The right side is shown whole; the left has what it leaves, and the name before it what both leave."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.name_before = ""
        self.left = ""
        self.right = ""

    def show(self, left: str, right: str, *, name: str = "") -> None:
        """Show other texts; ``name``, which may be of any length, stands before them."""
        self.name_before, self.left, self.right = name, left, right
        self.refresh()

    def render(self) -> Text:
        right = Text(f"  {self.right}", "bold", no_wrap=True)
        room = max(self.size.width - right.cell_len, 1)
        name = cut_right(self.name_before, max(room - cell_width(self.left), _LEAST_NAME))
        left = Text(f"{name}{self.left}", no_wrap=True)
        left.truncate(room, overflow="ellipsis", pad=True)
        return left + right
