"""The two models of validity: of pairs with analogies behind them, and of pairs of which only the exchange is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.exchange.calibration import NOT_CALIBRATED, Calibration, calibrate
from corpusdb.exchange.evidence import DERIVATION_FEATURES, EXCHANGE_FEATURES, Derived, ExchangeEvidence, features
from corpusdb.exchange.pair_differences import PairDifferences
from corpusdb.exchange.validity import FOLDS, LEAST_LABELLED, Labelled, LogisticModel, fit, fit_folds, with_sharing

__all__ = ["SHIPPED", "ValidityModels", "fit_models", "fold_of", "is_familiar", "is_vouched"]

_LEAST_SHARED: Final = 2
"""An exchange that fewer pairs share a translation for is no evidence for a sentence with unseen sequences."""
_DIGITS: Final = 4
"""Of a probability, so that the last bits of a sum do not show."""
_MIXERS: Final = (0x9E3779B1, 0x85EBCA77)


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

    def of_candidates(self, evidence: ExchangeEvidence, pairs: PairDifferences, labelled: Bools) -> F64:
        """The probability that each generated pair holds, without that it may share a translation.

        Of a pair that the models were fitted to, by the model that has not seen it.
        """
        figures = features(evidence, _derived(pairs))
        found = self.derived.probability(figures)
        if self.folds:
            fold = fold_of(pairs.seed, pairs.other)
            for number, model in enumerate(self.folds):
                chosen = labelled & (fold == number)
                found[chosen] = model.probability(figures[chosen])
        return found

    def of_pairs(self, evidence: ExchangeEvidence) -> F64:
        """The probability that each pair holds, by what the sentences differ in alone."""
        return self.plain.probability(features(evidence))

    def document(self) -> dict[str, Any]:
        """As JSON can hold it, with the names of the features."""
        return {
            "features": [*EXCHANGE_FEATURES, *DERIVATION_FEATURES],
            "derived": self.derived.document(),
            "plain": self.plain.document(),
            "folds": [model.document() for model in self.folds],
            "labelled": self.labelled,
            "calibration": self.calibration.document(),
        }

    @classmethod
    def read(cls, document: dict[str, Any]) -> ValidityModels:
        return cls(
            LogisticModel.read(document["derived"]),
            LogisticModel.read(document["plain"]),
            tuple(map(LogisticModel.read, document["folds"])),
            document["labelled"],
            Calibration(**document["calibration"]),
        )

    def shown(self, probability: F64, languages: I64) -> F64:
        """The validity of pairs, given what the models say and in how many languages each shares a translation."""
        return np.round(self.calibration.probability(with_sharing(probability, languages)), _DIGITS)

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


def _derived(pairs: PairDifferences) -> Derived:
    return Derived(pairs.frequency, pairs.languages, pairs.probability)


SHIPPED: Final = ValidityModels(
    LogisticModel(
        (
            *(-3.42502, -0.178226, 0.395307, -0.339925, 2.10325, 2.20496, 1.35118, 0.550312, -0.32761),
            *(1.09417, -0.0431647, 0.0808591, 0.373914, -0.411801),
            *(-0.291697, -0.391541, -0.00723667, 0.311989, 0.188445, 0.152099, 0.186227),
        ),
        -3.67577,
    ),
    LogisticModel(
        (
            *(-4.12051, -0.223842, 0.535208, -0.340163, 2.48023, 2.61101, 1.3932, 0.556095, -0.349957),
            *(1.22663, 0.00740695, -0.0182588, 0.448453, -0.426128),
            *(-0.318294, -0.392119, -0.046668, 0.272012),
        ),
        -2.95269,
    ),
)
"""What was fitted to the English sentences of Tatoeba, for databases with too few labels of their own."""
