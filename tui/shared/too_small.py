"""What stands on a terminal in which nothing else has room."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen

from tui.shown import Static

__all__ = ["LEAST_HEIGHT", "LEAST_WIDTH", "TooSmallScreen"]

LEAST_WIDTH, LEAST_HEIGHT = 40, 10


class TooSmallScreen(ModalScreen[None]):
    """Says that the terminal is too small, until it is made larger."""

    def compose(self) -> ComposeResult:
        yield Static("\n".join(self.lines()), id="too-small")

    def lines(self) -> list[str]:
        """How large a terminal is needed."""
        return ["This terminal is too small.", f"{LEAST_WIDTH}x{LEAST_HEIGHT} are needed.", "ctrl+q leaves."]
