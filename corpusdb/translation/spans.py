"""Where runs of units stand in texts, and which of them a corpus has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.base.arrays import I32, I64, U64, Bools
from corpusdb.base.ngrams import combined, joined_ranges, mixed
from corpusdb.translation.examples import UNKNOWN, UnitTexts, encode_texts

__all__ = ["LENGTHS", "LONGEST_RUN", "AttestedRuns", "Numbered", "SpanIndex", "attest", "index_spans", "level_of"]


# Where runs of units stand in texts, and which texts there are: both by numbers, for many runs at a time.
#
# Runs of 1, 2, 4 and 8 units are numbered, so that two runs of up to 16 units are the same where the first and the
# last power of two in them are (Karp, Miller & Rosenberg 1972). A whole text is found by a polynomial fingerprint
# modulo 2^64, from which that of the text with one run replaced follows without looking at the rest.
#
# The texts stand one behind the other: a place is the number of a unit, or of the end of a text, which is one more.


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
            keys = below * numbered.factor + second
            numbers = np.full(len(below), UNKNOWN, dtype=np.int64)
            if len(numbered.keys):
                at = np.minimum(np.searchsorted(numbered.keys, keys), len(numbered.keys) - 1)
                known = (below != UNKNOWN) & (second != UNKNOWN) & (numbered.keys[at] == keys)
                numbers[known] = at[known]
            found.append(numbers)
        return found

    def print_of(self, units: I32) -> np.uint64:
        """The fingerprint of a run of known units."""
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
        if len(possible):
            wanted = prints[possible]
            at = np.minimum(np.searchsorted(self.sorted_prints, wanted), len(self.sorted_prints) - 1)
            found[possible] = np.where(self.sorted_prints[at] == wanted, self.sorted_texts[at], UNKNOWN)
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
    """The runs of 1, 2, 4 and 8 units."""
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
        first = np.ones(len(ordered), dtype=np.bool_)
        first[1:] = ordered[1:] != ordered[:-1]
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


# Runs of units that a corpus has: what a fluent text is made of, and a wrong assembly is not.


LENGTHS = (2, 3)
"""Of the runs that are looked up, in units; the beginning and the end of a text are units too."""


@dataclass(frozen=True, slots=True)
class AttestedRuns:
    """The runs of a corpus."""

    texts: UnitTexts
    prints: Sequence[U64]
    """By length: the fingerprints of the runs, ascending."""

    def missing(self, text: str) -> tuple[int, ...]:
        """How many runs of each length a text has that the corpus does not have."""
        units = self.texts.encode(text)
        stream = _framed(units, np.array([0, len(units)]), len(self.texts.numbers))
        return tuple(
            self._missing(known, _runs(stream, length)) for length, known in zip(LENGTHS, self.prints, strict=True)
        )

    @staticmethod
    def _missing(known: U64, runs: U64) -> int:
        if not len(known):
            return len(runs)
        at = np.minimum(np.searchsorted(known, runs), len(known) - 1)
        return int((known[at] != runs).sum())


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
