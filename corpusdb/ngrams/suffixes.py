"""Character n-grams of every length: the suffixes of all sentences in their order, and what can be asked of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I32, U32, U64

__all__ = ["MAX_CHARACTERS", "PackedText", "SuffixIndex", "segment_starts", "sort_suffixes"]

MAX_CHARACTERS = 1 << 24
"""The most characters that one segment of a corpus holds, which bounds the memory of sorting it to about 900 MB."""

_LINE_BREAK = 10


def segment_starts(sizes: Iterable[int], most: int = MAX_CHARACTERS) -> list[int]:
    """With which sentence, from 0, each segment begins, given how many characters the sentences have.

    A segment takes sentences, each with its line break, until the next would make it larger than ``most``.
    """
    starts: list[int] = []
    characters = 0
    for number, size in enumerate(sizes):
        if not starts or characters + size + 1 > most:
            starts.append(number)
            characters = 0
        characters += int(size) + 1
    return starts


def sort_suffixes(text: str) -> I32:
    """The offsets of all characters of ``text`` in the order of the suffixes that begin there, as int32.

    A suffix ends after the first line break that follows its first character; suffixes that are equal so far are in the
    order of their offsets. Prefix doubling: each round orders by twice as many characters as the one before, and only
    suffixes that still equal a neighbour are sorted again. At most 2^30 characters; memory about 50 bytes a character.
    Raises ValueError for a text that does not end with a line break.
    """
    if text and not text.endswith("\n"):
        raise ValueError("the text does not end with a line break")
    packed = PackedText(text)
    if packed.size == 0:
        return np.zeros(0, dtype=np.int32)
    width, remaining = packed.width, packed.remaining
    order = np.argsort(packed.keys, kind="stable").astype(np.int32)
    rank = np.empty(packed.size, dtype=np.int32)
    everywhere = np.arange(packed.size, dtype=np.int32)
    rank[order] = _group_starts(packed.keys[order], everywhere)
    # A suffix of which only its final line break is left comes before all that begin with one and go on.
    only_break = 2 * int(np.searchsorted(packed.keys[order], packed.only_break))
    del packed
    tied = _tied(rank, order, remaining, width, everywhere)
    while len(tied):
        suffixes = order[tied]
        # What follows the characters compared so far; every suffix that is tied goes on after them.
        follower = np.where(
            remaining[suffixes] == width + 1, only_break, 2 * rank[suffixes + width].astype(np.int64) + 1
        )
        key = (rank[suffixes].astype(np.int64) << 32) | follower
        local = np.argsort(key, kind="stable")
        order[tied] = suffixes[local]
        rank[suffixes[local]] = _group_starts(key[local], tied)
        width *= 2
        tied = _tied(rank, order, remaining, width, tied)
    return order


class PackedText:
    """For each offset of a text as many characters as fit in 64 bits, so that numbers compare as suffixes do."""

    def __init__(self, text: str, alphabet: U32 | None = None) -> None:
        codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        self.size = len(codes)
        seen = np.zeros(0x110001, dtype=bool)
        seen[codes] = True
        self.alphabet: U32 = np.flatnonzero(seen).astype(np.uint32) if alphabet is None else alphabet
        """The code points that have a place in a key, ascending."""
        self.remaining = _length_to_break(codes)
        """For each offset how many characters its suffix has."""
        # 0 stands for "after the end"; a character outside a given alphabet gets the one place above all others.
        self.bits = int(len(self.alphabet) + 1).bit_length()
        self.width = 64 // self.bits
        """How many characters a key holds."""
        dense = np.full(0x110001, len(self.alphabet) + 1, dtype=np.uint64)
        dense[self.alphabet] = np.arange(1, len(self.alphabet) + 1, dtype=np.uint64)
        self.only_break = dense[_LINE_BREAK] << np.uint64(self.bits * (self.width - 1))
        """The key of a line break with nothing after it."""
        self.keys = self._pack(dense[codes])

    def keys_after(self, suffixes: npt.NDArray[np.integer], depth: int) -> U64:
        """The keys of what is left of suffixes after ``depth`` characters; each must have more than that."""
        keys: U64 = self.keys[suffixes + depth]
        if depth == 0:
            return keys
        # A line break ends a suffix, and what stands at its place as a key is the beginning of the next sentence.
        others = np.uint64(self.bits * (self.width - 1))
        return np.where(self.remaining[suffixes] == depth + 1, keys >> others << others, keys)

    def _pack(self, dense: U64) -> U64:
        keys = np.zeros(self.size, dtype=np.uint64)
        for place in range(self.width):
            keys <<= np.uint64(self.bits)
            here = dense[place:]
            keys[: len(here)] |= np.where(self.remaining[: len(here)] > place, here, np.uint64(0))
        return keys


def _length_to_break(codes: U32) -> I32:
    """For each offset how many characters there are to the end of the next line break after it."""
    breaks = np.flatnonzero(codes == _LINE_BREAK)
    if len(codes) and (len(breaks) == 0 or breaks[-1] != len(codes) - 1):
        breaks = np.append(breaks, len(codes) - 1)
    offsets = np.arange(len(codes))
    # A suffix that begins at a line break goes on to the next one: that is how a sentence begins.
    ends = np.repeat(breaks, np.diff(breaks, prepend=0))
    ends = np.append(ends, breaks[-1:])[: len(codes)]
    return (ends - offsets + 1).astype(np.int32)


def _group_starts(sorted_keys: npt.NDArray[np.integer], positions: I32) -> I32:
    """For each of ascending keys the position of the first that equals it."""
    first = np.empty(len(sorted_keys), dtype=bool)
    first[0] = True
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=first[1:])
    return np.maximum.accumulate(np.where(first, positions, 0)).astype(np.int32)


def _tied(rank: I32, order: I32, remaining: I32, width: int, among: I32) -> I32:
    """The positions whose suffixes equal a neighbour's in all ``width`` characters and go on after them."""
    suffixes = order[among]
    ranks = rank[suffixes]
    same = np.zeros(len(among), dtype=bool)
    equal = ranks[1:] == ranks[:-1]
    same[1:] |= equal
    same[:-1] |= equal
    return among[same & (remaining[suffixes] > width)]


