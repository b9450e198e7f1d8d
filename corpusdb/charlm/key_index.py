"""From the key of an n-gram to its number: the rank of the key among the distinct ones. No key is ever hashed.

The key of a k-gram is the number of its first k-1 symbols, times the size of the alphabet, plus its last symbol; so all
possible keys are cells 0 to contexts x symbols. Few cells are a table of numbers, more a table of bits with the count
of those before each byte, and most (an alphabet of thousands) are searched in the sorted keys, by sorted queries.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I32, I64

__all__ = ["KeyIndex", "Keys", "numbered"]

Keys = npt.NDArray[np.int32] | npt.NDArray[np.int64]

MOST_IN_TABLE: Final = 1 << 23
"""Cells of a table of numbers: 32 MB."""
MOST_IN_BITS: Final = 1 << 27
"""Cells of a table of bits: 80 MB with the counts, and 128 MB more while it is made."""
_BLOCK: Final = 1 << 16
"""Queries at a time, so that what lies between two steps stays in the cache."""

_ONES: Final = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)
_BELOW: Final = np.array([(1 << bit) - 1 for bit in range(8)], dtype=np.uint8)
_BIT: Final = np.array([1 << bit for bit in range(8)], dtype=np.uint8)


class KeyIndex:
    """The numbers of distinct keys, which ascend; ``cells`` is more than any key that is asked for."""

    def __init__(self, keys: Keys, cells: int) -> None:
        self._keys = keys
        self._table: I32 | None = None
        self._bits: npt.NDArray[np.uint8] | None = None
        if cells <= MOST_IN_TABLE:
            self._table = np.zeros(cells, dtype=np.int32)
            self._table[keys] = np.arange(1, len(keys) + 1, dtype=np.int32)
        elif cells <= MOST_IN_BITS:
            marks = np.zeros(cells, dtype=np.bool_)
            marks[keys] = True
            self._bits = np.packbits(marks, bitorder="little")
            ones = _ONES[self._bits]
            self._before = np.cumsum(ones, dtype=np.int32)
            self._before -= ones

    def find(self, keys: Keys) -> I32:
        """The number of each key, -1 where it is none of these."""
        if self._table is not None:
            return self._table[keys] - 1
        if self._bits is None:
            return self._searched(keys)
        found = np.empty(len(keys), dtype=np.int32)
        for start in range(0, len(keys), _BLOCK):
            block = keys[start : start + _BLOCK]
            cell, bit = block >> 3, block & 7
            byte = self._bits[cell]
            numbers = self._before[cell] + _ONES[byte & _BELOW[bit]]
            numbers[(byte & _BIT[bit]) == 0] = -1
            found[start : start + _BLOCK] = numbers
        return found

    def _searched(self, keys: Keys) -> I32:
        found = np.full(len(keys), -1, dtype=np.int32)
        if not len(self._keys):
            return found
        order = np.argsort(keys)
        asked = keys[order]
        places = np.minimum(np.searchsorted(self._keys, asked), len(self._keys) - 1)
        found[order] = np.where(self._keys[places] == asked, places, -1)
        return found


def numbered(keys: Keys, cells: int) -> tuple[I64, I32, I64]:
    """The distinct keys, ascending; for each key its number; and how often each distinct one stands there."""
    if cells <= MOST_IN_BITS:
        marks = np.zeros(cells, dtype=np.bool_)
        marks[keys] = True
        distinct = np.flatnonzero(marks)
        del marks
        numbers = KeyIndex(distinct, cells).find(keys)
        return distinct, numbers, np.bincount(numbers, minlength=len(distinct))
    order = np.argsort(keys)
    ascending = keys[order]
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = ascending[1:] != ascending[:-1]
    numbers = np.empty(len(keys), dtype=np.int32)
    numbers[order] = np.cumsum(first, dtype=np.int32) - 1
    starts = np.flatnonzero(first)
    return ascending[starts].astype(np.int64), numbers, np.diff(starts, append=len(keys))
