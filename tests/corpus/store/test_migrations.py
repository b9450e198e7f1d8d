"""The schema: made anew, brought up to date from every older state, and left alone by a script that fails."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from corpusdb.base.errors import DatabaseReadOnly, DatabaseTooNew, StoreError
from corpusdb.corpus.store import Layer, Store, open_for_reading, open_store, opening, save_layer, start_run
from corpusdb.corpus.store import opening as migrations
from corpusdb.corpus.store.opening import latest_version, migrate, require_latest, schema_directory, schema_version
from corpusdb.corpus.store.row_checksums import sealed_keys

Schema = list[tuple[str, ...]]


def schema_of(database: sqlite3.Connection) -> Schema:
    query = "select type, name, tbl_name, coalesce(sql, '') from sqlite_master order by type, name"
    return list(map(tuple, database.execute(query)))


def open_at(version: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the database that the program of that version made."""
    scripts = migrations._scripts()[:version]
    with monkeypatch.context() as older:
        older.setattr(migrations, "_scripts", lambda: scripts)
        open_store(path, create=True).close()


def test_the_scripts_are_numbered_without_a_gap() -> None:
    names = sorted(entry.name for entry in schema_directory().iterdir())
    assert all(name.endswith(".sql") for name in names)
    assert [int(name[:4]) for name in names] == list(range(1, latest_version() + 1))
    assert all(name[4] == "_" for name in names)


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


@pytest.mark.parametrize("version", range(1, latest_version()))
def test_every_older_state_is_brought_up_to_date(version: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_at(version, path, monkeypatch)
    with closing(sqlite3.connect(path)) as older:
        assert schema_version(older) == version
        older.execute("insert into sentence (language, text) values ('eng', 'Kept.')")
        older.commit()
    with open_store(path) as store, open_store(path.with_name("new.db"), create=True) as new:
        assert schema_version(store.connection) == latest_version()
        assert schema_of(store.connection) == schema_of(new.connection)
        assert store.connection.execute("select text from sentence").fetchall() == [("Kept.",)]
        assert store.connection.execute("pragma foreign_key_check").fetchall() == []


def test_the_wait_for_a_large_one_is_told_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    open_at(20, path, monkeypatch)
    open_for_reading(path, tell=told.append).close()
    assert told == []  # a small one is ready before one could read it
    path.unlink()
    open_at(20, path, monkeypatch)
    monkeypatch.setattr(opening, "_LARGE", 1)
    for _ in range(2):
        open_for_reading(path, tell=told.append).close()
    assert [line.partition(", once: some ")[0] for line in told] == [
        f"{path}: bringing the tables from schema 20 to {latest_version()}"
    ]


@pytest.mark.parametrize(
    "failing", ["create table half (a);\ncreate table sentence (a);\n", "create table half (a);\nnonsense;\n"]
)
def test_a_script_that_fails_leaves_nothing(
    failing: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(path, create=True).close()
    with closing(sqlite3.connect(path)) as database:
        before, version = schema_of(database), latest_version()
    script = tmp_path / f"{version + 1:04}_failing.sql"
    script.write_text(failing, encoding="utf-8")
    scripts = (*migrations._scripts(), (script.stem, script))
    monkeypatch.setattr(migrations, "_scripts", lambda: scripts)
    with pytest.raises(StoreError):
        open_store(path)
    with closing(sqlite3.connect(path)) as database:
        assert schema_of(database) == before
        assert schema_version(database) == version
    script.write_text("create table whole (a integer primary key) strict;\n", encoding="utf-8")
    with open_store(path) as store:
        assert schema_version(store.connection) == version + 1
        assert ("table", "whole") in [row[:2] for row in schema_of(store.connection)]


@pytest.mark.parametrize(("version", "error"), [(0, DatabaseReadOnly), (9999, DatabaseTooNew)])
def test_a_reader_requires_the_schema_that_it_knows(version: int, error: type[StoreError]) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database)
        require_latest(database, Path("corpus.db"))
        database.execute(f"pragma user_version = {version}")
        with pytest.raises(error, match=rf"corpus\.db: has .*schema {version}\b"):
            require_latest(database, Path("corpus.db"))


@pytest.mark.parametrize("version", [0, 1])
def test_two_programs_that_open_it_at_once(version: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if version:
        open_at(version, path, monkeypatch)
    both, failures = Barrier(2), []

    def together(database: sqlite3.Connection) -> None:
        both.wait(60)
        migrate(database)

    def run() -> None:
        try:
            open_store(path, create=True).close()
        except StoreError as error:
            failures.append(error)

    monkeypatch.setattr("corpusdb.corpus.store.opening.migrate", together)
    threads = [Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []
    monkeypatch.undo()
    with open_store(path) as store:
        assert schema_version(store.connection) == latest_version()


_LAYERS = "select * from layer order by language, name"


@pytest.mark.parametrize("version", [1, 11, 12, 13])
def test_the_layers_of_an_older_database_are_kept_row_for_row(
    version: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_at(version, path, monkeypatch)
    with closing(sqlite3.connect(path)) as older:
        older.execute("insert into run values (7, 'index', '{}', '0.1', 'x', '2026-01-01', null, '{}')")
        states = [("eng", "paraphrase", '{"max_sharing": 100}', 12, 3, 1, 7), ("eng", "candidate", "{}", 0, 7, 0, 7)]
        states += [("jpn", "commutation", '{"rules": 1}', 2**40, 5, 1, 7), ("jpn", "ngram", "{}", 9, 7, 1, 7)]
        older.executemany("insert into layer values (?, ?, ?, ?, ?, ?, ?)", states)
        older.commit()
        before = older.execute(_LAYERS).fetchall()
    with open_store(path) as store:
        assert store.connection.execute(_LAYERS).fetchall() == before == sorted(states)
        store.connection.execute("insert into layer values ('eng', 'other', '{}', 0, 0, 0, 7)")


def test_the_checksums_of_layers_stay_right(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the program of schema 13 wrote hold for the rebuilt table, whose changes are followed as before."""
    scripts = migrations._scripts()[:13]
    with monkeypatch.context() as older, open_at_13(path, older, scripts) as store:
        assert store.start_job("index") is None
        with store.write():
            run = start_run(store, "index", {})
            save_layer(store, "eng", "ngram", Layer({"a": 1}, 5, 2, complete=True), run)
        store.end_job()
    with open_store(path) as store:
        kept = dict(store.connection.execute("select row, checksum from row_checksum where name = 'layer'").fetchall())
        assert kept == dict(sealed_keys(store.connection, "layer"))
        assert kept.keys() == {"eng/ngram"}
        assert store.start_job("index") is None
        with store.write():
            save_layer(store, "eng", "length", Layer({}, 6, 2, complete=True), run)
        kept = dict(store.connection.execute("select row, checksum from row_checksum where name = 'layer'").fetchall())
        assert kept == dict(sealed_keys(store.connection, "layer"))
        assert kept.keys() == {"eng/ngram", "eng/length"}


def open_at_13(path: Path, monkeypatch: pytest.MonkeyPatch, scripts: tuple[tuple[str, Traversable], ...]) -> Store:
    monkeypatch.setattr(migrations, "_scripts", lambda: scripts)
    return open_store(path, create=True)
