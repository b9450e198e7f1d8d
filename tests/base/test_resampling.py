"""Resampling against sacrebleu's tests, against exact enumeration, and what must hold of variances."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

import numpy as np
import pytest

from corpusdb.base import estimates as resampling
from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import (
    Interval,
    bootstrap,
    paired_bootstrap,
    paired_randomisation,
    percentile_interval,
    spread,
)
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metric import References
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics

Sample: TypeAlias = tuple[list[str], list[list[str]]]
SEED = 12345
"""sacrebleu's own."""


def bleu(rows: F64) -> F64:
    scores: F64 = bleu_scores(rows)[..., -1]
    return scores


def mean(rows: F64) -> F64:
    """A score that can be worked out: the first column over the second."""
    scores: F64 = rows[..., 0] / rows[..., 1]
    return scores


def system(*values: float) -> F64:
    return np.array([[value, 1.0] for value in values])


@pytest.fixture(scope="module")
def systems(news: dict[str, Sample]) -> F64:
    """The BLEU statistics of four systems: two that hardly differ, a better and a worse one."""
    rows = []
    for name in ("NVIDIA-NeMo", "Online-B", "Facebook-AI", "Online-Y"):
        hypotheses, texts = news[name]
        references = References.of(texts, tokeniser("13a"))
        rows.append(bleu_statistics(references.encode(hypotheses), references, 4))
    return np.stack(rows).astype(np.float64)


