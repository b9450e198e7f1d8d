"""Runs, the state of derived layers, and segments of indexes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from corpusdb import __version__
from corpusdb.base.errors import DatabaseDamaged, StoreError
from corpusdb.corpus.store import Layer, Run, Store, corpus_fingerprint, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import (
    SegmentTable,
    blobs_checksum,
    checked_blobs,
    keep_counts,
    languages_with_layers,
    run_counts,
)

# Runs: one row for each operation, and the same row for one that goes on.


PARAMETERS = {"language": "eng", "order": 20, "text": "水"}
_DOCUMENT = (
    "insert into document (collection, name, digest, languages, lines_done, run) values (1, ?, ?, 'eng,fra', ?, 1)"
)


@pytest.fixture
def run(store: Store) -> Run:
    assert store.start_job("detect") is None
    with store.write() as writer:
        writer.execute("insert into collection (name) values ('c')")
        return start_run(store, "detect", PARAMETERS)


def row(store: Store, run: Run) -> dict[str, object]:
    columns = ("operation", "parameters", "version", "fingerprint", "started", "finished", "counts")
    found = store.connection.execute(f"select {', '.join(columns)} from run where id = ?", (run.id,)).fetchone()
    return dict(zip(columns, found, strict=True))


def again(store: Store, operation: str = "detect", **changed: object) -> Run:
    with store.write():
        return start_run(store, operation, PARAMETERS | changed)


def add_document(store: Store, name: str, digest: str, lines: int) -> None:
    with store.write() as writer:
        writer.execute(_DOCUMENT, (name, digest, lines))


def test_a_run_says_what_was_done(store: Store, run: Run) -> None:
    before = row(store, run)
    assert run.operation == "detect"
    assert before["operation"] == "detect"
    assert json.loads(str(before["parameters"])) == PARAMETERS
    assert before["version"] == __version__
    assert before["fingerprint"] == corpus_fingerprint(store)
    assert (before["finished"], before["counts"]) == (None, "{}")
    with store.write():
        finish_run(store, run, {"pairs": 3})
    after = row(store, run)
    assert json.loads(str(after["counts"])) == {"pairs": 3}
    started, finished = (datetime.fromisoformat(str(after[key])) for key in ("started", "finished"))
    assert started.tzinfo == UTC
    assert started <= finished <= datetime.now(UTC)


def test_the_same_operation_goes_on_where_it_was_interrupted(store: Store, run: Run) -> None:
    resumed = again(store)
    assert resumed == Run(run.id, "detect")
    with store.write():
        reordered = start_run(store, "detect", dict(reversed(PARAMETERS.items())))
    assert reordered == resumed


def test_what_a_run_has_counted_is_known_when_it_goes_on(store: Store, run: Run) -> None:
    assert run_counts(store, run) == {}
    with store.write():
        keep_counts(store, run, {"sentences": 3})
    assert run_counts(store, again(store)) == {"sentences": 3}


def test_only_a_job_goes_on_with_a_run(store: Store, run: Run) -> None:
    """Without the lock, a run that has not ended may be that of a living process."""
    store.end_job()
    assert again(store) != run


def test_a_finished_run_is_not_gone_on_with(store: Store, run: Run) -> None:
    with store.write():
        finish_run(store, run, {})
    assert again(store) != run


@pytest.mark.parametrize(
    ("operation", "changed"), [("index", {}), ("detect", {"order": 5}), ("detect", {"more": None})]
)
def test_another_operation_is_another_run(store: Store, run: Run, operation: str, changed: dict[str, object]) -> None:
    other = again(store, operation, **changed)
    assert other.id != run.id


def test_a_corpus_that_has_grown_makes_another_run(store: Store, run: Run) -> None:
    add_document(store, "a.tsv", "d1", 10)
    assert again(store) != run


def test_a_run_that_is_rolled_back_was_never_there(store: Store) -> None:
    with pytest.raises(KeyError), store.write():
        start_run(store, "detect", {})
        raise KeyError
    assert store.connection.execute("select count(*) from run").fetchone() == (0,)


def test_the_fingerprint_tells_files_their_order_and_how_far_each_was_read(store: Store, run: Run) -> None:
    seen = [corpus_fingerprint(store)]
    add_document(store, "a.tsv", "d1", 10)
    seen.append(corpus_fingerprint(store))
    add_document(store, "b.tsv", "d2", 10)
    seen.append(corpus_fingerprint(store))
    for statement in (
        "update document set lines_done = 11 where digest = 'd1'",
        "update document set digest = 'd3' where digest = 'd1'",
        "update document set id = id + 10 where digest = 'd3'",
    ):
        with store.write() as writer:
            writer.execute(statement)
        seen.append(corpus_fingerprint(store))
    assert len(set(seen)) == len(seen)
    with store.write() as writer:
        writer.execute("update document set name = 'moved/' || name")
    assert corpus_fingerprint(store) == seen[-1]  # the content counts, not the name


LAYER = Layer({"max_units": 8, "name": "水"}, last_sentence=12, last_run=3, complete=False)


@pytest.fixture
def layers_run(store: Store) -> Run:
    assert store.start_job("index") is None
    with store.write():
        return start_run(store, "index", {})


def test_a_layer_that_was_never_begun(store: Store) -> None:
    assert layer_state(store, "eng", "ngram") is None


def test_a_layer_is_found_as_it_was_written(store: Store, layers_run: Run) -> None:
    with store.write():
        save_layer(store, "eng", "commutation", LAYER, layers_run)
    assert layer_state(store, "eng", "commutation") == LAYER
    assert layer_state(store, "fra", "commutation") is None
    assert layer_state(store, "eng", "candidate") is None


def test_the_later_state_takes_the_place_of_the_earlier(store: Store, layers_run: Run) -> None:
    later = replace(LAYER, parameters={"max_units": 9}, last_sentence=20, last_run=4, complete=True)
    with store.write():
        other = start_run(store, "index", {"again": True})
        save_layer(store, "eng", "ngram", LAYER, layers_run)
        save_layer(store, "jpn", "ngram", LAYER, layers_run)
        save_layer(store, "eng", "ngram", later, other)
    assert layer_state(store, "eng", "ngram") == later
    assert layer_state(store, "jpn", "ngram") == LAYER
    found = store.connection.execute("select language, run from layer order by language").fetchall()
    assert found == [("eng", other.id), ("jpn", layers_run.id)]


def test_a_layer_is_written_by_a_job_only(store: Store, layers_run: Run) -> None:
    store.end_job()
    with pytest.raises(RuntimeError, match="without the job lock"), store.write():
        save_layer(store, "eng", "ngram", LAYER, layers_run)


def test_a_state_goes_with_its_transaction(store: Store, layers_run: Run) -> None:
    with pytest.raises(KeyError), store.write():
        save_layer(store, "eng", "ngram", LAYER, layers_run)
        raise KeyError
    assert layer_state(store, "eng", "ngram") is None


def test_a_layer_needs_a_run_that_is_there(store: Store) -> None:
    assert store.start_job("index") is None
    with pytest.raises(StoreError, match="FOREIGN KEY"), store.write():
        save_layer(store, "eng", "ngram", LAYER, Run(99, "index"))


def test_a_layer_of_any_name(store: Store, layers_run: Run) -> None:
    with store.write():
        save_layer(store, "eng", "other", LAYER, layers_run)
    assert layer_state(store, "eng", "other") == LAYER


def test_languages_with_one_of_some_layers(store: Store, layers_run: Run) -> None:
    with store.write():
        for language, name in (("jpn", "ngram"), ("eng", "token"), ("eng", "ngram"), ("fra", "token")):
            save_layer(store, language, name, LAYER, layers_run)
    assert languages_with_layers(store, ["ngram"]) == ["eng", "jpn"]
    assert languages_with_layers(store, ["ngram", "token"]) == ["eng", "fra", "jpn"]
    assert languages_with_layers(store, ["candidate"]) == []


TABLE = SegmentTable(
    "select id, size, id * 10 from segment where language = ? order by id desc limit 1",
    "delete from segment where id = ?",
)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.execute("create table segment (id integer primary key, language text, size integer)")
        yield opened


@pytest.mark.parametrize(
    ("sizes", "new", "largest", "left"),
    [
        ([], 5, 100, []),
        ([10], 5, 100, []),
        ([11], 5, 100, [11]),
        ([40, 20, 11, 3], 2, 100, [40, 20, 11]),
        ([40, 20, 8, 4], 2, 100, []),
        ([40, 20, 8, 4], 2, 30, [40, 20]),
        ([1, 50], 2, 100, [1, 50]),
        ([6], 5, 10, [6]),
    ],
)
def test_a_segment_takes_in_those_that_are_not_much_larger(
    connection: sqlite3.Connection, sizes: list[int], new: int, largest: int, left: list[int]
) -> None:
    connection.executemany("insert into segment (language, size) values ('eng', ?)", [(size,) for size in sizes])
    connection.execute("insert into segment (language, size) values ('fra', 1)")
    taken = list(TABLE.taken_in(connection, "eng", new, largest))
    assert taken == [(number * 10,) for number in range(len(sizes), len(left), -1)]
    rows = connection.execute("select size from segment where language = 'eng' order by id").fetchall()
    assert [size for (size,) in rows] == left


def test_segments_stay_few(connection: sqlite3.Connection) -> None:
    """A thousand of one sentence each: never more than about log2 of them."""
    for number in range(1000):
        size = 1
        rows = connection.execute("select size from segment order by id desc").fetchall()
        size += sum(before for (before,), _ in zip(rows, TABLE.taken_in(connection, "eng", 1, 10_000), strict=False))
        connection.execute("insert into segment (language, size) values ('eng', ?)", (size,))
        assert len(rows) <= 1 + number.bit_length()
    assert connection.execute("select sum(size) from segment").fetchone() == (1000,)


def test_a_checksum_sees_what_is_changed() -> None:
    checksum = blobs_checksum(b"one", b"two")
    checked_blobs("tokens of eng", checksum, b"one", b"two")
    checked_blobs("tokens of eng", None, b"other")
    with pytest.raises(DatabaseDamaged, match="the tokens of eng are damaged"):
        checked_blobs("tokens of eng", checksum, b"one", b"tow")
