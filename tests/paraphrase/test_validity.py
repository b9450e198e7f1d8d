"""The models of validity and their calibration, against scipy and folds that are fitted one by one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64, Bools
from corpusdb.base.estimates import LogisticModel
from corpusdb.corpus.orders import REPLACES, SURELY_STANDS
from corpusdb.paraphrase import logistic
from corpusdb.paraphrase import validity as validity_models
from corpusdb.paraphrase.exchange_index import (
    DERIVATION_FEATURES,
    EXCHANGE_FEATURES,
    Derived,
    ExchangeEvidence,
    StoredExchange,
    StoredPart,
    Sums,
    features,
    index_of_sums,
    most_probable,
    parted_features,
)
from corpusdb.paraphrase.known import Known
from corpusdb.paraphrase.logistic import FOLDS, BoostedModel, Labelled, Tree, fit, fit_folds
from corpusdb.paraphrase.pair_differences import (
    CONTRACTED,
    FRAMED,
    POINTING,
    POLITE,
    TURNED,
    Pair,
    PairComparer,
    PairDifferences,
)
from corpusdb.paraphrase.validity import (
    READ,
    READ_FEATURES,
    SHIPPED,
    ReadModels,
    ValidityModels,
    fit_models,
    fold_of,
    read_features,
    with_sharing,
)
from corpusdb.paraphrase.witnesses import NO_TESTIMONY, NOTHING_CHANGED
from corpusdb.paraphrase.word_model import said_by_words

# The model of validity, held against scipy's optimiser, finite differences and pairs whose validity is known.


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
    value, gradient = logistic._loss(at, standard, pairs)
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


# Folds, and that the validity that is shown of a labelled pair was fitted without it.


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
        framed=none,
        unseen=none.astype(np.bool_),
        frequency=figures[0],
        languages=figures[1],
        probability=figures[2] / 9,
        region_pair=none[:0],
        region_code=none[:0],
        region_left=none[:0],
        region_right=none[:0],
        region_before=np.empty(0),
        region_after=np.empty(0),
        changed=NOTHING_CHANGED,
    )


def known_nothing(pairs: int) -> Known:
    nothing, words = np.zeros(pairs, dtype=np.int64), said_by_words(None, [""] * pairs, [""] * pairs)
    return Known(nothing, np.tile(NO_TESTIMONY, (pairs, 1)), words, nothing, np.zeros(pairs))


def finely_stepped(names: Collection[str]) -> BoostedModel:
    """A model that tells what the corpus teaches, so that whatever changes that is seen."""
    column = [*names, *READ_FEATURES].index("log odds")
    trees = (Tree((column,), (at / 500,), (0.0, 0.002)) for at in range(-4_600, 4_600))
    return BoostedModel(-9.2, tuple(trees))


def test_a_labelled_pair_is_judged_by_a_model_that_has_not_seen_it(
    evidence: ExchangeEvidence, pairs: PairDifferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it and its reverse share, the probability of it is the same; that of the others is not."""
    monkeypatch.setattr(validity_models, "LEAST_LABELLED", 50)
    plain = finely_stepped(EXCHANGE_FEATURES)
    fine = ReadModels(finely_stepped((*EXCHANGE_FEATURES, *DERIVATION_FEATURES)), *[plain] * 5)
    monkeypatch.setattr(validity_models, "READ", fine)
    chance = np.random.default_rng(4)
    expected = np.where(chance.random(PAIRS) < 0.8, chance.uniform(0.3, 0.9, PAIRS), 0.0)
    shares = (chance.random(PAIRS) < 0.5) & (expected > 0)
    labelled = expected > 0
    fold = fold_of(pairs.seed, pairs.other)
    models = fit_models(evidence, pairs, shares, expected)
    assert models.labelled == labelled.sum()
    known = known_nothing(PAIRS)
    (found,) = models.of_candidates(evidence, pairs, labelled, known)
    for number in range(FOLDS):
        changed = shares ^ ((fold == number) & labelled)
        (again,) = fit_models(evidence, pairs, changed, expected).of_candidates(evidence, pairs, labelled, known)
        assert ((again == found) == (labelled & (fold == number))).mean() > 0.97
        assert (again == found)[labelled & (fold == number)].all()
    parted = parted_features(evidence)
    figures = features(evidence, Derived(pairs.frequency, pairs.languages, pairs.probability))
    read = read_features(parted, figures, models.derived.probability(figures), known)
    left = most_probable(evidence.by_language)
    assert (found == np.minimum(fine.derived.probability(read), left))[~labelled].all()
    figures = features(evidence)
    read = read_features(parted, figures, models.plain.probability(figures), known)
    assert (models.of_pairs(evidence, known) == np.minimum(fine.plain.probability(read), left)).all()


