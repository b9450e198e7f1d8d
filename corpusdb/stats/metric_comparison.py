"""Whether one metric agrees with people better than another, or only seems to on these segments.

PERM-BOTH is that of Deutsch, Dror and Roth (2021, section 5): the scores of both metrics are standardised, and for each
output of each system a coin decides whether the two metrics exchange their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import UsageError
from corpusdb.stats.correlation import pearson_of_sums
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import percentile_interval
from corpusdb.stats.system_agreement import SystemStatistic

__all__ = [
    "PairedSamples",
    "Superiority",
    "decisions_exchanged",
    "jackknife_contributions",
    "paired_samples",
    "segments_exchanged",
    "systems_exchanged",
]

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Superiority:
    """How probable a difference like the one observed is if the first metric is no better than the second."""

    first_better: float
    """The p-value of "the first agrees with people better"."""
    second_better: float
    """The p-value of "the second agrees with people better"."""


@dataclass(frozen=True, slots=True)
class PairedSamples(Superiority):
    """The same by bootstrap, with the interval of the difference."""

    interval: Interval
    undefined: int
    """Samples in which one of the two is not defined, which are left out."""


def paired_samples(first: F64, second: F64, confidence: float = 0.95) -> PairedSamples | None:
    """From the agreement of two metrics on the same samples (paired bootstrap); None where it is defined in none."""
    differences = first - second
    differences = differences[np.isfinite(differences)]
    if not differences.size:
        return None
    worse, better = np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0)
    trials = differences.size + 1
    interval = percentile_interval(differences, confidence)
    return PairedSamples((worse + 1) / trials, (better + 1) / trials, interval, first.size - differences.size)


def jackknife_contributions(statistics: F64, score: Callable[[F64], F64]) -> F64:
    """What each segment contributes to the score of its system: shape (systems, segments), whose means are the scores.

    ``statistics`` has shape (systems, segments, columns). A corpus score such as BLEU is no mean over segments; these
    are the pseudo-values of the jackknife (Tukey 1958), moved so that their mean is the score. For a score that is a
    mean they are the scores of the segments.
    """
    sums = statistics.sum(axis=1, keepdims=True)
    segments = statistics.shape[1]
    if segments < 2:
        return score(sums)
    # segments * whole - (segments - 1) * without, up to what all segments of a system share
    pseudo = -(segments - 1) * score(sums - statistics)
    moved: F64 = pseudo - pseudo.mean(axis=1, keepdims=True) + score(sums)
    return moved


def systems_exchanged(
    contributions: F64, human: F64, statistic: SystemStatistic, *, trials: int = 1000, seed: int
) -> Superiority | None:
    """PERM-BOTH for scores of systems; None where one of the two is not defined.

    ``contributions`` has shape (2, systems, segments) with means that are the scores of the systems; ``human`` has
    shape (systems).
    """
    first, second = map(_standardised, contributions)
    rated, means, other_means = human[:, np.newaxis], first.mean(axis=1), second.mean(axis=1)
    observed = statistic(means[:, np.newaxis], rated) - statistic(other_means[:, np.newaxis], rated)
    found = []
    for coins in _coins(trials, first.shape, seed):
        moved = np.stack([each @ row for each, row in zip(np.moveaxis(coins, 1, 0), second - first, strict=True)])
        moved /= first.shape[1]
        one, other = means[:, np.newaxis] + moved, other_means[:, np.newaxis] - moved
        found.append(statistic(one, rated) - statistic(other, rated))
    return _superiority(float(observed[0]), np.concatenate(found))


def segments_exchanged(scores: F64, human: F64, *, trials: int = 1000, seed: int) -> Superiority | None:
    """PERM-BOTH for Pearson's correlation of segments over all; None where one of the two is not defined.

    ``scores`` has shape (2, systems, segments), ``human`` (systems, segments); what is NaN in one of them is left out.
    """
    rated = np.isfinite(scores).all(axis=0) & np.isfinite(human)
    if not rated.any():
        return None
    first, second = (_standardised(each[rated]) for each in scores)
    people = _standardised(human[rated])
    columns = np.stack([second - first, second**2 - first**2, (second - first) * people], axis=1)
    whole = np.array([people.size, 0.0, people.sum(), 0.0, (people**2).sum(), 0.0])
    sums = [whole.copy(), whole.copy()]
    for total, each in zip(sums, (first, second), strict=True):
        total[[1, 3, 5]] = each.sum(), (each**2).sum(), (each * people).sum()
    observed = pearson_of_sums(sums[0]) - pearson_of_sums(sums[1])
    found = []
    for coins in _coins(trials, first.shape, seed):
        moved = coins @ columns
        one, other = np.tile(sums[0], (len(moved), 1)), np.tile(sums[1], (len(moved), 1))
        one[:, [1, 3, 5]] += moved
        other[:, [1, 3, 5]] -= moved
        found.append(pearson_of_sums(one) - pearson_of_sums(other))
    return _superiority(float(observed), np.concatenate(found))


def decisions_exchanged(first: F64, second: F64, *, trials: int = 1000, seed: int) -> Superiority | None:
    """PERM-INPUTS for the mean of a statistic within segments: the metrics exchange whole segments.

    Both have shape (segments); a segment in which one is NaN is left out. An epsilon belongs to the scale of its own
    metric, so that single scores cannot be exchanged.
    """
    differences = first - second
    differences = differences[np.isfinite(differences)]
    if not differences.size:
        return None
    found = [(1 - 2 * coins) @ differences for coins in _coins(trials, differences.shape, seed)]
    return _superiority(float(differences.mean()), np.concatenate(found) / differences.size)


def _standardised(scores: F64) -> F64:
    """About 0 and with a standard deviation of 1, all of them together; 0 where they are all the same."""
    centred = scores - scores.mean()
    deviation = float(centred.std())
    return centred / deviation if deviation else np.zeros_like(scores)


_Shape: TypeAlias = tuple[int, ...]
_AT_ONCE = 1 << 22


def _coins(trials: int, shape: _Shape, seed: int) -> Iterator[F64]:
    """Zeros and ones of shape (trials, *shape), in portions that do not change what is drawn."""
    if trials < 1:
        raise UsageError(f"at least one trial is needed, not {trials}")
    rng = np.random.default_rng(seed)
    cells = int(np.prod(shape))
    size = max(1, _AT_ONCE // max(1, cells))
    for begin in range(0, trials, size):
        count = min(size, trials - begin)
        packed = rng.integers(0, 256, size=(count, -(-cells // 8)), dtype=np.uint8)
        bits = np.unpackbits(packed, axis=1, count=cells)
        yield bits.reshape(count, *shape).astype(np.float64)


def _superiority(observed: float, differences: F64) -> Superiority | None:
    """From the difference observed and those of the trials; one in which it is not defined speaks for neither."""
    if not np.isfinite(observed):
        return None
    trials = differences.size + 1
    known = np.nan_to_num(differences, nan=0.0)
    slack = _ROUNDING * max(1.0, abs(observed))
    return Superiority(
        (int(np.count_nonzero(known >= observed - slack)) + 1) / trials,
        (int(np.count_nonzero(known <= observed + slack)) + 1) / trials,
    )
