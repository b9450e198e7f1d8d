"""Tables, indexes, views and triggers that are damaged or missing, rebuilt from the migrations' SQL.

Tables that hold what people and imports gave are never dropped: where one of them cannot be read, only a backup helps.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from corpusdb.jobs import Job, Progress
from corpusdb.queries.chain.layers.registry import layer_tables
from corpusdb.store import Store
from corpusdb.store.blueprint import SchemaObject, expected_schema, schema_differences
from corpusdb.store.row_checksums import SEALED

__all__ = ["CHECKSUM_TABLES", "Mended", "mended_structure"]

CHECKSUM_TABLES = (
    "row_checksum",
    "sentence_checksum",
    "document_checksum",
    "translation_checksum",
    "checksum_since",
)


def _replaceable() -> frozenset[str]:
    """The tables that may be dropped, since what they hold can be rebuilt, or is not needed."""
    return frozenset((*layer_tables(), *CHECKSUM_TABLES, "layer", "job_lock", "damage"))


@dataclass(slots=True)
class Mended:
    """What was rebuilt, in words, and which tables of those are empty now."""

    done: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """What only a backup can mend."""
    emptied: set[str] = field(default_factory=set)


def mended_structure(store: Store, *, damaged_pages: bool) -> Job[Mended]:
    """Bring back a schema as the migrations make it, on pages that can be read.

    On a connection of its own, since that of the store guards the schema. Each step is a transaction.
    """
    mended, expected = Mended(), expected_schema()[0]
    with closing(sqlite3.connect(store.path, timeout=10, isolation_level=None)) as connection:
        if damaged_pages:
            yield Progress("reading every table", 0, 0)
            _forget_unreadable(connection, expected, mended)
        if not mended.left:
            yield Progress("making schema objects anew", 0, 0)
            _mend_schema(connection, expected, mended)
        if damaged_pages and not mended.left:
            yield Progress("making indexes anew", 0, 0)
            _mend_pages(connection, mended)
    return mended


_ALL_ROWS = 'select * from "{table}" not indexed'


def _is_readable(connection: sqlite3.Connection, table: str) -> bool:
    """Whether every row of a table can be read without its indexes; what is missing is seen elsewhere."""
    before = connection.text_factory
    connection.text_factory = bytes
    try:
        for _ in connection.execute(_ALL_ROWS.format(table=table)):
            pass
    except sqlite3.OperationalError as error:
        return "no such table" in str(error)
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.text_factory = before
    return True


_FORGET_TABLE = "delete from sqlite_master where tbl_name = ?"
_FORGET_INDEX = "delete from sqlite_master where type = 'index' and name = ?"
_QUICK_CHECK = "select quick_check from pragma_quick_check(?)"


def _forget_unreadable(connection: sqlite3.Connection, expected: Mapping[str, SchemaObject], mended: Mended) -> None:
    """Take derived tables and indexes with unreadable pages out of the schema; dropping one would have to read it."""
    tables = [each.name for each in expected.values() if each.kind == "table"]
    replaceable = _replaceable()
    unreadable = [table for table in tables if not _is_readable(connection, table)]
    unreadable += [
        table for table in tables if table in replaceable and table not in unreadable and _is_broken(connection, table)
    ]
    for table in unreadable:
        if table not in replaceable:
            mended.left.append(f"the table {table} has pages that cannot be read")
    if mended.left:
        return
    indexes = [each.name for each in expected.values() if each.kind == "index" and each.sql is not None]
    _forget(connection, _FORGET_TABLE, unreadable)
    _forget(connection, _FORGET_INDEX, [index for index in indexes if not _is_rebuilt(connection, index)])


_BEGIN_IN_SCHEMA = ("pragma writable_schema = on", "begin immediate")
_END_IN_SCHEMA = ("commit", "pragma writable_schema = reset")


def _forget(connection: sqlite3.Connection, statement: str, names: Sequence[str]) -> None:
    if names:
        for begin in _BEGIN_IN_SCHEMA:
            connection.execute(begin)
        connection.executemany(statement, [(name,) for name in names])
        for end in _END_IN_SCHEMA:
            connection.execute(end)


_REBUILD_INDEX = 'reindex "{index}"'


def _is_rebuilt(connection: sqlite3.Connection, index: str) -> bool:
    """Rebuild an index; whether that was possible, or there is none of that name."""
    try:
        connection.execute(_REBUILD_INDEX.format(index=index))
    except sqlite3.OperationalError as error:
        return "unable to identify" in str(error)
    except sqlite3.DatabaseError:
        return False
    return True


def _is_broken(connection: sqlite3.Connection, table: str) -> bool:
    """Whether rows of a table are out of order or break its constraints."""
    try:
        return connection.execute(_QUICK_CHECK, (table,)).fetchall() != [("ok",)]
    except sqlite3.DatabaseError:
        return True


_DROP = 'drop {kind} "{name}"'


def _mend_schema(connection: sqlite3.Connection, expected: Mapping[str, SchemaObject], mended: Mended) -> None:
    """Make what is missing or different, in one transaction."""
    replaceable = _replaceable()
    connection.execute("begin immediate")
    try:
        for what, each in schema_differences(connection, expected):
            if what == "extra" and each.kind in ("trigger", "index") and each.sql is not None:
                connection.execute(_DROP.format(kind=each.kind, name=each.name))
                mended.done.append(f"dropped the {each.kind} {each.name}, which the migrations do not make")
            elif what == "different" and (each.kind != "table" or each.name in replaceable) and each.sql is not None:
                connection.execute(_DROP.format(kind=each.kind, name=each.name))
        for what, each in schema_differences(connection, expected):
            if what == "missing" and each.sql is not None:
                _make(connection, each, mended)
            elif what != "extra" and each.kind == "table":
                mended.left.append(f"the table {each.name} is not as the migrations make it")
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def _make(connection: sqlite3.Connection, each: SchemaObject, mended: Mended) -> None:
    if each.kind == "table":
        if each.name not in _replaceable() and not _was_empty(connection, each.name):
            mended.left.append(f"the table {each.name} is missing")
            return
        mended.emptied.add(each.name)
    elif each.kind in ("index", "trigger") and not _exists(connection, each.table):
        return
    connection.execute(str(each.sql))
    mended.done.append(f"made the {each.kind} {each.name} anew")


_EXISTS = "select 1 from sqlite_master where name = ?"


def _exists(connection: sqlite3.Connection, table: str) -> bool:
    return bool(connection.execute(_EXISTS, (table,)).fetchone())


_NO_ROWS = """
select since = 0 and not exists (select 1 from row_checksum where row_checksum.name = checksum_since.name)
from checksum_since where name = ?
"""
_NO_PARTS = """
select since = 0 and not exists (select 1 from document_checksum where {} <> 0) from checksum_since
where name = 'occurrence'
"""


def _was_empty(connection: sqlite3.Connection, table: str) -> bool:
    """Whether a table that is missing had no rows, as the checksums tell."""
    try:
        if table in SEALED:
            row = connection.execute(_NO_ROWS, (table,)).fetchone()
        elif table in ("unit", "version", "section"):
            row = connection.execute(_NO_PARTS.format(f"{table}s")).fetchone()
        else:
            return False
    except sqlite3.OperationalError:  # the checksums are missing too
        return False
    return row is not None and bool(row[0])


_FIRST_DAMAGE = "pragma integrity_check(1)"


def _mend_pages(connection: sqlite3.Connection, mended: Mended) -> None:
    """Rebuild every index, and the whole file where that is not enough, such as for pages that nothing uses."""
    for what, statement in (("all indexes", "reindex"), ("the file from its rows", "vacuum")):
        if connection.execute(_FIRST_DAMAGE).fetchall() == [("ok",)]:
            return
        try:
            connection.execute(statement)
        except sqlite3.DatabaseError as error:
            problem = " ".join(str(error).split())
            if statement == "vacuum":
                mended.left.append(f"the rows cannot be written anew ({problem})")
        else:
            mended.done.append(f"made {what} anew")
