"""Looking after a database: is it sound, a copy of it while others work, and what was derived made again."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

from corpusdb.base.errors import Cancelled, DatabaseLocked, DatabaseReadOnly, NotADatabase, StoreError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.chain.queries.checking import DERIVED, CheckReport, IntegrityProblem, checking
from corpusdb.chain.queries.layers import DerivedTable, derived_layers, layer_tables, with_needed
from corpusdb.chain.queries.recomputed import seal
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Run, Store, finish_run, open_store, start_run
from corpusdb.corpus.store.connection import translated_errors
from corpusdb.corpus.store.opening import SchemaObject, expected_schema, schema_differences
from corpusdb.corpus.store.row_checksums import SEALED
from corpusdb.corpus.store.runs import exclusive

# Tables, indexes, views and triggers, rebuilt from the migrations' SQL; what people and imports gave is never dropped.

CHECKSUM_TABLES = ("row_checksum", "sentence_checksum", "document_checksum", "translation_checksum")


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
            yield Progress("rebuilding schema objects", 0, 0)
            _mend_schema(connection, expected, mended)
        if damaged_pages and not mended.left:
            yield Progress("rebuilding indexes", 0, 0)
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
    elif each.kind in ("index", "trigger") and not connection.execute(_EXISTS, (each.table,)).fetchone():
        return
    connection.execute(str(each.sql))
    mended.done.append(f"rebuilt the {each.kind} {each.name}")


_EXISTS = "select 1 from sqlite_master where name = ?"
_NO_ROWS = "select not exists (select 1 from row_checksum where name = ?)"
_NO_PARTS = "select not exists (select 1 from document_checksum where {} <> 0)"


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
    return bool(row[0])


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
                mended.left.append(f"the rows cannot be rewritten ({problem})")
        else:
            mended.done.append(f"rebuilt {what}")


# Repair: whatever was derived is rebuilt from what people and imports gave, which only a backup can mend.


@dataclass(frozen=True, slots=True)
class RepairReport:
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
            others = (each for each in found.problems if each not in mended.left)
            return RepairReport(False, tuple(mended.done), (*mended.left, *others))
    begun = store.connection.execute(_UNFINISHED).fetchone() is not None
    mended.done += seal(store, mended.emptied)
    if mended.done:
        found = yield from checking(store, full=True)
    if _of(found, _ORIGINS):
        return RepairReport(False, tuple(mended.done), found.problems)
    needed = begun or mended.emptied & {*layer_tables(), "layer"} or _derived_findings(found)
    if needed:
        yield from _make_layers(store, *_clear_layers(store))
        mended.done.append("rebuilt the tokens, paraphrases, indexes and candidates of all languages")
        found = yield from checking(store, full=True)
    return RepairReport(found.ok, tuple(mended.done), found.problems)


def _of(report: CheckReport, checks: Collection[str]) -> list[IntegrityProblem]:
    return [each for each in report.findings if each.check in checks]


def _derived_findings(found: CheckReport) -> list[IntegrityProblem]:
    of_layer = [each for each in _of(found, {"checksums of rows"}) if " of layer " in each.problem]
    of_checks = {check.name for layer in derived_layers() for check in layer.checks}
    return _of(found, _OF_DERIVED | of_checks) + of_layer


_UNFINISHED = "select id, parameters from run where operation = 'repair' and finished is null order by id desc limit 1"
_CLEAR = "delete from {table}"
_CLEAR_BUT = "delete from {table} where not coalesce({kept}, 0)"
_FORGET_CHECKSUMS = "delete from row_checksum where name = 'layer'"


def _clear_layers(store: Store) -> tuple[Run, dict[str, Any]]:
    """Drop all that is derived; it stands in the record of a run, with the plan, until it is made again."""
    with store.unchecked_references(), store.write() as connection:
        row = connection.execute(_UNFINISHED).fetchone()
        plan = _plan(store)
        if row is not None:
            begun = json.loads(row[1])
            plan = {"everywhere": begun["everywhere"], "languages": plan["languages"] | begun["languages"]}
        run = start_run(store, "repair", plan) if row is None else Run(int(row[0]), "repair")
        tables = [table for layer in derived_layers() for table in layer.tables]
        for table in (*reversed(tables), DerivedTable("layer")):
            clear = _CLEAR_BUT if table.given else _CLEAR
            connection.execute(clear.format(table=table.name, kept=table.given))
        connection.execute(_FORGET_CHECKSUMS)
    return run, plan


def _make_layers(store: Store, run: Run, plan: Mapping[str, Any]) -> Job[None]:
    """Derive again what was cleared."""
    for layer in derived_layers():
        if layer.name in plan["everywhere"]:
            for language in languages_of(store):
                yield from layer.make(store, language, {})
    for language, requests in plan["languages"].items():
        yield Progress(f"rebuilding what is derived in {language}", 0, 0)
        for layer in with_needed({*requests}):
            if not layer.in_every_language:
                yield from layer.make(store, language, requests.get(layer.name, {}))
    with store.write():
        finish_run(store, run, {"languages": len(plan["languages"])})


_LAYERS = """
select distinct language, name from layer
union select distinct substr(row, 1, instr(row, '/') - 1), substr(row, instr(row, '/') + 1)
from row_checksum where name = 'layer' order by 1, 2
"""
_WAS_MADE = "select exists (select 1 from run where operation in (select value from json_each(?)))"


def _plan(store: Store) -> dict[str, Any]:
    """What is to be rebuilt: the layers that every language has, and by language the others that there are, or were,
    with what people asked for."""
    connection, present = store.connection, {*languages_of(store)}
    languages: dict[str, dict[str, Any]] = {}
    layers = {layer.name: layer for layer in derived_layers()}
    for language, name in connection.execute(_LAYERS).fetchall():
        if language in present and name in layers and not layers[name].in_every_language:
            languages.setdefault(language, {})[name] = layers[name].requests(connection, language)
    everywhere = []
    for name, layer in layers.items():
        operations = json.dumps([operation for table in layer.tables for operation in table.made_by])
        # A layer of every language that some run has made.
        if layer.in_every_language and store.connection.execute(_WAS_MADE, (operations,)).fetchone()[0]:
            everywhere.append(name)
    return {"everywhere": everywhere, "languages": languages}


# A copy of a database while others work on it, and a person's own look inside.

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
# A job that is running works on the database and not on the copy, which would wait for it until it ends.
_NO_JOB = "delete from job_lock"


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
            with suppress(sqlite3.DatabaseError), into:  # a damaged file is copied as far as it goes
                into.execute(_NO_JOB)
    finally:
        steps.put(None)


@dataclass(frozen=True, slots=True)
class QueryResult:
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    truncated: bool
    """Whether there are more rows than were asked for."""


_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_DESCRIBING = {
    *("table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"),
    *("foreign_key_list", "function_list", "module_list"),
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
                raise StoreError(f"the query was stopped after {seconds:g} seconds (--timeout)") from error
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