SPEAKING = [("added", -4, 4), ("explained", -4, 4), ("word gain", -4, 2)]


@pytest.mark.parametrize(
    ("model", "name", "least", "most"),
    [
        (READ.derived, "log odds", -3, 5),
        (READ.derived, "alike", 0.01, 0.8),
        (READ.plain, "alike before", 0.5, 6),
        (READ.plain, "shared", 0, 6),
        *((model, *each) for each in SPEAKING for model in (READ.derived, READ.plain)),
    ],
)
def test_what_speaks_for_a_pair_raises_its_validity(
    model: BoostedModel, name: str, least: float, most: float, evidence: ExchangeEvidence, pairs: PairDifferences
) -> None:
    """That the corpus teaches it, or many pairs of an exchange share translations, that translations ask for what is
    added, or have one word for both, that the words stand beside the same ones, and that the sentence is probable: of
    pairs of any kind on the average."""
    known = known_nothing(PAIRS)
    known.testimony[:, [3, 4, 5, 9]] = 0
    figures = features(evidence, validity_models._derived(pairs) if model is READ.derived else None)
    read = read_features(parted_features(evidence), figures, np.full(PAIRS, 0.9), known)
    # No mean is above the greatest: how alike the words are is the same in all languages here.
    names = {
        "alike": (name, "least alike", "most alike"),
        "alike before": (name, "alike after"),
        "shared": (name, "worst shared"),
    }.get(name, (name,))
    before = [*EXCHANGE_FEATURES, *(DERIVATION_FEATURES if model is READ.derived else ())]
    columns = [[*before, *READ_FEATURES].index(each) for each in names]
    low, high = (model.log_odds(np.where(np.isin(np.arange(read.shape[1]), columns), at, read)) for at in (least, most))
    assert high.mean() > low.mean() + 0.1


def test_trees_are_asked_level_by_level() -> None:
    """Also of more pairs than are looked at together, and of few, of which all trees are asked at once."""
    trees = (Tree((1, 0), (0.5, -1.0), (1.0, 2.0, 4.0, 8.0)), Tree((0,), (2.0,), (0.0, 16.0)))
    model = BoostedModel(0.25, trees)
    assert BoostedModel.read(model.document()) == model
    rows = [(-2.0, 0.0), (-2.0, 1.0), (0.0, 0.5), (0.0, 0.75), (3.0, 0.0), (2.0, 9.0)]
    wanted = [1.25, 2.25, 4.25, 8.25, 20.25, 8.25]
    for times in (0, 1, 3_000):
        assert model.log_odds(np.array(rows * times).reshape(-1, 2)).tolist() == wanted * times
    corrected = model.corrected(0.5, BoostedModel(3.0, trees[1:])).log_odds(np.array(rows)).tolist()
    assert corrected == [each / 2 + 3 + (16 if row[0] > 2 else 0) for each, row in zip(wanted, rows, strict=True)]
    figures = np.random.default_rng(5).normal(size=(4_000, 1 + max(max(each.features) for each in READ.derived.trees)))
    together = READ.derived.log_odds(figures)
    assert together.tolist() == [READ.derived.log_odds(each[None])[0] for each in figures]
    assert model.probability(np.array(rows[:1]))[0] == pytest.approx(1 / (1 + np.exp(-1.25)))


