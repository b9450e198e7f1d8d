"""N-grams of numbers and of characters: which there are, where they stand, and of any length by suffixes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I32, I64, U32, U64, Bools, Packed, is_new

# N-grams of a stream of numbers, such as tokens, and where each stands: equal ones are brought together by sorting
# their places and never by a hash, so that counts are exact. Two million trigrams take less than a quarter of a second.

_KEY_BITS = 63


@dataclass(frozen=True)
class NgramPlaces:
    """All n-grams of a stream, equal ones together."""

    places: I64
    """Where in the stream each n-gram begins; equal n-grams stand together, and among them places ascend."""
    starts: I64
    """Where in ``places`` those of each different n-gram begin."""

    @cached_property
    def counts(self) -> I64:
        return np.diff(self.starts, append=len(self.places))

    def owner_counts(self, owners: I64) -> I64:
        """By how many different owners each different n-gram is had; owners, of every place of the stream, ascend."""
        if not len(self.starts):
            return self.starts
        own = owners[self.places]
        first = np.empty(len(own), dtype=np.int64)
        first[0] = 1
        first[1:] = own[1:] != own[:-1]
        first[self.starts] = 1
        return np.asarray(np.add.reduceat(first, self.starts))


def group_ngrams(units: I32, lengths: I32, n: int, usable: Bools | None = None, *, gap: int = 0) -> NgramPlaces:
    """The n-grams of a stream of ``units``, numbers from 0, that lie inside one of its sequences.

    ``gap``: the unit so far behind the first may be any, so that n-grams which differ only there are one; 0: none may.

    ``lengths`` are those of the sequences, which follow each other without a gap; ``n`` is 1 or more. Where ``usable``,
    one value for each place of the stream, is given, n-grams with a unit that is not usable are left out.
    """
    places = _places(lengths, n, usable)
    size = int(units.max(initial=0)) + 1
    keys, distinct = units[places].astype(np.int64), size
    for offset in range(1, n):
        if gap and offset == gap:
            continue
        if distinct.bit_length() + size.bit_length() > _KEY_BITS:
            keys, distinct = _ranks(keys, distinct)
        keys = keys * size + units[places + offset]
        distinct *= size
    order = stable_order(keys, distinct)
    return NgramPlaces(places[order], np.flatnonzero(is_new(keys[order])))


@dataclass(frozen=True, slots=True)
class NumberedNgrams:
    """All n-grams of one order in a stream, each known by a number."""

    n: int
    places: I64
    """Where in the stream each n-gram begins, ascending."""
    numbers: I64
    """The number of each: equal n-grams have the same; from 0, ascending with the numbers of the units."""


def number_ngrams(units: I64, lengths: I64, order: int) -> Iterator[NumberedNgrams]:
    """Number the n-grams of a stream of ``units``, numbers from 0, for every n from 1 to ``order``.

    ``lengths`` are those of its sequences, as in group_ngrams. An n+1-gram is known by the two n-grams in it.
    """
    places = _places(lengths, 1, None)
    numbers, distinct = _ranks(units[places].astype(np.int64), int(units.max(initial=0)) + 1)
    number_at = np.zeros(len(units), dtype=np.int64)
    for n in range(1, order + 1):
        if n > 1:
            places = _places(lengths, n, None)
            pairs = number_at[places] * distinct + number_at[places + 1]
            numbers, distinct = _ranks(pairs, distinct * distinct)
        yield NumberedNgrams(n, places, numbers)
        number_at[places] = numbers


def joined_ranges(starts: I64, lengths: I64) -> I64:
    """The numbers of several ranges, one after the other, each by its start and its length."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)


def stable_order(keys: I64, distinct: int) -> I64:
    """The order that sorts ``keys``, which are from 0 to ``distinct`` - 1; equal ones keep theirs."""
    bits = len(keys).bit_length()
    if distinct.bit_length() + bits > _KEY_BITS:
        return keys.argsort(kind="stable")
    # Each key with its place behind it in one number: sorting plain numbers is several times as fast as argsort.
    packed = (keys << bits) | np.arange(len(keys), dtype=np.int64)
    packed.sort()
    return packed & ((1 << bits) - 1)


