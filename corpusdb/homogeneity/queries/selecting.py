"""Selections: which part of the corpus to train on for a task, and whether selecting helps at all.

The pool that is selected from shares nothing with the task. A fifth of the task's different lines, by a hash of each,
is held out: selections are measured by it alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import DEFAULT_NORMALISATION, Alphabet, normalised
from corpusdb.base.char_model_probabilities import SubsetModels, folds_of, model_of, task_counterparts, text_bits
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import are_undelimited, units_of
from corpusdb.corpus.queries.sentences import sentences_after, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.char_models import SourceRecord, text_sources
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, check_alphabet, references_of
from corpusdb.homogeneity.scale import (
    SHARES,
    SelectionPoint,
    Statistics,
    amount,
    closest_scores,
    coefficients,
    curve,
    cynical_order,
    guard,
    moore_lewis_scores,
    random_scores,
    ranked,
)
from corpusdb.homogeneity.similarity import character_ngrams, tokens
from corpusdb.search.queries.results import NewSelection, keep_selection

_HELD_OUT_FOLD: Final = 0


@dataclass(frozen=True, slots=True)
class TaskLines:
    records: tuple[SourceRecord, ...]
    lines: tuple[str, ...]
    """Of all of it; an empty one where nothing is left, so that those of a translation stand beside them."""
    held_out: tuple[bool, ...]
    """Of each line, whether selections are measured by it."""

    @property
    def training(self) -> list[str]:
        return [line for line, out in zip(self.lines, self.held_out, strict=True) if line and not out]

    @property
    def test(self) -> list[str]:
        return [line for line, out in zip(self.lines, self.held_out, strict=True) if line and out]


def read_task(store: Store, language: str, names: Sequence[str], normalisation: str) -> TaskLines:
    """The task, from collections and files. Raises InputError where it is too small for a part to be held out."""
    sources = text_sources(store, language, names)
    lines = [line for source in sources for line in normalised(source.texts, normalisation)]
    held_out = tuple((folds_of(lines) == _HELD_OUT_FOLD).tolist())
    task = TaskLines(tuple(source.record for source in sources), tuple(lines), held_out)
    if not task.training or not task.test:
        raise InputError(f"{', '.join(names)}: the task has too few different lines for some of them to be held out")
    return task


@dataclass(frozen=True, slots=True)
class SelectionPool:
    sentences: I64
    """Their numbers, ascending."""
    originals: tuple[str, ...]
    texts: tuple[str, ...]
    """Normalised, none of them empty."""
    in_task: int
    """How many sentences were left out because they stand in the task."""
    beside_task: int
    """How many were left out because they share a translation with one of the task."""


_SHARING = """
select distinct other.translation
from json_each(?) given
cross join translation own on own.sentence = given.value
cross join translation other on other.sentence = own.translation
cross join sentence on sentence.id = other.translation
where sentence.language = ?
"""


def read_pool(
    store: Store, language: str, collections: Sequence[str], task: TaskLines, normalisation: str
) -> SelectionPool:
    """The sentences of some collections, or of all, without those of the task and others of the same translation.

    Raises InputError where none is left, or for a collection that there is not.
    """
    sentences = sentences_after(store, language, 0)
    texts = normalised([text for _, text in sentences], normalisation)
    task_lines = {*task.lines}
    own = [number for (number, _), text in zip(sentences, texts, strict=True) if text and text in task_lines]
    sharing = {row[0] for row in store.connection.execute(_SHARING, (json.dumps(own), language))} - {*own}
    wanted = {number for name in collections for number in sentences_of(store, name).tolist()} if collections else None
    kept: list[tuple[int, str, str]] = []
    in_task = beside_task = 0
    left_out = {*own}
    for (number, original), text in zip(sentences, texts, strict=True):
        if not text or (wanted is not None and number not in wanted):
            continue
        in_task += number in left_out
        beside_task += number in sharing
        if number not in left_out and number not in sharing:
            kept.append((number, original, text))
    if not kept:
        raise InputError(f"no sentence in {language} is left to select from, without those of the task")
    numbers = np.array([row[0] for row in kept], dtype=np.int64)
    return SelectionPool(numbers, tuple(row[1] for row in kept), tuple(row[2] for row in kept), in_task, beside_task)


Method: TypeAlias = Literal["moore-lewis", "coefficient", "bilingual", "cynical", "random"]

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
class MethodInput:
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
    store: Store, language: str, pool: SelectionPool, task: TaskLines, choice: MethodInput, allowed: Bools
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
        scores = _differences(task.training, pool.texts, choice.seed)
        scores = scores + _differences(choice.other_side.task, choice.other_side.pool, choice.seed)
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
    if recipe is None:
        raise UsageError("selection by the coefficient needs both references")
    references = references_of(store, language, recipe)
    anchors = references.anchors()
    models = [model_of(counts, references.smoothing) for counts in references.counts]
    wanted = float(coefficients(Statistics.under(models, task.training).total(), anchors).values[0])
    if np.isnan(wanted):
        raise InputError("the coefficient of the task is not defined between these references")
    return closest_scores(coefficients(Statistics.under(models, pool.texts), anchors).values, wanted)


def _cynical(pool: SelectionPool, task: TaskLines, share: float, allowed: Bools) -> Ordered:
    """By words, or by pairs of characters where words are not delimited; so many texts as the share asks for."""
    both = [*pool.texts, *task.training]
    undelimited = are_undelimited(task.training)
    found = character_ngrams(both, 2) if undelimited else tokens([units_of(text) for text in both])
    size = len(pool.texts)
    task_counts = np.bincount(found.numbers[found.lengths[:size].sum() :], minlength=found.distinct)
    chosen = cynical_order(found.first(size), task_counts, allowed, _until(pool.texts, share))
    helpful = chosen.helpful
    return Ordered(chosen.order, chosen.changes, helpful if helpful < len(chosen.order) else None)


def _until(texts: Sequence[str], share: float) -> Callable[[int], bool]:
    left = share * sum(map(len, texts)) * (1 - 1e-12)

    def enough(place: int) -> bool:
        nonlocal left
        left -= len(texts[place])
        return left <= 0

    return enough


DRAWS: Final = 5
"""Random draws that a method is compared with."""
_HELD_OUT_ORDER: Final = 5
"""Of the models of selections, by Witten-Bell: also a small selection has one."""


@dataclass(frozen=True, slots=True)
class TaskTranslation:
    """For bilingual selection: the task in another language, line by line."""

    language: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRecipe:
    method: Method
    task: tuple[str, ...]
    """Collections and files."""
    share: float
    """Of the characters of the pool, above 0 and at most 1."""
    pool: tuple[str, ...] = ()
    """Collections; none is all."""
    normalisation: str = DEFAULT_NORMALISATION
    seed: int = 1
    least: int = 1
    """Characters of the shortest sentence that may be selected."""
    most: int | None = None
    references: ProfileRecipe | None = None
    translation: TaskTranslation | None = None


@dataclass(frozen=True, slots=True)
class AmountWorth:
    """What so much of the pool is worth, in bits per character of held-out text of the task; lower is better."""

    share: float
    bits: float | None
    """Of the selection; None for more than it was made of."""
    random_bits: float
    """The mean of the random draws."""
    random_sd: float
    random_lowest: float


@dataclass(frozen=True, slots=True)
class SelectionFound:
    language: str
    recipe: SelectionRecipe
    pool: int
    """Sentences that could be selected."""
    pool_characters: int
    in_task: int
    """Sentences of the corpus that stand in the task, and were left out."""
    beside_task: int
    """Sentences that were left out because they share a translation with one of the task."""
    guarded: int
    """Sentences that were left out by their length, or because another has the same letters."""
    held_out: int
    """Lines of the task by which selections are measured."""
    characters: int
    all_bits: float
    """What the whole pool is worth."""
    curve: tuple[AmountWorth, ...]
    at_share: AmountWorth
    enough: int | None
    """Sentences after which a cynical selection comes no nearer to the task; None where it did not come so far."""
    sentences: tuple[int, ...]
    """Numbers of the selected sentences, the best first."""
    texts: tuple[str, ...]
    scores: tuple[float, ...]

    @property
    def beats_random(self) -> bool:
        """Whether the selection is worth more than every random draw of its size."""
        return self.at_share.bits is not None and self.at_share.bits < self.at_share.random_lowest

    @property
    def beats_all(self) -> bool:
        return self.at_share.bits is not None and self.at_share.bits < self.all_bits

    @property
    def best(self) -> AmountWorth | None:
        """The amount of the curve that is worth most, if that is more than the whole pool."""
        known = [(each.bits, each) for each in self.curve if each.bits is not None and each.share < 1]
        bits, found = min(known, key=lambda pair: pair[0], default=(self.all_bits, None))
        return found if bits < self.all_bits else None

    @property
    def answer(self) -> str:
        amount = f"{100 * self.recipe.share:g} %"
        if self.beats_all:
            return f"selecting helps here: {amount} is worth more than all of the pool"
        if self.beats_random:
            best = "" if self.best is None else f"; {100 * self.best.share:g} % is worth more than all of it"
            return (
                f"{amount} is worth more than as much at random, and less than all of the pool{best}: "
                "select where no more can be trained on"
            )
        if self.best is not None:
            best = f"{100 * self.best.share:g} %"
            return f"at {amount} selecting does not help here; {best} is worth more than all of the pool"
        return f"selecting does not help here: {amount} is worth no more than as much at random"


def select_sentences(store: Store, language: str, recipe: SelectionRecipe) -> Job[SelectionFound]:
    """Select a share of the corpus for a task, and measure selections of many sizes beside random ones.

    Nothing is stored. Raises InputError for a task or pool that is missing or too small, or a share that is none.
    """
    if not 0 < recipe.share <= 1:
        raise InputError(f"a share of {100 * recipe.share:.6g} % is not above 0 and at most 100 %")
    yield Progress("reading task and pool", 0, 0)
    task = read_task(store, language, recipe.task, recipe.normalisation)
    pool = read_pool(store, language, recipe.pool, task, recipe.normalisation)
    check_alphabet("the task", task.lines, pool.texts)
    characters = np.fromiter(map(len, pool.texts), dtype=np.int64, count=len(pool.texts))
    allowed = guard(characters, normalised(pool.originals, "letters"), recipe.least, recipe.most)
    if not allowed.any():
        raise InputError("no sentence of the pool has so many characters")
    other_side = None
    if recipe.method == "bilingual":
        if recipe.translation is None:
            raise InputError("bilingual selection needs the task's translation")
        other_side = _other_side(store, pool, task, recipe)
    choice = MethodInput(recipe.method, recipe.seed, recipe.share, recipe.references, other_side)
    yield Progress("ordering sentences of the pool", 0, len(pool.texts))
    found = ordered(store, language, pool, task, choice, allowed)
    if not len(found.order):
        raise InputError("the method can order no sentence of the pool")
    worth = yield from _worth(pool, task, characters, found, recipe)
    chosen = amount(found.order, characters, recipe.share)
    return SelectionFound(
        language=language,
        recipe=recipe,
        pool=len(pool.texts),
        pool_characters=int(characters.sum()),
        in_task=pool.in_task,
        beside_task=pool.beside_task,
        guarded=int((~allowed).sum()),
        held_out=len(task.test),
        characters=int(characters[chosen].sum()),
        all_bits=worth[-1].random_bits,
        curve=tuple(worth),
        at_share=next(each for each in worth if each.share == recipe.share),
        enough=found.enough,
        sentences=tuple(pool.sentences[chosen].tolist()),
        texts=tuple(pool.originals[place] for place in chosen.tolist()),
        scores=tuple(found.scores[: len(chosen)].tolist()),
    )


def _worth(
    pool: SelectionPool, task: TaskLines, characters: I64, found: Ordered, recipe: SelectionRecipe
) -> Job[list[AmountWorth]]:
    """The curve of the method and of random draws, at the usual amounts and at the share that is asked for."""
    shares = sorted({*SHARES, recipe.share})
    own = [share for share in shares if recipe.method != "cynical" or share <= recipe.share]
    held_out = SubsetModels(pool.texts, task.test, Alphabet.of(pool.texts) | Alphabet.of(task.lines), _HELD_OUT_ORDER)
    stage = "measuring selections, curves"
    yield Progress(stage, 0, DRAWS + 1)
    points = curve(found.order, characters, held_out.entropy, own)
    draws: list[list[SelectionPoint]] = []
    everything = np.ones(len(characters), dtype=np.bool_)
    for draw in range(DRAWS):
        yield Progress(stage, draw + 1, DRAWS + 1)
        order = ranked(random_scores(len(characters), recipe.seed + 1 + draw), everything)
        draws.append(curve(order, characters, held_out.entropy, shares))
    by_share = {point.share: point.bits for point in points}
    rows = []
    for place, share in enumerate(shares):
        bits = np.array([points_of_draw[place].bits for points_of_draw in draws])
        rows.append(
            AmountWorth(share, by_share.get(share), float(bits.mean()), float(bits.std(ddof=1)), float(bits.min()))
        )
    return rows


_TRANSLATIONS = """
select translation.sentence, min(other.id), other.text
from translation join sentence own on own.id = translation.sentence and own.language = ?
join sentence other on other.id = translation.translation and other.language = ?
group by translation.sentence
"""


def _other_side(store: Store, pool: SelectionPool, task: TaskLines, recipe: SelectionRecipe) -> OtherSide:
    """The first translation of each sentence of the pool, and those of the task. Raises InputError."""
    translation = recipe.translation
    if translation is None:
        raise InputError("bilingual selection needs the task's translation")
    sources = text_sources(store, translation.language, translation.names)
    lines = [line for source in sources for line in normalised(source.texts, recipe.normalisation)]
    if len(lines) != len(task.lines):
        raise InputError(f"the task has {len(task.lines):,} lines, its translation {len(lines):,}")
    theirs = [line for line, out in zip(lines, task.held_out, strict=True) if line and not out]
    if not theirs:
        raise InputError("the translation of the task has no characters")
    language = str(store.connection.execute(_LANGUAGE, (int(pool.sentences[0]),)).fetchone()[0])
    rows = store.connection.execute(_TRANSLATIONS, (language, translation.language))
    texts = {sentence: text for sentence, _, text in rows}
    beside: Sequence[str] = [texts.get(number, "") for number in pool.sentences.tolist()]
    beside = normalised(beside, recipe.normalisation)
    if not any(beside):
        raise InputError(f"no sentence of the pool has a translation in {translation.language}")
    return OtherSide(tuple(beside), tuple(theirs))


_LANGUAGE = "select language from sentence where id = ?"


def store_selection(store: Store, name: str, found: SelectionFound) -> None:
    """Keep a selection with its curve, in one transaction. Raises InputError where one has the name."""
    parameters = {**asdict(found.recipe), "answer": found.answer}
    curve = [asdict(each) for each in found.curve]
    kept = NewSelection(name, found.language, parameters, curve, found.characters)
    keep_selection(store, kept, zip(found.sentences, found.scores, strict=True))
