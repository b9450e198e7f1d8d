"""An open corpus database, the one way to write to it, and the lock of the job that changes it."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from corpusdb.base.errors import (
    CorpusError,
    DatabaseDamaged,
    DatabaseLocked,
    DatabaseReadOnly,
    NotADatabase,
    StoreError,
)
from corpusdb.base.holders import Holder, claimed, forget
from corpusdb.base.startup import give_memory_back
from corpusdb.corpus.store.row_checksums import Connection

# The time, in the one form in which rows have it.


def now() -> str:
    """The time now, as every row has it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# Who may read a database: a new one as the user's umask has it, and one that names judges nobody else.


def mode_of(path: Path) -> str:
    """The permissions of a file as `ls` and `chmod` write them, such as ``0600 -rw-------``."""
    mode = path.stat().st_mode
    return f"{stat.S_IMODE(mode):04o} {stat.filemode(mode)}"


def keep_private(path: Path) -> bool:
    """Let only the owner read and write a database, with its logs; whether that had to be changed.

    A group that may write to it shares it on purpose, and keeps it: then only all others lose it. A file of somebody
    else stays as it is. SQLite gives the logs that it makes later the permissions of the database.
    """
    changed = False
    for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        try:
            found = file.stat()
            mode = stat.S_IMODE(found.st_mode)
            private = mode & (0o660 if mode & stat.S_IWGRP else 0o600)
            if mode != private and found.st_uid == os.geteuid():
                file.chmod(private)
                changed = changed or file == path
        except OSError:  # a log that has gone meanwhile, or a file system that knows no permissions
            continue
    return changed


# The lock that lets one job at a time change the corpus and what is derived from it. SQLite's write lock holds for one
# transaction; a job is many, with decisions between them that rest on what was read. The lock is a row of the database,
# so that it holds for all processes on all machines that share the file. A holder that is dead is taken over. Every
# transaction of a job looks whether it still has the lock, so that one that was taken for dead, and is not, stops
# before it writes.

_HOLDER = """
select token, operation, host, boot, pid, process_started, started, beats from job_lock
"""


def current_holder(connection: sqlite3.Connection) -> Holder | None:
    """The job that has the lock, alive or dead; None where nobody has it."""
    row = connection.execute(_HOLDER).fetchone()
    return None if row is None else Holder(*row)


_TAKE = """
insert or replace into job_lock (id, token, operation, host, boot, pid, process_started, started, beats)
values (1, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_BEAT = "update job_lock set beats = beats + 1 where token = ?"
_DROP = "delete from job_lock where token = ?"


class JobLock:
    """The lock as one job has it. Every method is called inside a transaction of the caller."""

    def __init__(self, operation: str) -> None:
        import secrets  # with what writes, since nothing that only reads has a lock

        self.operation = operation
        self.token = secrets.token_hex(8)

    def take(self, connection: sqlite3.Connection) -> None:
        """Write the row, in place of one that was left behind. The transaction must have looked for that first."""
        connection.execute(_TAKE, astuple(claimed(self.token, self.operation, now())))

    def beat(self, connection: sqlite3.Connection) -> bool:
        """Show that the job is alive; False where the lock was taken over."""
        return connection.execute(_BEAT, (self.token,)).rowcount == 1

    def drop(self, connection: sqlite3.Connection) -> None:
        """Remove the row, unless it is another's by now."""
        connection.execute(_DROP, (self.token,))

    def forget(self) -> None:
        """Let this process take the row for one that was left behind, whether or not it could be removed."""
        forget(self.token)


# An open corpus database, and the one way to write to it.

Access: TypeAlias = Literal["write", "read", "read unlocked"]
"""What a store may do; unlocked where SQLite cannot keep a writer from changing what is being read."""

BUSY_SECONDS = 10.0
"""How long a transaction waits for that of another process."""
_JOB_SECONDS = 60.0
"""How long one of a job that has begun does: its hours are not lost to what a person saves meanwhile."""
_POLL_SECONDS, _PAUSE_SECONDS = 0.002, 0.008
_LONG_SECONDS = 0.1
_JOURNAL = "pragma journal_mode"
_MAPPED = 1 << 40
"""Bytes of a file that may be read as mapped memory: all of it, as far as SQLite allows."""