def _places(lengths: I32 | I64, n: int, usable: Bools | None) -> I64:
    """Where an n-gram can begin, ascending."""
    wide = lengths.astype(np.int64)
    places = joined_ranges(np.cumsum(wide) - wide, np.maximum(wide - (n - 1), 0))
    if usable is None:
        return places
    unusable = np.concatenate(([0], np.cumsum(~usable)))
    return np.asarray(places[unusable[places + n] == unusable[places]])


def _ranks(keys: I64, distinct: int) -> tuple[I64, int]:
    """The rank of each key among the different ones, from 0, and how many of these there are."""
    order = stable_order(keys, distinct)
    ordered = np.cumsum(is_new(keys[order])) - 1
    ranks = np.empty_like(keys)
    ranks[order] = ordered
    return ranks, int(ordered[-1]) + 1 if len(ordered) else 0


# 64-bit fingerprints of substrings, many at a time: equal substrings have equal ones, wherever they stand. A polynomial
# over mixed code points modulo 2^64, with an odd base so that a position can be divided out: two of n different
# substrings share one with a probability of about n^2 / 2^65, one in a million for five million.

_AT_ONCE = 1 << 20
"""So many characters are looked at in one step, where arrays of a number for each would be most of the memory."""
_BASE = 0xD1342543DE82EF95
_INVERSE = pow(_BASE, -1, 1 << 64)
_FEW = 12
"""Powers of the inverse are products of two that are kept: those below 2 to this, and those of that one."""


def mixed(values: U64) -> U64:
    """Each value spread over all 64 bits, one to one (splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values ^= values >> np.uint64(shift)
        values *= np.uint64(factor)
    values ^= values >> np.uint64(31)
    return values


def _mixed_characters(text: str) -> U64:
    """Each code point of a text, mixed; in a long one each only once."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    size = int(codes.max(initial=0)) + 1
    return mixed(np.arange(size, dtype=np.uint64))[codes] if size < len(codes) else mixed(codes.astype(np.uint64))


def combined(first: U64, second: U64) -> U64:
    """A fingerprint of two fingerprints in their order."""
    return mixed(mixed(first) * np.uint64(3) + second)


class Fingerprints:
    def __init__(self, text: str | U64) -> None:
        """Of a text by its code points, or of any numbers."""
        units = _mixed_characters(text) if isinstance(text, str) else mixed(text)
        self.size = len(units)
        powers = np.full(self.size, _BASE, dtype=np.uint64)
        np.cumprod(powers, out=powers)
        self._sums = np.zeros(self.size + 1, dtype=np.uint64)
        np.cumsum(units * powers, out=self._sums[1:])
        del powers, units
        self._low = np.cumprod(np.full(1 << _FEW, _INVERSE, dtype=np.uint64))
        self._high = np.full((self.size >> _FEW) + 1, self._low[-1], dtype=np.uint64)
        self._high[0] = 1
        np.cumprod(self._high, out=self._high)

    def _inverses(self, start: npt.NDArray[np.integer]) -> U64:
        """What divides offsets out."""
        return np.asarray(self._high[start >> _FEW] * self._low[start & ((1 << _FEW) - 1)])

    def of(self, start: npt.NDArray[np.integer], stop: npt.NDArray[np.integer]) -> U64:
        """The fingerprint of each text[start:stop]; offsets in code points."""
        return mixed((self._sums[stop] - self._sums[start]) * self._inverses(start))

    def of_runs(self, *runs: tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]) -> U64:
        """The fingerprint of each text that some runs (start, stop) of this one make, one after the other."""
        longest = max((int((stop - start).max(initial=0)) for start, stop in runs), default=0)
        powers = np.full(longest + 1, _BASE, dtype=np.uint64)
        powers[0] = 1
        np.cumprod(powers, out=powers)
        total = np.zeros(1, dtype=np.uint64)
        for start, stop in reversed(runs):
            total = (self._sums[stop] - self._sums[start]) * self._inverses(start) + powers[stop - start] * total
        return mixed(total)

    def windows(self, size: int) -> U64:
        """The fingerprint of each run of ``size`` characters, by offset; ``size`` from 1 to the length of the text."""
        last = self.size + 1 - size
        return mixed((self._sums[size:] - self._sums[:last]) * self._inverses(np.arange(last)))


