"""Counting pairs of items that two scores put in the same order, without listing the pairs.

Twenty systems on a thousand segments make two hundred million pairs. Here the items are sorted by the first score, and
the ranks by the second are laid into a wavelet matrix (Claude, Navarro and Ordóñez 2015): how many of the first p items
have a rank below r is then one step for each bit of a rank, for all items at once. Time O(n log n), memory O(n log n)
bits' worth of integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, I64

__all__ = ["Concordance", "concordance", "dense_ranks", "grid_unit", "on_grid"]

_GRID = 2.0**50
_MOST_DIGITS = 290


@dataclass(frozen=True, slots=True)
class Concordance:
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


def concordance(first: I64, second: I64, gap: int = 0) -> Concordance:
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
    return Concordance(
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
