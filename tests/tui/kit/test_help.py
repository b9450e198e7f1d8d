"""Commands and guides are found by name wherever they are, in the palette and in the help."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import patch

import pytest
from pilots import press, screen_text, settled
from place_pilots import browser_at
from standpoints import stand
from textual.binding import Binding
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.corpus.model import DEFAULT_ORDER
from corpusdb.guides import guide_text, guide_topics
from tui.app import Browser
from tui.kit.background import place_key
from tui.kit.dialogs import FormDialog, GuideScreen, HelpScreen
from tui.kit.place_screen import PlaceScreen, StatusLine
from tui.kit.settings import BrowserSettings, KeyCommands, own_widgets
from tui.people.seed_screen import SeedScreen
from tui.places import PLACES
from tui.search.screen import CorpusScreen


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def said(browser: Browser) -> str:
    return browser.screen.query_one(StatusLine).message


@pytest.mark.usefixtures("own_folders")
@pytest.mark.slow
def test_the_palette_has_every_command_in_every_place(phrasebook: Path) -> None:
    wanted = {
        binding.tooltip
        for owner in own_widgets(PlaceScreen)
        for binding in owner.__dict__.get("BINDINGS", ())
        if isinstance(binding, Binding)
    }

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        for number in range(1, len(PLACES) + 1):
            await press(pilot, place_key(number))
            palette = KeyCommands(browser.screen)
            commands = [*palette._commands(), *palette._commands_elsewhere()]
            assert [told for told in wanted if not any(each.told.startswith(told) for each in commands)] == []

    stand(phrasebook, "corpus", steps)


@pytest.mark.slow
@pytest.mark.usefixtures("own_folders")
def test_the_palette_goes_where_a_command_is_and_does_it(phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await press(pilot, "3", "colon", *"Import files", "down", "enter")
        assert browser.current_mode == "jobs"
        assert isinstance(browser.screen, FormDialog)
        await press(pilot, "escape", "colon", *"Accept this paraphrase", "down", "enter")
        assert (browser.current_mode, said(browser)) == ("session", "Enter on a session: there a does it")
        await press(pilot, "1", "p", "7", "colon", *"stricter filter: N + 1", "down", "enter")
        assert isinstance(browser.screen, SeedScreen)
        assert browser.screen.seed.order == DEFAULT_ORDER + 1

    stand(phrasebook, "corpus", steps)


@pytest.mark.usefixtures("own_folders")
def test_every_screen_that_is_not_the_first_says_how_one_comes_there() -> None:
    first = {place.screen for place in PLACES}
    assert {
        owner for owner in own_widgets(PlaceScreen) if owner.PLACE and bool(owner.REACHED) == (owner in first)
    } == set()


@pytest.mark.usefixtures("own_folders")
def test_the_help_finds_a_key_and_does_it(phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await press(pilot, "question_mark", "slash", *"middle", "enter")
        assert "Keys on this screen: 'middle': 1 of 1 rows" in screen_text(browser)
        await press(pilot, "enter")
        assert isinstance(browser.screen, CorpusScreen)
        assert browser.screen.search.words.kwic
        await press(pilot, "question_mark", "g", "enter")
        assert isinstance(browser.screen, HelpScreen)
        assert "this row is no key" in screen_text(browser)

    stand(phrasebook, "corpus", steps)


@pytest.mark.usefixtures("own_folders")
def test_the_help_goes_to_the_line_of_input_whose_key_it_is(phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await press(pilot, "slash", *"beer", "enter", "slash", "ctrl+u", "escape")
        await press(pilot, "question_mark", "slash", *"Recall the search before", "enter", "enter")
        assert isinstance(browser.focused, Input)
        assert browser.focused.value == "beer"

    stand(phrasebook, "corpus", steps)


@pytest.mark.slow
@pytest.mark.usefixtures("own_folders")
def test_what_is_typed_while_the_browser_starts_is_for_the_keys(phrasebook: Path) -> None:
    focused: list[Widget | None] = []
    really = Screen.set_focus

    def watched(screen: Screen[object], widget: Widget | None, scroll_visible: bool = True, *rest: bool) -> None:
        focused.append(widget)
        really(screen, widget, scroll_visible, *rest)

    async def main() -> None:
        browser = Browser(phrasebook, BrowserSettings())
        async with browser.run_test(size=(80, 24)) as pilot:
            browser.post_message(Key("2", "2"))
            await settled(pilot)
            assert browser.current_mode == "session"
            for place in PLACES:
                await browser.switch_mode(place.key)
                await settled(pilot)

    with patch.object(Screen, "set_focus", watched):
        asyncio.run(main())
    assert [each for each in focused if isinstance(each, Input)] == []
    assert focused


async def test_the_help_leads_to_the_guides(phrasebook: Path) -> None:
    async with browser_at(phrasebook) as pilot:
        browser = pilot.app
        await press(pilot, "question_mark")
        assert "r guides" in screen_text(browser)
        await press(pilot, "r", *["j"] * list(guide_topics()).index("columns"), "enter")
        assert isinstance(browser.screen, GuideScreen)
        shown = screen_text(browser).split("\n")
        assert "corpusdb guide columns" in shown[0]
        assert [line.rstrip() for line in shown[1:20]] == guide_text("columns").split("\n")[:19]
        await press(pilot, "end")
        assert guide_text("columns").rstrip().split("\n")[-1] in screen_text(browser)
        await press(pilot, "q", "q")
        assert isinstance(browser.screen, CorpusScreen)


@pytest.mark.slow
async def test_the_palette_leads_to_the_guides(phrasebook: Path) -> None:
    async with browser_at(phrasebook) as pilot:
        await press(pilot, "7", "colon", *"guides", "down", "enter")
        assert all(topic in screen_text(pilot.app) for topic in list(guide_topics())[:8])
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, GuideScreen)
