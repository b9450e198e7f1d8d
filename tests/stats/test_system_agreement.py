"""Rank correlations, pairwise accuracy and outliers, held against scipy and against counting pairs one by one."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.base.stats.estimates import pearson, pearson_of_sums, pearson_rows
from corpusdb.base.stats.system_agreement import (
    SYSTEM_STATISTICS,
    kendall,
    outliers,
    pairwise_accuracy,
    spearman,
    why_undefined,
)


@cache
def scipy_stats() -> Any:
    """Imported by the process that runs these tests only: that takes a second."""
    return pytest.importorskip("scipy.stats")


# Few different values, so that ties and constant scores come often.
PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=0, max_size=25)


def halves(pairs: list[tuple[int, int]]) -> tuple[list[float], list[float]]:
    return [one / 2 for one, _ in pairs], [other / 10 for _, other in pairs]


def varies(scores: list[float]) -> bool:
    return len(set(scores)) > 1


@given(PAIRS)
def test_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = halves(pairs)
    ours = {"pearsonr": pearson, "spearmanr": spearman, "kendalltau": kendall}
    for name, function in ours.items():
        found = function(first, second)
        if varies(first) and varies(second):
            theirs = float(getattr(scipy_stats(), name)(first, second).statistic)
            assert found == pytest.approx(theirs, abs=1e-12)
        else:
            assert found is None


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


@given(PAIRS)
def test_pairs_counted_one_by_one(pairs: list[tuple[int, int]]) -> None:
    first, second = halves(pairs)
    orders = [(sign(first[i] - first[j]), sign(second[i] - second[j])) for i, j in combinations(range(len(pairs)), 2)]
    together = sum(one * other for one, other in orders)
    apart = sum(one != 0 for one, _ in orders) * sum(other != 0 for _, other in orders)
    assert kendall(first, second) == (pytest.approx(together / apart**0.5, abs=1e-12) if apart else None)
    same = sum(one == other for one, other in orders)
    assert pairwise_accuracy(first, second) == (pytest.approx(same / len(orders)) if orders else None)


@given(st.lists(PAIRS.filter(bool), min_size=1, max_size=4))
def test_many_samples_at_once_are_each_by_itself(samples: list[list[tuple[int, int]]]) -> None:
    size = min(map(len, samples))
    scores, human = (np.array([halves(pairs[:size])[at] for pairs in samples]).T for at in (0, 1))
    alone = {"pearson": pearson, "spearman": spearman, "kendall": kendall, "pairwise_accuracy": pairwise_accuracy}
    assert alone.keys() == SYSTEM_STATISTICS.keys()
    for name, statistic in SYSTEM_STATISTICS.items():
        for ratings in (human, human[:, :1]):
            columns = np.broadcast_to(ratings, scores.shape).T
            expected = [alone[name](one, other) for one, other in zip(scores.T, columns, strict=True)]
            found = [None if np.isnan(each) else each for each in statistic(scores, ratings).tolist()]
            assert found == pytest.approx(expected, abs=1e-12)


@given(PAIRS.filter(bool))
def test_correlation_from_sums(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(each) for each in halves(pairs))
    sums = np.array([len(x), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()])
    found, expected = float(pearson_of_sums(sums)), float(pearson_rows(x[np.newaxis], y[np.newaxis])[0])
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(PAIRS)
def test_words_where_a_correlation_is_not_defined(pairs: list[tuple[int, int]]) -> None:
    first, second = halves(pairs)
    assert (why_undefined(first, second) is None) == (pearson(first, second) is not None)


@pytest.mark.parametrize(
    ("scores", "human", "told"),
    [
        ([], [], "none of the systems has both scores, and two are needed"),
        ([1.0], [2.0], "one of the systems has both scores, and two are needed"),
        ([1.0, 1.0], [1.0, 2.0], "the metric gives all systems the same score"),
        ([1.0, 2.0], [3.0, 3.0], "the human scores of all systems are the same"),
    ],
)
def test_the_reason_in_words(scores: list[float], human: list[float], told: str) -> None:
    assert why_undefined(scores, human) == told


def test_scores_of_different_numbers() -> None:
    for function in (spearman, kendall, pairwise_accuracy):
        with pytest.raises(UsageError):
            function([1, 2], [1, 2, 3])


def test_outliers_of_an_example_by_hand() -> None:
    """The median is 3, the distances 2, 1, 0, 1, 97, their median 1, the cut 2.5 * 1.483."""
    assert outliers(np.array([1.0, 2.0, 3.0, 4.0, 100.0])).tolist() == [False] * 4 + [True]
    assert outliers(np.array([3 - 3.70, 2.0, 3.0, 4.0, 3 + 3.71])).tolist() == [False] * 4 + [True]


@given(st.lists(st.floats(-100, 100), max_size=20))
def test_outliers_are_less_than_half_on_either_side(scores: list[float]) -> None:
    values = np.round(np.array(scores), 1)
    found = outliers(values)
    assert found.sum() * 2 <= len(scores)
    if not found.any():
        return
    assert outliers(-values).tolist() == found.tolist()


@pytest.mark.parametrize("scores", [[], [1.0], [1.0, 1.0, 1.0, 5.0]])
def test_no_outliers_where_most_systems_are_alike(scores: list[float]) -> None:
    assert not outliers(np.array(scores)).any()
