"""The schema: numbered SQL files, each applied once, in one transaction with the record of it."""

from __future__ import annotations

import sqlite3
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from corpusdb.errors import DatabaseReadOnly, DatabaseTooNew

__all__ = ["latest_version", "migrate", "migration_names", "require_latest", "schema_directory", "schema_version"]


def schema_directory() -> Traversable:
    """Where the SQL files are: inside the installed package, or beside it in a checkout."""
    packed = files("corpusdb") / "schema"
    if packed.is_dir():
        return packed
    return Path(__file__).resolve().parents[2] / "schema"


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
