"""The repair of a database, and that nothing which changes a row is unseen."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from calls import MakeOnce
from corpora import all_rows, derived_rows, import_rows, import_units, new_store
from damage import attack, make_database

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.layers import layer_tables
from corpusdb.chain.queries.repair import CHECKSUM_TABLES, repair
from corpusdb.corpus.formats import Record
from corpusdb.corpus.formats.records import Document
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from corpusdb.people.queries.sessions import create_session
from corpusdb.people.queries.verdicts import record

# Tests of the repair of a database: what was derived comes back, and what people and imports gave stays.


PAIRS = [
    ("A beer, please.", "Une bière, s'il vous plaît."),
    ("Can I have a beer?", "Une bière, s'il vous plaît."),
    ("I'd like a beer, please.", "Je voudrais une bière."),
    ("A coffee, please.", "Un café, s'il vous plaît."),
    ("I'd like a coffee, please.", "Je voudrais un café."),
    ("A tea, please.", "Un thé, s'il vous plaît."),
    ("I'd like a tea, please.", "Je voudrais un thé."),
    ("Can I have a tea?", "Un thé, s'il vous plaît."),
    ("Thank you.", "Merci."),
    ("Thanks.", "Merci."),
]
OUTSIDE = "A juice, please."


def crossed(*values: object, given: Sequence[object] = (), slow: Sequence[object] = ()) -> pytest.MarkDecorator:
    """Each value with candidates of all sentences, and with those of given ones; by default in one of the two ways."""
    left = {*slow, *given}
    every = [pytest.param("all", value, marks=pytest.mark.slow if value in left else ()) for value in values]
    rest = [pytest.param("given", value, marks=() if value in given else pytest.mark.slow) for value in values]
    return pytest.mark.parametrize(("made", "value"), every + rest, indirect=["made"])


@pytest.fixture(params=["all", "given"])
def made(make_once: MakeOnce, request: pytest.FixtureRequest) -> Path:
    """Everything that people make, and candidates of all sentences or of some, and of one that is not in the corpus."""
    seeds = None if request.param == "all" else ["A coffee, please.", "Thanks."]
    return make_once(f"repaired-{request.param}", lambda folder: make(folder, seeds)) / "corpus.db"


def make(folder: Path, seeds: Sequence[str] | None) -> None:
    with new_store(folder) as opened:
        import_rows(opened, PAIRS)
        import_units(opened, [Record(1, ("It is late.", "Il est tard."), ("eng", "fra"), "1", Document("d"))])
        finished(generate(opened, "eng", seeds))
        finished(generate(opened, "eng", [OUTSIDE]))
        finished(update_layers(opened))
        create_session(opened, "work", "eng", ["Thank you."])
        decide(opened, "work", "Thank you.", "Thanks a lot.", "accept")
        sample = draw_sample(opened, "drawn", SampleOptions("grammaticality", "eng", 2, 1, kept=NO_FILTER))
        record(opened, sample, "ann", 1, "y")
        assert check(opened, full=True).problems == ()


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of it."""
    with open_store(Path(shutil.copy(made, tmp_path))) as opened:
        yield opened


def given_rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """What people and imports gave, and the runs that there were before a repair."""
    made = {*layer_tables(), "layer", *CHECKSUM_TABLES}
    rows = {table: rows for table, rows in all_rows(store).items() if table not in made}
    (before,) = store.connection.execute("select coalesce(min(id), 1e9) from run where operation = 'repair'").fetchone()
    rows["run"] = store.connection.execute("select * from run where id < ? order by id", (before,)).fetchall()
    return rows


def damage(store: Store, script: str) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.executescript(script)