def in_all_languages(evidence: ExchangeEvidence) -> ExchangeEvidence:
    return replace(evidence, by_language=Sums(np.full((2, PAIRS), 9.0), np.full((2, PAIRS), 9.0)))


def known_to_hold() -> Known:
    usual = known_nothing(PAIRS)
    usual.testimony[:] = [6.0, -6.0, 6.0, 0.0, 0.0, 0.0, 0.8, 0.7, 0.9, *[0.0] * 9]
    return usual._replace(languages=np.full(PAIRS, 2), words=usual.words._replace(gain=np.full(PAIRS, 2.0)))


def test_what_frames_make_is_judged_by_a_model_of_its_own(evidence: ExchangeEvidence) -> None:
    framed, known = np.arange(PAIRS) % 3, known_nothing(PAIRS)
    evidence = in_all_languages(evidence)
    plain, both = SHIPPED.of_pairs(evidence, known), SHIPPED.of_pairs(evidence, known, framed=framed)
    figures = features(evidence)
    said = read_features(parted_features(evidence), figures, SHIPPED.plain.probability(figures), known)
    expected = [plain, READ.framed.probability(said), READ.turned.probability(said)]
    assert (both == np.choose(framed, expected)).all()
    assert all((own != plain)[framed == kind].any() for kind, own in ((FRAMED, expected[1]), (TURNED, expected[2])))


def test_what_an_exchange_makes_and_holds_is_a_sentence(evidence: ExchangeEvidence, pairs: PairDifferences) -> None:
    """Unless it only asks politely, whose least validity says nothing of it, or no word model says anything."""
    pairs = replace(pairs, replacement=np.ones(PAIRS, dtype=np.bool_))
    evidence = replace(evidence, worst=replace(evidence.worst, shared=np.full(PAIRS, 40.0)))
    none = known_nothing(PAIRS)
    said = none._replace(words=none.words._replace(gain=np.full(PAIRS, 2.0)))
    polite = said._replace(trifle=np.full(PAIRS, POLITE))
    (shown, found), without, asking = (
        validity_models.judge_applied(SHIPPED, evidence, pairs, known) for known in (said, none, polite)
    )
    alone = SHIPPED.support(evidence, said, np.ones(PAIRS, dtype=np.bool_))
    assert (shown >= 0.92).any()
    assert (found[shown >= 0.92] == SURELY_STANDS + REPLACES).all()
    assert (found[shown < 0.88] == alone[shown < 0.88]).all()
    assert (asking[1] == alone).all()
    assert (without[1] == REPLACES).all()


def test_a_frame_that_moves_what_asks_politely_is_judged_as_any(evidence: ExchangeEvidence) -> None:
    known, polite = known_nothing(PAIRS), known_nothing(PAIRS)._replace(trifle=np.full(PAIRS, POLITE))
    framed = np.arange(PAIRS) % 3
    usual, asking = (SHIPPED.of_pairs(evidence, each, framed=framed) for each in (known, polite))
    assert (asking == np.where(framed == 0, np.maximum(usual, 0.96), usual)).all()
    assert (usual < 0.96)[framed > 0].any()


def test_what_only_points_elsewhere_is_never_sure(evidence: ExchangeEvidence, pairs: PairDifferences) -> None:
    """And what only asks politely is kept; of others nothing changes by it."""
    pointing = np.arange(PAIRS) % 2 == 0
    evidence, usual = in_all_languages(evidence), known_to_hold()
    none = np.zeros(PAIRS, dtype=np.bool_)
    for judged in (SHIPPED.of_pairs, lambda *given: SHIPPED.of_candidates(given[0], pairs, none, given[1])[0]):
        told = (known_nothing(PAIRS)._replace(trifle=np.where(pointing, POLITE, 0)), known_nothing(PAIRS))
        polite, unsure = (judged(evidence, each) for each in told)
        assert (polite == np.where(pointing, np.maximum(unsure, 0.96), unsure)).all()
        assert (unsure < 0.96)[pointing].any()
        told = (usual, usual._replace(trifle=np.where(pointing, POINTING, 0)))
        before, after = (judged(evidence, each) for each in told)
        assert (before > 0.9)[pointing].any()
        assert (after == np.where(pointing, np.minimum(before, 0.9), before)).all()


