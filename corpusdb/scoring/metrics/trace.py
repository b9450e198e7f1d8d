"""Where the score of one segment comes from: every n-gram of its hypothesis, matched or missed, and by which reference.

This counts n-grams one by one, for people to read; matched_ngrams.py counts them by the million. Both give the
same statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from corpusdb.base.errors import InputError, UsageError

__all__ = ["SegmentTrace", "TracedNgram", "trace_segment"]

Units: TypeAlias = tuple[str, ...]

_LONGEST = 100_000
"""The most units of a text: each n-gram of it is held by itself, for every n up to the order."""


@dataclass(frozen=True, slots=True)
class TracedNgram:
    """One different n-gram of the hypothesis."""

    units: Units
    count: int
    """How often it stands in the hypothesis."""
    in_references: tuple[int, ...]
    """How often it stands in each reference."""

    @property
    def order(self) -> int:
        return len(self.units)

    @property
    def matched(self) -> int:
        """How many of its occurrences count: at most as many as in the reference that has it most often (clipping)."""
        return min(self.count, max(self.in_references))

    @property
    def missed(self) -> int:
        """How many of its occurrences no reference accounts for."""
        return self.count - self.matched

    @property
    def references(self) -> tuple[int, ...]:
        """The references, from 0, that account for all that is matched; none where nothing is."""
        matched = self.matched
        return tuple(number for number, count in enumerate(self.in_references) if 0 < matched <= count)


@dataclass(frozen=True, slots=True)
class SegmentTrace:
    """A segment with all n-grams of its hypothesis up to some order."""

    hypothesis: Units
    references: tuple[Units, ...]
    order: int
    ngrams: tuple[TracedNgram, ...]
    """By order, and among equal orders as they first stand in the hypothesis."""

    @property
    def closest(self) -> int:
        """The reference, from 0, whose length counts for brevity: the closest in length, the shorter of two."""
        own = len(self.hypothesis)
        lengths = [len(units) for units in self.references]
        return min(range(len(lengths)), key=lambda number: (abs(lengths[number] - own), lengths[number]))

    @property
    def statistics(self) -> tuple[int, ...]:
        """The row that bleu_statistics has for this segment."""
        matched, total = Counter[int](), Counter[int]()
        for ngram in self.ngrams:
            matched[ngram.order] += ngram.matched
            total[ngram.order] += ngram.count
        orders = range(1, self.order + 1)
        lengths = len(self.hypothesis), len(self.references[self.closest])
        return (*(matched[n] for n in orders), *(total[n] for n in orders), *lengths)

    def sole_matches(self) -> tuple[int, ...]:
        """For each reference how many occurrences are matched that would not be without it."""
        lost = [0] * len(self.references)
        for ngram in self.ngrams:
            for number in ngram.references:
                others = (count for other, count in enumerate(ngram.in_references) if other != number)
                lost[number] += ngram.matched - min(ngram.count, max(others, default=0))
        return tuple(lost)


def trace_segment(hypothesis: Sequence[str], references: Sequence[Sequence[str]], order: int) -> SegmentTrace:
    """All n-grams up to ``order`` of a hypothesis that is cut into units, as its references are.

    Raises InputError without references or for texts of over 100,000 units, and UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"an order is at least 1, not {order}")
    if not references:
        raise InputError("the segment has no reference")
    longest = max(map(len, (hypothesis, *references)))
    if longest > _LONGEST:
        raise InputError(f"a text of {longest:,} units is too long to be taken apart; {_LONGEST:,} are the most")
    own, theirs = tuple(hypothesis), tuple(map(tuple, references))
    traced = []
    for n in range(1, min(order, len(own)) + 1):
        counts = [_ngrams(units, n) for units in theirs]
        for units, count in _ngrams(own, n).items():  # in the order in which they were first met
            traced.append(TracedNgram(units, count, tuple(each[units] for each in counts)))
    return SegmentTrace(own, theirs, order, tuple(traced))


def _ngrams(units: Units, n: int) -> Counter[Units]:
    return Counter(units[at : at + n] for at in range(len(units) - n + 1))
