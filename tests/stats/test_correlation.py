"""Pearson's correlation and kappa over grades, against published and independently computed values."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.base.stats.estimates import graded_kappa, grades, pearson, pearson_table

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
