"""The model of validity, held against scipy's optimiser, finite differences and pairs whose validity is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64
from corpusdb.paraphrase import validity
from corpusdb.paraphrase.validity import FOLDS, Labelled, LogisticModel, fit, fit_folds, with_sharing

RECALLED, PENALTY = 0.85, 3.0
"""As the program has them."""


def scipy_optimize() -> Any:
    """It has no types of its own."""
    return pytest.importorskip("scipy.optimize")


def drawn(number: int, size: int = 400, features: int = 4) -> tuple[Labelled, F64]:
    """Pairs that hold with a known probability, and share a translation with 0.85 r where they do."""
    chance = np.random.default_rng(number)
    figures = chance.normal(size=(size, features)) * chance.uniform(0.1, 20, features) + chance.normal(size=features)
    standard = (figures - figures.mean(axis=0)) / figures.std(axis=0)
    holds = 1 / (1 + np.exp(-(standard @ chance.normal(size=features) + 0.5)))
    expected = chance.uniform(0.3, 0.95, size)
    return Labelled(figures, chance.random(size) < RECALLED * expected * holds, expected), holds


def held(pairs: Labelled) -> Labelled:
    """With each feature between the 1st and the 99th of a hundred."""
    ends = np.percentile(pairs.features, [1, 99], axis=0)
    return Labelled(np.clip(pairs.features, *ends), pairs.shares, pairs.expected)


def loss(weights: F64, pairs: Labelled) -> float:
    """The negative log-likelihood of weights of standardised features, the last being the bias, with its penalty."""
    standard = (pairs.features - pairs.features.mean(axis=0)) / (pairs.features.std(axis=0) + 1e-9)
    total = PENALTY * sum(weight**2 for weight in weights[:-1])
    for row, shares, expected in zip(standard, pairs.shares, pairs.expected, strict=True):
        seen = RECALLED * expected / (1 + np.exp(-(row @ weights[:-1] + weights[-1])))
        total -= np.log(seen if shares else 1 - seen)
    return float(total)


def standardised(model: LogisticModel, pairs: Labelled) -> F64:
    """The weights and the bias of a model, of features that were standardised."""
    weights = np.array(model.weights)
    bias = model.bias + weights @ pairs.features.mean(axis=0)
    return np.append(weights * pairs.features.std(axis=0), bias)


@pytest.mark.parametrize("number", range(4))
def test_the_fit_is_that_of_scipy(number: int) -> None:
    pairs = held(drawn(number)[0])
    best = scipy_optimize().minimize(loss, np.zeros(5), args=(pairs,), method="BFGS", options={"gtol": 1e-6})
    ours = standardised(fit(drawn(number)[0]), pairs)
    assert loss(ours, pairs) == pytest.approx(best.fun, rel=1e-6)
    assert ours == pytest.approx(best.x, abs=2e-3)


@pytest.mark.parametrize("number", range(3))
def test_the_gradient_is_that_of_small_differences(number: int) -> None:
    pairs, _ = drawn(number, size=60)
    standard = (pairs.features - pairs.features.mean(axis=0)) / (pairs.features.std(axis=0) + 1e-9)
    standard = np.concatenate([standard, np.ones((60, 1))], axis=1)
    at = np.random.default_rng(number).normal(size=5)
    value, gradient = validity._loss(at, standard, pairs)
    assert value == pytest.approx(loss(at, pairs))
    expected = scipy_optimize().approx_fprime(at, lambda weights: loss(weights, pairs), 1e-6)
    assert gradient == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_what_holds_is_found_although_much_of_it_shares_nothing() -> None:
    pairs, holds = drawn(1, size=20_000)
    found = fit(pairs).probability(pairs.features)
    assert pairs.shares.mean() < holds.mean() - 0.15
    assert np.abs(found - holds).mean() < 0.03


def test_nothing_is_said_of_what_lies_beyond_the_pairs_it_was_learned_from() -> None:
    """The longer the sentence, the surer it was, without an end: "." becomes "!" had 1.000 at 110 characters."""
    pairs, _ = drawn(1, size=2000)
    model = fit(pairs)
    least, most = np.percentile(pairs.features, [1, 99], axis=0)
    assert model.least == pytest.approx(least, rel=1e-4)
    assert model.most == pytest.approx(most, rel=1e-4)
    middle = pairs.features.mean(axis=0)
    for feature in range(4):
        row = np.tile(middle, (5, 1))
        row[:, feature] = [-1e9, model.least[feature], middle[feature], model.most[feature], 1e9]
        lowest, low, _, high, highest = model.probability(row).tolist()
        assert (lowest, highest) == (low, high)
        assert low != high


def test_a_feature_that_never_changes_and_pairs_that_all_share() -> None:
    pairs, _ = drawn(2)
    constant = Labelled(np.append(pairs.features, np.full((400, 1), 7.0), axis=1), pairs.shares, pairs.expected)
    assert fit(constant).probability(constant.features) == pytest.approx(
        fit(pairs).probability(pairs.features), abs=1e-4
    )
    for shares in (True, False):
        alike = Labelled(pairs.features, np.full(400, shares), pairs.expected)
        found = fit(alike).probability(alike.features)
        assert np.isfinite(found).all()
        assert (found > 0.9).all() if shares else (found < 0.1).all()


def test_a_fold_does_not_see_its_own_pairs() -> None:
    pairs, _ = drawn(3)
    fold = np.arange(400) % FOLDS
    models = fit_folds(pairs, fold)
    assert len(models) == FOLDS
    for number, model in enumerate(models):
        assert model == fit(pairs[fold != number])
        others = pairs.shares ^ (fold == number)
        changed = fit_folds(Labelled(pairs.features, others, pairs.expected), fold)
        assert [each == other for each, other in zip(models, changed, strict=True)] == [
            each == number for each in range(FOLDS)
        ]


def test_a_model_is_read_as_it_was_written() -> None:
    model = fit(drawn(4)[0])
    assert LogisticModel.read(model.document()) == model


@given(st.floats(0, 1), st.integers(0, 6))
def test_sharing_is_worth_its_odds(probability: float, languages: int) -> None:
    (found,) = with_sharing(np.array([probability]), np.array([languages])).tolist()
    factor = 5 * 8 ** (languages - 1) if languages else 1
    assert found == pytest.approx(probability * factor / (probability * factor + 1 - probability))
    assert probability <= found + 1e-12 and found <= 1
