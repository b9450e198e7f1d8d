"""Confidence intervals: how far a rate or a correlation found on a sample may lie from the one of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, exp, fsum, lgamma, log, log1p, sqrt, tanh
from statistics import NormalDist
from typing import Final

__all__ = ["Interval", "clopper_pearson", "fisher", "normal_quantile", "wilson"]

_LEAST_PAIRS: Final = 4
"""With fewer, z has no variance."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Two bounds, both included."""

    low: float
    high: float


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The score interval of Wilson (1927), within 0 to 1; all of it where there were no trials.

    Its coverage is near ``confidence`` on average, also for small samples and rates near 0 or 1, which is why Brown,
    Cai and DasGupta (2001) recommend it. Raises ValueError for impossible counts.
    """
    _check(successes, trials, confidence)
    if not trials:
        return Interval(0.0, 1.0)
    z = normal_quantile(confidence)
    rate, shrunk = successes / trials, 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / shrunk
    half = z / shrunk * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    # At the ends the formula gives 0 and 1, but for rounding.
    return Interval(
        max(0.0, centre - half) if successes else 0.0, min(1.0, centre + half) if successes < trials else 1.0
    )


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact interval of Clopper and Pearson (1934), within 0 to 1; all of it where there were no trials.

    Its coverage is never below ``confidence``, so that it is wider than Wilson's. Exact to about 1e-10; takes time
    linear in ``trials``, some milliseconds for a thousand. Raises ValueError for impossible counts.
    """
    _check(successes, trials, confidence)
    tail = (1 - confidence) / 2
    return Interval(_lower_bound(successes, trials, tail), 1 - _lower_bound(trials - successes, trials, tail))


def fisher(correlation: float, pairs: int, confidence: float = 0.95) -> Interval | None:
    """The interval of Pearson's correlation by Fisher's z (1921), within -1 to 1; None for fewer than four pairs.

    Raises ValueError for what is no correlation or no confidence.
    """
    if not -1 <= correlation <= 1 or not 0 < confidence < 1:
        raise ValueError(f"correlation {correlation}, confidence {confidence}")
    if pairs < _LEAST_PAIRS:
        return None
    if abs(correlation) == 1:
        return Interval(correlation, correlation)
    half = normal_quantile(confidence) / sqrt(pairs - 3)
    return Interval(tanh(atanh(correlation) - half), tanh(atanh(correlation) + half))


def normal_quantile(confidence: float) -> float:
    """How many standard deviations to both sides hold ``confidence`` of a normal distribution: 1.96 for 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _check(successes: int, trials: int, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")


def _lower_bound(successes: int, trials: int, tail: float) -> float:
    """The rate at which this number of successes or more has the probability ``tail``, by bisection."""
    if not successes:
        return 0.0
    terms = [(k, _log_binomial(trials, k)) for k in range(successes, trials + 1)]
    low, high = 0.0, 1.0
    while low < (rate := (low + high) / 2) < high:
        success, failure = log(rate), log1p(-rate)
        if fsum(exp(ways + k * success + (trials - k) * failure) for k, ways in terms) < tail:
            low = rate
        else:
            high = rate
    return rate


def _log_binomial(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