class SuffixIndex:
    """The suffixes of one or more texts, to look up where a sequence of characters occurs.

    Each part is a text in which every sentence stands between two line breaks, with its sorted suffixes. A sequence may
    begin or end with a line break, which then marks the beginning or the end of a sentence.
    """

    def __init__(self, parts: Sequence[tuple[str, Sequence[int] | memoryview]]) -> None:
        self._parts = tuple(parts)

    def contains(self, sequence: str) -> bool:
        """Whether ``sequence`` occurs."""
        size = len(sequence)
        for text, suffixes in self._parts:
            position = bisect_left(suffixes, sequence, key=lambda offset, text=text: text[offset : offset + size])
            if position < len(suffixes) and text.startswith(sequence, suffixes[position]):
                return True
        return False

    def count(self, sequence: str) -> int:
        """How often ``sequence`` occurs."""
        return sum(high - low for _, low, high in self._ranges(sequence))

    def occurrences(self, sequence: str) -> Iterator[tuple[int, int]]:
        """Each occurrence as (part, offset in the part's text), in the order of the suffixes."""
        for part, low, high in self._ranges(sequence):
            suffixes = self._parts[part][1]
            for position in range(low, high):
                yield part, suffixes[position]

    def longest(self, text: str, start: int) -> int:
        """How many characters from ``start`` on occur as one sequence."""
        best = 0
        limit = len(text) - start
        for own, suffixes in self._parts:
            key = text[start:]
            position = bisect_left(suffixes, key, key=lambda offset, own=own: own[offset : offset + limit])
            for neighbour in (position - 1, position):
                if 0 <= neighbour < len(suffixes):
                    best = max(best, _common(own, suffixes[neighbour], text, start))
        return best

    def _ranges(self, sequence: str) -> Iterator[tuple[int, int, int]]:
        size = len(sequence)
        above = sequence + "\U0010ffff"
        for part, (text, suffixes) in enumerate(self._parts):
            low = bisect_left(suffixes, sequence, key=lambda offset, text=text: text[offset : offset + size])
            high = bisect_left(suffixes, above, lo=low, key=lambda offset, text=text: text[offset : offset + size])
            yield part, low, high


def _common(text: str, offset: int, other: str, start: int) -> int:
    """How many characters ``text`` from ``offset`` and ``other`` from ``start`` have in common."""
    limit = min(len(text) - offset, len(other) - start)
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(other[start + low : start + middle], offset + low):
            low = middle
        else:
            high = middle - 1
    return low
