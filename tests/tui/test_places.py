"""A place that a test adds is reached like the others: by its key, by a message, in every list of places."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from unittest.mock import patch

import pytest
from corpora import import_rows
from pilots import press, screen_text, settled, until
from textual.app import ComposeResult
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.display import EXPORT_FORMATS
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.options import CommandForm, FormField
from corpusdb.corpus.store import Store, open_store
from corpusdb.guides import guide_text
from corpusdb.program.commands import OfferedCommands
from tui import places
from tui.app import Browser, Visit, all_bindings, make_browser, visit_place
from tui.kit.background import Place, Shell, place_key
from tui.kit.command_dialog import CommandDialog
from tui.kit.dialogs import ConfirmDialog, Dialog, FormDialog
from tui.kit.fields import named_for
from tui.kit.folded_form import FoldLine
from tui.kit.help_screens import GuideScreen
from tui.kit.place_screen import PlaceScreen, PlacesLine, named_once
from tui.kit.settings import BrowserSettings
from tui.kit.shown import PlaceWanted, RowList, Text, ended_at_word

NAMES = [name for _, name in named_once(places.PLACES)]
TOYS = ("a ball", "a kite", "a drum")
KEY = place_key(len(places.PLACES) + 1)
"""Of the new place; digits are for ten."""


@dataclass
class ToyWanted(PlaceWanted):
    """Somebody wants a toy."""

    place = "toys"
    row: int


class ToyScreen(PlaceScreen):
    """A list of toys."""

    PLACE = "toys"

    def compose_body(self) -> ComposeResult:
        yield RowList(id="toys")

    def on_mount(self) -> None:
        rows = self.query_one(RowList)
        rows.show_rows(len(TOYS), lambda row: Text(TOYS[row]))
        rows.focus()

    def take(self, wanted: PlaceWanted) -> None:
        if isinstance(wanted, ToyWanted):
            self.query_one(RowList).cursor = wanted.row


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PLACES", (*places.PLACES, Place("toys", "Toys", ToyScreen)))


@asynccontextmanager
async def driven(path: Path, configuration: Path) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    browser = make_browser(path, configuration)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        yield browser, pilot


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    (tmp_path / "browser.toml").write_text('[keys]\n"go.toys" = "f9"\n', encoding="utf-8")
    return tmp_path / "browser.toml"


@pytest.mark.slow
async def test_a_new_place_is_reached_and_listed(phrasebook: Path, tmp_path: Path) -> None:
    (tmp_path / "usual.toml").write_text("", encoding="utf-8")

    async with driven(phrasebook, tmp_path / "usual.toml") as (browser, pilot):
        shell: Shell = browser
        assert shell.places[-1].help == "Go to Toys"
        await press(pilot, KEY)
        assert browser.current_mode == "toys"
        assert screen_text(browser).splitlines()[0].rstrip().endswith(f"{KEY.upper()}[Toys]")
        assert [line[2:] for line in screen_text(browser).splitlines()[1:4]] == list(TOYS)
        await press(pilot, "question_mark")
        assert "Go to Toys" in "\n".join(line for line in screen_lines(browser) if line.split()[:1] == [KEY])
        await press(pilot, "q", "q")
        assert browser.current_mode == "corpus"
        assert f"{KEY.upper()}Toys" in " ".join(screen_text(browser).splitlines()[0].split())
        await press(pilot, "colon", *"toys", "enter")
        assert browser.current_mode == "toys"


def screen_lines(browser: Browser) -> list[str]:
    return [line for rows in browser.screen.query(RowList) for line in rows.lines()]


@pytest.mark.slow
async def test_its_key_can_be_changed(phrasebook: Path, settings: Path) -> None:
    assert all_bindings()["go.toys"].key == KEY
    async with driven(phrasebook, settings) as (browser, pilot):
        await press(pilot, KEY)
        assert browser.current_mode == "corpus"
        await press(pilot, "f9")
        assert browser.current_mode == "toys"


@pytest.mark.slow
async def test_other_places_hand_over_to_it(phrasebook: Path, settings: Path) -> None:
    async with driven(phrasebook, settings) as (browser, pilot):
        for row in (2, 1):  # before the place was ever seen, and afterwards
            await press(pilot, "enter")
            browser.screen.app.post_message(ToyWanted(row))
            await settled(pilot)
            assert browser.current_mode == "toys"
            assert browser.screen.query_one(RowList).cursor == row
            await press(pilot, "1")


def test_it_is_printed_as_lines(phrasebook: Path) -> None:
    assert visit_place(phrasebook, Visit("toys", press=["j"])).lines == TOYS


def test_keys_of_places_are_their_screens() -> None:
    assert {place.key: getattr(place.open(), "PLACE", "") for place in places.PLACES} == {
        place.key: place.key for place in places.PLACES
    }


@pytest.mark.parametrize("width", [40, 60, 80, 92, 120, 200])
@pytest.mark.parametrize("here", NAMES)
def test_the_line_of_places_fits_and_names_where_one_is(width: int, here: str) -> None:
    named = [(key, name) for key, name in named_once(places.PLACES) if name != "Toys"]
    line = PlacesLine(named, here, id="line")
    told = line.line(width).plain
    assert len(told) <= width
    assert next(f"{key}[{name}]" for key, name in named if name == here) in told.replace(" ", "")
    assert re.findall(r"f\d+|\d", told) == [key for key, _ in named]
    if width >= 80:  # whole words, which stand where they stand in every place
        others = PlacesLine(named, NAMES[0], id="line").line(width).plain
        assert [told.index(name) for _, name in named] == [others.index(name) for _, name in named]


def test_at_most_eight_names_stand_on_the_line_and_every_part_is_named() -> None:
    known = [place for place in places.PLACES if place.key != "toys"]
    assert len(named_once(known)) <= 8
    for _, name in named_once(known):
        parts = [place.part for place in known if place.name == name]
        assert all(parts) == (len(parts) > 1) and len(set(parts)) == len(parts)


# Answers that come late, while somebody has gone on.


@asynccontextmanager
async def answers_held(browser: Browser) -> AsyncIterator[None]:
    """No question is answered before the end of the block."""
    release = Event()
    held = browser.runner._reading.submit(release.wait, 20)
    yield
    release.set()
    await asyncio.wrap_future(held)


@pytest.mark.slow
@pytest.mark.parametrize("box", ["f", "C"])
async def test_keys_pressed_before_a_box_opens_are_for_it(phrasebook: Path, box: str) -> None:
    browser = make_browser(phrasebook)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        async with answers_held(browser):
            await pilot.press(box)
            assert "one moment ...; what is typed waits for it" in screen_text(browser), "it waits, and says so at once"
            await pilot.press("enter", "2", "j")
            assert browser.current_mode == "corpus" and not isinstance(browser.screen, Dialog)
            assert "waits for it, Enter does not" in screen_text(browser)
        await until(pilot, lambda: isinstance(browser.screen, Dialog) and not browser._typed, "the box and its keys")
        await settled(pilot)
        assert isinstance(browser.screen, Dialog) and browser.current_mode == "corpus", "Enter begins nothing unseen"
        assert [line.value for line in browser.screen.query(Input)][:1] in ([], ["2j"])
        await press(pilot, "escape")
        async with answers_held(browser):
            await pilot.press(box, "2", "escape")
            assert "nothing was opened" in screen_text(browser)
        await settled(pilot)
        assert isinstance(browser.screen, PlaceScreen) and browser.current_mode == "corpus"
        await press(pilot, "2", "1", box)
        assert isinstance(browser.screen, Dialog) and "one moment" not in screen_text(browser)


class _Commands:
    """What a browser offers, slowly: one form."""

    database: Sequence[str] = ()

    def listed(self, group: str = "") -> list[tuple[str, str]]:
        time.sleep(0.6)  # a busy machine
        return [("score", "Score systems."), ("check", "Check the database.")]

    def form(self, name: str) -> CommandForm:
        time.sleep(0.6)
        return CommandForm(name, "Score systems.", (FormField("hypotheses", "Systems.", is_many=True),))


async def test_what_is_typed_quickly_goes_into_each_box_that_it_opens(phrasebook: Path) -> None:
    browser = make_browser(phrasebook, commands=_Commands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        typed = ["exclamation_mark", *"score", "enter", *"q5.en"]
        for key in typed:  # as a terminal gives them, without waiting for what becomes of them
            browser.post_message(Key(key, "!" if len(key) > 5 else key if len(key) == 1 else None))
        await until(pilot, lambda: isinstance(browser.screen, CommandDialog) and not browser._typed, "the form")
        await settled(pilot)
        assert browser.screen.query_one("#hypotheses", Input).value == "q5.en"
        assert browser.current_mode == "corpus" and len(browser.screen_stack) == 2


async def test_a_key_for_rows_waits_until_they_are_read(phrasebook: Path) -> None:
    browser = make_browser(phrasebook)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key in ("3", "e"):
            browser.post_message(Key(key, key))
        await until(pilot, lambda: isinstance(browser.screen, FormDialog), "the export of what was counted")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["f2", "8"])
async def test_keys_that_come_before_an_answer_are_not_typed(phrasebook: Path, place: str) -> None:
    browser = make_browser(phrasebook)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, place, "slash", *"beer")
        async with answers_held(browser):
            await pilot.press("enter", "j", "z")
            assert browser.screen.query_one(Input).value == "beer"


@pytest.mark.slow
async def test_a_document_that_is_not_read_yet_is_not_missing(phrasebook: Path) -> None:
    browser = make_browser(phrasebook)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1", "slash", *"beer", "enter")
        async with answers_held(browser):
            await pilot.press("enter")
            await pilot.pause()
            assert browser.screen.query_one(RowList).empty == "reading the lines around it ..."


async def test_the_question_about_a_job_goes_away_when_the_job_ends(phrasebook: Path) -> None:
    browser, release = make_browser(phrasebook), Event()

    def job(store: Store) -> Job[str]:
        yield Progress("waiting", 0, 0)
        release.wait(20)
        return "done"

    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        browser.jobs.start("a job", job)
        await press(pilot, "6", "end", "home")
        assert browser.screen.query_one(RowList).cursor == 1, "Home goes to the first row that is no heading"
        await press(pilot, "c")
        assert isinstance(browser.screen, ConfirmDialog)
        release.set()
        await until(pilot, lambda: not isinstance(browser.screen, ConfirmDialog), "no question")
        assert "a job" in screen_text(browser)


@pytest.mark.slow
async def test_nothing_is_to_be_renewed_while_a_job_may_be_doing_it(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        import_rows(store, [("Never said before.", "Jamais dit.")])
    browser, release = make_browser(phrasebook), Event()

    def job(store: Store) -> Job[str]:
        yield Progress("waiting", 0, 0)
        release.wait(20)
        return "done"

    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "7")
        assert "Detect again: " in screen_text(browser)
        browser.jobs.start("a job", job)
        await press(pilot, "1", "7")
        assert "Align words of " in screen_text(browser) and "again: " not in screen_text(browser)
        release.set()
        await until(pilot, lambda: "Detect again: " in screen_text(browser), "the step again")


# What every place has: guides found by their words, forms that begin with what is chosen, rows that end with a word.


def _begins(browser: Browser, name: str) -> bool:
    """Whether the first of the lines to choose from begins so."""
    return next(iter(browser.screen.query_one(RowList).lines()), "").startswith(name)


async def test_guides_are_found_by_their_words_and_opened_at_the_line(phrasebook: Path) -> None:
    at = next(line for line in guide_text("scores").split("\n") if "copies" in line)
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for keys, name in ((("exclamation_mark",), "guide scores"), (("question_mark", "tab"), "scores")):
            await press(pilot, *keys)
            browser.screen.query_one(Input).value = at.strip()
            await until(pilot, partial(_begins, browser, f"{name} "), "the line of the guide")
            await press(pilot, "enter")
            assert isinstance(browser.screen, GuideScreen)
            assert "corpusdb guide scores" in screen_text(browser) and at in screen_text(browser)
            await press(pilot, "q")


async def test_a_form_begins_as_usual_and_a_key_brings_back_what_it_said_last(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    typed = {"ngram": "3", "trend": "year", "words_only": "yes", "output": "old.tsv"}
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        with patch.object(browser.jobs, "typed_before", lambda form: (typed, False)):
            await press(pilot, "exclamation_mark", *"freq", "enter")
        form = browser.screen
        assert isinstance(form, CommandDialog)
        said = {name: form.values()[name] for name in ("ngram", "trend", "words_only", "ignore_case")}
        assert said == {"ngram": "1", "trend": "", "words_only": "yes", "ignore_case": "yes"}, "as Words counts"
        assert "ctrl+r: all lines as the last time" in screen_text(browser)
        await press(pilot, "ctrl+r")
        assert [form.values()[name] for name in ("ngram", "trend", "output")] == ["3", "year", ""]
        assert "--ngram 3" in screen_text(browser) and "ctrl+r" not in screen_text(browser)
        form.query(FoldLine).last().focus()
        await press(pilot, "escape")  # ctrl+r has opened it
        assert browser.screen is form and not form.query(FoldLine).last().is_open, "the heading is closed first"
        form.query_one("#pattern", Input).value = "typed"
        await press(pilot, "escape", "exclamation_mark", *"freq", "enter", "ctrl+r")
        assert browser.screen is not form and browser.screen.query_one("#pattern", Input).value == "typed"


@pytest.mark.parametrize(
    ("path", "format", "named"),
    [
        ("a.tsv", "latex", "a.tex"),
        ("a.tex", "markdown", "a.md"),
        ("a.b/c", "csv", "a.b/c"),
        ("a.txt", "csv", "a.txt"),
        ("a.tsv", "", "a.tsv"),
    ],
)
def test_the_ending_of_a_file_follows_its_format(path: str, format: str, named: str) -> None:
    assert named_for(path, format, ("", *EXPORT_FORMATS)) == named


@pytest.mark.parametrize(
    ("line", "cells", "shown"),
    [
        ("a sentence is cut", 13, "a sentence…"),
        ("a sentence is cut", 11, "a sentence…"),
        ("a sentence is cut", 17, "a sentence is cut"),
        ("abcdefghijklmnopqrstuvwxyz a", 20, "abcdefghijklmnopqrs…"),
        ("私は学校へ行きます", 10, "私は学校…"),
        ("あ[る -> ります]から", 15, "あ[る -> りま…"),
    ],
)
def test_a_row_ends_with_a_whole_word(line: str, cells: int, shown: str) -> None:
    assert ended_at_word(Text(line), cells).plain == shown
