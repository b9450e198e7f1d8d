"""The study of Denoual (2005), or parts of it; perplexity, BLEU, NIST and mWER by the amount of training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import Alphabet, normalised
from corpusdb.base.char_model_probabilities import SubsetModels
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import lowest_tickets, paired_randomisation
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.corpus.formats.records import ReferenceSet, digest
from corpusdb.corpus.queries.sentences import sentences_after, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.selecting import MethodInput, SelectionPool, TaskLines, ordered, read_pool, read_task
from corpusdb.homogeneity.scale import amount, closest_scores, coefficients, random_scores, ranked
from corpusdb.scoring.metric import Measure, SegmentReferences
from corpusdb.scoring.metric_settings import Smoothing
from corpusdb.scoring.metrics import metric_named, settings_for
from corpusdb.studies.queries.homogeneity_profiles import (
    PAPER_SHARE_COMPARED,
    CoefficientCorrelation,
    Crossing,
    LanguageProfile,
    Pool,
    Scale,
    SelectionCurve,
    StudyRequest,
    TranslationTask,
    check_request,
    correlations_of,
    crossing_of,
    language_profile,
    scale_of,
)
from corpusdb.translation.example_rungs import open_analogies, open_memory
from corpusdb.translation.examples import Examples, ExampleTranslation, HeldOutSentences, Rung, encode_texts, hold_out
from corpusdb.translation.queries.example_pairs import TranslationDirection, aligned_model, direction_of, read_examples
from corpusdb.translation.queries.ladder import PhraseRung

# Perplexity of a task by the amount of training data, selected and at random (Denoual 2005, section 4.1.1, Figure 3).
# The units are sentences, each once; amounts are shares of their characters. Models are of order 5 with Witten-Bell
# smoothing, which also a small selection has. The task shares no sentence and no translation with what is trained on.


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
            choice = MethodInput(method, request.seed, share)
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


# The translators whose curves are drawn: each is trained on parts of the examples, in memory.
# A new one is a function that prepares it, and a line here.


Translate: TypeAlias = Callable[[str], ExampleTranslation | None]
"""The translation of a text; None where there is none."""
Train: TypeAlias = Callable[[Bools], Translate]
"""What translates by the examples that a mask over them chooses."""
Prepare: TypeAlias = Callable[[Store, TranslationDirection, Examples], Job[Train]]
"""What is done once for all parts of the examples."""


def _analogy_and_memory(store: Store, direction: TranslationDirection, examples: Examples) -> Job[Train]:
    """By analogy, else the nearest example: nothing is estimated, as in the paper's translator."""
    yield Progress("cutting examples into units", 0, 0)
    texts = encode_texts(examples.sources)

    def train(chosen: Bools) -> Translate:
        own, units = examples.chosen(chosen), texts.chosen(chosen)
        rungs: tuple[Rung, ...] = (open_analogies(own, units), open_memory(own, units))

        def translate(text: str) -> ExampleTranslation | None:
            return next((found for rung in rungs for found in rung.translations(text, 1)), None)

        return translate

    return train


def _phrases(store: Store, direction: TranslationDirection, examples: Examples) -> Job[Train]:
    """By the phrases of the chosen examples. Their links are those of the whole corpus, which is not aligned anew."""
    yield Progress("looking for the sentences of pairs", 0, 0)
    known = {text: number for number, text in sentences_after(store, direction.target, 0)}
    numbers = np.array(examples.numbers, dtype=np.int64)
    targets = np.array([known[text] for own in examples.targets for text in own], dtype=np.int64)
    owners = np.repeat(np.arange(len(examples)), [len(own) for own in examples.targets])

    def train(chosen: Bools) -> Translate:
        within = np.unique(np.concatenate([numbers[chosen], targets[chosen[owners]]]))
        rung = finished(PhraseRung.open(store, direction.source, direction.target, within))
        return lambda text: next(iter(rung.translations(text, 1)), None)

    return train


def _is_ready(store: Store, source: str, target: str) -> None:
    """Examples alone are needed."""


def _is_aligned(store: Store, source: str, target: str) -> None:
    aligned_model(store, source, target)


class System(NamedTuple):
    """A translator whose curves can be drawn."""

    prepare: Prepare
    check: Callable[[Store, str, str], None] = _is_ready
    """Raises InputError where the corpus is not ready for it, from one language to another."""


SYSTEMS: Final[Mapping[str, System]] = {
    "analogy+memory": System(_analogy_and_memory),
    "phrases": System(_phrases, _is_aligned),
}


