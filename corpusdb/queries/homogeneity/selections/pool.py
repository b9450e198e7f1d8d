"""What is selected from, and what it is selected for: a pool that shares nothing with the task.

A fifth of the task's different lines, by a hash of each, is held out: selections are measured by it alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import I64
from corpusdb.charlm.cross_validation import folds_of
from corpusdb.charlm.normalisation import normalised
from corpusdb.errors import InputError
from corpusdb.queries.corpus.sentences import sentences_after, sentences_of
from corpusdb.queries.homogeneity.text_sources import SourceRecord, text_sources
from corpusdb.store import Store

__all__ = ["SelectionPool", "TaskLines", "read_pool", "read_task"]

_HELD_OUT_FOLD: Final = 0


@dataclass(frozen=True, slots=True)
class TaskLines:
    """The lines of a task, normalised."""

    records: tuple[SourceRecord, ...]
    lines: tuple[str, ...]
    """Of all of it; an empty one where nothing is left, so that those of a translation stand beside them."""
    held_out: tuple[bool, ...]
    """Of each line, whether selections are measured by it."""

    @property
    def training(self) -> list[str]:
        """The lines by which is selected."""
        return [line for line, out in zip(self.lines, self.held_out, strict=True) if line and not out]

    @property
    def test(self) -> list[str]:
        """The lines by which a selection is measured."""
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
    """Sentences that can be selected."""

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
