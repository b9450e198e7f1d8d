"""Folds, and that the validity that is shown of a labelled pair was fitted without it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.paraphrase import validity_models
from corpusdb.paraphrase.evidence import EXCHANGE_FEATURES, Derived, ExchangeEvidence, Sums, features
from corpusdb.paraphrase.exchange_index import StoredExchange, StoredPart, index_of_sums
from corpusdb.paraphrase.pair_differences import Pair, PairComparer, PairDifferences
from corpusdb.paraphrase.validity import FOLDS
from corpusdb.paraphrase.validity_models import SHIPPED, ValidityModels, fit_models, fold_of

PAIRS, SENTENCES = 200, 60


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_a_pair_is_in_one_fold_in_either_order(one: int, other: int) -> None:
    (there,), (back,) = fold_of(np.array([one]), np.array([other])), fold_of(np.array([other]), np.array([one]))
    assert there == back
    assert 0 <= there < FOLDS


def test_the_folds_are_about_equal() -> None:
    one, other = np.random.default_rng(1).integers(0, 300_000, (2, 40_000))
    assert np.bincount(fold_of(one, other), minlength=FOLDS) == pytest.approx(10_000, rel=0.05)


@pytest.fixture
def evidence() -> ExchangeEvidence:
    chance = np.random.default_rng(2)

    def sums(*shape: int) -> Sums:
        return Sums(chance.integers(0, 9, shape).astype(np.float64), chance.random(shape) * 9)

    counts = [chance.integers(1, 9, PAIRS).astype(np.float64) for _ in range(5)]
    pairs, regions, before, after, seed = counts
    whole, left, right, worst = (sums(PAIRS) for _ in range(4))
    doubt = -chance.random(PAIRS)
    return ExchangeEvidence(pairs, whole, left, right, worst, sums(2, PAIRS), regions, doubt, before, after, seed)


@pytest.fixture
def pairs() -> PairDifferences:
    """Half of them the others in the other direction."""
    chance = np.random.default_rng(3)
    one, other = chance.integers(0, SENTENCES, (2, PAIRS // 2))
    none, figures = np.zeros(PAIRS, dtype=np.int64), chance.integers(1, 9, (3, PAIRS)).astype(np.float64)
    return PairDifferences(
        row=np.arange(PAIRS),
        seed=np.concatenate([one, other]),
        other=np.concatenate([other, one]),
        code=none,
        left=none,
        right=none,
        units_before=none.astype(np.float64),
        units_after=none.astype(np.float64),
        units_of_seed=none.astype(np.float64),
        replacement=none.astype(np.bool_),
        frequency=figures[0],
        languages=figures[1],
        probability=figures[2] / 9,
        region_pair=none[:0],
        region_code=none[:0],
        region_left=none[:0],
        region_right=none[:0],
        region_before=np.empty(0),
        region_after=np.empty(0),
    )


def test_a_labelled_pair_is_judged_by_a_model_that_has_not_seen_it(
    evidence: ExchangeEvidence, pairs: PairDifferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it and its reverse share, the probability of it is the same; that of the others is not."""
    monkeypatch.setattr(validity_models, "LEAST_LABELLED", 50)
    chance = np.random.default_rng(4)
    expected = np.where(chance.random(PAIRS) < 0.8, chance.uniform(0.3, 0.9, PAIRS), 0.0)
    shares = (chance.random(PAIRS) < 0.5) & (expected > 0)
    labelled = expected > 0
    fold = fold_of(pairs.seed, pairs.other)
    models = fit_models(evidence, pairs, shares, expected)
    assert models.labelled == labelled.sum()
    found = models.of_candidates(evidence, pairs, labelled)
    for number in range(FOLDS):
        changed = shares ^ ((fold == number) & labelled)
        again = fit_models(evidence, pairs, changed, expected).of_candidates(evidence, pairs, labelled)
        assert ((again == found) == (labelled & (fold == number))).mean() > 0.97
        assert (again == found)[labelled & (fold == number)].all()
    unlabelled = models.derived.probability(
        features(evidence, Derived(pairs.frequency, pairs.languages, pairs.probability))
    )
    assert (found == unlabelled)[~labelled].all()
    assert (models.of_pairs(evidence) == models.plain.probability(features(evidence))).all()


