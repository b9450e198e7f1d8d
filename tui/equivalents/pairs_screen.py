"""The pairs of sentences in which two phrases are aligned with each other, or a word with nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.display import cell_safe
from corpusdb.queries.alignment.linked_pairs import LinkedPair
from corpusdb.queries.alignment.phrases.phrase_places import AlignedPhrase, PhrasePlaces, phrase_places
from corpusdb.reports.alignments import NOTHING
from tui.background.reader import DatabaseReader
from tui.equivalents.rows import marked_text, pair_row
from tui.messages import CorpusWanted, Highlighted, Opened
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints
from tui.widgets.row_list import RowList

__all__ = ["PairsScreen"]

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
