"""Jobs that end behind any of their transactions and are called again: the rows of an undisturbed one, runs as well."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from corpora import Dump, Row, all_rows, import_file, import_rows, new_store, random_rows, write_rows

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import generation
from corpusdb.chain.queries import importing as file_import
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries import detection, slot_index
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.people.queries.decisions import accept

ROWS: list[Row] = random_rows(random.Random(1), 25)
SEEDS = [ROWS[0][0], ROWS[3][0], "a b a c b."]
"""Two of the corpus and one that is not."""


class Killed(BaseException):
    """The process would be gone."""


@contextmanager
def ending_behind(number: int) -> Iterator[list[str]]:
    """Inside, nothing is written any more behind the transaction of that number, from 1; yields one item for each."""
    ended: list[str] = []
    whole = Store.write

    @contextmanager
    def write(store: Store) -> Iterator[sqlite3.Connection]:
        is_outer = not store.connection.in_transaction
        if len(ended) == number:
            raise Killed
        with whole(store) as connection:
            yield connection
        if is_outer:
            ended.append("")
            if len(ended) == number:
                raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "write", write)
        yield ended


def imported(store: Store) -> None:
    import_rows(store, ROWS)


def generated(store: Store) -> None:
    imported(store)
    finished(generate(store, "eng"))


def given(store: Store) -> None:
    imported(store)
    finished(generate(store, "eng", SEEDS[:1]))


def grown(store: Store) -> None:
    generated(store)
    import_rows(store, [("a b d.", "t1"), ("d.", "t2 t3")])


def aligned(store: Store) -> None:
    imported(store)
    finished(align_languages(store, "eng", "fra"))


def imports(store: Store) -> None:
    import_file(store, write_rows(store.path.with_suffix(".tsv"), ROWS), ("eng", "fra"))


def accepts(store: Store) -> None:
    finished(accept(store, ROWS[0][0], "a b a c b.", "eng"))


def rows_of(path: Path) -> Dump:
    """Of all tables but that of the lock, which the next call takes from a process that is gone."""
    with open_store(path) as store:
        return {name: rows for name, rows in all_rows(store).items() if name != "job_lock"}


Prepare = Callable[[Store], None]
JOBS: Mapping[str, tuple[Prepare, Callable[[Store], Any]]] = {
    "import": (lambda store: None, imports),
    "detect": (imported, lambda store: finished(detect(store, "eng"))),
    "generate": (imported, lambda store: finished(generate(store, "eng"))),
    "generate again": (grown, lambda store: finished(generate(store, "eng"))),
    "generate seeds": (imported, lambda store: finished(generate(store, "eng", SEEDS))),
    "generate more seeds": (given, lambda store: finished(generate(store, "eng", SEEDS))),
    "generate seeds after all": (generated, lambda store: finished(generate(store, "eng", SEEDS))),
    "generate all after seeds": (given, lambda store: finished(generate(store, "eng"))),
    "update": (grown, lambda store: finished(update_layers(store))),
    "accept": (generated, accepts),
    "align": (imported, lambda store: finished(align_languages(store, "eng", "fra"))),
    "align anew": (aligned, lambda store: finished(align_languages(store, "eng", "fra", retrain=True))),
}


_LONG = ("generate again", "generate all after seeds", "accept")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in _LONG else []) for name in JOBS]
)
def test_the_same_call_ends_with_the_rows_of_an_undisturbed_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection, "_SENTENCES_PER_TRANSACTION", 10)
    monkeypatch.setattr(file_import, "_BATCH", 5)
    monkeypatch.setattr(file_import, "_SECONDS_PER_TRANSACTION", 0.0)
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", 5)
    monkeypatch.setattr(slot_index, "_ROWS_PER_TRANSACTION", 200)
    prepare, job = JOBS[name]
    with new_store(tmp_path, "prepared") as store:
        prepare(store)
        prepared = store.path
    path = tmp_path / "corpus.db"

    def called(ends_behind: int) -> int:
        with open_store(path) as store:
            store.connection.execute("delete from job_lock")  # that of a process that is gone
            with suppress(Killed), ending_behind(ends_behind) as ended:
                job(store)
        return len(ended)

    shutil.copy(prepared, path)
    transactions = called(-1)
    once = rows_of(path)
    called(-1)
    twice = rows_of(path)
    wrong = []
    for number in range(1, transactions):
        shutil.copy(prepared, path)
        assert called(number) == number
        expected = twice if rows_of(path) == once else once  # where all is written, it is a call that is made twice
        called(-1)
        found = rows_of(path)
        wrong += [f"behind {number} of {transactions}: {name}" for name in expected if found[name] != expected[name]]
    assert wrong == []
