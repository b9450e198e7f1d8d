"""The probability that paraphrases hold: models fitted to all that were generated, and what they say of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.exchange.evidence import ExchangeEvidence
from corpusdb.exchange.exchange_index import ExchangeIndex, Sharing
from corpusdb.exchange.pair_differences import PairDifferences
from corpusdb.exchange.validity_models import ValidityModels, fit_models, is_familiar, is_vouched

__all__ = ["GeneratedValidity", "Judged", "judge", "judge_applied", "recalls_by_language"]


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
