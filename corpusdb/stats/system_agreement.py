"""How far scores of systems agree with human scores of the same systems, on many samples at once.

Scores and human scores have shape (systems, samples); a column is one sample, and one column of the one may stand
beside many of the other. A value that is not defined is NaN in arrays, and None where one number is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import F64, Bools
from corpusdb.errors import UsageError
from corpusdb.stats.correlation import pearson_rows
from corpusdb.stats.pair_counts import concordance, dense_ranks

__all__ = [
    "OUTLIER_CUT",
    "SYSTEM_STATISTICS",
    "SystemStatistic",
    "kendall",
    "outliers",
    "pairwise_accuracy",
    "spearman",
    "why_undefined",
]

SystemStatistic: TypeAlias = Callable[[F64, F64], F64]
OUTLIER_CUT: Final = 2.5
"""Mathur et al. (2020), section 4.1."""
_NORMAL: Final = 1.483
"""Makes the median absolute deviation of normal scores their standard deviation."""


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Spearman's rank correlation, equal scores having the mean of their ranks; None where it is not defined.

    Raises UsageError for different numbers of scores.
    """
    return _one(_spearman(*_columns(first, second)))


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Kendall's tau-b (1945), which leaves ties out of account; None where it is not defined.

    Raises UsageError for different numbers of scores.
    """
    one, other = _columns(first, second)
    pairs = concordance(dense_ranks(one[:, 0]), dense_ranks(other[:, 0]))
    both = float(pairs.apart_in_first.sum()) * float(pairs.apart_in_second.sum())
    return float(pairs.concordant.sum() - pairs.discordant.sum()) / both**0.5 if both else None


def pairwise_accuracy(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """The share of all pairs that both scores put in the same order (Kocmi et al. 2021, section 4), 0 to 1.

    A pair that is tied by both is in the same order, one that is tied by one is not. None for fewer than two scores.
    Raises UsageError for different numbers of scores.
    """
    return _one(_pairwise_accuracy(*_columns(first, second)))


def why_undefined(scores: npt.ArrayLike, human: npt.ArrayLike, what: str = "systems") -> str | None:
    """In words why the correlation of two rows of numbers is not defined, or None where it is."""
    ours, theirs = np.asarray(scores, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if ours.size < 2:
        return f"{'one' if ours.size else 'none'} of the {what} has both scores, and two are needed"
    if np.ptp(theirs) == 0:
        return f"the human scores of all {what} are the same"
    return f"the metric gives all {what} the same score" if np.ptp(ours) == 0 else None


def outliers(human: F64) -> Bools:
    """Which systems lie so far from the median that they alone may make a correlation (Mathur et al. 2020).

    An outlier's human score is over 2.5 median absolute deviations, as of a normal distribution, from the median of
    all. There are none where the deviation is 0.
    """
    distances = np.abs(human - np.median(human)) if human.size else human
    deviation = _NORMAL * float(np.median(distances)) if human.size else 0.0
    return distances > OUTLIER_CUT * deviation if deviation else np.zeros(human.shape, dtype=np.bool_)


def _pearson(scores: F64, human: F64) -> F64:
    return pearson_rows(scores.T, human.T)


def _spearman(scores: F64, human: F64) -> F64:
    return pearson_rows(_mean_ranks(scores).T, _mean_ranks(human).T)


def _mean_ranks(columns: F64) -> F64:
    """The rank of each score in its column, from 1; equal scores have the mean of their ranks."""
    ranked = np.sort(columns, axis=0)
    less, upto = np.zeros(columns.shape), np.zeros(columns.shape)
    for row in ranked:
        less += row < columns
        upto += row <= columns
    return (less + 1 + upto) / 2


def _kendall(scores: F64, human: F64) -> F64:
    ours, theirs = _orders(scores), _orders(human)
    size = np.sqrt(np.count_nonzero(ours, axis=0) * np.count_nonzero(theirs, axis=0).astype(np.float64))
    together = (ours * theirs).sum(axis=0, dtype=np.float64)
    taus: F64 = np.divide(together, size, out=np.full(np.shape(together), np.nan), where=size > 0)
    return taus


def _pairwise_accuracy(scores: F64, human: F64) -> F64:
    agreed = _orders(scores) == _orders(human)
    return agreed.mean(axis=0) if len(agreed) else np.full(agreed.shape[1], np.nan)


def _orders(columns: F64) -> npt.NDArray[np.int8]:
    """For each pair of systems which is better, as -1, 0 or 1: shape (pairs, samples)."""
    first, second = np.triu_indices(len(columns), 1)
    better, worse = columns[first] > columns[second], columns[first] < columns[second]
    return better.view(np.int8) - worse.view(np.int8)


SYSTEM_STATISTICS: Final[Mapping[str, SystemStatistic]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
    "pairwise_accuracy": _pairwise_accuracy,
}
"""By name: shapes (systems, samples) and (systems, samples or 1) to (samples)."""


def _columns(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[F64, F64]:
    one, other = (np.asarray(each, dtype=np.float64).reshape(-1, 1) for each in (first, second))
    if len(one) != len(other):
        raise UsageError(f"{len(one)} values cannot be correlated with {len(other)}")
    return one, other


def _one(values: F64) -> float | None:
    value = float(values[0])
    return None if np.isnan(value) else value
