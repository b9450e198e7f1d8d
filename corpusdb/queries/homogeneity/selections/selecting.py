"""Selections: which part of the corpus to train on for a task, and whether selecting helps at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import I64
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION, normalised
from corpusdb.charlm.subsets import SubsetModels
from corpusdb.errors import InputError
from corpusdb.homogeneity.selection import SHARES, CurvePoint, amount, curve, guard, random_scores, ranked
from corpusdb.jobs import Job, Progress
from corpusdb.queries.homogeneity.profile_references import ProfileRecipe, check_alphabet
from corpusdb.queries.homogeneity.selections.methods import Choice, Method, Ordered, OtherSide, ordered
from corpusdb.queries.homogeneity.selections.pool import SelectionPool, TaskLines, read_pool, read_task
from corpusdb.queries.homogeneity.text_sources import text_sources
from corpusdb.store import Store

__all__ = ["DRAWS", "AmountWorth", "SelectionFound", "SelectionRecipe", "Translation", "select_sentences"]

DRAWS: Final = 5
"""Random draws that a method is compared with."""
_HELD_OUT_ORDER: Final = 5
"""Of the models of selections, by Witten-Bell: also a small selection has one."""


@dataclass(frozen=True, slots=True)
class Translation:
    """For bilingual selection: the task in another language, line by line."""

    language: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRecipe:
    """What a selection is made by."""

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
    translation: Translation | None = None


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
    """A selection, and what it is worth."""

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
    """Of the selection."""
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
        """Whether it is worth more than the whole pool."""
        return self.at_share.bits is not None and self.at_share.bits < self.all_bits

    @property
    def best(self) -> AmountWorth | None:
        """The amount of the curve that is worth most, if that is more than the whole pool."""
        known = [(each.bits, each) for each in self.curve if each.bits is not None and each.share < 1]
        bits, found = min(known, key=lambda pair: pair[0], default=(self.all_bits, None))
        return found if bits < self.all_bits else None

    @property
    def answer(self) -> str:
        """Does selecting help here?"""
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
    choice = Choice(recipe.method, recipe.seed, recipe.share, recipe.references, other_side)
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
    draws: list[list[CurvePoint]] = []
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
    language = _language_of(store, pool)
    rows = store.connection.execute(_TRANSLATIONS, (language, translation.language))
    texts = {sentence: text for sentence, _, text in rows}
    beside: Sequence[str] = [texts.get(number, "") for number in pool.sentences.tolist()]
    beside = normalised(beside, recipe.normalisation)
    if not any(beside):
        raise InputError(f"no sentence of the pool has a translation in {translation.language}")
    return OtherSide(tuple(beside), tuple(theirs))


_LANGUAGE = "select language from sentence where id = ?"


def _language_of(store: Store, pool: SelectionPool) -> str:
    return str(store.connection.execute(_LANGUAGE, (int(pool.sentences[0]),)).fetchone()[0])
