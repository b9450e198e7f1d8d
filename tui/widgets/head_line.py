"""A line with something on the left and something on the right, which changes without a new layout of the screen."""

from __future__ import annotations

from textual.widget import Widget

from tui.shown import Text

__all__ = ["HeadLine"]


class HeadLine(Widget):
    """The right side is shown whole; the left has what it leaves."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.left = ""
        self.right = ""

    def show(self, left: str, right: str) -> None:
        """Show other texts."""
        self.left, self.right = left, right
        self.refresh()

    def render(self) -> Text:
        right = Text(f"  {self.right}", "bold", no_wrap=True)
        left = Text(self.left, no_wrap=True)
        left.truncate(max(self.size.width - right.cell_len, 1), overflow="ellipsis", pad=True)
        return left + right
