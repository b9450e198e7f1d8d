"""Runs: one row for each operation, and the same row for one that goes on."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from corpusdb import __version__
from corpusdb.corpus.store import Run, Store, corpus_fingerprint, finish_run, start_run
from corpusdb.corpus.store.runs import keep_counts, run_counts

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
    assert (run.operation, run.resumed) == ("detect", False)
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
    assert resumed == Run(run.id, "detect", resumed=True)
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
    assert not again(store).resumed


def test_a_finished_run_is_not_gone_on_with(store: Store, run: Run) -> None:
    with store.write():
        finish_run(store, run, {})
    assert not again(store).resumed


@pytest.mark.parametrize(
    ("operation", "changed"), [("index", {}), ("detect", {"order": 5}), ("detect", {"more": None})]
)
def test_another_operation_is_another_run(store: Store, run: Run, operation: str, changed: dict[str, object]) -> None:
    other = again(store, operation, **changed)
    assert not other.resumed
    assert other.id != run.id


def test_a_corpus_that_has_grown_makes_another_run(store: Store, run: Run) -> None:
    add_document(store, "a.tsv", "d1", 10)
    assert not again(store).resumed


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
