"""The two models of validity, fitted to all that were generated, and what they say of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.fluency_orders import ONE_PIVOT
from corpusdb.base.languages import unmarked_by
from corpusdb.paraphrase.evidence import (
    DERIVATION_FEATURES,
    EXCHANGE_FEATURES,
    Derived,
    ExchangeEvidence,
    RegionsAlone,
    features,
    most_probable,
)
from corpusdb.paraphrase.exchange_index import ExchangeIndex, Sharing
from corpusdb.paraphrase.pair_differences import PairDifferences
from corpusdb.paraphrase.validity import (
    FOLDS,
    LEAST_LABELLED,
    NOT_CALIBRATED,
    Calibration,
    Labelled,
    LogisticModel,
    before_lone,
    calibrate,
    fit,
    fit_folds,
    of_lone,
    with_sharing,
)

__all__ = [
    "SHIPPED",
    "GeneratedValidity",
    "Judged",
    "ValidityModels",
    "fit_models",
    "fold_of",
    "is_familiar",
    "is_vouched",
    "judge",
    "judge_applied",
    "recalls_by_language",
]


# The two models of validity: of pairs with analogies behind them, and of pairs of which only the exchange is known.


_LEAST_SHARED: Final = 2
"""An exchange that fewer pairs share a translation for is no evidence for a sentence with unseen sequences."""
_DIGITS: Final = 4
"""Of a probability, so that the last bits of a sum do not show."""
_MIXERS: Final = (0x9E3779B1, 0x85EBCA77)
_NO_FOLD: Final = -1
"""That of a pair the models were not fitted to."""


@dataclass(frozen=True, slots=True)
class ValidityModels:
    """Fitted to a database, or shipped."""

    derived: LogisticModel
    """Of EXCHANGE_FEATURES and DERIVATION_FEATURES."""
    plain: LogisticModel
    """Of EXCHANGE_FEATURES alone."""
    folds: tuple[LogisticModel, ...] = ()
    """For the labelled pairs: ``derived`` without those of each fold."""
    labelled: int = 0
    """How many pairs they were fitted to; 0 for the shipped ones."""
    calibration: Calibration = NOT_CALIBRATED
    """By the judgements of people, if there are enough."""
    pivots: tuple[str, ...] = ()
    """The languages of the translations."""
    unseen: tuple[str, ...] = ()
    """What the one pivot language does not mark, in words; nothing where there are several."""

    def of_candidates(self, evidence: ExchangeEvidence, pairs: PairDifferences, labelled: Bools) -> F64:
        """The probability that each generated pair holds, without that it may share a translation.

        Of a pair that the models were fitted to, by the model that has not seen it.
        """
        derived = _derived(pairs)
        fold = np.where(labelled, fold_of(pairs.seed, pairs.other), _NO_FOLD)
        return _bounded(evidence, lambda found, pair: self._of_derived(features(found, derived[pair]), fold[pair]))

    def _of_derived(self, figures: F64, fold: I64) -> F64:
        found = self.derived.probability(figures)
        for number, model in enumerate(self.folds):
            found[fold == number] = model.probability(figures[fold == number])
        return found

    def of_pairs(self, evidence: ExchangeEvidence) -> F64:
        """The probability that each pair holds, by what the sentences differ in alone."""
        return _bounded(evidence, lambda found, _: self.plain.probability(features(found)))

    def document(self) -> dict[str, Any]:
        """As JSON can hold it, with the names of the features."""
        return {
            "features": [*EXCHANGE_FEATURES, *DERIVATION_FEATURES],
            "derived": self.derived.document(),
            "plain": self.plain.document(),
            "folds": [model.document() for model in self.folds],
            "labelled": self.labelled,
            "calibration": self.calibration.document(),
            "pivots": list(self.pivots),
            "unseen": list(self.unseen),
        }

    @classmethod
    def read(cls, document: dict[str, Any]) -> ValidityModels:
        """Those of a document; the shipped ones for one of an older version, which had other features.

        The layer of validity is then made again with the next change of the corpus.
        """
        if document["features"] != [*EXCHANGE_FEATURES, *DERIVATION_FEATURES] or "least" not in document["plain"]:
            return SHIPPED
        return cls(
            LogisticModel.read(document["derived"]),
            LogisticModel.read(document["plain"]),
            tuple(map(LogisticModel.read, document["folds"])),
            document["labelled"],
            Calibration(**document["calibration"]),
            tuple(document.get("pivots", ())),
            tuple(document.get("unseen", ())),
        )

    def shown(self, probability: F64, languages: I64) -> F64:
        """The validity of pairs, given what the models say and in how many languages each shares a translation.

        Through one language that does not see all that may differ it is at most ONE_PIVOT, unless people say otherwise.
        """
        held = with_sharing(probability, languages) * (ONE_PIVOT if self.unseen else 1.0)
        return np.round(self.calibration.probability(held), _DIGITS)

    def lone(self, validity: float) -> float:
        """The validity, as shown, of a pair for which nothing but the exchange of words speaks."""
        most = ONE_PIVOT if self.unseen else 1.0
        return round(most * of_lone(min(validity / most, 1.0)), _DIGITS)

    def before_lone(self, validity: float) -> float:
        """What ``lone`` made this validity of."""
        most = ONE_PIVOT if self.unseen else 1.0
        return most * before_lone(min(validity / most, 1.0))

    def through(self, language: str, pivots: Sequence[str]) -> ValidityModels:
        """The same for a language whose translations are into these: one alone may be blind to what it marks."""
        unseen = unmarked_by(pivots[0], language) if len(pivots) == 1 else ()
        return replace(self, pivots=tuple(pivots), unseen=unseen)

    def calibrated(self, validity: F64, judged: Sequence[tuple[int, bool]]) -> ValidityModels:
        """The same with a calibration by judgements: the place of a pair in ``validity``, and whether it holds."""
        places = np.array([place for place, _ in judged], dtype=np.int64)
        holds = np.array([holds for _, holds in judged], dtype=np.bool_)
        return replace(self, calibration=calibrate(validity[places], holds))


def fit_models(evidence: ExchangeEvidence, pairs: PairDifferences, shares: Bools, expected: F64) -> ValidityModels:
    """Fit them to generated pairs of sentences of the corpus; with too few of either label, the shipped ones.

    A pair has a label where both sentences have translations into one language: ``expected`` is then above 0.
    """
    chosen = expected > 0
    labelled = int(chosen.sum())
    sharing = int(shares[chosen].sum())
    # Where nearly all share, a model would believe everything.
    if labelled < LEAST_LABELLED or min(sharing, labelled - sharing) < LEAST_LABELLED // 4:
        return SHIPPED
    figures = features(evidence, _derived(pairs))[chosen]
    all_pairs = Labelled(figures, shares[chosen], expected[chosen])
    plain = Labelled(figures[:, : len(EXCHANGE_FEATURES)], shares[chosen], expected[chosen])
    fold = fold_of(pairs.seed, pairs.other)[chosen]
    return ValidityModels(fit(all_pairs), fit(plain), tuple(fit_folds(all_pairs, fold)), labelled)


def fold_of(one: I64, other: I64) -> I64:
    """Which fold a pair of sentences is in, in either order."""
    low, high = np.minimum(one, other).astype(np.uint64), np.maximum(one, other).astype(np.uint64)
    mixed = low * np.uint64(_MIXERS[0]) + high * np.uint64(_MIXERS[1])
    return ((mixed >> np.uint64(16)) % np.uint64(FOLDS)).astype(np.int64)


def is_vouched(evidence: ExchangeEvidence, pairs: PairDifferences) -> Bools:
    """Whether every region in which a pair differs is a replacement that several pairs share a translation for."""
    return pairs.replacement & (evidence.worst.shared >= _LEAST_SHARED)


def is_familiar(evidence: ExchangeEvidence) -> Bools:
    """Whether several pairs share a translation that differ by the same exchange beside one of the same neighbours."""
    return np.asarray(evidence.left.shared + evidence.right.shared >= _LEAST_SHARED)


def _bounded(evidence: ExchangeEvidence, probability: Callable[[ExchangeEvidence, I64], F64]) -> F64:
    """The probability of each pair, not above what its languages leave of it, nor that of one of its regions alone.

    Regions may hold together only, and one of them alone then says nothing: where several pairs that differ in all of
    them share a translation, and where words are inserted or left out, which may have moved ("is it not", "isn't it").
    ``probability`` takes evidence, and which pair each entry of that is of.
    """
    found = np.minimum(probability(evidence, np.arange(len(evidence.pairs))), most_probable(evidence.by_language))
    if evidence.alone is not None:
        pair = evidence.alone.pair
        alone = _bounded(evidence.alone.evidence, lambda each, at: probability(each, pair[at]))
        bounding = _is_each_for_itself(evidence, evidence.alone)[pair]
        np.minimum.at(found, pair[bounding], alone[bounding])
    return found


def _is_each_for_itself(evidence: ExchangeEvidence, alone: RegionsAlone) -> Bools:
    """Whether every region of a pair is a replacement, and nothing is known of all of them together."""
    regions = alone.evidence
    one_sided = np.minimum(regions.units_before, regions.units_after) == 0
    moved = np.bincount(alone.pair, one_sided, len(evidence.pairs)) > 0
    return np.asarray((evidence.all.shared < _LEAST_SHARED) & ~moved)


def _derived(pairs: PairDifferences) -> Derived:
    return Derived(pairs.frequency, pairs.languages, pairs.probability)


SHIPPED: Final = ValidityModels(
    LogisticModel(
        (
            *(-3.27172, -0.230121, 0.432559, -0.378268, 2.09564, 2.19835, 1.53981, 0.505394),
            *(-0.283744, 1.0544, -0.0423471, 0.0777846, 0.504051, -0.415034, -0.307332, -0.438892),
            *(-0.062116, 0.305226, 0.18957, 0.162558, 0.185536),
        ),
        -3.78682,
        (
            *(0.02487, -5.32945, 0.0, 0.0, 0.00974927, 0.00955554, 0.00605243, 0.0),
            *(0.0, 0.000294461, -11.7296, 0.0, 1.0, -10.4966, 0.0, 0.0),
            *(0.0, 3.0, 1.0, 1.0, -5.39232),
        ),
        (
            *(1.25485, 0.327518, 10.2503, 8.76392, 1.41305, 1.40449, 1.2478, 10.2503),
            *(8.764, 1.23908, 0.309269, 2.32193, 2.0, 0.0, 10.5285, 6.0),
            *(6.0, 13.0, 10.6618, 4.0, -1.0),
        ),
    ),
    LogisticModel(
        (
            *(-4.60657, -0.185449, 0.481435, -0.336708, 2.7459, 2.98832, 1.9083, 0.472205),
            *(-0.271944, 1.253, 0.014552, 0.0310212, 0.595536, -0.421449, -0.26748, -0.20123),
            *(-0.157746,),
        ),
        -2.06147,
        (
            *(0.02487, -5.32945, 0.0, 0.0, 0.00974927, 0.00955554, 0.00605243, 0.0),
            *(0.0, 0.000294461, -11.7296, 0.0, 1.0, -10.4966, 0.0, 0.0),
            *(0.0,),
        ),
        (
            *(1.25485, 0.327518, 10.2503, 8.76392, 1.41305, 1.40449, 1.2478, 10.2503),
            *(8.764, 1.23908, 0.309269, 2.32193, 2.0, 0.0, 10.5285, 6.0),
            *(6.0,),
        ),
    ),
)
"""What was fitted to the English sentences of Tatoeba, for databases with too few labels of their own."""


# The probability that paraphrases hold: models fitted to all that were generated, and what they say of each.


@dataclass(frozen=True, slots=True)
class GeneratedValidity:
    """The validity of all candidates of a language, and what it was made of; parallel arrays."""

    candidate: I64
    """Number."""
    alone: F64
    """Without that seed and candidate may share a translation."""
    validity: F64
    """With it, and calibrated by judgements where there are any; as it is stored."""
    labelled: int
    """How many pairs the model was fitted to; 0 for the one that is shipped."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of the generated and the detected paraphrases of a language."""

    models: ValidityModels
    generated: GeneratedValidity
    replacement: Bools
    """By candidate: whether every region that differs is a replacement with evidence."""
    detected: F64
    """The validity of each detected pair."""


