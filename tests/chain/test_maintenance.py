"""Tests of corpusdb/chain/queries/repair.py and of the check in integrity/ that it offers."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from corpora import compressed_text, import_rows, import_units, new_store
from damage import PAIRS

from corpusdb.base.errors import CorpusError, DatabaseDamaged, DatabaseLocked, InputError, UsageError
from corpusdb.base.jobs import Progress, finished
from corpusdb.chain.queries import repair as maintenance
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.repair import backup, read_only_query
from corpusdb.corpus.formats import Record
from corpusdb.corpus.formats.records import Document
from corpusdb.corpus.store import Store, open_store


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dozen sentences, with everything derived for English."""
    with new_store(tmp_path_factory.mktemp("made")) as opened:
        import_rows(opened, [tuple(line.split("\t")) for line in PAIRS.splitlines()])
        finished(generate(opened, "eng"))
        return opened.path


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of it for one test."""
    with open_store(Path(shutil.copy(made, tmp_path))) as opened:
        yield opened


@pytest.mark.slow
def test_a_sound_database_has_no_problem(store: Store) -> None:
    report = check(store)
    assert (report.ok, report.problems) == (True, ())
    assert {"pages", "references", "symmetry of translations", "commutations", "candidates", "n-grams"} <= set(
        report.checks
    )


@pytest.mark.slow
def test_a_full_check_looks_at_the_indexes(store: Store) -> None:
    report = check(store, full=True)
    assert report.ok
    assert report.checks[0] == "pages and indexes"


def test_an_empty_database_is_sound(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db", create=True) as empty:
        assert check(empty).ok


BROKEN = [
    ("delete from translation where sentence < translation", "have no counterpart in the other direction"),
    ("delete from translation", "fewer translations than were read"),
    ("update paraphrase set translations = 7 where sentence < paraphrase", "counterpart in the other direction"),
    ("update paraphrase set probability = 1.5", "impossible in number"),
    ("update context set fillers = 1", "contexts have more slots"),
    ("update context set start = start + 1 where start > 0", "do not give the sentences of their slots"),
    ("update filler set contexts = contexts + 1", "as many slots as they say"),
    ("update filler set text = ' wine' where text = ' tea'", "do not give the sentences of their slots"),
    ("update commutation set contexts = contexts + 1", "commute in other contexts"),
    ("delete from commutation", "commute in other contexts"),
    ("update commutation set contexts = 1", "fewer than two contexts"),
    ("update slot set sentence = 12", "do not give the sentences of their slots"),
    ("update seed set text = text || '!'", "not the sentence that they say"),
    ("update candidate set fluency = inner_fluency + 1", "an impossible fluency"),
    ("update candidate set frequency = 0", "no evidence"),
    ("delete from sentence where text = 'Merci.'", "refer to a sentence that is not there"),
    ("insert into sentence (language, text) values ('xx', 'Hello.')", "unknown language 'xx'"),
    ("update sentence set language = 'deu' where text = 'Bonjour.'", "not said to have them"),
    ("update occurrence set line = line + 100", "other lines than were counted"),
    ("delete from occurrence", "other lines than were counted"),
    ("update document set counts = '{}'", "other lines than were counted"),
    (f"update ngram_segment set text = {compressed_text(b'Two biers.')}", "other texts than its sentences"),
    (f"update ngram_segment set text = {compressed_text(bytes([255]))}", "is not compressed UTF-8"),
    ("update ngram_segment set text = x'0a'", "is not compressed UTF-8"),
    ("update ngram_segment set suffixes = substr(suffixes, 1, length(suffixes) - 1)", "suffixes for"),
    ("update ngram_segment set suffixes = cast(x'01' || zeroblob(length(suffixes) - 1) as blob)", "out of order"),
    ("update ngram_segment set suffixes = zeroblob(length(suffixes))", "has no suffixes"),
    ("update ngram_segment set sentences = substr(sentences, 9)", "does not hold the sentences"),
    ("update sentence set text = 'Bon' || char(10) || 'soir.' where text = 'Bonjour.'", "hold a line break"),
    ("delete from ngram_segment", "hold 0 sentences and not 12"),
    ("insert into sentence (language, text) values ('eng', 'Later.');"
     "update layer set last_sentence = (select max(id) from sentence) where name = 'ngram'",
     "hold 12 sentences and not 13"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), BROKEN)
def test_a_contradiction_is_found(store: Store, change: str, problem: str) -> None:
    store.connection.execute("pragma foreign_keys = off")
    store.connection.executescript(change)
    report = check(store)
    assert not report.ok
    assert problem in "\n".join(report.problems)


MISPLACED = [
    ("update unit set line = line + 100 where line = 1", "units have no text"),
    ("insert into unit select max(id), 1, 1, null from document", "units have no text or are in a document of"),
    ("update unit set section = 99 where line = 1", "refer to a section that is not there"),
    ("delete from section", "refer to a section that is not there"),
    ("update section set number = number + 10", "documents inside files have no unit, no number"),
    ("update section set attributes = '{' where number = 1", "unreadable attributes"),
    ("insert into section (document, number, name) select document, 50, 'x' from section", "inside files have no unit"),
    ("update version set number = number + 10", "versions are not among the texts of their unit or out of order"),
    ("update version set sentence = (select max(id) from sentence)", "versions are not among the texts of their unit"),
    ("delete from unit where section is null", "versions are not among the texts of their unit"),
    ("delete from version where number = 3", "texts are not a version in a unit whose other texts are"),
    ("update version set sentence = 999 where number = 1", "refer to a sentence that is not there"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("change", "problem"), MISPLACED)
def test_a_contradiction_in_documents_units_and_versions_is_found(store: Store, change: str, problem: str) -> None:
    languages = ("eng", "fra", "fra")
    units = [
        Record(1, ("one", "un"), languages[:2], "1", Document("d")),
        Record(2, ("two", "deux", "à deux"), languages),
    ]
    import_units(store, units)
    import_units(store, [Record(1, ("last", "dernier"), languages[:2])])
    assert check(store).problems == ()
    store.connection.execute("pragma foreign_keys = off")
    store.connection.executescript(change)
    assert problem in "\n".join(check(store).problems)


def test_layers_that_are_being_made_are_not_held_against_it(store: Store) -> None:
    with store.write() as connection:
        connection.execute("update layer set complete = 0")
        connection.execute("update filler set contexts = contexts + 1")
        connection.execute("delete from ngram_segment")
    assert check(store).problems == ()


def damaged(store: Store, first: int, step: int) -> Path:
    """A copy of which one byte in ``step`` is flipped, from ``first`` on, but for the pages that hold the schema."""
    schema = store.connection.execute("select pageno - 1 from dbstat where name = 'sqlite_schema'").fetchall()
    copy = finished(backup(store, store.path.with_name("damaged.db")))
    content = bytearray(copy.read_bytes())
    for place in range(first, len(content), step):
        if (place // 4096,) not in schema:
            content[place] ^= 0xFF
    copy.write_bytes(content)
    return copy


@pytest.mark.parametrize("step", [1, 97, *(pytest.param(step, marks=pytest.mark.slow) for step in (509, 1009))])
@pytest.mark.parametrize("first", [4096, 5003, pytest.param(40_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("full", [False, True])
def test_damage_is_reported_and_never_a_traceback(store: Store, first: int, step: int, full: bool) -> None:
    with open_store(damaged(store, first, step), read_only=True, damaged=True) as opened:
        report = check(opened, full=full)
    assert not report.ok
    assert all("\n" not in problem for problem in report.problems)


def test_a_flipped_letter_in_a_text_is_found(store: Store) -> None:
    copy = finished(backup(store, store.path.with_name("damaged.db")))
    content = copy.read_bytes()
    assert content.count(b"Bonjour.") > 0
    copy.write_bytes(content.replace(b"Bonjour.", b"Bonj\xffur."))
    with open_store(copy, read_only=True, damaged=True) as opened:
        assert not check(opened).ok


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("start", range(4096, 4096 * 20, 5 * 1499))
def test_a_single_flipped_byte_is_never_a_traceback(store: Store, start: int, offset: int) -> None:
    """It may stand in unused space, where it changes nothing."""
    with open_store(damaged(store, start + 1499 * offset, 10**9), read_only=True, damaged=True) as opened:
        report = check(opened)
    assert report.ok == (report.problems == ())


def test_a_query_that_meets_damage_says_so(store: Store) -> None:
    root = store.connection.execute("select rootpage from sqlite_master where name = 'sentence'").fetchone()[0]
    copy = damaged(store, 4096 * (root - 1), 10**9)
    with open_store(copy, read_only=True) as opened, pytest.raises(DatabaseDamaged):
        read_only_query(opened, "select * from sentence", 0, 5)


def test_a_database_that_is_being_written_without_a_log_is_locked(store: Store) -> None:
    store.connection.execute("pragma journal_mode = delete")
    store.connection.execute("pragma busy_timeout = 0")
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("begin exclusive")
    try:
        with pytest.raises(DatabaseLocked):
            check(store)
        with pytest.raises(DatabaseLocked):
            read_only_query(store, "select * from run", 1, 5)
    finally:
        other.close()
    assert check(store).ok


def test_a_check_beside_a_writer_sees_what_was_committed(store: Store) -> None:
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("begin immediate")
    other.execute("delete from translation")
    assert check(store).ok
    other.close()


@pytest.mark.slow
def test_a_backup_has_the_same_rows_and_is_sound(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    steps: list[Progress] = []
    assert finished(backup(store, target), steps.append) == target
    assert steps[-1].done == steps[-1].total == store.connection.execute("pragma page_count").fetchone()[0]
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name) == ["copy.db"]
    with open_store(target) as copy:
        assert check(copy, full=True).ok
        assert list(copy.connection.iterdump()) == list(store.connection.iterdump())


@pytest.mark.slow
def test_a_backup_is_of_one_moment_while_another_writes(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_PAGES_AT_ONCE", 1)
    stop, written = Event(), Event()

    def write() -> None:
        with open_store(store.path) as other:
            while not stop.is_set():
                with other.write() as connection:
                    connection.execute("insert into collection (name) values (hex(randomblob(1000)))")
                    connection.execute("insert into collection (name) values (hex(randomblob(1000)))")
                written.set()

    writer = Thread(target=write)
    writer.start()
    try:
        assert written.wait(60)
        steps: list[Progress] = []
        target = finished(backup(store, tmp_path / "copy.db"), steps.append)
    finally:
        stop.set()
        writer.join(60)
    assert len(steps) >= 20
    assert [step.done for step in steps] == sorted({step.done for step in steps}), "it began anew"
    with open_store(target) as copy:
        assert check(copy, full=True).ok
        assert copy.connection.execute("select count(*) % 2 from collection where name <> 'rows'").fetchone() == (0,)


def test_a_backup_does_not_wait_for_a_job_of_the_database(store: Store, tmp_path: Path) -> None:
    assert store.start_job("generate") is None
    target = finished(backup(store, tmp_path / "copy.db"))
    assert sorted(path.name for path in tmp_path.iterdir() if "copy" in path.name) == ["copy.db"]
    with open_store(target) as copy:
        assert copy.job_holder() is None
    holder = store.job_holder()
    assert holder is not None and holder.operation == "generate"
    store.end_job()


def test_a_backup_that_is_stopped_leaves_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "_PAGES_AT_ONCE", 1)
    before = sorted(tmp_path.iterdir())
    job = backup(store, tmp_path / "copy.db")
    next(job)
    job.close()
    assert sorted(tmp_path.iterdir()) == before
    assert check(store).ok


def test_a_target_is_replaced_only_when_asked_for(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        finished(backup(store, target))
    assert target.read_text() == "precious"
    finished(backup(store, target, overwrite=True))
    with open_store(target, read_only=True) as copy:  # leaves an empty log behind
        assert check(copy).ok
    finished(backup(store, target, overwrite=True))
    with open_store(target) as copy:
        assert check(copy).ok


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("corpus.db", UsageError, "the database itself"),
        ("", UsageError, "is a folder"),
        ("used.db", UsageError, "in use"),
        ("missing/copy.db", InputError, "no such folder"),
    ],
)
def test_a_target_that_cannot_be(
    store: Store, tmp_path: Path, name: str, error: type[CorpusError], message: str
) -> None:
    (tmp_path / "used.db-wal").write_bytes(b"log")
    with pytest.raises(error, match=message):
        finished(backup(store, tmp_path / name, overwrite=True))
    assert (tmp_path / "used.db-wal").exists()


@pytest.mark.parametrize(
    ("limit", "rows", "truncated"), [(0, 12, False), (1, 1, True), (11, 11, True), (12, 12, False), (13, 12, False)]
)
def test_truncation_is_known(store: Store, limit: int, rows: int, truncated: bool) -> None:
    result = read_only_query(store, "select text as said from sentence where language = 'eng'", limit, 5)
    assert (result.columns, len(result.rows), result.truncated) == (("said",), rows, truncated)


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from slot",
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 9) select i from n",
        "values (1, 2)",
        "explain query plan select * from sentence",
        "pragma table_info(sentence)",
        "select name from pragma_table_info('sentence')",
        "select text from context_text;",
    ],
)
def test_reading_is_allowed(store: Store, sql: str) -> None:
    assert read_only_query(store, sql, 0, 5).rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("insert into collection (name) values ('x')", "insert collection is refused"),
        ("with x as (select 1) insert into collection (name) select 'x' from x", "insert collection is refused"),
        ("update sentence set text = 'x'", "update sentence is refused"),
        ("delete from sentence", "delete sentence is refused"),
        ("drop table sentence", "change of the schema is refused"),
        ("create table x (a)", "change of the schema is refused"),
        ("create temp table x (a)", "change of the schema is refused"),
        ("alter table sentence rename to x", "change of the schema is refused"),
        ("update sqlite_master set sql = ''", "may not be modified"),
        ("reindex", "is refused"),
        ("analyze", "is refused"),
        ("attach 'other.db' as other", "attach or vacuum other.db is refused"),
        ("detach main", "detach main is refused"),
        ("vacuum", "attach or vacuum is refused"),
        ("vacuum into 'stolen.db'", "attach or vacuum stolen.db is refused"),
        ("pragma journal_mode = delete", "pragma journal_mode is refused"),
        ("pragma writable_schema = on", "pragma writable_schema is refused"),
        ("pragma query_only = off", "pragma query_only is refused"),
        ("pragma user_version = 9", "pragma user_version is refused"),
        ("begin", "transaction BEGIN is refused"),
        ("savepoint x", "savepoint BEGIN is refused"),
        ("select load_extension('x')", "function load_extension is refused"),
        ("select 1; delete from sentence", "one statement"),
        ("", "no statement"),
        ("-- nothing", "no statement"),
        ("select ?", "bindings"),
        ("select from", "syntax error"),
        ("select * from nowhere", "no such table: nowhere"),
        ("select json('{')", "malformed JSON"),
        ("select '\0'", "null character"),
        ("select '\udcff'", "surrogates not allowed"),
    ],
)
def test_all_else_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    before = list(store.connection.iterdump()), sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(UsageError, match=message):
        read_only_query(store, sql, 10, 5)
    assert (list(store.connection.iterdump()), sorted(path.name for path in tmp_path.iterdir())) == before
    assert store.connection.execute("pragma journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(("limit", "seconds"), [(-1, 1), (1, 0), (1, -1)])
def test_limits_that_make_no_sense(store: Store, limit: int, seconds: float) -> None:
    with pytest.raises(UsageError):
        read_only_query(store, "select 1", limit, seconds)


def test_the_store_can_write_after_a_query(store: Store) -> None:
    read_only_query(store, "select 1", 1, 5)
    with pytest.raises(UsageError):
        read_only_query(store, "delete from sentence", 1, 5)
    with store.write() as connection:
        connection.execute("insert into collection (name) values ('more')")
    assert read_only_query(store, "select count(*) from collection", 1, 5).rows == ((2,),)
