"""The line that says what is happening."""

from __future__ import annotations

from textual.reactive import reactive
from textual.widget import Widget

from tui.meanings import FAULT
from tui.shown import Text

__all__ = ["StatusLine"]


class StatusLine(Widget):
    """What was last said on the left; on the right what runs in the background, and what holds all the time."""

    message: reactive[str] = reactive("")
    is_error: reactive[bool] = reactive(False)
    job: reactive[str] = reactive("")
    unwritten: reactive[int] = reactive(0)

    def __init__(self, *, id: str, mark: str = "") -> None:
        super().__init__(id=id)
        self._mark = mark

    def show_job(self, text: str) -> None:
        """Show what runs in the background."""
        self.job = text

    def show_unwritten(self, count: int) -> None:
        """Show how many changes wait until no other process writes."""
        self.unwritten = count

    def say(self, text: str, *, is_error: bool = False) -> None:
        """Show a message until the next one."""
        self.message = " ".join(text.splitlines()) if is_error else text
        self.is_error = is_error

    def render(self) -> Text:
        width = self.size.width
        waiting = f"~ {self.unwritten:,} to write: another process writes" if self.unwritten else ""
        shown = [*filter(None, (waiting, self.job, self._mark))]
        right = Text(" | ".join(["", *shown]) if shown else "")
        right.truncate(max(width // 2, 1), overflow="ellipsis")
        left = Text(f"! {self.message}" if self.is_error else self.message, FAULT if self.is_error else "")
        left.truncate(max(width - right.cell_len, 1), overflow="ellipsis", pad=True)
        return left + right
