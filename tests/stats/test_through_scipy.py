"""Intervals, correlations, p-values and likelihood ratios, held against those of scipy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpusdb.base.stats.estimates import (
    Interval,
    clopper_pearson,
    fisher,
    normal_quantile,
    pearson,
    pearson_table,
    wilson,
)
from corpusdb.base.stats.resampling import paired_randomisation, percentile_interval
from corpusdb.search.lexical import log_likelihood, significance


@cache
def scipy_stats() -> Any:
    """Imported by the process that runs these tests only: that takes a second."""
    return pytest.importorskip("scipy.stats")


TRIALS = st.integers(1, 300).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))
CONFIDENCES = st.floats(0.5, 0.999)


@given(TRIALS, CONFIDENCES)
def test_intervals_of_a_rate(counts: tuple[int, int], confidence: float) -> None:
    def bounds(found: Interval) -> tuple[float, float]:
        return found.low, found.high

    test = scipy_stats().binomtest(*counts)
    theirs = {name: tuple(test.proportion_ci(confidence, method=name)) for name in ("wilson", "exact")}
    assert bounds(wilson(*counts, confidence)) == pytest.approx(theirs["wilson"], abs=1e-9)
    assert bounds(clopper_pearson(*counts, confidence)) == pytest.approx(theirs["exact"], abs=1e-9)


@given(CONFIDENCES)
def test_normal_quantile(confidence: float) -> None:
    assert normal_quantile(confidence) == pytest.approx(scipy_stats().norm.interval(confidence)[1], rel=1e-12)


@given(st.lists(st.tuples(*[st.integers(-1000, 1000)] * 2), min_size=3, max_size=30))
def test_correlation(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, dtype=float).T
    assume(np.ptp(first) > 0 and np.ptp(second) > 0)
    theirs = float(scipy_stats().pearsonr(first, second).statistic)
    assert pearson(first, second) == pytest.approx(theirs, abs=1e-12)
    assert pearson_table([first, second], [second])[:, 0].tolist() == pytest.approx([theirs, 1], abs=1e-12)


def test_randomisation_comes_near_to_all_exchanges() -> None:
    """Of ten segments, all 1,024 exchanges can be tried."""
    one, other = np.random.default_rng(5).integers(0, 12, size=(2, 10)).astype(float)
    other[:4] -= 3

    def mean(sums: Any) -> Any:
        return sums[..., 0] / 10

    exact = scipy_stats().permutation_test(
        (one, other),
        lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    found = paired_randomisation(np.stack([one, other])[..., np.newaxis], mean, samples=50_000, seed=1)[1]
    assert 0.01 < exact.pvalue < 0.5  # so that it can be missed
    assert found.difference == pytest.approx(-exact.statistic)
    assert found.p_value == pytest.approx(exact.pvalue, abs=0.01)


def test_percentiles() -> None:
    scores = np.random.default_rng(3).normal(size=1001)
    found = percentile_interval(scores, 0.9)
    theirs = scipy_stats().mstats.mquantiles(scores, [0.05, 0.95], alphap=1, betap=1).tolist()
    assert [found.low, found.high] == pytest.approx(theirs, abs=1e-12)


@given(*[st.integers(1, 500)] * 4)
def test_likelihood_ratio_and_its_significance(both: int, first: int, second: int, neither: int) -> None:
    table = [[both, first], [second, neither]]
    theirs = scipy_stats().chi2_contingency(table, correction=False, lambda_="log-likelihood")
    total = both + first + second + neither
    found = float(log_likelihood(both, both + first, both + second, total))
    assert found == pytest.approx(theirs.statistic, abs=1e-8, rel=1e-8)
    assert float(significance(found)) == pytest.approx(scipy_stats().chi2.sf(found, 1), rel=1e-6, abs=1e-15)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=30), CONFIDENCES)
def test_intervals_of_a_correlation(pairs: list[tuple[int, int]], confidence: float) -> None:
    first, second = zip(*pairs, strict=True)
    value = pearson(first, second)
    assume(value is not None and abs(value) < 1 - 1e-9)
    assert value is not None
    found = fisher(value, len(pairs), confidence)
    theirs = scipy_stats().pearsonr(first, second).confidence_interval(confidence)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
