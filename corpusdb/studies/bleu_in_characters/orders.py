"""Which order in characters is best for each order in words (Denoual and Lepage 2005, section 4, table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64
from corpusdb.stats.correlation import graded_kappa, pearson_table
from corpusdb.studies.bleu_in_characters.scores import CandidateScores

__all__ = ["ROUNDING", "Best", "BestOrders", "Criteria", "best_orders", "criteria", "greatest"]

ROUNDING: Final = 1e-12
"""Scores that differ by less are equal."""
_THRESHOLD: Final = 0.9
"""The share of the candidates that must be on the diagonal or below (section 4.3)."""
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Criteria:
    """The three numbers for every pair of orders: row N - 1, column M - 1; NaN where one is not defined."""

    pearson: F64
    kappa: F64
    below: F64
    """The share of the candidates, 0 to 1, with BLEUcM <= BLEUwN."""


@dataclass(frozen=True, slots=True)
class Best:
    """The order in characters that is best by one of the criteria, and how good it is."""

    order: int
    value: float


@dataclass(frozen=True, slots=True)
class BestOrders:
    """A column of table 1: the best M for one N, None where no M has a value."""

    order: int
    """N."""
    pearson: Best | None
    """Section 4.1: the M whose scores correlate best with BLEUwN."""
    kappa: Best | None
    """Section 4.2: the M with the highest kappa over ten grades of equal size, [0, 0.1[ to [0.9, 1]."""
    behaviour: Best | None
    """Section 4.3: the first M for which BLEUcM <= BLEUw(N-1) holds for 90 % of the candidates; the value is their
    share. None for N = 1, and where no M comes that far."""


def criteria(scores: CandidateScores) -> Criteria:
    """Compare the scores of all candidates with every order in words to those with every order in characters."""
    kappas = [[graded_kappa(ours, theirs).value for theirs in scores.characters] for ours in scores.words]
    below = [(scores.characters <= row + ROUNDING).mean(axis=1) for row in scores.words]
    return Criteria(
        pearson=pearson_table(scores.words, scores.characters),
        kappa=np.array(kappas, dtype=np.float64),  # None becomes NaN
        below=np.stack(below),
    )


def best_orders(found: Criteria, order: int) -> BestOrders:
    """The column of table 1 for N = ``order``."""
    return BestOrders(
        order=order,
        pearson=greatest(found.pearson[order - 1]),
        kappa=greatest(found.kappa[order - 1]),
        behaviour=_first_enough(found.below[order - 2]) if order > 1 else None,
    )


def _first_enough(shares: F64) -> Best | None:
    reached = np.flatnonzero(shares >= _THRESHOLD - ROUNDING)
    return Best(int(reached[0]) + 1, float(shares[reached[0]])) if reached.size else None


def greatest(values: F64) -> Best | None:
    """The first of the greatest values, one for each M from 1; NaN are left out, and None is said where all are."""
    if np.isnan(values).all():
        return None
    place = int(np.nanargmax(values.round(_DIGITS)))
    return Best(place + 1, float(values[place]))
