"""One of a few words, told by a mark and not by a colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widget import Widget

from tui.messages import Chosen
from tui.shown import Text

__all__ = ["Choice"]


class Choice(Widget, can_focus=True):
    """A line with all the words, of which one is chosen. Posts Chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,l,right", "step(1)", "Next", id="choice.next", tooltip="Choose the next one", show=False),
        Binding("h,left", "step(-1)", "Previous", id="choice.previous", tooltip="Choose the one before", show=False),
    ]

    place: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str], *, id: str) -> None:
        super().__init__(id=id)
        self._words = tuple(words)

    @property
    def value(self) -> str:
        """The word that is chosen."""
        return self._words[self.place]

    def render(self) -> Text:
        text = Text("  ", no_wrap=True).join(
            Text(f"({'*' if word == self.value else ' '}) {word}", "bold" if word == self.value else "")
            for word in self._words
        )
        return Text.assemble(text, style="reverse" if self.has_focus else "")

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def action_step(self, step: int) -> None:
        self.place = (self.place + step) % len(self._words)
        self.post_message(Chosen(self.id or "", self.value))
