"""Systems in clusters, as WMT prints them: those between which no border can be drawn that chance does not explain.

Every system is compared with every other. It is better than another where its score is higher, and so much higher would
be improbable by chance (p < 0.05, not corrected for the number of pairs). A cluster ends behind a system where all from
the first up to it are better than all that stand behind it; ranks say how many are better than a system, and how many
it is better than (Bojar et al. 2013, section 3; Akhbardeh et al. 2021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, Bools

LEVEL: Final = 0.05


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system among others."""

    system: str
    score: float
    cluster: int
    """From 1, the best."""
    first_rank: int
    """One more than systems that are better."""
    last_rank: int
    """All systems less those that it is better than."""
    wins: int
    """How many systems it is better than."""


def ranked_systems(systems: Sequence[str], scores: Sequence[float], is_better: Bools) -> list[RankedSystem]:
    """The systems, those with the higher scores first, equal ones in their order.

    ``is_better`` says of each system (rows) whether it is better than each other one (columns).
    """
    order = sorted(range(len(systems)), key=lambda at: -scores[at])
    beats = is_better[np.ix_(order, order)]
    cluster, found = 1, []
    for place, at in enumerate(order):
        cluster += place > 0 and bool(beats[:place, place:].all())
        wins, losses = int(beats[place].sum()), int(beats[:, place].sum())
        ranks = losses + 1, len(order) - wins
        found.append(RankedSystem(systems[at], scores[at], cluster, *ranks, wins))
    return found


def rank_sum_p(first: F64, second: F64) -> float:
    """How probable it is by chance that the first scores are so much higher: Wilcoxon's rank-sum test, one-sided.

    By the normal distribution with a correction for ties and for continuity, as in R, with which WMT tests what people
    said of segments; NaN is none. 1 where either has none, or all are equal.
    """
    own, others = (scores[np.isfinite(scores)] for scores in (first, second))
    values, numbers, counts = np.unique(np.concatenate([own, others]), return_inverse=True, return_counts=True)
    if not own.size or not others.size or len(values) < 2:
        return 1.0
    middles = np.cumsum(counts) - (counts - 1) / 2
    above = middles[numbers[: len(own)]].sum() - len(own) * (len(own) + 1) / 2 - len(own) * len(others) / 2
    total = len(own) + len(others)
    ties = float((counts.astype(np.float64) ** 3 - counts).sum()) / (total * (total - 1))
    deviation = sqrt(len(own) * len(others) / 12 * (total + 1 - ties))
    return erfc((above - 0.5) / deviation / sqrt(2)) / 2


def clusters_of_people(systems: Mapping[str, float], segments: Mapping[str, Mapping[int, float]]) -> list[RankedSystem]:
    """The systems by what people said of them and of their segments, as WMT has them; systems without scores of
    segments are left out."""
    names = [name for name in systems if name in segments]
    values = [np.array([*segments[name].values()]) for name in names]
    is_better = [
        [systems[a] > systems[b] and rank_sum_p(own, others) < LEVEL for b, others in zip(names, values, strict=True)]
        for a, own in zip(names, values, strict=True)
    ]
    found = np.array(is_better, dtype=np.bool_).reshape(len(names), len(names))
    return ranked_systems(names, [systems[name] for name in names], found)
