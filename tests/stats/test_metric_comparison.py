"""Tests of one metric against another: their invariants, and how often they are wrong where nothing is to be found."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from corpusdb.base.arrays import F64
from corpusdb.base.errors import UsageError
from corpusdb.base.stats.estimates import pearson
from corpusdb.base.stats.system_agreement import (
    SYSTEM_STATISTICS,
    decisions_exchanged,
    jackknife_contributions,
    paired_samples,
    segments_exchanged,
    systems_exchanged,
)


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
