"""How derived rows came about: runs, how far layers are up to date, and files that hold an extract."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from corpusdb import __version__
from corpusdb.base.errors import DatabaseIsExtract
from corpusdb.corpus.store.connection import Store
from corpusdb.corpus.store.permissions import now

__all__ = [
    "EXTRACT",
    "Layer",
    "Run",
    "corpus_fingerprint",
    "extract_languages",
    "finish_run",
    "interrupted_run",
    "keep_counts",
    "languages_with_layers",
    "layer_state",
    "reopen_layers",
    "require_whole",
    "run_counts",
    "save_layer",
    "start_run",
]


# Provenance: each operation that makes derived rows leaves a row that says how.


@dataclass(frozen=True, slots=True)
class Run:
    """One operation on the database."""

    id: int
    operation: str
    resumed: bool
    """Whether it goes on with one that was interrupted."""


_FINGERPRINT = "select digest, lines_done from document order by id"


def corpus_fingerprint(store: Store) -> str:
    """A digest of what the corpus was made of: the files, in their order, and how far each was read."""
    digest = hashlib.sha256()
    for name, lines in store.connection.execute(_FINGERPRINT):
        digest.update(f"{name} {lines}\n".encode())
    return digest.hexdigest()[:16]


_UNFINISHED = """
select id from run where operation = ? and parameters = ? and fingerprint = ? and finished is null
order by id desc limit 1
"""


def interrupted_run(store: Store, operation: str, parameters: Mapping[str, object]) -> Run | None:
    """The run of the same operation on this corpus that has not ended; in a job only, where none is going on beside."""
    written = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    row = store.connection.execute(_UNFINISHED, (operation, written, corpus_fingerprint(store))).fetchone()
    return Run(int(row[0]), operation, resumed=True) if row else None


_START = "insert into run (operation, parameters, version, fingerprint, started) values (?, ?, ?, ?, ?)"


def start_run(store: Store, operation: str, parameters: Mapping[str, object]) -> Run:
    """Note that an operation begins; a job goes on with the run of the same one that was interrupted on this corpus.

    Must be called inside a transaction of the caller, which also ends the run where there is no job. Only a job looks
    for an earlier run: since no other job runs beside it, one that has not ended was interrupted.
    """
    written = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    fingerprint = corpus_fingerprint(store)
    if store.in_job and (run := interrupted_run(store, operation, parameters)):
        return run
    cursor = store.connection.execute(_START, (operation, written, __version__, fingerprint, now()))
    return Run(int(cursor.lastrowid or 0), operation, resumed=False)


_COUNTS = "select counts from run where id = ?"


def run_counts(store: Store, run: Run) -> dict[str, Any]:
    """What is known of a run so far: for one that goes on, what it had counted before it was interrupted."""
    counts: dict[str, Any] = json.loads(store.connection.execute(_COUNTS, (run.id,)).fetchone()[0])
    return counts


_KEEP = "update run set counts = ? where id = ?"


def keep_counts(store: Store, run: Run, counts: Mapping[str, object]) -> None:
    """Note what a run that goes on has counted so far; inside a transaction of the caller."""
    store.connection.execute(_KEEP, (json.dumps(counts, sort_keys=True, ensure_ascii=False), run.id))


_FINISH = "update run set finished = ?, counts = ? where id = ?"


def finish_run(store: Store, run: Run, counts: Mapping[str, object]) -> None:
    """Note that the operation is done, with the counts at its every step; inside a transaction of the caller."""
    store.connection.execute(_FINISH, (now(), json.dumps(counts, sort_keys=True, ensure_ascii=False), run.id))


# How far each derived layer of a language is up to date with the corpus.


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


# Files that hold a part of a larger corpus, or into which one is being loaded: what would rebuild from it refuses.


EXTRACT: Final = "extract"
"""The name of the layer by which such a file is known; it is complete when the load is."""

_MARKED = "select language, complete, parameters from layer where name = ? order by language"


def extract_languages(store: Store) -> dict[str, bool]:
    """The languages of which the file holds an extract, and whether it is loaded to the end."""
    return {language: bool(complete) for language, complete, _ in store.connection.execute(_MARKED, (EXTRACT,))}


def require_whole(store: Store, operation: str) -> None:
    """Raise DatabaseIsExtract, which says why, where an operation would need what the file does not hold."""
    for language, complete, parameters in store.connection.execute(_MARKED, (EXTRACT,)):
        if not complete:
            raise DatabaseIsExtract(f"{store.path}: a load was not ended: `corpusdb distributed load` goes on with it")
        seeds = json.loads(parameters).get("seeds", 0)
        raise DatabaseIsExtract(
            f"{store.path}: {operation} needs the whole corpus, and this file is an extract, for {seeds:,} "
            f"{'seed' if seeds == 1 else 'seeds'} in {language}: load all of the run into a new file"
        )