class Store:
    """An open corpus database; it belongs to the thread that opened it."""

    def __init__(
        self, connection: Connection, path: Path, *, access: Access = "write", notes: tuple[str, ...] = ()
    ) -> None:
        self.connection = connection
        self.path = path
        self.access = access
        self.notes = notes
        """What the user should know of the file, such as that it lies on a network file system."""
        self.remarks: list[str] = []
        """What the user should know of what was read from it, such as that another version kept it; once is enough."""
        self._keeps_checksums = False
        self._durability = ""
        self._job: JobLock | None = None
        self._file = _identity(path, content=access == "read unlocked")

    @property
    def read_only(self) -> bool:
        return self.access != "write"

    @property
    def version(self) -> int:
        """A number that is another one when another connection has changed the file."""
        return int(self.connection.execute("pragma data_version").fetchone()[0])

    @property
    def is_current(self) -> bool:
        """Whether the path still leads to this file, and where nothing locks it, whether it is as it was."""
        return _identity(self.path, content=self.access == "read unlocked") == self._file

    def require_current(self) -> None:
        """Raise StoreError where the file was replaced, or was changed while nothing could lock it."""
        if not self.is_current:
            what = "changed by another process" if self.access == "read unlocked" else "replaced by another file"
            raise StoreError(f"{self.path}: was {what} while it was open; run the command again")

    def large_rows(self, statement: str, bound: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        """The rows of a query whose values are large.

        They come from the file as the system has it in memory, which takes a third of the time of copying them page by
        page; not on a network file system, whose files have no write-ahead log, nor where nothing locks the file.
        """
        is_mapped = self.access != "read unlocked" and self.connection.execute(_JOURNAL).fetchone()[0] == "wal"
        if is_mapped:
            self.connection.execute(f"pragma mmap_size = {_MAPPED}")
        try:
            yield from self.connection.execute(statement, bound)
        finally:
            if is_mapped:
                self.connection.execute("pragma mmap_size = 0")

    def give_memory_back(self) -> None:
        """Let go of the pages that were read from the file, which are up to 64 MB, and of all that nobody has any more:
        before this process is copied, or much is read."""
        self.connection.execute("pragma shrink_memory")
        give_memory_back()

    @property
    def in_job(self) -> bool:
        """Whether this store has the job lock, so that what a job read of the corpus stays as it is until it ends."""
        return self._job is not None

    def job_holder(self) -> Holder | None:
        """The job that has the lock, of whatever process, alive or dead."""
        with translated_errors(self.path):
            return current_holder(self.connection)

    def start_job(self, operation: str, given_up: str = "") -> Holder | None:
        """Take the job lock; None where it was taken, otherwise the living job that has it.

        ``given_up`` is the token of a holder that the caller takes for dead, though this machine cannot tell. Raises
        what ``write`` does.
        """
        with self.write() as connection:
            holder = current_holder(connection)
            if holder is not None and not holder.is_known_dead and holder.token != given_up:
                return holder
            job = JobLock(operation)
            job.take(connection)
        self._job = job
        return None

    def end_job(self) -> None:
        """Give the job lock back. Where the file cannot be written to, the lock is known to be left behind."""
        job, self._job = self._job, None
        if job is not None:
            job.forget()
            with suppress(CorpusError), self.write() as connection:
                job.drop(connection)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start; nested ones are savepoints of the outer.

        Raises DatabaseReadOnly, DatabaseLocked, also where this store's job has lost its lock to another, or StoreError
        for a full disk and a file that was replaced; nothing of the block then stays.
        """
        if self.read_only:
            raise DatabaseReadOnly(f"{self.path}: the database may only be read")
        nested = self.connection.in_transaction
        with translated_errors(self.path):
            begun = time.monotonic()
            if nested:
                self.connection.execute("savepoint nested")
            else:
                self._choose_durability()
                begun = self._begin(begun)
            try:
                if not nested:
                    self.require_current()  # what is written to a file that has lost its name would be lost
                    if self._job is not None and not self._job.beat(self.connection):
                        reason = "another process took this job for dead and went on with its work"
                        raise DatabaseLocked(f"{self.path}: {reason}")
                    self._keep_checksums()
                yield self.connection
                self.connection.execute("release nested" if nested else "commit")
            except BaseException:
                if self.connection.in_transaction:  # a full disk ends the transaction by itself
                    self.connection.execute("rollback to nested" if nested else "rollback")
                    if nested:
                        self.connection.execute("release nested")
                        self.connection.keep_checksums()
                self._keeps_checksums = self._keeps_checksums and nested  # what keeps them may be gone with the rest
                raise
        if not nested and time.monotonic() - begun > _LONG_SECONDS:
            time.sleep(_PAUSE_SECONDS)

    def _choose_durability(self) -> None:
        """Let what a person decided be on the disk when it is acknowledged, and a job when it ends.

        The steps of a job are on the disk after one another: a power failure may take the last of them, and no more.
        """
        level = "normal" if self.in_job else "full"
        if level != self._durability:
            self.connection.execute(f"pragma synchronous = {level}")
            self._durability = level

    def _keep_checksums(self) -> None:
        """Before the first change: let the checksums of rows be updated with all that this store changes."""
        if not self._keeps_checksums:
            self.connection.keep_checksums()
            self._keeps_checksums = True

    def _begin(self, begun: float) -> float:
        """Take the write lock, and say when. Raises sqlite3.OperationalError where another holds it for too long.

        SQLite waits for a lock in steps of up to 100 ms, and never gets it from a job that takes it again at once. Here
        it is asked for every few milliseconds, and whoever has held it for long pauses for as many.
        """
        patience = _JOB_SECONDS if self.in_job else BUSY_SECONDS
        self.connection.execute("pragma busy_timeout = 0")
        try:
            while True:
                try:
                    self.connection.execute("begin immediate")
                    return time.monotonic()
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() - begun > patience:
                        raise
                time.sleep(_POLL_SECONDS)
        finally:
            self.connection.execute(f"pragma busy_timeout = {round(BUSY_SECONDS * 1000)}")

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """One state of the database for all that the block reads, whoever writes meanwhile.

        It is that of the first look; inside a transaction it is the transaction's. Raises DatabaseLocked.
        """
        if self.connection.in_transaction:
            yield self.connection
            return
        with translated_errors(self.path):
            self.connection.execute("begin deferred")
            try:
                yield self.connection
            finally:
                if self.connection.in_transaction:  # SQLite may have ended it, at a page that it cannot read
                    self.connection.execute("rollback")

    @contextmanager
    def unchecked_references(self) -> Iterator[None]:
        """Rows by the million, whose references are right by construction, without a look-up for each of them."""
        self.connection.execute("pragma foreign_keys = off")
        try:
            yield
        finally:
            self.connection.execute("pragma foreign_keys = on")

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _identity(path: Path, *, content: bool) -> tuple[int, ...] | None:
    """What tells a file from any other of its name, with its ``content`` also from itself when it was written to."""
    try:
        found = path.stat()
        if not content:
            return found.st_dev, found.st_ino
        log = path.with_name(path.name + "-wal")
        waiting = log.stat().st_size if log.exists() else 0
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, waiting
    except OSError:
        return None


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as those of corpusdb, with one line that says what happened."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error
    except UnicodeDecodeError as error:  # of SQLite's own message, which quotes what stands in a damaged schema
        raise DatabaseDamaged(f"{path}: the database is damaged; restore it from a backup") from error


_INDEXES = "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null"
_DROP_INDEX = 'drop index "{name}"'
PACK: Final = "reindex {table}"
"""A key that grows row by row leaves up to a seventh of its pages empty; made again it does not."""


def fill_table(connection: sqlite3.Connection, table: str, insert: str, rows: Iterable[Sequence[object]]) -> int:
    """Insert many rows, with the indexes of their table made afterwards, which is faster than keeping them; how many.

    Inside a transaction of the caller.
    """
    indexes = connection.execute(_INDEXES, (table,)).fetchall()
    for name, _ in indexes:
        connection.execute(_DROP_INDEX.format(name=name))
    stored = connection.executemany(insert, rows).rowcount
    connection.execute(PACK.format(table=table))
    for _, definition in indexes:
        connection.execute(definition)
    return stored


def _translated(error: sqlite3.Error, path: Path) -> CorpusError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return DatabaseLocked(f"{path}: another process is writing; try again when it is done")
    if "not a database" in text:
        return NotADatabase("is not a SQLite database", path=path)
    if "malformed" in text or "corrupt" in text:
        return DatabaseDamaged(f"{path}: the database is damaged ({text}); restore it from a backup")
    if "readonly" in text:
        return DatabaseReadOnly(f"{path}: the database may only be read")
    if "full" in text or "disk I/O" in text:
        return StoreError(f"{path}: the disk is full or failing ({text}); what was committed before is safe")
    return StoreError(f"{path}: {text}")
