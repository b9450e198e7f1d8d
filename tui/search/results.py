"""What was found: the list, what is read for it from the database, and beside or below it the detail of a row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from corpusdb.base.cells import cell_width, cut_left, cut_right, padded, wrapped
from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import SECONDS_FOR_PATTERNS, Job, Limit
from corpusdb.corpus.queries.sentences import SentenceDetail, sentence_detail
from corpusdb.search.queries.concordance import Concordance, Group, arrange_lines, place_of
from corpusdb.search.queries.distribution import LinePlace, categories_of
from corpusdb.search.queries.nothing_found import nothing_found
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Hits
from corpusdb.search.report import format_meant, kwic_line
from tui.kit.reader import DatabaseReader, StepwiseJob, Superseded
from tui.kit.shown import Highlighted, RowList, Text, TextPane, marked_texts
from tui.kit.terminal import MATCH
from tui.search.forms import conditions

if TYPE_CHECKING:
    from corpusdb.rules.queries.rewritings import TextRewritings

_KEY = "underline"
_CATEGORY_CELLS = 10
"""Of a longer category the beginning is shown: no other name moves the lines beside it."""


class HitRows(Protocol):
    @property
    def count(self) -> int: ...

    @property
    def summary(self) -> str:
        """How many rows of what, for the status line."""

    def text(self, row: int) -> Text:
        """A row as it is shown."""

    def sentence(self, row: int) -> tuple[int, str] | None:
        """Id and text of the sentence in a row; None where a row is no sentence."""

    def match(self, row: int) -> str:
        """What matched first in a row; "" where nothing did."""


class SentenceRows:
    def __init__(self, hits: Hits, width: Callable[[], int]) -> None:
        """``width``: how many cells there are for a row."""
        self.hits = hits
        self._width = width
        self.count = len(hits)
        self.summary = counted(self.count, "sentences")

    def text(self, row: int) -> Text:
        text = Text(cell_safe(self.hits.text(row)), no_wrap=True)
        spans = self.hits.spans(row)
        for start, stop in spans:
            text.stylize(MATCH, start, stop)
        return in_sight(text, *spans[0], self._width()) if spans else text

    def sentence(self, row: int) -> tuple[int, str] | None:
        return int(self.hits.sentences[row]), self.hits.text(row)

    def row_of(self, sentence: int) -> int | None:
        row = bisect_left(self.hits.sentences, sentence)
        return row if row < self.count and self.hits.sentences[row] == sentence else None

    def match(self, row: int) -> str:
        spans = self.hits.spans(row)
        return self.hits.text(row)[slice(*spans[0])] if spans else ""


class CategoryColumn:
    """The column in front of the lines of a concordance with their categories; no column where there are none."""

    def __init__(self) -> None:
        self.categories: Mapping[LinePlace, str] = {}

    def __len__(self) -> int:
        """Its width in cells, with the gap behind it."""
        return _CATEGORY_CELLS + 2 if self.categories else 0

    def cell(self, place: LinePlace) -> str:
        """What stands before the line of a match."""
        return padded(cut_right(cell_safe(self.categories.get(place, "")), _CATEGORY_CELLS), len(self))


class LineRows:
    def __init__(self, concordance: Concordance, width: Callable[[], int], categories: CategoryColumn) -> None:
        self.concordance = concordance
        self._categories = categories
        self.count = len(concordance)
        self._width = width
        """How many cells there are for a row."""
        sample = f" of {concordance.total:,}, chosen at random," if self.count < concordance.total else ""
        self.summary = f"{counted(self.count, 'lines')}{sample} in {counted(concordance.sentences, 'sentences')}"

    def text(self, row: int) -> Text:
        (line,) = self.concordance.lines(row, 1)
        column = self._categories.cell(place_of(line))
        width = self._width() - len(self._categories)
        return Text(column) + kwic_text(line.left, line.match, line.right, width, self.concordance.key_spans(row))

    def place(self, row: int) -> LinePlace:
        (line,) = self.concordance.lines(row, 1)
        return place_of(line)

    def sentence(self, row: int) -> tuple[int, str] | None:
        (line,) = self.concordance.lines(row, 1)
        return line.sentence, line.left + line.match + line.right

    def match(self, row: int) -> str:
        (line,) = self.concordance.lines(row, 1)
        return line.match


class GroupRows:
    def __init__(self, groups: Sequence[Group], concordance: Concordance) -> None:
        self.groups = groups
        self.concordance = concordance
        self.count = len(groups)
        in_several = "; a line counts in each of its own" * (sum(each.count for each in groups) > len(concordance))
        self.summary = (
            f"{counted(self.count, 'groups')} of {counted(len(concordance), 'lines')}{in_several}; Enter: those of one"
        )

    def text(self, row: int) -> Text:
        group = self.groups[row]
        return Text(f"{group.count:>9,}  {group.share:>6.1%}  {cell_safe(group.name)}", no_wrap=True)

    def table(self) -> list[tuple[str, str, int, float]]:
        """The language of a translation, what the lines have in common, how many they are, and of how many that is."""
        return [(each.language, each.key, each.count, each.share) for each in self.groups]

    def sentence(self, row: int) -> tuple[int, str] | None:
        return None

    def match(self, row: int) -> str:
        return self.groups[row].key


def in_sight(text: Text, start: int, stop: int, width: int) -> Text:
    """A text that begins further right, after a mark, where ``width`` cells from its beginning do not show a match."""
    if cell_width(text.plain[:stop]) <= width - 1:
        return text
    before = cut_left(text.plain[:start], max((width - cell_width(text.plain[start:stop])) // 2, 2))
    return Text("…", no_wrap=True) + text[start - len(before) + 1 :]


def kwic_text(left: str, match: str, right: str, width: int, keys: Sequence[tuple[int, int]] = ()) -> Text:
    """A line of a concordance whose match begins before the middle of ``width`` cells.

    ``keys``: where in the sentence the words stand by which it is sorted, which are underlined.
    """
    shown = kwic_line(left, match, right, max(width * 9 // 20, 4))
    text = Text.assemble(shown.left, (shown.match, MATCH), shown.right, no_wrap=True)
    sentence = left + match + right
    for key in keys:
        # The match stands at the same place of the row whatever is cut in front of it.
        begin, end = (_shown_at(sentence, len(left), place, len(shown.left)) for place in key)
        text.stylize(_KEY, max(begin, 0), max(end, 0))
    return text


def _shown_at(text: str, fixed: int, place: int, at: int) -> int:
    """Where a place of a text is shown of which the place ``fixed`` is shown ``at`` some character."""
    between = len(cell_safe(text[min(place, fixed) : max(place, fixed)]))
    return at + between if place > fixed else at - between


# What the corpus place reads from the database.


Answer: TypeAlias = Hits | Concordance | tuple[Concordance, list[Group]]
"""Sentences; lines; or lines and the groups in which they are counted."""


class SearchJob(StepwiseJob[Answer]):
    """A search, which can be stopped at any moment."""

    def __init__(self, words: SearchRequest, group: str | None) -> None:
        """``group`` as for ``answer``."""
        limit = Limit(SECONDS_FOR_PATTERNS)
        super().__init__(lambda reader: answer(reader, words, group, limit))
        self._limit = limit
        self.is_told = False
        """Whether the user has heard how it goes."""
        self.is_all_seen = False
        """Whether nothing is left to be looked at: what is found will be shown in a moment."""

    def stop(self) -> None:
        """Do not go on, not even with the pattern that is being looked for."""
        self._limit.cancel()
        super().stop()


def answer(reader: DatabaseReader, words: SearchRequest, group: str | None, limit: Limit) -> Job[Answer]:
    """What the words find in the one language that they name; ``group`` asks for the lines of that group only.

    Raises UsageError and InputError for words that make no sense, QueryError for a query that cannot be read,
    TookTooLong for a pattern that takes more than its time, and Superseded where nobody waits for the answer any more.
    """
    try:
        search = words.search(words.lang)
        hits = reader.searcher.find_while_typing(search, limit)
        if not len(hits):
            # Other languages are not read for that: the next letter may already be on its way.
            hits.notes += tuple(nothing_found(reader.searcher, search, limit, elsewhere=False))
    except Cancelled:
        raise Superseded from None
    if not words.kwic or (not words.pattern and words.group is None):
        return hits  # all sentences, until something is typed that lines can have in their middle
    concordance = yield from arrange_lines(hits, words.arrangement)
    if words.group is None:
        return concordance
    if group is not None:
        return (yield from concordance.of_group(words.group, group, reader.store, words.shown_languages))
    groups = yield from concordance.grouping(words.group, reader.store, words.shown_languages)
    return concordance, groups


class SentencePane(TextPane):
    _broken: Callable[[int], Text]
    """What it shows, with longer lines broken for so many cells."""

    def show_detail(
        self, text: str, detail: SentenceDetail, rewritings: TextRewritings | None = None, shown: str = ""
    ) -> None:
        """``shown``: the languages of which translations are shown, where not all are."""
        self._broken = lambda width: detail_text(text, detail, rewritings, width, shown)
        self.show(self._broken(self.scrollable_content_region.width))

    def on_resize(self) -> None:
        """Break the lines anew; while another screen is shown there are no cells."""
        if self.text.plain:
            self.show(self._broken(self.scrollable_content_region.width))

    def lines(self) -> list[str]:
        """Each translation in one line."""
        whole = self._broken(_MOST_CELLS).plain.split("\n") if self.text.plain else ()
        return [line for line in whole if line.strip()]


_MOST_CELLS = 100_000
"""No line is broken in so many."""


def detail_text(
    text: str, detail: SentenceDetail, rewritings: TextRewritings | None, width: int, shown: str = ""
) -> Text:
    """The sentence, its translations with their languages, its places, what rules make of it.

    Translations of translations have their distance, too. One that is too long for ``width`` cells goes on below
    itself, and not below its language.
    """
    is_far = any(each.distance > 1 for each in detail.translations)
    label = 7 if is_far else 5
    room = max(width - label, label)
    counts = [
        counted(len(detail.translations), "translations") + (f" into {shown}" if shown else ""),
        counted(len(detail.places), "places"),
    ]
    counts[1:1] = [f"shared with {counted(detail.paraphrases, 'sentences')}"] * bool(detail.translations)
    if rewritings is not None:
        counts.append(counted(len(rewritings.rewritings), "rewritings"))
    told = ", ".join(counts)
    lines = [Text.assemble((cell_safe(text), "bold"), f"\n{told}")]
    lines += [
        Text.assemble(
            (f"{each.language}{f' {each.distance}' if is_far else ''}  ", "bold"),
            ("\n" + " " * label).join(wrapped(cell_safe(each.text), room)),
        )
        for each in detail.translations
    ]
    lines += [Text(f"in {place}") for place in detail.places]
    if rewritings is not None:
        from corpusdb.rules.report import format_lineage

        for each in rewritings.rewritings:
            told = f"  {cell_safe(format_lineage(each))}"
            lines.append(Text.assemble(("by rules  ", "bold"), marked_texts(text, each)[1], told))
    return Text("\n").join(lines)


_Told = TypeVar("_Told")
_Detail: TypeAlias = "tuple[SentenceDetail, TextRewritings | None]"


class _Ask(Protocol):
    def __call__(
        self, question: Callable[[DatabaseReader], _Told], then: Callable[[_Told], None], kind: str | None = None, /
    ) -> object: ...


def typed_text(words: SearchRequest) -> str:
    """What was typed, where it is a text of one language; empty where it is a pattern, or nothing."""
    is_text = words.mode in ("substring", "word") and words.lang and "," not in words.lang
    return words.pattern if is_text else ""


def _format_nothing(words: SearchRequest, notes: Sequence[str]) -> str:
    """What stands where nothing is found, with the way to what the pattern looks like, or out of the conditions.

    ``notes``: why; a lone word that the language does not have has no paraphrases.
    """
    meant, held = format_meant(words), conditions(words)
    if held:
        what = "holds this and fulfils" if words.pattern else "fulfils"
        return f"No sentence {what} the conditions: {', '.join(held)}.\n\n  F drops the conditions."
    if meant is None:
        typed = typed_text(words)
        may_be_sentence = bool(typed) and (" " in typed or not notes)
        return "No sentence holds this." + "\n\n  p shows paraphrases of it all the same." * may_be_sentence
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
        yield RowList(id="hits", empty="reading the sentences ...")
        yield SentencePane(id="detail")

    @property
    def rows(self) -> RowList:
        return self.query_one("#hits", RowList)

    @property
    def pane(self) -> SentencePane:
        return self.query_one("#detail", SentencePane)

    def lines(self) -> list[str]:
        summary = [self.found.summary] if self.found else []
        return [*summary, *self.rows.lines(), *self.pane.lines()]

    def show_found(self, found: Answer, words: SearchRequest, goal: int | None, at: int) -> HitRows:
        """Show what some words found, with the cursor on the sentence that is the ``goal`` if it is there, else ``at``
        a row."""
        self.found, self._words = self._rows_of(found), words
        cursor = self.found.row_of(goal) if goal is not None and isinstance(self.found, SentenceRows) else None
        notes = found.notes if isinstance(found, Hits) else ()
        nothing = _format_nothing(words, notes)
        empty = nothing if words.pattern or not words.kwic else "KWIC: type a pattern."
        if isinstance(self.found, GroupRows) != self.has_class("of-groups"):
            self.toggle_class("of-groups")
            self.call_after_refresh(lambda: self._ask_detail(self.rows.cursor))
        self.rows.show_rows(self.found.count, self.found.text, cursor=at if cursor is None else cursor, empty=empty)
        if not self.found.count:
            self.pane.show(Text())
        self._detailed = ()
        self._ask_categories()
        return self.found

    def show_nothing(self, told: str) -> None:
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
            hits = self.found.concordance.hits

            def show(found: Mapping[LinePlace, str]) -> None:
                among = np.isin([place.sentence for place in found], hits.sentences).tolist()
                self.categories.categories = dict(compress(found.items(), among))
                self.rows.refresh()

            self._ask(lambda reader: categories_of(reader.store, name), show, "categories")

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
        shown = self.pane.display
        self.set_class(shown, "without-detail")
        self.set_class(not shown, "with-detail")
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
            from corpusdb.rules.queries.rewritings import JAPANESE, kept_rewritings_of

            detail = sentence_detail(reader.store, number, languages, words.distance)
            return detail, kept_rewritings_of(reader.store, text) if words.lang == JAPANESE else None

        self._ask(question, lambda found: pane.show_detail(text, *found, words.shown), "detail")

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
