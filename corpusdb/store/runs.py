"""Provenance: each operation that makes derived rows leaves a row that says how."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from corpusdb import __version__
from corpusdb.store.connection import Store

__all__ = ["Run", "corpus_fingerprint", "finish_run", "start_run"]


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
_START = "insert into run (operation, parameters, version, fingerprint, started) values (?, ?, ?, ?, ?)"


def start_run(store: Store, operation: str, parameters: Mapping[str, object]) -> Run:
    """Note that an operation begins, or goes on where the same one was interrupted on the same corpus.

    Must be called inside a transaction of the caller.
    """
    written = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    fingerprint = corpus_fingerprint(store)
    row = store.connection.execute(_UNFINISHED, (operation, written, fingerprint)).fetchone()
    if row:
        return Run(int(row[0]), operation, resumed=True)
    cursor = store.connection.execute(_START, (operation, written, __version__, fingerprint, _now()))
    return Run(int(cursor.lastrowid or 0), operation, resumed=False)


_FINISH = "update run set finished = ?, counts = ? where id = ?"


def finish_run(store: Store, run: Run, counts: Mapping[str, object]) -> None:
    """Note that the operation is done, with the counts at its every step; inside a transaction of the caller."""
    store.connection.execute(_FINISH, (_now(), json.dumps(counts, sort_keys=True, ensure_ascii=False), run.id))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
