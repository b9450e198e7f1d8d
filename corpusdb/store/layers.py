"""How far each derived layer of a language is up to date with the corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpusdb.store.connection import Store
from corpusdb.store.runs import Run

__all__ = ["Layer", "languages_with_layers", "layer_state", "reopen_layers", "save_layer"]


@dataclass(frozen=True, slots=True)
class Layer:
    """The state of one derived layer of one language."""

    parameters: dict[str, object]
    last_sentence: int
    """Sentences up to this id are in it."""
    last_run: int
    """Translations of runs up to this id are in it."""
    complete: bool
    """Whether the run that makes it has ended; until then it holds a part."""


_STATE = "select parameters, last_sentence, last_run, complete from layer where language = ? and name = ?"


def layer_state(store: Store, language: str, name: str) -> Layer | None:
    """The state of a layer, or None when it was never begun."""
    row = store.connection.execute(_STATE, (language, name)).fetchone()
    return None if row is None else Layer(json.loads(row[0]), row[1], row[2], bool(row[3]))


_LANGUAGES = """
select distinct language from layer where name in (select value from json_each(?)) order by language
"""


def languages_with_layers(store: Store, names: Iterable[str]) -> list[str]:
    """The languages in which one of these layers was begun, ascending."""
    return [row[0] for row in store.connection.execute(_LANGUAGES, (json.dumps(list(names)),))]


_SAVE = """
insert into layer (language, name, parameters, last_sentence, last_run, complete, run) values (?, ?, ?, ?, ?, ?, ?)
on conflict (language, name) do update set
    parameters = excluded.parameters, last_sentence = excluded.last_sentence, last_run = excluded.last_run,
    complete = excluded.complete, run = excluded.run
"""


def save_layer(store: Store, language: str, name: str, layer: Layer, run: Run) -> None:
    """Write the state of a layer; inside a transaction of the caller, who has the job lock.

    Without it two processes would take the same sentences into the layer, so that this is an error of the program.
    """
    if not store.in_job:
        raise RuntimeError(f"layer {name!r} of {language!r} is written without the job lock")
    parameters: Mapping[str, object] = layer.parameters
    values = (json.dumps(parameters, sort_keys=True), layer.last_sentence, layer.last_run, int(layer.complete), run.id)
    store.connection.execute(_SAVE, (language, name, *values))


def reopen_layers(store: Store, language: str, names: Iterable[str], run: Run) -> None:
    """Let layers that were begun be rebuilt from the first sentence on; inside a transaction of the caller's job."""
    for name in names:
        if state := layer_state(store, language, name):
            save_layer(store, language, name, Layer(state.parameters, 0, run.id, complete=False), run)
