"""A list of sentences with figures before them: the frame of every list that the place opens."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.cells import cell_width
from corpusdb.display import cell_safe
from corpusdb.store import Store
from tui.corpus.document_screen import DocumentScreen, SentenceInDocument
from tui.messages import CorpusWanted, Highlighted, Opened
from tui.profile.forms import OTHERS, keep_fields, kept_name
from tui.profile.rows import cut
from tui.shared.form import FormDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints, Legend
from tui.widgets.row_list import RowList

__all__ = ["SentencesScreen"]


class SentenceDocument(DocumentScreen):
    """The document of a sentence, as the corpus shows it."""

    PLACE = "profile"


class SentencesScreen(PlaceScreen):
    """One sentence a row; below them the one under the cursor, whole. Enter goes to its document."""

    PLACE = "profile"
    AUTO_FOCUS = "#profile-lines"
    COLUMNS: ClassVar[str] = ""
    """The heading of the figures."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "corpus", "Corpus", id="lines.corpus", tooltip="Search for this sentence in the corpus"),
        Binding("w", "keep", "Save", id="lines.keep", tooltip="Save the selected lines, or all of these, by a name"),
    ]
    REACHED = "Enter on a bar"
    HINTS = Hints(("list.open", "list.select", "lines.keep", "lines.corpus"))

    def __init__(self, title: str, language: str) -> None:
        super().__init__()
        self.title_told = title
        self.language = language

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        yield Static(f"  {self.COLUMNS}", id="profile-columns")
        yield RowList(id="profile-lines", empty="...")
        yield Static("", id="profile-line")

    def show_sentences(self, count: int, empty: str) -> None:
        """Show so many rows."""
        self.query_one(HeadLine).show(cell_safe(self.title_told), self.counted)
        self.query_one(RowList).show_rows(count, self._row, empty=empty)
        self._show_line()

    @property
    def counted(self) -> str:
        """How many there are, for the right of the head."""
        return f"{self.count:,} {'line' if self.count == 1 else 'lines'}"

    @property
    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def sentence(self, row: int) -> tuple[int, str]:
        """Number and text of the sentence of a row."""
        raise NotImplementedError

    def figures(self, row: int) -> str:
        """What stands before it."""
        raise NotImplementedError

    def row_text(self, row: int, width: int) -> Text:
        """The sentence in so many cells."""
        return Text(cut(self.sentence(row)[1], width), no_wrap=True)

    def told(self, row: int) -> Text:
        """The sentence of a row, whole."""
        return Text(cell_safe(self.sentence(row)[1]))

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        """Keep the sentences of some rows as a selection, or all others; how many."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()

    def _row(self, row: int) -> Text:
        figures = Text(f"{self.figures(row)} ", no_wrap=True)
        return figures + self.row_text(row, self.size.width - cell_width(figures.plain) - 4)

    @on(Highlighted)
    def _show_line(self) -> None:
        rows = self.query_one(RowList)
        self.query_one("#profile-line", Static).update(self.told(rows.cursor) if rows.count else Text())

    def lines(self) -> list[str]:
        """The title, the headings, every row whole, and the keys."""
        rows = [f"{self.figures(row)} {self.told(row).plain}" for row in range(self.count)]
        return [f"{self.title_told}  {self.counted}", self.COLUMNS, *rows, self.query_one(Legend).line()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self._show_document(self.sentence(message.row)[0])

    def _show_document(self, sentence: int) -> None:
        def then(chosen: object) -> None:
            if isinstance(chosen, SentenceInDocument):
                self._show_document(chosen.sentence)

        self.app.push_screen(SentenceDocument(sentence), then)

    def action_corpus(self) -> None:
        if self.count:
            text = self.sentence(self.query_one(RowList).cursor)[1]
            self.app.post_message(CorpusWanted(text, self.language))
        else:
            self.say("there is no sentence here", is_error=True)

    def action_keep(self) -> None:
        rows = sorted(self.query_one(RowList).selected) or list(range(self.count))
        if not rows:
            self.say("there is no sentence here", is_error=True)
            return

        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                name, others = values["name"], values["lines"] == OTHERS
                self.write(
                    lambda store: self.keep(store, name, rows, others=others),
                    lambda count: self.say(f"{count:,} lines are saved; `corpusdb select --show {name}` lists them"),
                )

        title = f"Save {len(rows):,} {'line' if len(rows) == 1 else 'lines'} as a selection"
        self.app.push_screen(FormDialog(title, keep_fields("these, or all others"), kept_name), answered)
