"""What is behind the numbers of the table: segments, significance, curves, one segment and its origins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from score_database import FIRST, SOURCES, SYSTEMS

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.score_table import (
    ScoreReader,
    ScoreTable,
    column_statistics,
    comparisons,
    find_table,
    human_judgements,
    reference_curve,
    segment_rows,
)
from corpusdb.scoring.queries.segment_view import origins_of, segment_view, stored_trace
from corpusdb.scoring.queries.stored_scores import stored_scores


def table_of(store: Store) -> ScoreTable:
    table = find_table(store)
    assert table is not None
    return table


def outputs(table: ScoreTable, *names: str) -> tuple[int, ...]:
    return tuple(table.row(name).output for name in names)


def test_segments_stand_worst_first_with_the_values_that_are_stored(store: Store) -> None:
    table = table_of(store)
    rows = segment_rows(ScoreReader(store), table, 0, outputs(table, "fair"))
    stored = next(each for each in stored_scores(store) if each.system == "fair" and each.settings.metric == "bleu")
    assert {row.segment: row.score for row in rows} == dict(enumerate(stored.segment_values.tolist(), 1))
    assert [row.score for row in rows] == sorted(stored.segment_values.tolist())
    best = segment_rows(ScoreReader(store), table, 0, outputs(table, "fair"), best_first=True)
    assert best[0].score == max(stored.segment_values)


def test_errors_are_worst_where_they_are_many(store: Store) -> None:
    table = table_of(store)
    rows = segment_rows(ScoreReader(store), table, table.column("mWER"), outputs(table, "poor"))
    scores = [row.score for row in rows if row.score is not None]
    assert scores == sorted(scores, reverse=True)


def test_differences_begin_with_the_biggest_loss_of_the_first_system(store: Store) -> None:
    table = table_of(store)
    rows = segment_rows(ScoreReader(store), table, 0, outputs(table, "poor", "good"))
    differences = [row.difference for row in rows if row.difference is not None]
    assert differences == sorted(differences) and differences[0] < 0
    errors = segment_rows(ScoreReader(store), table, table.column("mWER"), outputs(table, "poor", "good"))
    assert errors[0].difference == max(row.difference for row in errors if row.difference is not None)


def test_a_segment_that_nobody_rated_stands_last(store: Store) -> None:
    table = table_of(store)
    rows = segment_rows(ScoreReader(store), table, table.column("DA"), outputs(table, "good"))
    assert (rows[-1].segment, rows[-1].score) == (4, None)
    with pytest.raises(InputError, match="COMET imported has scores of systems only"):
        segment_rows(ScoreReader(store), table, table.column("COMET"), outputs(table, "good"))
    with pytest.raises(InputError, match="fair has no score in BLEUw2"):
        segment_rows(ScoreReader(store), table, 2, outputs(table, "fair"))


def test_differences_of_a_column_are_those_of_its_numbers(store: Store) -> None:
    table = table_of(store)
    good, fair, poor = outputs(table, "good", "fair", "poor")
    for name in ("BLEUw2 ref.A", "mWER", "DA"):
        at = table.column(name)
        found = comparisons(column_statistics(store, table, at), good)
        assert set(found) == {fair, poor}
        values = {row.output: cell.value for row in table.rows if (cell := row.cells[at])}
        for output, compared in found.items():
            assert compared.difference == pytest.approx(values[output] - values[good])
            assert 0 < compared.p_value <= 1
    assert comparisons(column_statistics(store, table, 2), fair) == {}  # it has no number there
    with pytest.raises(InputError, match="nothing can be resampled"):
        column_statistics(store, table, table.column("COMET"))


def test_a_segment_is_taken_apart_as_its_score_was_computed(store: Store) -> None:
    table, reader = table_of(store), ScoreReader(store)
    stored = next(each for each in stored_scores(store) if each.system == "poor" and each.settings.metric == "bleu")
    for segment in range(1, 5):
        view = segment_view(reader, table, 0, outputs(table, "poor", "good"), segment)
        assert view.trace.score == pytest.approx(stored.segment_values[segment - 1])
        assert (view.source, view.trace.hypothesis) == (SOURCES[segment - 1], SYSTEMS["poor"][segment - 1])
        assert view.outputs[1].trace.hypothesis == SYSTEMS["good"][segment - 1]
        assert [each.text for each in view.trace.references] == [FIRST[segment - 1]]
        assert (view.trace.signature, view.is_stand_in) == (stored.signature, False)
    with pytest.raises(UsageError, match="there are segments 1 to 4, but no 5"):
        segment_view(reader, table, 0, outputs(table, "poor"), 5)


@pytest.mark.parametrize(("column", "references"), [("mWER", 1), ("BLEUw2 ref.A+1", 2), ("COMET", 1), ("DA", 1)])
def test_other_columns_show_the_ngrams_of_a_bleu(column: str, references: int, store: Store) -> None:
    table = table_of(store)
    view = segment_view(ScoreReader(store), table, table.column(column), outputs(table, "good"), 1)
    assert view.trace.settings.metric == "bleu"
    assert view.is_stand_in == (column != "BLEUw2 ref.A+1")
    assert len(view.trace.references) == references
    if references == 2:
        assert [each.label for each in view.trace.references] == ["ref.A", "ref.B"]


def test_references_from_files_that_the_corpus_does_not_know_have_no_origin(store: Store) -> None:
    table, reader = table_of(store), ScoreReader(store)
    view = segment_view(reader, table, 0, outputs(table, "good"), 1)
    found = origins_of(reader, view)
    assert found.references == (None,)
    assert found.labels(("ref.A",)) == ("ref.A",)


def test_a_stored_score_is_traced_by_its_number(store: Store) -> None:
    for stored in stored_scores(store):
        if stored.settings.metric == "bleu":
            view, _ = stored_trace(store, stored.id, 2)
            assert (view.trace.system, view.trace.signature) == (stored.system, stored.signature)
            assert view.trace.score == pytest.approx(stored.segment_values[1])
        else:
            with pytest.raises(UsageError, match="only BLEU is taken apart, not mwer"):
                stored_trace(store, stored.id, 2)
    with pytest.raises(InputError, match="there is no score 99"):
        stored_trace(store, 99, 1)


def test_a_curve_ends_at_the_score_that_is_stored(store: Store) -> None:
    table = table_of(store)
    at = table.column("BLEUw2 ref.A+1")
    found = reference_curve(store, table, at)
    points = found.curves[-1].points
    assert [point.references for point in points] == [1, 2]
    for place, system in enumerate(found.systems):
        cell = table.row(system).cells[at]
        assert cell is not None
        assert points[-1].scores[place].mean == pytest.approx(cell.value)
    assert found.judged == found.systems
    fewer, stored = found.curves[-1].signatures
    assert "|refs:1|of:2|set:" in fewer and "|draws:20|seed:1|" in fewer
    assert stored.replace("|seed:1", "") == table.columns[at].signature
    with pytest.raises(InputError, match=r"BLEUw2 ref\.A has one reference of each segment"):
        reference_curve(store, table, 0)
    with pytest.raises(UsageError, match="curves of BLEU only, not of mWER"):
        reference_curve(store, table, table.column("mWER"))


def with_column(table: ScoreTable, place: int, label: str, value: float) -> ScoreTable:
    """The table with a further column of people, in which all systems have that value."""
    column = replace(table.columns[place], label=label)
    rows = [replace(row, cells=(*row.cells, replace(cell, value=value))) for row in table.rows
            if (cell := row.cells[place]) is not None]  # fmt: skip
    return replace(table, columns=(*table.columns, column), rows=tuple(rows))


def test_what_people_said_is_z_or_the_first_of_their_columns(store: Store) -> None:
    table = table_of(store)
    found = human_judgements(store, table)
    (place,) = [at for at, each in enumerate(table.columns) if each.kind == "human"]
    assert human_judgements(store, with_column(table, place, "raw", value=-1.0)) == found
    assert human_judgements(store, with_column(table, place, "z", value=-1.0)) != found
    assert found is not None
    assert found.segments["fair"] == pytest.approx({0: 0.7, 1: 0.5, 2: 0.6})
    assert found.systems == pytest.approx({name: np.mean([*found.segments[name].values()]) for name in SYSTEMS})
