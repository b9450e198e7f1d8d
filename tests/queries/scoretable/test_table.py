"""The table of systems by metrics and reference sets, and what belongs to one test set."""

from __future__ import annotations

from pathlib import Path

import pytest
from score_database import BLEU, FIRST, SECOND, SOURCES, score, write

from corpusdb.base.errors import UsageError
from corpusdb.corpus.store import Store, open_store
from corpusdb.scoring.queries.score_table import chosen_test_set, find_table, score_table, sorted_rows
from corpusdb.scoring.queries.stored_scores import stored_scores
from corpusdb.scoring.queries.test_sets import all_test_sets


def test_nothing_is_stored(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db", create=True) as store:
        assert all_test_sets(store) == []
        assert find_table(store) is None


def test_every_stored_number_stands_in_its_cell(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert [column.name for column in table.columns] == [
        "BLEUw2 ref.A",
        "mWER ref.A",
        "BLEUw2 ref.A+1",
        "COMET imported",
        "DA human",
    ]
    shown = {
        (row.name, column.signature): cell.value
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell is not None and column.kind == "computed"
    }
    assert shown == {(each.system, each.signature): each.value for each in stored_scores(store)}
    assert table.row("fair").cells[2] is None


def test_imported_ones_tell_their_file_and_digest(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert table.columns[3].signature == "imported, not computed here: COMET.seg sha256:cdcdcdcdcdcdcdcd"
    assert table.columns[4].signature == "scores of people: DA.seg sha256:cdcdcdcdcdcdcdcd"
    assert [table.columns[at].kind for at in (3, 4)] == ["metric", "human"]


def test_rows_are_sorted_best_first_whatever_that_means(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert [row.name for row in table.rows] == ["good", "fair", "poor"]
    errors = table.column("mwer")
    assert table.columns[errors].lower_is_better
    values = [cell.value for row in sorted_rows(table, errors) if (cell := row.cells[errors])]
    assert values == sorted(values)
    worst = [row.name for row in sorted_rows(table, 2, worst_first=True)]
    assert worst == ["poor", "good", "fair"]  # that without a number stands last


def test_a_column_is_found_by_its_name_or_metric(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert (table.column(), table.column("bleuw2"), table.column("BLEUw2 ref.A+1")) == (0, 0, 2)
    with pytest.raises(UsageError, match=r"no column 'chrF' in test; there are BLEUw2 ref\.A; mWER"):
        table.column("chrF")
    with pytest.raises(UsageError, match="no system 'best' in test; there are good, fair, poor"):
        table.row("best")


def test_two_test_sets_are_told_apart_and_the_one_scored_last_comes_first(store: Store, tmp_path: Path) -> None:
    other = write(tmp_path, "ref.other", SECOND[:3])
    score(store, [other], SOURCES[:3], {"short": FIRST[:3]}, BLEU)
    found = all_test_sets(store)
    assert [(each.number, each.segments, len(each.outputs)) for each in found] == [(1, 4, 3), (2, 3, 1)]
    assert chosen_test_set(found).number == 2
    assert [row.name for row in score_table(store, chosen_test_set(found, 1)).rows] == ["good", "fair", "poor"]
    with pytest.raises(UsageError, match="there is no test set 3; there are 1 to 2"):
        chosen_test_set(found, 3)


@pytest.mark.parametrize(("sources", "test_sets"), [(SOURCES, 1), (SOURCES[::-1], 2), ((), 2)])
def test_outputs_without_a_common_reference_set_are_joined_by_their_sources(
    sources: tuple[str, ...], test_sets: int, store: Store, tmp_path: Path
) -> None:
    other = write(tmp_path, "ref.C", SECOND)
    score(store, [other], sources, {"new": SECOND}, BLEU)
    assert len(all_test_sets(store)) == test_sets


def test_two_outputs_of_one_system_have_two_names(store: Store) -> None:
    score(store, [Path(store.path).parent / "test" / "ref.A"], SOURCES, {"good": SECOND}, BLEU)
    table = find_table(store)
    assert table is not None
    assert len({row.name for row in table.rows}) == len(table.rows) == 4
    assert sum(row.name.startswith("good@") for row in table.rows) == 2


def test_a_frozen_set_has_its_name_and_says_that_it_was_there_first(store: Store) -> None:
    with store.write():
        store.connection.execute(
            "insert into frozen_set (reference_set, name, guided_by, run, frozen)"
            " select max(id), 'guided', '[]', run, '2026' from reference_set"
        )
    table = find_table(store)
    assert table is not None
    assert [(column.references, column.is_frozen) for column in table.columns[:3]] == [
        ("ref.A", False),
        ("ref.A", False),
        ("guided", True),
    ]