def test_what_is_contracted_as_it_is_nowhere_else_is_never_sure(evidence: ExchangeEvidence) -> None:
    evidence, usual, strange = in_all_languages(evidence), known_to_hold(), np.arange(PAIRS) % 2 == 0
    usual.words.attested[strange, 0] = 0
    kinds = (np.full(PAIRS, kind) for kind in (0, CONTRACTED))
    before, after = (SHIPPED.of_pairs(evidence, usual._replace(trifle=kind)) for kind in kinds)
    assert (after == np.where(strange, np.minimum(before, 0.9), before)).all()
    assert (before > 0.9)[strange].any()


@pytest.mark.parametrize(
    ("language", "pivots", "hidden"),
    [
        ("fra", ["eng"], "told by words"),
        ("fra", ["jpn"], "all"),
        ("fra", ["eng", "spa"], "none"),
        ("jpn", ["eng"], "none"),
    ],
)
def test_what_one_pivot_language_hides(language: str, pivots: list[str], hidden: str) -> None:
    """All where more is lost than words tell, as tense is through Japanese."""
    unseen = np.array([True, False])
    models = validity_models.SHIPPED.through(language, pivots)
    shown = models.shown(np.array([0.9, 0.9]), unseen).tolist()
    assert shown == {"told by words": [0.45, 0.882], "all": [0.45, 0.45], "none": [0.9, 0.9]}[hidden]


def test_a_replacement_is_known_on_both_sides_through_a_language_that_does_not_see_all(
    evidence: ExchangeEvidence, pairs: PairDifferences
) -> None:
    pairs = replace(pairs, replacement=np.ones(PAIRS, dtype=np.bool_))
    often = replace(evidence.worst, shared=np.where(np.arange(PAIRS) % 5 == 0, 40.0, evidence.worst.shared))
    evidence = replace(evidence, worst=often)
    usual = validity_models.is_vouched(evidence, pairs)
    both = (evidence.left.shared > 0) & (evidence.right.shared > 0)
    blind, seeing = (validity_models.SHIPPED.through("fra", pivots) for pivots in (["eng"], ["eng", "deu"]))
    assert (seeing.vouched(evidence, pairs) == usual).all()
    assert (blind.vouched(evidence, pairs) == (usual & (both | (often.shared >= 40)))).all()
    assert (blind.vouched(evidence, pairs) != usual).any()


def test_what_only_an_exchange_makes_is_known_on_both_sides_through_a_language_that_does_not_see_all(
    evidence: ExchangeEvidence, pairs: PairDifferences
) -> None:
    """In German and French. Else it is halved, as what changes what is not seen, a frame or another language makes."""
    kinds = np.arange(PAIRS) % 4
    pairs = replace(pairs, replacement=kinds > 0, unseen=kinds == 2, framed=np.where(kinds == 3, FRAMED, 0))
    evidence, known = replace(evidence, worst=replace(evidence.worst, shared=np.full(PAIRS, 40.0))), known_to_hold()
    blind, french, spanish = (SHIPPED.through(language, ["eng"]) for language in ("deu", "fra", "spa"))
    line, of_french = (validity_models.EXCHANGED_THROUGH_ONE[each].probability for each in ("deu", "fra"))
    seeing = SHIPPED.through("deu", ["eng", "fra"])
    (found, support), (usual, _), (in_french, _), (in_spanish, _) = (
        validity_models.judge_applied(each, evidence, pairs, known) for each in (blind, seeing, french, spanish)
    )
    assert found == pytest.approx(np.where(kinds == 1, 1.0, 0.5) * line(usual), abs=1e-3)
    left, right = evidence.left.shared > 0, evidence.right.shared > 0
    for shared, beside in ((39.0, left), (10.0, left), (9.0, left & right)):
        few = replace(evidence, worst=replace(evidence.worst, shared=np.full(PAIRS, shared)))
        found, usual_of_few = (validity_models.judge_applied(each, few, pairs, known)[0] for each in (blind, seeing))
        assert found == pytest.approx(np.where((kinds == 1) & beside, 1.0, 0.5) * line(usual_of_few), abs=1e-3)
        assert set(beside[kinds == 1].tolist()) == {False, True}
    assert (support == REPLACES * (kinds > 0)).all()
    assert in_french == pytest.approx(np.where((kinds == 1) & left & right, 1.0, 0.5) * of_french(usual), abs=1e-3)
    assert in_spanish == pytest.approx(0.5 * usual, abs=1e-3)
    assert validity_models.ValidityModels.read(blind.document()).exchanges


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
    comparer = PairComparer({}, neighbours)
    ways = [places, *((place,) for place in places)]
    comparer.add(Pair(number, made([]), made(way), 3, 1, 0.5) for number, way in enumerate(ways))
    pairs = comparer.differences({text: number for number, text in enumerate(fillers)})
    evidence = index_of_sums(stored, parts, fillers, neighbours).evidence(pairs)
    none = np.zeros(len(ways), dtype=np.bool_)
    known = known_nothing(len(ways))
    for found in (SHIPPED.of_pairs(evidence, known), *SHIPPED.of_candidates(evidence, pairs, none, known)):
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