DAMAGES = [
    "update candidate set frequency = frequency + 1",
    "delete from candidate; delete from seed",
    "update seed set text = text || '!'",
    "update paraphrase set probability = probability * 0.999999999",
    "update slot set sentence = 999",
    "update filler set text = text || 'x'",
    "delete from commutation where x = (select min(x) from commutation)",
    "update ngram_segment set suffixes = zeroblob(length(suffixes))",
    "update token_segment set tokens = x'01'",
    "update type set text = text || id",
    "update layer set last_sentence = 1, complete = 0",
    "delete from layer",
    "drop index slot_filler; drop index occurrence_sentence",
    "drop view current_judgement; drop trigger judgement_stays; drop index judgement_item",
    "drop table candidate",
    "drop table slot; drop table context; drop table token_segment",
    "drop table row_checksum",
    "drop table translation_checksum; drop table document_checksum",
    "create trigger mine after insert on sentence begin delete from candidate; end",
    "drop view context_text; create view context_text as select 1 as id",
    "drop table saved_query",
]
FURTHER = re.compile(
    "seed set text|filler set|slot set|from commutation|type set|token_segment set|drop (index slot|view current)"
    "|from seed|table (slot|(row|translation)_checksum|saved)|_text|trigger mine|frequency"
)
"""Of damages that are found and mended by the same means as others."""


@crossed(
    *DAMAGES,
    given=[script for script in DAMAGES if re.search("delete from layer|table candidate", script)],
    slow=[script for script in DAMAGES if FURTHER.search(script)],
)
def test_what_was_derived_comes_back(store: Store, value: str) -> None:
    given, derived = given_rows(store), derived_rows(store)
    damage(store, value)
    assert not check(store, full=True).ok
    report = finished(repair(store))
    assert (report.ok, report.left) == (True, ())
    assert report.done
    assert given_rows(store) == given
    assert derived_rows(store) == derived
    before = all_rows(store)
    assert finished(repair(store)).done == ()
    assert all_rows(store) == before


LOST = [
    ("drop table judgement", "the table judgement is missing"),
    ("drop table unit", "the table unit is missing"),
    ("update sentence set text = 'A wine.' where id = 1", "the sentences 1 to"),
    ("update collection set licence = 'free'", "of collection"),
    ("update occurrence set original = 'x' where line = 1", "the occurrences of document"),
]


@pytest.mark.slow
@crossed(*LOST)
def test_what_only_a_backup_can_mend_is_said_and_not_touched(store: Store, value: tuple[str, str]) -> None:
    script, problem = value
    damage(store, script)
    given = given_rows(store)
    report = finished(repair(store))
    assert not report.ok
    assert problem in "\n".join(report.left)
    assert given_rows(store) == given


@crossed(1, 40, 60, 80, 100, given=[60], slow=[1, 40, 80, 100])
def test_a_repair_that_was_stopped_goes_on(store: Store, value: int) -> None:
    given, derived = given_rows(store), derived_rows(store)
    damage(store, "update candidate set frequency = frequency + 1")
    job = repair(store)
    for _ in zip(range(value), job, strict=False):
        pass
    job.close()
    assert finished(repair(store)).ok
    assert given_rows(store) == given
    assert derived_rows(store) == derived


def root_page(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("select rootpage from sqlite_master where name = ?", (name,)).fetchone()
    return int(row[0])


@crossed(
    ("candidate", True),
    ("slot", True),
    ("slot_filler", True),
    ("occurrence_sentence", True),
    ("row_checksum", True),
    ("judgement", False),
    ("sentence", False),
    given=[("candidate", True)],
    slow=[("slot", True), ("slot_filler", True)],
)
@pytest.mark.slow
def test_pages_that_cannot_be_read(store: Store, value: tuple[str, bool]) -> None:
    (name, mended), path = value, store.path
    derived, given = derived_rows(store), given_rows(store)
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = delete")
    content = bytearray(path.read_bytes())
    page = root_page(path, name) - 1
    content[page * 4096 : page * 4096 + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with open_store(path) as damaged:
        assert not check(damaged).ok
        report = finished(repair(damaged))
        assert report.ok == mended
        assert mended or name in "\n".join(report.left)
        if mended:
            assert derived_rows(damaged) == derived
            assert given_rows(damaged) == given


def test_a_reader_cannot_repair(store: Store) -> None:
    with open_store(store.path, read_only=True) as reader, pytest.raises(DatabaseReadOnly):
        finished(repair(reader))


# The attack of tests/benchmarks/damage.py, on few cases: nothing that changes a row is unseen.


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_no_damage_is_unseen(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSDB_HISTORY", "off")
    outcome = attack(make_database(tmp_path), 10, seed, asks=False)
    assert sum(outcome.harmful.values()) > 0
    assert (outcome.unseen, outcome.false_alarms, outcome.unexpected) == ([], [], [])
