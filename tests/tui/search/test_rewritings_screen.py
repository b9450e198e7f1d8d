"""Japanese sentences with their rewritings: in the detail, on a screen of their own, and from a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from people_pilots import status
from pilots import press, screen_text
from place_pilots import TEXTS, browser_at, japanese_corpus, keep, run_browser
from textual.pilot import Pilot

from corpusdb.corpus.store import open_store
from corpusdb.rules.queries.rule_sets import make_set, shipped_set
from tui.kit.dialogs import DetailsDialog
from tui.kit.shown import RowList
from tui.search.document_screen import RewritingsScreen
from tui.search.screen import CorpusScreen


@pytest.fixture
def path(tmp_path: Path, recorded_morphemes: object) -> Path:
    return japanese_corpus(tmp_path)


def rows(pilot: Pilot[None]) -> list[str]:
    return [" ".join(line.split()) for line in pilot.app.screen.query_one(RowList).lines()]


def test_the_detail_has_the_rewritings_that_are_kept(path: Path) -> None:
    async def before(pilot: Pilot[None]) -> None:
        assert "rewriting" not in screen_text(pilot.app)

    async def after(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app.screen, CorpusScreen)
        assert "1 place, 1 rewriting" in screen_text(pilot.app)
        assert "by rules  彼が本を読[みました]。  verb-past ->" in pilot.app.screen.lines()
        await press(pilot, "G")
        assert "rewriting" not in screen_text(pilot.app)  # of what no rule rewrites

    run_browser(path, before, "l")
    keep(path, "verb-past")
    run_browser(path, after, "l")


@pytest.mark.slow
def test_a_key_rewrites_the_sentence_now_or_shows_what_is_kept(path: Path) -> None:
    with open_store(path) as store:
        make_set(store, "mine", shipped_set("polite").without(["verb-past"]))

    async def made(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app.screen, RewritingsScreen)
        assert f"by all:{shipped_set('all').digest}" in screen_text(pilot.app)
        assert "1 彼が本を読[みました]。" in rows(pilot)
        assert "verb-past ->" in rows(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailsDialog)
        assert pilot.app.screen.lines()[1:] == [
            "彼が本を読[んだ]。",
            "彼が本を読[みました]。",
            "読んだ becomes 読みました: verb-past ->",
        ]
        await press(pilot, "q", "s", "G", "enter")
        assert (rows(pilot), "No rule rewrites this." in screen_text(pilot.app)) == ([], True)
        assert "by mine:" in screen_text(pilot.app)

    async def kept(pilot: Pilot[None]) -> None:
        assert "run " in screen_text(pilot.app)
        assert rows(pilot) == ["1 彼が本を読[みました]。", "verb-past ->"]

    run_browser(path, made, "l", "r")
    keep(path, "verb-past")
    run_browser(path, kept, "l", "r")


async def test_other_languages_are_not_rewritten(path: Path) -> None:
    async with browser_at(path, "r") as pilot:
        assert "rules rewrite Japanese" in status(pilot)
        await press(pilot, "enter", "r")
        assert "rules rewrite Japanese, and there is none in this row" in status(pilot)
        await press(pilot, "j", "r")
        assert isinstance(pilot.app.screen, RewritingsScreen)
        assert pilot.app.screen.lines()[0] == TEXTS[0]


async def test_beside_each_other_the_japanese_of_the_line_is_rewritten(path: Path) -> None:
    async with browser_at(path, "enter", "r", size=(140, 30)) as pilot:
        assert isinstance(pilot.app.screen, RewritingsScreen)
        assert pilot.app.screen.lines()[0] == TEXTS[0]
