"""Logistic models of whether a pair of sentences holds, fitted to pairs of which it is seen whether they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.estimates import LogisticModel, logistic

FOLDS: Final = 4
_RECALLED: Final = 0.85
"""a: a pair of the same meaning shares a translation so often, as part of r."""
_PENALTY: Final = 3.0
_RANGE: Final = (1, 99)
"""The percentiles of the labelled pairs between which a feature is believed to count as the model says."""
_STEPS: Final = 200
_LEAST_GAIN: Final = 1e-9
_DIGITS: Final = 6
"""Weights are rounded to so many digits, so that the last bits of a sum do not show."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pairs of sentences that have a common language of translations; parallel arrays."""

    features: F64
    """Pairs by features."""
    shares: Bools
    expected: F64
    """r: how probable that were if both meant the same."""

    def __getitem__(self, chosen: Bools) -> Labelled:
        return Labelled(self.features[chosen], self.shares[chosen], self.expected[chosen])


def fit(pairs: Labelled) -> LogisticModel:
    """The model of the highest likelihood, less a penalty on large weights."""
    least, most = np.vectorize(_rounded)(np.percentile(pairs.features, _RANGE, axis=0))
    inside = np.clip(pairs.features, least, most)
    mean, deviation = inside.mean(axis=0), inside.std(axis=0) + 1e-9
    standard = np.concatenate([(inside - mean) / deviation, np.ones((len(inside), 1))], axis=1)
    found = _minimum(lambda weights: _loss(weights, standard, pairs), np.zeros(standard.shape[1]))
    weights = found[:-1] / deviation
    rounded = [_rounded(weight) for weight in (*weights, found[-1] - weights @ mean)]
    return LogisticModel(tuple(rounded[:-1]), rounded[-1], tuple(least.tolist()), tuple(most.tolist()))


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def fit_folds(pairs: Labelled, fold: I64) -> list[LogisticModel]:
    """For each fold, from 0 to FOLDS - 1, the model of the pairs that are not in it."""
    return [fit(pairs[fold != number]) for number in range(FOLDS)]


def _loss(weights: F64, standard: F64, pairs: Labelled) -> tuple[float, F64]:
    """The negative log-likelihood with its penalty, and its gradient."""
    # Not the products of BLAS, whose threads wait for one another longer than all this takes.
    holds = logistic(np.einsum("pf,f->p", standard, weights))
    most = _RECALLED * pairs.expected
    shares = np.maximum(most * holds, 1e-12)
    penalised = np.append(weights[:-1], 0.0)
    loss = -np.where(pairs.shares, np.log(shares), np.log1p(-shares)).sum() + _PENALTY * penalised @ penalised
    slope = np.where(pairs.shares, 1 / shares, -1 / (1 - shares)) * most * holds * (1 - holds)
    return float(loss), 2 * _PENALTY * penalised - np.einsum("pf,p->f", standard, slope)


def _minimum(function: Callable[[F64], tuple[float, F64]], start: F64) -> F64:
    """Where a function of few variables is least, by BFGS with halved steps; ``function`` gives its gradient too."""
    inverse = np.eye(len(start))
    at, (value, gradient) = start, function(start)
    inverse /= max(1.0, float(np.abs(gradient).max()))
    for _ in range(_STEPS):
        direction = -inverse @ gradient
        step, slope = 1.0, float(direction @ gradient)
        while True:
            new = at + step * direction
            new_value, new_gradient = function(new)
            if new_value <= value + 1e-4 * step * slope or step < 1e-10:
                break
            step /= 2
        if value - new_value <= _LEAST_GAIN * max(1.0, abs(value)):
            break
        moved, turned = new - at, new_gradient - gradient
        at, value, gradient = new, new_value, new_gradient
        curvature = float(moved @ turned)
        if curvature > 1e-12:
            left = np.eye(len(at)) - np.outer(moved, turned) / curvature
            inverse = left @ inverse @ left.T + np.outer(moved, moved) / curvature
    return at
