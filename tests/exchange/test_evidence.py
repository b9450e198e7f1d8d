"""The features of a pair, each held against its formula in plain numbers."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from corpusdb.paraphrase.evidence import (
    DERIVATION_FEATURES,
    EXCHANGE_FEATURES,
    Derived,
    ExchangeEvidence,
    Sums,
    features,
    most_probable,
)

PAIRS, LANGUAGES = 30, 3


def drawn_sums(chance: np.random.Generator, *shape: int) -> Sums:
    return Sums(chance.integers(0, 6, shape).astype(np.float64), chance.random(shape) * 4)


@pytest.fixture(params=[LANGUAGES, 0])
def evidence(request: pytest.FixtureRequest) -> ExchangeEvidence:
    chance = np.random.default_rng(5)
    whole, left, right, worst = (drawn_sums(chance, PAIRS) for _ in range(4))
    numbers = [chance.integers(0, 9, PAIRS).astype(np.float64) for _ in range(5)]
    pairs, regions, before, after, seed = numbers
    doubt = -chance.random(PAIRS)
    by_language = drawn_sums(chance, request.param, PAIRS)
    return ExchangeEvidence(pairs, whole, left, right, worst, by_language, regions, doubt, before, after, seed)


def rate(sums: Sums, at: int, prior: float = 0.3) -> float:
    return float((sums.shared[at] + prior) / (sums.expected[at] + 1))


def expected_features(given: ExchangeEvidence, at: int) -> dict[str, float]:
    whole, worst = rate(given.all, at), rate(given.worst, at)
    languages = list(zip(given.by_language.shared[:, at], given.by_language.expected[:, at], strict=True))
    lowest = min([whole, *((shared + whole) / (expected + 1) for shared, expected in languages)])
    return {
        "rate": whole,
        "log rate": log2(whole),
        "shared": log2(1 + given.all.shared[at]),
        "missed": log2(1 + max(given.all.expected[at] - given.all.shared[at], 0)),
        "rate left": rate(given.left, at, whole),
        "rate right": rate(given.right, at, whole),
        "worst rate": worst,
        "worst shared": log2(1 + given.worst.shared[at]),
        "worst missed": log2(1 + max(given.worst.expected[at] - given.worst.shared[at], 0)),
        "lowest rate of a language": lowest,
        "log lowest rate": log2(lowest),
        "languages with evidence": log2(1 + sum(expected >= 1 for _, expected in languages)),
        "regions": given.regions[at],
        "doubt": given.doubt[at],
        "pairs": log2(1 + given.pairs[at]),
        "units before": given.units_before[at],
        "units after": given.units_after[at],
    }


def test_features_of_exchanges(evidence: ExchangeEvidence) -> None:
    found = features(evidence)
    assert found.shape == (PAIRS, len(EXCHANGE_FEATURES))
    for at in range(PAIRS):
        assert dict(zip(EXCHANGE_FEATURES, found[at].tolist(), strict=True)) == pytest.approx(
            expected_features(evidence, at)
        )


def test_features_of_derivations(evidence: ExchangeEvidence) -> None:
    chance = np.random.default_rng(6)
    frequency, languages = (chance.integers(1, 100, PAIRS).astype(np.float64) for _ in range(2))
    probability = chance.uniform(0.001, 1, PAIRS)
    found = features(evidence, Derived(frequency, languages, probability))
    assert (found[:, : len(EXCHANGE_FEATURES)] == features(evidence)).all()
    for at, row in enumerate(found[:, len(EXCHANGE_FEATURES) :].tolist()):
        assert dict(zip(DERIVATION_FEATURES, row, strict=True)) == pytest.approx(
            {
                "units of seed": evidence.units_of_seed[at],
                "frequency": log2(1 + frequency[at]),
                "languages": languages[at],
                "probability": log2(probability[at]),
            }
        )


@pytest.mark.parametrize(
    ("shared", "expected", "left"),
    [
        ([36, 0, 0], [22, 15, 10], 3 / 18),  # his / her, in French, German and Japanese
        ([206, 104, 17], [203, 123, 68], 1),  # this / that, of which Japanese has fewer
        ([0, 0, 0], [8, 1, 0], 1),  # too few pairs of any language
        ([0, 0, 0], [9.1, 30, 0], 3 / 33),
        ([], [], 1),
    ],
)
def test_a_language_that_keeps_far_too_little_bounds_what_the_others_say(
    shared: list[float], expected: list[float], left: float
) -> None:
    """The sums of all say 36 of 38."""
    (found,) = most_probable(Sums(*(np.array([each]).reshape(-1, 1) for each in (shared, expected)))).tolist()
    assert found == pytest.approx(left)


def test_nothing_is_left_below_nothing() -> None:
    """What one instance gave was rounded before it was summed up."""
    left = Sums(np.array([1.0, 2.0]), np.array([0.5, 0.25])).without(np.array([1.0, 0.0]), np.array([0.5000001, 0.0]))
    assert (left.shared.tolist(), left.expected.tolist()) == ([0.0, 2.0], [0.0, 0.25])
