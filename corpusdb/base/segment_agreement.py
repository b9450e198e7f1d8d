"""How far scores of segments agree with human scores, ties calibrated and pairs counted without listing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import pearson_of_sums

# Counting pairs of items that two scores put in the same order, without listing the pairs: the items are sorted by the
# first score, and the ranks by the second are laid into a wavelet matrix (Claude, Navarro and Ordóñez 2015), so that
# how many of the first p items have a rank below r is one step for each bit of a rank, for all items at once. Time O(n
# log n).

_GRID = 2.0**50
_MOST_DIGITS = 290


@dataclass(frozen=True, slots=True)
class ConcordantPairs:
    """For each item, with how many of the others it makes a pair of a kind; each has shape (items)."""

    concordant: I64
    """Further apart than the gap by the first score, and in the same order by the second."""
    discordant: I64
    """The same, and in the other order by the second."""
    tied_in_both: I64
    """Within the gap by the first score, and equal by the second."""
    apart_in_first: I64
    """Further apart than the gap by the first score."""
    apart_in_second: I64
    """Different by the second score."""


def concordance(first: I64, second: I64, gap: int = 0) -> ConcordantPairs:
    """Count the pairs of each item; ``second`` holds ranks from 0, which may be shared (dense_ranks).

    Two items whose first scores differ by ``gap`` or less are tied by these.
    """
    order = np.argsort(first, kind="stable")
    ascending, items = first[order], len(first)
    before = np.searchsorted(ascending, first - gap, side="left")
    upto = np.searchsorted(ascending, first + gap, side="right")
    ranks = _RankCounts.of(second[order])
    ranked = np.sort(second)
    less, less_or_equal = (np.searchsorted(ranked, second, side=side) for side in ("left", "right"))
    below_less, below_upto = ranks.below(before, second), ranks.below(before, second + 1)
    above_less, above_upto = less - ranks.below(upto, second), less_or_equal - ranks.below(upto, second + 1)
    above = items - upto
    equal_and_apart = (below_upto - below_less) + (above_upto - above_less)
    return ConcordantPairs(
        concordant=below_less + above - above_upto,
        discordant=before - below_upto + above_less,
        tied_in_both=less_or_equal - less - equal_and_apart - 1,
        apart_in_first=before + above,
        apart_in_second=items - (less_or_equal - less),
    )


def dense_ranks(scores: F64 | I64) -> I64:
    """The rank of each score, from 0, equal scores sharing one and none left out between."""
    return np.unique(scores, return_inverse=True)[1].reshape(np.shape(scores)).astype(np.int64)


def on_grid(scores: F64) -> I64:
    """Scores as whole numbers of a small unit, so that differences are exact and 0.3 - 0.2 is 0.2 - 0.1."""
    return np.rint(scores / grid_unit(scores)).astype(np.int64)


def grid_unit(scores: F64) -> float:
    """The unit of on_grid: the power of ten that leaves the largest score some fifteen digits."""
    most = float(np.abs(scores).max(initial=0.0))
    digits = int(np.floor(np.log10(_GRID) - np.log10(most))) if most else 0
    return 10.0 ** -min(digits, _MOST_DIGITS)


@dataclass(frozen=True, slots=True)
class _RankCounts:
    """A wavelet matrix of ranks: how many of the first so many are below a rank."""

    zeros: tuple[I64, ...]
    """By bit, the highest first: the number of ranks without it among the first 0, 1, 2 ... in the order there."""

    @classmethod
    def of(cls, ranks: I64) -> _RankCounts:
        levels = []
        left = ranks
        for bit in reversed(range(int(ranks.max(initial=0) + 1).bit_length())):
            has_bit = (left >> bit & 1).astype(np.bool_)
            levels.append(np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(~has_bit)]))
            left = np.concatenate([left[~has_bit], left[has_bit]])
        return cls(tuple(levels))

    def below(self, prefix: I64, rank: I64) -> I64:
        """How many of the first ``prefix`` ranks are below ``rank``, for each of both."""
        begin = np.zeros_like(prefix)
        end, found = prefix, np.zeros_like(prefix)
        for level, zeros in enumerate(self.zeros):
            has_bit = rank >> (len(self.zeros) - 1 - level) & 1 == 1
            zeros_begin, zeros_end = zeros[begin], zeros[end]
            found = found + np.where(has_bit, zeros_end - zeros_begin, 0)
            begin = np.where(has_bit, zeros[-1] + begin - zeros_begin, zeros_begin)
            end = np.where(has_bit, zeros[-1] + end - zeros_end, zeros_end)
        return found


# How small a difference of two scores is to count as a tie (Deutsch, Foster and Freitag 2023, section 5): the epsilon
# at which the metric agrees with people, who give many segments equal scores, on most pairs.

MOST_PAIRS = 1 << 18
"""Of more pairs so many are drawn to choose epsilon, as the authors' program can do; the accuracy is that of all."""


