"""Agreement by systems, and one metric against another, held against scipy and all there is to enumerate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base import system_agreement
from corpusdb.base.arrays import F64
from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import pearson, pearson_of_sums, pearson_rows
from corpusdb.base.system_agreement import (
    SYSTEM_STATISTICS,
    decisions_exchanged,
    jackknife_contributions,
    outliers,
    paired_samples,
    segments_exchanged,
    soft_accuracies_exchanged,
    soft_accuracy_in_samples,
    soft_pairwise_accuracy,
    systems_exchanged,
    why_undefined,
)

# Rank correlations, pairwise accuracy and outliers, held against scipy and against counting pairs one by one.


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


def alone(name: str, first: Sequence[float] | F64, second: Sequence[float] | F64) -> float | None:
    """The statistic of one sample; None where it is not defined."""
    columns = (np.asarray(each, dtype=np.float64).reshape(-1, 1) for each in (first, second))
    value = float(SYSTEM_STATISTICS[name](*columns)[0])
    return None if np.isnan(value) else value


@given(PAIRS)
def test_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = halves(pairs)
    for ours, name in (("pearson", "pearsonr"), ("spearman", "spearmanr"), ("kendall", "kendalltau")):
        found = alone(ours, first, second)
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
    assert alone("kendall", first, second) == (pytest.approx(together / apart**0.5, abs=1e-12) if apart else None)
    same = sum(one == other for one, other in orders)
    assert alone("pairwise_accuracy", first, second) == (pytest.approx(same / len(orders)) if orders else None)


@given(st.lists(PAIRS.filter(bool), min_size=1, max_size=4))
def test_many_samples_at_once_are_each_by_itself(samples: list[list[tuple[int, int]]]) -> None:
    size = min(map(len, samples))
    scores, human = (np.array([halves(pairs[:size])[at] for pairs in samples]).T for at in (0, 1))
    for name, statistic in SYSTEM_STATISTICS.items():
        for ratings in (human, human[:, :1]):
            columns = np.broadcast_to(ratings, scores.shape).T
            expected = [alone(name, one, other) for one, other in zip(scores.T, columns, strict=True)]
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


# The soft pairwise accuracy.


@pytest.mark.parametrize(("trials", "seed", "expected"), [(1000, 4, 0.6303), (200, 1, 0.642)])
def test_the_soft_accuracy_is_that_of_mt_metrics_eval(trials: int, seed: int, expected: float) -> None:
    """What its pce.py gave for these scores, whole numbers, of which its sums in single precision are exact."""
    system, segment = np.meshgrid(np.arange(5), np.arange(20), indexing="ij")
    human = (system * 7 + segment**2 * 3 + system * segment) % 11.0
    metric = (system * 5 + segment**2 * 2 + system**2 * segment) % 13.0
    found = soft_pairwise_accuracy(np.stack([metric, human]), human, trials=trials, seed=seed)
    assert found.tolist() == pytest.approx([expected, 1], abs=1e-12)


SCORES = st.none() | st.integers(-3, 3)
SEGMENTS = st.lists(st.tuples(*[st.tuples(SCORES, SCORES)] * 3), min_size=1, max_size=5)


@given(SEGMENTS)
def test_the_soft_accuracy_of_all_ways_to_exchange_segments(segments: list[Any]) -> None:
    """Each segment of two systems is exchanged or not: all ways, one by one, in place of those that are drawn."""
    ways = list(product((1, -1), repeat=len(segments)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system_agreement, "_signs", lambda *_: iter([np.array(ways, dtype=np.float64)]))
        metric, human = np.moveaxis(np.array(segments, dtype=np.float64), (2, 1), (0, 1))
        (found,) = soft_pairwise_accuracy(metric[np.newaxis], human, trials=len(ways), seed=1).tolist()
    gaps = []
    for one, other in combinations(range(3), 2):
        both = [(each[one], each[other]) for each in segments if None not in (*each[one], *each[other])]
        if both:
            p_values = []
            for side in (0, 1):
                differences = [first[side] - second[side] for first, second in both]
                all_ways = list(product((1, -1), repeat=len(both)))
                moved = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in all_ways]
                p_values.append(sum(each >= sum(differences) for each in moved) / len(moved))
            gaps.append(abs(p_values[0] - p_values[1]))
    expected = 1 - sum(gaps) / len(gaps) if gaps else np.nan
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_the_soft_accuracy_in_samples_and_trials_is_that_of_the_segments_in_them() -> None:
    """Of what is drawn, written out, by permutations; p-values by the normal distribution come close to these."""
    metric, human, other = material(5, 1.0, segments=60)
    human = np.where(np.random.default_rng(1).random(human.shape) < 0.2, np.nan, human)
    counts = np.random.default_rng(2).multinomial(60, np.full(60, 1 / 60), size=3).astype(np.float64)
    found = soft_accuracy_in_samples(np.stack([metric, other]), human, counts)
    for sample, values in zip(counts, found.T, strict=True):
        drawn = np.repeat(np.arange(60), sample.astype(np.int64))
        both = np.stack([metric[:, drawn], other[:, drawn]])
        expected = soft_pairwise_accuracy(both, human[:, drawn], trials=4000, seed=1)
        assert values == pytest.approx(expected, abs=0.02)
    coins = np.random.default_rng(3).integers(0, 2, size=(1, *metric.shape)).astype(np.float64)
    with pytest.MonkeyPatch.context() as patch:
        kept: list[F64] = []
        patch.setattr(system_agreement, "_coins", lambda *_: iter([coins]))
        patch.setattr(system_agreement, "_superiority", lambda _, differences: kept.append(differences))
        soft_accuracies_exchanged(np.stack([metric, other]), human, seed=1)
    known = np.isfinite(human)
    one, two = ((each - each[known].mean()) / each[known].std() for each in (metric, other))
    swapped = np.stack([np.where(coins[0] == 1, two, one), np.where(coins[0] == 1, one, two)])
    ours, theirs = soft_pairwise_accuracy(swapped, human, trials=4000, seed=1)
    assert kept[0] == pytest.approx([ours - theirs], abs=0.02)


def test_a_metric_that_is_as_sure_as_people_is_found_better() -> None:
    first, second, quality = material(1, 8.0)
    found = soft_accuracies_exchanged(np.stack([first, second]), quality, seed=1)
    assert found is not None and found.first_better < 0.05
    same = soft_accuracies_exchanged(np.stack([first, 10 * first + 3]), quality, trials=50, seed=1)
    assert same is not None and (same.first_better, same.second_better) == (1, 1)
    assert soft_accuracies_exchanged(np.stack([first, second]), np.full(quality.shape, np.nan), seed=1) is None


def test_the_soft_accuracy_is_the_same_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    metric, human, _ = material(1, 1.0)
    expected = soft_pairwise_accuracy(metric[np.newaxis], human, trials=50, seed=3)
    monkeypatch.setattr(system_agreement, "_AT_ONCE", 300)
    assert soft_pairwise_accuracy(metric[np.newaxis], human, trials=50, seed=3).tolist() == expected.tolist()


# Tests of one metric against another: their invariants, and how often they are wrong where nothing is to be found.


def material(seed: int, noise: float, systems: int = 6, segments: int = 40) -> tuple[F64, F64, F64]:
    """Two metrics, the second with more noise, and the quality that both measure."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, segments)) + rng.normal(size=(systems, 1))
    first = quality + rng.normal(size=quality.shape)
    return first, quality + noise * rng.normal(size=quality.shape), quality


