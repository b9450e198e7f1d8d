"""The table of systems, its segments, the matches of one, and what is behind a reference."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

import pytest
from pilots import press, screen_text, settled, until
from place_pilots import add_scores, scores, status, with_scores
from rich.text import Text as RichText
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.cells import cut_apart
from corpusdb.corpus.store import open_store
from corpusdb.program.commands import OfferedCommands
from corpusdb.scoring.queries.score_table import ScoreTable
from corpusdb.scoring.queries.segment_view import SegmentView
from tui.app import Browser
from tui.kit.background import JobState
from tui.kit.fields import ChoiceLine, FieldLine
from tui.kit.settings import BrowserSettings
from tui.kit.shown import RowList, Static
from tui.kit.terminal import MATCH
from tui.scoring.screen import ScoresScreen
from tui.scoring.segment_screen import (
    CURRENT,
    BackgroundScreen,
    MatchPane,
    SegmentScreen,
    SegmentsScreen,
    matched_output,
    matched_reference,
)
from tui.scoring.table_layout import CurveScreen, PictureScreen, _folded
from tui.search.document_screen import DocumentScreen

# The table of systems: columns, sorting, marks, test sets, export, and a database without scores.


@pytest.fixture
def scored(phrasebook: Path) -> Path:
    return add_scores(phrasebook)


def place(pilot: Pilot[None]) -> ScoresScreen:
    assert isinstance(pilot.app.screen, ScoresScreen)
    return pilot.app.screen


def systems(pilot: Pilot[None]) -> list[str]:
    return [line.split()[0] for line in place(pilot).query_one(RowList).lines()]


async def test_a_database_without_scores_says_how_to_make_some(phrasebook: Path) -> None:
    async with scores(phrasebook, "s", "b", "t", "c", "e", "enter", "right") as pilot:
        assert "No scores yet. To score the outputs of systems" in screen_text(pilot.app)
        assert "sort" not in screen_text(pilot.app) and "! begin" in screen_text(pilot.app)
        assert place(pilot).lines()[0].startswith("No scores yet.") and len(place(pilot).lines()) == 1


@pytest.mark.slow
async def test_columns_stand_side_by_side_by_metric_are_walked_and_sort_the_rows_best_first(scored: Path) -> None:
    async with scores(scored) as pilot:
        labels = [column.label for column in screen_table(pilot.app).columns]
        assert len(labels) > len({*labels}) and [label for label, _ in groupby(labels)] == [*dict.fromkeys(labels)]
        assert systems(pilot) == ["good", "fair", "poor"]
        assert "[BLEUw2]" in screen_text(pilot.app) and "frozen before it was scored" in screen_text(pilot.app)
        await press(pilot, "right", "right")
        assert "[mWER]" in screen_text(pilot.app) and "metric:mwer" in screen_text(pilot.app)
        await press(pilot, "space", "s")
        assert systems(pilot) == ["good", "fair", "poor"]
        await press(pilot, "s")
        assert systems(pilot) == ["poor", "fair", "good"] and "worst first" in status(pilot)
        assert place(pilot).query_one(RowList).selected == {2}  # the selection stays on its system
        assert place(pilot).query_one(RowList).cursor == 1
        await press(pilot, *["right"] * 9)
        assert "[DA]" in screen_text(pilot.app) and "human" not in screen_text(pilot.app)
        assert "signature  of 5 of 6 segments; scores of people: DA.seg.score" in screen_text(pilot.app)


@pytest.mark.slow
async def test_the_cursor_and_the_selection_stay_on_their_systems_when_one_comes_back(scored: Path) -> None:
    async with scores(scored, "s", "g", "space") as pilot:  # the worst first
        rows = place(pilot).query_one(RowList)
        assert (systems(pilot), rows.selected, rows.cursor) == (["poor", "fair", "good"], {0}, 1)
        await press(pilot, "e", "escape", "6", "q")
        assert (systems(pilot), rows.selected, rows.cursor) == (["poor", "fair", "good"], {0}, 1)


async def test_a_baseline_gives_marks_which_stay_when_one_comes_back(scored: Path) -> None:
    async with scores(scored, "b") as pilot:
        assert "** p < 0.01, * p < 0.05, against good: approximate randomisation" in screen_text(pilot.app)
        rows = place(pilot).query_one(RowList).lines()
        assert rows[0].startswith("good =") and "*" not in rows[0] and "*" in rows[2]
        assert "0.7000?" in rows[1] and "randomisation; ? not compared" in screen_text(pilot.app)
        await press(pilot, "enter", "q")
        assert place(pilot).query_one(RowList).lines() == rows
        del place(pilot).significance.marks[0]
        await press(pilot, "right", "e")
        assert "? not compared; 1 column not yet" in " ".join(screen_text(pilot.app).split())
        assert place(pilot).is_current and "not all columns are compared yet" in screen_text(pilot.app)
        await press(pilot, "b")
        assert "*" not in "".join(place(pilot).query_one(RowList).lines())


@pytest.mark.slow
async def test_marks_and_baseline_stay_when_a_job_adds_or_takes_columns(scored: Path) -> None:
    async with scores(scored, "right", "b", "space", "space") as pilot:
        screen = place(pilot)
        rows, before = screen.query_one(RowList), screen.table
        assert before is not None and "*" in rows.lines()[2] and len(rows.selected) == 2
        baseline, name = screen.significance.baseline, before.columns[screen.column].name
        with open_store(scored) as store, store.write() as connection:
            connection.execute("delete from imported_score")
        screen.on_screen_resume()
        await settled(pilot)
        assert screen.table is not None and len(screen.table.columns) < len(before.columns)
        assert (screen.significance.baseline, screen.table.columns[screen.column].name) == (baseline, name)
        assert "*" in rows.lines()[2] and len(rows.selected) == 2


@pytest.mark.slow
async def test_a_score_that_comes_later_is_compared_with_the_baseline_too(scored: Path) -> None:
    async with scores(scored, "b") as pilot:
        whole = place(pilot).query_one(RowList).lines()
        marks = place(pilot).significance.marks
    with open_store(scored) as store, store.write() as connection:
        poor = "select max(score.id) from score join system_output on system_output.id = output where system = 'poor'"
        (later,) = connection.execute(f"select * from score where id = ({poor})").fetchall()
        connection.execute("delete from score where id = ?", later[:1])
    async with scores(scored, "b") as pilot:
        assert place(pilot).query_one(RowList).lines() != whole
        with open_store(scored) as store, store.write() as connection:
            connection.execute(f"insert into score values ({', '.join('?' * len(later))})", later)
        place(pilot).on_screen_resume()
        await settled(pilot)
        assert place(pilot).query_one(RowList).lines() == whole and place(pilot).significance.marks == marks


async def test_enter_is_told_to_compare_where_two_are_marked_and_the_cursor_is_on_a_third(scored: Path) -> None:
    async with scores(scored) as pilot:
        assert "enter open" in screen_text(pilot.app)
        await press(pilot, "space", "space", "G")
        assert "enter compare the two" in screen_text(pilot.app)
        await press(pilot, "k", "space")
        assert "enter open" in screen_text(pilot.app)
        await press(pilot, "k", "space", "space", "enter")
        assert "3 systems are selected: two can be compared" in status(pilot)


@pytest.mark.slow
async def test_another_test_set_is_chosen_and_stays_and_so_does_what_was_compared(scored: Path) -> None:
    async with scores(scored, "b", "t", "g", "enter") as pilot:
        assert "1 of 2 (t)" in screen_text(pilot.app)
        assert systems(pilot) == ["翻訳機"] and place(pilot).significance.baseline is None
        await press(pilot, "enter", "q", "1", "5")
        place(pilot).test_sets = [replace(each, last_score=0) for each in place(pilot).test_sets]
        assert isinstance(pilot.app, Browser)
        pilot.app.job_changed.publish(JobState(1, "score good.en", "done"))
        await settled(pilot)
        assert systems(pilot) == ["翻訳機"] and "news (2) is scored: t shows it" in status(pilot), "nothing goes away"
        await press(pilot, "t", "G", "enter")
        assert place(pilot).query_one(RowList).lines()[0].startswith("good =") and "** p <" in screen_text(pilot.app)


async def export_to(pilot: Pilot[None], file: str) -> None:
    pilot.app.screen.query_one("#file", Input).value = file
    await press(pilot, "enter")


@pytest.mark.slow
def test_what_is_seen_is_exported(scored: Path) -> None:
    beginnings = {
        "out.tsv": "system\tBLEUw2 guided\t",
        "out.md": "| system | BLEUw2 guided |",
        "out.tex": "\\begin{tabular}",
        "out.json": '[\n  {"system": "good", "BLEUw2 guided": ',
    }

    async def main() -> None:
        async with scores(scored, "b", "right", "minus") as pilot:
            assert "BLEUw2 corpus is hidden; + shows" in status(pilot) and "1 hidden (+)" in screen_text(pilot.app)
            for file in beginnings:
                await press(pilot, "e")
                await export_to(pilot, file)
                assert status(pilot) == f"3 rows written to {file}"
            await press(pilot, "e")
            await export_to(pilot, file)
            assert "exists" in screen_text(pilot.app)  # it is not written over
            pilot.app.screen.query_one("#overwrite", Input).value = "yes"
            await press(pilot, "enter")
            assert status(pilot) == f"3 rows written to {file}"
            await press(pilot, "plus", "e")
            assert "hidden" not in screen_text(pilot.app)
            for file, reason in (("", "needs a name"), ("out.doc", "out.doc does not tell the format")):
                await export_to(pilot, file)
                assert reason in screen_text(pilot.app)
            pilot.app.screen.query_one("#format", Input).value = "csv"
            await press(pilot, "enter")
            assert status(pilot) == "3 rows written to out.doc"

    asyncio.run(main())
    for file, begins in beginnings.items():
        text = Path(file).read_text(encoding="utf-8")
        assert text.startswith(begins) and "BLEUw2 corpus" not in text
        marked = text.replace(r"\rlap{$^{*}$}", "*")
        assert "27.43*" in marked.replace("\\", ""), file
    text = Path("out.tex").read_text(encoding="utf-8")
    assert "% BLEUw2 guided: frozen" in text and "\\par{\\footnotesize ** p \\textless{} 0.01" in text
    assert r"0.7000\rlap{$^{?}$}" in text and "; ? not compared" in text and "-{}-paired-ar" in text


@pytest.mark.slow
async def test_scores_that_are_stored_meanwhile_appear(phrasebook: Path) -> None:
    async with scores(phrasebook) as pilot:
        with_scores(phrasebook)
        await press(pilot, "1", "5")
        assert systems(pilot) == ["good", "fair", "poor"]


async def test_a_system_without_a_score_in_the_column_opens_no_empty_screen(scored: Path) -> None:
    async with scores(scored) as pilot:
        screen = place(pilot)
        assert screen.table is not None
        rows = tuple(replace(row, cells=(None, *row.cells[1:])) for row in screen.table.rows)
        screen.table = replace(screen.table, rows=rows)
        await press(pilot, "enter")
        assert place(pilot) is screen and "good has no score in this column" in screen_text(pilot.app)


@pytest.mark.slow
async def test_the_help_explains_the_signature_that_stands_there(scored: Path) -> None:
    async with scores(scored) as pilot:
        table, whole = place(pilot).table, place(pilot).query_one("#scores-signature").size.height
        assert whole > 1 and "  signature  frozen before it was scored; metric" in screen_text(pilot.app)
        await pilot.resize_terminal(80, 12)
        await settled(pilot)
        assert place(pilot).query_one("#scores-signature").size.height == 1, "there are the systems to be seen"
        assert table is not None and place(pilot).signs_now[0][1].endswith(f"; {table.columns[0].signature}")
        await press(pilot, "question_mark", "slash", *"digest of the references", "enter")
        assert "set:2-" in screen_text(pilot.app)
        assert "digest of the references: another one, other" in screen_text(pilot.app)


@pytest.mark.slow
async def test_columns_that_have_no_room_are_counted(scored: Path) -> None:
    async with scores(scored, size=(44, 20)) as pilot:
        assert "more >" in screen_text(pilot.app)
        await press(pilot, *["right"] * 4)
        assert "[DA]" in screen_text(pilot.app) and "< 2 more" in screen_text(pilot.app)
        await pilot.resize_terminal(120, 24)
        await settled(pilot)
        assert "more" not in screen_text(pilot.app).split("\n")[1]


def test_heads_are_cut_where_they_do_not_differ() -> None:
    sets = ["ref.A.en", "ref.A.en.gz eq", "ref.A.en + corpus", "people 814/1,000"]
    assert _folded(sets, 12) == [["ref.A.en"], ["ref.A…z eq"], ["ref.A.en +", "corpus"], ["people", "814/1,000"]]
    assert cut_apart(["score a --by length", "score a --by document"], 12) == ["score …ength", "score …ument"]
    assert cut_apart(["begins 1 ends alike", "begins 2 ends alike"], 8) == ["…1 ends…", "…2 ends…"]
    assert cut_apart(["one", "other"], 8) == ["one", "other"]


@pytest.mark.slow
async def test_a_name_that_attacks_the_terminal_stays_on_its_line(scored: Path) -> None:
    with open_store(scored) as store, store.write():
        store.connection.execute("update system_output set system = ? where system = 'good'", ("a\x1b[7m\nb" * 3,))

    async with scores(scored) as pilot:
        for keys in (("b",), ("enter",), ("enter",), ("q", "q", "c")):
            await press(pilot, *keys)
            shown = screen_text(pilot.app)
            assert "\x1b" not in shown and "a\ufffd[7m\ufffdb" in shown
            assert len(shown.splitlines()) <= 24


# From the table to the segments, to the matches of one, to its references, and to the sentences of people.


def numbers(pilot: Pilot[None]) -> list[int]:
    return [int(line.split()[0]) for line in pilot.app.screen.query_one(RowList).lines()]


def segment(pilot: Pilot[None]) -> SegmentScreen:
    assert isinstance(pilot.app.screen, SegmentScreen)
    return pilot.app.screen


def view(pilot: Pilot[None]) -> SegmentView:
    found = segment(pilot).view
    assert found is not None
    return found


def styled(text: RichText, style: str) -> list[str]:
    return [text.plain[span.start : span.end] for span in text.spans if str(span.style) == style]


async def test_segments_stand_worst_first_by_any_column_and_back(scored: Path) -> None:
    async with scores(scored, "j", "enter") as pilot:
        assert isinstance(pilot.app.screen, SegmentsScreen)
        first = numbers(pilot)
        assert sorted(first) == [1, 2, 3, 4, 5, 6]
        await press(pilot, "s")
        assert numbers(pilot)[0] == first[-1] and "best first" in screen_text(pilot.app)
        await press(pilot, "s", "right")
        assert "BLEUw2 corpus" in screen_text(pilot.app)
        await press(pilot, "right", "right")
        assert "COMET imported has scores of systems only" in status(pilot)
        assert "mWER" in screen_text(pilot.app)  # which stays
        await press(pilot, "left", "left", "left")
        assert "there is no other column" in status(pilot)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, ScoresScreen)


async def test_two_selected_systems_are_subtracted(scored: Path) -> None:
    async with scores(scored, "j", "space", "space", "enter") as pilot:
        assert "A fair 68.73, B poor" in screen_text(pilot.app) and status(pilot).startswith("A is better in ")
        differences = [float(line.split()[3]) for line in pilot.app.screen.query_one(RowList).lines()]
        assert differences == sorted(differences)
        await press(pilot, "enter")
        assert [each.trace.system for each in view(pilot).outputs] == ["fair", "poor"]
        await press(pilot, "o")
        assert [each.trace.system for each in view(pilot).outputs] == ["poor", "fair"]


@pytest.mark.slow
async def test_the_next_segment_is_the_next_of_the_list(scored: Path) -> None:
    async with scores(scored, "j", "enter") as pilot:
        order = numbers(pilot)
        await press(pilot, "enter")
        seen = [view(pilot).trace.segment]
        for key in ("right_square_bracket", "j", "right_square_bracket", "down", "j"):
            await press(pilot, key)
            seen.append(view(pilot).trace.segment)
        assert seen == order
        await press(pilot, "tab", "right_square_bracket")
        assert "last segment" in status(pilot)
        for key in ("left_square_bracket", "tab", "k", "left_square_bracket"):
            await press(pilot, key)
        assert view(pilot).trace.segment == order[2]
        await press(pilot, "q")
        assert pilot.app.screen.query_one(RowList).cursor == 2


@pytest.mark.slow
async def test_matches_are_bold_and_underlined_and_the_cursor_walks_them(scored: Path) -> None:
    async with scores(scored, "j", "right", "enter", "enter") as pilot:
        shown, pane = view(pilot), segment(pilot).query_one(MatchPane)
        matched = matched_output(shown.outputs[0], 0)
        assert len(styled(matched, CURRENT)) == 1
        assert len(styled(matched, MATCH)) == len(shown.matches) - 1
        for number in shown.matches[0].references:
            assert styled(matched_reference(shown, number, 0), CURRENT)
        assert pane.current == 0
        for step in range(len(shown.matches)):
            assert f"match {step + 1} of {len(shown.matches)}" in screen_text(pilot.app)
            await press(pilot, "right")
        assert pane.current == 0  # around
        await press(pilot, "left")
        assert pane.current == len(shown.matches) - 1


@pytest.mark.slow
async def test_from_a_match_to_the_sentence_of_people_and_all_the_way_back(scored: Path) -> None:
    async with scores(scored, "right", "enter", "enter", "enter") as pilot:
        rows = segment(pilot).query_one(RowList)
        assert pilot.app.focused is rows
        assert rows.text_of(rows.cursor).split()[1].startswith("generated")
        assert rows.cursor in view(pilot).matches[0].references
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, BackgroundScreen)
        lines = pilot.app.screen.query_one(RowList).lines()
        assert any(line.startswith("Analogy 1 of") for line in lines)
        at = next(at for at, line in enumerate(lines) if line.startswith("  A  "))
        await press(pilot, "enter")  # the reference itself
        assert "nobody wrote this sentence" in status(pilot)
        await press(pilot, *["j"] * at, "enter")
        assert isinstance(pilot.app.screen, DocumentScreen) and lines[at][7:] in screen_text(pilot.app)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, BackgroundScreen)
        assert pilot.app.screen.query_one(RowList).cursor == at
        await press(pilot, "q")
        assert pilot.app.focused is segment(pilot).query_one(RowList)
        await press(pilot, "q")
        assert pilot.app.focused is segment(pilot).query_one(MatchPane)
        await press(pilot, "q", "q")
        assert isinstance(pilot.app.screen, ScoresScreen)


@pytest.mark.slow
async def test_a_reference_that_people_wrote_leads_to_its_document(scored: Path) -> None:
    async with scores(scored, "j", "right", "enter", "enter", "enter", "g", "enter") as pilot:
        assert "original" in screen_text(pilot.app)
        row = next(
            at for at, line in enumerate(pilot.app.screen.query_one(RowList).lines()) if line.startswith("  is at")
        )
        await press(pilot, *["j"] * row, "enter")
        assert isinstance(pilot.app.screen, DocumentScreen)
        await press(pilot, "j", "enter")
        assert isinstance(pilot.app.screen, DocumentScreen)  # that of the other sentence
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, BackgroundScreen)


@pytest.mark.slow
async def test_japanese_is_taken_apart_in_characters(scored: Path) -> None:
    async with scores(scored, "t", "g", "enter", "enter", "enter") as pilot:
        shown = view(pilot)
        (text,) = styled(matched_output(shown.outputs[0], 0), CURRENT)
        assert text == shown.trace.hypothesis and text in matched_reference(shown, 0, 0).plain


@pytest.mark.slow
async def test_curves_are_walked(scored: Path) -> None:
    async with scores(scored, "right", "j", "c") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, CurveScreen)
        assert [curve.name for curve in screen.curves][:3] == ["good", "fair", "poor"]
        assert {curve.name for curve in screen.curves[3:]} <= {"agreement by segment", "agreement by system"}
        assert screen.curves[screen.at].name == "fair" and "1 reference at most" in screen_text(pilot.app)
        await press(pilot, "right")
        assert "2 references at most" in screen_text(pilot.app)
        await press(pilot, *["right"] * 20)
        assert screen.point == len(screen.curves[screen.at].points) - 1
        await press(pilot, "left", "j", "k", "k")
        assert screen.curves[screen.at].name == "good"
        await press(pilot, "e", "down", *"la", "enter")
        assert "rows written to curve.tex" in status(pilot)
        await press(pilot, "q", "right", "c")
        assert "there are curves of BLEU only, not of mWER" in screen_text(pilot.app)
        assert isinstance(pilot.app.screen, ScoresScreen), "nothing is shown that is empty"


@pytest.mark.slow
async def test_lists_and_ngrams_are_exported(scored: Path) -> None:
    async with scores(scored, "right", "enter", "e", "enter") as pilot:
        assert status(pilot) == "6 rows written to segments.tsv"
        await press(pilot, "enter", "e", "enter")
        assert "rows written to ngrams.tsv" in status(pilot)
    segments = [line.split("\t") for line in Path("segments.tsv").read_text(encoding="utf-8").splitlines()]
    assert segments[0] == ["segment", "score", "source", "output"]
    ngrams = [line.split("\t") for line in Path("ngrams.tsv").read_text(encoding="utf-8").splitlines()]
    assert ["2", "1", "1", "0", "5", "Where could"] in ngrams


@pytest.mark.slow
async def test_a_bar_of_a_picture_leads_to_its_segments_and_a_dot_to_those_of_its_system(scored: Path) -> None:
    async with scores(scored, "right", "j", "p") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, PictureScreen)
        lines = screen.lines()
        assert lines[0].startswith("Systems by BLEUw2 corpus, ") and "fair, by smoothed BLEU: 6 segments" in lines[5]
        assert "How far BLEUw2 corpus agrees with people's DA: 3 systems" in lines
        assert lines[-3].split()[:2] == ["a", "good"] and "people scored: 5 of 6 segments" in "".join(lines)
        bars = [(row, each) for row, each in enumerate(screen._lines) if each.bar is not None]
        row, bar = next((row, each) for row, each in reversed(bars) if not each.text.endswith(" 0"))
        screen.query_one(RowList).cursor = row
        await press(pilot, "enter")
        segments = pilot.app.screen
        assert isinstance(segments, SegmentsScreen) and bar.bar is not None
        rows = segments.query_one(RowList)
        found = [float(line.split()[1]) for line in rows.lines()]
        assert rows.cursor == next(at for at, score in enumerate(found) if bar.bar[0] <= score < bar.bar[1]) > 0
        await press(pilot, "q", "g", "enter", "j", "enter")
        assert isinstance(pilot.app.screen, SegmentsScreen) and "good: BLEUw2" in screen_text(pilot.app)
        await press(pilot, "q", "right", "right")
        assert "COMET imported has scores of systems only" in "\n".join(screen.lines())


async def test_marks_say_that_enter_compares_two_systems(scored: Path) -> None:
    async with scores(scored, "space") as pilot:
        assert "good is marked, the cursor went on; space marks another one" in screen_text(pilot.app)
        await press(pilot, "G", "space", "escape", *"g", "space", *"G", "space")  # the last row, where the cursor stays
        assert "Enter compares good, as A, with poor, as B" in screen_text(pilot.app).partition("\n>*poor")[2]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, SegmentsScreen) and "where B is better first" in screen_text(pilot.app)
        await press(pilot, "s")
        assert "where A is better first" in screen_text(pilot.app)


@pytest.mark.slow
async def test_the_texts_of_a_segment_mark_what_two_outputs_do_not_share_and_show_references(scored: Path) -> None:
    async with scores(scored, "right", "j", "space", "space", "enter") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SegmentsScreen)
        assert "smoothed" in screen_text(pilot.app) and "reference 1  " in screen_text(pilot.app)
        shown = screen.query_one("#segment-texts", Static).content
        assert isinstance(shown, RichText)
        marked = " ".join(styled(shown, "bold underline"))
        first, second = (texts[screen._rows[0].segment - 1] for texts in screen._texts)
        assert marked and set(marked.split()) <= set(f"{first} {second}".split())


# What follows a score.


@pytest.mark.slow
async def test_two_stored_systems_are_compared_by_all_metrics_that_they_have(scored: Path) -> None:
    browser = Browser(scored, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "5", "right", "exclamation_mark", *"compare", "enter")
        assert asked(browser, "systems", "metric", "order", "unit") == ["good fair", "bleu,mwer", "2", "word"]
        await press(pilot, "escape", "exclamation_mark", *"scores import", "enter")
        own = screen_table(browser).test_set
        assert asked(browser, "test_set") == [str(own.number)]
        await press(pilot, "escape", *["right"] * 3, "exclamation_mark", *"agree", "enter")
        assert asked(browser, "human", "metric", "hypotheses", "test_set") == ["DA", "bleu", "", str(own.number)]
        assert asked(browser, "set")[0] in [each.short_digest for each in own.reference_sets]


def asked(browser: Browser, *names: str) -> list[str]:
    return [browser.screen.query_one(f"#{name}", FieldLine).value for name in names]


def screen_table(browser: App[None]) -> ScoreTable:
    return next(each.table for each in browser.screen_stack if isinstance(each, ScoresScreen) and each.table)


async def test_a_comparison_begins_with_the_systems_that_are_marked(scored: Path) -> None:
    browser = Browser(scored, BrowserSettings(), commands=OfferedCommands())
    outputs = "x/good.en y/fair.en z/poor.en"
    typed = {"hypotheses": outputs, "ref": "", "by": "length", "significance": "bootstrap"}
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        before = lambda form, fits=bool: (typed if form == "score" and fits(typed) else {}, False)  # noqa: E731
        with patch.object(browser.jobs, "typed_before", before):
            await press(pilot, "5", "j", "space", "space", "exclamation_mark", *"compare", "enter")
            assert asked(browser, "systems", "metric") == ["fair poor", "bleu"]
            await press(pilot, "escape", "d")
            assert asked(browser, *typed) == ["y/fair.en z/poor.en", "", "", ""], "and not how it was scored"
            await press(pilot, "escape")
            own = browser.screen
            assert isinstance(own, ScoresScreen) and own.table is not None
            own.table = replace(own.table, columns=tuple(replace(x, lacks_words=True) for x in own.table.columns))
            own.show_table()
            assert "meaningless" in str(own.query_one("#scores-references", Static).content)
            await press(pilot, "d")
            assert asked(browser, "unit") == ["char"]
            await press(pilot, "escape", "t", "g", "enter", "d")
            assert asked(browser, "hypotheses") == [""], "which are those of the other test set"


async def test_what_follows_a_score_begins_with_its_files_in_the_order_of_its_form(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    typed = {"hypotheses": "a.en b.en", "ref": "ref.en", "metric": "chrf", "store": "yes", "overwrite": "no"}
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        with patch.object(browser.jobs, "typed_before", lambda form, *_: (typed if form == "score" else {}, False)):
            await press(pilot, "5", "exclamation_mark", *"imp")
            assert any(line.startswith("scores import") for line in browser.screen.query_one(RowList).lines())
            await press(pilot, "escape", "d")
            assert browser.screen.focused is browser.screen.query_one("#by"), "score by part"
            await press(pilot, "escape", "exclamation_mark", *"agree", "enter")
        assert [line.value for line in browser.screen.query(FieldLine)][:5] == ["", "a.en b.en", "ref.en", "", "chrf"]
        assert browser.screen.query_one("#ref_from", ChoiceLine)._nothing == "files"
        browser.screen.query(FieldLine).first().focus()
        await press(pilot, "up")
        assert browser.screen.query(FieldLine).first().has_focus  # and not the last line of all
        await press(pilot, "end", "x", "tab")
        assert "no file or folder begins so" in screen_text(browser)
        await press(pilot, "y")
        assert "no file or folder begins so" not in screen_text(browser)


@pytest.mark.slow
async def test_a_form_whose_job_failed_comes_back_with_what_was_typed(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.action_begin_command("score")
        await settled(pilot)
        browser.screen.query_one("#hypotheses", Input).focus()
        browser.screen.query_one("#hypotheses", Input).value = "no/such"
        await press(pilot, "tab")
        assert "no file or folder begins so" in screen_text(browser)
        assert browser.focused is browser.screen.query_one("#hypotheses", Input)
        browser.screen.query_one("#ref", Input).value = "none.en"
        await press(pilot, "enter")
        await until(pilot, lambda: [state.phase for state in browser.jobs.states] == ["failed"], "the end of the job")
        browser.action_begin_command("score")
        await settled(pilot)
        assert asked(browser, "hypotheses", "ref", "store") == ["no/such", "none.en", "yes"]
