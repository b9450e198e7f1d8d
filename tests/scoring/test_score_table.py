"""The table of systems by metrics and reference sets, and what is behind its numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU as SacreBleu
from score_database import BLEU, FIRST, SECOND, SOURCES, SYSTEMS, score, write

from corpusdb.base.arrays import F64
from corpusdb.base.cells import cell_width
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.agreement_figures import AgreementStatistic
from corpusdb.scoring.queries.score_table import (
    ScoreReader,
    ScoreTable,
    chosen_test_set,
    comparisons,
    counting_column,
    drawing_reference_curve,
    find_table,
    human_judgements,
    score_table,
    segment_rows,
    sorted_rows,
)
from corpusdb.scoring.queries.segment_view import (
    counted_occurrences,
    longest_matches,
    origins_of,
    places_in,
    segment_view,
    stored_trace,
    unit_places,
)
from corpusdb.scoring.queries.stored_scores import PartlyScored, all_test_sets, stored_scores
from corpusdb.scoring.table_report import agreement_in_words, bin_edges, format_signature, segment_lines
from corpusdb.scoring.unit_metrics import trace_segment

# The table of systems by metrics and reference sets, and what belongs to one test set.


def test_nothing_is_stored(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db", create=True) as store:
        assert all_test_sets(store) == []
        assert find_table(store) is None


def test_every_stored_number_stands_in_its_cell(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert [column.name for column in table.columns] == [
        "BLEUw2 ref.A",
        "BLEUw2 ref.A+1",
        "mWER ref.A",
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
    assert table.row("fair").cells[1] is None


def test_imported_ones_tell_their_file_and_digest(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert table.columns[3].signature == "imported, not computed here: COMET.seg sha256:cdcdcdcdcdcdcdcd"
    assert table.columns[4].signature == "scores of people: DA.seg sha256:cdcdcdcdcdcdcdcd"
    assert [table.columns[at].kind for at in (3, 4)] == ["metric", "human"]


def test_scores_of_a_part_of_the_segments_say_of_which(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    rated = [int(np.sum(~np.isnan(ScoreReader(store).segment_values(table, 4, row.output)))) for row in table.rows]
    part = table.columns[4].part
    assert part is not None and (part.least, part.most) == (min(rated), max(rated))
    assert part.least < part.segments == len(SOURCES)
    assert format_signature(table.columns[4]).startswith(f"of {part}; scores of people")
    assert [column.part for column in table.columns[:4]] == [None] * 4
    assert (str(PartlyScored(187, 218, 1000)), PartlyScored(187, 218, 1000).short) == (
        "187 to 218 of 1,000 segments",
        "187/1,000",
    )


def test_rows_are_sorted_best_first_whatever_that_means(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert [row.name for row in table.rows] == ["good", "fair", "poor"]
    errors = table.column("mwer")
    assert table.columns[errors].lower_is_better
    values = [cell.value for row in sorted_rows(table, errors) if (cell := row.cells[errors])]
    assert values == sorted(values)
    worst = [row.name for row in sorted_rows(table, 1, worst_first=True)]
    assert worst == ["poor", "good", "fair"]  # that without a number stands last


def test_a_column_is_found_by_its_name_or_metric(store: Store) -> None:
    table = find_table(store)
    assert table is not None
    assert (table.column(), table.column("bleuw2"), table.column("BLEUw2 ref.A+1")) == (0, 0, 1)
    with pytest.raises(UsageError, match=r"no column 'chrF' in test; there are BLEUw2 ref\.A; BLEUw2"):
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
        ("guided", True),
        ("ref.A", False),
    ]


# What is behind the numbers of the table: segments, significance, curves, one segment and its origins.


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


def test_segments_are_looked_at_by_the_sentence_bleu_of_sacrebleu(tmp_path: Path) -> None:
    texts = ("the cat sat on a mat today", "a dog barks", "it is raining today", "nothing of it")
    with open_store(tmp_path / "scores.db", create=True) as store:
        score(store, [write(tmp_path, "ref", FIRST)], SOURCES, {"one": texts}, settings_for("bleu"))
        table, reader = table_of(store), ScoreReader(store)
        stored, rows = (segment_rows(reader, table, 0, outputs(table, "one"), smoothed=each) for each in (False, True))
    bleu = SacreBleu(effective_order=True)
    expected = [bleu.sentence_score(text, [reference]).score for text, reference in zip(texts, FIRST, strict=True)]
    assert {row.segment: row.score for row in rows} == pytest.approx(dict(enumerate(expected, 1)))
    assert [row.score for row in rows] == sorted(row.score or 0.0 for row in rows)
    assert [row.score for row in stored].count(0.0) == 2 and expected.count(0.0) == 1


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
        segment_rows(ScoreReader(store), table, 1, outputs(table, "fair"))


def test_differences_of_a_column_are_those_of_its_numbers(store: Store) -> None:
    table = table_of(store)
    good, fair, poor = outputs(table, "good", "fair", "poor")
    for name in ("BLEUw2 ref.A", "mWER", "DA"):
        at = table.column(name)
        found = comparisons(finished(counting_column(store, table, at)), good)
        assert set(found) == {fair, poor}
        values = {row.output: cell.value for row in table.rows if (cell := row.cells[at])}
        for output, compared in found.items():
            assert compared.difference == pytest.approx(values[output] - values[good])
            assert 0 < compared.p_value <= 1
    assert comparisons(finished(counting_column(store, table, 1)), fair) == {}  # it has no number there
    with pytest.raises(InputError, match="nothing can be resampled"):
        finished(counting_column(store, table, table.column("COMET")))
    at = table.column("DA")
    given = replace(table.columns[at], gives_systems=True)
    table = replace(table, columns=(*table.columns[:at], given, *table.columns[at + 1 :]))
    with pytest.raises(InputError, match="DA human: the scores of systems are not the means of their segments"):
        finished(counting_column(store, table, at))


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
            with pytest.raises(UsageError, match="only BLEU can be traced, not mwer"):
                stored_trace(store, stored.id, 2)
    with pytest.raises(InputError, match="there is no score 99"):
        stored_trace(store, 99, 1)


def test_a_curve_ends_at_the_score_that_is_stored(store: Store) -> None:
    table = table_of(store)
    at = table.column("BLEUw2 ref.A+1")
    found = finished(drawing_reference_curve(store, table, at))
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
        finished(drawing_reference_curve(store, table, 0))
    with pytest.raises(UsageError, match="curves of BLEU only, not of mWER"):
        finished(drawing_reference_curve(store, table, table.column("mWER")))


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


# Where the n-grams stand that BLEU counts: as many of each order as its statistics have.


texts = st.lists(st.sampled_from("abc"), max_size=9)


@given(texts, st.lists(texts.filter(bool), min_size=1, max_size=3), st.integers(1, 4))
def test_as_many_occurrences_count_as_the_statistics_say(
    hypothesis: list[str], references: list[list[str]], order: int
) -> None:
    trace = trace_segment(hypothesis, references, order)
    counted = counted_occurrences(trace)
    assert [len(counted[n]) for n in range(1, order + 1)] == list(trace.statistics[:order])


@given(texts, st.lists(texts.filter(bool), min_size=1, max_size=3), st.integers(1, 4))
def test_stretches_cover_what_counts_and_stand_in_their_references(
    hypothesis: list[str], references: list[list[str]], order: int
) -> None:
    trace = trace_segment(hypothesis, references, order)
    found = longest_matches(trace)
    counted = {(at, at + n) for n, begins in counted_occurrences(trace).items() for at in begins}
    assert all(any(one.start <= start and stop <= one.stop for one in found) for start, stop in counted)
    for match in found:
        units = tuple(hypothesis[match.start : match.stop])
        holders = [number for number, each in enumerate(references) if places_in(each, units)]
        assert list(match.references) == holders != []
        assert match.contributions[0] <= match.length
    assert [match.start for match in found] == sorted(match.start for match in found)
    assert all(before.stop < after.stop for before, after in pairwise(found))


def test_a_word_that_counts_once_is_marked_where_the_longer_match_is() -> None:
    trace = trace_segment("the a the cat".split(), [["the", "cat"]], 2)
    assert counted_occurrences(trace) == {1: {2, 3}, 2: {2}}
    (match,) = longest_matches(trace)
    assert (match.start, match.stop, match.references, match.contributions) == (2, 4, (0,), (2, 1))


def test_a_stretch_is_longer_than_the_order_where_a_reference_has_it() -> None:
    trace = trace_segment("a b c d e".split(), ["a b c d e".split(), "x d e".split()], 2)
    (match,) = longest_matches(trace)
    assert (match.start, match.stop, match.references, match.contributions) == (0, 5, (0,), (5, 4))


def test_units_are_found_in_the_text_that_they_were_cut_from() -> None:
    assert unit_places("Hello, you.", ["Hello", ",", "you", "."]) == [(0, 5), (5, 6), (7, 10), (10, 11)]
    assert unit_places("Ab", ["a", "b"], lowercase=True) == [(0, 1), (1, 2)]
    assert unit_places("ああ 、", ["あ", "あ", "、"]) == [(0, 1), (1, 2), (3, 4)]
    assert unit_places("a &quot; b", ["a", '"', "b"]) is None
    assert unit_places("本は だ", ["本", "は/助詞", "だ/助動詞"]) == [(0, 1), (1, 2), (3, 4)]
    assert unit_places("は/助詞", ["は/助詞"]) == [(0, 4)]
    assert unit_places("İ", ["i̇"], lowercase=True) is None


# Pictures of stored scores: what the bars of segments count, and how agreement is told.


@given(
    st.lists(st.floats(-200, 200) | st.sampled_from([0.0, float("nan")]), min_size=1, max_size=60),
    st.booleans(),
    st.booleans(),
)
@example([float("nan")], True, False)
def test_every_segment_with_a_score_is_in_the_one_bar_that_leads_to_it(
    values: list[float], are_differences: bool, ascii: bool
) -> None:
    scores = np.round(np.array(values), 4)
    known: F64 = scores[~np.isnan(scores)]
    heading, *bars = segment_lines(scores, 7, "a system", 60, are_differences=are_differences, ascii=ascii)
    if not known.size:
        assert (heading.text, bars) == ("a system: no segment has both scores", [])
        return
    of_all = f" of {scores.size}" if known.size < scores.size else ""
    assert heading.is_heading and heading.text.startswith(f"a system: {known.size}{of_all} segments, median ")
    ends = [bar.bar for bar in bars if bar.bar is not None]
    ties = [int(bar.text.split()[1]) for bar in bars if bar.text.split()[0] == "equal"]
    assert ties == [count for count in [np.count_nonzero(known == 0)] if count and are_differences]
    assert len(ends) == len(bars) <= 20 + len(ties) and {bar.output for bar in bars} == {7}
    held = [sum(low <= value < below for value in known.tolist()) for low, below in ends]
    figures = [int(bar.text.split(" to ")[-1].split()[1].replace(",", "")) for bar in bars]
    assert figures == held and sum(held) == known.size
    assert max(cell_width(bar.text) for bar in bars) <= 60
    assert all(bar.text.isascii() for bar in bars) or not ascii


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        ([3.0, 3.0], [3.0, 4.0]),
        ([0.0, 100.0], [5.0 * place for place in range(21)]),
        ([0.12, 0.5], [0.02 * place for place in range(6, 26)]),
    ],
)
def test_ends_of_bars_are_round(values: list[float], edges: list[float]) -> None:
    assert bin_edges(np.array(values)) == pytest.approx(edges)


def test_agreement_is_told_in_words() -> None:
    names, interval = ("pearson", "kendall", "pairwise_accuracy"), Interval(0.5, 0.875)
    figures = [AgreementStatistic("system", name, 0.75, 9, interval=interval) for name in names]
    assert [line.partition(":")[0] for line in agreement_in_words(figures)] == [
        "Pearson 0.750 [0.500, 0.875]", "Kendall 0.750 [0.500, 0.875]", "pairs in the same order 75 % [50, 88]",
        "[95 % by bootstrap"
    ]  # fmt: skip
    without = [replace(each, interval=None) for each in figures]
    assert [line.partition(":")[0] for line in agreement_in_words(without)][::2] == [
        "Pearson 0.750", "pairs in the same order 75 %"
    ]  # fmt: skip
    assert "two systems" in next(agreement_in_words([replace(each, n=2) for each in figures]))
    assert [*agreement_in_words([replace(each, reason="none") for each in figures])] == ["none"]
