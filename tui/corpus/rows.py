"""What the list of the corpus shows: sentences, the lines of a concordance, or groups of these."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Protocol

from corpusdb.display import cell_safe
from corpusdb.queries.search.concordance import Concordance, Group
from corpusdb.queries.search.search import Hits
from corpusdb.reports.kwic import kwic_line
from tui.shown import Text

__all__ = ["GroupRows", "HitRows", "LineRows", "SentenceRows", "counted", "kwic_text"]

_MATCH = "bold underline"


def counted(count: int, noun: str) -> str:
    """A number of things: "1 line", "2,000 lines"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


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

    def __init__(self, hits: Hits) -> None:
        self.hits = hits
        self.count = len(hits)
        self.summary = counted(self.count, "sentence")

    def text(self, row: int) -> Text:
        text = Text(cell_safe(self.hits.text(row)), no_wrap=True)
        for start, stop in self.hits.spans(row):
            text.stylize(_MATCH, start, stop)
        return text

    def sentence(self, row: int) -> tuple[int, str] | None:
        return int(self.hits.sentences[row]), self.hits.text(row)

    def row_of(self, sentence: int) -> int | None:
        """The row of a sentence, where it was found."""
        row = bisect_left(self.hits.sentences, sentence)
        return row if row < self.count and self.hits.sentences[row] == sentence else None

    def match(self, row: int) -> str:
        spans = self.hits.spans(row)
        return self.hits.text(row)[slice(*spans[0])] if spans else ""


class LineRows:
    """The lines of a concordance, their matches below each other."""

    def __init__(self, concordance: Concordance, width: Callable[[], int]) -> None:
        self.concordance = concordance
        self.count = len(concordance)
        self._width = width
        """How many cells there are for a row."""
        sample = f" of {concordance.total:,}, chosen at random" if self.count < concordance.total else ""
        self.summary = f"{counted(self.count, 'line')}{sample} in {counted(len(concordance.hits), 'sentence')}"

    def text(self, row: int) -> Text:
        (line,) = self.concordance.lines(row, 1)
        return kwic_text(line.left, line.match, line.right, self._width())

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
        self.summary = f"{counted(self.count, 'group')} of {counted(len(concordance), 'line')}"

    def text(self, row: int) -> Text:
        group = self.groups[row]
        return Text(f"{group.count:>9,}  {group.share:>6.1%}  {cell_safe(group.key)}", no_wrap=True)

    def sentence(self, row: int) -> tuple[int, str] | None:
        return None

    def match(self, row: int) -> str:
        return self.groups[row].key


def kwic_text(left: str, match: str, right: str, width: int) -> Text:
    """A line of a concordance whose match begins before the middle of ``width`` cells."""
    shown = kwic_line(left, match, right, max(width * 9 // 20, 4))
    return Text.assemble(shown.left, (shown.match, _MATCH), shown.right, no_wrap=True)
