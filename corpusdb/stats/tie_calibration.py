"""How small a difference of two scores is to count as a tie (Deutsch, Foster and Freitag 2023, section 5).

People give many segments equal scores, metrics hardly any. A pair of scores is therefore taken for tied where they
differ by epsilon or less, with the epsilon at which the metric agrees with people on most pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, I64

__all__ = ["MOST_PAIRS", "Pairs", "all_pairs", "best_gap"]

MOST_PAIRS = 1 << 18
"""Of more pairs so many are drawn to choose epsilon, as the authors' program can do; the accuracy is that of all."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of items; a row for each."""

    first: I64
    """The number of an item."""
    second: I64
    weights: F64
    """What the pair counts for."""


def all_pairs(groups: Sequence[I64], most: int = MOST_PAIRS) -> Pairs:
    """The pairs of items of the same group, each group weighing 1; of more than ``most``, as many are drawn.

    ``groups`` holds the numbers of the items of each. What is drawn is the same every time.
    """
    groups = [group for group in groups if len(group) > 1]
    total = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    rng = np.random.default_rng(0) if total > most else None
    found = [_pairs(group, rng, most // max(1, len(groups))) for group in groups]
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return Pairs(nothing, nothing, np.zeros(0))
    first, second, weights = (np.concatenate([getattr(each, name) for each in found]) for name in Pairs.__slots__)
    return Pairs(first, second, weights)


def _pairs(group: I64, rng: np.random.Generator | None, drawn: int) -> Pairs:
    if rng is None:
        first, second = np.triu_indices(len(group), 1)
    else:
        first = rng.integers(0, len(group), size=max(1, drawn))
        second = (first + rng.integers(1, len(group), size=len(first))) % len(group)
    return Pairs(group[first], group[second], np.full(len(first), 1 / len(first)))


def best_gap(scores: I64, human: I64, pairs: Pairs) -> int:
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
