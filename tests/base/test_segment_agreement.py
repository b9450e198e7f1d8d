"""Agreement by segment, held against scipy and against brute forces that go through all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from corpusdb.base import segment_agreement
from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import counts_in_samples, pearson
from corpusdb.base.segment_agreement import (
    GROUPINGS,
    SEGMENT_FIGURES,
    Grouping,
    SegmentAgreement,
    all_pairs,
    concordance,
    dense_ranks,
    on_grid,
)
from corpusdb.base.system_agreement import SYSTEM_STATISTICS


@cache
def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats")


@st.composite
def tables(draw: st.DrawFn) -> tuple[F64, F64]:
    """Scores and human scores of some systems for some segments, with ties, and with human scores missing."""
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 6)))
    scores = draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 5))) / 10
    human = draw(arrays.arrays(np.int64, shape, elements=st.integers(-1, 3))).astype(float)
    human[human < 0] = np.nan
    return scores, 20 * human


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """As for scores of systems, pair by pair; None where it is not defined."""
    columns = (np.array(each, dtype=np.float64).reshape(-1, 1) for each in (first, second))
    return none_for_nan(float(SYSTEM_STATISTICS["kendall"](*columns)[0]))


Item = tuple[float, float]


def groups(scores: F64, human: F64, grouping: Grouping) -> Iterator[list[Item]]:
    """The pairs of scores that are compared with each other."""
    if grouping == "over all":
        rows = [(scores.ravel(), human.ravel())]
    elif grouping == "within systems":
        rows = list(zip(scores, human, strict=True))
    else:
        rows = list(zip(scores.T, human.T, strict=True))
    for ours, theirs in rows:
        yield [(x, y) for x, y in zip(ours.tolist(), theirs.tolist(), strict=True) if y == y and x == x]


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def accuracy(items: Sequence[Item], epsilon: float) -> float | None:
    """The share of pairs that are ordered or tied as people have them, from the definition."""
    pairs = list(combinations(items, 2))
    if not pairs:
        return None
    right = 0
    for (x, y), (other_x, other_y) in pairs:
        difference = round(x - other_x, 9)  # 0.3 - 0.2 is 0.2 - 0.1
        order = 0 if abs(difference) <= epsilon else sign(difference)
        right += order == sign(y - other_y)
    return right / len(pairs)


def tau(items: Sequence[Item], year: int) -> float | None:
    """As the campaign of the year had it: what people tie is no pair; None where there is none."""
    orders = [(sign(x - other_x), sign(y - other_y)) for (x, y), (other_x, other_y) in combinations(items, 2)]
    concordant = sum(ours == theirs for ours, theirs in orders if theirs)
    discordant = sum(ours == -theirs for ours, theirs in orders if theirs)
    tied = sum(not ours for ours, theirs in orders if theirs)
    every = concordant + discordant + tied * (year != 13)
    return (concordant - discordant - tied * (year == 10)) / every if every else None


def relative_ranks(groups: Sequence[Sequence[Item]], least: float = 25) -> float | None:
    """KendallLike of mt-metrics-eval, the pairs of all groups together."""
    right = [
        (x - other_x) * (y - other_y) > 0
        for items in groups
        for (x, y), (other_x, other_y) in combinations(items, 2)
        if abs(y - other_y) >= least
    ]
    return 2 * fmean(right) - 1 if right else None


def mean_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def best_accuracy(scores: F64, human: F64, grouping: Grouping) -> tuple[float | None, float]:
    """With every epsilon that can make a difference; the best, and the smallest epsilon that has it."""
    every = list(groups(scores, human, grouping))
    known = scores[np.isfinite(human) & np.isfinite(scores)].tolist()
    sizes = sorted({0.0, *(round(abs(x - y), 9) for x, y in combinations(known, 2))})
    found = [(mean_of([accuracy(items, epsilon) for items in every]), epsilon) for epsilon in sizes]
    defined = [(value, -epsilon) for value, epsilon in found if value is not None]
    if not defined:
        return None, 0.0
    best = max(value for value, _ in defined)
    return best, min(-epsilon for value, epsilon in defined if value > best - 1e-12)


def correlation(items: Sequence[Item], function: Callable[[list[float], list[float]], float | None]) -> float | None:
    return function([x for x, _ in items], [y for _, y in items])


def none_for_nan(value: float) -> float | None:
    return None if np.isnan(value) else value


@given(tables())
def test_all_figures_from_their_definitions(table: tuple[F64, F64]) -> None:
    scores, human = table
    found = SegmentAgreement(scores, human)
    values = found.values()
    assert values.keys() == set(SEGMENT_FIGURES)
    darr = relative_ranks(list(groups(scores, human, "within segments")))
    assert none_for_nan(float(values["within segments", "darr"][0])) == pytest.approx(darr, abs=1e-12)
    for grouping in GROUPINGS:
        every = list(groups(scores, human, grouping))
        for name, function in (("pearson", pearson), ("kendall", kendall)):
            expected = mean_of([correlation(items, function) for items in every])
            assert none_for_nan(float(values[grouping, name][0])) == pytest.approx(expected, abs=1e-12)
        for year in (10, 13, 14):
            expected = mean_of([tau(items, year) for items in every])
            assert none_for_nan(float(values[grouping, f"tau_{year}"][0])) == pytest.approx(expected, abs=1e-12)
        best, epsilon = best_accuracy(scores, human, grouping)
        assert none_for_nan(float(values[grouping, "acc_eq"][0])) == pytest.approx(best, abs=1e-12)
        assert found.epsilon(grouping) == pytest.approx(epsilon, abs=1e-9)


@given(tables(), st.integers(0, 99))
def test_a_sample_is_its_segments_side_by_side(table: tuple[F64, F64], seed: int) -> None:
    """But for pairs of an output with a copy of itself, which say nothing of the metric."""
    scores, human = table
    (counts,) = counts_in_samples(scores.shape[1], 1, seed=seed)
    drawn = np.repeat(np.arange(scores.shape[1]), counts[0].astype(int))
    values = SegmentAgreement(scores, human).values(counts)
    for grouping in GROUPINGS:
        every = list(groups(scores[:, drawn], human[:, drawn], grouping))
        for name, function in (("pearson", pearson), ("kendall", kendall)):
            expected = mean_of([correlation(items, function) for items in every])
            assert none_for_nan(float(values[grouping, name][0])) == pytest.approx(expected, abs=1e-9)


def noisy(systems: int, segments: int, seed: int = 1) -> tuple[F64, F64]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, segments))
    human = 20 * np.round(2 * quality + rng.normal(size=quality.shape))
    human[rng.random(quality.shape) < 0.2] = np.nan
    return quality + rng.normal(size=quality.shape), human


def test_larger_tables_are_those_of_scipy() -> None:
    scores, human = noisy(5, 150)
    values, rated = SegmentAgreement(scores, human).values(), np.isfinite(human)
    for name, function in (("pearson", "pearsonr"), ("kendall", "kendalltau")):
        theirs = getattr(scipy_stats(), function)
        whole = float(theirs(scores[rated], human[rated]).statistic)
        assert float(values["over all", name][0]) == pytest.approx(whole, abs=1e-12)
        rows = zip(scores, human, rated, strict=True)
        by_system = fmean(float(theirs(x[known], y[known]).statistic) for x, y, known in rows)
        assert float(values["within systems", name][0]) == pytest.approx(by_system, abs=1e-12)


def test_samples_of_many_items_come_near_to_counting_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, human = noisy(4, 150)
    (counts,) = counts_in_samples(150, 300, seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(segment_agreement, "_ALL_PAIRS", 10_000)
        exact = SegmentAgreement(scores, human).values(counts)
    with monkeypatch.context() as patch:
        patch.setattr(segment_agreement, "_ALL_PAIRS", 0)
        near = SegmentAgreement(scores, human).values(counts)
    for key, values in exact.items():
        deviation = float(values.std())
        assert float(np.abs(values - near[key]).mean()) < 0.15 * deviation
        bounds = (np.percentile(each, [2.5, 97.5]) for each in (values, near[key]))
        assert np.abs(np.subtract(*bounds)).max() < 0.25 * deviation


def test_constant_scores_have_no_correlation() -> None:
    _, human = noisy(3, 20)
    values = SegmentAgreement(np.full(human.shape, 0.1), human).values()
    for grouping in GROUPINGS:
        assert np.isnan(values[grouping, "pearson"]).all()
        assert np.isnan(values[grouping, "kendall"]).all()
        # What ties all pairs is right where people do.
        assert 0 < float(values[grouping, "acc_eq"][0]) < 0.5


def test_relative_ranks_are_those_of_mt_metrics_eval() -> None:
    """The example of its stats_test.py: 4 pairs of 5, the limit itself among them."""
    assert relative_ranks([[(2, 10), (1, 11), (4, 100), (3, 150)]]) == pytest.approx(3 / 5)
    values = SegmentAgreement(np.array([[2.0], [1], [4], [3]]), np.array([[10.0], [11], [100], [125]])).values()
    assert values["within segments", "darr"].tolist() == [3 / 5]


def test_nothing_is_defined_without_human_scores() -> None:
    values = SegmentAgreement(np.ones((2, 3)), np.full((2, 3), np.nan)).values()
    assert all(np.isnan(each).all() for each in values.values())


def test_scores_that_are_missing_are_left_out() -> None:
    scores, human = noisy(3, 30)
    without = scores.copy()
    without[0] = np.nan
    found, expected = (SegmentAgreement(*each).values() for each in ((without, human), (scores[1:], human[1:])))
    for key, values in expected.items():
        assert found[key].tolist() == pytest.approx(values.tolist(), abs=1e-12)


def test_tables_of_different_shapes() -> None:
    with pytest.raises(UsageError):
        SegmentAgreement(np.ones((2, 3)), np.ones((3, 2)))


@given(
    st.lists(st.tuples(st.integers(-6, 6), st.integers(0, 4)), min_size=1, max_size=30),
    st.integers(0, 4),
)
def test_pairs_are_counted_as_one_by_one(items: list[tuple[int, int]], gap: int) -> None:
    first, second = (np.array(each) for each in zip(*items, strict=True))
    found = concordance(first, dense_ranks(second), gap)
    expected: list[list[int]] = []
    for at, (x, y) in enumerate(items):
        kinds = [0] * 5
        for other, (other_x, other_y) in enumerate(items):
            if other != at:
                order = 0 if abs(x - other_x) <= gap else sign(x - other_x)
                together = order * sign(y - other_y)
                tied = order == 0 and y == other_y
                for kind, is_so in enumerate((together > 0, together < 0, tied, order != 0, y != other_y)):
                    kinds[kind] += is_so
        expected.append(kinds)
    names = ("concordant", "discordant", "tied_in_both", "apart_in_first", "apart_in_second")
    columns: list[I64] = [getattr(found, name) for name in names]
    assert np.stack(columns, axis=1).tolist() == expected


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=20))
def test_equal_differences_of_decimal_scores_are_equal(tenths: list[int]) -> None:
    grid = on_grid(np.array(tenths) / 10)
    for (one, first), (other, second) in combinations(zip(tenths, grid.tolist(), strict=True), 2):
        assert (first - second) * tenths[0] == (one - other) * grid.tolist()[0] or not tenths[0]


def test_of_very_many_pairs_some_are_drawn() -> None:
    pairs = all_pairs([np.arange(100), np.arange(100, 103)], most=50)
    assert len(pairs.first) == 50
    assert (pairs.first != pairs.second).all()
    assert ((pairs.first < 100) == (pairs.second < 100)).all()
    assert pairs.weights.sum() == pytest.approx(2)
