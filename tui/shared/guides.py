"""The guides, to be read in the browser: the same texts that `corpusdb guide` shows."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.guides import guide_text, guide_topics
from tui.shared.dialog import Dialog
from tui.shared.dialogs import ChoiceDialog
from tui.shown import Static, Text
from tui.widgets.legend import Hints
from tui.widgets.text_pane import TextPane

__all__ = ["GuideScreen", "choose_guide"]


def choose_guide(app: App[None]) -> None:
    """Ask for a topic, and show its guide."""
    topics = guide_topics()
    names = list(topics)
    width = max(map(len, names))

    def show(chosen: int | None) -> None:
        if chosen is not None:
            app.push_screen(GuideScreen(names[chosen]))

    app.push_screen(ChoiceDialog("Guide", [f"{name:<{width}}  {title}" for name, title in topics.items()]), show)


class GuideScreen(Dialog[None]):
    """Shows a guide over the whole screen."""

    HINTS = Hints(("text.down", "text.up"), last=("guide.close", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape,enter", "dismiss(None)", "Close", id="guide.close", tooltip="Close the guide"),
    ]

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic

    def compose(self) -> ComposeResult:
        yield Static(f"corpusdb guide {self._topic}", id="guide-title")
        yield TextPane(Text(guide_text(self._topic).rstrip("\n")), id="guide")
        yield self.hints()

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()

    def lines(self) -> list[str]:
        """The lines of the guide."""
        return self.query_one(TextPane).lines()
