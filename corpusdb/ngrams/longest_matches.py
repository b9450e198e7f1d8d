"""For every character of many texts: how many characters from there on occur in a corpus as one sequence."""

from __future__ import annotations

import numpy as np

from corpusdb.arrays import I32, I64, U64
from corpusdb.ngrams.suffixes import PackedText

__all__ = ["SortedCorpus"]


class SortedCorpus:
    """A corpus and its sorted suffixes, laid out for millions of look-ups at once.

    ``text`` holds every sentence between two line breaks, ``suffixes`` is sort_suffixes(text). Memory about 20 bytes a
    character besides them.
    """

    def __init__(self, text: str, suffixes: I32) -> None:
        self._packed = PackedText(text)
        self._suffixes = suffixes
        self._sorted_keys = self._packed.keys[suffixes]

    def longest(self, text: str) -> I32:
        """For each offset of ``text`` how many characters from there on occur in the corpus as one sequence.

        Sequences end with the first line break after their first character, in ``text`` as in the corpus.
        """
        query = PackedText(text, self._packed.alphabet)
        lengths = np.zeros(query.size, dtype=np.int32)
        # Ascending keys make neighbouring look-ups touch the same memory, which is ten times as fast.
        active = np.argsort(query.keys).astype(np.int64)
        low = np.searchsorted(self._sorted_keys, query.keys[active], side="left")
        high = np.searchsorted(self._sorted_keys, query.keys[active], side="right")
        self._settle(lengths, active, query.keys[active], low, np.array([0, len(self._suffixes)]), 0)
        depth = query.width
        going = (high > low) & (query.remaining[active] > depth)
        lengths[active[high > low]] = np.minimum(depth, query.remaining[active[high > low]])
        active, low, high = active[going], low[going], high[going]
        while len(active):
            keys = query.keys_after(active, depth)
            first = self._bisect(keys, low, high, depth, right=False)
            after = self._bisect(keys, first, high, depth, right=True)
            self._settle(lengths, active, keys, first, np.stack([low, high]), depth)
            depth += query.width
            found = after > first
            lengths[active[found]] = np.minimum(depth, query.remaining[active[found]])
            going = found & (query.remaining[active] > depth)
            active, low, high = active[going], first[going], after[going]
        return lengths

    def _key_at(self, positions: I64, depth: int) -> U64:
        """The key of the suffix at each position in the order, ``depth`` characters after its beginning."""
        return self._packed.keys_after(self._suffixes[positions], depth) if depth else self._sorted_keys[positions]

    def _bisect(self, keys: U64, low: I64, high: I64, depth: int, *, right: bool) -> I64:
        """For each key its place among the suffixes from ``low`` to ``high``, which are equal up to ``depth``."""
        low, high = low.copy(), high.copy()
        open_ = np.flatnonzero(low < high)
        while len(open_):
            middle = (low[open_] + high[open_]) >> 1
            here = self._key_at(middle, depth)
            below = here <= keys[open_] if right else here < keys[open_]
            low[open_[below]] = middle[below] + 1
            high[open_[~below]] = middle[~below]
            open_ = open_[low[open_] < high[open_]]
        return low

    def _settle(self, lengths: I32, active: I64, keys: U64, place: I64, bounds: I64, depth: int) -> None:
        """Note the characters that each text shares with the two suffixes between which it would stand."""
        best = np.zeros(len(active), dtype=np.int32)
        for neighbour in (place - 1, place):
            inside = np.flatnonzero((neighbour >= bounds[0]) & (neighbour < bounds[1]))
            best[inside] = np.maximum(best[inside], self._shared(self._key_at(neighbour[inside], depth), keys[inside]))
        lengths[active] = depth + best

    def _shared(self, first: U64, second: U64) -> I32:
        """How many characters two keys have in common from the left; the end counts as none."""
        shared = np.zeros(len(first), dtype=np.int32)
        unequal = first ^ second
        mask = np.uint64((1 << self._packed.bits) - 1)
        for place in range(self._packed.width):
            shift = np.uint64(self._packed.bits * (self._packed.width - 1 - place))
            shared += (unequal >> shift == 0) & ((first >> shift) & mask != 0)
        return shared
