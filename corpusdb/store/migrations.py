"""The schema: numbered SQL files, each applied once, in one transaction with the record of it."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from corpusdb.errors import DatabaseTooNew

__all__ = ["latest_version", "migrate", "schema_directory", "schema_version"]


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


def latest_version() -> int:
    """The number of the newest migration that this program has."""
    return int(_scripts()[-1][0][:4])


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the newest migration that the database has; 0 for an empty one."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the migrations that the database does not have yet, each in a transaction of its own.

    Raises DatabaseTooNew when the database has one that this program does not know.
    """
    version = schema_version(connection)
    if version > latest_version():
        raise DatabaseTooNew(
            f"the database has schema {version}, later than {latest_version()}: use the newer corpusdb that wrote it"
        )
    if version == latest_version():
        return
    # Imported here: opening a database that is up to date, which nearly all are, does without it and is faster.
    from sqlite_utils import Database, Migrations

    migrations = Migrations("corpusdb")
    for name, script in _scripts():
        _register(migrations, name, script)
    migrations.apply(Database(connection, execute_plugins=False))


def _register(migrations: object, name: str, script: Traversable) -> None:
    from sqlite_utils import Database

    def apply(db: Database) -> None:
        db.executescript(script.read_text(encoding="utf-8"))
        db.execute(f"pragma user_version = {int(name[:4])}")

    migrations(name=name)(apply)  # type: ignore[operator]