def test_a_metric_that_is_better_is_found() -> None:
    first, second, quality = material(1, 8.0)
    for found in (
        systems_exchanged(np.stack([first, second]), quality.mean(axis=1), SYSTEM_STATISTICS["pearson"], seed=1),
        segments_exchanged(np.stack([first, second]), quality, seed=1),
    ):
        assert found is not None
        assert found.first_better < 0.05
        assert found.second_better > 0.9


def test_a_metric_is_no_better_than_itself_on_another_scale() -> None:
    first, _, quality = material(2, 1.0)
    both = np.stack([first, 10 * first + 3])
    for statistic in SYSTEM_STATISTICS.values():
        found = systems_exchanged(both, quality.mean(axis=1), statistic, trials=50, seed=1)
        assert found is not None
        assert (found.first_better, found.second_better) == (1, 1)
    by_segment = segments_exchanged(both, quality, trials=50, seed=1)
    assert by_segment is not None
    assert (by_segment.first_better, by_segment.second_better) == (1, 1)


def test_the_two_sides_change_places_with_the_metrics() -> None:
    first, second, quality = material(3, 2.0)
    human = quality.mean(axis=1)
    for statistic in SYSTEM_STATISTICS.values():
        one = systems_exchanged(np.stack([first, second]), human, statistic, trials=400, seed=1)
        other = systems_exchanged(np.stack([second, first]), human, statistic, trials=400, seed=2)
        assert one is not None and other is not None
        assert one.first_better == pytest.approx(other.second_better, abs=0.1)


@pytest.mark.slow
def test_where_nothing_is_to_be_found_little_is() -> None:
    """Two metrics of the same kind: a test of 5 % is wrong about as often, over 200 pairs."""
    wrong: dict[str, int] = {"systems": 0, "segments": 0, "decisions": 0}
    for seed in range(200):
        first, second, quality = material(seed, 1.0)
        both = np.stack([first, second])
        found = {
            "systems": systems_exchanged(
                both, quality.mean(axis=1), SYSTEM_STATISTICS["pearson"], trials=200, seed=seed
            ),
            "segments": segments_exchanged(both, quality, trials=200, seed=seed),
            "decisions": decisions_exchanged(*(each.mean(axis=0) for each in both), trials=200, seed=seed),
        }
        for name, each in found.items():
            assert each is not None
            wrong[name] += each.first_better < 0.05
    assert all(count <= 22 for count in wrong.values())  # 10 are expected; four deviations more come once in 20,000


