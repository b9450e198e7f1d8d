"""Models of whether a pair of sentences holds: logistic, fitted to pairs of which it is seen whether they share; and
trees that were boosted, fitted to pairs that were read; and what people said of pairs brings their figures in line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.estimates import LogisticModel, log_odds, logistic

FOLDS: Final = 4
_RECALLED: Final = 0.85
"""a: a pair of the same meaning shares a translation so often, as part of r."""
_PENALTY: Final = 3.0
_RANGE: Final = (1, 99)
"""The percentiles of the labelled pairs between which a feature is believed to count as the model says."""
_TREES_AT_ONCE: Final = 8_192
"""Pairs whose features a processor holds near while all trees look at them."""
_FEW: Final = 256
"""Up to so many pairs it is quicker to ask all trees at once."""
_DEPTHS: Final = {2 * depth + 2**depth: depth for depth in range(1, 16)}
"""Of trees, by how many numbers each is written as."""
_STEPS: Final = 200
_LEAST_GAIN: Final = 1e-9
_DIGITS: Final = 6
"""Weights are rounded to so many digits, so that the last bits of a sum do not show."""


class Tree(NamedTuple):
    """Each of its levels asks one feature whether it is above a threshold; the answers are the bits of the leaf."""

    features: tuple[int, ...]
    """By level, the place of the feature."""
    thresholds: tuple[float, ...]
    values: tuple[float, ...]
    """By leaf, what it adds to the log odds."""

    def leaf(self, columns: F64) -> I64:
        """By pair; ``columns`` are features by pairs."""
        asked = enumerate(zip(self.features, self.thresholds, strict=True))
        found = sum((columns[feature] > threshold).view(np.uint8) << level for level, (feature, threshold) in asked)
        return np.asarray(found, dtype=np.int64)


@dataclass(frozen=True)
class BoostedModel:
    """The log odds are the sum of what trees say (gradient boosting; Friedman 2001)."""

    bias: float
    trees: tuple[Tree, ...]

    def log_odds(self, features: F64) -> F64:
        """Of each pair; ``features`` are pairs by features. It is summed up in the order of the trees."""
        if len(features) <= _FEW:
            return self._log_odds_of_few(features)
        found = np.full(len(features), self.bias)
        for begin in range(0, len(features), _TREES_AT_ONCE):
            columns = np.ascontiguousarray(features[begin : begin + _TREES_AT_ONCE].T)
            some = found[begin : begin + _TREES_AT_ONCE]
            for tree in self.trees:
                some += np.array(tree.values)[tree.leaf(columns)]
        return found

    def _log_odds_of_few(self, features: F64) -> F64:
        """The same sums, of all trees at once: one by one they cost as much for a pair as for a thousand."""
        asked, thresholds, values = self._stacked
        columns = features.T
        leaves = np.zeros((len(self.trees), len(features)), np.int64)
        for level in range(asked.shape[1]):
            leaves |= (columns[asked[:, level]] > thresholds[:, level, None]).astype(np.int64) << level
        said = np.take_along_axis(values, leaves, axis=1)
        summed: F64 = np.cumsum(np.concatenate([np.full((1, len(features)), self.bias), said]), axis=0)
        last: F64 = summed[-1]
        return last

    @cached_property
    def _stacked(self) -> tuple[I64, F64, F64]:
        """By tree: features and thresholds by level, and values by leaf. A level that a tree has not is not passed."""
        depth = max((len(tree.features) for tree in self.trees), default=0)
        asked = np.zeros((len(self.trees), depth), np.int64)
        thresholds = np.full((len(self.trees), depth), np.inf)
        values = np.zeros((len(self.trees), 2**depth))
        for row, tree in enumerate(self.trees):
            asked[row, : len(tree.features)] = tree.features
            thresholds[row, : len(tree.features)] = tree.thresholds
            values[row, : len(tree.values)] = tree.values
        return asked, thresholds, values

    def probability(self, features: F64) -> F64:
        """The probability that each pair holds, 0 to 1."""
        return logistic(self.log_odds(features))

    def corrected(self, slope: float, by: BoostedModel) -> BoostedModel:
        """The model whose log odds are so many times these, and those of another."""
        trees = (tree._replace(values=tuple(slope * value for value in tree.values)) for tree in self.trees)
        return BoostedModel(slope * self.bias + by.bias, (*trees, *by.trees))

    def document(self) -> dict[str, Any]:
        """A tree is a list: features, thresholds, values."""
        return {"bias": self.bias, "trees": [[*each.features, *each.thresholds, *each.values] for each in self.trees]}

    @classmethod
    def read(cls, document: dict[str, Any]) -> BoostedModel:
        trees = []
        for row in document["trees"]:
            depth = _DEPTHS[len(row)]
            trees.append(Tree(tuple(row[:depth]), tuple(row[depth : 2 * depth]), tuple(row[2 * depth :])))
        return cls(document["bias"], tuple(trees))


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


# Probabilities brought in line with what people said of some of the pairs.


LEAST_JUDGED: Final = 100
"""With fewer judgements nothing is changed."""
_CALIBRATION_STEPS: Final = 50
_PRIOR: Final = 4.0
"""The precision of the belief that nothing is to be changed, as that of a normal distribution."""
_CALIBRATED_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Calibration:
    """The odds to the power ``slope`` times e to the power ``shift`` (Platt 1999). The order of pairs stays."""

    slope: float
    shift: float
    judged: int
    """To how many judged pairs it was fitted."""

    def probability(self, validity: F64) -> F64:
        """The probabilities as people's judgements say they are."""
        if not self.judged:
            return validity
        return logistic(self.slope * log_odds(validity) + self.shift)

    def document(self) -> dict[str, Any]:
        return {"slope": self.slope, "shift": self.shift, "judged": self.judged}


NOT_CALIBRATED: Final = Calibration(1.0, 0.0, 0)


def calibrate(validity: F64, holds: Bools) -> Calibration:
    """Fit to judged pairs: their validity without it, and whether people say that they hold.

    NOT_CALIBRATED where there are fewer than LEAST_JUDGED. The slope is above 0, by Newton's method with halved steps.
    """
    if len(validity) < LEAST_JUDGED:
        return NOT_CALIBRATED
    columns = np.stack([log_odds(validity), np.ones(len(validity))], axis=1)
    usual = np.array([1.0, 0.0])
    at = usual
    for _ in range(_CALIBRATION_STEPS):
        step = _newton_step(columns, holds, at, usual)
        while at[0] + step[0] <= 0:
            step = step / 2
        at = at + step
        if float(np.abs(step).max()) < 1e-9:
            break
    slope, shift = (float(f"{value:.{_CALIBRATED_DIGITS}g}") for value in at)
    return Calibration(slope, shift, len(validity))


def _newton_step(columns: F64, holds: Bools, at: F64, usual: F64) -> F64:
    fitted = logistic(columns @ at)
    gradient = columns.T @ (holds - fitted) - _PRIOR * (at - usual)
    curvature = (columns * (fitted * (1 - fitted))[:, None]).T @ columns + _PRIOR * np.eye(2)
    return np.asarray(np.linalg.solve(curvature, gradient))