def text_hashes(texts: Sequence[str]) -> I64:
    """The fingerprint of each text."""
    sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    stops = np.cumsum(sizes)
    found = np.empty(len(texts), dtype=np.int64)
    begin = 0
    while begin < len(texts):
        before = int(stops[begin] - sizes[begin])
        end = max(int(np.searchsorted(stops, before + _AT_ONCE, side="right")), begin + 1)
        here = stops[begin:end] - before
        found[begin:end] = Fingerprints("".join(texts[begin:end])).of(here - sizes[begin:end], here).view(np.int64)
        begin = end
    return found


# Character n-grams of every length: the suffixes of all sentences in their order, and what can be asked of them.

MAX_CHARACTERS = 1 << 24
"""The most characters that one segment of a corpus holds, which bounds the memory of sorting it to about 450 MB."""

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
    suffixes that still equal a neighbour are sorted again. At most 2^30 characters; memory about 25 bytes a character.
    Raises ValueError for a text that does not end with a line break.
    """
    if text and not text.endswith("\n"):
        raise ValueError("the text does not end with a line break")
    packed = PackedText(text)
    if packed.size == 0:
        return np.zeros(0, dtype=np.int32)
    width, remaining = packed.width, packed.remaining
    order = np.argsort(packed.keys, kind="stable").astype(np.int32)
    rank = _ranked(packed.keys, order)
    # A suffix of which only its final line break is left comes before all that begin with one and go on.
    only_break = 2 * int(np.count_nonzero(packed.keys < packed.only_break))
    del packed
    tied = _tied(rank, order, remaining, width, np.arange(len(order), dtype=np.int32))
    while len(tied):
        for some in _whole_groups(tied, rank, order):
            # Ranks that this round has made finer already order as those before did, and equal suffixes share one.
            suffixes = order[some]
            # What follows the characters compared so far; every suffix that is tied goes on after them.
            follower = np.where(
                remaining[suffixes] == width + 1, only_break, 2 * rank[suffixes + width].astype(np.int64) + 1
            )
            key = (rank[suffixes].astype(np.int64) << 32) | follower
            local = np.argsort(key, kind="stable")
            order[some] = suffixes[local]
            rank[suffixes[local]] = _group_starts(key[local], some)
        width *= 2
        tied = _tied(rank, order, remaining, width, tied)
    return order


def _ranked(keys: U64, order: I32) -> I32:
    """For each offset the first position in the order of a suffix with the same key."""
    rank = np.empty(len(order), dtype=np.int32)
    start = 0
    for begin in range(0, len(order), _AT_ONCE):
        # With the one before, of which it is known where its like begin.
        suffixes = order[max(begin - 1, 0) : begin + _AT_ONCE]
        positions = np.arange(max(begin - 1, 0), begin + _AT_ONCE, dtype=np.int32)[: len(suffixes)]
        positions[0] = start
        starts = _group_starts(keys[suffixes], positions)
        rank[suffixes] = starts
        start = starts[-1]
    return rank


def _whole_groups(tied: I32, rank: I32, order: I32) -> Iterator[I32]:
    """The tied positions in parts, with all that are tied with each other in one."""
    begin = 0
    while begin < len(tied):
        stop = begin + _AT_ONCE
        if stop < len(tied):  # all before the group of the next, or that group where nothing is before
            own = rank[order[tied[stop]]]
            begins = int(np.searchsorted(tied, own))
            stop = begins if begins > begin else begin + int(np.searchsorted(rank[order[tied[begin:]]], own, "right"))
        yield tied[begin:stop]
        begin = stop


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
        outside = len(self.alphabet) + 1
        self.bits = outside.bit_length()
        self.width = 64 // self.bits
        """How many characters a key holds."""
        dense = np.full(0x110001, outside, dtype=np.min_scalar_type(outside))
        dense[self.alphabet] = np.arange(1, outside)
        self.only_break = np.uint64(dense[_LINE_BREAK]) << np.uint64(self.bits * (self.width - 1))
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

    def _pack(self, dense: npt.NDArray[np.unsignedinteger]) -> U64:
        keys = np.zeros(self.size, dtype=np.uint64)
        for begin in range(0, self.size, _AT_ONCE):
            some, remaining = keys[begin : begin + _AT_ONCE], self.remaining[begin : begin + _AT_ONCE]
            for place in range(self.width):
                some <<= np.uint64(self.bits)
                here = dense[begin + place : begin + place + len(some)]
                some[: len(here)] |= np.where(remaining[: len(here)] > place, here, 0).astype(np.uint64)
        return keys


def _length_to_break(codes: U32) -> I32:
    """For each offset how many characters there are to the end of the next line break after it."""
    breaks = np.flatnonzero(codes == _LINE_BREAK).astype(np.int32)
    if len(codes) and (len(breaks) == 0 or breaks[-1] != len(codes) - 1):
        breaks = np.append(breaks, np.int32(len(codes) - 1))
    # A suffix that begins at a line break goes on to the next one: that is how a sentence begins.
    ends = np.repeat(breaks, np.diff(breaks, prepend=np.int32(0)))
    lengths = np.arange(1, 1 - len(codes), -1, dtype=np.int32)
    lengths[: len(ends)] += ends
    lengths[len(ends) :] += breaks[-1:]
    return lengths


def _group_starts(sorted_keys: npt.NDArray[np.integer], positions: I32) -> I32:
    """For each of ascending keys the position of the first that equals it."""
    first = np.empty(len(sorted_keys), dtype=bool)
    first[0] = True
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=first[1:])
    return np.maximum.accumulate(np.where(first, positions, 0)).astype(np.int32)


def _tied(rank: I32, order: I32, remaining: I32, width: int, among: I32) -> I32:
    """The positions whose suffixes equal a neighbour's in all ``width`` characters and go on after them."""
    found = [np.empty(0, dtype=np.int32)]
    for begin in range(0, len(among), _AT_ONCE):
        before = min(begin, 1)
        some = among[begin - before : begin + _AT_ONCE + 1]  # with the neighbours
        suffixes = order[some]
        ranks = rank[suffixes]
        same = np.zeros(len(some), dtype=bool)
        equal = ranks[1:] == ranks[:-1]
        same[1:] |= equal
        same[:-1] |= equal
        chosen = same & (remaining[suffixes] > width)
        here = slice(before, before + _AT_ONCE)
        found.append(some[here][chosen[here]])
    return np.concatenate(found)


