"""The schema: SQL files, each applied once, and how the schema of a database differs from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from corpusdb.base.errors import DatabaseReadOnly, DatabaseTooNew
from corpusdb.corpus.store.row_checksums import LEDGER

__all__ = [
    "Difference",
    "SchemaObject",
    "expected_schema",
    "latest_version",
    "migrate",
    "migration_names",
    "require_latest",
    "schema_differences",
    "schema_directory",
    "schema_version",
    "wrong_versions",
]


# The schema: numbered SQL files, each applied once, in one transaction with the record of it.


def schema_directory() -> Traversable:
    """Where the SQL files are: inside the installed package, or beside it in a checkout."""
    packed = files("corpusdb") / "schema"
    if packed.is_dir():
        return packed
    return Path(__file__).resolve().parents[3] / "schema"


@lru_cache(maxsize=1)
def _scripts() -> tuple[tuple[str, Traversable], ...]:
    """Name and file of each migration, in order."""
    found = [
        (entry.name.removesuffix(".sql"), entry)
        for entry in schema_directory().iterdir()
        if entry.name.endswith(".sql")
    ]
    return tuple(sorted(found))


def migration_names() -> tuple[str, ...]:
    """All the migrations that this program has, in order."""
    return tuple(name for name, _ in _scripts())


def latest_version() -> int:
    """The number of the newest migration that this program has."""
    return int(_scripts()[-1][0][:4])


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the newest migration that the database has; 0 for an empty one."""
    return int(connection.execute("pragma user_version").fetchone()[0])


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
    for name, script in _scripts():
        _register(migrations, name, script)
    # The lock comes first: a program that opens the database at the same time waits, and then finds nothing to do.
    connection.execute("begin immediate")
    try:
        migrations.apply(Database(connection, execute_plugins=False))
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def _register(migrations: object, name: str, script: Traversable) -> None:
    from sqlite_utils import Database

    def apply(db: Database) -> None:
        for statement in _statements(script.read_text(encoding="utf-8")):
            db.execute(statement)
        db.execute(f"pragma user_version = {int(name[:4])}")

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


class Difference(NamedTuple):
    """Where a database departs from the migrations."""

    what: str
    """missing, different or extra."""
    object: SchemaObject
    """As it should be; as it is where it is extra."""

    @property
    def in_words(self) -> str:
        """What to say of it."""
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
) -> list[Difference]:
    """Every object that is missing, different or extra."""
    wanted = expected if expected is not None else expected_schema()[0]
    found = _objects(connection)
    differences = []
    for name, each in wanted.items():
        if name not in found:
            differences.append(Difference("missing", each))
        elif found[name] != each and name != LEDGER:  # which sqlite-utils makes, each version in its own way
            differences.append(Difference("different", each))
    extra = [each for name, each in found.items() if name not in wanted and not name.startswith("sqlite_stat")]
    return differences + [Difference("extra", each) for each in extra]


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
