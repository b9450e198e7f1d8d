"""The translators whose curves are drawn: each is trained on parts of the examples, in memory.

A new one is a function that prepares it, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.arrays import Bools
from corpusdb.errors import InputError, UsageError
from corpusdb.jobs import Job, Progress, finished
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.queries.translation.example_pairs import Direction
from corpusdb.queries.translation.phrases.linked_corpus import aligned_model
from corpusdb.queries.translation.phrases.phrase_rung import PhraseRung
from corpusdb.store import Store
from corpusdb.translation.analogies import open_analogies
from corpusdb.translation.answers import Rung, Translation
from corpusdb.translation.examples import Examples
from corpusdb.translation.memory import open_memory
from corpusdb.translation.unit_texts import encode_texts

__all__ = ["SYSTEMS", "Prepare", "System", "Train", "Translate", "ready_systems", "system_named"]

Translate: TypeAlias = Callable[[str], Translation | None]
"""The translation of a text; None where there is none."""
Train: TypeAlias = Callable[[Bools], Translate]
"""What translates by the examples that a mask over them chooses."""
Prepare: TypeAlias = Callable[[Store, Direction, Examples], Job[Train]]
"""What is done once for all parts of the examples."""


def _analogy_and_memory(store: Store, direction: Direction, examples: Examples) -> Job[Train]:
    """By analogy, else the nearest example: nothing is estimated, as in the paper's translator."""
    yield Progress("cutting examples into units", 0, 0)
    texts = encode_texts(examples.sources)

    def train(chosen: Bools) -> Translate:
        own, units = examples.chosen(chosen), texts.chosen(chosen)
        rungs: tuple[Rung, ...] = (open_analogies(own, units), open_memory(own, units))

        def translate(text: str) -> Translation | None:
            return next((found for rung in rungs for found in rung.translations(text, 1)), None)

        return translate

    return train


def _phrases(store: Store, direction: Direction, examples: Examples) -> Job[Train]:
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
