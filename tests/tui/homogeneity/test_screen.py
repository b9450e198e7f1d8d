"""The place Profile: bars, thresholds, lines, outliers, and selections that are made and forgotten there."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from people_pilots import status
from pilots import idle, press, screen_text, settled, until
from place_pilots import REFERENCES, add_profile, browser_at, run_browser, write_references
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.queries.sentences import sentences_of
from corpusdb.corpus.store import open_for_reading
from corpusdb.homogeneity.queries.profile_levels import ProfileEntry, entries_of
from corpusdb.homogeneity.queries.profiles import all_profiles
from corpusdb.search.queries.results import selection_members, stored_selections
from tui.app import Visit, screen_lines, visit_place
from tui.homogeneity.lines_screens import EntriesScreen, LinesScreen, OutliersScreen, SelectionScreen
from tui.homogeneity.profile_view import ProfileState
from tui.homogeneity.screen import ProfileScreen
from tui.kit.place_screen import StatusLine
from tui.kit.programs import ProgramOutput
from tui.kit.shown import RowList
from tui.search.document_screen import DocumentScreen


@pytest.fixture
def path(phrasebook: Path) -> Path:
    return add_profile(phrasebook)


def place(pilot: Pilot[None]) -> ProfileScreen:
    assert isinstance(pilot.app.screen, ProfileScreen)
    return pilot.app.screen


def sight(pilot: Pilot[None]) -> ProfileState:
    found = place(pilot).sight
    assert found is not None
    return found


def rows(pilot: Pilot[None]) -> list[str]:
    return pilot.app.screen.query_one(RowList).lines()


async def fill(pilot: Pilot[None], **values: str) -> None:
    for name, value in values.items():
        pilot.app.screen.query_one(f"#{name}", Input).value = value
    await press(pilot, "enter")


def entries(path: Path) -> list[ProfileEntry]:
    with open_for_reading(path) as store:
        return entries_of(store, all_profiles(store)[0][0], "line")


async def test_bars_count_what_the_command_lists(path: Path) -> None:
    values = [each.coefficient for each in entries(path)]
    expected = Counter("undefined" if value is None else f"{int(value * 20 + 1e-9) / 20:.2f}" for value in values)

    async with browser_at(path, "9") as pilot:
        counts = {row.strip(" |:").split()[0]: row.strip(" |:") for row in rows(pilot)}
        for label, count in expected.items():
            label_cells, cells = (1, counts[label].split()) if label == "undefined" else (3, counts[label].split())
            assert int(cells[label_cells].replace(",", "")) == count
        assert "4,432 lines, half below 0.51" in screen_text(pilot.app)
        found = place(pilot).lines()
        assert sum("directions.tsv" in line for line in found) == 1
        await press(pilot, "plus", "plus")
        assert len(rows(pilot)) > len(counts)
        await press(pilot, "minus", "minus", "minus", "minus")
        assert sight(pilot).width == 0.2
        await press(pilot, "minus")
        assert status(pilot).strip() == "! bars are 0.01 to 0.2 wide"


@pytest.mark.slow
def test_thresholds_move_and_say_what_lies_between(path: Path) -> None:
    found = entries(path)

    def told(pilot: Pilot[None]) -> str:
        lines = screen_text(pilot.app).splitlines()
        return next(line.rstrip() for line in lines if line.startswith("chosen from "))

    async def script(pilot: Pilot[None]) -> None:
        assert told(pilot).startswith("chosen from [0.03] to 0.96: 4,432 lines")
        await press(pilot, *("greater_than_sign",) * 2, "t", *("less_than_sign",) * 3)
        assert told(pilot).startswith("chosen from 0.05 to [0.93]: ")
        pilot.app.screen.query_one(RowList).cursor = next(
            i for i, row in enumerate(rows(pilot)) if "0.45 - 0.50" in row
        )
        await press(pilot, "h", "t", "h")  # the upper end of the bar, then its lower one
        inside = [each for each in found if each.coefficient is not None and 0.45 <= each.coefficient <= 0.5]
        characters = sum(each.characters for each in inside)
        share = 100 * characters / sum(each.characters for each in found)
        these = f"{len(inside):,} lines, {characters:,} characters ({share:.1f} %)"
        assert told(pilot) == f"chosen from [0.45] to 0.50: {these}"
        assert [row[0] for row in rows(pilot) if "0.45 - 0.50" in row] == ["|"]
        await press(pilot, *("greater_than_sign",) * 9)
        assert told(pilot).startswith("chosen from [0.50] to 0.50")  # one stops at the other
        await press(pilot, "a")
        assert told(pilot).startswith("chosen from [0.00] to 1.00: 4,432 lines")
        await press(pilot, "a")
        assert told(pilot).startswith("chosen from [0.50] to 0.50")

    run_browser(path, script, "9")


@pytest.mark.slow
async def test_a_bar_lists_its_lines_and_a_line_leads_to_its_document_and_the_corpus(path: Path) -> None:
    expected = [each.name for each in entries(path) if each.coefficient is not None and 0.55 <= each.coefficient < 0.6]

    async with browser_at(path, "9") as pilot:
        bars = pilot.app.screen.query_one(RowList)
        bars.cursor = next(place for place, row in enumerate(rows(pilot)) if "0.55 - 0.60" in row)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, LinesScreen)
        shown = [pilot.app.screen.sentence(row)[1] for row in range(pilot.app.screen.count)]
        assert sorted(shown) == sorted(expected)
        values = [float(row.split()[0]) for row in rows(pilot)]
        assert values == sorted(values)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DocumentScreen) and pilot.app.screen.place == "profile"
        assert shown[0] in screen_text(pilot.app)
        await press(pilot, "q", "c")
        assert pilot.app.current_mode == "corpus"
        assert shown[0] in screen_text(pilot.app).splitlines()[1]


@pytest.mark.slow
async def test_documents_have_bars_and_lines_of_their_own(path: Path) -> None:
    async with browser_at(path, "9") as pilot:
        await press(pilot, "v", "enter")
        assert isinstance(pilot.app.screen, EntriesScreen)
        name = rows(pilot)[0].split()[-1]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, LinesScreen)
        with open_for_reading(path) as store:
            english = {row[0] for row in store.connection.execute("select id from sentence where language = 'eng'")}
            wanted = {*sentences_of(store, None, name).tolist()} & english
        assert {pilot.app.screen.sentence(row)[0] for row in range(pilot.app.screen.count)} == wanted
        await press(pilot, "q", "q", "v", "v")
        assert sight(pilot).level == "line"


@pytest.mark.slow
def test_what_is_seen_is_saved_listed_and_forgotten(path: Path) -> None:
    async def script(pilot: Pilot[None]) -> None:
        await press(pilot, "w")
        await fill(pilot, name="phrasebook", lines="these")
        assert "there is a collection 'phrasebook'" in screen_text(pilot.app), "in the form, which keeps what was typed"
        await press(pilot, "escape", "enter", "space", "j", "space", "w")
        await fill(pilot, name="pair")
        assert status(pilot).startswith("2 lines are saved")
        assert isinstance(pilot.app.screen, LinesScreen)
        numbers = {pilot.app.screen.sentence(row)[0] for row in pilot.app.screen.query_one(RowList).selected}
        with open_for_reading(path) as store:
            assert {number for number, *_ in selection_members(store, "pair")} == numbers
        await press(pilot, "q", "f")
        await fill(pilot, collection="pair")
        assert "only collection pair; 2 lines" in screen_text(pilot.app)
        await press(pilot, "f")
        await fill(pilot, collection="", query="beers")
        assert "only query beers" in screen_text(pilot.app) and len(sight(pilot).order) < 100
        await press(pilot, "o")
        assert "outliers are of a collection, or of all: f takes" in status(pilot)
        await press(pilot, "f")
        await fill(pilot, query="")
        assert len(sight(pilot).order) == 4432
        await press(pilot, "s")
        assert [row.split()[:3] for row in rows(pilot)] == [["pair", "eng", "2"], ["talk-eng", "eng", "300"]]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, SelectionScreen) and pilot.app.screen.count == 2
        await press(pilot, "e", "enter")
        with open_for_reading(path) as store:
            kept = [
                f"{rank}\t{score:.4f}\t{text}"
                for rank, (_, text, score) in enumerate(selection_members(store, "pair"), 1)
            ]
        assert Path("pair.tsv").read_text(encoding="utf-8").splitlines() == ["rank\tscore\ttext", *kept]
        await press(pilot, "q", "D", "n")
        assert len(rows(pilot)) == 2
        await press(pilot, "D", "y")
        assert [row.split()[0] for row in rows(pilot)] == ["talk-eng"]
        assert "pair is forgotten" in status(pilot)

    run_browser(path, script, "9")
    with open_for_reading(path) as store:
        assert [each.name for each in stored_selections(store)] == ["talk-eng"]


@pytest.mark.slow
async def test_what_is_saved_while_a_job_writes_is_kept_until_it_can_be(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpusdb.corpus.store.connection.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("tui.kit.background._SECONDS_UNTIL_TOLD", 0.0)
    async with browser_at(path, "9") as pilot:
        with closing(sqlite3.connect(path, isolation_level=None)) as job:
            job.execute("begin immediate")
            await press(pilot, "w")
            pilot.app.screen.query_one("#name", Input).value = "late"
            await pilot.press("enter")
            line = pilot.app.screen_stack[0].query_one(StatusLine)
            await until(pilot, lambda: line.unwritten == 1, "what is saved, waiting")
            assert "one moment ..." in "\n".join(screen_lines(pilot.app.screen))
            job.execute("rollback")
        await settled(pilot)
        assert "lines are saved" in status(pilot)
    with open_for_reading(path) as store:
        assert "late" in [each.name for each in stored_selections(store)]


@pytest.mark.slow
async def test_outlying_lines_mark_what_is_dear_without_colour(path: Path) -> None:
    async with browser_at(path, "9") as pilot:
        await press(pilot, "o")
        screen = pilot.app.screen
        assert isinstance(screen, OutliersScreen)
        scores = [float(row.split()[0]) for row in rows(pilot)]
        assert scores == sorted(scores, reverse=True) and len(scores) == 500
        assert all("[" in row and "]" in row for row in rows(pilot))
        await press(pilot, "question_mark")
        assert all(f"{sign}  " in screen_text(pilot.app) for sign in ("score", "bits", "rarest"))
        await press(pilot, "q")
        await press(pilot, "space", "w")
        await fill(pilot, name="rest", lines="all others")
        assert status(pilot).startswith("4,431 lines are saved")
        with open_for_reading(path) as store:
            kept = {number for number, *_ in selection_members(store, "rest")}
        assert screen.sentence(0)[0] not in kept and screen.sentence(1)[0] in kept


async def test_a_profile_is_made_there(phrasebook: Path) -> None:
    write_references()

    async with browser_at(phrasebook, "9") as pilot:
        assert "No profile yet" in screen_text(pilot.app)
        assert "m make" in screen_text(pilot.app) and "> up" not in screen_text(pilot.app)
        assert "w save" not in screen_text(pilot.app), "nothing can be saved yet"
        await press(pilot, "m")
        await fill(pilot, lang="fra", spoken=REFERENCES[0], written=REFERENCES[1], order="3")
        await until(pilot, lambda: place(pilot).sight is not None, "the profile, when its job is done")
        await idle(pilot)
        assert "fra: 0 speech (talk.txt), 1 writing (news.txt)" in screen_text(pilot.app)


@pytest.mark.slow
async def test_a_text_of_ones_own_is_measured_by_the_profile_that_is_seen(path: Path) -> None:
    Path("own.txt").write_text("Two beers, please.\n\nWhere is the station?\n", encoding="utf-8")

    async with browser_at(path, "9", "x") as pilot:
        await fill(pilot, text="own.txt")
        jobs = place(pilot).shell.jobs
        await until(pilot, lambda: bool(jobs.states) and not jobs.active, "its answer")
        answer = jobs.states[0].result
        assert isinstance(answer, ProgramOutput)
        assert answer.lines[1].split()[:3] == ["own.txt", "2", "1"], "lines measured, and the empty one left out"
        assert sight(pilot).view.profile.language == "eng"


@pytest.mark.slow
async def test_a_stale_profile_says_so(path: Path) -> None:
    Path(REFERENCES[0]).write_text("Something else.\n", encoding="utf-8")

    async with browser_at(path, "9") as pilot:
        assert "out of date: m renews it" in screen_text(pilot.app)
        await press(pilot, "m")
        assert pilot.app.screen.query_one("#rebuild", Input).value == "yes"


@pytest.mark.slow
async def test_one_goes_from_profile_to_profile(phrasebook: Path) -> None:
    path = add_profile(phrasebook, "eng", "fra")

    async with browser_at(path, "9") as pilot:
        assert sight(pilot).view.profile.language == "fra"  # the newest
        await press(pilot, "p", "g", "enter")
        assert sight(pilot).view.profile.language == "eng"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_database_that_may_only_be_read_says_so(path: Path) -> None:
    path.chmod(0o444)

    async with browser_at(path, "9") as pilot:
        await press(pilot, "w")
        await fill(pilot, name="some")
        assert "read" in status(pilot)


@pytest.mark.slow
def test_it_is_printed_as_lines(path: Path) -> None:
    found = visit_place(path, Visit("profile", press=["enter"])).lines
    assert found[0].startswith("Lines, I 0.50 - 0.55  ")
    assert len(found) > 2000
    assert visit_place(path, Visit("profile")).lines[0].startswith("eng: 0 speech (talk.txt), 1")
