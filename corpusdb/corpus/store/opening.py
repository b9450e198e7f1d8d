"""Opening a corpus database: what the file is, who may write to it, and its schema."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from corpusdb.base.errors import (
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseReadOnly,
    DatabaseTooNew,
    DatabaseTooOld,
    NotADatabase,
)
from corpusdb.base.text import differs_in_words
from corpusdb.corpus.store.connection import BUSY_SECONDS, Access, Store, translated_errors
from corpusdb.corpus.store.row_checksums import LEDGER, Connection

# The schema: SQL files by subject, which together are the baseline, and numbered ones, the migrations. Each is applied
# once, in one transaction with the record of it; those that the baseline has in it only to databases from before.

OLDEST: Final = 30
"""The number of the first schema that migrations bring up to date. Those before are of versions never released."""
BASELINE: Final = 33
"""The number of the schema that the files by subject make."""


def schema_directory() -> Path:
    """Where the SQL files are: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    return next(each for each in (package / "schema", package.parent / "schema") if each.is_dir())


@lru_cache(maxsize=1)
def _scripts() -> tuple[tuple[str, tuple[Path, ...]], ...]:
    """Name and files of each migration, in order; the first is the baseline."""
    found = sorted(
        (entry.name.removesuffix(".sql"), entry)
        for entry in schema_directory().iterdir()
        if entry.name.endswith(".sql")
    )
    subjects = tuple(entry for name, entry in found if not name[0].isdecimal())
    numbered = ((name, (entry,)) for name, entry in found if name[0].isdecimal())
    return ((f"{OLDEST:04}_baseline", subjects), *numbered)


def migration_names() -> tuple[str, ...]:
    return tuple(name for name, _ in _scripts())


def latest_version() -> int:
    return int(_scripts()[-1][0][:4])


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the newest migration that the database has; 0 for an empty one."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def require_not_too_old(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseTooOld for a schema that no migration brings up to date."""
    if 0 < (version := schema_version(connection)) < OLDEST:
        raise DatabaseTooOld(
            f"{path}: has schema {version}, of a version before 1.0, which alone can read it: let that write the corpus"
            " (`export`) and judgements (`judge sheet`), and read them here; `corpusdb guide sharing` has the steps"
        )