Suffixes: TypeAlias = Sequence[int] | memoryview | Packed


class SuffixIndex:
    """The suffixes of one or more texts, to look up where a sequence of characters occurs.

    Each part is a text in which every sentence stands between two line breaks, with its sorted suffixes. A sequence may
    begin or end with a line break, which then marks the beginning or the end of a sentence.
    """

    def __init__(self, parts: Sequence[tuple[str, Suffixes]]) -> None:
        self._given = parts

    def _parts(self) -> Sequence[tuple[str, Suffixes]]:
        """For one look-up."""
        return self._given

    def contains(self, sequence: str) -> bool:
        size = len(sequence)
        for text, suffixes in self._parts():
            position = bisect_left(suffixes, sequence, key=lambda offset, text=text: text[offset : offset + size])
            if position < len(suffixes) and text.startswith(sequence, suffixes[position]):
                return True
        return False

    def count(self, sequence: str) -> int:
        return sum(high - low for _, low, high in self._ranges(sequence))

    def occurrences(self, sequence: str) -> Iterator[tuple[int, int]]:
        """Each occurrence as (part, offset in the part's text), in the order of the suffixes."""
        for part, low, high in self._ranges(sequence):
            suffixes = self._given[part][1]
            for position in range(low, high):
                yield part, suffixes[position]

    def longest(self, text: str, start: int) -> int:
        best = 0
        limit = len(text) - start
        for own, suffixes in self._parts():
            key = text[start:]
            position = bisect_left(suffixes, key, key=lambda offset, own=own: own[offset : offset + limit])
            for neighbour in (position - 1, position):
                if 0 <= neighbour < len(suffixes):
                    best = max(best, _common(own, suffixes[neighbour], text, start))
        return best

    def _ranges(self, sequence: str) -> Iterator[tuple[int, int, int]]:
        size = len(sequence)
        above = sequence + "\U0010ffff"
        for part, (text, suffixes) in enumerate(self._parts()):
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


