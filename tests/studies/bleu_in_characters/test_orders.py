"""Table 1 by its definitions, one candidate after the other."""

from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pytest

from corpusdb.base.arrays import F64
from corpusdb.studies.bleu_in_characters.tables import Best, CandidateScores, Criteria, best_orders, criteria, greatest

NAN = float("nan")


def scores_of(words: F64, characters: F64) -> CandidateScores:
    """One system with these scores; lengths are of no account here."""
    lengths = np.full(words.shape[1], 9, dtype=np.int64)
    return CandidateScores(("s",), words, characters, lengths, lengths, words[:, :1].T, characters[:, :1].T)


def random_scores(seed: int, candidates: int = 60) -> CandidateScores:
    rng = np.random.default_rng(seed)
    quality = rng.random(candidates)
    words, characters = (np.clip(quality + rng.normal(0, 0.2, (orders, candidates)), 0, 1) for orders in (4, 9))
    return scores_of(words, np.ascontiguousarray(characters))


def kappa(first: list[float], second: list[float]) -> float:
    """Cohen (1960), of the grades 0 to 9."""
    ours, theirs = ([min(9, int(score * 10)) for score in judge] for judge in (first, second))
    items = len(first)
    observed = sum(one == other for one, other in zip(ours, theirs, strict=True)) / items
    counts = Counter(ours), Counter(theirs)
    expected = sum(counts[0][grade] * counts[1][grade] for grade in range(10)) / (items * items)
    return (observed - expected) / (1 - expected)


@pytest.mark.parametrize("seed", range(3))
def test_every_pair_of_orders_is_compared_as_defined(seed: int) -> None:
    scores = random_scores(seed)
    found = criteria(scores)

    for n, words in enumerate(scores.words.tolist()):
        for m, characters in enumerate(scores.characters.tolist()):
            assert found.pearson[n, m] == pytest.approx(statistics.correlation(words, characters))
            assert found.kappa[n, m] == pytest.approx(kappa(words, characters))
            below = [theirs <= ours for ours, theirs in zip(words, characters, strict=True)]
            assert found.below[n, m] == pytest.approx(sum(below) / len(below))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_order_has_the_greatest_value(seed: int) -> None:
    found = criteria(random_scores(seed))

    for order in range(1, 5):
        best = best_orders(found, order)
        assert best.pearson is not None and best.kappa is not None
        assert best.pearson.value == max(found.pearson[order - 1])
        assert found.kappa[order - 1, best.kappa.order - 1] == best.kappa.value == max(found.kappa[order - 1])


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([0.2, 0.89, 0.9, 0.95], Best(3, 0.9)),
        ([0.2, 0.91, 0.7, 0.95], Best(2, 0.91)),  # it is first encountered there, whatever comes behind
        ([1.0, 1.0, 1.0, 1.0], Best(1, 1.0)),
        ([0.2, 0.3, 0.4, 0.89999], None),
    ],
)
def test_behaviour_is_the_first_order_that_leaves_nine_tenths_below(shares: list[float], expected: Best | None) -> None:
    nothing = np.full((2, 4), NAN)
    found = Criteria(nothing, nothing, np.array([shares, [0.0] * 4]))

    assert best_orders(found, 2).behaviour == expected
    assert best_orders(found, 1).behaviour is None  # there is no order below
    assert best_orders(found, 2).pearson is best_orders(found, 2).kappa is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1, 0.5, 0.3], Best(2, 0.5)),
        ([NAN, -0.5, NAN], Best(2, -0.5)),
        ([0.5, 0.5 + 1e-15], Best(1, 0.5)),  # rounding does not make a later order the best
        ([NAN, NAN], None),
    ],
)
def test_the_first_of_the_greatest(values: list[float], expected: Best | None) -> None:
    assert greatest(np.array(values)) == expected


def test_scores_that_are_equal_but_for_rounding_are_below() -> None:
    words = np.array([[0.3, 0.6]])

    assert criteria(scores_of(words, words + 1e-15)).below.tolist() == [[1.0]]
