"""The places of a stream of words in the order of the words that follow: where a phrase stands, and how often.

The order is by the first LONGEST words only, which three sorts give by doubling (Manber & Myers 1993, section 3); a
phrase of up to that many words is then an interval, found by bisection (Callison-Burch, Bannard & Schroeder 2005).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from corpusdb.arrays import I32, I64
from corpusdb.ngrams.counting import is_first_of_equals, stable_order

__all__ = ["BREAK", "LONGEST", "SortedPlaces", "stream_of"]

BREAK: Final = 0
"""Stands in a stream before the first text and behind each; words are numbers from 1."""
LONGEST: Final = 8
"""Words of a phrase at most."""


def stream_of(words: I32 | I64, lengths: I64) -> tuple[I32, I64]:
    """Texts laid end to end as a stream with breaks; and where in it each of their words stands.

    ``words`` are numbers from 0, which in the stream are one more.
    """
    places = np.arange(len(words)) + np.repeat(np.arange(len(lengths)), lengths) + 1
    stream = np.full(len(words) + len(lengths) + 1, BREAK, dtype=np.int32)
    stream[places] = words + 1
    return stream, places


class SortedPlaces:
    """The places of all words of a stream in their order: four bytes for each, and eight more for each length."""

    def __init__(self, stream: I32, longest: int) -> None:
        """``longest``: of the phrases that are numbered, at most LONGEST words; 0 where none is."""
        self._stream = stream
        ranks = stream.astype(np.int64)
        distinct, step = int(stream.max(initial=0)) + 1, 1
        order = np.zeros(0, dtype=np.int64)
        while step < LONGEST:
            after = np.zeros_like(ranks)
            after[:-step] = ranks[step:]
            keys = ranks * distinct + after
            order = stable_order(keys, distinct * distinct)
            ranks[order] = np.cumsum(is_first_of_equals(keys[order]))  # from 1: behind the end is less than all
            distinct, step = int(ranks.max(initial=0)) + 1, 2 * step
        self._order = order.astype(np.int32)
        self._look_through()
        self._numbers: list[I32] = []
        self._starts: list[I32] = []
        common = self._common_words() if longest else np.zeros(0, dtype=np.int8)
        for length in range(1, longest + 1):
            is_other = common < length
            numbers = np.empty(len(stream), dtype=np.int32)
            numbers[self._order] = np.cumsum(is_other) - 1
            self._numbers.append(numbers)
            self._starts.append(np.append(np.flatnonzero(is_other), len(stream)).astype(np.int32))

    def _look_through(self) -> None:
        """See the arrays as what is read fast one by one, which cannot be kept in a file."""
        self._follows = memoryview(np.ascontiguousarray(self._stream).data)
        self._sorted = memoryview(self._order.data)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in ("_follows", "_sorted")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._look_through()

    def _common_words(self) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
        """How many first words each place, in the order, has in common with the one before it; breaks are different."""
        padded = np.append(self._stream, np.zeros(LONGEST, dtype=np.int32))
        common = np.zeros(len(self._order), dtype=np.int8)
        own, before = self._order[1:], self._order[:-1]
        for step in range(LONGEST):
            words = padded[own + step]
            goes_on = (common[1:] == step) & (words == padded[before + step]) & (words != BREAK)
            common[1:] += goes_on
        return common

    def intervals(self, words: Sequence[int], longest: int) -> Iterator[tuple[int, int, int]]:
        """Of the first one, two and more of these words: how many, and the interval of places where they stand.

        Ends with the first that stand nowhere. ``words``: numbers of the stream, none of them BREAK.
        """
        low, high = 0, len(self._sorted)
        stream, places = self._follows, self._sorted
        for length, word in enumerate(words[:longest]):
            limit = len(stream) - 1

            def following(place: int, offset: int = length, limit: int = limit) -> int:
                return int(stream[min(place + offset, limit)])

            low = bisect_left(places, word, low, high, key=following)
            high = bisect_right(places, word, low, high, key=following)
            if low == high:
                return
            yield length + 1, low, high

    def sample(self, low: int, high: int, most: int) -> I32:
        """The places of an interval, or ``most`` of them at equal distances: so that all that follows has its share."""
        if high - low <= most:
            return self._order[low:high]
        return self._order[low + np.arange(most) * (high - low) // most]

    def numbers(self, places: I64, lengths: I64) -> I64:
        """The number of the phrase of each place and length, among those of this length."""
        found = np.empty(len(places), dtype=np.int64)
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            found[rows] = self._numbers[length - 1][places[rows]]
        return found

    def counts(self, numbers: I64, lengths: I64) -> I64:
        """How often the phrase of each number and length stands in the stream."""
        found = np.empty(len(numbers), dtype=np.int64)
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            starts = self._starts[length - 1]
            found[rows] = starts[numbers[rows] + 1] - starts[numbers[rows]]
        return found
