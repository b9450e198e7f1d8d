"""Opening a corpus database, and the one way to write to it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from corpusdb.errors import (
    CorpusError,
    DatabaseDamaged,
    DatabaseLocked,
    DatabaseReadOnly,
    InputError,
    NotADatabase,
    StoreError,
)
from corpusdb.store.filesystem import is_network_file_system
from corpusdb.store.migrations import latest_version, migrate, require_latest, schema_version

if TYPE_CHECKING:
    from sqlite_utils import Database

__all__ = ["Store", "open_store", "translated_errors"]

_APPLICATION_ID = 0x63726462  # "crdb"
_BUSY_SECONDS = 10.0
_POLL_SECONDS, _PAUSE_SECONDS = 0.002, 0.008
_LONG_SECONDS = 0.1
_CACHE_KIB = 64 * 1024
_HEADER_BYTES = 100


class Store:
    """An open corpus database; it belongs to the thread that opened it."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, *, read_only: bool, notes: tuple[str, ...] = ()
    ) -> None:
        self.connection = connection
        self.path = path
        self.read_only = read_only
        self.notes = notes
        """What the user should know of how the file was opened, such as that it lies on a network file system."""

    @property
    def tables(self) -> Database:
        """The same connection as sqlite-utils sees it, for introspection."""
        from sqlite_utils import Database

        return Database(self.connection, execute_plugins=False)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the write lock from its start; nested ones are savepoints of the outer.

        Raises DatabaseReadOnly, DatabaseLocked, or StoreError for a full disk; nothing of the block then stays.
        """
        if self.read_only:
            raise DatabaseReadOnly(f"{self.path}: the database may only be read")
        nested = self.connection.in_transaction
        with translated_errors(self.path):
            begun = time.monotonic()
            if nested:
                self.connection.execute("savepoint nested")
            else:
                begun = self._begin(begun)
            try:
                yield self.connection
                self.connection.execute("release nested" if nested else "commit")
            except BaseException:
                if self.connection.in_transaction:  # a full disk ends the transaction by itself
                    self.connection.execute("rollback to nested" if nested else "rollback")
                    if nested:
                        self.connection.execute("release nested")
                raise
        if not nested and time.monotonic() - begun > _LONG_SECONDS:
            time.sleep(_PAUSE_SECONDS)

    def _begin(self, begun: float) -> float:
        """Take the write lock, and say when. Raises sqlite3.OperationalError where another holds it for too long.

        SQLite waits for a lock in steps of up to 100 ms, and never gets it from a job that takes it again at once. Here
        it is asked for every few milliseconds, and whoever has held it for long pauses for as many.
        """
        self.connection.execute("pragma busy_timeout = 0")
        try:
            while True:
                try:
                    self.connection.execute("begin immediate")
                    return time.monotonic()
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() - begun > _BUSY_SECONDS:
                        raise
                time.sleep(_POLL_SECONDS)
        finally:
            self.connection.execute(f"pragma busy_timeout = {round(_BUSY_SECONDS * 1000)}")

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
        """Close the file."""
        self.connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def open_store(path: Path | str, *, read_only: bool = False, create: bool = False) -> Store:
    """Open the corpus database at ``path``, bringing its schema up to date.

    With ``create`` a missing file is made. Without, a missing file is an InputError. A file that may not be written is
    opened for reading. Raises NotADatabase for some other file, DatabaseTooNew, DatabaseLocked and DatabaseDamaged.
    """
    path = Path(path)
    _check_place(path, create=create and not read_only)
    with translated_errors(path):
        connection, read_only = _connect(path, read_only=read_only)
        try:
            return _prepare(connection, path, read_only=read_only)
        except BaseException:
            connection.close()
            raise


def _check_place(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise NotADatabase("is a directory, not a database", path=path)
    if path.exists():
        if not path.is_file():  # a pipe would be waited for
            raise NotADatabase("is no regular file, and no database", path=path)
        if 0 < path.stat().st_size < _HEADER_BYTES:  # SQLite would take a file of one byte for an empty one
            raise NotADatabase("is not a SQLite database", path=path)
        return
    if not create:
        raise InputError("there is no such database; `corpusdb import` makes one", path=path)
    if not path.parent.is_dir():
        raise InputError("the folder for the database does not exist", path=path.parent)


def _connect(path: Path, *, read_only: bool) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether it may only read."""
    address = f"file:{quote(str(path.resolve()))}"
    # SQLite would need a lock to find out; asking the system keeps readers from ever waiting for a writer.
    writable = os.access(path, os.W_OK) if path.exists() else True
    if writable and not read_only:
        return _open(f"{address}?mode=rwc"), False
    connection = _open(f"{address}?mode=ro")
    try:
        connection.execute("pragma schema_version").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        # In WAL mode, in a folder that may not be written to: nobody can be writing, so it may be read as it stands.
        connection = _open(f"{address}?immutable=1")
    return connection, True


def _open(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)


def _prepare(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> Store:
    version, tables = schema_version(connection), connection.execute("select count(*) from sqlite_master").fetchone()[0]
    # Looked at last, since whoever makes a database writes it first, and may be doing so now.
    application = connection.execute("pragma application_id").fetchone()[0]
    if application != _APPLICATION_ID and (tables or version):
        raise NotADatabase("is a SQLite database of some other program", path=path)
    notes: tuple[str, ...] = ()
    if read_only or version > latest_version():
        require_latest(connection, path)
    else:
        notes = _set_journal(connection, path)
        if not tables:
            connection.execute(f"pragma application_id = {_APPLICATION_ID}")
        migrate(connection)
    connection.execute("pragma foreign_keys = on")
    connection.execute(f"pragma cache_size = -{_CACHE_KIB}")
    connection.execute("pragma temp_store = memory")
    return Store(connection, path, read_only=read_only, notes=notes)


def _set_journal(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """Write-ahead logging on a local file system only; what to tell the user otherwise."""
    connection.execute("pragma synchronous = normal")
    current = connection.execute("pragma journal_mode").fetchone()[0]
    if is_network_file_system(path):
        if current == "wal":
            connection.execute("pragma journal_mode = delete")
        connection.execute("pragma synchronous = full")
        return (f"{path} lies on a network file system: no write-ahead log, so that readers wait for writers",)
    if current != "wal":
        connection.execute("pragma journal_mode = wal")
    return ()


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as those of corpusdb, with one line that says what happened."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error
    except UnicodeDecodeError as error:  # of SQLite's own message, which quotes what stands in a damaged schema
        raise DatabaseDamaged(f"{path}: the database is damaged; restore it from a backup") from error


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
