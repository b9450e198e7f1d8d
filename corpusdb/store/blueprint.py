"""The schema that the migrations make, and how that of a database differs from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import lru_cache
from typing import NamedTuple

from corpusdb.store.migrations import latest_version, migrate, migration_names, schema_version
from corpusdb.store.row_checksums import LEDGER

__all__ = ["Difference", "SchemaObject", "expected_schema", "schema_differences", "wrong_versions"]

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
