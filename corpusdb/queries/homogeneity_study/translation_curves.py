"""BLEU, NIST and mWER of translators by the amount of training data (Denoual 2005, section 4.1.2, Figure 2).

Amounts are shares of the characters of the source sentences, each with all its translations. Selected is what is
nearest to the coefficient of the test set. Scores are of lower-cased words as mteval-v13a cuts them; those of single
sentences, which the confidence is about, smooth BLEU as mteval does, over the orders that the sentence has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.charlm.normalisation import normalised
from corpusdb.errors import InputError
from corpusdb.formats.reference_digest import digest
from corpusdb.formats.references import ReferenceSet
from corpusdb.homogeneity.scale import coefficients
from corpusdb.homogeneity.selection import amount, closest_scores, random_scores
from corpusdb.jobs import Job, Progress
from corpusdb.metrics.metric import Measure, SegmentReferences
from corpusdb.metrics.registry import metric_named, settings_for
from corpusdb.metrics.settings import Smoothing
from corpusdb.queries.homogeneity_study.perplexity_curves import RANDOM
from corpusdb.queries.homogeneity_study.request import Bitext, Scale, StudyRequest
from corpusdb.queries.homogeneity_study.systems import Train, system_named
from corpusdb.queries.translation.example_pairs import direction_of, read_examples
from corpusdb.store import Store
from corpusdb.studies.homogeneity.confidence import PairedConfidence, paired_confidence
from corpusdb.studies.homogeneity.curves import Crossing, SelectionCurve, crossing_of
from corpusdb.studies.homogeneity.published import PAPER_SHARE_COMPARED
from corpusdb.translation.examples import Examples
from corpusdb.translation.held_out import HeldOut, hold_out

__all__ = ["MEASURES", "SystemCurves", "TranslationCurves", "translation_curves"]

MEASURES: Final = ("bleu", "nist", "mwer")
SELECTED: Final = "coefficient"
_AT_ONCE: Final = 10
"""Sentences between two steps."""


@dataclass(frozen=True, slots=True)
class SystemCurves:
    """Figure 2 for one translator."""

    system: str
    curves: tuple[SelectionCurve, ...]
    """Of each measure that of random draws and that of the selection."""
    crossings: tuple[Crossing, ...]
    confidence: tuple[PairedConfidence, ...]
    """At half of the data: of each measure each draw against the selection."""
    rungs: dict[str, int]
    """Test sentences by what translated them with all data; ``none`` where nothing did."""


@dataclass(frozen=True, slots=True)
class TranslationCurves:
    """Figure 2 for one pair of languages."""

    source: str
    target: str
    selected_by: str
    """The language of the coefficients."""
    test: int
    references: float
    """Of a test sentence, on average."""
    examples: int
    """Source sentences that may be learned from."""
    characters: int
    task: float | None
    """The coefficient of the test set."""
    signatures: tuple[str, ...]
    systems: tuple[SystemCurves, ...]


@dataclass(frozen=True)
class _Setting:
    """The test set, what there is to learn from, and how outputs are scored."""

    held_out: HeldOut
    examples: Examples
    characters: I64
    order: I64
    """The examples as they are selected."""
    task: float
    measures: dict[str, Measure]
    of_sentences: dict[str, Measure]


def translation_curves(store: Store, request: StudyRequest, bitext: Bitext, scale: Scale) -> Job[TranslationCurves]:
    """The curves of every translator; ``scale`` is that of the language by which is selected.

    Raises InputError for a pool with too few pairs, and for a translator that the corpus is not ready for.
    """
    direction = direction_of(store, bitext.source, bitext.target, request.pool.collections)
    examples = yield from read_examples(store, direction)
    setting = yield from _setting(examples, request, bitext, scale)
    systems = []
    for name in bitext.systems:
        train = yield from system_named(name).prepare(store, direction, setting.examples)
        systems.append((yield from _system_curves(name, train, setting, request)))
    counts = [len(each) for each in setting.held_out.references]
    tested = zip(setting.held_out.sources, setting.held_out.references, strict=True)
    signed = digest(ReferenceSet(str(number), *each) for number, each in enumerate(tested, 1))
    measures = (*setting.measures.values(), setting.of_sentences["bleu"])
    return TranslationCurves(
        source=bitext.source,
        target=bitext.target,
        selected_by=bitext.selected_by,
        test=len(setting.held_out.sources),
        references=sum(counts) / len(counts),
        examples=len(setting.examples),
        characters=int(setting.characters.sum()),
        task=setting.task,
        signatures=tuple(str(measure.signature(signed)) for measure in measures),
        systems=tuple(systems),
    )


def _setting(examples: Examples, request: StudyRequest, bitext: Bitext, scale: Scale) -> Job[_Setting]:
    pairs = [(source, target) for source, own in zip(examples.sources, examples.targets, strict=True) for target in own]
    yield Progress("holding out test sentences", 0, 0)
    held_out = hold_out(pairs, request.pool.held_out, request.seed)
    left = _left(examples, held_out.training)
    by_source = bitext.selected_by == bitext.source
    name = request.recipes[bitext.selected_by].normalisation
    tested = held_out.sources if by_source else [own[0] for own in held_out.references]
    texts = left.sources if by_source else [own[0] for own in left.targets]
    task = scale.coefficient(normalised(tested, name))
    if task is None:
        raise InputError(f"the coefficient of the test set in {bitext.selected_by} is not defined")
    measured = yield from scale.measuring(normalised(texts, name))
    scores = closest_scores(coefficients(measured, scale.anchors).values, task)
    return _Setting(
        held_out,
        left,
        np.fromiter(map(len, left.sources), dtype=np.int64, count=len(left)),
        np.argsort(scores, kind="stable"),
        task,
        _measures(held_out.references, Smoothing()),
        _measures(held_out.references, Smoothing("exp", effective=True)),
    )


def _left(examples: Examples, training: Bools) -> Examples:
    """The examples without the pairs that may not be learned from. Raises InputError where none is left."""
    kept = iter(training.tolist())
    targets = [[target for target in own if next(kept)] for own in examples.targets]
    there = [place for place, own in enumerate(targets) if own]
    if not there:
        raise InputError("no pair is left to learn from")
    return Examples(
        [examples.numbers[place] for place in there],
        [examples.sources[place] for place in there],
        [targets[place] for place in there],
    )


def _measures(references: Sequence[Sequence[str]], smoothing: Smoothing) -> dict[str, Measure]:
    found = {}
    for name in MEASURES:
        settings = settings_for(name, lowercase=True, smoothing=smoothing if name == "bleu" else Smoothing())
        found[name] = metric_named(name).measure(settings, SegmentReferences(references))
    return found


@dataclass(frozen=True, slots=True)
class _Output:
    """What a translator of some of the data gives for the test set, with its scores."""

    scores: dict[str, float]
    of_sentences: dict[str, F64]
    rungs: Counter[str]


def _system_curves(name: str, train: Train, setting: _Setting, request: StudyRequest) -> Job[SystemCurves]:
    given = request.pool
    partial = [share for share in given.shares if share < 1]
    size, count = len(setting.held_out.sources), len(setting.examples)
    orders = [np.argsort(random_scores(count, request.seed + 1 + draw)) for draw in range(given.draws)]
    steps = Progress(f"translation by {name}, sentences", 0, size * (1 + len(partial) * (given.draws + 1)))
    everything = yield from _output(train, np.ones(count, dtype=np.bool_), setting, steps)
    outputs: list[list[_Output]] = []
    for row, order in enumerate((*orders, setting.order)):
        own = []
        for column, share in enumerate(partial):
            chosen = np.zeros(count, dtype=np.bool_)
            chosen[amount(order, setting.characters, share)] = True
            at = Progress(steps.stage, size * (1 + row * len(partial) + column), steps.total)
            own.append((yield from _output(train, chosen, setting, at)))
        outputs.append([*own, everything])
    *drawn, selected = outputs
    curves, crossings = [], []
    for measure in MEASURES:
        draws = [tuple(each.scores[measure] for each in row) for row in drawn]
        means = tuple(float(np.mean(column)) for column in zip(*draws, strict=True))
        random = SelectionCurve(measure, RANDOM, given.shares, means, tuple(draws))
        ours = SelectionCurve(measure, SELECTED, given.shares, tuple(each.scores[measure] for each in selected))
        curves += [random, ours]
        crossings.append(crossing_of(ours, random, lower_is_better=measure == "mwer"))
    half = given.shares.index(PAPER_SHARE_COMPARED) if PAPER_SHARE_COMPARED in given.shares else None
    confidence = () if half is None else _confidence([row[half] for row in drawn], selected[half], request.seed)
    return SystemCurves(name, tuple(curves), tuple(crossings), confidence, dict(everything.rungs))


def _output(train: Train, chosen: Bools, setting: _Setting, at: Progress) -> Job[_Output]:
    yield at
    translate = train(chosen)
    hypotheses: list[str] = []
    rungs: Counter[str] = Counter()
    for number, source in enumerate(setting.held_out.sources):
        if number % _AT_ONCE == 0:
            yield Progress(at.stage, at.done + number, at.total)
        found = translate(source)
        hypotheses.append("" if found is None else found.text)
        rungs["none" if found is None else found.rung] += 1
    scores = {}
    of_sentences = {}
    for name, measure in setting.measures.items():
        scores[name] = float(measure.scores(measure.statistics(hypotheses).sum(axis=0)))
        one = setting.of_sentences[name]
        of_sentences[name] = np.asarray(one.scores(one.statistics(hypotheses)), dtype=np.float64)
    return _Output(scores, of_sentences, rungs)


def _confidence(drawn: Sequence[_Output], selected: _Output, seed: int) -> tuple[PairedConfidence, ...]:
    return tuple(
        paired_confidence(measure, each.of_sentences[measure], selected.of_sentences[measure], seed=seed)
        for measure in MEASURES
        for each in drawn
    )