def require_latest(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseTooNew for a later schema than this program knows, DatabaseReadOnly for an older one."""
    version, latest = schema_version(connection), latest_version()
    if version > latest:
        raise DatabaseTooNew(f"{path}: has schema {version}, later than {latest}: use the newer corpusdb that wrote it")
    if version < latest:
        raise DatabaseReadOnly(f"{path}: has the older schema {version}; it has to be opened for writing once")


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the migrations that the database does not have yet, in one transaction: all of them or none."""
    if schema_version(connection) == latest_version():
        return
    # Imported here: opening a database that is up to date, which nearly all are, does without it and is faster.
    from sqlite_utils import Database, Migrations

    migrations = Migrations("corpusdb")
    for name, scripts in _scripts():
        _register(migrations, name, scripts)
    for function in (packed_numbers, packed_ids, packed_places, compressed, crc32):
        connection.create_function(function.__name__, -1, function, deterministic=True)
    # The lock comes first: a program that opens the database at the same time waits, and then finds nothing to do.
    connection.execute("begin immediate")
    try:
        migrations.apply(Database(connection, execute_plugins=False))
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


# What migrations ask of numbers in blobs, as functions of SQL; of damaged blobs they take what is there.


def packed_numbers(blob: bytes) -> bytes:
    """Little-endian int32, packed."""
    import numpy as np

    from corpusdb.base.arrays import packed

    return packed(np.frombuffer(blob, dtype="<i4", count=len(blob) // 4))


def packed_ids(blob: bytes) -> bytes:
    """Ascending little-endian int64, packed by their steps."""
    import numpy as np

    from corpusdb.base.arrays import packed_steps

    return packed_steps(np.frombuffer(blob, dtype="<i8", count=len(blob) // 8))


def packed_places(tokens: bytes, types: str) -> bytes:
    """Packed tokens, by their types of a language, which are in JSON, as packed places among these."""
    import numpy as np

    from corpusdb.base.arrays import packed_small, unpacked

    numbers = np.array(json.loads(types), dtype=np.int64)
    try:
        wanted = unpacked(tokens)
    except ValueError:
        return tokens
    places = np.searchsorted(numbers, wanted)
    known = np.isin(wanted, numbers)
    return packed_small(np.where(known, places, len(numbers)))


def compressed(text: bytes) -> bytes:
    from corpusdb.base import arrays

    return arrays.compressed(text)


def crc32(*blobs: bytes) -> int:
    """Of blobs one after the other."""
    return zlib.crc32(b"".join(blobs))


def _register(migrations: object, name: str, scripts: tuple[Path, ...]) -> None:
    from sqlite_utils import Database

    number = max(int(name[:4]), BASELINE) if name.endswith("_baseline") else int(name[:4])

    def apply(db: Database) -> None:
        if schema_version(db.conn) >= number:
            return  # it is in the baseline
        for script in scripts:
            for statement in _statements(script.read_text(encoding="utf-8")):
                db.execute(statement)
        db.execute(f"pragma user_version = {number}")

    migrations(name=name)(apply)  # type: ignore[operator]


@cache
def _statements(script: str) -> tuple[str, ...]:
    """The statements of a script, each of which begins on a line of its own.

    Split here, by lines: sqlite-utils looks at each character, which takes five times as long as to run them.
    """
    found, statement = [], ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            found.append(statement.strip())
            statement = ""
    return (*found, statement) if statement.strip() else tuple(found)


# The schema that the migrations make, and how that of a database differs from it.

_OBJECTS = "select type, name, tbl_name, sql from sqlite_master"
_APPLIED = f"select name from {LEDGER} order by name"


class SchemaObject(NamedTuple):
    """A table, index, view or trigger."""

    kind: str
    name: str
    table: str
    """That it is of; itself for a table or view."""
    sql: str | None
    """None for the index that SQLite makes of a key."""


class SchemaDifference(NamedTuple):
    """Where a database departs from the migrations."""

    what: str
    """missing, different or extra."""
    object: SchemaObject
    """As it should be; as it is where it is extra."""

    @property
    def in_words(self) -> str:
        return f"the {self.object.kind} {self.object.name} is {_IN_WORDS[self.what]}"


_IN_WORDS = {
    "missing": "missing",
    "different": "not as the migrations make it",
    "extra": "not one that the migrations make",
}


def expected_schema() -> tuple[Mapping[str, SchemaObject], list[str]]:
    """All objects that the migrations make, by name, in their order, and the names of the migrations.

    Made once: a repair asks for it several times, and the migrations take longer than to check a small database.
    """
    return _schema_after(migration_names())


@lru_cache(maxsize=1)
def _schema_after(migrations: tuple[str, ...]) -> tuple[Mapping[str, SchemaObject], list[str]]:
    """What these make, which are all there are."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh)
        return _objects(fresh), [row[0] for row in fresh.execute(_APPLIED)]


def _objects(connection: sqlite3.Connection) -> dict[str, SchemaObject]:
    return {row[1]: SchemaObject(*row) for row in connection.execute(_OBJECTS)}


def schema_differences(
    connection: sqlite3.Connection, expected: Mapping[str, SchemaObject] | None = None
) -> list[SchemaDifference]:
    """Every object that is missing, different or extra."""
    wanted = expected if expected is not None else expected_schema()[0]
    found = _objects(connection)
    differences = []
    for name, each in wanted.items():
        if name not in found:
            differences.append(SchemaDifference("missing", each))
        elif found[name] != each and name != LEDGER:  # which sqlite-utils makes, each version in its own way
            differences.append(SchemaDifference("different", each))
    extra = [each for name, each in found.items() if name not in wanted and not name.startswith("sqlite_stat")]
    return differences + [SchemaDifference("extra", each) for each in extra]


def wrong_versions(connection: sqlite3.Connection, applied: list[str]) -> list[str]:
    """What is wrong with the record of the migrations, in words; ``applied``: all there are."""
    problems = []
    if (version := schema_version(connection)) != latest_version():
        problems.append(f"the database says that it has schema {version} and not {latest_version()}")
    try:
        found = [row[0] for row in connection.execute(_APPLIED)]
    except sqlite3.OperationalError:  # it is missing, which is reported elsewhere
        return problems
    if found != applied:
        problems.append(f"{LEDGER} does not list the migrations that this program has")
    return problems


# What kind of file system a database lies on: on a network one SQLite's write-ahead log corrupts files.

_NETWORK = frozenset(
    "nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs afs afpfs ncpfs coda 9p lustre gpfs beegfs ceph glusterfs pvfs2 orangefs "
    "davfs fuse.sshfs fuse.glusterfs fuse.ceph fuse.s3fs fuse.rclone fuse.gcsfuse fuse.davfs2 fuse.juicefs "
    "webdav acfs panfs".split()
)
_ESCAPED = re.compile(r"\\([0-7]{3})")  # blanks, line breaks, # and the backslash itself


def is_network_file_system(path: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether ``path`` lies on a file system that other machines may write to. False where the system does not tell."""
    target = os.path.realpath(path)
    best, kind = "", ""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return False
    for line in table:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[1])
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # the last of equal mounts hides the ones before it
            best, kind = point, fields[2]
    return kind in _NETWORK


_APPLICATION_ID = 0x63726462  # "crdb"
_CACHE_KIB = 64 * 1024
_KEPT_KIB = 8 * 1024
_HEADER_BYTES = 100
_LARGE = 20_000_000
_BYTES_A_SECOND = 11_000_000
"""Of a database whose tables are all rebuilt: 361 MB in 32 s."""


def open_store(
    path: Path | str,
    *,
    read_only: bool = False,
    create: bool = False,
    damaged: bool = False,
    tell: Callable[[str], object] | None = None,
) -> Store:
    """Open the corpus database at ``path``, bringing its schema up to date.

    With ``create`` a missing file is made; without, it is DatabaseMissing. A file that may not be written is
    opened for reading. Raises NotADatabase for some other file, DatabaseTooNew, DatabaseTooOld, DatabaseLocked and
    DatabaseDamaged, which also one is that a check found damaged, unless ``damaged`` ones are wanted. ``tell`` is told
    before the tables of a large one are rebuilt.
    """
    path = Path(path)
    _check_place(path, create=create and not read_only)
    with translated_errors(path):
        connection, how = _connect(path, read_only=read_only)
        try:
            if tell is not None and how == "write":
                _tell_of_migrations(connection, path, tell)
            store = _prepare(connection, path, how)
            if not damaged:
                _refuse_damaged(store)
            return store
        except BaseException:
            connection.close()
            raise


def open_for_reading(
    path: Path, *, damaged: bool = False, tell: Callable[[str], object] | None = None, stays: bool = False
) -> Store:
    """The database for reading; a file with an older schema is brought up to date first, if it may be written to.

    One that ``stays`` open keeps few pages, which the system has in memory, too. Raises what open_store raises.
    """
    try:
        store = open_store(path, read_only=True, damaged=damaged)
    except DatabaseReadOnly:
        open_store(path, damaged=damaged, tell=tell).close()
        store = open_store(path, read_only=True, damaged=damaged)
    if stays:
        store.connection.execute(f"pragma cache_size = -{_KEPT_KIB}")
    return store


def _tell_of_migrations(connection: sqlite3.Connection, path: Path, tell: Callable[[str], object]) -> None:
    """Say that a wait begins, and for what; not where it is too short to be noticed."""
    version, size = schema_version(connection), path.stat().st_size
    if OLDEST <= version < latest_version() and size >= _LARGE:
        tell(
            f"{path}: bringing the tables from schema {version} to {latest_version()}, once: some"
            f" {max(1, round(size / _BYTES_A_SECOND))} s; what is interrupted begins again"
        )


_CAN_BE_MARKED = "select exists (select 1 from sqlite_master where name = 'damage')"
_FOUND_DAMAGED = "select found from damage"


def _refuse_damaged(store: Store) -> None:
    if not store.connection.execute(_CAN_BE_MARKED).fetchone()[0]:
        return
    found = store.connection.execute(_FOUND_DAMAGED).fetchone()
    if found:
        raise DatabaseDamaged(
            f"{store.path}: was found damaged on {found[0]}; `corpusdb check --repair` mends what was derived,"
            " a backup all else"
        )


def _check_place(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise NotADatabase("is a directory, not a database", path=path)
    if path.exists():
        if not path.is_file():  # a pipe would be waited for
            raise NotADatabase("is neither a regular file nor a database", path=path)
        if 0 < path.stat().st_size < _HEADER_BYTES:  # SQLite would take a file of one byte for an empty one
            raise NotADatabase("is not a SQLite database", path=path)
        return
    if not create:
        raise DatabaseMissing("there is no such database; `corpusdb import` makes one", path=path)
    if not path.parent.is_dir():
        raise DatabaseMissing("the folder for the database does not exist", path=path.parent)
    with suppress(OSError):  # which SQLite tells in its own words
        # Here, since SQLite would not let a group write to it whatever the umask says.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def _connect(path: Path, *, read_only: bool) -> tuple[Connection, Access]:
    """A connection, and what it may do."""
    address = f"file:{quote(os.fsencode(path.resolve()))}"
    # SQLite would need a lock to find out; asking the system keeps readers from ever waiting for a writer.
    writable = os.access(path, os.W_OK) if path.exists() else True
    if writable and not read_only:
        return _open(f"{address}?mode=rwc"), "write"
    connection = _open(f"{address}?mode=ro")
    try:
        connection.execute("pragma schema_version").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        # In WAL mode, in a folder that may not be written to, and nobody has it open: it can be read as it stands.
        # Somebody else may open it for writing at any moment, so that the store looks whether it still stands so.
        _require_whole(path)
        connection = _open(f"{address}?immutable=1")
        return connection, "read unlocked"
    return connection, "read"


def _require_whole(path: Path) -> None:
    """Raise DatabaseReadOnly where a part of the database is still in its log, which only a writer can take in."""
    log = path.with_name(path.name + "-wal")
    try:
        waiting = log.stat().st_size
    except OSError:
        return
    if waiting:
        raise DatabaseReadOnly(
            f"{path}: was not closed properly, and you may not write to it; somebody who may has to open it once"
        )


def _open(address: str) -> Connection:
    connection = Connection(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    # A file may come from a stranger: its schema calls no functions, and its pages are looked at before they are used.
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma cell_size_check = on")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    return connection


_RETRY_SECONDS: Final = 0.01
_HOW_MANY_OBJECTS = "select count(*) from sqlite_master"


def _prepare(connection: Connection, path: Path, access: Access) -> Store:
    version, tables = schema_version(connection), connection.execute(_HOW_MANY_OBJECTS).fetchone()[0]
    # Looked at last, since whoever makes a database writes it first, and may be doing so now.
    application = connection.execute("pragma application_id").fetchone()[0]
    if application != _APPLICATION_ID and (tables or version):
        raise NotADatabase("is a SQLite database of some other program", path=path)
    require_not_too_old(connection, path)
    notes: tuple[str, ...] = ()
    if access != "write" or version > latest_version():
        require_latest(connection, path)
    else:
        notes = _set_journal(connection, path)
        if not tables:
            connection.execute(f"pragma application_id = {_APPLICATION_ID}")
        migrate(connection)
    connection.execute("pragma foreign_keys = on")
    connection.execute(f"pragma cache_size = -{_CACHE_KIB}")
    connection.execute("pragma temp_store = memory")
    connection.create_function("differs_in_words", 3, differs_in_words, deterministic=True)
    return Store(connection, path, access=access, notes=notes)


def _set_journal(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """Write-ahead logging on a local file system only; what to tell the user otherwise."""
    current = connection.execute("pragma journal_mode").fetchone()[0]
    if is_network_file_system(path):
        if current == "wal":
            connection.execute("pragma journal_mode = delete")
        return (f"{path} lies on a network file system: no write-ahead log, so that readers wait for writers",)
    if current != "wal":
        _begin_log(connection)
    return ()


def _begin_log(connection: sqlite3.Connection) -> None:
    """Change to write-ahead logging, for which SQLite itself does not wait where another program does the same."""
    last = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
            time.sleep(_RETRY_SECONDS)