@pytest.mark.data
@pytest.mark.parametrize("kind", [pytest.param("bs", marks=pytest.mark.slow), "ar"])
@pytest.mark.parametrize("samples", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_p_values_are_those_of_sacrebleu(
    news: dict[str, Sample], systems: F64, samples: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    monkeypatch.setenv("SACREBLEU_SEED", str(SEED))
    metric = metrics.BLEU(references=list(zip(*news["Online-B"][1], strict=True)))
    named = [(name, news[name][0]) for name in ("NVIDIA-NeMo", "Online-B", "Facebook-AI", "Online-Y")]
    test = pytest.importorskip("sacrebleu.significance").PairedTest(
        named, {"BLEU": metric}, references=None, test_type=kind, n_samples=samples
    )
    expected = [result.p_value for result in test()[1]["BLEU"][1:]]

    compare = paired_bootstrap if kind == "bs" else paired_randomisation
    ours = [each.p_value for each in compare(systems, bleu, samples=samples, seed=SEED)[1:]]
    assert ours == pytest.approx(expected, abs=1e-12)
    assert ours[0] > 0.05 > ours[1]


@pytest.mark.data
def test_the_better_system_wins(systems: F64) -> None:
    itself, near, better, worse = paired_bootstrap(systems, bleu, samples=400, seed=1)

    assert (itself.difference, itself.p_value, itself.wins, itself.interval) == (0, 1, 0.5, Interval(0, 0))
    assert near.interval.low < 0 < near.interval.high
    assert 0 < better.interval.low < better.difference < better.interval.high
    assert (better.wins, worse.wins) == (1, 0)


def test_a_system_does_not_differ_from_itself() -> None:
    same = np.stack([system(1, 0, 1)] * 2)

    assert [each.p_value for each in paired_randomisation(same, mean, samples=50, seed=0)] == [1, 1]
    assert [each.p_value for each in paired_bootstrap(same, mean, samples=50, seed=0)] == [1, 1]


def test_randomisation_is_near_the_exact_test() -> None:
    """All 2^8 exchanges of the two systems, by enumeration."""
    first, second = system(3, 1, 4, 1, 5, 9, 2, 6), system(2, 7, 5, 2, 8, 9, 4, 8)
    difference = second[:, 0] - first[:, 0]
    exchanges = [abs(float(difference @ signs)) for signs in product((-1, 1), repeat=8)]
    exact = sum(value >= abs(difference.sum()) for value in exchanges) / len(exchanges)

    found = paired_randomisation(np.stack([first, second]), mean, samples=20_000, seed=7)[1]
    assert found.difference == pytest.approx(14 / 8)
    assert found.p_value == pytest.approx(exact, abs=0.01)  # three standard errors


def test_the_bootstrap_has_the_standard_error_of_a_mean() -> None:
    values = np.random.default_rng(3).normal(size=400)
    scores = bootstrap(system(*values)[np.newaxis], mean, samples=4000, seed=5)

    assert scores.shape == (1, 4000)
    assert scores.std() == pytest.approx(values.std() / 20, rel=0.05)
    interval = percentile_interval(scores[0])
    assert interval.low == pytest.approx(values.mean() - 1.96 * values.std() / 20, abs=0.01)
    assert interval.high == pytest.approx(values.mean() + 1.96 * values.std() / 20, abs=0.01)


def test_portions_do_not_change_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = np.random.default_rng(1).normal(size=(2, 37, 2)) + 5
    whole = bootstrap(pair, mean, samples=150, seed=9), paired_randomisation(pair, mean, samples=150, seed=9)
    monkeypatch.setattr(resampling, "_AT_ONCE", 64 * 37)
    parts = bootstrap(pair, mean, samples=150, seed=9), paired_randomisation(pair, mean, samples=150, seed=9)

    np.testing.assert_allclose(parts[0], whole[0], rtol=1e-12)
    assert [each.p_value for each in parts[1]] == [each.p_value for each in whole[1]]


@pytest.mark.parametrize(
    ("size", "confidence", "low", "high"), [(1000, 0.95, 25, 974), (100, 0.9, 5, 94), (10, 0.95, 0, 9), (1, 0.5, 0, 0)]
)
def test_percentiles(size: int, confidence: float, low: int, high: int) -> None:
    scores = np.random.default_rng(size).permutation(size).astype(np.float64)

    assert percentile_interval(scores, confidence) == Interval(low, high)


@pytest.mark.slow
def test_variances_of_segments_and_of_references() -> None:
    """score = segment effect + effect of the draw: their variances are 4 / n and 9, and can be told apart."""
    rng = np.random.default_rng(4)
    segments, draws = rng.normal(scale=2, size=500), rng.normal(scale=3, size=300)
    rows = np.stack([system(*(segments + effect)) for effect in draws])
    found = spread(rows, mean, samples=800, seed=6)

    assert found.segments == pytest.approx(segments.var() / 500, rel=0.15)
    assert found.references == pytest.approx(draws.var(ddof=1), rel=1e-6)
    assert found.total == found.segments + found.references
    assert found.mean == pytest.approx(segments.mean() + draws.mean(), abs=0.02)


def test_equal_references_have_no_variance() -> None:
    rows = np.stack([system(1, 2, 3)] * 4)

    assert spread(rows, mean, samples=20, seed=0).references == pytest.approx(0, abs=1e-30)


@pytest.mark.parametrize(
    ("statistics", "options", "message"),
    [
        (np.ones((2, 2)), {}, "not of shape"),
        (np.ones((2, 2, 2)), {"samples": 0}, "at least one sample"),
        (np.ones((2, 2, 2)), {"baseline": 2}, "the baseline is one of the 2 systems"),
        (np.ones((0, 2, 2)), {}, "the baseline is one of the 0 systems"),
    ],
)
def test_impossible_requests(statistics: F64, options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        paired_bootstrap(statistics, mean, seed=0, **options)


def test_other_bad_calls() -> None:
    with pytest.raises(InputError, match="no segments"):
        bootstrap(np.ones((1, 0, 2)), mean, seed=0)
    with pytest.raises(UsageError, match="two draws"):
        spread(np.ones((1, 3, 2)), mean, seed=0)
    with pytest.raises(UsageError, match="between 0 and 1"):
        percentile_interval(np.ones(3), 1.0)
    with pytest.raises(UsageError, match="at least one score"):
        percentile_interval(np.ones(0))
