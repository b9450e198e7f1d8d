"""Intervals of a proportion against published values, and against the definition in exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.stats.estimates import Interval, clopper_pearson, normal_quantile, wilson

# Newcombe, Statistics in Medicine 17 (1998), table I: the 95 % intervals of methods 3 (Wilson) and 5 (exact).
NEWCOMBE = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0000, 0.1611), (0.0000, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]
COUNTS = st.integers(1, 60).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@pytest.mark.parametrize(("successes", "trials", "score", "exact"), NEWCOMBE)
def test_published_intervals(
    successes: int, trials: int, score: tuple[float, float], exact: tuple[float, float]
) -> None:
    for found, (low, high) in ((wilson(successes, trials), score), (clopper_pearson(successes, trials), exact)):
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize("trials", [1, 7, 400, 5000])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_without_a_success_the_exact_bound_has_a_closed_form(trials: int, confidence: float) -> None:
    bound = 1 - ((1 - confidence) / 2) ** (1 / trials)
    assert clopper_pearson(0, trials, confidence).high == pytest.approx(bound, rel=1e-9)
    assert clopper_pearson(trials, trials, confidence).low == pytest.approx(1 - bound, rel=1e-9)


def at_least(successes: int, trials: int, rate: Fraction) -> Fraction:
    """The probability of so many successes or more, exactly."""
    return sum(
        (comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(successes, trials + 1)), Fraction(0)
    )


@given(COUNTS)
@example((396, 400))  # the size of the paper's sample for grammaticality
def test_the_exact_bounds_leave_a_tail_of_half_the_rest(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found = clopper_pearson(successes, trials)
    if successes:
        assert float(at_least(successes, trials, Fraction(found.low))) == pytest.approx(0.025, rel=1e-8)
    if successes < trials:
        below = 1 - at_least(successes + 1, trials, Fraction(found.high))
        assert float(below) == pytest.approx(0.025, rel=1e-8)


@given(COUNTS)
def test_wilson_bounds_are_the_rates_that_a_score_test_just_keeps(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found, rate = wilson(successes, trials), successes / trials
    for bound in (found.low, found.high):
        if 0 < bound < 1:
            z = (rate - bound) / (bound * (1 - bound) / trials) ** 0.5
            assert abs(z) == pytest.approx(1.959964, rel=1e-6)


@given(COUNTS, st.sampled_from([wilson, clopper_pearson]))
def test_intervals_hold_the_rate_mirror_and_grow_with_confidence(
    counts: tuple[int, int], interval: Callable[..., Interval]
) -> None:
    successes, trials = counts
    found, mirrored = interval(successes, trials), interval(trials - successes, trials)
    wider = interval(successes, trials, 0.99)
    assert 0 <= wider.low <= found.low <= successes / trials <= found.high <= wider.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)


def test_without_trials_every_rate_is_possible() -> None:
    assert wilson(0, 0) == clopper_pearson(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("successes", "trials", "confidence"), [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0.0), (1, 5, 1.0)])
def test_impossible_counts_are_refused(successes: int, trials: int, confidence: float) -> None:
    for interval in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match=r"successes in|confidence"):
            interval(successes, trials, confidence)


def test_the_normal_quantile() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, rel=1e-12)  # any table of the distribution
