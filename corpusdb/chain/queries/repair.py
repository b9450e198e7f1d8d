"""Repair: whatever was derived, and the structure of the file, is rebuilt where it is damaged or missing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from corpusdb.base.errors import DatabaseLocked, DatabaseReadOnly, NotADatabase, StoreError
from corpusdb.base.jobs import Job, Progress
from corpusdb.chain.queries.checking import DERIVED, CheckReport, Finding, checking
from corpusdb.chain.queries.derived_layer import DerivedLayer
from corpusdb.chain.queries.layer_registry import derived_layers, layer_tables, with_needed
from corpusdb.chain.queries.recomputed import seal
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.exclusive_jobs import exclusive
from corpusdb.corpus.store.migrations import SchemaObject, expected_schema, schema_differences
from corpusdb.corpus.store.row_checksums import SEALED

__all__ = [
    "CHECKSUM_TABLES",
    "Mended",
    "RepairReport",
    "mended_structure",
    "repair",
]


# Tables, indexes, views and triggers that are damaged or missing, rebuilt from the migrations' SQL.
#
# Tables that hold what people and imports gave are never dropped: where one of them cannot be read, only a backup
# helps.


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


# Repair: whatever was derived and is damaged or missing is rebuilt from what people and imports gave.
#
# That itself is never touched. What only a backup can mend is said.


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair did."""

    ok: bool
    """Whether the database is sound now."""
    done: tuple[str, ...]
    left: tuple[str, ...]
    """What only a backup can mend."""


_ORIGINS = frozenset({"checksums of sentences", "checksums of translations"})
"""Where these find something, nothing is rebuilt: it would be derived from damaged texts."""
_OF_DERIVED = frozenset(
    {
        "references",
        "texts",
        "symmetry of paraphrases",
        "paraphrases",
        "contexts",
        "fillers",
        "commutations",
        "seeds",
        "candidates",
        "sample of slots",
        "sample of commutations",
        DERIVED,
    }
)


def repair(store: Store) -> Job[RepairReport]:
    """Rebuild what is damaged and was derived, and checksums that are missing; nothing where all is sound.

    May be stopped, or killed, at any time; the next repair goes on. Raises DatabaseReadOnly.
    """
    if store.read_only:
        raise DatabaseReadOnly(f"{store.path}: the database may only be read, so that it cannot be repaired")
    mended = Mended()
    if not _takes_jobs(store):
        mended = yield from mended_structure(store, damaged_pages=True)
        if mended.left:
            return RepairReport(False, tuple(mended.done), tuple(mended.left))
    return (yield from _repair(store, mended))


def _takes_jobs(store: Store) -> bool:
    """Whether the tables can be read and written that each transaction and each job needs. Raises DatabaseLocked."""
    try:
        with store.write():
            store.job_holder()
    except DatabaseLocked:
        raise
    except (StoreError, NotADatabase):
        return False
    return True


@exclusive("check --repair")
def _repair(store: Store, mended: Mended) -> Job[RepairReport]:
    found = yield from checking(store, full=True)
    if _of(found, {"pages and indexes", "schema"}):
        damaged_pages = bool(_of(found, {"pages and indexes"}))
        more = yield from mended_structure(store, damaged_pages=damaged_pages)
        mended = Mended([*mended.done, *more.done], more.left, mended.emptied | more.emptied)
        if mended.left:
            return RepairReport(False, tuple(mended.done), (*mended.left, *_only_backup(found, mended.left)))
    begun = _unfinished(store.connection)
    mended.done += seal(store, mended.emptied)
    if mended.done:
        found = yield from checking(store, full=True)
    if _of(found, _ORIGINS):
        return RepairReport(False, tuple(mended.done), found.problems)
    needed = begun or mended.emptied & {*layer_tables(), "layer"} or _derived_findings(found)
    if needed:
        yield from _rebuild_layers(store)
        mended.done.append("made the tokens, paraphrases, indexes and candidates of all languages anew")
        found = yield from checking(store, full=True)
    return RepairReport(found.ok, tuple(mended.done), found.problems)


def _of(report: CheckReport, checks: Collection[str]) -> list[Finding]:
    return [each for each in report.findings if each.check in checks]


