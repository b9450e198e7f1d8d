"""Perplexity of a task by the amount of training data, selected and at random (Denoual 2005, section 4.1.1, Figure 3).

The units are sentences, each once; amounts are shares of their characters. Models are of order 5 with Witten-Bell
smoothing, which also a small selection has. The task shares no sentence and no translation with what is trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.normalisation import normalised
from corpusdb.charlm.subsets import SubsetModels
from corpusdb.errors import InputError
from corpusdb.homogeneity.scale import coefficients
from corpusdb.homogeneity.selection import amount, closest_scores, random_scores, ranked
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import sentences_after, sentences_of
from corpusdb.queries.homogeneity.selections.methods import Choice, ordered
from corpusdb.queries.homogeneity.selections.pool import SelectionPool, TaskLines, read_pool, read_task
from corpusdb.queries.homogeneity_study.request import Pool, Scale, StudyRequest
from corpusdb.stats.drawing import lowest_tickets
from corpusdb.store import Store
from corpusdb.studies.homogeneity.curves import Crossing, SelectionCurve, crossing_of

__all__ = ["CYNICAL_UP_TO", "RANDOM", "PerplexityCurves", "perplexity_curves"]

RANDOM: Final = "random"
CYNICAL_UP_TO: Final = 0.1
"""The greedy choice is slow, and its point is in small amounts."""
_MODEL_ORDER: Final = 5


@dataclass(frozen=True, slots=True)
class PerplexityCurves:
    """Figure 3 for one language."""

    language: str
    pool: int
    """Sentences."""
    pool_characters: int
    test: int
    """Sentences of the task by which all is measured."""
    development: int
    """Sentences of the task that are not among them, by which Moore-Lewis and cynical selection go."""
    task: float | None
    """The coefficient of the test sentences."""
    in_references: int
    """Test sentences that stand in a reference, which moves their coefficient towards its end."""
    pool_coefficient: float | None
    """That of all sentences of the pool together."""
    beside_task: int
    """Sentences that were left out because they share a translation with one of the task."""
    curves: tuple[SelectionCurve, ...]
    """That of random draws first."""
    crossings: tuple[Crossing, ...]


def perplexity_curves(store: Store, request: StudyRequest, scale: Scale) -> Job[PerplexityCurves]:
    """The curves of one language. Raises InputError for a pool or a task that is missing or too small."""
    language, given = scale.language, request.pool
    recipe = request.recipes[language]
    yield Progress(f"reading task and pool in {language}", 0, 0)
    if given.task:
        task = read_task(store, language, given.task, recipe.normalisation)
    else:
        task = _drawn_task(store, language, given, recipe.normalisation, request.seed)
    pool = read_pool(store, language, given.collections, task, recipe.normalisation)
    wanted = scale.coefficient(task.test)
    measured = yield from scale.measuring(pool.texts)
    values = coefficients(measured, scale.anchors).values
    together = float(coefficients(measured.total(), scale.anchors).values[0])
    if wanted is None:
        raise InputError(f"the coefficient of the task in {language} is not defined")
    everything = np.ones(len(pool.texts), dtype=np.bool_)
    orders: dict[str, I64] = {}
    for method in given.methods:
        yield Progress(f"ordering sentences in {language} by {method}", 0, len(pool.texts))
        if method == "coefficient":
            orders[method] = _all_ranked(closest_scores(values, wanted))
        else:
            share = CYNICAL_UP_TO if method == "cynical" else 1.0
            choice = Choice(method, request.seed, share)
            orders[method] = ordered(store, language, pool, task, choice, everything).order
    curves = yield from _curves(pool, task, request, orders)
    return PerplexityCurves(
        language=language,
        pool=len(pool.texts),
        pool_characters=sum(map(len, pool.texts)),
        test=len(task.test),
        development=len(task.training),
        task=wanted,
        in_references=sum(text in scale.references.lines for text in task.test),
        pool_coefficient=None if np.isnan(together) else together,
        beside_task=pool.beside_task,
        curves=tuple(curves),
        crossings=tuple(crossing_of(each, curves[0], lower_is_better=True) for each in curves[1:]),
    )


def _all_ranked(scores: F64) -> I64:
    """The lowest first; texts without a score come last, so that all data are all data for every method."""
    return np.asarray(np.argsort(scores, kind="stable"))


def _drawn_task(store: Store, language: str, given: Pool, normalisation: str, seed: int) -> TaskLines:
    """Sentences of the pool at random: half to measure by, half for methods that need text of the task.

    Raises InputError where the pool has not twice as many as are left to train on.
    """
    inside = {number for name in given.collections for number in sentences_of(store, name).tolist()}
    own = [text for number, text in sentences_after(store, language, 0) if number in inside]
    lines = list(dict.fromkeys(line for line in normalised(own, normalisation) if line))
    if len(lines) < 4 * given.held_out:
        raise InputError(
            f"the pool has {len(lines):,} different sentences in {language}; to hold out {given.held_out:,} of them, "
            "and as many for selection, takes four times as many"
        )
    drawn = [line for line, _ in lowest_tickets(seed, 2 * given.held_out, [(line, None) for line in lines])]
    held_out = tuple(place < given.held_out for place in range(len(drawn)))
    return TaskLines((), tuple(drawn), held_out)


def _curves(
    pool: SelectionPool, task: TaskLines, request: StudyRequest, orders: Mapping[str, I64]
) -> Job[list[SelectionCurve]]:
    """The perplexity of the test set for each method and share, random draws first."""
    given = request.pool
    characters = np.fromiter(map(len, pool.texts), dtype=np.int64, count=len(pool.texts))
    partial = [share for share in given.shares if share < 1]
    steps = 1 + len(partial) * given.draws + sum(len(_shares(method, partial)) for method in orders)
    stage = "perplexity, models"
    yield Progress(stage, 0, steps)
    models = SubsetModels(pool.texts, task.test, Alphabet.of(pool.texts) | Alphabet.of(task.lines), _MODEL_ORDER)
    done = 1
    everything = models.perplexity(np.arange(len(pool.texts)))
    draws = []
    for draw in range(given.draws):
        order = ranked(random_scores(len(characters), request.seed + 1 + draw), np.ones(len(characters), np.bool_))
        own = []
        for share in partial:
            yield Progress(stage, done, steps)
            own.append(models.perplexity(amount(order, characters, share)))
            done += 1
        draws.append((*own, everything))
    means = tuple(float(np.mean(row)) for row in zip(*draws, strict=True))
    curves = [SelectionCurve("perplexity", RANDOM, tuple(given.shares), means, tuple(draws))]
    for method, order in orders.items():
        own = []
        for share in _shares(method, partial):
            yield Progress(stage, done, steps)
            own.append(models.perplexity(amount(order, characters, share)))
            done += 1
        ends = (everything,) if method != "cynical" else ()
        curves.append(SelectionCurve("perplexity", method, tuple(given.shares), (*own, *ends)))
    return curves


def _shares(method: str, partial: list[float]) -> list[float]:
    return [share for share in partial if method != "cynical" or share <= CYNICAL_UP_TO]
