"""The top of the corpus place: the mode, the line in which one types, and the conditions."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from corpusdb.queries.search.request import SearchRequest
from tui.corpus.forms import mode_text, view_text
from tui.corpus.search_line import SearchLine
from tui.shown import Static

__all__ = ["SearchHead"]


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
