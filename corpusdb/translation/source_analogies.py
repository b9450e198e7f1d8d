"""Analogies A : B :: C : D among sentences of one language, and where runs of units stand in texts.

Where runs of units stand in texts, and which texts there are: both by numbers, for many runs at a time.

Runs of 1, 2, 4 and 8 units are numbered, so that two runs of up to 16 units are the same where the first and the
last power of two in them are (Karp, Miller & Rosenberg 1972). A whole text is found by a polynomial fingerprint
modulo 2^64, from which that of the text with one run replaced follows without looking at the rest.

The texts stand one behind the other: a place is the number of a unit, or of the end of a text, which is one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I32, I64, U64, Bools, is_new, places_in
from corpusdb.base.ngrams import combined, joined_ranges, mixed
from corpusdb.translation.examples import UNKNOWN, UnitTexts, encode_texts

LONGEST_RUN = 16
_LEVELS = 4
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_TABLE_BITS = 22
"""Of the table that tells for nearly every fingerprint that no text has it."""


def level_of(length: int) -> int:
    """The level of the longest numbered runs that a run of ``length`` units holds, at least 1."""
    return min(_LEVELS - 1, length.bit_length() - 1)


@dataclass(frozen=True, slots=True)
class Numbered:
    """The runs of one length, a power of two."""

    numbers: I32
    """Of the run that begins at each place; UNKNOWN where it would leave its text."""
    keys: I64
    """Of each number, what it was made of: two numbers of half the length as one. Ascending."""
    factor: int
    """A key is this times the first number, and the second."""
    places: I32
    """By number, then ascending."""
    starts: I64
    """Where those of each number begin in ``places``, and where the last end."""


@dataclass(frozen=True, slots=True)
class SpanIndex:
    """Texts that can be asked for runs."""

    starts: I64
    """The place of the first unit of each text, and behind the last text the number of places."""
    owners: I32
    """The text of each place."""
    levels: Sequence[Numbered]
    before: U64
    """The fingerprint of what stands before each place in its text."""
    values: U64
    """By which each unit counts in a fingerprint."""
    powers: U64
    """Of the base, from 0."""
    inverses: U64
    """The same, negative."""
    sorted_prints: U64
    """The fingerprints of the texts, ascending."""
    sorted_texts: I64
    """The text of each of them."""
    table: Bools
    """Whether a fingerprint with these first bits is there."""

    def numbers_of(self, units: I32) -> list[I64]:
        """The numbers of the runs that begin at each unit of a text, by level; UNKNOWN for what was not seen."""
        found = [units.astype(np.int64)]
        for level in range(1, len(self.levels)):
            half, below, numbered = 1 << level - 1, found[-1], self.levels[level]
            second = np.full(len(below), UNKNOWN, dtype=np.int64)
            second[: max(0, len(below) - half)] = below[half:]
            at, known = places_in(numbered.keys, below * numbered.factor + second)
            found.append(np.where(known & (below != UNKNOWN) & (second != UNKNOWN), at, UNKNOWN))
        return found

    def print_of(self, units: I32) -> np.uint64:
        return np.uint64(int((self.values[units] * self.powers[: len(units)]).sum(dtype=np.uint64)))

    def prints_at(self, places: I64, lengths: I64) -> U64:
        """The fingerprints of runs of the texts."""
        depth = places - self.starts[self.owners[places]]
        found: U64 = (self.before[places + lengths] - self.before[places]) * self.inverses[depth]
        return found

    def replaced(self, places: I64, removed: I64, inserted: U64, lengths: I64) -> U64:
        """The fingerprints of texts with a run of ``removed`` units replaced by one of another length."""
        texts = self.owners[places]
        begin = self.before[places]
        behind = self.before[self.starts[texts + 1] - 1] - self.before[places + removed]
        depth = places - self.starts[texts]
        found: U64 = begin + self.powers[depth] * inserted + behind * _SHIFTS[lengths - removed + LONGEST_RUN]
        return found

    def texts_with(self, prints: U64) -> I64:
        """The text that has each fingerprint; UNKNOWN where none has."""
        found = np.full(len(prints), UNKNOWN, dtype=np.int64)
        possible = np.flatnonzero(self.table[(prints >> np.uint64(64 - _TABLE_BITS)).astype(np.int64)])
        at, known = places_in(self.sorted_prints, prints[possible])
        found[possible[known]] = self.sorted_texts[at[known]]
        return found


_SHIFTS: U64 = np.array(
    [
        pow(_INVERSE, -each, 1 << 64) if each < 0 else pow(_BASE, each, 1 << 64)
        for each in range(-LONGEST_RUN, LONGEST_RUN + 1)
    ],
    dtype=np.uint64,
)


def index_spans(texts: UnitTexts) -> SpanIndex:
    """Number the runs of texts, and fingerprint the texts."""
    lengths = texts.lengths
    starts = texts.offsets + np.arange(len(texts) + 1)
    owners = np.repeat(np.arange(len(texts), dtype=np.int32), lengths + 1)
    units = np.full(len(owners), UNKNOWN, dtype=np.int32)
    units[joined_ranges(starts[:-1], lengths)] = texts.units
    longest = int(lengths.max(initial=0)) + LONGEST_RUN + 2
    powers, inverses = _powers(_BASE, longest), _powers(_INVERSE, longest)
    values = mixed(np.arange(len(texts.numbers), dtype=np.uint64) + np.uint64(1))
    before = np.zeros(len(owners), dtype=np.uint64)
    if len(owners):
        depth = np.arange(len(owners)) - starts[owners]
        terms = np.where(units == UNKNOWN, np.uint64(0), values[units] * powers[depth])
        sums = np.cumsum(terms) - terms
        before = sums - sums[starts[owners]]
    prints = before[starts[1:] - 1]
    order = np.argsort(prints, kind="stable")
    table = np.zeros(1 << _TABLE_BITS, dtype=np.bool_)
    table[(prints >> np.uint64(64 - _TABLE_BITS)).astype(np.int64)] = True
    levels = tuple(_levels(units, len(texts.numbers)))
    return SpanIndex(starts, owners, levels, before, values, powers, inverses, prints[order], order, table)


def _levels(units: I32, distinct: int) -> list[Numbered]:
    found = [_grouped(units, units.astype(np.int64), 0)]
    factor = max(1, distinct)
    for level in range(1, _LEVELS):
        half, below = 1 << level - 1, found[-1].numbers.astype(np.int64)
        second = np.full(len(below), UNKNOWN, dtype=np.int64)
        second[: max(0, len(below) - half)] = below[half:]
        keys = np.where((below != UNKNOWN) & (second != UNKNOWN), below * factor + second, UNKNOWN)
        found.append(_grouped(None, keys, factor))
        factor = len(found[-1].keys) or 1
    return found


def _grouped(numbers: I32 | None, keys: I64, factor: int) -> Numbered:
    """Number the keys by their order, unless they are numbered, and list the places of each."""
    known = np.flatnonzero(keys != UNKNOWN)
    order = known[np.argsort(keys[known], kind="stable")]
    ordered = keys[order]
    if numbers is None:
        first = is_new(ordered)
        numbers = np.full(len(keys), UNKNOWN, dtype=np.int32)
        numbers[order] = np.cumsum(first) - 1
        distinct, starts = ordered[first], np.flatnonzero(first)
    else:
        distinct = np.arange(int(ordered[-1]) + 1 if len(ordered) else 0)
        starts = np.searchsorted(ordered, distinct)
    return Numbered(numbers, distinct, factor, order.astype(np.int32), np.append(starts, len(order)))


def _powers(base: int, count: int) -> U64:
    found = np.full(count, base, dtype=np.uint64)
    found[0] = 1
    return np.cumprod(found, dtype=np.uint64)


LENGTHS = (2, 3)
"""Of the runs that are looked up, in units; the beginning and the end of a text are units too."""


@dataclass(frozen=True, slots=True)
class AttestedRuns:
    texts: UnitTexts
    prints: Sequence[U64]
    """By length: the fingerprints of the runs, ascending."""

    def missing(self, text: str) -> tuple[int, ...]:
        """How many runs of each length a text has that the corpus does not have."""
        units = self.texts.encode(text)
        stream = _framed(units, np.array([0, len(units)]), len(self.texts.numbers))
        runs = ((known, _runs(stream, length)) for length, known in zip(LENGTHS, self.prints, strict=True))
        return tuple(int((~places_in(*each)[1]).sum()) for each in runs)


def attest(texts: Sequence[str]) -> AttestedRuns:
    """Note the runs of texts."""
    encoded = encode_texts(texts)
    stream = _framed(encoded.units, encoded.offsets, len(encoded.numbers))
    # Runs over the end of a text are among them, but no text has one: it would hold an end before its last unit.
    return AttestedRuns(encoded, [np.unique(_runs(stream, length)) for length in LENGTHS])


def _framed(units: I32, offsets: I64, distinct: int) -> I64:
    """Texts one behind the other, each between a start mark and an end mark."""
    lengths = np.diff(offsets)
    starts = offsets[:-1] + 2 * np.arange(len(lengths))
    stream = np.full(len(units) + 2 * len(lengths), distinct, dtype=np.int64)
    stream[starts + lengths + 1] = distinct + 1
    stream[joined_ranges(starts + 1, lengths)] = np.where(units == UNKNOWN, distinct + 2, units)
    return stream


def _runs(stream: I64, length: int) -> U64:
    """The fingerprint of the run of a length at each place that has one."""
    places = max(0, len(stream) - length + 1)
    found: U64 = stream[:places].astype(np.uint64)
    for step in range(1, length):
        found = combined(found, stream[step : step + places].astype(np.uint64))
    return found


# Analogies A : B :: C : D among sentences of one language, where D is a text that need not be one of them.
# D and B are one context with two fillers x and y, C and A another context with the same two. Of a pair B, D only the
# largest context they share matters: with a smaller one, x and y begin or end alike, and the analogies are the same.


@dataclass(frozen=True, slots=True)
class AnalogyBounds:
    """What is not looked at, so that a text takes some milliseconds."""

    least_context: float = 0.2
    """The least share of the characters of D that the context must have."""
    longest_filler: int = 16
    """In units; at most LONGEST_RUN."""
    places: int = 100_000
    """Places of fillers that are looked at for one text: those of pairs of fillers in large contexts first."""
    places_of_pair: int = 2_000
    """Of these for one pair of fillers, the first in the corpus."""
    analogies: int = 300
    """The most that are returned, those in the largest contexts first."""


class SourceAnalogies(NamedTuple):
    """Parallel arrays, one entry an analogy, by descending context: the numbers of the texts."""

    a: I64
    b: I64
    c: I64
    context: F64
    """The share of the characters of D that it has in common with B."""


class _Neighbours(NamedTuple):
    """Parallel arrays, one entry a text B that shares a context with D."""

    texts: I64
    begin: I64
    """Units that both begin with; behind them stand the fillers."""
    filler: I64
    """How many units of D are not in the context."""
    other: I64
    """How many of B."""
    context: F64

    def at(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_ | np.int64]]) -> _Neighbours:
        return _Neighbours(
            self.texts[chosen], self.begin[chosen], self.filler[chosen], self.other[chosen], self.context[chosen]
        )


class _Places(NamedTuple):
    """Where a filler may stand: a list of places of a level, all by ``shift`` behind its beginning."""

    level: I64
    first: I64
    size: I64
    """How many places the list has."""
    shift: I64


@dataclass(frozen=True, slots=True)
class AnalogyIndex:
    texts: UnitTexts
    spans: SpanIndex
    by_first: I64
    """The texts by their first unit."""
    firsts: I32
    by_last: I64
    """The texts by their last unit, then by the one before it."""
    lasts: I64

    def analogies(self, units: I32, characters: I64, bounds: AnalogyBounds) -> SourceAnalogies:
        """The analogies of which a text is the fourth term; ``characters``: how many each of its units has."""
        if len(units) > len(self.spans.powers):
            return _none()  # so much longer than all of them that no filler makes up for it
        near = self._neighbours(units, characters, bounds)
        own, theirs = self._fillers(units, near), self._other_fillers(near)
        # A filler that stands in B alone makes no second context; nor does one of D that stands nowhere.
        usable = (own.size > 0) & (theirs.size > 1)
        near, own, theirs = near.at(usable), _chosen(own, usable), _chosen(theirs, usable)
        if not len(near.texts):
            return _none()
        prints = self.spans.prints_at(self.spans.starts[near.texts] + near.begin, near.other)
        keys = combined(prints, (near.begin * (len(units) + 1) + near.filler).view(np.uint64))
        _, first, pair_of = np.unique(keys, return_index=True, return_inverse=True)
        pairs = _Pairs(near.at(first), _chosen(own, first), _chosen(theirs, first), prints[first])
        pair, a, c = self._seconds(units, pairs, bounds)
        return self._joined(units, near, pair_of, _Seconds(pair, a, c), bounds)

    def _neighbours(self, units: I32, characters: I64, bounds: AnalogyBounds) -> _Neighbours:
        """The texts that share a context with D, each with the largest."""
        size, total = len(units), int(characters.sum())
        ends = np.cumsum(characters[::-1])
        texts, begin = self._same_beginning(units)
        behind = int(np.searchsorted(ends, bounds.least_context * total)) + 1  # so few units could be a context
        others = self._same_end(units, min(behind, 2))
        others = others[self.spans.levels[0].numbers[self.spans.starts[others]] != units[0]] if size else others
        texts, begin = np.concatenate((texts, others)), np.concatenate((begin, np.zeros(len(others), dtype=np.int64)))
        lengths = self.texts.lengths_of(texts)
        end = np.minimum(self._common_end(units, texts), np.minimum(lengths, size) - begin)
        before = np.concatenate(([0], np.cumsum(characters)))
        context = (before[begin] + np.concatenate(([0], ends))[end]) / max(1, total)
        found = _Neighbours(texts, begin, size - begin - end, lengths - begin - end, context)
        longest = min(bounds.longest_filler, LONGEST_RUN)
        return found.at(
            (context >= bounds.least_context)
            & (found.filler <= longest)
            & (found.other <= longest)
            & (found.filler + found.other > 0)
        )

    def _same_beginning(self, units: I32) -> tuple[I64, I64]:
        """The texts that begin with the first unit, and how many units of the beginning they have."""
        if not len(units) or units[0] == UNKNOWN:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        first, last = np.searchsorted(self.firsts, units[0]), np.searchsorted(self.firsts, units[0], side="right")
        texts = self.by_first[first:last]
        common = np.ones(len(texts), dtype=np.int64)
        alive, starts, numbers = np.arange(len(texts)), self.spans.starts[texts], self.spans.levels[0].numbers
        for place, unit in enumerate(units[1:].tolist(), 1):
            if unit == UNKNOWN:
                break
            alive = alive[numbers[starts[alive] + place] == unit]  # the end of a text is no unit
            if not len(alive):
                break
            common[alive] += 1
        return texts, common

    def _same_end(self, units: I32, least: int) -> I64:
        """The texts that end with the last unit, or with the last two."""
        if len(units) < least or UNKNOWN in units[-least:]:
            return np.empty(0, dtype=np.int64)
        factor = len(self.texts.numbers) + 1
        low = int(units[-1]) * factor + (int(units[-2]) + 1 if least > 1 else 0)
        high = low + (1 if least > 1 else factor)
        first, last = np.searchsorted(self.lasts, (low, high))
        return self.by_last[first:last]

    def _common_end(self, units: I32, texts: I64) -> I64:
        common = np.zeros(len(texts), dtype=np.int64)
        alive, ends, numbers = np.arange(len(texts)), self.spans.starts[texts + 1] - 2, self.spans.levels[0].numbers
        for place, unit in enumerate(units[::-1].tolist()):
            if unit == UNKNOWN:
                break
            alive = alive[numbers[ends[alive] - place] == unit]
            if not len(alive):
                break
            common[alive] += 1
        return common

    def _fillers(self, units: I32, near: _Neighbours) -> _Places:
        numbers = np.stack(self.spans.numbers_of(units))
        level = _levels_of_lengths(near.filler)
        behind = near.begin + near.filler - (1 << level)
        last = max(0, len(units) - 1)
        first = numbers[level, np.minimum(near.begin, last)]
        return self._rarer(near.filler, level, first, numbers[level, np.clip(behind, 0, last)])

    def _other_fillers(self, near: _Neighbours) -> _Places:
        numbers = [each.numbers for each in self.spans.levels]
        level, places = _levels_of_lengths(near.other), self.spans.starts[near.texts] + near.begin
        behind = places + near.other - (1 << level)
        first, second = np.full(len(level), UNKNOWN, dtype=np.int64), np.full(len(level), UNKNOWN, dtype=np.int64)
        for each, of_level in enumerate(numbers):
            chosen = (level == each) & (near.other > 0)
            first[chosen], second[chosen] = of_level[places[chosen]], of_level[behind[chosen]]
        return self._rarer(near.other, level, first, second)

    def _rarer(self, length: I64, level: I64, first: I64, second: I64) -> _Places:
        """Of the first and the last run in each filler, the rarer; an empty filler stands everywhere."""
        everywhere = np.iinfo(np.int64).max
        found = _Places(level, np.zeros_like(level), np.where(length == 0, everywhere, 0), np.zeros_like(level))
        for each, numbered in enumerate(self.spans.levels):
            at = np.flatnonzero((level == each) & (length > 0) & (first != UNKNOWN) & (second != UNKNOWN))
            starts, one, other = numbered.starts, first[at], second[at]
            later = starts[other + 1] - starts[other] < starts[one + 1] - starts[one]
            number = np.where(later, other, one)
            found.first[at], found.size[at] = starts[number], starts[number + 1] - starts[number]
            found.shift[at] = np.where(later, length[at] - (1 << each), 0)
        return found

    def _seconds(self, units: I32, pairs: _Pairs, bounds: AnalogyBounds) -> tuple[I64, I64, I64]:
        """The pairs of texts A, C that differ by the fillers of a pair: the number of the pair, A and C."""
        own = pairs.own.size <= pairs.theirs.size
        listed = _Places(*(np.where(own, *both) for both in zip(pairs.own, pairs.theirs, strict=True)))
        counts = np.minimum(listed.size, bounds.places_of_pair)
        order = np.argsort(-pairs.near.context, kind="stable")
        order = order[np.cumsum(counts[order]) <= bounds.places]
        removed = np.where(own, pairs.near.filler, pairs.near.other)
        pair, place = self._listed(listed, counts, order, removed)
        before = self._prints_of_fillers(units, pairs.near)
        lengths = np.where(own, pairs.near.other, pairs.near.filler)
        inserted: U64 = np.where(own, pairs.prints, before)
        found = self.spans.texts_with(self.spans.replaced(place, removed[pair], inserted[pair], lengths[pair]))
        hit = np.flatnonzero(found != UNKNOWN)
        pair, place, found = pair[hit], place[hit], found[hit]
        removed_prints: U64 = np.where(own, before, pairs.prints)
        hit = np.flatnonzero(self.spans.prints_at(place, removed[pair]) == removed_prints[pair])
        pair, found, holder = pair[hit], found[hit], self.spans.owners[place[hit]].astype(np.int64)
        # A filler may stand in a text several times and leave the same text behind.
        columns = np.stack((pair, np.where(own[pair], found, holder), np.where(own[pair], holder, found)))
        pair, a, c = np.unique(columns, axis=1)
        return pair, a, c

    def _prints_of_fillers(self, units: I32, near: _Neighbours) -> U64:
        spans = self.spans
        values: U64 = np.where(units == UNKNOWN, np.uint64(0), spans.values[units] * spans.powers[: len(units)])
        before: U64 = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)))
        found: U64 = (before[near.begin + near.filler] - before[near.begin]) * spans.inverses[near.begin]
        return found

    def _listed(self, listed: _Places, counts: I64, order: I64, sizes: I64) -> tuple[I64, I64]:
        """For each pair in ``order`` the places at which its filler, of so many units, may stand in a text."""
        pairs, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for each, numbered in enumerate(self.spans.levels):
            chosen = order[listed.level[order] == each]
            pair = np.repeat(chosen, counts[chosen])
            behind = numbered.places[joined_ranges(listed.first[chosen], counts[chosen])].astype(np.int64)
            place = behind - listed.shift[pair]
            owners = self.spans.owners[behind]
            inside = (place >= self.spans.starts[owners]) & (place + sizes[pair] < self.spans.starts[owners + 1])
            pairs.append(pair[inside])
            places.append(place[inside])
        return np.concatenate(pairs), np.concatenate(places)

    def _joined(
        self, units: I32, near: _Neighbours, pair_of: I64, seconds: _Seconds, bounds: AnalogyBounds
    ) -> SourceAnalogies:
        """Each B with the A and C of its pair of fillers."""
        order = np.argsort(seconds.pair, kind="stable")
        pair, a, c = (column[order] for column in seconds)
        low, high = np.searchsorted(pair, pair_of), np.searchsorted(pair, pair_of, side="right")
        by_context = np.argsort(-near.context, kind="stable")
        counts = (high - low)[by_context]
        enough = np.searchsorted(np.cumsum(counts), 4 * bounds.analogies) + 1
        by_context, counts = by_context[:enough], counts[:enough]
        member = np.repeat(by_context, counts)
        second = joined_ranges(low[by_context], counts)
        b, a, c = near.texts[member], a[second], c[second]
        kept = np.flatnonzero((a != b) & (b != c) & ~self._is_text(units, c))[: bounds.analogies]
        return SourceAnalogies(a[kept], b[kept], c[kept], near.context[member[kept]])

    def _is_text(self, units: I32, texts: I64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if UNKNOWN in units:
            return np.zeros(len(texts), dtype=np.bool_)
        ends = self.spans.starts[texts + 1] - 1
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = self.spans.before[ends] == self.spans.print_of(units)
        return found


class _Pairs(NamedTuple):
    """The distinct pairs of fillers, each with one B that has it."""

    near: _Neighbours
    own: _Places
    theirs: _Places
    prints: U64
    """The fingerprints of the fillers of B."""


class _Seconds(NamedTuple):
    pair: I64
    a: I64
    c: I64


def _chosen(places: _Places, chosen: np.ndarray[tuple[int], np.dtype[np.bool_ | np.int64]]) -> _Places:
    return _Places(*(column[chosen] for column in places))


def _levels_of_lengths(lengths: I64) -> I64:
    return np.array([0] + [level_of(length) for length in range(1, LONGEST_RUN + 1)])[lengths]


def _none() -> SourceAnalogies:
    none = np.empty(0, dtype=np.int64)
    return SourceAnalogies(none, none, none, np.empty(0, dtype=np.float64))


def index_analogies(texts: UnitTexts) -> AnalogyIndex:
    """Make texts ready to be asked for analogies; every text has a unit."""
    spans = index_spans(texts)
    units, ends = spans.levels[0].numbers, spans.starts[1:] - 1
    firsts = units[spans.starts[:-1]]
    factor = len(texts.numbers) + 1
    # The last but one is UNKNOWN, which is -1, in a text of one unit.
    lasts = units[ends - 1].astype(np.int64) * factor + units[ends - 2] + 1
    lasts[texts.lengths == 1] = units[ends[texts.lengths == 1] - 1].astype(np.int64) * factor
    by_first, by_last = np.argsort(firsts, kind="stable"), np.argsort(lasts, kind="stable")
    return AnalogyIndex(texts, spans, by_first, firsts[by_first], by_last, lasts[by_last])
