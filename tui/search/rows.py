"""What the list of the corpus shows, and what is read for it from the database."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from corpusdb.base.cells import cell_width, cut_left, cut_right, padded
from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import SECONDS_FOR_PATTERNS, Job, Limit
from corpusdb.search.queries.concordance import Concordance, Group, LinePlace, arrange_lines, place_of
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Hits, nothing_found
from corpusdb.search.report import kwic_line
from tui.kit.looks import MATCH
from tui.kit.reader import DatabaseReader, StepwiseJob, Superseded
from tui.kit.shown import Text

__all__ = [
    "Answer",
    "CategoryColumn",
    "GroupRows",
    "HitRows",
    "LineRows",
    "SearchJob",
    "SentenceRows",
    "answer",
    "in_sight",
    "kwic_text",
]


# What the list of the corpus shows: sentences, the lines of a concordance, or groups of these.


_CATEGORY_CELLS = 12
"""Of a longer category the beginning is shown."""


class HitRows(Protocol):
    """Rows by their numbers."""

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
    """The sentences that were found."""

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
        """The row of a sentence, where it was found."""
        row = bisect_left(self.hits.sentences, sentence)
        return row if row < self.count and self.hits.sentences[row] == sentence else None

    def match(self, row: int) -> str:
        spans = self.hits.spans(row)
        return self.hits.text(row)[slice(*spans[0])] if spans else ""


class CategoryColumn:
    """The column in front of the lines of a concordance with their categories; no column where there are none."""

    def __init__(self) -> None:
        self._categories: Mapping[LinePlace, str] = {}
        self._width = 0

    def fill(self, categories: Mapping[LinePlace, str]) -> None:
        """Show these."""
        self._categories = categories
        widths = (cell_width(cell_safe(each)) for each in {*categories.values()})
        self._width = min(max(widths, default=0), _CATEGORY_CELLS)

    def __len__(self) -> int:
        """Its width in cells, with the gap behind it."""
        return self._width + 2 if self._width else 0

    def cell(self, place: LinePlace) -> str:
        """What stands before the line of a match."""
        return padded(cut_right(cell_safe(self._categories.get(place, "")), self._width), len(self))


class LineRows:
    """The lines of a concordance, their matches below each other."""

    def __init__(self, concordance: Concordance, width: Callable[[], int], categories: CategoryColumn) -> None:
        self.concordance = concordance
        self._categories = categories
        self.count = len(concordance)
        self._width = width
        """How many cells there are for a row."""
        sample = f" of {concordance.total:,}, chosen at random" if self.count < concordance.total else ""
        self.summary = f"{counted(self.count, 'lines')}{sample} in {counted(len(concordance.hits), 'sentences')}"

    def text(self, row: int) -> Text:
        (line,) = self.concordance.lines(row, 1)
        column = self._categories.cell(place_of(line))
        return Text(column) + kwic_text(line.left, line.match, line.right, self._width() - len(self._categories))

    def place(self, row: int) -> LinePlace:
        """The match in a row."""
        (line,) = self.concordance.lines(row, 1)
        return place_of(line)

    def sentence(self, row: int) -> tuple[int, str] | None:
        (line,) = self.concordance.lines(row, 1)
        return line.sentence, line.left + line.match + line.right

    def match(self, row: int) -> str:
        (line,) = self.concordance.lines(row, 1)
        return line.match


class GroupRows:
    """How many lines have something in common."""

    def __init__(self, groups: Sequence[Group], concordance: Concordance) -> None:
        self.groups = groups
        self.concordance = concordance
        self.count = len(groups)
        self.summary = f"{counted(self.count, 'groups')} of {counted(len(concordance), 'lines')}"

    def text(self, row: int) -> Text:
        group = self.groups[row]
        return Text(f"{group.count:>9,}  {group.share:>6.1%}  {cell_safe(group.name)}", no_wrap=True)

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


def kwic_text(left: str, match: str, right: str, width: int) -> Text:
    """A line of a concordance whose match begins before the middle of ``width`` cells."""
    shown = kwic_line(left, match, right, max(width * 9 // 20, 4))
    return Text.assemble(shown.left, (shown.match, MATCH), shown.right, no_wrap=True)


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
    if not words.kwic:
        return hits
    concordance = yield from arrange_lines(hits, words.arrangement)
    if words.group is None:
        return concordance
    if group is not None:
        return (yield from concordance.of_group(words.group, group, reader.store, words.shown_languages))
    groups = yield from concordance.grouping(words.group, reader.store, words.shown_languages)
    return concordance, groups
