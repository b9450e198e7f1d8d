"""Lines of a profile: those of a bar, of a document, or between two thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual import on
from textual.app import ComposeResult

from corpusdb.arrays import F64, I64
from corpusdb.cells import padded
from corpusdb.display import cell_safe
from corpusdb.queries.homogeneity.profile_levels import Level
from corpusdb.queries.homogeneity.seen.keeping import keep_lines, line_places
from corpusdb.queries.homogeneity.seen.profile_view import ProfileView
from corpusdb.store import Store
from tui.messages import Opened
from tui.profile.rows import cut, figure
from tui.profile.sentences_screen import SentencesScreen
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints, Legend
from tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from corpusdb.textsearch.corpus_text import LanguageText

__all__ = ["EntriesScreen", "LinesScreen"]

_SCALES = f"{'I':>7} {'J':>7}"


class LinesScreen(SentencesScreen):
    """Lines in the order in which they are given, with their values."""

    COLUMNS: ClassVar[str] = f"{_SCALES}  chars  line"

    def __init__(self, title: str, view: ProfileView, places: I64, seen: dict[str, object]) -> None:
        """``places`` of lines in the view; ``seen`` says what they are, for a selection of them."""
        super().__init__(title, view.profile.language)
        self._view = view
        self._places = places
        self._seen = seen
        self._texts: LanguageText | None = None
        self._values = _Values.of(view, "line")

    def on_mount(self) -> None:
        language = self.language
        self.query_one(HeadLine).show(cell_safe(self.title_told), self.counted)
        self.ask(lambda reader: reader.searcher.text(language), self._read)

    def _read(self, texts: LanguageText) -> None:
        self._texts = texts
        self.show_sentences(self.count, "No lines here.")

    @property
    def count(self) -> int:
        return len(self._places)

    def sentence(self, row: int) -> tuple[int, str]:
        number = int(self._view.lines.sentences[self._places[row]])
        if self._texts is None:
            return number, ""
        return number, self._texts.lines[int(np.searchsorted(self._texts.sentences, number))]

    def figures(self, row: int) -> str:
        place = int(self._places[row])
        characters = f"{int(self._view.lines.statistics.characters[place]):,}"
        return f"{self._values.told(place)} {padded(characters, 6, right=True)} "

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        places = self._places[rows]
        if others:
            places = np.setdiff1d(np.arange(len(self._view.lines.sentences)), places)
        seen = self._seen | {"others": others} | ({"chosen": len(rows)} if len(rows) < self.count else {})
        return keep_lines(store, name, self._view, places, seen)


class EntriesScreen(PlaceScreen):
    """The documents or collections of a bar. Enter lists the lines of one."""

    PLACE = "profile"
    AUTO_FOCUS = "#profile-entries"
    REACHED = "Enter on a bar"
    HINTS = Hints(("list.open", "screen.find", "screen.copy"))

    def __init__(self, title: str, view: ProfileView, level: Level, places: I64) -> None:
        super().__init__()
        self._title_told = title
        self._view = view
        self._level: Level = level
        self._places = places
        self._values = _Values.of(view, level)

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        yield Static(f"  {_SCALES}   lines  not measured  {self._level}", id="profile-columns")
        yield RowList(id="profile-entries", empty=f"No {self._level} here.")

    def on_mount(self) -> None:
        count = len(self._places)
        noun = self._level if count == 1 else f"{self._level}s"
        self.query_one(HeadLine).show(cell_safe(self._title_told), f"{count:,} {noun}")
        self.query_one(RowList).show_rows(count, self._row)

    def _row(self, row: int) -> Text:
        if self._view.groups is None:
            return Text()
        place, sums = int(self._places[row]), self._view.groups[self._level]
        lines, left_out, _ = (f"{int(count):,}" for count in sums.counts[place])
        counts = f"{padded(lines, 7, right=True)} {padded(left_out, 13, right=True)}"
        figures = f"{self._values.told(place)} {counts}  "
        return Text(figures + cut(sums.names[place], self.size.width - len(figures) - 4), no_wrap=True)

    def lines(self) -> list[str]:
        """The title, the entries, and the keys."""
        head = self.query_one(HeadLine)
        return [f"{head.left}  {head.right}", *super().lines(), self.query_one(Legend).line()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """The lines of the document, by their value."""
        view, level, chosen = self._view, self._level, self._places[[message.row]]
        if view.groups is None:
            return
        name = view.groups[level].names[int(chosen[0])]

        def show(places: I64) -> None:
            values = view.order("line", "I").values[places]
            ordered = places[np.lexsort((values, np.isnan(values)))]
            seen: dict[str, object] = {"level": "line", "seen": f"{level} {name}"}
            self.app.push_screen(LinesScreen(f"{level} {name}", view, ordered, seen))

        self.ask(lambda reader: line_places(reader.store, view, level, chosen), show)


@dataclass(frozen=True, slots=True)
class _Values:
    """I and, where there is such a scale, J of every entry of a level."""

    first: F64
    second: F64 | None

    @classmethod
    def of(cls, view: ProfileView, level: Level) -> _Values:
        linear = None if view.profile.scale is None else view.order(level, "J").values
        return cls(view.order(level, "I").values, linear)

    def told(self, place: int) -> str:
        """Both of one entry."""
        second = math.nan if self.second is None else float(self.second[place])
        return f"{figure(float(self.first[place]))} {figure(second)}"