def system_named(name: str) -> System:
    """The system of that name. Raises UsageError where there is none."""
    if name not in SYSTEMS:
        raise UsageError(f"there is no translator {name!r}, but {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def ready_systems(store: Store, source: str, target: str) -> tuple[tuple[str, ...], list[str]]:
    """The systems that the corpus is ready for, and why it is not for the others."""
    ready, reasons = [], []
    for name, system in SYSTEMS.items():
        try:
            system.check(store, source, target)
            ready.append(name)
        except InputError as error:
            reasons.append(f"left out: {name}: {error}")
    return tuple(ready), reasons


# BLEU, NIST and mWER of translators by the amount of training data (Denoual 2005, section 4.1.2, Figure 2).
# Amounts are shares of the characters of the source sentences, each with all its translations. Selected is what is
# nearest to the coefficient of the test set. Scores are of lower-cased words as mteval-v13a cuts them; those of single
# sentences, which the confidence is about, smooth BLEU as mteval does, over the orders that the sentence has.


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

    held_out: HeldOutSentences
    examples: Examples
    characters: I64
    order: I64
    """The examples as they are selected."""
    task: float
    measures: dict[str, Measure]
    of_sentences: dict[str, Measure]


def translation_curves(
    store: Store, request: StudyRequest, bitext: TranslationTask, scale: Scale
) -> Job[TranslationCurves]:
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


def _setting(examples: Examples, request: StudyRequest, bitext: TranslationTask, scale: Scale) -> Job[_Setting]:
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


# How sure it is that the scores of sentences differ, which two systems gave for the same sentences.
# Denoual 2005, section 4.1.2, makes a "mean comparison of the 510 paired score values assigned to sentences". Here
# that is a randomisation of signs. The confidence is 1 - p, two-sided. It is about one draw of training data and the
# next test set; what another draw would change, the same of each draw tells.


TRIALS: Final = 10_000


@dataclass(frozen=True, slots=True)
class PairedConfidence:
    """Scores of the same sentences by two systems."""

    measure: str
    sentences: int
    ties: int
    """Sentences that have the same score by both."""
    random: float
    """The mean of the first system's."""
    selected: float
    difference: float
    """The first system's less the second's."""
    t: float | None
    """Of the paired t-test; None where all differences are equal."""
    confidence: float
    """1 - p of the randomisation, 0 to 1, two-sided."""


def paired_confidence(measure: str, random: F64, selected: F64, *, seed: int) -> PairedConfidence:
    """Compare the scores of each sentence: shape (sentences)."""
    differences = random - selected
    sd = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    rows = np.stack([selected, random])[:, :, np.newaxis]
    compared = paired_randomisation(
        rows, lambda sums: sums[..., 0] / len(differences), baseline=0, samples=TRIALS, seed=seed
    )[1]
    return PairedConfidence(
        measure=measure,
        sentences=len(differences),
        ties=int(np.count_nonzero(differences == 0)),
        random=float(random.mean()),
        selected=float(selected.mean()),
        difference=float(differences.mean()),
        t=float(differences.mean() / (sd / len(differences) ** 0.5)) if sd > 0 else None,
        confidence=1 - compared.p_value,
    )


# The study of Denoual (2005) as a whole, or parts of it.


@dataclass(frozen=True, slots=True)
class HomogeneityStudy:
    """What was found; parts that were not asked for are empty."""

    request: StudyRequest
    profiles: tuple[LanguageProfile, ...]
    correlations: tuple[CoefficientCorrelation, ...]
    perplexity: tuple[PerplexityCurves, ...]
    translation: TranslationCurves | None


def homogeneity_study(store: Store, request: StudyRequest) -> Job[HomogeneityStudy]:
    """Measure the corpus, and draw the curves. Nothing is stored.

    Raises UsageError for a request that contradicts itself, InputError for what is missing or too small.
    """
    check_request(request)
    if "translation" in request.parts and request.bitext is not None:
        direction_of(store, request.bitext.source, request.bitext.target)  # before anything is computed
        for name in request.bitext.systems:
            system_named(name).check(store, request.bitext.source, request.bitext.target)
    scales: dict[str, Scale] = {}
    for language, recipe in request.recipes.items():
        scales[language] = yield from scale_of(store, language, recipe)
    profiles: list[LanguageProfile] = []
    if {"table", "correlations"} & {*request.parts}:
        for language, recipe in request.recipes.items():
            profiles.append((yield from language_profile(store, scales[language], recipe, request.corpus)))
    perplexity: list[PerplexityCurves] = []
    if "perplexity" in request.parts:
        for scale in scales.values():
            perplexity.append((yield from perplexity_curves(store, request, scale)))
    translation = None
    if "translation" in request.parts and request.bitext is not None:
        scale = scales[request.bitext.selected_by]
        translation = yield from translation_curves(store, request, request.bitext, scale)
    return HomogeneityStudy(
        request,
        tuple(profiles),
        tuple(correlations_of(profiles)) if "correlations" in request.parts else (),
        tuple(perplexity),
        translation,
    )