def judge(
    language: str,
    index: ExchangeIndex,
    candidates: PairDifferences,
    detected: PairDifferences,
    judgements: Mapping[int, bool],
) -> Judged:
    """Fit the models to the candidates of a language, which come in the order of their seeds, and judge all pairs.

    ``judgements``: by the number of a candidate, whether people say that it holds. A detected pair that was generated
    too has the validity that is known from its analogies.
    """
    labels, evidence = index.labels(candidates), index.evidence(candidates)
    models = fit_models(evidence, candidates, labels.languages > 0, labels.expected)
    models = models.through(language, index.sharing.pivots)
    alone = models.of_candidates(evidence, candidates, labels.expected > 0)
    numbers = candidates.row.tolist()
    judged = [(place, judgements[number]) for place, number in enumerate(numbers) if number in judgements]
    models = models.calibrated(models.shown(alone, labels.languages), judged)
    shown, vouched = models.shown(alone, labels.languages), is_vouched(evidence, candidates)
    plain = models.shown(models.of_pairs(index.evidence(detected)), index.labels(detected).languages)
    pairs = zip(candidates.seed.tolist(), candidates.other.tolist(), strict=True)
    known = dict(zip(pairs, shown.tolist(), strict=True))
    wanted = zip(detected.seed.tolist(), detected.other.tolist(), plain.tolist(), strict=True)
    of_detected = [known.get((seed, other), value) for seed, other, value in wanted]
    generated = GeneratedValidity(candidates.row, alone, shown, models.labelled)
    return Judged(models, generated, vouched, np.array(of_detected, dtype=np.float64))


def judge_applied(models: ValidityModels, evidence: ExchangeEvidence, pairs: PairDifferences) -> tuple[F64, Bools]:
    """The validity of pairs that only an exchange makes, and whether it vouches for them.

    It must be a replacement, and known beside one of its neighbours.
    """
    shown = models.shown(models.of_pairs(evidence), np.zeros(len(pairs.row), dtype=np.int64))
    return shown, is_vouched(evidence, pairs) & is_familiar(evidence)


def recalls_by_language(sharing: Sharing) -> dict[str, list[float]]:
    """The recalls by the language of the translations, as JSON can hold them."""
    return dict(zip(sharing.languages, sharing.recalls.tolist(), strict=True))
