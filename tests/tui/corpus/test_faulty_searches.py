"""A search with an error in it stays to be mended, and is not saved; a new one knows what has come meanwhile."""

from __future__ import annotations

from pathlib import Path

from corpus_pilots import fill, is_error, press, run, status, type_in
from pilots import screen_text, settled, until
from textual.pilot import Pilot

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import open_store
from corpusdb.search.queries.saved_queries import saved_queries
from tui.search.screen import CorpusScreen

FAULT = '[word="coffee"'


def test_enter_stays_in_the_line_while_the_search_has_an_error(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await until(pilot, lambda: screen.search.words.cqp, "the mode of CQP", "m")
        await press(pilot, "slash")
        await type_in(pilot, FAULT)
        assert screen.search.fault
        await press(pilot, "enter")
        assert screen.head.line.has_focus
        assert is_error(screen) and "escape leaves the line" in status(screen)
        await type_in(pilot, "]")
        assert not screen.search.fault
        await press(pilot, "enter")
        assert screen.hits.has_focus

    run(phrasebook, script)


def test_enter_before_the_error_is_known_comes_back_to_the_line(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await until(pilot, lambda: screen.search.words.cqp, "the mode of CQP", "m")
        await press(pilot, "slash")
        screen.head.line.value = FAULT
        screen.head.line.action_results()
        await settled(pilot)
        assert screen.search.fault and pilot.app.focused is screen.head.line

    run(phrasebook, script)


def test_a_search_with_an_error_is_not_saved(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await until(pilot, lambda: screen.search.words.cqp, "the mode of CQP", "m")
        await press(pilot, "slash")
        await type_in(pilot, FAULT)
        await press(pilot, "escape", "w")
        assert pilot.app.screen is screen
        assert is_error(screen) and status(screen).startswith("a query with an error is not saved")

    run(phrasebook, script)
    with open_store(phrasebook, read_only=True) as store:
        assert saved_queries(store) == []


def test_the_name_is_quoted_for_a_shell(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "w")
        await fill(pilot, name="two words")
        assert "`corpusdb run 'two words'`" in status(screen)

    run(phrasebook, script)


def test_a_search_that_is_begun_counts_what_came_meanwhile(phrasebook: Path, tmp_path: Path) -> None:
    file = tmp_path / "more.tsv"
    file.write_text("Nobody said this before.\tPersonne.\n")

    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await until(pilot, lambda: screen.search.words.lang == "eng", "English", "l")
        before = screen.hits.count
        await press(pilot, "j", "j")
        with open_store(phrasebook) as store:
            sources = open_sources("tsv", [file], Options(languages=("eng", "fra")))
            finished(import_files(store, sources, "more", "CC0-1.0"))
        await press(pilot, "slash")
        assert screen.hits.count == before + 1
        assert f"{before + 1:,}" in screen_text(pilot.app)
        assert screen.hits.cursor == 2
        assert pilot.app.focused is screen.head.line

    run(phrasebook, script)
