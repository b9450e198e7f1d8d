"""What is studied, and the scale of each language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from corpusdb.base.char_model_probabilities import Model, measured, model_of, text_bits
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.sentences import check_collections, collection_names
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, ProfileReferences, references_of
from corpusdb.homogeneity.queries.selecting import Method
from corpusdb.homogeneity.scale import SHARES, Anchors, Statistics, coefficients

PARTS: Final = ("table", "correlations", "perplexity", "translation")
"""Table 1 and Figure 1, section 3.2, Figure 3, Figure 2 with the confidence."""
METHODS: Final[tuple[Method, ...]] = ("coefficient", "moore-lewis", "cynical")
"""How data is selected, beside random draws."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What is trained on, and for what."""

    collections: tuple[str, ...]
    task: tuple[str, ...] = ()
    """Collections and files; none is sentences held out from the pool."""
    held_out: int = 510
    """So many sentences, where they are held out from the pool."""
    methods: tuple[Method, ...] = ("coefficient", "moore-lewis")
    shares: tuple[float, ...] = SHARES
    draws: int = 5


@dataclass(frozen=True, slots=True)
class TranslationTask:
    """What is translated by systems that are trained on parts of the pool."""

    source: str
    target: str
    systems: tuple[str, ...]
    selected_by: str
    """The language whose coefficients select; the source, unless it has no references."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRequest:
    """What is studied."""

    recipes: Mapping[str, ProfileRecipe]
    """The references of each language."""
    corpus: tuple[str, ...]
    """The collections whose lines and documents are measured."""
    pool: Pool
    bitext: TranslationTask | None = None
    parts: tuple[str, ...] = PARTS
    seed: int = 1


def check_request(request: StudyRequest) -> None:
    """Raise UsageError for what contradicts itself or is unknown, InputError for what is measured by itself.

    Lines that happen to stand in a reference are left out of what is measured; a collection that is one has none left.
    """
    if strange := [part for part in request.parts if part not in PARTS]:
        raise UsageError(f"there is no part {strange[0]!r}, but {', '.join(PARTS)}")
    if strange := [method for method in request.pool.methods if method not in METHODS]:
        raise UsageError(f"there is no method {strange[0]!r} here, but {', '.join(METHODS)}")
    for share in request.pool.shares:
        if not 0 < share <= 1:
            raise InputError(f"a share of {100 * share:.6g} % is not above 0 and at most 100 %")
    if 1.0 not in request.pool.shares:
        raise UsageError("100 % is missing from the shares: all data are what the others are compared with")
    references = {name for recipe in request.recipes.values() for name in (*recipe.spoken, *recipe.written)}
    for what, names in (
        ("measured", request.corpus),
        ("trained on", request.pool.collections),
        ("the task", request.pool.task),
    ):
        if both := [name for name in names if name in references]:
            raise InputError(f"{both[0]!r} is a reference and {what}; references must not overlap what is measured")
    if both := [name for name in request.pool.task if name in request.pool.collections]:
        raise InputError(f"{both[0]!r} is the task and trained on")
    if "translation" in request.parts and request.bitext is None:
        raise UsageError("the part translation needs two languages: --from LANG --to LANG")
    if request.bitext is not None and request.bitext.selected_by not in request.recipes:
        known = ", ".join(request.recipes)
        raise UsageError(f"no references are given in {request.bitext.selected_by}, but in {known}")


def corpus_of(
    store: Store, given: Sequence[str], recipes: Mapping[str, ProfileRecipe], task: Sequence[str]
) -> tuple[str, ...]:
    """The collections that are measured: those given, else all that are in no reference and not the task.

    Raises InputError for a collection that there is not, and where none is left.
    """
    check_collections(store, given)
    used = {name for recipe in recipes.values() for name in (*recipe.spoken, *recipe.written)} | {*task}
    found = tuple(given) or tuple(name for name in collection_names(store) if name not in used)
    if not found:
        raise InputError("every collection is a reference or the task, so that there is none to measure")
    return found


@dataclass(frozen=True)
class Scale:
    """The references of one language, and what texts cost under their models."""

    language: str
    references: ProfileReferences

    @cached_property
    def anchors(self) -> Anchors:
        """Raises InputError where the references span no scale."""
        return self.references.anchors()

    @cached_property
    def models(self) -> list[Model]:
        """Of the spoken and of the written reference."""
        return [model_of(counts, self.references.smoothing) for counts in self.references.counts]

    def statistics(self, texts: Sequence[str]) -> Statistics:
        bits = text_bits(self.models, texts)
        return Statistics(bits.characters, bits.bits[0], bits.bits[1])

    def coefficient(self, texts: Sequence[str]) -> float | None:
        """Of all texts together; None where it is not defined."""
        value = float(coefficients(self.statistics(texts).total(), self.anchors).values[0])
        return None if value != value else value

    def measuring(self, texts: Sequence[str]) -> Job[Statistics]:
        parts = []
        stage = f"measuring texts in {self.language}"
        for start, part in measured(self.models, texts):
            yield Progress(stage, start, len(texts))
            parts.append(Statistics(part.characters, part.bits[0], part.bits[1]))
        return Statistics(
            np.concatenate([part.characters for part in parts]),
            np.concatenate([part.bits1 for part in parts]),
            np.concatenate([part.bits2 for part in parts]),
        )


def scale_of(store: Store, language: str, recipe: ProfileRecipe) -> Job[Scale]:
    """The scale between the references of a recipe. Raises InputError where they are missing or span none."""
    yield Progress(f"reading the references in {language}", 0, 0)
    return Scale(language, references_of(store, language, recipe))
