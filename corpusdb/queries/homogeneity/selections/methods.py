"""The order in which each method takes the sentences of a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.charlm.scoring import text_bits
from corpusdb.charlm.smoothing import model_of
from corpusdb.charlm.task_models import task_counterparts
from corpusdb.errors import InputError, UsageError
from corpusdb.homogeneity.cynical import cynical_order
from corpusdb.homogeneity.features import Features, character_ngrams, tokens
from corpusdb.homogeneity.scale import Statistics, coefficients
from corpusdb.homogeneity.selection import (
    bilingual_scores,
    closest_scores,
    moore_lewis_scores,
    random_scores,
    ranked,
)
from corpusdb.queries.homogeneity.profile_references import ProfileRecipe, references_of
from corpusdb.queries.homogeneity.selections.pool import SelectionPool, TaskLines
from corpusdb.store import Store
from corpusdb.text import are_undelimited, units_of

__all__ = ["METHODS", "Choice", "Method", "Ordered", "OtherSide", "ordered"]

Method: TypeAlias = Literal["moore-lewis", "coefficient", "bilingual", "cynical", "random"]
METHODS: Final[tuple[Method, ...]] = ("moore-lewis", "coefficient", "bilingual", "cynical", "random")

_ORDER: Final = 6
_SMOOTHING: Final = "mkn"


@dataclass(frozen=True, slots=True)
class OtherSide:
    """The translations of pool and task, for a choice by both sides."""

    pool: tuple[str, ...]
    """Beside each sentence of the pool a translation, normalised; empty where there is none."""
    task: tuple[str, ...]
    """Of the lines of the task by which is selected."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a method is given besides pool and task."""

    method: Method
    seed: int
    share: float
    """How much of the characters is wanted, for methods that need not order more."""
    references: ProfileRecipe | None = None
    """For `coefficient`."""
    other_side: OtherSide | None = None
    """For `bilingual`."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Places of the pool, the best first."""

    order: I64
    scores: F64
    """Of each place in the order; lower is better."""
    enough: int | None = None
    """How many texts bring a cynical selection nearer to the task, where it has come so far."""


def ordered(
    store: Store, language: str, pool: SelectionPool, task: TaskLines, choice: Choice, allowed: Bools
) -> Ordered:
    """The allowed sentences of a pool in the order of a method.

    Raises UsageError for a method without what it needs.
    """
    if choice.method == "cynical":
        return _cynical(pool, task, choice.share, allowed)
    if choice.method == "coefficient":
        scores = _closest(store, language, pool, task, choice.references)
    elif choice.method == "bilingual":
        if choice.other_side is None:
            raise UsageError("bilingual selection needs the task's translation")
        scores = bilingual_scores(
            _differences(task.training, pool.texts, choice.seed),
            _differences(choice.other_side.task, choice.other_side.pool, choice.seed),
        )
    elif choice.method == "random":
        scores = random_scores(len(pool.texts), choice.seed)
    else:
        scores = _differences(task.training, pool.texts, choice.seed)
    order = ranked(scores, allowed)
    return Ordered(order, scores[order])


def _differences(task: Sequence[str], pool: Sequence[str], seed: int) -> F64:
    """The cross-entropy difference of each text of the pool, bits per character."""
    models = task_counterparts(task, pool, _ORDER, _SMOOTHING, seed)
    bits = text_bits(models, pool)
    return moore_lewis_scores(bits.characters, bits.bits[0], bits.bits[1])


def _closest(store: Store, language: str, pool: SelectionPool, task: TaskLines, recipe: ProfileRecipe | None) -> F64:
    """How far the coefficient of each text is from that of the task as a whole."""
    if recipe is None:
        raise UsageError("selection by the coefficient needs both references")
    references = references_of(store, language, recipe)
    anchors = references.anchors()
    models = [model_of(counts, references.smoothing) for counts in references.counts]

    def measured(texts: Sequence[str]) -> Statistics:
        bits = text_bits(models, texts)
        return Statistics(bits.characters, bits.bits[0], bits.bits[1])

    wanted = float(coefficients(measured(task.training).total(), anchors).values[0])
    if np.isnan(wanted):
        raise InputError("the coefficient of the task is not defined between these references")
    return closest_scores(coefficients(measured(pool.texts), anchors).values, wanted)


def _cynical(pool: SelectionPool, task: TaskLines, share: float, allowed: Bools) -> Ordered:
    """By words, or by pairs of characters where words are not delimited; so many texts as the share asks for."""
    both = [*pool.texts, *task.training]
    undelimited = are_undelimited(task.training)
    found = character_ngrams(both, 2) if undelimited else tokens([units_of(text) for text in both])
    size = len(pool.texts)
    task_counts = np.bincount(found.numbers[found.lengths[:size].sum() :], minlength=found.distinct)
    features = Features(found.numbers, found.starts[:size], found.lengths[:size], found.distinct)
    chosen = cynical_order(features, task_counts, allowed, _until(pool.texts, share))
    helpful = chosen.helpful
    return Ordered(chosen.order, chosen.changes, helpful if helpful < len(chosen.order) else None)


def _until(texts: Sequence[str], share: float) -> Callable[[int], bool]:
    """Whether the texts that were told have the share of all characters."""
    left = share * sum(map(len, texts)) * (1 - 1e-12)

    def enough(place: int) -> bool:
        nonlocal left
        left -= len(texts[place])
        return left <= 0

    return enough
