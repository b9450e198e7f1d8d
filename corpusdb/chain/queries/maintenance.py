"""Looking after a database: is it sound, a copy of it while others work on it, and a person's own look inside."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Event

from corpusdb.base.errors import Cancelled, StoreError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.chain.queries.checking import CheckReport, check, checking
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.connection import translated_errors

__all__ = ["CheckReport", "QueryResult", "backup", "check", "checking", "read_only_query"]

_PAGES_AT_ONCE = 2_000


def backup(store: Store, target: Path, *, overwrite: bool = False) -> Job[Path]:
    """Copy the database to ``target``, as it is at one moment, while others go on reading and writing.

    The copy grows under another name in the same folder and gets its own when it is complete; a job that is stopped
    leaves nothing. It may be read by whom the database may be read by. Raises UsageError for a target that exists
    (unless ``overwrite``, which another database may be the victim of) or is in use, InputError for a folder that is
    not there or may not be written to, and StoreError for a full disk.
    """
    mode = store.path.stat().st_mode & 0o777
    with Outputs(Guard(store.path, overwrite, databases=True)) as outputs, outputs.name(target, mode=mode) as copy:
        yield from _copied(store.path, copy)
    return target


def _copied(source: Path, copy: Path) -> Job[None]:
    """SQLite's backup loops by itself and only calls back; in a thread of its own it can be stepped from here."""
    steps: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
    stop = Event()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(_copy_pages, source, copy, steps, stop)
        try:
            while (step := steps.get()) is not None:
                yield Progress("copying pages", *step)
        finally:
            stop.set()
        future.result()


# Pages are read from the state of this moment; without it, each commit of a writer would restart the copy.
_READ = "select count(*) from sqlite_master"


def _copy_pages(source: Path, copy: Path, steps: SimpleQueue[tuple[int, int] | None], stop: Event) -> None:
    def report(_: int, remaining: int, total: int) -> None:
        steps.put((total - remaining, total))
        if stop.is_set():
            raise Cancelled("the copy was stopped")

    try:
        with (
            translated_errors(source),
            open_store(source, read_only=True, damaged=True) as store,
            closing(sqlite3.connect(copy)) as into,
        ):
            store.connection.execute("begin")
            store.connection.execute(_READ).fetchone()
            store.connection.backup(into, pages=_PAGES_AT_ONCE, progress=report)
    finally:
        steps.put(None)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    truncated: bool
    """Whether there are more rows than were asked for."""


_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_DESCRIBING = {
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "function_list",
    "module_list",
}
_REFUSED = {
    sqlite3.SQLITE_INSERT: "insert",
    sqlite3.SQLITE_UPDATE: "update",
    sqlite3.SQLITE_DELETE: "delete",
    sqlite3.SQLITE_ATTACH: "attach or vacuum",
    sqlite3.SQLITE_DETACH: "detach",
    sqlite3.SQLITE_PRAGMA: "pragma",
    sqlite3.SQLITE_FUNCTION: "function",
    sqlite3.SQLITE_TRANSACTION: "transaction",
    sqlite3.SQLITE_SAVEPOINT: "savepoint",
}
_SCHEMA_TABLES = {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}
_FAULTS_OF_FILE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOTADB,
}
_STEPS_BETWEEN_LOOKS = 2_000


def read_only_query(store: Store, sql: str, limit: int, seconds: float) -> QueryResult:
    """The first ``limit`` rows of one statement that only reads; 0 is all of them.

    Raises UsageError for anything but one reading statement, with SQLite's message where the SQL is at fault, and
    StoreError when it is not done after ``seconds``.
    """
    if limit < 0 or seconds <= 0:
        raise UsageError("the number of rows may not be negative, and the time must be more than 0 seconds")
    refused: list[str] = []
    deadline = time.monotonic() + seconds
    connection = store.connection
    with translated_errors(store.path), _guarded(connection, refused, deadline), closing(connection.cursor()) as cursor:
        try:
            cursor.execute(sql)
            rows = cursor.fetchmany(limit + 1) if limit else cursor.fetchall()
        except (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError) as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # those of Python have none
            if refused or code == sqlite3.SQLITE_READONLY:
                raise UsageError(f"only reading is allowed: {refused[0] if refused else 'this'} is refused") from error
            if code == sqlite3.SQLITE_INTERRUPT:
                raise StoreError(
                    f"the query was stopped after {seconds:g} seconds, the time that it was given"
                ) from error
            if code in _FAULTS_OF_FILE:
                raise
            raise UsageError(f"SQL: {error}") from error
        if cursor.description is None:
            raise UsageError("there is no statement that gives rows")
        columns = tuple(column[0] for column in cursor.description)
    return QueryResult(columns, tuple(rows[:limit] if limit else rows), bool(limit) and len(rows) > limit)


@contextmanager
def _guarded(connection: sqlite3.Connection, refused: list[str], deadline: float) -> Iterator[None]:
    """Let statements only read, and only until ``deadline``; what was refused is noted."""

    def authorise(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if _only_reads(action, first, second):
            return sqlite3.SQLITE_OK
        kind = "a change of the schema" if first in _SCHEMA_TABLES else _REFUSED.get(action, "a change of the schema")
        name = second if action == sqlite3.SQLITE_FUNCTION else first
        refused.append(kind if kind.startswith("a ") or not name else f"{kind} {name}")
        return sqlite3.SQLITE_DENY

    before = connection.execute("pragma query_only").fetchone()[0]
    connection.execute("pragma query_only = on")
    connection.set_authorizer(authorise)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)
        connection.execute(f"pragma query_only = {before}")


def _only_reads(action: int, first: str | None, second: str | None) -> bool:
    if action == sqlite3.SQLITE_FUNCTION:
        return second != "load_extension"
    if action == sqlite3.SQLITE_PRAGMA:
        return first in _DESCRIBING
    # SQLite asks for this to set up dbstat and the table-valued pragmas. What changes the schema it asks for by other
    # names first, and a plain update of that table it refuses by itself.
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        return True
    return action in _ALLOWED
