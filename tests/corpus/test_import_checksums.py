"""Tests of the checksums: every table is covered by some check, every writer keeps them, and each change is seen."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
import pytest
from corpora import CHARACTERS, drawn_units, import_rows, import_units, new_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.layers import layer_tables
from corpusdb.chain.queries.recomputed import wrong_documents, wrong_rows, wrong_sentences, wrong_translations
from corpusdb.chain.queries.repair import CHECKSUM_TABLES, read_only_query
from corpusdb.corpus.queries.names import delete_query, save_query
from corpusdb.corpus.queries.storing import occurrences_checksum, pairs_checksum
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.row_checksums import SEALED, row_checksum
from corpusdb.paraphrase.queries.models import load_ngrams
from corpusdb.people.queries.decisions import accept
from corpusdb.search.queries.token_index import load_text, load_tokens

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]

IMPORTED = ("sentence", "occurrence", "translation", "unit", "version", "section")
PASSING = ("damage", "job_lock")
"""Tables whose rows mean nothing when nobody is at work."""


@pytest.fixture
def filled(make_once: MakeOnce) -> Path:
    """Documents, units, versions, candidates, an accepted one, and all that is searched."""
    return make_once("checksums", fill) / "corpus.db"


def fill(folder: Path) -> None:
    with new_store(folder) as store:
        import_rows(store, [*random_rows(random.Random(3), 40), ("  A  b. ", "t1"), ("Ａ", "t2")])
        import_units(store, drawn_units(random.Random(5), 60))
        finished(generate(store, "eng"))
        seed, candidate = store.connection.execute(
            "select seed.text, candidate.text from candidate join seed on seed.id = candidate.seed limit 1"
        ).fetchone()
        finished(accept(store, seed, candidate, "eng"))
        finished(update_layers(store))
        save_query(store, "q", "search", {"pattern": "a"})


@pytest.fixture
def full(filled: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of it for one test."""
    with open_store(Path(shutil.copy(filled, tmp_path))) as store:
        yield store