WORDS = ("a", "b", "c", "d", "e")
FIGURES = st.tuples(*[st.integers(0, 400)] * 3)
"""Pairs, those that share a translation, and those expected to."""
APART = [(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4), (0, 2, 4)]
"""Places of which no two are neighbours: exchanges there are several."""


@given(st.permutations(WORDS), st.permutations("pqr"), st.sampled_from(APART), st.data())
def test_several_exchanges_hold_no_more_probably_than_one_of_them_alone(
    seed: list[str], put: list[str], places: tuple[int, ...], data: st.DataObject
) -> None:
    """A second exchange raised the validity: "your" for "our", 1 of 6 alone, and "That's" for "It's" with it."""
    exchanged = dict(zip(places, put, strict=False))
    drawn = {
        tuple(sorted((f" {seed[place]}" if place else seed[place], f" {new}" if place else new))): data.draw(FIGURES)
        for place, new in exchanged.items()
    }

    def made(chosen: Collection[int]) -> str:
        return " ".join(exchanged[place] if place in chosen else word for place, word in enumerate(seed))

    fillers = sorted({text for exchange in drawn for text in exchange})
    stored = [
        StoredExchange(number, x, y, max(pairs, shared), shared, expected << 20)
        for number, ((x, y), (pairs, shared, expected)) in enumerate(drawn.items())
    ]
    parts = [StoredPart(each.id, "language", "deu", *each[3:]) for each in stored]
    neighbours: dict[str, int] = {}
    comparer = PairComparer({}, {text: number for number, text in enumerate(fillers)}, neighbours)
    ways = [places, *((place,) for place in places)]
    comparer.add(Pair(number, made([]), made(way), 3, 1, 0.5) for number, way in enumerate(ways))
    pairs = comparer.differences()
    evidence = index_of_sums(stored, parts, fillers, neighbours).evidence(pairs)
    none = np.zeros(len(ways), dtype=np.bool_)
    for found in (SHIPPED.of_pairs(evidence), SHIPPED.of_candidates(evidence, pairs, none)):
        whole, *alone = found.tolist()
        assert whole <= min(alone) + 1e-12


def test_a_model_of_an_older_version_is_not_read() -> None:
    """Its features were others, and it had no ranges: the shipped one stands in until all is judged again."""
    document = SHIPPED.document()
    del document["plain"]["least"], document["plain"]["most"]
    assert ValidityModels.read(document) is SHIPPED
    assert ValidityModels.read(SHIPPED.document() | {"features": ["rate"]}) is SHIPPED


def test_with_few_labels_or_labels_of_one_kind_the_shipped_models_are_taken(
    evidence: ExchangeEvidence, pairs: PairDifferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, shares = np.full(PAIRS, 0.5), np.arange(PAIRS) % 2 == 0
    assert fit_models(evidence, pairs, shares, expected) is SHIPPED
    for least, fitted in ((PAIRS + 1, False), (PAIRS, True)):
        monkeypatch.setattr(validity_models, "LEAST_LABELLED", least)
        assert (fit_models(evidence, pairs, shares, expected) is not SHIPPED) == fitted
    for alike in (True, False):
        assert fit_models(evidence, pairs, np.full(PAIRS, alike), expected) is SHIPPED


def test_models_are_read_as_they_were_written(
    evidence: ExchangeEvidence, pairs: PairDifferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validity_models, "LEAST_LABELLED", 50)
    models = fit_models(evidence, pairs, np.arange(PAIRS) % 3 == 0, np.full(PAIRS, 0.5))
    for each in (models, SHIPPED):
        assert ValidityModels.read(each.document()) == each
        assert len(each.plain.weights) == len(EXCHANGE_FEATURES)
