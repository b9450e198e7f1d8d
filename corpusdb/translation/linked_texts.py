"""A bitext with its links, laid out so that the phrase pairs at many places are found at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I32, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import is_first_of_equals, stable_order

__all__ = [
    "BREAK",
    "LONGEST",
    "LinkedTexts",
    "NumberedBitext",
    "PlacedPairs",
    "SortedPlaces",
    "WordLinks",
    "stream_of",
]


# The places of a stream of words in the order of the words that follow: where a phrase stands, and how often.
#
# The order is by the first LONGEST words only, which three sorts give by doubling (Manber & Myers 1993, section 3); a
# phrase of up to that many words is then an interval, found by bisection (Callison-Burch, Bannard & Schroeder 2005).


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


# A bitext with its links, laid out so that the phrase pairs at many places are found at once.
#
# A phrase pair is consistent with the links where no word of either phrase is linked with a word outside of the other,
# and at least one is linked (Koehn, Och & Marcu 2003); words without a link may stand at its edges.


_NONE: Final = -1


class NumberedBitext(NamedTuple):
    """Pairs of texts as numbers of words from 0, laid end to end, and the links between them."""

    sources: I32
    source_lengths: I64
    """In words, of the source text of each pair."""
    targets: I32
    target_lengths: I64
    links: I32
    """Shape (links, 2): source and target word, by their places in their texts."""
    links_of_pair: I64
    """How many links each pair has: they follow each other."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of the bitext: for each place of its stream."""

    stream: I32
    first: I32
    """The first place of the other stream that is linked with this one; -1 where there is none."""
    last: I32
    linked_before: I32
    """The nearest linked place before this one; a break counts as linked, with the break of the other stream."""
    linked_after: I32


class PlacedPairs(NamedTuple):
    """Phrase pairs where they stand: for each asked place that has one."""

    rows: I64
    """Which of the asked places."""
    targets: I64
    """Where the target phrase begins, without words that have no link at its edges."""
    lengths: I64
    free_before: I64
    """How many words without a link stand before it, and behind it."""
    free_behind: I64
    follows: Bools
    """Whether what the source has before the phrase also stands before it in the target: it is translated in order."""
    swaps: Bools
    """Whether what the source has behind the phrase stands before it in the target."""
    is_followed: Bools
    """Whether what stands behind it in the target is what the source has behind the phrase."""
    is_swapped: Bools
    """Whether that is what the source has before the phrase."""


class LinkedTexts:
    """The bitext: some 40 bytes for each of its words."""

    def __init__(self, bitext: NumberedBitext) -> None:
        """Raises InputError for links outside of the texts."""
        pair_of_link = np.repeat(np.arange(len(bitext.links_of_pair)), bitext.links_of_pair)
        own, theirs = bitext.links[:, 0], bitext.links[:, 1]
        if (own >= bitext.source_lengths[pair_of_link]).any() or (theirs >= bitext.target_lengths[pair_of_link]).any():
            raise InputError("a link leads outside of its texts")
        sources, source_breaks = _placed(own, pair_of_link, bitext.source_lengths)
        targets, target_breaks = _placed(theirs, pair_of_link, bitext.target_lengths)
        ends = np.concatenate([sources, source_breaks]), np.concatenate([targets, target_breaks])
        self.source = _side(stream_of(bitext.sources, bitext.source_lengths)[0], *ends)
        self.target = _side(stream_of(bitext.targets, bitext.target_lengths)[0], *ends[::-1])
        self._breaks = source_breaks
        self.sizes = bitext.source_lengths + bitext.target_lengths
        """Of each pair of texts, in words of both sides."""
        self.words = WordLinks(self.source.stream, self.target.stream, sources, targets)

    def pair_of(self, places: I64) -> I64:
        """The pair of texts in which each place of the source stream stands."""
        return np.searchsorted(self._breaks, places) - 1

    def pairs_at(self, places: I64, lengths: I64, longest: int) -> PlacedPairs:
        """The phrase pairs of source phrases, each by its place and its length, of up to ``longest`` target words."""
        source, target = self.source, self.target
        begin = np.full(len(places), np.iinfo(np.int32).max, dtype=np.int64)
        end = np.full(len(places), _NONE, dtype=np.int64)
        for step in range(int(lengths.max(initial=0))):
            at = places + np.minimum(step, lengths - 1)
            first = source.first[at]
            begin = np.where((first >= 0) & (first < begin), first, begin)
            end = np.maximum(end, source.last[at])
        rows = np.flatnonzero((end >= 0) & (end - begin < longest))
        begin, end = begin[rows], end[rows]
        low, high = places[rows], places[rows] + lengths[rows]
        is_inside = np.ones(len(rows), dtype=np.bool_)
        for step in range(int((end - begin).max(initial=-1)) + 1):
            at = np.minimum(begin + step, end)
            is_inside &= (target.last[at] < 0) | ((target.first[at] >= low) & (target.last[at] < high))
        rows, begin, end, low, high = (each[is_inside] for each in (rows, begin, end, low, high))
        before, behind = target.linked_before[begin], target.linked_after[end]
        source_before, source_behind = source.linked_before[low], source.linked_after[high - 1]
        return PlacedPairs(
            rows,
            begin,
            end - begin + 1,
            begin - before - 1,
            behind - end - 1,
            target.last[before] == source_before,
            target.first[before] == source_behind,
            target.first[behind] == source_behind,
            target.last[behind] == source_before,
        )