# For every character of many texts: how many characters from there on occur in a corpus as one sequence.


_STRIDE = 8
"""So far apart are the offsets of a text that are looked up first."""


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
        lengths = np.empty(len(text), dtype=np.int32)
        begin = 0
        while begin < len(text):
            # From one line break to another, which is looked at as the beginning of what follows.
            stop = text.find("\n", begin + _AT_ONCE)
            stop = len(text) if stop < 0 else stop
            lengths[begin:stop] = self._longest(text[begin : stop + 1])[: stop - begin]
            begin = stop
        return lengths

    def _longest(self, text: str) -> I32:
        query = PackedText(text, self._packed.alphabet)
        # A sequence that occurs does so without its first character, too: where they end never goes back as the offsets
        # ascend, and between two offsets where it is the same nothing needs to be looked up.
        ends = np.zeros(query.size, dtype=np.int64)
        asked = np.append(np.arange(0, query.size - 1, _STRIDE), np.arange(query.size)[-1:])
        left, right = asked[:-1], asked[1:]
        while len(asked):
            ends[asked] = asked + self._longest_from(query, asked)
            unlike = (ends[left] < ends[right]) & (right - left > 1)
            left, right = left[unlike], right[unlike]
            asked = (left + right) >> 1
            left, right = np.concatenate([left, asked]), np.concatenate([asked, right])
        return np.asarray(np.maximum.accumulate(ends) - np.arange(query.size), dtype=np.int32)

    def _longest_from(self, query: PackedText, offsets: I64) -> I32:
        """The same for some offsets."""
        lengths = np.zeros(query.size, dtype=np.int32)
        # Ascending keys make neighbouring look-ups touch the same memory, which is ten times as fast.
        active = offsets[np.argsort(query.keys[offsets])]
        low, high = np.zeros(len(active), dtype=np.int64), np.full(len(active), len(self._suffixes))
        depth = 0
        while len(active):
            keys = query.keys_after(active, depth)
            first = self._bisect(keys, low, high, depth, right=False)
            found = first < high
            found[found] = self._key_at(first[found], depth) == keys[found]
            beyond = ~found
            shared = self._beside(keys[beyond], first[beyond], low[beyond], high[beyond], depth)
            lengths[active[beyond]] = depth + shared
            active, keys, low, high = active[found], keys[found], first[found], high[found]
            depth += query.width
            lengths[active] = np.minimum(depth, query.remaining[active])
            going = query.remaining[active] > depth
            active, keys, low, high = active[going], keys[going], low[going], high[going]
            high = self._bisect(keys, low, high, depth - query.width, right=True)
        return lengths[offsets]

    def _key_at(self, positions: I64, depth: int) -> U64:
        """The key of the suffix at each position in the order, ``depth`` characters after its beginning."""
        return self._packed.keys_after(self._suffixes[positions], depth) if depth else self._sorted_keys[positions]

    def _bisect(self, keys: U64, low: I64, high: I64, depth: int, *, right: bool) -> I64:
        """For each key its place among the suffixes from ``low`` to ``high``, which are equal up to ``depth``."""
        if depth == 0:  # all of them
            return np.searchsorted(self._sorted_keys, keys, side="right" if right else "left")
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

    def _beside(self, keys: U64, place: I64, low: I64, high: I64, depth: int) -> I32:
        """How many characters each text has in common with the two suffixes between which it would stand."""
        best = np.zeros(len(keys), dtype=np.int32)
        for neighbour in (place - 1, place):
            inside = np.flatnonzero((neighbour >= low) & (neighbour < high))
            best[inside] = np.maximum(best[inside], self._shared(self._key_at(neighbour[inside], depth), keys[inside]))
        return best

    def _shared(self, first: U64, second: U64) -> I32:
        """How many characters two keys have in common from the left; the end counts as none."""
        shared = np.zeros(len(first), dtype=np.int32)
        unequal = first ^ second
        mask = np.uint64((1 << self._packed.bits) - 1)
        for place in range(self._packed.width):
            shift = np.uint64(self._packed.bits * (self._packed.width - 1 - place))
            shared += (unequal >> shift == 0) & ((first >> shift) & mask != 0)
        return shared