def test_all_exchanges_of_a_small_table() -> None:
    """Two systems and two segments have sixteen exchanges, which random trials come near to."""
    rng = np.random.default_rng(4)
    both, human = rng.normal(size=(2, 3, 2)), rng.normal(size=(3, 2))
    one, other = ((each - each.mean()) / each.std() for each in both)
    differences = []
    for coins in product([False, True], repeat=6):
        swap = np.array(coins).reshape(3, 2)
        first, second = np.where(swap, other, one), np.where(swap, one, other)
        values = [pearson(each.ravel(), human.ravel()) for each in (first, second)]
        assert values[0] is not None and values[1] is not None
        differences.append(values[0] - values[1])
    observed = differences[0]
    exact = sum(each >= observed - 1e-12 for each in differences) / len(differences)
    found = segments_exchanged(both, human, trials=20_000, seed=1)
    assert found is not None
    assert found.first_better == pytest.approx(exact, abs=0.02)


def test_nothing_is_found_where_an_agreement_is_not_defined() -> None:
    both = np.stack([np.ones((3, 4)), np.arange(12.0).reshape(3, 4)])
    assert systems_exchanged(both, np.arange(3.0), SYSTEM_STATISTICS["pearson"], trials=9, seed=1) is None
    assert segments_exchanged(both, np.full((3, 4), np.nan), trials=9, seed=1) is None
    assert decisions_exchanged(np.full(3, np.nan), np.ones(3), trials=9, seed=1) is None
    assert paired_samples(np.full(3, np.nan), np.ones(3)) is None


def test_at_least_one_trial() -> None:
    with pytest.raises(UsageError):
        decisions_exchanged(np.ones(3), np.zeros(3), trials=0, seed=1)


def test_the_paired_bootstrap_counts_samples() -> None:
    first, second = np.array([3.0, 3.0, 3.0, np.nan]), np.array([1.0, 2.0, 4.0, 0.0])
    found = paired_samples(first, second)
    assert found is not None
    assert (found.first_better, found.second_better, found.undefined) == (2 / 4, 3 / 4, 1)
    assert (found.interval.low, found.interval.high) == (-1, 2)


def test_contributions_to_a_mean_are_the_scores_of_the_segments() -> None:
    scores = np.random.default_rng(1).normal(size=(3, 7))
    statistics = np.stack([scores, np.ones(scores.shape)], axis=2)
    found = jackknife_contributions(statistics, lambda sums: sums[..., 0] / sums[..., 1])
    assert found == pytest.approx(scores, abs=1e-12)


def test_contributions_to_any_score_have_it_as_their_mean() -> None:
    statistics = np.random.default_rng(1).uniform(1, 2, size=(3, 7, 2))
    found = jackknife_contributions(statistics, lambda sums: (sums[..., 0] / sums[..., 1]) ** 2)
    sums = statistics.sum(axis=1)
    assert found.mean(axis=1) == pytest.approx((sums[:, 0] / sums[:, 1]) ** 2)
    assert jackknife_contributions(statistics[:, :1], lambda sums: sums[..., 0]).shape == (3, 1)


def test_what_does_not_count_contributes_nothing() -> None:
    """The contributions of the others, and the test of these, are as if there were nothing else."""
    first, second, quality = material(4, 1.0, segments=9)
    counted = np.zeros(first.shape, dtype=np.bool_)
    counted[:, :6] = True
    statistics = np.stack([first, np.ones(first.shape)], axis=2)
    squared = lambda sums: (sums[..., 0] / sums[..., 1]) ** 2  # noqa: E731
    found = jackknife_contributions(np.where(counted[..., np.newaxis], statistics, 0.0), squared, counted)
    alone = jackknife_contributions(statistics[:, :6], squared)
    assert found[:, :6] == pytest.approx(alone, abs=1e-9)
    assert np.isnan(found[:, 6:]).all()
    human = quality.mean(axis=1)
    with pytest.MonkeyPatch.context() as patch:
        coins = np.random.default_rng(1).integers(0, 2, size=(200, 6, 9)).astype(np.float64)
        patch.setattr(system_agreement, "_coins", lambda _, shape, __: iter([coins[:, :, : shape[1]]]))
        both = np.where(counted, np.stack([first, second]), np.nan)
        one, other = (
            systems_exchanged(each, human, SYSTEM_STATISTICS["pearson"], trials=200, seed=1)
            for each in (both, both[:, :, :6])
        )
    assert one == other