@dataclass(frozen=True, slots=True)
class ItemPairs:
    """Pairs of items; a row for each."""

    first: I64
    second: I64
    weights: F64


def all_pairs(groups: Sequence[I64], most: int = MOST_PAIRS) -> ItemPairs:
    """The pairs of items of the same group, each group weighing 1; of more than ``most``, as many are drawn.

    ``groups`` holds the numbers of the items of each. What is drawn is the same every time.
    """
    groups = [group for group in groups if len(group) > 1]
    total = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    rng = np.random.default_rng(0) if total > most else None
    found = [_pairs(group, rng, most // max(1, len(groups))) for group in groups]
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return ItemPairs(nothing, nothing, np.zeros(0))
    first, second, weights = (np.concatenate([getattr(each, name) for each in found]) for name in ItemPairs.__slots__)
    return ItemPairs(first, second, weights)


def _pairs(group: I64, rng: np.random.Generator | None, drawn: int) -> ItemPairs:
    if rng is None:
        first, second = np.triu_indices(len(group), 1)
    else:
        first = rng.integers(0, len(group), size=max(1, drawn))
        second = (first + rng.integers(1, len(group), size=len(first))) % len(group)
    return ItemPairs(group[first], group[second], np.full(len(first), 1 / len(first)))


def best_gap(scores: I64, human: I64, pairs: ItemPairs) -> int:
    """The smallest epsilon at which the share of pairs that are ordered, or tied, as people have them is largest.

    ``scores`` and ``human`` have whole numbers for each item; epsilon is 0 or the difference of a pair.
    """
    sizes = scores[pairs.first] - scores[pairs.second]
    orders = np.sign(human[pairs.first] - human[pairs.second])
    if orders.all():
        return 0
    # A pair that becomes tied is won where people tie it, and lost where it was in their order.
    gains = np.where(orders == 0, pairs.weights, np.where(sizes * orders > 0, -pairs.weights, 0.0))
    told = np.flatnonzero(gains)
    sizes, gains = np.abs(sizes[told]), gains[told]
    ranking = np.argsort(sizes)
    sizes, won = sizes[ranking], np.cumsum(gains[ranking])
    ends = np.flatnonzero(np.append(sizes[1:] != sizes[:-1], True))
    best = float(won[ends].max())
    if best <= _ROUNDING:  # nothing is to be had by ties, but those that are none of epsilon's doing
        return 0
    return int(sizes[ends[int(np.argmax(won[ends] >= best - _ROUNDING))]])


_ROUNDING = 1e-9


# How far scores of segments agree with human scores: over all outputs of all systems; within systems, the mean over
# these; and within segments, the mean over these ("no grouping", "group by system" and "group by item" of Deutsch,
# Foster and Freitag 2023). A group in which a correlation is not defined is left out of the mean.
#
# Everything is a function of how often each segment counts, so that samples of segments are rows of counts. The pairs
# of more than 200 items are counted in samples by the first term of their expansion (Hájek's projection): the error
# against counting them all is some thousandths of the interval for hundreds of segments.

Grouping: TypeAlias = Literal["over all", "within systems", "within segments"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("over all", "within systems", "within segments")
_GROUPED: Final = ("pearson", "kendall", "acc_eq", "tau_10", "tau_13", "tau_14")
RELATIVE_RANKS: Final = "darr"
"""Within segments only: Kendall's tau of WMT17 to WMT20, over the pairs of all segments together that people put
LEAST_APART or more points of direct assessment apart; what the metric ties is in the other order (Ma et al. 2019)."""
LEAST_APART: Final = 25.0
SEGMENT_STATISTICS: Final = (*_GROUPED, RELATIVE_RANKS)
SEGMENT_FIGURES: Final[tuple[tuple[Grouping, str], ...]] = (
    *product(GROUPINGS, _GROUPED),
    ("within segments", RELATIVE_RANKS),
)
Values: TypeAlias = Mapping[tuple[Grouping, str], F64]
"""By grouping and statistic, one for each row of counts; NaN where it is not defined."""

_ALL_PAIRS = 200
"""Items whose pairs are all counted in every sample."""


@dataclass(frozen=True, slots=True)
class _PairSums:
    """Sums over the pairs of some items, as a function of how often each segment counts."""

    segments: I64
    columns: F64
    """For each item, summed over the pairs it is in: concordant less discordant; apart in scores; apart in human
    scores; apart in both; right at epsilon; all. Shape (items, 6)."""
    tables: F64 | None
    """The same for each pair, where there are few items: shape (6, items, items)."""
    rows: F64
    """``columns`` by segment: shape (segments, 6)."""

    @classmethod
    def of(cls, scores: I64, human: I64, segments: I64, gap: int, total: int) -> _PairSums:
        """``total`` is the number of segments, with and without items."""
        columns = _pair_columns(scores, human, gap)
        tables = _pair_tables(scores, human, gap) if len(scores) <= _ALL_PAIRS else None
        rows = np.zeros((total, columns.shape[1]))
        np.add.at(rows, segments, columns)
        return cls(segments, columns, tables, rows)

    def in_samples(self, counts: F64) -> F64:
        """Shape (samples, segments) to (samples, 6)."""
        if self.tables is None:
            projected: F64 = 2 * (counts @ self.rows) - self.rows.sum(axis=0)
            return projected
        times = counts[:, self.segments]
        return np.stack([((times @ table) * times).sum(axis=1) for table in self.tables], axis=1)


def _pair_columns(scores: I64, human: I64, gap: int) -> F64:
    if not len(scores):
        return np.zeros((0, 6))
    ranks = dense_ranks(human)
    pairs = concordance(scores, ranks)
    tied = concordance(scores, ranks, gap) if gap else pairs
    right = tied.concordant + tied.tied_in_both
    every = np.full(len(scores), len(scores) - 1)
    apart = (pairs.apart_in_first, pairs.apart_in_second, pairs.concordant + pairs.discordant)
    columns = (pairs.concordant - pairs.discordant, *apart, right, every)
    return np.stack(columns, axis=1).astype(np.float64)


def _pair_tables(scores: I64, human: I64, gap: int) -> F64:
    ours, theirs = np.subtract.outer(scores, scores), np.sign(np.subtract.outer(human, human))
    right = np.where(np.abs(ours) <= gap, 0, np.sign(ours)) == theirs
    every = ~np.eye(len(scores), dtype=np.bool_)
    together = np.sign(ours) * theirs
    tables = (together, ours != 0, theirs != 0, together != 0, right & every, every)
    return np.stack([each.astype(np.float64) for each in tables])


@dataclass(frozen=True)
class SegmentAgreement:
    """The scores of every system for every segment, and the human ones; NaN in either is left out of all."""

    scores: F64
    """Shape (systems, segments); higher is better."""
    human: F64

    def __post_init__(self) -> None:
        if self.scores.shape != self.human.shape or self.scores.ndim != 2:
            raise UsageError(f"scores of shape {self.scores.shape} for human scores of shape {self.human.shape}")

    @cached_property
    def rated(self) -> Bools:
        return np.isfinite(self.scores) & np.isfinite(self.human)

    @property
    def items(self) -> int:
        return int(np.count_nonzero(self.rated))

    def epsilon(self, grouping: Grouping) -> float:
        """The largest difference of two scores of the metric that is taken for a tie, chosen on these scores."""
        return self._gaps[grouping] * grid_unit(np.where(self.rated, self.scores, 0.0))

    def values(self, counts: F64 | None = None) -> Values:
        """All statistics in each sample of the segments: counts of shape (samples, segments), or of all once.

        Epsilon stays that of all segments.
        """
        times = np.ones((1, self.scores.shape[1])) if counts is None else counts
        found: dict[tuple[Grouping, str], F64] = {}
        over_all = pearson_of_sums(times @ self._sums_over_all)[:, np.newaxis]
        within_systems = pearson_of_sums(_in_samples(times, self._sums_by_system))
        for grouping, pearson, sums in (
            ("over all", over_all, self._all.in_samples(times)[:, np.newaxis]),
            ("within systems", within_systems, self._pairs_of_systems(times)),
        ):
            for statistic, each in zip(_GROUPED, (pearson, *_of_pairs(sums)), strict=True):
                defined = np.isfinite(each).sum(axis=1).astype(np.float64)
                found[grouping, statistic] = _quotient(np.nan_to_num(each).sum(axis=1), defined)  # type: ignore[index]
        for statistic, row in zip(_GROUPED, self.by_segment, strict=True):
            defined = np.isfinite(row)
            summed, total = (times @ np.stack([np.where(defined, row, 0.0), defined], axis=1)).T
            found["within segments", statistic] = _quotient(summed, total)
        found["within segments", RELATIVE_RANKS] = _quotient(*(times @ self._relative_ranks).T)
        return found

    @cached_property
    def by_segment(self) -> F64:
        """Each of _GROUPED within each segment: shape (6, segments); NaN where it is not defined."""
        pearson = pearson_of_sums(self._sums(0).sum(axis=0))
        first, second, segments = self._pairs_within_segments
        scores, human = self._grid.ravel(), self._ranks.ravel()
        ours, theirs = scores[first] - scores[second], np.sign(human[first] - human[second])
        gap = self._gaps["within segments"]
        right = np.where(np.abs(ours) <= gap, 0, np.sign(ours)) == theirs
        together = np.sign(ours) * theirs
        kinds = (together, ours != 0, theirs != 0, together != 0, right, np.ones(len(ours)))
        sums = [np.bincount(segments, kind, minlength=self.scores.shape[1]) for kind in kinds]
        return np.stack([pearson, *_of_pairs(np.stack(sums, axis=-1))])

    @cached_property
    def _relative_ranks(self) -> F64:
        """Of each segment, pairs in the order of people less the others, and all; those far enough apart for people.

        Shape (segments, 2).
        """
        first, second, segments = self._pairs_within_segments
        apart = self.human.ravel()[first] - self.human.ravel()[second]
        told = np.abs(apart) >= LEAST_APART
        ours = np.sign(self._grid.ravel()[first] - self._grid.ravel()[second])
        right = np.where(ours == np.sign(apart), 1.0, -1.0)
        sums = (np.bincount(segments[told], each, minlength=self.scores.shape[1]) for each in (right[told], None))
        return np.stack(list(sums), axis=1)

    @cached_property
    def _grid(self) -> I64:
        return on_grid(np.where(self.rated, self.scores, 0.0))

    @cached_property
    def _ranks(self) -> I64:
        return dense_ranks(np.where(self.rated, self.human, np.inf))

    def _sums(self, axis: int | None) -> F64:
        """What Pearson's correlation is made of, for each output: shape (systems, segments, 6).

        Scores are about the means of all, of each system (axis 1) or of each segment (axis 0), for rounding's sake.
        """
        x, y = (_centred(each, self.rated, axis) for each in (self.scores, self.human))
        return np.stack([self.rated.astype(np.float64), x, y, x * x, y * y, x * y], axis=-1)

    @cached_property
    def _sums_over_all(self) -> F64:
        """Shape (segments, 6)."""
        summed: F64 = self._sums(None).sum(axis=0)
        return summed

    @cached_property
    def _sums_by_system(self) -> F64:
        return self._sums(1)

    @cached_property
    def _pairs_within_segments(self) -> tuple[I64, I64, I64]:
        """Two outputs of each pair, as numbers of cells, and its segment."""
        systems, segments = self.scores.shape
        one, other = np.triu_indices(systems, 1)
        pair, segment = np.nonzero(self.rated[one] & self.rated[other])
        return one[pair] * segments + segment, other[pair] * segments + segment, segment

    @cached_property
    def _gaps(self) -> Mapping[Grouping, int]:
        """Epsilon of each grouping, in units of the grid."""
        scores, human = self._grid.ravel(), self._ranks.ravel()
        first, second, segments = self._pairs_within_segments
        sizes = np.bincount(segments, minlength=self.scores.shape[1])
        pairs: dict[Grouping, ItemPairs] = {
            "over all": all_pairs([np.flatnonzero(self.rated)]),
            "within systems": all_pairs([np.flatnonzero(row) + at * len(row) for at, row in enumerate(self.rated)]),
            "within segments": ItemPairs(first, second, 1 / sizes[segments]),
        }
        return {grouping: best_gap(scores, human, each) for grouping, each in pairs.items()}

    @cached_property
    def _all(self) -> _PairSums:
        return self._pair_sums(self.rated, self._gaps["over all"])

    @cached_property
    def _systems(self) -> Sequence[_PairSums]:
        gap = self._gaps["within systems"]
        numbers = np.arange(len(self.scores))[:, np.newaxis]
        return [self._pair_sums(self.rated & (numbers == number), gap) for number in range(len(self.scores))]

    def _pair_sums(self, chosen: Bools, gap: int) -> _PairSums:
        segments = np.nonzero(chosen)[1]
        return _PairSums.of(self._grid[chosen], self._ranks[chosen], segments, gap, self.scores.shape[1])

    def _pairs_of_systems(self, counts: F64) -> F64:
        if all(each.tables is None for each in self._systems):
            rows = np.stack([each.rows for each in self._systems])
            projected: F64 = 2 * _in_samples(counts, rows) - rows.sum(axis=1)
            return projected
        return np.stack([each.in_samples(counts) for each in self._systems], axis=1)


def _in_samples(counts: F64, rows: F64) -> F64:
    """Rows summed over the segments of each sample, all in one product: shapes (samples, segments) and (systems,
    segments, columns) to (samples, systems, columns)."""
    systems, segments, columns = rows.shape
    flat = np.moveaxis(rows, 0, 1).reshape(segments, systems * columns)
    summed: F64 = (counts @ flat).reshape(len(counts), systems, columns)
    return summed


def _centred(scores: F64, rated: Bools, axis: int | None) -> F64:
    """Each score less the mean of its group, and 0 where there is none or all of the group are the same."""
    known = np.where(rated, scores, 0.0)
    count = np.maximum(rated.sum(axis=axis, keepdims=True), 1)
    highest = np.where(rated, scores, -np.inf).max(axis=axis, keepdims=True, initial=-np.inf)
    lowest = np.where(rated, scores, np.inf).min(axis=axis, keepdims=True, initial=np.inf)
    return np.where(rated & (highest > lowest), known - known.sum(axis=axis, keepdims=True) / count, 0.0)


def _of_pairs(sums: F64) -> Sequence[F64]:
    """From sums over pairs, shape (..., 6) to (...): tau-b, the accuracy, and the taus of WMT by year.

    Those leave out what people tie. What the metric alone ties was in the other order in 2010, left out in 2013, and
    counted without being in either order in 2014 (Deutsch, Foster and Freitag 2023, table 1).
    """
    together, apart, apart_for_people, apart_for_both, right, every = np.moveaxis(sums, -1, 0)
    size = np.sqrt(np.maximum(apart, 0.0) * np.maximum(apart_for_people, 0.0))
    taus = (
        _quotient(together, size),
        _quotient(together - (apart_for_people - apart_for_both), apart_for_people),
        _quotient(together, apart_for_both),
        _quotient(together, apart_for_people),
    )
    tau_b, *of_years = (np.clip(each, -1.0, 1.0) for each in taus)
    return tau_b, np.clip(_quotient(right, every), 0.0, 1.0), *of_years


def _quotient(numerators: F64, denominators: F64) -> F64:
    """NaN where the denominator is not above 0."""
    quotients: F64 = np.full(np.shape(denominators), np.nan)
    np.divide(numerators, denominators, out=quotients, where=denominators > 0)
    return quotients
