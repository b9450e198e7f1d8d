"""Why two phrases count as equivalent: the phrases of other languages that both are aligned with."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult

from corpusdb.display import cell_safe
from corpusdb.queries.alignment.equivalents import Pivot, pivots_of
from corpusdb.queries.alignment.linked_pairs import LinkedPair
from corpusdb.queries.alignment.phrases.phrase_places import AlignedPhrase, phrase_places
from tui.background.reader import DatabaseReader
from tui.equivalents.pairs_screen import PairsScreen
from tui.equivalents.rows import PIVOT_COLUMNS, marked_text, pivot_row
from tui.messages import Highlighted, Opened
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints
from tui.widgets.row_list import RowList

__all__ = ["PivotsScreen"]

_PAIRS_LOOKED_AT = 20
"""Of so many pairs of sentences the shortest is the example."""


@dataclass(frozen=True, slots=True)
class _Examples:
    row: int
    pairs: tuple[LinkedPair | None, ...]


class PivotsScreen(PlaceScreen):
    """The shared phrases, those that add most first; below them an example of each side of the one under the cursor."""

    PLACE = "equivalents"
    AUTO_FOCUS = "#pivots"
    REACHED = "Enter on an equivalent"
    HINTS = Hints(("list.open", "screen.copy"))

    def __init__(self, language: str, text: str, equivalent: str) -> None:
        super().__init__()
        self._language = language
        self._texts = (text, equivalent)
        self._pivots: list[Pivot] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="pivots-head")
        yield Static(f"  {PIVOT_COLUMNS}", id="pivots-columns", classes="aligned-columns")
        yield RowList(id="pivots", empty="...")
        yield Static("", id="pivot-texts")

    def on_mount(self) -> None:
        text, equivalent = self._texts
        self.ask(lambda reader: pivots_of(reader.store, self._language, text, equivalent), self._show)

    def _show(self, found: list[Pivot]) -> None:
        self._pivots = found
        text, equivalent = self._texts
        told = f"{len(found):,} translation{'' if len(found) == 1 else 's'} of both"
        self.query_one(HeadLine).show(cell_safe(f"{text} = {equivalent} ({self._language})"), told)
        self.query_one(RowList).show_rows(
            len(found), lambda row: pivot_row(self._pivots[row]), empty="They share no translation."
        )

    def _asked(self, row: int) -> list[AlignedPhrase]:
        pivot = self._pivots[row]
        return [AlignedPhrase(self._language, text, pivot.language, pivot.text) for text in self._texts]

    @on(Highlighted)
    def _ask_examples(self, message: Highlighted) -> None:
        asked = self._asked(message.row)

        def question(reader: DatabaseReader) -> _Examples:
            found = [phrase_places(reader.store, reader.searcher, each, _PAIRS_LOOKED_AT) for each in asked]
            return _Examples(message.row, tuple(next(iter(each.pairs), None) for each in found))

        self.ask(question, self._show_examples, kind="pivot")

    def _show_examples(self, found: _Examples) -> None:
        lines = []
        for pair in found.pairs:
            if pair is not None:
                other = marked_text(pair.translation, pair.translation_marks)
                lines.append(Text.assemble(marked_text(pair.text, pair.marks), "\n  ", other))
        self.query_one("#pivot-texts", Static).update(Text("\n").join(lines))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """All pairs of sentences behind a pivot."""
        self.app.push_screen(PairsScreen(self._asked(message.row)))
