"""The probability that a paraphrase holds, learned from the corpus's own sharing of translations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools

__all__ = [
    "FOLDS",
    "LEAST_JUDGED",
    "LEAST_LABELLED",
    "NOT_CALIBRATED",
    "ODDS_OF_LONE",
    "ODDS_OF_MORE",
    "ODDS_OF_SHARING",
    "Calibration",
    "Labelled",
    "LogisticModel",
    "before_lone",
    "calibrate",
    "fit",
    "fit_folds",
    "logistic",
    "of_lone",
    "with_sharing",
]


# The probability that a paraphrase holds, learned from the corpus's own sharing of translations.
#
# A logistic model q = s(w . f), whose features f are held within the range in which it was learned. That two sentences
# share a translation is seen with the probability a r q, where r is how probable it would be if they meant the same,
# and a < 1 because r is read off sentences that are translated often. No judgement of a person is needed. Where a pair
# does share a translation, its odds are raised afterwards.


FOLDS: Final = 4
LEAST_LABELLED: Final = 1_000
"""With fewer labelled pairs, a model says less than one that was fitted to another corpus."""
_RECALLED: Final = 0.85
"""a: a pair of the same meaning shares a translation so often, as part of r."""
_PENALTY: Final = 3.0
_RANGE: Final = (1, 99)
"""The percentiles of the labelled pairs between which a feature is believed to count as the model says."""
_STEPS: Final = 200
_LEAST_GAIN: Final = 1e-9
_DIGITS: Final = 6
"""Weights are rounded to so many digits, so that the last bits of a sum do not show."""
ODDS_OF_SHARING: Final = 5.0
"""What sharing a translation in one language multiplies the odds by. A held-out language (``study precision``) would
have it higher: its wrong links, and what it does not mark, come together with those of others. Read pairs would have it
lower (tests/readings)."""
ODDS_OF_MORE: Final = 8.0
"""Each further language multiplies them by this."""
ODDS_OF_LONE: Final = 0.05
"""What the odds are multiplied by where no other context shows the analogy. Of such pairs that were read, those with
0.997 held as often as others with 0.95 (tests/readings)."""


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights of the features as they are, not standardised, and the range of each in which that was learned."""

    weights: tuple[float, ...]
    bias: float
    least: tuple[float, ...]
    most: tuple[float, ...]

    def probability(self, features: F64) -> F64:
        """The probability that each pair holds, 0 to 1; ``features`` are pairs by features.

        A feature outside of its range counts as the end of that: nothing is known of what lies beyond.
        """
        return logistic(np.clip(features, self.least, self.most) @ np.array(self.weights) + self.bias)

    def document(self) -> dict[str, Any]:
        """The model as JSON can hold it."""
        ranges = {"least": list(self.least), "most": list(self.most)}
        return {"weights": list(self.weights), "bias": self.bias, **ranges}

    @classmethod
    def read(cls, document: dict[str, Any]) -> LogisticModel:
        ends = tuple(document["least"]), tuple(document["most"])
        return cls(tuple(document["weights"]), document["bias"], *ends)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pairs of sentences that have a common language of translations; parallel arrays."""

    features: F64
    """Pairs by features."""
    shares: Bools
    """Whether the pair shares a translation."""
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


def with_sharing(probability: F64, languages: I64) -> F64:
    """The probability that pairs hold, given in how many languages they share a translation; 0 changes nothing.

    That two sentences share none says hardly anything: of such pairs nearly as many hold as of others.
    """
    factor = np.where(languages > 0, ODDS_OF_SHARING * ODDS_OF_MORE ** (languages - 1.0), 1.0)
    return np.asarray(factor * probability / (1 - probability + factor * probability))


def of_lone(probability: float) -> float:
    """The probability that a pair holds for which nothing but the exchange of words speaks."""
    return ODDS_OF_LONE * probability / (1 - probability + ODDS_OF_LONE * probability)


def before_lone(probability: float) -> float:
    """What ``of_lone`` made this probability of."""
    return probability / (probability + ODDS_OF_LONE * (1 - probability))


def logistic(values: F64) -> F64:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))


def _loss(weights: F64, standard: F64, pairs: Labelled) -> tuple[float, F64]:
    """The negative log-likelihood with its penalty, and its gradient."""
    holds = logistic(standard @ weights)
    most = _RECALLED * pairs.expected
    shares = np.maximum(most * holds, 1e-12)
    penalised = np.append(weights[:-1], 0.0)
    loss = -np.where(pairs.shares, np.log(shares), np.log1p(-shares)).sum() + _PENALTY * penalised @ penalised
    slope = np.where(pairs.shares, 1 / shares, -1 / (1 - shares)) * most * holds * (1 - holds)
    return float(loss), 2 * _PENALTY * penalised - standard.T @ slope


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
_EDGE: Final = 1e-4
"""Probabilities are this far from 0 and 1 at least."""
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
        return logistic(self.slope * _log_odds(validity) + self.shift)

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {"slope": self.slope, "shift": self.shift, "judged": self.judged}


NOT_CALIBRATED: Final = Calibration(1.0, 0.0, 0)


def calibrate(validity: F64, holds: Bools) -> Calibration:
    """Fit to judged pairs: their validity without it, and whether people say that they hold.

    NOT_CALIBRATED where there are fewer than LEAST_JUDGED. The slope is above 0, by Newton's method with halved steps.
    """
    if len(validity) < LEAST_JUDGED:
        return NOT_CALIBRATED
    columns = np.stack([_log_odds(validity), np.ones(len(validity))], axis=1)
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


def _log_odds(validity: F64) -> F64:
    inside = np.clip(validity, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(inside / (1 - inside)))
