"""What was found: the list, and beside or below it the detail of the row with the cursor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container

from corpusdb.base.display import cell_safe, counted
from corpusdb.corpus.queries.translations import SentenceDetail, sentence_detail
from corpusdb.rules.queries.rewritings import JAPANESE, TextRewritings, kept_rewritings_of
from corpusdb.rules.report import lineage_told
from corpusdb.search.queries.concordance import Concordance, LinePlace
from corpusdb.search.queries.line_categories import categories_of
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Hits
from corpusdb.search.report import meant_told
from tui.kit.messages import Highlighted
from tui.kit.reader import DatabaseReader
from tui.kit.rewriting_lines import marked_texts
from tui.kit.row_list import RowList, TextPane
from tui.kit.shown import Text
from tui.search.rows import Answer, CategoryColumn, GroupRows, HitRows, LineRows, SentenceRows

__all__ = [
    "Results",
    "SentencePane",
    "detail_text",
]


# What the corpus knows of the sentence with the cursor: translations, places, paraphrases, rewritings.


class SentencePane(TextPane):
    """Shows the detail of one sentence."""

    def show_detail(self, text: str, detail: SentenceDetail, rewritings: TextRewritings | None = None) -> None:
        """Show what is known of a sentence, and the rewritings of it that are kept."""
        self.show(detail_text(text, detail, rewritings))


def detail_text(text: str, detail: SentenceDetail, rewritings: TextRewritings | None = None) -> Text:
    """The sentence, its translations with their languages and distances, its places, what rules make of it."""
    counts = [
        (len(detail.translations), "translations"),
        (detail.paraphrases, "paraphrases"),
        (len(detail.places), "places"),
    ]
    if rewritings is not None:
        counts.append((len(rewritings.rewritings), "rewritings"))
    told = ", ".join(counted(count, noun) for count, noun in counts)
    lines = [Text.assemble((cell_safe(text), "bold"), f"\n#{detail.sentence}: {told}")]
    lines += [
        Text.assemble((f"{each.language} {each.distance}  ", "bold"), cell_safe(each.text))
        for each in detail.translations
    ]
    lines += [Text(f"in {place}") for place in detail.places]
    for each in rewritings.rewritings if rewritings is not None else ():
        told = f"  {cell_safe(lineage_told(each))}"
        lines.append(Text.assemble(("by rules  ", "bold"), marked_texts(text, each)[1], told))
    return Text("\n").join(lines)


# What was found in the corpus: the list, and beside or below it the detail of the row with the cursor.


_Told = TypeVar("_Told")
_Detail: TypeAlias = tuple[SentenceDetail, TextRewritings | None]


class _Ask(Protocol):
    """Asks a question of a kind, and hands its answer on."""

    def __call__(
        self, question: Callable[[DatabaseReader], _Told], then: Callable[[_Told], None], kind: str | None = None, /
    ) -> object: ...


def _nothing_told(words: SearchRequest) -> str:
    """What stands where nothing is found, with the way to what the pattern looks like."""
    meant = meant_told(words)
    if meant is None:
        return "No sentence holds this."
    mode, told = meant
    return f"No sentence holds this: {told}.\n\n  m goes to the next kind of pattern, until it is {mode}."


class Results(Container):
    """Sentences, lines of a concordance or groups of these, and what is known of the sentence with the cursor."""

    def __init__(
        self,
        ask: _Ask,
        *,
        id: str,
    ) -> None:
        """``ask`` asks a question of a kind, and hands its answer on."""
        super().__init__(id=id)
        self._ask = ask
        self.found: HitRows | None = None
        """The rows, once something was searched for."""
        self.categories = CategoryColumn()
        """The categories beside the lines of a concordance."""
        self._words = SearchRequest()
        self._detailed: tuple[object, ...] = ()
        """The sentence and its translations that the detail shows, or is asked for."""

    def compose(self) -> ComposeResult:
        yield RowList(id="hits", empty="")
        yield SentencePane(id="detail")

    @property
    def rows(self) -> RowList:
        return self.query_one("#hits", RowList)

    @property
    def pane(self) -> SentencePane:
        return self.query_one("#detail", SentencePane)

    def lines(self) -> list[str]:
        """How much was found, the rows, and the detail of the one with the cursor."""
        summary = [self.found.summary] if self.found else []
        return [*summary, *self.rows.lines(), *self.pane.lines()]

    def show_found(self, found: Answer, words: SearchRequest, goal: int | None) -> HitRows:
        """Show what some words found, with the cursor on the sentence that is the ``goal`` if it is there."""
        self.found, self._words = self._rows_of(found), words
        cursor = self.found.row_of(goal) if goal is not None and isinstance(self.found, SentenceRows) else None
        empty = _nothing_told(words) if words.pattern or not words.kwic else "KWIC: type a pattern."
        self.rows.show_rows(self.found.count, self.found.text, cursor=cursor or 0, empty=empty)
        if not self.found.count:
            self.pane.show(Text())
        self._detailed = ()
        self._ask_categories()
        return self.found

    def show_nothing(self, told: str) -> None:
        """Show no rows but some lines that say why."""
        self.found, self._detailed = None, ()
        self.rows.show_rows(0, lambda row: Text(), empty=told)
        self.pane.show(Text())

    def _rows_of(self, found: Answer) -> HitRows:
        if isinstance(found, Hits):
            return SentenceRows(found, self._width)
        if isinstance(found, Concordance):
            return LineRows(found, self._width, self.categories)
        concordance, groups = found
        return GroupRows(groups, concordance)

    def _width(self) -> int:
        """How many cells there are for a row, without the mark of the cursor."""
        return self.rows.scrollable_content_region.width - 2

    def _ask_categories(self) -> None:
        """Show the categories of the set that is wanted beside the lines of a concordance."""
        name = self._words.categories
        if name and isinstance(self.found, LineRows):
            self._ask(lambda reader: categories_of(reader.store, name), self._show_categories, "categories")

    def _show_categories(self, found: Mapping[LinePlace, str]) -> None:
        self.categories.fill(found)
        self.rows.refresh()

    def go_to(self, sentence: int) -> bool:
        """Put the cursor on a sentence; False where it was not found."""
        row = self.found.row_of(sentence) if isinstance(self.found, SentenceRows) else None
        if row is not None:
            self.rows.cursor = row
        return row is not None

    def show_with(self, words: SearchRequest) -> None:
        """Show what was found with the translations and the categories that ``words`` want shown, as they are now."""
        self._words = words
        self._ask_detail(self.rows.cursor)
        self._ask_categories()

    def toggle_detail(self) -> None:
        """Hide the detail, or show it."""
        shown = self.pane.display
        self.set_class(shown, "without-detail")
        self.set_class(not shown, "with-detail")
        self.call_after_refresh(lambda: self._ask_detail(self.rows.cursor))

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(lambda: self._ask_detail(self.rows.cursor))

    @on(Highlighted)
    def _highlighted(self, message: Highlighted) -> None:
        self._ask_detail(message.row)

    def _ask_detail(self, row: int) -> None:
        pane, rows, words = self.pane, self.found, self._words
        if rows is None or row >= rows.count or not pane.display:
            return
        sentence = rows.sentence(row)
        if sentence is None:
            pane.show(Text())
            return
        number, text = sentence
        wanted = (number, words.shown, words.distance)
        if wanted == self._detailed:
            return
        self._detailed = wanted
        languages = words.shown_languages

        def question(reader: DatabaseReader) -> _Detail:
            detail = sentence_detail(reader.store, number, languages, words.distance)
            return detail, kept_rewritings_of(reader.store, text) if words.lang == JAPANESE else None

        self._ask(question, lambda found: pane.show_detail(text, *found), "detail")

    def chosen_texts(self) -> list[str]:
        """The selected sentences, else the one with the cursor."""
        if self.found is None or not self.found.count:
            return []
        chosen = [self.found.sentence(row) for row in sorted(self.rows.selected) or [self.rows.cursor]]
        return list(dict.fromkeys(sentence[1] for sentence in chosen if sentence is not None))

    @property
    def current(self) -> int | None:
        """The sentence with the cursor, by its number."""
        if self.found is None or not self.found.count:
            return None
        sentence = self.found.sentence(self.rows.cursor)
        return None if sentence is None else sentence[0]

    def match(self) -> str:
        """What matched first in the row with the cursor; "" where nothing did."""
        return self.found.match(self.rows.cursor) if self.found is not None and self.found.count else ""
