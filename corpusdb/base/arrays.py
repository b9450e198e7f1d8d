"""Types of arrays, by what one cell holds, and sorted arrays as sets and mappings.

The types are the names by which every module says what it takes and gives. What is made here of np.sort takes a tenth
of the time of np.unique, which puts different values into a hash table, or sorts so that equal ones keep their order.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from corpusdb.base.startup import mapped

Bools: TypeAlias = npt.NDArray[np.bool_]
I8: TypeAlias = npt.NDArray[np.int8]
I32: TypeAlias = npt.NDArray[np.int32]
I64: TypeAlias = npt.NDArray[np.int64]
U8: TypeAlias = npt.NDArray[np.uint8]
U32: TypeAlias = npt.NDArray[np.uint32]
U64: TypeAlias = npt.NDArray[np.uint64]
F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]

Whole = TypeVar("Whole", npt.NDArray[np.int64], npt.NDArray[np.uint64])
"""Arrays of whole numbers."""


Numbers = TypeVar("Numbers", I32, I64, U64, F64)

_LARGE = 1 << 18


def in_file(values: Numbers) -> Numbers:
    """A large array of one dimension, read only, in a file without a name: its pages need not stay in memory.

    A small one, and one for which there is no room on the disk, is returned as it is.
    """
    if values.nbytes >= _LARGE:
        from tempfile import TemporaryFile

        with suppress(OSError), TemporaryFile(prefix="corpusdb-") as file:
            file.write(np.ascontiguousarray(values).data)
            file.flush()
            return np.frombuffer(mapped(file.fileno()), values.dtype)
    return values


# Whole numbers from 0 up, below 2^32, in as few bytes as the greatest needs: a byte that says how many these are, then
# the lowest byte of each number, then the next of each.

_MOST_BYTES = 4
_COMPRESSED = 0x80
"""Beside that number: all bytes but the lowest are compressed, and stand before these."""


def packed(numbers: I32 | U32 | I64) -> bytes:
    width = max(int(numbers.max(initial=0)).bit_length() + 7, 8) // 8
    planes = np.ascontiguousarray(numbers, dtype="<u4").view(np.uint8).reshape(-1, _MOST_BYTES)
    return bytes([width]) + planes[:, :width].T.tobytes()


def packed_small(numbers: U32 | I64) -> bytes:
    """The same of numbers that are mostly small, so that their higher bytes can be compressed."""
    plain = packed(numbers)
    lowest = 1 + len(numbers)
    return bytes([plain[0] | _COMPRESSED]) + compressed(plain[lowest:]) + plain[1:lowest]


def unpacked(blob: bytes) -> U32:
    """The numbers that were ``packed``, either way. Raises ValueError for anything else."""
    width = blob[0] & ~_COMPRESSED if blob else 0
    if not 1 <= width <= _MOST_BYTES:
        raise ValueError("these are no packed numbers")
    if blob[0] & _COMPRESSED:
        higher, lowest = _decompressed(blob[1:])
        planes, count = np.frombuffer(lowest + higher, dtype=np.uint8), len(lowest)
    else:
        planes, count = np.frombuffer(blob, dtype=np.uint8, offset=1), (len(blob) - 1) // width
    if len(planes) != count * width:
        raise ValueError("these are no packed numbers")
    return of_planes(planes.reshape(width, -1))


class Packed:
    """Numbers that were ``packed``, of which single ones are looked up and the others never unpacked."""

    def __init__(self, blob: bytes) -> None:
        """Raises ValueError for anything else, and for what is ``packed_small``."""
        width = blob[0] if blob else 0
        if not 1 <= width <= _MOST_BYTES or (len(blob) - 1) % width:
            raise ValueError("these are no packed numbers")
        self.blob = blob
        self._size = (len(blob) - 1) // width

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int) -> int:
        return int.from_bytes(self.blob[1 + place :: self._size], "little")


def compressed(data: bytes) -> bytes:
    """Compressed in a fifth of the time that the smallest result takes, which is a sixth smaller."""
    return zlib.compress(data, 1)


def decompressed(data: bytes) -> bytes:
    """What was ``compressed``. Raises ValueError for anything else."""
    found, behind = _decompressed(data)
    if behind:
        raise ValueError("more than compressed data")
    return found


def _decompressed(data: bytes) -> tuple[bytes, bytes]:
    """What was ``compressed``, and what stands behind it."""
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(data)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not stream.eof:
        raise ValueError("compressed data that end too soon")
    return found, stream.unused_data


def of_planes(planes: U8) -> U32:
    """Numbers by their bytes: the lowest of each, then the next; shape (bytes of a number, numbers)."""
    numbers: U32 = planes[-1].astype(np.uint32)
    for plane in planes[-2::-1]:
        numbers <<= 8
        numbers |= plane
    return numbers


def packed_steps(ascending: I64) -> bytes:
    """Ascending numbers, packed by how much each is above the one before; of the first nothing is kept."""
    return packed(np.diff(ascending, prepend=ascending[:1]))


def unpacked_steps(first: int, blob: bytes) -> I64:
    """The numbers of which ``first`` is the first. Raises ValueError as ``unpacked`` does."""
    return first + np.cumsum(unpacked(blob), dtype=np.int64)


def is_new(values: I64 | U64) -> Bools:
    """Which places of a sorted array have another value than the one before, or none before."""
    begins = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins


def following_of(values: I64) -> I64:
    """How many places behind each of a sorted array have the same value."""
    begins = np.flatnonzero(is_new(values))
    sizes = np.diff(begins, append=len(values))
    return np.asarray(np.repeat(begins + sizes, sizes) - np.arange(len(values)) - 1)


def distinct(values: Whole) -> Whole:
    """Each value once, ascending."""
    ascending = np.sort(values)
    return ascending[is_new(ascending)]


class Grouped(NamedTuple, Generic[Whole]):
    """The different values of an array; the arrays are by these, but for ``group``."""

    values: Whole
    """Ascending."""
    first: I64
    """At which place each stands first."""
    group: I64
    """By place in the array: the place of its value in ``values``."""
    counts: I64


def grouped(values: Whole) -> Grouped[Whole]:
    """What np.unique says of an array."""
    order = np.argsort(values)
    ascending = values[order]
    starts = is_new(ascending)
    begins = np.flatnonzero(starts)
    different = ascending[begins]
    del ascending  # of a large array no more is held at a time than must be
    first = np.minimum.reduceat(order, begins) if len(begins) else begins
    places: I64 = np.cumsum(starts, dtype=np.int64)
    places -= 1
    group = np.empty(len(values), dtype=np.int64)
    group[order] = places
    return Grouped(different, first, group, np.diff(begins, append=len(values)))


def places_in(ascending: Whole, wanted: Whole) -> tuple[I64, Bools]:
    """Where each of ``wanted`` stands in an ascending array, and whether it does; 0 where not."""
    if not len(ascending) or not len(wanted):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    # What is looked for in its order is found ten times as fast, which is worth sorting it.
    order = np.argsort(wanted)
    in_order = wanted[order]
    found = np.minimum(np.searchsorted(ascending, in_order), len(ascending) - 1)
    is_there = ascending[found] == in_order
    places, known = np.empty(len(wanted), dtype=np.int64), np.empty(len(wanted), dtype=np.bool_)
    places[order], known[order] = np.where(is_there, found, 0), is_there
    return places, known


def in_both(one: Whole, other: Whole) -> tuple[I64, I64]:
    """Where in either of two arrays, each ascending and of different values, those stand that both have."""
    if len(other) < len(one):
        theirs, mine = in_both(other, one)
        return mine, theirs
    places = np.searchsorted(other, one)
    mine = np.flatnonzero(other[np.minimum(places, len(other) - 1)] == one) if len(one) else places
    return mine, places[mine]


_SPREADING = np.uint64(0x9E3779B97F4A7C15)
_FREE = -1
_MANY = 16
"""A table is worth making for what is not this many times less than what it holds."""


class Places(Generic[Whole]):
    """Where values stand in an ascending array of different ones, as ``places_in`` says it, in a quarter of the time.

    By a hash table with open addressing, which is made once many are looked up: about 8 bytes a value.
    """

    def __init__(self, ascending: Whole) -> None:
        self._values: Whole = ascending
        self._bits = (len(ascending) * 3 // 2).bit_length()
        self._table: I32 | None = None

    def of(self, wanted: Whole) -> tuple[I64, Bools]:
        if self._table is None and len(wanted) * _MANY < len(self._values):
            return places_in(self._values, wanted)
        if not len(self._values):
            return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
        self.prepare_for_many()
        table = self._table
        assert table is not None
        slots = self._slots(wanted)
        found = table[slots]
        known = (self._values[found] == wanted) & (found != _FREE)
        open_ = np.flatnonzero(~known & (found != _FREE))
        while len(open_):
            slots[open_] = self._next(slots[open_])
            found[open_] = here = table[slots[open_]]
            known[open_] = (self._values[here] == wanted[open_]) & (here != _FREE)
            open_ = open_[~known[open_] & (here != _FREE)]
        return np.where(known, found, 0).astype(np.int64), known

    def prepare_for_many(self) -> None:
        """Make the table now, as before this process is copied."""
        if self._table is not None or not len(self._values):
            return
        table = np.full(1 << self._bits, _FREE, dtype=np.int32)
        waiting, slots = np.arange(len(self._values), dtype=np.int32), self._slots(self._values)
        while len(waiting):
            free = table[slots] == _FREE
            table[slots[free]] = waiting[free]  # of several for one slot the last stays
            out = table[slots] != waiting
            waiting, slots = waiting[out], self._next(slots[out])
        self._table = in_file(table)

    def _slots(self, values: Whole) -> I64:
        return ((values.view(np.uint64) * _SPREADING) >> np.uint64(64 - self._bits)).view(np.int64)

    def _next(self, slots: I64) -> I64:
        return (slots + 1) & ((1 << self._bits) - 1)
