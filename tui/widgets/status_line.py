"""The line that says what is happening."""

from __future__ import annotations

from textual.reactive import reactive
from textual.widget import Widget

from tui.shown import Text

__all__ = ["StatusLine"]


class StatusLine(Widget):
    """What was last said on the left; on the right what runs in the background, and what holds all the time."""

    message: reactive[str] = reactive("")
    is_error: reactive[bool] = reactive(False)
    job: reactive[str] = reactive("")

    def __init__(self, *, id: str, mark: str = "") -> None:
        super().__init__(id=id)
        self._mark = mark

    def show_job(self, text: str) -> None:
        """Show what runs in the background."""
        self.job = text

    def say(self, text: str, *, is_error: bool = False) -> None:
        """Show a message until the next one."""
        self.message = " ".join(text.splitlines()) if is_error else text
        self.is_error = is_error

    def render(self) -> Text:
        width = self.size.width
        right = Text(" | ".join(["", *filter(None, (self.job, self._mark))]) if self.job or self._mark else "")
        right.truncate(max(width // 2, 1), overflow="ellipsis")
        left = Text(f"! {self.message}" if self.is_error else self.message, "bold" if self.is_error else "")
        left.truncate(max(width - right.cell_len, 1), overflow="ellipsis", pad=True)
        return left + right
