"""The frame of the browser: looks, help, palette, clipboard, status line, sizes, and what is told at the start."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from corpora import import_rows
from pilots import press, screen_text, settled
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store import Store, open_store
from tui.app import Browser, TooSmallScreen, _finish_jobs, make_browser, run
from tui.kit.background import place_key
from tui.kit.dialogs import AnswerScreen, ChoiceDialog, FormDialog
from tui.kit.help_screens import HelpScreen
from tui.kit.late_screen import is_there
from tui.kit.place_screen import StatusLine
from tui.kit.settings import BrowserSettings
from tui.kit.shown import RowList, Text
from tui.kit.terminal import copy_file, draws_lines
from tui.kit.wide_lines import folded, held_cells, next_stop
from tui.places import PLACES
from tui.search.document_screen import DocumentScreen
from tui.search.screen import CorpusScreen


@asynccontextmanager
async def driven(
    path: Path, settings: BrowserSettings | None = None, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    """The browser without a terminal."""
    browser = Browser(path, settings or BrowserSettings())
    async with browser.run_test(size=size) as pilot:
        await settled(pilot)
        yield browser, pilot


def said(browser: Browser) -> str:
    return browser.screen.query_one(StatusLine).message


@pytest.mark.slow
async def test_help_shows_the_keys_in_force_and_closes(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        for closing in ("q", "escape", "question_mark", "f1"):
            await press(pilot, "f1" if closing == "q" else "question_mark")
            assert isinstance(browser.screen, HelpScreen)
            lines = browser.screen.lines()
            assert [line for line in lines if line and line[0] != " "][-1] == "Everywhere"
            assert any(line.split()[:2] == ["j", "down"] for line in lines)
            assert any(line.split()[:2] == ["?", "f1"] for line in lines)
            await press(pilot, closing)
            assert isinstance(browser.screen, CorpusScreen)


@pytest.mark.slow
async def test_help_fits_a_small_screen(phrasebook: Path) -> None:
    async with driven(phrasebook, size=(60, 20)) as (browser, pilot):
        await press(pilot, "question_mark")
        assert isinstance(browser.screen, HelpScreen)
        text = screen_text(browser)
        assert "q close" in text
        rows = browser.screen.query_one(RowList)
        assert max(map(len, rows.lines())) <= 55  # a frame, a mark and a scroll bar
        assert " ".join(" ".join(rows.lines()).split()) == " ".join(" ".join(browser.screen.lines()).split())
        await press(pilot, "G")
        assert rows.lines()[-1] in screen_text(browser)
        assert rows.cursor == rows.count - 1


@pytest.mark.slow
async def test_help_shows_changed_keys_and_they_work(phrasebook: Path) -> None:
    async with driven(phrasebook, BrowserSettings(keys={"list.down": "ctrl+n"})) as (browser, pilot):
        rows = browser.screen.query_one("#hits", RowList)
        rows.focus()
        await press(pilot, "ctrl+n", "ctrl+n", "j")
        assert rows.cursor == 2
        await press(pilot, "question_mark")
        assert isinstance(browser.screen, HelpScreen)
        assert [line for line in browser.screen.lines() if "the next row" in line and "found" not in line] == [
            "  ctrl+n            Go to the next row"
        ]


@pytest.mark.slow
async def test_while_one_types_the_help_tells_the_keys_of_the_list_too(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        browser.screen.query(Input).first().focus()
        await press(pilot, "f1")
        assert isinstance(browser.screen, HelpScreen)
        assert "In a list" in browser.screen.lines()
        assert any(line.split()[:2] == ["j", "down"] for line in browser.screen.lines())


@pytest.mark.slow
async def test_the_palette_runs_what_a_key_does(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        rows = browser.screen.query_one("#hits", RowList)
        rows.focus()
        for key in ("colon", "ctrl+p"):
            await press(pilot, "g", key)
            assert "Search                  /              Type what to search for" in screen_text(browser)
            await press(pilot, *"last row", "enter")
            await settled(pilot)
            assert isinstance(browser.screen, CorpusScreen)
            assert rows.cursor == rows.count - 1


@pytest.mark.slow
async def test_a_key_goes_through_the_themes(phrasebook: Path) -> None:
    async with driven(phrasebook, BrowserSettings(theme="light")) as (browser, pilot):
        seen = [browser.looks.theme]
        for _ in range(5):
            await press(pilot, "ctrl+t")
            seen.append(browser.looks.theme)
        assert seen == ["light", "ansi-dark", "ansi-light", "quiet", "dark", "light"]
        assert browser.theme == "textual-light"


@pytest.mark.slow
async def test_without_colours_the_themes_are_those_of_the_terminal(
    phrasebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async with driven(phrasebook) as (browser, _):
        assert browser.looks.theme == "quiet"
        colours = {
            colour
            for strip in browser.screen._compositor.render_strips()
            for segment in strip.apply_filter(browser.get_line_filters()[-1], browser.screen.styles.background)
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None
        }
        assert {colour.name for colour in colours} <= {"default"}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, True),
        ({"LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "ja_JP.utf8"}, True),
        ({"LANG": "C"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, False),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE"}, False),
        ({"LANG": "de_DE", "LC_CTYPE": "C.UTF-8"}, True),
        ({"TERM": "linux", "LANG": "C.UTF-8"}, False),
        ({"TERM": "vt100", "LANG": "C.UTF-8"}, False),
        ({"TERM": "screen", "LANG": "C.UTF-8"}, True),
    ],
)
def test_terminals_that_have_lines(variables: dict[str, str], expected: bool) -> None:
    assert draws_lines(variables) is expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("borders", "term", "expected"),
    [
        ("auto", "linux", True),
        pytest.param("line", "linux", False, marks=pytest.mark.slow),
        pytest.param("auto", "screen", False, marks=pytest.mark.slow),
        pytest.param("ascii", "screen", True, marks=pytest.mark.slow),
    ],
)
async def test_borders(
    borders: str, term: str, expected: bool, phrasebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)

    async with driven(phrasebook, BrowserSettings(borders=borders)) as (browser, pilot):
        for key in ("question_mark", "colon"):
            await press(pilot, key)
            text = screen_text(browser)
            is_ascii = text.replace("…", "").isascii()
            # The help has no frame, and its scroll bar parts of a cell only where its length makes some.
            assert is_ascii is expected or (is_ascii and key == "question_mark"), text
            await press(pilot, "escape")


async def test_a_terminal_that_is_too_small_is_told_until_it_is_larger(phrasebook: Path) -> None:
    async with driven(phrasebook, size=(39, 24)) as (browser, pilot):
        assert isinstance(browser.screen, TooSmallScreen)
        assert "40x10 are needed" in screen_text(browser)
        await press(pilot, "question_mark", "2")
        assert isinstance(browser.screen, TooSmallScreen)
        await pilot.resize_terminal(40, 10)
        await settled(pilot)
        assert isinstance(browser.screen, CorpusScreen)
        await pilot.resize_terminal(80, 9)
        await settled(pilot)
        await pilot.resize_terminal(20, 5)
        await settled(pilot)
        assert isinstance(browser.screen, TooSmallScreen)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert isinstance(browser.screen, CorpusScreen)
        assert "Corpus" in screen_text(browser)


async def test_what_was_copied_is_told_and_in_the_file(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        rows = browser.screen.query_one("#hits", RowList)
        rows.focus()
        await press(pilot, "y")
        assert said(browser) == f"1 line to {copy_file()}, terminal (OSC 52)"
        assert copy_file().read_text(encoding="utf-8") == f"{rows.text_of(0)}\n"
        assert browser.clipboard == rows.text_of(0)
        await press(pilot, "space", "space", "y")
        assert said(browser).startswith("2 lines to ")
        assert browser.clipboard == f"{rows.text_of(0)}\n{rows.text_of(1)}"


@pytest.mark.slow
async def test_places_by_their_numbers_and_back(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        for number, known in enumerate(PLACES, 1):
            await press(pilot, place_key(number), "question_mark")
            assert isinstance(browser.screen, HelpScreen)  # no line of input takes the key
            await press(pilot, "q")
            assert browser.current_mode == known.key
            shown = screen_text(browser).splitlines()[:2]
            assert f"[{known.name}]" in shown[0] and (not known.part or f"[{known.part}]" in shown[1])
        await press(pilot, "1", "2")
        assert browser.current_mode == "session"
        await press(pilot, "q")
        assert browser.current_mode == "corpus"
        await press(pilot, "q")  # who only wanted back is still there
        assert browser.return_code is None and said(browser).startswith("q again leaves")
        await press(pilot, "j", "k", "q")
        assert browser.return_code is None
        await press(pilot, "q")
        assert browser.return_code == 0


@pytest.mark.slow
async def test_one_goes_back_to_the_place_from_which_something_was_wanted(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        for leave in ("q", "escape"):
            await press(pilot, "3", "enter")
            assert browser.current_mode == "corpus" and "quit" not in screen_text(browser)
            await press(pilot, leave)
            assert browser.current_mode == "frequencies"
        await press(pilot, "enter", "1", "q")  # who goes there by its key has come from nowhere
        assert browser.return_code is None and said(browser).startswith("q again leaves")


@pytest.mark.slow
async def test_ctrl_c_says_how_to_leave_and_ctrl_q_leaves(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        await press(pilot, "ctrl+c")
        assert said(browser) == "ctrl+q leaves the browser"
        assert browser.return_code is None
        await press(pilot, "ctrl+q")
        assert browser.return_code == 0


@pytest.mark.slow
async def test_ctrl_z_goes_to_the_shell(phrasebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suspended: list[bool] = []
    monkeypatch.setattr(Browser, "action_suspend_process", lambda browser: suspended.append(True))

    async with driven(phrasebook) as (_, pilot):
        await press(pilot, "ctrl+z")
        assert suspended == [True]


@pytest.mark.slow
async def test_a_file_that_may_only_be_read_is_marked(phrasebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and really(path, mode))

    async with driven(phrasebook) as (browser, _):
        assert browser.read_only
        last = screen_text(browser).splitlines()[-1]
        assert last.endswith("read only") and not last.strip().startswith("|"), "a bar only behind what is said"
        assert len(last) <= 80
        assert browser.screen.query_one("#hits", RowList).count > 1000


@pytest.mark.slow
async def test_a_long_message_leaves_room_for_what_runs(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        line = browser.screen.query_one(StatusLine)
        line.say("ビールをください。" * 10, is_error=True)
        line.job = "import 3 of 10"
        await settled(pilot)
        *first, last = screen_text(browser).splitlines()[-3:]
        assert first[0].startswith("! ビール") and all("ビール" in line for line in first)
        assert last.strip() == "import 3 of 10", "they are not woven into each other"


async def test_a_fault_of_the_program_is_raised_and_not_printed(
    phrasebook: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(browser: Browser) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(Browser, "action_redraw", fail)

    with pytest.raises(RuntimeError, match="a fault"):
        async with driven(phrasebook) as (_, pilot):
            await pilot.press("ctrl+l")
    assert capfd.readouterr() == ("", "")


async def test_keys_that_come_at_once_go_where_the_focus_will_be(phrasebook: Path) -> None:
    """As over a slow line: the letters come before the list has seen that the slash moves the focus away from it."""

    async with driven(phrasebook) as (browser, pilot):
        browser.screen.query_one("#hits", RowList).focus()
        await settled(pilot)
        for character in "/beer":
            browser.post_message(Key("slash" if character == "/" else character, character))
        await settled(pilot)
        assert browser.screen.query(Input).first().value == "beer"
        for key in ("enter", "question_mark"):
            browser.post_message(Key(key, None))
        await settled(pilot)
        assert isinstance(browser.screen, HelpScreen)


@pytest.mark.slow
async def test_a_key_behind_the_last_of_a_form_is_not_lost_with_the_form(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        await press(pilot, "T")
        for last in ("enter", "escape"):
            form = browser.screen
            assert isinstance(form, FormDialog)
            await press(pilot, last)
            assert browser.screen is not form
            await press(pilot, "T")
            assert isinstance(browser.screen, FormDialog) and browser.screen is not form
            assert not browser._typed


async def test_a_key_that_is_lost_with_its_widget_does_not_stop_the_others(phrasebook: Path) -> None:
    async with driven(phrasebook) as (browser, pilot):
        rows = browser.screen.query_one("#hits", RowList)
        rows.focus()
        await settled(pilot)
        browser._sent, browser._sent_to, browser._sent_at = Key("j", "j"), browser, time.monotonic() - 10
        browser.post_message(Key("j", "j"))
        await settled(pilot)
        assert (rows.cursor, list(browser._typed)) == (1, [])


@pytest.mark.slow
async def test_a_screen_that_goes_away_before_its_widgets_are_made_does_no_harm(phrasebook: Path) -> None:
    """On a busy machine, q comes while what Enter opened is being made."""
    async with driven(phrasebook) as (browser, pilot):
        below = browser.screen
        for opened in (AnswerScreen("Job 1", ["a line"]), HelpScreen(below, {}), ChoiceDialog("Which?", ["one"])):
            browser.push_screen(opened)
            opened.dismiss(None)
            await settled(pilot)
            assert browser.screen is below and not is_there(opened)


def test_a_fault_of_the_browser_ends_no_job(
    phrasebook: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    begun, failed = Event(), Event()

    def job(store: Store) -> Job[str]:
        begun.set()
        assert failed.wait(60)
        yield Progress("halves", 1, 2)
        return "all is done"

    def fail(browser: Browser) -> None:
        raise RuntimeError("a fault")

    def finish(browser: Browser) -> None:
        assert len(browser.jobs.active) == 2
        failed.set()
        _finish_jobs(browser)

    browser = Browser(phrasebook, BrowserSettings())

    async def break_it(pilot: Pilot[object]) -> None:
        first, second = browser.jobs.start("export", job), browser.jobs.start("align", job)
        assert await asyncio.to_thread(begun.wait, 60) and (first.number, second.number) == (1, 2)
        await pilot.press("ctrl+l")

    monkeypatch.setattr(Browser, "action_redraw", fail)
    monkeypatch.setattr("tui.app.make_browser", lambda *args, **more: browser)
    monkeypatch.setattr(browser, "run_until_left", partial(browser.run_until_left, size=(80, 24), pilot=break_it))
    monkeypatch.setattr("tui.app._finish_jobs", finish)

    with pytest.raises(RuntimeError, match="a fault"):
        run(phrasebook)
    assert [state.phase for state in browser.jobs.states] == ["done", "done"]
    assert "its jobs go on, ctrl+c ends them: export, align" in capfd.readouterr().err


@pytest.mark.slow
async def test_a_second_enter_takes_no_other_screen_away_and_what_comes_late_does_no_harm(phrasebook: Path) -> None:
    """As over a slow line: the first Enter has not closed what the second is for, and answers come when it has gone."""
    async with driven(phrasebook) as (browser, pilot):
        await press(pilot, "enter")
        document = browser.screen
        assert isinstance(document, DocumentScreen)
        dialog = ChoiceDialog("Which?", ["one", "other"])
        await browser.push_screen(dialog)
        dialog.dismiss(0)
        dialog.dismiss(0)
        await settled(pilot)
        assert browser.screen is document
        document.dismiss(None)
        document.dismiss(None)
        document.call_after_refresh(document.query_one, "#document")
        await settled(pilot)
        document.say("too late")
        assert isinstance(browser.screen, CorpusScreen) and not is_there(document)


async def test_who_made_the_database_in_the_browser_comes_back_as_well(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with open_store(path, create=True):
        pass
    browser = make_browser(path, remembers=True)
    async with browser.run_test(size=(80, 24)) as pilot:
        await press(pilot, "5")
        with open_store(path) as store:
            import_rows(store, [("A cup of tea.", "Une tasse de thé.")])
        browser.memory.judge = "ann"
    again = make_browser(path, remembers=True)
    assert again.memory.begun and again.memory.begun == browser.memory.begun
    assert (again.memory.place, again.memory.judge) == ("scores", "ann")


# Answers that are wider than the screen.


@pytest.mark.parametrize(
    ("lines", "held"),
    [
        (["  name    a         b", "  two of  1         2"], [10, 10]),
        (["  名前  a         b", "  two   1         2"], [8, 8]),
        (["a line that is longer than the room is", "and the next"], [0, 0]),
        (["  a short one", "", "  name  a          b", "  x     1"], [16, 16, 8, 8]),
        (["m  s  scores  more", "x  a  0.1     0.2", "y  b  (0.3    -0.2"], [6, 6, 6]),
    ],
)
def test_the_names_of_a_table_stay_where_an_answer_goes_sideways(lines: list[str], held: list[int]) -> None:
    assert held_cells(lines, 16) == held


def test_an_answer_goes_sideways_from_column_to_column() -> None:
    lines = [
        "title",
        "",
        "name  1-13 words  14-20 words  21-28 words  more",
        "a     0.1         0.2          0.3          0",
    ]
    stops = [0]
    while (to := next_stop(lines, 3, 28, stops[-1], 1)) != stops[-1]:
        stops.append(to)
    assert [lines[2][6 + stop :].split("  ")[0] for stop in stops] == ["1-13 words", "14-20 words", "21-28 words"]
    assert next_stop(lines, 0, 28, 0, 1) == stops[1] and next_stop(lines, 3, 28, stops[-1], -1) == stops[1]
    assert next_stop(["no table " * 9], 0, 40, 0, 1) == 20 and next_stop(["short"], 0, 40, 0, 1) == 0


def test_a_japanese_text_begins_behind_its_name_and_keeps_its_styles() -> None:
    lines = folded(Text.assemble(("A  ", "bold"), "一二三四", ("五六", "underline"), " b\n\nc d"), 8)
    assert [line.plain for line in lines] == ["A  一二", "三四五六", "b", "", "c d"]
    assert [[(span.start, span.end, str(span.style)) for span in line.spans] for line in lines[:2]] == [
        [(0, 3, "bold")], [(2, 4, "underline")]
    ]  # fmt: skip
