"""Analogies A : B :: C : D among sentences of one language, where D is a text that need not be one of them.

D and B are one context with two fillers x and y, C and A another context with the same two. Of a pair B, D only the
largest context they share matters: with a smaller one, x and y begin or end alike, and the analogies are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I32, I64, U64
from corpusdb.base.ngrams import combined, joined_ranges
from corpusdb.translation.examples import UNKNOWN, UnitTexts
from corpusdb.translation.spans import LONGEST_RUN, SpanIndex, index_spans, level_of

__all__ = ["AnalogyBounds", "AnalogyIndex", "SourceAnalogies", "index_analogies"]


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
    """Sentences that can be asked for analogies."""

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
        """How many units of the end each text has."""
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
        """Where the fillers of D may stand in the texts."""
        numbers = np.stack(self.spans.numbers_of(units))
        level = _levels(near.filler)
        behind = near.begin + near.filler - (1 << level)
        last = max(0, len(units) - 1)
        first = numbers[level, np.minimum(near.begin, last)]
        return self._rarer(near.filler, level, first, numbers[level, np.clip(behind, 0, last)])

    def _other_fillers(self, near: _Neighbours) -> _Places:
        """Where those of the texts B may stand."""
        numbers = [each.numbers for each in self.spans.levels]
        level, places = _levels(near.other), self.spans.starts[near.texts] + near.begin
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
        """The fingerprints of the fillers of D, all units of which are known."""
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
        """Whether a text is D itself."""
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


def _levels(lengths: I64) -> I64:
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
