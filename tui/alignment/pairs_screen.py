"""The pairs of sentences in which two phrases are aligned, and the pivots through which two are equivalent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.alignment.queries.equivalents import Pivot, pivots_of
from corpusdb.alignment.queries.pairs import LinkedPair
from corpusdb.alignment.queries.phrase_places import AlignedPhrase, PhrasePlaces, phrase_places
from corpusdb.alignment.report import NOTHING
from corpusdb.base.display import cell_safe
from tui.alignment.lookup import PIVOT_COLUMNS, marked_text, pair_row, pivot_row
from tui.kit.lines import HeadLine, Hints
from tui.kit.messages import CorpusWanted, Highlighted, Opened
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text

__all__ = [
    "PairsScreen",
    "PivotsScreen",
]


# The pairs of sentences in which two phrases are aligned with each other, or a word with nothing.


_FIRST_PAIRS = 300


@dataclass(frozen=True, slots=True)
class _Row:
    """A pair of sentences, or the line above those of one pair of phrases."""

    asked: AlignedPhrase
    pair: LinkedPair | None
    told: str = ""


class PairsScreen(PlaceScreen):
    """The pairs, the shortest first; below them the one under the cursor, whole."""

    PLACE = "equivalents"
    AUTO_FOCUS = "#pairs"
    REACHED = "Enter on a translation"
    HINTS = Hints(("list.open", "pairs.all", "screen.copy"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "all", "All", id="pairs.all", tooltip="All pairs of sentences, not only the first 300"),
    ]

    def __init__(self, asked: Sequence[AlignedPhrase]) -> None:
        """``asked``: the pairs of phrases, one after the other; all have the same first language."""
        super().__init__()
        self._asked = tuple(asked)
        self._rows: list[_Row] = []
        self._is_all = True

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="pairs-head")
        yield RowList(id="pairs", empty="...")
        yield Static("", id="pair-texts")

    def on_mount(self) -> None:
        self._load(_FIRST_PAIRS)

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()

    def _load(self, limit: int) -> None:
        def question(reader: DatabaseReader) -> list[PhrasePlaces]:
            return [phrase_places(reader.store, reader.searcher, each, limit) for each in self._asked]

        self.ask(question, self._show, kind="pairs")

    def _show(self, found: list[PhrasePlaces]) -> None:
        self._rows = []
        for asked, places in zip(self._asked, found, strict=True):
            if len(self._asked) > 1:
                self._rows.append(_Row(asked, None, f"{_named(asked)}  {_counted(places)}"))
            self._rows += [_Row(asked, pair) for pair in places.pairs]
        self._is_all = all(each.is_all for each in found)
        head = " and ".join(dict.fromkeys(map(_named, self._asked)))
        self.query_one(HeadLine).show(cell_safe(head), _counted(found[0]) if len(found) == 1 else "")
        self.query_one(RowList).show_rows(len(self._rows), self._row, empty="No pair of sentences.")
        self._show_texts()
        if not self._is_all:
            self.say(f"the first {_FIRST_PAIRS:,} pairs; a shows all")

    def _row(self, at: int) -> Text:
        row = self._rows[at]
        if row.pair is None:
            return Text(cell_safe(row.told), "bold")
        return pair_row(row.pair, self.size.width - 3)

    @on(Highlighted)
    def _show_texts(self) -> None:
        """The whole pair under the cursor."""
        rows = self.query_one(RowList)
        row = self._rows[rows.cursor] if self._rows else None
        text = Text()
        if row is not None and row.pair is not None:
            own = marked_text(row.pair.text, row.pair.marks)
            other = marked_text(row.pair.translation, row.pair.translation_marks)
            text = Text("\n").join(
                [
                    Text.assemble((f"{row.asked.language}  ", "bold"), own),
                    Text.assemble((f"{row.asked.other}  ", "bold"), other),
                ]
            )
        self.query_one("#pair-texts", Static).update(text)

    def lines(self) -> list[str]:
        """The phrases, and each pair as two texts with a tab between them."""
        told = [" and ".join(dict.fromkeys(map(_named, self._asked)))]
        for row in self._rows:
            if row.pair is None:
                told.append(row.told)
            else:
                own = marked_text(row.pair.text, row.pair.marks).plain
                told.append(f"{own}\t{marked_text(row.pair.translation, row.pair.translation_marks).plain}")
        return told

    def action_all(self) -> None:
        if self._is_all:
            self.say("these are all")
        else:
            self.say("reading ...")
            self._load(0)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """The sentence in the corpus."""
        row = self._rows[message.row]
        if row.pair is not None:
            self.app.post_message(CorpusWanted(row.pair.text, row.asked.language))


def _named(asked: AlignedPhrase) -> str:
    return f"{asked.text} - {NOTHING if asked.translation is None else asked.translation}"


def _counted(places: PhrasePlaces) -> str:
    count = len(places.pairs)
    pairs = f"{count:,} pair{'' if count == 1 else 's'}{'' if places.is_all else ' of more'}"
    return pairs if places.places == count else f"{pairs}, {places.places:,} places"


# Why two phrases count as equivalent: the phrases of other languages that both are aligned with.


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
