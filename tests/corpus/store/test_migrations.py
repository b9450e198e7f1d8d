"""The schema: made anew, brought up to date by toy migrations, and left alone by a script that fails."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread
from typing import Any, TypeAlias

import pytest

from corpusdb.base.errors import DatabaseReadOnly, DatabaseTooNew, DatabaseTooOld, StoreError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import checking
from corpusdb.corpus.store import Layer, open_for_reading, open_store, opening, save_layer, start_run
from corpusdb.corpus.store import opening as migrations
from corpusdb.corpus.store.opening import (
    BASELINE,
    OLDEST,
    latest_version,
    migrate,
    require_latest,
    schema_directory,
    schema_version,
)
from corpusdb.corpus.store.row_checksums import Connection, sealed_keys

Schema: TypeAlias = list[tuple[str, ...]]
Release: TypeAlias = Callable[..., None]


def schema_of(database: sqlite3.Connection) -> Schema:
    query = "select type, name, tbl_name, coalesce(sql, '') from sqlite_master order by type, name"
    return list(map(tuple, database.execute(query)))


def schema_of_file(path: Path) -> Schema:
    with closing(sqlite3.connect(path)) as database:
        return schema_of(database)


ADDED = """
-- Whether a person has seen a session.
alter table session add column seen integer;  -- 1: yes
"""
REBUILT = """
create table new_layer (
    language text not null,
    name text not null,
    parameters text not null,
    last_sentence integer not null,
    last_run integer not null,
    complete integer not null check (complete in (0, 1)),
    run integer not null references run (id),
    primary key (language, name),
    check (last_run >= 0)
) strict, without rowid;
insert into new_layer select * from layer;
drop table layer;
alter table new_layer rename to layer;
"""
OWN = latest_version()
"""The schema of this version."""
NOTES = "create table note (id integer primary key, text text not null) strict;\n"


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Release:
    """A later version of the program: the migrations of this one, and some more, each of a script."""
    own = migrations._scripts()

    def of(*scripts: str) -> None:
        later = []
        for number, script in enumerate(scripts, start=OWN + 1):
            path = tmp_path / f"{number:04}_toy.sql"
            path.write_text(script, encoding="utf-8")
            later.append((path.stem, (path,)))
        monkeypatch.setattr(migrations, "_scripts", lambda: (*own, *later))

    return of


def test_the_migrations_are_numbered_from_the_oldest_schema_on() -> None:
    names = sorted(entry.name for entry in schema_directory().iterdir())
    assert all(re.fullmatch(r"([a-z]+|\d{4}_\w+)\.sql", name) for name in names)
    numbers = [int(name[:4]) for name in names if name[0].isdecimal()]
    assert [OLDEST, *numbers] == list(range(OLDEST, latest_version() + 1))
    assert BASELINE in (OLDEST, *numbers)


def test_there_is_a_comment_on_each_table_and_column() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database)
        tables = {
            name: [row[0] for row in database.execute("select name from pragma_table_info(?)", (name,))]
            for (name,) in database.execute("select name from sqlite_master where type in ('table', 'view')")
            if not name.startswith(("sqlite_", "_sqlite_"))
        }
    scripts = "\n".join(entry.read_text(encoding="utf-8") for entry in schema_directory().iterdir())
    for name, columns in tables.items():
        found = re.search(rf"(?m)^(--.*\n)create (table|view) .?{name}\b(.*\n(?: .*\n)*)", scripts)
        assert found, name
        if found[2] == "table":
            added = re.findall(rf"(?m)^alter table {name} add column (.*)", scripts)
            told = "\n    ".join([found[3], *added])
            lacking = [each for each in columns if not re.search(rf"(?m)^    {each} .* -- \S", told)]
            assert lacking == [], name


def test_the_schema_is_made_of_strict_tables_with_named_keys() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database)
        tables = [row for row in database.execute("pragma table_list") if row[0] == "main" and row[2] == "table"]
        own = [row for row in tables if not row[1].startswith(("sqlite_", "_sqlite_"))]
        assert own
        assert [row[1] for row in own if not row[5]] == []
        for _, name, _, _, without_rowid, _ in own:
            keys = database.execute("select type from pragma_table_info(?) where pk > 0", (name,)).fetchall()
            assert keys if without_rowid else keys == [("INTEGER",)]


def test_a_blank_database() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        assert schema_version(database) == 0
        migrate(database)
        assert schema_version(database) == latest_version()
        assert not database.in_transaction


def test_migrating_again_changes_nothing() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database)
        before, changes = schema_of(database), database.total_changes
        migrate(database)
        assert (schema_of(database), database.total_changes) == (before, changes)


def test_a_released_database_is_brought_up_to_date(path: Path, release: Release) -> None:
    """By one migration and then by two more at once: as a new one is made, with the rows that were there."""
    with open_store(path, create=True) as store, store.write() as writer:
        writer.execute("insert into sentence (language, text) values ('eng', 'Kept.')")
    for scripts in ([ADDED], [ADDED, REBUILT, NOTES]):
        release(*scripts)
        with open_store(path) as store, open_store(path.with_name(f"{len(scripts)}.db"), create=True) as new:
            assert schema_version(store.connection) == OWN + len(scripts) == latest_version()
            assert schema_of(store.connection) == schema_of(new.connection)
            assert store.connection.execute("select text from sentence").fetchall() == [("Kept.",)]
            assert finished(checking(store)).ok
    assert ("table", "note") in {row[:2] for row in schema_of_file(path)}


@pytest.mark.parametrize("reading", [False, True])
@pytest.mark.parametrize("version", [1, OLDEST - 1])
def test_a_database_from_before_the_oldest_schema_is_refused_and_stays_as_it_is(
    version: int, reading: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(opening, "_LARGE", 1)
    with open_store(path, create=True) as store:
        store.connection.execute(f"pragma user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(DatabaseTooOld, match=rf"has schema {version}, .*`export`.*`judge sheet`") as caught:
        open_for_reading(path, tell=told.append) if reading else open_store(path, damaged=True, tell=told.append)
    assert (caught.value.exit_code, told, "\n" in str(caught.value)) == (4, [], False)
    assert path.read_bytes() == before


def test_the_wait_for_a_large_one_is_told_before(path: Path, release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    open_store(path, create=True).close()
    release(NOTES)
    open_for_reading(path, tell=told.append).close()
    assert told == []  # a small one is ready before one could read it
    release(NOTES, ADDED)
    monkeypatch.setattr(opening, "_LARGE", 1)
    for _ in range(2):
        open_for_reading(path, tell=told.append).close()
    assert [line.partition(", once: some ")[0] for line in told] == [
        f"{path}: bringing the tables from schema {OWN + 1} to {OWN + 2}"
    ]


@pytest.mark.parametrize(
    "failing", ["create table half (a);\ncreate table sentence (a);\n", "create table half (a);\nnonsense;\n"]
)
def test_a_script_that_fails_leaves_nothing(failing: str, path: Path, release: Release) -> None:
    open_store(path, create=True).close()
    before, version = schema_of_file(path), latest_version()
    release(failing)
    with pytest.raises(StoreError):
        open_store(path)
    with closing(sqlite3.connect(path)) as database:
        assert schema_of(database) == before
        assert schema_version(database) == version
    release(NOTES)
    with open_store(path) as store:
        assert schema_version(store.connection) == version + 1
        assert ("table", "note") in [row[:2] for row in schema_of(store.connection)]


@pytest.mark.parametrize(("version", "error"), [(0, DatabaseReadOnly), (9999, DatabaseTooNew)])
def test_a_reader_requires_the_schema_that_it_knows(version: int, error: type[StoreError]) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database)
        require_latest(database, Path("corpus.db"))
        database.execute(f"pragma user_version = {version}")
        with pytest.raises(error, match=rf"corpus\.db: has .*schema {version}\b"):
            require_latest(database, Path("corpus.db"))


@pytest.mark.parametrize("there", [False, True])
def test_two_programs_that_open_it_at_once(
    there: bool, path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    if there:
        open_store(path, create=True).close()
    release(NOTES)
    both, failures = Barrier(2), []

    def together(database: sqlite3.Connection) -> None:
        both.wait(60)
        migrate(database)

    def run() -> None:
        try:
            open_store(path, create=True).close()
        except StoreError as error:
            failures.append(error)

    with monkeypatch.context() as patch:
        patch.setattr(opening, "migrate", together)
        threads = [Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []
    with open_store(path) as store:
        assert schema_version(store.connection) == latest_version()
        assert store.connection.execute("select count(*) from _sqlite_migrations").fetchone() == (OWN - OLDEST + 2,)


class Contended(Connection):
    """A connection to a file whose journal another program is changing, as SQLite says it: at once, without waiting."""

    refusals = 2

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if sql == "pragma journal_mode = wal" and self.refusals:
            self.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(sql, parameters)


def test_who_makes_a_database_waits_for_another_who_does(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "Connection", Contended)
    with open_store(path, create=True) as store:
        assert store.connection.execute("pragma journal_mode").fetchone() == ("wal",)
        assert store.connection.refusals == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("script", [ADDED, REBUILT])
def test_the_checksums_of_a_changed_table_stay_right(script: str, path: Path, release: Release) -> None:
    """Those that the program before wrote hold for a table with one more column, and for a rebuilt one."""

    def is_right() -> bool:
        tables = ("layer", "session")
        kept = "select row, checksum from row_checksum where name = ?"
        return all(
            dict(store.connection.execute(kept, (table,)).fetchall()) == dict(sealed_keys(store.connection, table))
            for table in tables
        )

    def add(layer: str) -> None:
        assert store.start_job("index") is None
        with store.write() as writer:
            run = start_run(store, "index", {})
            save_layer(store, "eng", layer, Layer({"a": 1}, 5, 2, complete=True), run)
            session = "insert into session (name, language, least_order, position, made, last_used, run)"
            writer.execute(f"{session} values (?, 'eng', 0, 1, '', '', ?)", (layer, run.id))
        store.end_job()

    with open_store(path, create=True) as store:
        add("ngram")
        assert is_right()
    release(script)
    with open_store(path) as store:
        assert is_right()
        add("length")
        assert is_right()
        assert store.connection.execute("select name from session order by id").fetchall() == [("ngram",), ("length",)]
