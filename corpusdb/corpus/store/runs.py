"""How derived rows came about: runs, one job at a time, how far layers are up to date, indexes in segments."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from corpusdb import __version__
from corpusdb.base.errors import DatabaseDamaged, DatabaseIsExtract
from corpusdb.base.holders import Holder
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store.connection import Store, now

# Provenance: each operation that makes derived rows leaves a row that says how.


@dataclass(frozen=True, slots=True)
class Run:
    id: int
    operation: str


_FINGERPRINT = "select digest, lines_done from document order by id"


def corpus_fingerprint(store: Store) -> str:
    """A digest of what the corpus was made of: the files, in their order, and how far each was read."""
    from hashlib import sha256  # with what makes something

    digest = sha256()
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
    return Run(int(row[0]), operation) if row else None


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
    return Run(int(cursor.lastrowid or 0), operation)


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


_MADE = """
select name, last_sentence, last_run, complete, run from layer
where language = ? and name in (select value from json_each(?)) order by name
"""


def layers_made(store: Store, language: str, *names: str) -> tuple[tuple[str | int, ...], ...]:
    """What is another whenever one of these layers was brought up to date, or made again from as many sentences."""
    return tuple(store.connection.execute(_MADE, (language, json.dumps(names))))


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


# Jobs that change the corpus or what is derived from it: one at a time, over all processes.

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_UNTIL_DEAD = 600.0
"""A holder of whom this machine cannot tell whether it lives, and that gives no sign for so long, is taken for dead. If
it is not, it stops at its next transaction."""

_OF_THE_WHOLE = frozenset(
    {"accept", "check --repair", "detect", "generate", "import", "index", "remove", "session apply", "study", "update"}
)
"""What changes the corpus, or makes what is derived from all of it: an extract of a corpus refuses that."""


def exclusive(
    operation: str,
) -> Callable[
    [Callable[Concatenate[Store, Arguments], Job[Result]]], Callable[Concatenate[Store, Arguments], Job[Result]]
]:
    """Let a job, which takes the store first, begin when no other such job runs, and keep others from beginning.

    What the job reads of the corpus then stays as it is until it ends. A job inside a job is a part of it. While it has
    to wait, its Progress names the other.
    """

    def decorate(
        job: Callable[Concatenate[Store, Arguments], Job[Result]],
    ) -> Callable[Concatenate[Store, Arguments], Job[Result]]:
        @wraps(job)
        def alone(store: Store, /, *arguments: Arguments.args, **options: Arguments.kwargs) -> Job[Result]:
            # A store that may not be written to can run a job that finds nothing to do.
            if store.in_job or store.read_only:
                return (yield from job(store, *arguments, **options))
            if operation in _OF_THE_WHOLE:
                require_whole(store, operation)
            yield from _wait_for_turn(store, operation)
            try:
                return (yield from job(store, *arguments, **options))
            finally:
                store.end_job()

        return alone

    return decorate


def _wait_for_turn(store: Store, operation: str) -> Job[None]:
    """Take the job lock as soon as nobody has it."""
    given_up, sign, since = "", ("", 0), time.monotonic()
    while (holder := _living_holder(store, operation, given_up)) is not None:
        if (holder.token, holder.beats) != sign:
            sign, since = (holder.token, holder.beats), time.monotonic()
        elif time.monotonic() - since > _SECONDS_UNTIL_DEAD:
            given_up = holder.token
            continue
        yield Progress(f"waiting for {holder}", 0, 0)
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _living_holder(store: Store, operation: str, given_up: str) -> Holder | None:
    """The other job, or None where this one has the lock now.

    It is looked for without a transaction first, which a long one of the other job would make wait.
    """
    holder = store.job_holder()
    if holder is not None and holder.token != given_up and not holder.is_known_dead:
        return holder
    return store.start_job(operation, given_up)


# Indexes in segments, and checksums of what is read together. New sentences make a segment of their own, which takes in
# those before it that are not much larger: so there are never more than about log2(sentences) of them.


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """Where the segments of one kind of index are stored."""

    last: str
    """SQL for the last segment of a language: its id, its size, and other columns."""
    drop: str
    """SQL that deletes the segment of an id."""

    def taken_in(
        self, connection: sqlite3.Connection, language: str, size: int, largest: int
    ) -> Iterator[tuple[Any, ...]]:
        """The other columns of the segments that a new one of ``size`` takes in, the last first; they are deleted.

        A segment is taken in that is at most twice as large, unless both together were larger than ``largest``.
        """
        while row := connection.execute(self.last, (language,)).fetchone():
            segment, before, *columns = row
            if before > 2 * size or before + size > largest:
                return
            connection.execute(self.drop, (segment,))
            size += before
            yield tuple(columns)


def blobs_checksum(*blobs: bytes) -> int:
    """CRC-32 of some columns one after the other, which is fast enough for whenever they are read."""
    checksum = 0
    for blob in blobs:
        checksum = zlib.crc32(blob, checksum)
    return checksum


def checked_blobs(what: str, checksum: int | None, *blobs: bytes) -> None:
    """Raise DatabaseDamaged where blobs that were just read are not those that were written.

    Those of an older database have no checksum, and pass.
    """
    if checksum is not None and checksum != blobs_checksum(*blobs):
        raise _damaged(what)


def _damaged(what: str) -> DatabaseDamaged:
    return DatabaseDamaged(f"the {what} are damaged; `corpusdb check --repair` rebuilds them")


@contextmanager
def checked_numbers(what: str, checksum: int | None, *blobs: bytes) -> Iterator[None]:
    """Raise DatabaseDamaged where blobs are not those that were written, or the block cannot read their numbers."""
    checked_blobs(what, checksum, *blobs)
    try:
        yield
    except ValueError as error:
        raise _damaged(what) from error