def outside(store: Store, *statements: str) -> None:
    """Change rows as another program would."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_every_table_is_covered(empty: Store) -> None:
    tables = {row[1] for row in empty.connection.execute("pragma main.table_list") if row[1][:7] != "sqlite_"}
    assert tables - {
        *SEALED,
        *IMPORTED,
        *layer_tables(),
        *CHECKSUM_TABLES,
        *PASSING,
        "context_text",
    } == {
        "current_judgement",
        "current_decision",
        "current_line_category",
        "current_rejection",
    }


@pytest.mark.slow
def test_what_was_written_is_sound(full: Store) -> None:
    for look in (wrong_rows, wrong_sentences, wrong_documents, wrong_translations):
        assert look(full.connection) == []
    for table in (*IMPORTED, "row_checksum", "sentence_checksum", "document_checksum", "translation_checksum"):
        assert full.connection.execute(f"select count(*) from {table}").fetchone()[0], table


CHANGES = [
    ("update sentence set text = text || '.' where id = 7", "the sentences"),
    ("update sentence set language = 'deu' where id = 9", "the sentences"),
    ("delete from sentence where id = 8", "the sentences"),
    ("insert into sentence (language, text) values ('eng', 'new')", "one that corpusdb did not write"),
    ("update occurrence set original = 'other' where original is not null", "the occurrences of document"),
    ("update occurrence set line = line + 500 where line = 3", "the occurrences of document"),
    ("update unit set name = name || 'x' where name is not null", "the units of document"),
    ("update version set name = name || 'x'", "the versions of document"),
    ('update section set attributes = \'{"a": "b"}\'', "the sections of document"),
    ("update translation set run = 1 where run > 1", "the translations of run"),
    ("delete from translation where sentence < translation", "the translations of run"),
    ("update saved_query set note = 'x'", "row 1 of saved_query is not as it was written"),
    ("delete from saved_query", "row 1 of saved_query is missing"),
    ("insert into collection (name) values ('mine')", "of collection is one that corpusdb did not write"),
    ("update document set name = cast(x'ff' as text) where id = 1", "row 1 of document is not as it was written"),
    ("update layer set last_run = last_run + 1 where name = 'ngram'", "row eng/ngram of layer is not as"),
    ("update _sqlite_migrations set applied_at = 'x' where id = 1", "row 1 of _sqlite_migrations is not as"),
    ("delete from row_checksum", "one that corpusdb did not write"),
    ("update row_checksum set name = 'x' where name = 'saved_query'", "of rows of no table"),
]


_OF_SUMS = [change for change in CHANGES if "row_checksum" in change[0]]
_OF_ROWS = [change for change in CHANGES if change not in _OF_SUMS]
_BESIDE = [change for change in _OF_ROWS if change[1] != "row 1 of saved_query is not as it was written"]
"""Changes that hide none of the others: by default they are made all at once."""


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(_BESIDE, id="many"),
        *(pytest.param([change], id=change[0]) for change in _OF_SUMS),
        *(pytest.param([change], id=change[0], marks=pytest.mark.slow) for change in _OF_ROWS),
    ],
)
def test_what_another_program_changed_is_found(full: Store, changes: Sequence[tuple[str, str]]) -> None:
    outside(full, *(change for change, _ in changes))
    problems = "\n".join(check(full, full=True).problems)
    assert [problem for _, problem in changes if problem not in problems] == []


INSERTS = {
    "collection": "insert into collection (name) values (?)",
    "saved_query": "insert into saved_query (name, command, options, saved) values (?, '', '', '')",
}


class TakenBack(Exception):
    """What a block raises that is to leave nothing."""


STEP = st.tuples(
    st.sampled_from(("insert", "insert many", "update", "delete", "query")),
    st.sampled_from(sorted(INSERTS)),
    st.booleans(),
    st.booleans(),
)
"""A change, its table, whether it is made in a transaction inside another, and whether it is taken back."""


@given(st.lists(STEP, max_size=12))
def test_the_checksums_of_what_is_written_and_taken_back_are_right(
    steps: list[tuple[str, str, bool, bool]],
) -> None:
    """Whichever table is changed first, inside what is undone or after it: every row is there and has its checksum."""
    wanted: dict[str, set[str]] = {table: set() for table in INSERTS}
    with TemporaryDirectory() as folder, new_store(Path(folder)) as store:
        for number, (kind, table, is_nested, is_undone) in enumerate(steps):
            names = {f"{number} {part}" for part in range(3 if kind == "insert many" else 1)}
            with suppress(TakenBack), store.write() as connection, ExitStack() as inner:
                if is_nested:
                    inner.enter_context(suppress(TakenBack))
                    inner.enter_context(store.write())
                match kind:
                    case "insert":
                        connection.execute(INSERTS[table], (*names,))
                    case "insert many":
                        connection.executemany(INSERTS[table], ((name,) for name in names))
                    case "update":
                        connection.execute(f"update {table} set name = name || '+'")
                    case "delete":
                        connection.execute(f"delete from {table}")
                if is_undone:
                    raise TakenBack
            if kind == "query":
                read_only_query(store, f"select name from {table}", 0, 60)
            elif not is_undone:
                changed = {"update": {f"{name}+" for name in wanted[table]}, "delete": set[str]()}
                wanted[table] = changed.get(kind, wanted[table] | names)
        for table, names in wanted.items():
            assert {name for (name,) in store.connection.execute(f"select name from {table}")} == names
        assert wrong_rows(store.connection) == []


def test_a_row_that_is_deleted_by_its_writer_is_not_missed(full: Store) -> None:
    delete_query(full, "q")
    assert wrong_rows(full.connection) == []


SEGMENTS = [
    ("update ngram_segment set suffixes = zeroblob(length(suffixes))", load_ngrams),
    ("update token_segment set tokens = zeroblob(length(tokens))", load_tokens),
    ("update token_segment set tokens = zeroblob(length(tokens)), stream_checksum = null", load_tokens),
    (
        "update token_segment set stream_checksum = null,"
        " tokens = cast(x'01' || replace(hex(zeroblob(length(tokens) - 1)), '00', 'z') as blob)",
        load_tokens,
    ),
    ("update token_segment set text = substr(text, 1, length(text) - 1)", load_text),
    ("update token_segment set text = substr(text, 1, length(text) - 1), text_checksum = null", load_text),
]


@pytest.mark.parametrize(("change", "load"), SEGMENTS)
def test_a_damaged_segment_is_never_used(full: Store, change: str, load: object) -> None:
    outside(full, change)
    with pytest.raises(DatabaseDamaged, match=r"check --repair"):
        load(full, "eng")  # type: ignore[operator]


ROWS = st.lists(
    st.tuples(st.just(1), st.integers(1, 9), st.integers(1, 9), st.none() | st.text(CHARACTERS, max_size=3)), max_size=6
)


@given(ROWS, st.randoms(use_true_random=False), st.data())
def test_sums_do_not_depend_on_the_order_and_see_each_change(
    rows: list[tuple[int, int, int, str | None]], chance: random.Random, data: st.DataObject
) -> None:
    shuffled = chance.sample(rows, len(rows))
    assert occurrences_checksum(shuffled) == occurrences_checksum(rows)
    other = data.draw(ROWS)
    assert (occurrences_checksum(other) == occurrences_checksum(rows)) == (
        sorted(other, key=repr) == sorted(rows, key=repr)
    )


def test_a_pair_is_not_its_mirror_image() -> None:
    one, other = np.array([1, 2]), np.array([3, 4])
    assert len({pairs_checksum(one, other), pairs_checksum(other, one), pairs_checksum(one, other[::-1].copy())}) == 3


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(CHARACTERS) | st.binary(), max_size=4)
)
def test_nulls_at_the_end_of_a_row_do_not_count(values: list[object]) -> None:
    assert row_checksum(*values, None, None) == row_checksum(*values)
    assert row_checksum(None, *values, 1) != row_checksum(*values, 1)