# The calibration by judgements: held against scipy's minimum of the same likelihood.


def calibration_drawn(seed: int, size: int, slope: float, shift: float) -> tuple[F64, Bools]:
    chance = np.random.default_rng(seed)
    validity = chance.uniform(0.02, 0.98, size)
    odds = slope * np.log(validity / (1 - validity)) + shift
    return validity, chance.random(size) < 1 / (1 + np.exp(-odds))


@given(st.integers(0, 10_000), st.floats(0.2, 3), st.floats(-2, 2))
def test_it_is_the_most_probable_one(seed: int, slope: float, shift: float) -> None:
    validity, holds = calibration_drawn(seed, 400, slope, shift)
    odds = np.log(validity / (1 - validity))

    def loss(at: F64) -> float:
        fitted = at[0] * odds + at[1]
        likelihood = -np.where(holds, np.logaddexp(0, -fitted), np.logaddexp(0, fitted)).sum()
        return float(-likelihood + 2 * ((at[0] - 1) ** 2 + at[1] ** 2))

    found = logistic.calibrate(validity, holds)
    minimize = pytest.importorskip("scipy.optimize").minimize
    expected = minimize(loss, [1.0, 0.0], tol=1e-12).x
    assert (found.slope, found.shift) == pytest.approx(tuple(expected), abs=2e-4)
    assert found.judged == 400


def test_probabilities_are_those_that_people_see() -> None:
    """What claims to hold in 9 of 10 cases, and does in half of them, is said to hold in about half."""
    validity, holds = np.full(1_000, 0.9), np.arange(1_000) % 2 == 0
    assert logistic.calibrate(validity, holds).probability(np.array([0.9]))[0] == pytest.approx(0.5, abs=0.02)


def test_the_order_stays() -> None:
    found = logistic.calibrate(*calibration_drawn(1, 500, 0.5, -1.0))
    shown = found.probability(np.linspace(0.001, 0.999, 200))
    assert (np.diff(shown) > 0).all()
    assert found.slope < 1


def test_few_judgements_change_nothing() -> None:
    validity, holds = calibration_drawn(2, logistic.LEAST_JUDGED - 1, 3.0, 1.0)
    assert logistic.calibrate(validity, holds) == logistic.NOT_CALIBRATED
    assert logistic.NOT_CALIBRATED.probability(validity) is validity


def test_verdicts_that_are_all_alike() -> None:
    """Nothing runs away where every judged pair holds."""
    found = logistic.calibrate(np.full(200, 0.9), np.ones(200, dtype=bool))
    assert 0 < found.slope < 5
    assert found.probability(np.array([0.9]))[0] > 0.95
