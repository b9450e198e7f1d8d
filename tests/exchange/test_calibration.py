"""The calibration by judgements: held against scipy's minimum of the same likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64, Bools
from corpusdb.paraphrase.validity import LEAST_JUDGED, NOT_CALIBRATED, calibrate


def drawn(seed: int, size: int, slope: float, shift: float) -> tuple[F64, Bools]:
    chance = np.random.default_rng(seed)
    validity = chance.uniform(0.02, 0.98, size)
    odds = slope * np.log(validity / (1 - validity)) + shift
    return validity, chance.random(size) < 1 / (1 + np.exp(-odds))


@given(st.integers(0, 10_000), st.floats(0.2, 3), st.floats(-2, 2))
def test_it_is_the_most_probable_one(seed: int, slope: float, shift: float) -> None:
    validity, holds = drawn(seed, 400, slope, shift)
    odds = np.log(validity / (1 - validity))

    def loss(at: F64) -> float:
        fitted = at[0] * odds + at[1]
        likelihood = -np.where(holds, np.logaddexp(0, -fitted), np.logaddexp(0, fitted)).sum()
        return float(-likelihood + 2 * ((at[0] - 1) ** 2 + at[1] ** 2))

    found = calibrate(validity, holds)
    minimize = pytest.importorskip("scipy.optimize").minimize
    expected = minimize(loss, [1.0, 0.0], tol=1e-12).x
    assert (found.slope, found.shift) == pytest.approx(tuple(expected), abs=2e-4)
    assert found.judged == 400


def test_probabilities_are_those_that_people_see() -> None:
    """What claims to hold in 9 of 10 cases, and does in half of them, is said to hold in about half."""
    validity, holds = np.full(1_000, 0.9), np.arange(1_000) % 2 == 0
    assert calibrate(validity, holds).probability(np.array([0.9]))[0] == pytest.approx(0.5, abs=0.02)


def test_the_order_stays() -> None:
    found = calibrate(*drawn(1, 500, 0.5, -1.0))
    shown = found.probability(np.linspace(0.001, 0.999, 200))
    assert (np.diff(shown) > 0).all()
    assert found.slope < 1


def test_few_judgements_change_nothing() -> None:
    validity, holds = drawn(2, LEAST_JUDGED - 1, 3.0, 1.0)
    assert calibrate(validity, holds) == NOT_CALIBRATED
    assert NOT_CALIBRATED.probability(validity) is validity


def test_verdicts_that_are_all_alike() -> None:
    """Nothing runs away where every judged pair holds."""
    found = calibrate(np.full(200, 0.9), np.ones(200, dtype=bool))
    assert 0 < found.slope < 5
    assert found.probability(np.array([0.9]))[0] > 0.95
