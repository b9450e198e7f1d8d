"""How far a probability that paraphrases hold can be trusted, by a language whose translations it has not seen.

A pair is confirmed where its sentences share a translation into that language. Of pairs that mean the same, only a part
does: what is expected of each says how probable that is, so that the precision of some pairs is the number of those
confirmed over the sum of what is expected. The expectation is read off sentences that are translated often; it is too
high for rare ones and too low for contractions, so that a precision may be above 1, and compares better than it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.stats.estimates import Interval, wilson

__all__ = ["EDGES", "Band", "HeldOutPairs", "Point", "area_under_curve", "bands", "curve"]

EDGES: Final = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
"""Where the bands of the probability begin and end; the last one holds 1 as well."""


@dataclass(frozen=True, slots=True)
class HeldOutPairs:
    """Pairs of sentences that both have translations into the language held out; parallel arrays."""

    confirmed: Bools
    """Whether they share one."""
    expected: F64
    """How probable that is for two sentences of one meaning, by the numbers of their translations."""
    key: I64
    """The same for a pair and its reverse, which are confirmed together and count as one in an interval."""

    def __len__(self) -> int:
        return len(self.confirmed)

    def __getitem__(self, chosen: Bools) -> HeldOutPairs:
        return HeldOutPairs(self.confirmed[chosen], self.expected[chosen], self.key[chosen])


@dataclass(frozen=True, slots=True)
class Figures:
    """What is found of some pairs; shares are None where there is no pair."""

    pairs: int
    confirmed: int
    share: float | None
    """Of the pairs that are confirmed, 0 to 1."""
    interval: Interval
    """Of the share: Wilson's, at 95 %, a pair and its reverse counted once."""
    precision: float | None
    """Confirmed over expected, 0 and above."""


@dataclass(frozen=True, slots=True)
class Band(Figures):
    """Pairs by their probability."""

    low: float
    high: float
    """Not in the band, but for 1."""
    mean: float | None
    """The mean of the probability, which the precision may be held against."""


@dataclass(frozen=True, slots=True)
class Point(Figures):
    """Pairs of a probability or above it."""

    least: float


def bands(pairs: HeldOutPairs, probability: F64, edges: Sequence[float] = EDGES) -> list[Band]:
    """One for each two neighbours of ``edges``, ascending."""
    found = []
    for low, high in pairwise(edges):
        chosen = (probability >= low) & ((probability < high) | (high == edges[-1]))
        mean = float(probability[chosen].mean()) if chosen.any() else None
        found.append(Band(*_figures(pairs[chosen]), low, high, mean))
    return found


def curve(pairs: HeldOutPairs, probability: F64, thresholds: Sequence[float] = EDGES[:-1]) -> list[Point]:
    """Precision against yield: one point for each threshold."""
    return [Point(*_figures(pairs[probability >= least]), least) for least in thresholds]


def _figures(pairs: HeldOutPairs) -> tuple[int, int, float | None, Interval, float | None]:
    count, confirmed = len(pairs), int(pairs.confirmed.sum())
    share = confirmed / count if count else None
    different = len(np.unique(pairs.key))
    interval = wilson(round((share or 0.0) * different), different)
    expected = float(pairs.expected.sum())
    return count, confirmed, share, interval, confirmed / expected if expected else None


def area_under_curve(scores: F64, confirmed: Bools) -> float | None:
    """How probable it is that a pair that is confirmed has a higher score than one that is not; equal ones count half.

    The area under the receiver operating characteristic, by mean ranks (Hanley & McNeil 1982). None where all pairs are
    confirmed, or none is.
    """
    positive, negative = int(confirmed.sum()), int((~confirmed).sum())
    if not positive or not negative:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float((ranks[place][confirmed].sum() - positive * (positive + 1) / 2) / (positive * negative))
