"""The guides in the browser: the help of every screen, and the palette, lead to them."""

from __future__ import annotations

from pathlib import Path

from pilots import screen_text
from rule_pilots import press, run_browser
from textual.pilot import Pilot

from corpusdb.guides import guide_text, guide_topics
from tui.kit.help import GuideScreen
from tui.search.screen import CorpusScreen


def test_the_help_leads_to_the_guides(phrasebook: Path) -> None:
    async def steps(pilot: Pilot[None]) -> None:
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

    run_browser(phrasebook, steps)


def test_the_palette_leads_to_the_guides(phrasebook: Path) -> None:
    async def steps(pilot: Pilot[None]) -> None:
        await press(pilot, "7", "colon", *"guides", "down", "enter")
        assert all(topic in screen_text(pilot.app) for topic in list(guide_topics())[:8])
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, GuideScreen)

    run_browser(phrasebook, steps)
