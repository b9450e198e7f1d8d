"""The source and the output of a segment, with a cursor that goes from match to match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from corpusdb.display import cell_safe
from corpusdb.queries.scoretable.segment_view import SegmentView
from tui.scores.matched_texts import CURRENT, matched_output
from tui.shown import Static, Text

__all__ = ["MatchPane"]


class MatchPane(VerticalScroll, can_focus=True):
    """Posts Moved when the cursor comes to another match, and Chosen on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "walk(1)", "Match", id="match.next", tooltip="Go to the next match"),
        Binding("h,left", "walk(-1)", "Match", id="match.previous", tooltip="Go to the match before", show=False),
        Binding("enter", "choose", "Reference", id="match.open", tooltip="Go to a reference that has this match"),
        Binding("j,down", "screen.step(1)", "Next", id="match.down", tooltip="Go to the next segment", show=False),
        Binding("k,up", "screen.step(-1)", "Back", id="match.up", tooltip="Go to the segment before", show=False),
    ]

    class Moved(Message):
        """The cursor is on another match."""

    class Chosen(Message):
        """Somebody pressed Enter on a match."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.current = 0
        """The match under the cursor, from 0."""
        self._view: SegmentView | None = None
        self._names: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static("", id="match-texts")

    def show(self, view: SegmentView, names: tuple[str, ...]) -> None:
        """Show another segment of the systems of these names, from its first match."""
        self._view, self._names, self.current = view, names, 0
        self._draw(is_other=True)
        self.scroll_home(animate=False)

    def _draw(self, *, is_other: bool = False) -> None:
        """Draw the texts; where they are others, their lines may be more or fewer."""
        view = self._view
        if view is None:
            return
        parts = [Text.assemble(("source  ", "bold"), cell_safe(view.source))] if view.source else []
        names = self._names if len(self._names) > 1 else ("output",)
        for at, (name, output) in enumerate(zip(names, view.outputs, strict=True)):
            text = matched_output(output, None if at else self.current)
            parts.append(Text.assemble((f"{cell_safe(name)}  ", "bold"), text))
        self.query_one(Static).update(Text("\n").join(parts), layout=is_other)
        self._scroll_to_match(parts)

    def _scroll_to_match(self, parts: Sequence[Text]) -> None:
        """Bring the match under the cursor into sight, about where its line is, in texts that have no room."""
        width = max(self.scrollable_content_region.width, 1)
        line = 0
        for part in parts:
            here = next((span.start for span in part.spans if span.style == CURRENT), None)
            if here is not None:
                self.scroll_to(y=max(line + here // width - 1, 0), animate=False)
                return
            line += part.cell_len // width + 1

    def lines(self) -> list[str]:
        """The texts."""
        view = self._view
        if view is None:
            return []
        outputs = (f"output of {each.trace.system}: {each.trace.hypothesis}" for each in view.outputs)
        return [f"source: {view.source}", *outputs]

    def action_walk(self, by: int) -> None:
        if self._view is None or not self._view.matches:
            return
        self.current = (self.current + by) % len(self._view.matches)
        self._draw()
        self.post_message(self.Moved())

    def action_choose(self) -> None:
        self.post_message(self.Chosen())
