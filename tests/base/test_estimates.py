"""Intervals, correlations and kappa against published values, scipy and the definitions; and drawing by tickets."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import (
    Drawable,
    Interval,
    Kappa,
    clopper_pearson,
    cohen_kappa,
    contingency_table,
    fisher,
    graded_kappa,
    grades,
    lowest_tickets,
    normal_quantile,
    paired_randomisation,
    pearson,
    pearson_table,
    percentile_interval,
    ticket,
    wilson,
)
from corpusdb.search.lexical import log_likelihood, significance

# Intervals of a proportion against published values, and against the definition in exact arithmetic.


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


# Pearson's correlation and kappa over grades, against published and independently computed values.


# Anscombe (1973), Graphs in statistical analysis: four sets whose correlation is 0.816.
X = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
ANSCOMBE = [
    (X, [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]),
    (X, [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74]),
    (X, [7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73]),
    ([8] * 7 + [19] + [8] * 3, [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89]),
]


@pytest.mark.parametrize(("first", "second"), ANSCOMBE)
def test_anscombes_quartet(first: list[float], second: list[float]) -> None:
    assert pearson(first, second) == pytest.approx(0.816, abs=1e-3)


VALUES = st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=2, max_size=20)


@given(VALUES)
def test_it_is_that_of_the_standard_library(pairs: list[tuple[float, float]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    assume(min(np.ptp(first), np.ptp(second)) > 1e-3)

    assert pearson(first, second) == pytest.approx(statistics.correlation(first, second), abs=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2], [3, 5], 1.0),
        ([1, 2], [5, 3], -1.0),
        ([0, 0, 0], [1, 2, 3], None),
        ([1, 2, 3], [0.1, 0.1, 0.1], None),
        ([1], [2], None),
        ([], [], None),
        ([1e-200, 3e-200, 2e-200], [1, 3, 2], 1.0),
    ],
)
def test_small_cases(first: list[float], second: list[float], expected: float | None) -> None:
    value = pearson(first, second)

    assert value == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_a_table_has_every_pair() -> None:
    first, second = np.random.default_rng(1).normal(size=(2, 30)), np.random.default_rng(2).normal(size=(3, 30))
    second[1] = 0.25
    table = pearson_table(first, second)

    assert table.shape == (2, 3)
    assert np.isnan(table[:, 1]).all()
    assert table[:, [0, 2]] == pytest.approx(np.corrcoef(first, second[[0, 2]])[:2, 2:])


@pytest.mark.parametrize(
    ("score", "grade"),
    [
        (0.0, 0),
        (0.0999, 0),
        (0.1, 1),
        (0.435, 4),
        (0.3, 3),
        (0.7, 7),
        (0.8999999, 8),
        (0.9, 9),
        (1.0, 9),
        (1 - 1e-15, 9),
    ],
)
def test_grades_of_the_paper(score: float, grade: int) -> None:
    assert grades([score]).tolist() == [grade]


def test_rounding_moves_no_score_across_a_bound() -> None:
    assert grades([tenth / 10 - 1e-16 for tenth in range(1, 10)]).tolist() == list(range(1, 10))


def test_kappa_of_two_grades() -> None:
    """20 and 15 items alike, 5 and 10 not: observed 0.7, by chance 0.5, kappa 0.4."""
    first = [0.2] * 25 + [0.8] * 25
    second = [0.1] * 20 + [0.9] * 5 + [0.3] * 10 + [0.6] * 15
    kappa = graded_kappa(first, second, 2)

    assert (kappa.items, kappa.observed) == (50, 0.7)
    assert kappa.expected == pytest.approx(0.5)
    assert kappa.value == pytest.approx(0.4)


def test_kappa_is_not_defined_where_all_have_one_grade() -> None:
    assert graded_kappa([0.0, 0.01], [0.05, 0.0]).value is None


@pytest.mark.parametrize("scores", [[1.1], [-0.2], [float("nan")]])
def test_only_scores_from_0_to_1_have_a_grade(scores: list[float]) -> None:
    with pytest.raises(UsageError):
        grades(scores)


def test_bad_calls() -> None:
    with pytest.raises(UsageError, match="at least one grade"):
        grades([0.5], 0)
    with pytest.raises(UsageError, match="2 values cannot be correlated with 1"):
        pearson([1, 2], [1])
    with pytest.raises(UsageError, match="finite"):
        pearson([1, float("nan")], [1, 2])
    with pytest.raises(UsageError, match="cannot be compared"):
        graded_kappa([0.5], [0.5, 0.6])


# Cohen's kappa against published tables, and what holds of every table.


# Artstein and Poesio, Computational Linguistics 34 (2008), tables 1 and 4; scikit-learn tests itself with the same two.
ARTSTEIN_POESIO = [
    ([[20, 20], [10, 50]], 0.348),
    ([[46, 6, 0], [0, 32, 0], [0, 6, 10]], 0.8013),
]
# Fleiss, Statistical Methods for Rates and Proportions (1981), two raters of 200 subjects in three categories.
FLEISS = [([[106, 10, 4], [22, 28, 10], [2, 12, 6]], 0.429), ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492)]
# Output of SAS proc freq for this table, quoted in the tests of statsmodels: kappa and its 95 % confidence limits.
SAS = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
TABLES = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 30), min_size=size, max_size=size), min_size=size, max_size=size)
)


@pytest.mark.parametrize(("table", "published"), [*ARTSTEIN_POESIO, *FLEISS])
def test_published_kappas(table: list[list[int]], published: float) -> None:
    digits = len(str(published)) - 2
    assert cohen_kappa(table).value == pytest.approx(published, abs=0.5 * 10**-digits)


def test_published_confidence_limits() -> None:
    found = cohen_kappa(SAS)
    assert found.interval is not None
    assert found.value is not None
    assert [round(each, 4) for each in (found.value, found.interval.low, found.interval.high)] == [
        0.4842,
        0.2137,
        0.7547,
    ]


def test_the_parts_of_kappa() -> None:
    found = cohen_kappa([[20, 5], [10, 15]])  # by hand: (20 + 15) / 50, and 0.5 * 0.6 + 0.5 * 0.4
    assert (found.items, found.observed) == (50, 0.7)
    assert found.expected == pytest.approx(0.5)
    assert found.value == pytest.approx(0.4)


def test_labels_become_a_table() -> None:
    table = contingency_table(["no", "yes", "yes", "no"], ["yes", "yes", "yes", "no"], ["yes", "no"])
    assert table == [[2, 0], [1, 1]]


@pytest.mark.parametrize(
    ("first", "second", "error"), [(["yes"], ["yes", "no"], ValueError), (["yes"], ["perhaps"], KeyError)]
)
def test_labels_that_do_not_fit_are_refused(first: list[str], second: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        contingency_table(first, second, ["yes", "no"])


@pytest.mark.parametrize("table", [[], [[0, 0], [0, 0]]])
def test_nothing_judged_has_no_kappa(table: list[list[int]]) -> None:
    assert cohen_kappa(table) == Kappa(0, None, None, None, None)


def test_one_label_only_has_no_kappa() -> None:
    assert cohen_kappa([[7, 0], [0, 0]]) == Kappa(7, 1.0, 1.0, None, None)


def test_a_table_that_is_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match="not square"):
        cohen_kappa([[1, 2]])


@given(TABLES)
def test_kappa_does_not_depend_on_who_is_first_and_lies_in_its_interval(table: list[list[int]]) -> None:
    found = cohen_kappa(table)
    turned = cohen_kappa([list(column) for column in zip(*table, strict=True)])
    if found.value is None:
        assert turned.value is None
        return
    assert found.interval is not None
    assert turned.value == pytest.approx(found.value)
    assert -1 - 1e-12 <= found.interval.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.interval.high <= 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=4))
def test_full_agreement_is_one(counts: list[int]) -> None:
    table = [[count if row == column else 0 for column in range(len(counts))] for row, count in enumerate(counts)]
    found = cohen_kappa(table)
    assert found.interval is not None
    assert found.value == pytest.approx(1.0)
    assert found.interval.low == pytest.approx(1.0, abs=1e-6)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.lists(st.integers(1, 9), min_size=2, max_size=4))
def test_independent_judges_agree_by_chance_only(rows: list[int], columns: list[int]) -> None:
    size = min(len(rows), len(columns))
    table = [[row * column for column in columns[:size]] for row in rows[:size]]
    assert cohen_kappa(table).value == pytest.approx(0.0, abs=1e-12)


# Drawing by tickets: repeatable, whatever the order, and the same in every version.


TEXTS: list[Drawable] = [(f"text {number}", f"seed {number % 3}" if number % 2 else None) for number in range(50)]


def test_the_order_of_the_texts_does_not_matter() -> None:
    shuffled = random.Random(1).sample(TEXTS, len(TEXTS))
    assert lowest_tickets(1, 10, shuffled) == lowest_tickets(1, 10, TEXTS)
    assert lowest_tickets(2, 10, TEXTS) != lowest_tickets(1, 10, TEXTS)


@pytest.mark.parametrize("size", [0, 1, 10, 50, 60])
def test_a_larger_draw_begins_with_the_smaller(size: int) -> None:
    assert lowest_tickets(3, size, TEXTS) == lowest_tickets(3, 100, TEXTS)[:size]


def test_a_ticket_is_the_same_in_every_version() -> None:
    """Samples drawn by older versions must be drawn again: BLAKE2b of the texts, keyed by seed and purpose."""
    assert ticket(1, "draw", ("a", None)).hex() == "39e7a140036284e584dd4f7493dc453c"
    assert ticket(1, "draw", ("a", "b")).hex() == "15121ff3538c8711324e5f34fd4d1c60"
    assert len({ticket(seed, purpose, ("a", "b")) for seed in (1, 2) for purpose in ("draw", "position")}) == 4


# Intervals, correlations, p-values and likelihood ratios, held against those of scipy.


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
