"""Probabilities brought in line with what people said of some of the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from corpusdb.arrays import F64, Bools
from corpusdb.exchange.validity import logistic

__all__ = ["LEAST_JUDGED", "NOT_CALIBRATED", "Calibration", "calibrate"]

LEAST_JUDGED: Final = 100
"""With fewer judgements nothing is changed."""
_STEPS: Final = 50
_PRIOR: Final = 4.0
"""The precision of the belief that nothing is to be changed, as that of a normal distribution."""
_EDGE: Final = 1e-4
"""Probabilities are this far from 0 and 1 at least."""
_DIGITS: Final = 6


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
    for _ in range(_STEPS):
        step = _newton_step(columns, holds, at, usual)
        while at[0] + step[0] <= 0:
            step = step / 2
        at = at + step
        if float(np.abs(step).max()) < 1e-9:
            break
    slope, shift = (float(f"{value:.{_DIGITS}g}") for value in at)
    return Calibration(slope, shift, len(validity))


def _newton_step(columns: F64, holds: Bools, at: F64, usual: F64) -> F64:
    fitted = logistic(columns @ at)
    gradient = columns.T @ (holds - fitted) - _PRIOR * (at - usual)
    curvature = (columns * (fitted * (1 - fitted))[:, None]).T @ columns + _PRIOR * np.eye(2)
    return np.asarray(np.linalg.solve(curvature, gradient))


def _log_odds(validity: F64) -> F64:
    inside = np.clip(validity, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(inside / (1 - inside)))
