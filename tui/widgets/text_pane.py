"""A text of any length, wrapped, that scrolls where it is longer than its place."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.shown import Static, Text

__all__ = ["TextPane"]


class TextPane(VerticalScroll):
    """Shows a text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_down", "Down", id="text.down", tooltip="Scroll the text down", show=False),
        Binding("k,up", "scroll_up", "Up", id="text.up", tooltip="Scroll the text up", show=False),
    ]

    def __init__(self, text: Text | None = None, *, id: str) -> None:
        super().__init__(id=id)
        self.text = text or Text()

    def compose(self) -> ComposeResult:
        yield Static(self.text)

    def show(self, text: Text, *, stays: bool = False) -> None:
        """Show another text, from its beginning; the same one, or with ``stays``, stays where it is."""
        if text == self.text:
            return
        self.text = text
        self.query_one(Static).update(text)
        if not stays:
            self.scroll_home(animate=False)

    def lines(self) -> list[str]:
        """The lines of the text as they were given, but for empty ones."""
        return [line for line in self.text.plain.split("\n") if line.strip()]
