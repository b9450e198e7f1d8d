"""Provenance: each operation that makes derived rows leaves a row that says how."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpusdb import __version__
from corpusdb.store.clock import now
from corpusdb.store.connection import Store

__all__ = ["Run", "corpus_fingerprint", "finish_run", "interrupted_run", "keep_counts", "run_counts", "start_run"]


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