def _only_backup(found: CheckReport, left: list[str]) -> tuple[str, ...]:
    return tuple(problem for problem in found.problems if problem not in left)


def _derived_findings(found: CheckReport) -> list[Finding]:
    of_layer = [each for each in _of(found, {"checksums of rows"}) if " of layer " in each.problem]
    of_checks = {check.name for layer in derived_layers() for check in layer.checks}
    return _of(found, _OF_DERIVED | of_checks) + of_layer


_UNFINISHED = "select id, parameters from run where operation = 'repair' and finished is null order by id desc limit 1"


def _unfinished(connection: sqlite3.Connection) -> bool:
    return connection.execute(_UNFINISHED).fetchone() is not None


_CLEAR = "delete from {table}"
_CLEAR_DERIVED = "delete from {table} where not coalesce({given}, 0)"
_FORGET_CHECKSUMS = "delete from row_checksum where name = 'layer'"


def _rebuild_layers(store: Store) -> Job[None]:
    """Drop all that is derived, and derive it again; what there was stands in the record of the run."""
    with store.unchecked_references(), store.write() as connection:
        row = connection.execute(_UNFINISHED).fetchone()
        plan = _plan(store) if row is None else _current_plan(json.loads(row[1]))
        run = start_run(store, "repair", plan) if row is None else Run(int(row[0]), "repair", resumed=True)
        given = {table.name: table.given for layer in derived_layers() for table in layer.tables}
        for table in (
            *reversed([*layer_tables()]),
            "layer",
        ):  # also where it was interrupted: damage may have come since
            clear = _CLEAR_DERIVED if given.get(table) else _CLEAR
            connection.execute(clear.format(table=table, given=given.get(table)))
        connection.execute(_FORGET_CHECKSUMS)
    for layer in derived_layers():
        if layer.name in plan["everywhere"]:
            for language in languages_of(store):
                yield from layer.make(store, language, {})
    languages: dict[str, dict[str, Any]] = plan["languages"]
    for language, requests in languages.items():
        yield Progress(f"making what is derived in {language} anew", 0, 0)
        for layer in with_needed({*requests}):
            if not layer.in_every_language:
                yield from layer.make(store, language, requests.get(layer.name, {}))
    with store.write():
        finish_run(store, run, {"languages": len(languages)})


_LAYERS = """
select distinct language, name from layer
union select distinct substr(row, 1, instr(row, '/') - 1), substr(row, instr(row, '/') + 1)
from row_checksum where name = 'layer' order by 1, 2
"""
_WAS_MADE = "select exists (select 1 from run where operation in (select value from json_each(?)))"


def _plan(store: Store) -> dict[str, Any]:
    """What is to be rebuilt: the layers that there are, or were, and what people asked for in each language."""
    connection, present = store.connection, {*languages_of(store)}
    languages: dict[str, dict[str, Any]] = {}
    layers = {layer.name: layer for layer in derived_layers()}
    for language, name in connection.execute(_LAYERS).fetchall():
        if language in present and name in layers and not layers[name].in_every_language:
            languages.setdefault(language, {})[name] = layers[name].requests(connection, language)
    return {"everywhere": [name for name, layer in layers.items() if _was_made(store, layer)], "languages": languages}


def _was_made(store: Store, layer: DerivedLayer) -> bool:
    """Whether it is a layer of every language, and some run has made it."""
    operations = json.dumps([operation for table in layer.tables for operation in table.made_by])
    return layer.in_every_language and bool(store.connection.execute(_WAS_MADE, (operations,)).fetchone()[0])


def _current_plan(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan of a repair that was interrupted, also where an older version made it."""
    if "tokens" not in plan:
        return plan
    languages: dict[str, dict[str, Any]] = {}
    for language, old in plan["languages"].items():
        new = languages[language] = {"paraphrase": {}}
        if old["indexed"]:
            new["commutation"] = {}
        if old["candidates"] != "none":
            new["candidate"] = {"all": old["candidates"] == "all", "seeds": old["seeds"]}
    return {"everywhere": ["token"] if plan["tokens"] else [], "languages": languages}
