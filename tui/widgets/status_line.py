"""The line that says what is happening; what is longer than a line takes two or three."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from corpusdb.cells import cell_width
from tui.meanings import FAULT
from tui.shown import Text

__all__ = ["StatusLine"]

_MOST_LINES = 3


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
        self.message = " ".join(text.splitlines())
        self.is_error = is_error

    def on_mount(self) -> None:
        """Take another line, or give it back, when something else is said."""
        for said in ("message", "is_error", "job", "unwritten"):
            self.watch(self, said, self._take_lines, init=False)

    def _take_lines(self) -> None:
        if self.size.width and len(self._lines(self.size.width)) != self.size.height:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Text:
        return Text("\n").join(self._lines(self.size.width))

    def _lines(self, width: int) -> list[Text]:
        """What is shown in so many cells; what does not fit into the first line goes on in the next ones."""
        waiting = f"~ {self.unwritten:,} to write: another process writes" if self.unwritten else ""
        shown = [*filter(None, (waiting, self.job, self._mark))]
        right = Text(" | ".join(["", *shown]) if shown else "")
        right.truncate(max(width // 2, 1), overflow="ellipsis")
        style, room = FAULT if self.is_error else "", max(width - right.cell_len, 1)
        first, rest = _broken(f"! {self.message}" if self.is_error else self.message, room)
        lines = [_padded(Text(first, style), room) + right]
        while rest and len(lines) < _MOST_LINES:
            # The last one is cut.
            part, rest = (rest, "") if len(lines) == _MOST_LINES - 1 else _broken(rest, max(width, 1))
            lines.append(_padded(Text(part, style), max(width, 1)))
        return lines


def _padded(text: Text, cells: int) -> Text:
    text.truncate(cells, overflow="ellipsis", pad=True)
    return text


def _broken(text: str, cells: int) -> tuple[str, str]:
    """As many words as fit into some cells, and the rest; a first word that is longer is broken itself."""
    if cell_width(text) <= cells:
        return text, ""
    fits = next((end for end in range(min(len(text), cells), 0, -1) if cell_width(text[:end]) <= cells), 1)
    end = fits if text[fits : fits + 1] == " " else text.rfind(" ", 0, fits)
    end = end if end > cells // 2 else fits  # a path is broken rather than moved away from what stands before it
    return text[:end], text[end:].lstrip()