def _placed(words: I32, pair_of_link: I64, lengths: I64) -> tuple[I64, I64]:
    """Where linked words stand in a stream with breaks, and where its breaks stand."""
    breaks: I64 = np.append(np.zeros(1, dtype=np.int64), np.cumsum(lengths + 1))
    return breaks[pair_of_link] + 1 + words, breaks


def _side(stream: I32, own: I64, theirs: I64) -> _Side:
    first = np.full(len(stream), np.iinfo(np.int32).max, dtype=np.int32)
    last = np.full(len(stream), _NONE, dtype=np.int32)
    np.minimum.at(first, own, theirs.astype(np.int32))
    np.maximum.at(last, own, theirs.astype(np.int32))
    is_linked = last >= 0
    first[~is_linked] = _NONE
    places = np.arange(len(stream), dtype=np.int32)
    up_to = np.maximum.accumulate(np.where(is_linked, places, 0)).astype(np.int32)
    down_to = np.minimum.accumulate(np.where(is_linked, places, len(stream) - 1)[::-1])[::-1].astype(np.int32)
    before, after = np.zeros_like(stream), np.full_like(stream, len(stream) - 1)
    before[1:], after[:-1] = up_to[:-1], down_to[1:]
    return _Side(stream, first, last, before, after)


class WordLinks:
    """How probable words are as translations of each other, by how often they are linked."""

    def __init__(self, source: I32, target: I32, sources: I64, targets: I64) -> None:
        """Two streams of words, and the places of the links between them."""
        self._size = int(target.max(initial=0)) + 1
        keys = source[sources].astype(np.int64) * self._size + target[targets]
        self._keys, counts = np.unique(keys, return_counts=True)
        own, theirs = np.divmod(self._keys, self._size)
        # A word without a link counts as one that is linked with nothing.
        source_weights, self.source_unlinked = _weights(source, sources)
        target_weights, self.target_unlinked = _weights(target, targets)
        self._forward = (counts / source_weights[own]).astype(np.float32)
        self._backward = (counts / target_weights[theirs]).astype(np.float32)

    def probabilities(self, sources: I64, targets: I64) -> tuple[F64, F64]:
        """p(target word | source word) and the other direction: both of shape (sources, targets)."""
        keys = (sources[:, None] * self._size + targets[None, :]).ravel()
        forward, backward = np.zeros((2, len(keys)))
        if len(self._keys):
            at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            found = np.flatnonzero(self._keys[at] == keys)
            forward[found], backward[found] = self._forward[at[found]], self._backward[at[found]]
        shape = len(sources), len(targets)
        return forward.reshape(shape), backward.reshape(shape)


def _weights(stream: I32, linked: I64) -> tuple[I64, F64]:
    """How often each word of a stream is linked, or stands there without a link; and the share of the latter."""
    size = int(stream.max(initial=0)) + 1
    is_linked = np.zeros(len(stream), dtype=np.bool_)
    is_linked[linked] = True
    without = np.bincount(stream[~is_linked], minlength=size)
    counts: I64 = np.bincount(stream[linked], minlength=size) + without
    return counts, without / np.maximum(counts, 1)
