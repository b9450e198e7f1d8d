"""The top of the place: the line in which one types what to search for, its mode and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from corpusdb.search.queries.request import SearchRequest
from tui.kit.messages import StatusChanged
from tui.kit.shown import Static
from tui.search.forms import mode_text, view_text

__all__ = [
    "SearchHead",
    "SearchLine",
]


# The line in which one types what to search for; it recalls what was searched for before, and how.


class SearchLine(Input):
    """Posts Changed with every keystroke, Recalled with a search of before, and Left when somebody is done with it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that keys which are typed fast behind it already go to the results.
        Binding(
            "enter", "results", "Results", id="search.results", tooltip="Go to the results", show=False, priority=True
        ),
        Binding("escape", "leave", "Results", id="search.leave", tooltip="Go to the results", show=False),
        Binding("up", "earlier", "Earlier", id="search.earlier", tooltip="Recall the search before", show=False),
        Binding("down", "later", "Later", id="search.later", tooltip="Recall the later one; the results", show=False),
    ]

    class Left(Message):
        """The line was left for the results."""

    @dataclass
    class Recalled(Message):
        """A search of before was recalled."""

        request: SearchRequest

    def __init__(self, *, id: str, results: str) -> None:
        """``results``: the id of the widget that gets the focus when the line is left."""
        super().__init__(id=id, placeholder="all sentences; / to search", compact=True, select_on_focus=False)
        self._results = results
        self._earlier: list[SearchRequest] = []
        self._place = 0
        """How many searches back; 0 is what is being typed."""
        self.request = SearchRequest()
        """How it is searched now."""
        self._typed = SearchRequest()
        self.fault = ""
        """What is wrong with what is searched for, in the mode that it is searched in; empty where nothing is."""

    def remember(self, requests: Sequence[SearchRequest]) -> None:
        """Searches to recall, oldest first; others come behind those that are known, as they were arranged last."""
        kept: dict[SearchRequest, SearchRequest] = {}
        for request in reversed([*self._earlier, *requests]):
            if request.pattern:
                kept.setdefault(_not_arranged(request), request)
        self._earlier = list(reversed(kept.values()))
        self._place = 0

    def action_results(self) -> None:
        """Go to the results; where something is wrong with the search there are none, and it can be mended."""
        if self.fault:
            self.post_message(StatusChanged(f"{self.fault}; escape leaves the line", is_error=True))
        else:
            self.action_leave()

    def action_leave(self) -> None:
        self.screen.set_focus(self.screen.query_one(f"#{self._results}"))
        self.post_message(self.Left())

    def action_earlier(self) -> None:
        if self._place == 0:
            self._typed = replace(self.request, pattern=self.value)
        self._recall(min(self._place + 1, len(self._earlier)))

    def action_later(self) -> None:
        if self._place:
            self._recall(self._place - 1)
        else:
            self.action_leave()

    def _recall(self, place: int) -> None:
        self._place = place
        recalled = self._earlier[-place] if place else self._typed
        with self.prevent(Input.Changed):  # the words alone would be searched for first
            self.value = recalled.pattern
        self.cursor_position = len(self.value)
        self.post_message(self.Recalled(recalled))


def _not_arranged(request: SearchRequest) -> SearchRequest:
    """The same whether sentences or lines are wanted, and whichever of these."""
    return replace(request, kwic=False, sort="corpus", sample=None, seed=1, group=None)


# The top of the corpus place: the mode, the line in which one types, and the conditions.


class SearchHead:
    """Shows what is searched for, in two lines."""

    def __init__(self, *, results: str) -> None:
        """``results``: the id of the widget that gets the focus when the line is left."""
        self.line = SearchLine(id="search", results=results)
        self._mode = Static("", id="search-mode")
        self._filters = Static("", id="filters")

    def compose(self) -> ComposeResult:
        """The widgets."""
        with Horizontal(id="search-row"):
            yield self._mode
            yield self.line
        yield self._filters

    def show(self, words: SearchRequest) -> None:
        """Show everything but the pattern, which stands in the line if it was typed there."""
        self.line.request = words
        self._mode.update(mode_text(words))
        self._filters.update(view_text(words))

    def show_fault(self, fault: str, *, is_left: bool = False) -> None:
        """Keep what is wrong with the search, empty where nothing is; where the line ``is_left`` already, go back."""
        self.line.fault = fault
        if fault and is_left:
            self.line.focus()

    def show_pattern(self, pattern: str) -> None:
        """Put a pattern that was not typed into the line."""
        with self.line.prevent(Input.Changed):
            self.line.value = pattern
