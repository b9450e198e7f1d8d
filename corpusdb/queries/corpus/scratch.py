"""A database beside that of the user, in which something is made again to be looked at."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from corpusdb.jobs import Job, Progress
from corpusdb.store import Store, open_store

__all__ = ["scratch_store", "streamed"]

_ROWS_AT_ONCE = 100_000


@contextmanager
def scratch_store() -> Iterator[Store]:
    """A database of its own, which is gone afterwards; nobody needs it after a crash."""
    with (
        tempfile.TemporaryDirectory(prefix="corpusdb-") as folder,
        open_store(Path(folder) / "scratch.db", create=True) as store,
    ):
        yield store


_INSERT = "insert into {table} values ({marks})"


def streamed(
    store: Store, into: sqlite3.Connection, table: str, statement: str, bound: Mapping[str, object]
) -> Job[None]:
    """Copy what a query gives into a table of another database; ``table`` has its schema before it."""
    rows = store.connection.execute(statement, bound)
    insert = _INSERT.format(table=table, marks=", ".join("?" * len(rows.description)))
    done = 0
    while batch := list(islice(rows, _ROWS_AT_ONCE)):
        yield Progress(f"copying {table.partition('.')[2]} rows", done, 0)
        into.executemany(insert, batch)
        done += len(batch)
