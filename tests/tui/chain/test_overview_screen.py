"""The overview, driven by keys, and its lines against what the queries count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest
from pilots import press, screen_text, settled
from rich.cells import cell_len
from textual.pilot import Pilot

from corpusdb.chain.queries.overview import overview
from corpusdb.chain.report import overview_lines, statistics_lines
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.user_history import HISTORY_VARIABLE
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import telling_sentence
from corpusdb.paraphrase.queries.statistics import corpus_statistics
from corpusdb.paraphrase.report import figures
from corpusdb.people.queries.sessions import create_session
from corpusdb.program.commands import OfferedCommands
from tui.app import Browser, make_browser
from tui.chain import OverviewScreen
from tui.kit.dialogs import DetailsDialog
from tui.kit.reader import OneOffReader, Superseded
from tui.kit.shown import RowList
from tui.search.screen import CorpusScreen


@asynccontextmanager
async def overview_place(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    browser = make_browser(path)
    async with browser.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("7")
        await settled(pilot)
        yield browser, pilot


def lines(browser: Browser) -> list[str]:
    assert isinstance(browser.screen, OverviewScreen)
    return browser.screen.lines()


@pytest.mark.parametrize("width", [60, *(pytest.param(width, marks=pytest.mark.slow) for width in (80, 200))])
async def test_it_shows_what_is_counted(width: int, phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        found, statistics = overview(store), corpus_statistics(store, "eng")

    async with overview_place(phrasebook, (width, 24)) as (browser, pilot):
        expected = [*overview_lines(found), "", *statistics_lines(statistics, width - 4, ascii=False)[:-1]]
        # The size of the file with its log is that of the moment.
        assert lines(browser)[-len(expected) + 2 :] == expected[2:]
        assert max(cell_len(line) for line in lines(browser)[-50:]) <= width - 4
        await pilot.press("G")
        await settled(pilot)
        assert "The filter: N, and candidates that pass it" in screen_text(browser)


@pytest.mark.slow
async def test_the_language_n_and_the_least_validity_can_be_changed(phrasebook: Path) -> None:
    async with overview_place(phrasebook) as (browser, pilot):
        for key, heading in (
            ("right", "Language eng at N = 21, V = 0.95"),
            ("left", "Language eng at N = 20, V = 0.95"),
            ("greater_than_sign", "Language eng at N = 20, V = 0.98"),
            ("less_than_sign", "Language eng at N = 20, V = 0.95"),
            ("l", "Language fra at N = 20, V = 0.95"),
        ):
            await pilot.press(key)
            await settled(pilot)
            assert heading in lines(browser)


@pytest.mark.slow
async def test_sizes_are_counted_when_asked_for_and_all_again(phrasebook: Path) -> None:
    async with overview_place(phrasebook) as (browser, pilot):
        assert "Bytes" not in lines(browser)
        await pilot.press("t")
        await settled(pilot)
        assert "Bytes" in lines(browser)
        with open_store(phrasebook) as store, store.write() as connection:
            connection.execute("insert into collection (name) values ('a new one')")
        await pilot.press("R")
        await settled(pilot)
        assert any("a new one" in line for line in lines(browser))


@pytest.mark.slow
async def test_a_long_line_is_read_whole(phrasebook: Path) -> None:
    async with overview_place(phrasebook, (60, 20)) as (browser, pilot):
        rows = browser.screen.query_one(RowList)
        place = next(row for row, line in enumerate(lines(browser)) if "generate" in line)
        rows.cursor = place
        whole = lines(browser)[place].strip()
        assert len(whole) > 60
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(browser.screen, DetailsDialog)
        assert browser.screen.lines()[1] == whole
        await pilot.press("q")
        await settled(pilot)


@pytest.mark.slow
async def test_it_is_drawn_in_ascii_where_borders_are(phrasebook: Path, tmp_path: Path) -> None:
    (tmp_path / "ascii.toml").write_text('borders = "ascii"\n', encoding="utf-8")

    browser = make_browser(phrasebook, tmp_path / "ascii.toml")
    async with browser.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await settled(pilot)
        assert all(line.isascii() for line in lines(browser))


async def test_an_empty_database_has_an_overview(tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db", create=True).close()

    async with overview_place(tmp_path / "empty.db") as (browser, pilot):
        assert lines(browser).count("  none") == 4
        await pilot.press("l", "right")
        await settled(pilot)
        assert not any("Figure 1" in line for line in lines(browser))


async def test_who_comes_first_is_told_what_there_is_and_three_things_to_try(
    phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(HISTORY_VARIABLE, raising=False)
    (tmp_path / "usual.toml").write_text("", encoding="utf-8")

    async def opened(*keys: str) -> tuple[str, list[str]]:
        browser = make_browser(phrasebook, tmp_path / "usual.toml", OfferedCommands(), remembers=True)
        async with browser.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            shown = lines(browser) if browser.current_mode == "overview" else []
            await press(pilot, *keys)
            return browser.current_mode, shown[: shown.index("") if shown else 0]

    mode, steps = await opened("enter")
    assert mode == "overview" and steps[0] == "What to do next: Enter does it"
    assert steps[1] == "  Align words: for equivalents, and translations of words (align)"
    assert steps[2] == "  Search sentences while you type: 10,093 in 3 languages" and len(steps) == 5
    with open_store(phrasebook) as store:
        create_session(store, "mine", "eng", ["Where do I check in?"])
    mode, steps = await opened("escape", "1", "slash", *"beer", "enter", "7", "R")
    assert mode == "overview" and steps[1] == "  Go on with session mine: seed 1 of 1"
    mode, steps = await opened("g", "j", "enter")
    assert steps[1:3] == ["  Go on with the search for beer (eng)", "  Go on with session mine: seed 1 of 1"]
    assert mode == "corpus"
    assert (await opened())[0] == "corpus", "one comes back where one was"


async def test_the_search_begins_at_a_sentence_that_tells_something(
    phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(HISTORY_VARIABLE, raising=False)
    browser = make_browser(phrasebook, remembers=True)
    with open_store(phrasebook) as store:
        most = telling_sentence(store, "eng")
        assert most is not None and telling_sentence(store, "deu") is None
        counted = (
            "select sentence, count(*) from paraphrase join sentence on sentence.id = sentence where language = 'eng'"
        )
        counts = dict(store.connection.execute(f"{counted} and length(text) between 20 and 60 group by 1"))
    assert counts[most] == max(counts.values())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1")
        assert isinstance(browser.screen, CorpusScreen) and browser.screen.results.current == most


def test_the_paper_s_figure_of_a_database(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        statistics = corpus_statistics(store, "eng", NSequenceFilter(20))
    plots = figures(statistics, (60, 12), ascii=True)
    assert [line for line in plots if line.startswith(("Figure", "The filter"))] == [
        "Figure 1, left: paraphrases of a seed, and seeds with so many",
        "Figure 1, right: words of a seed, and its paraphrases",
        "The filter: N, and candidates that pass it",
    ]
    assert len(plots) == 3 * (12 + 2)
    assert max(map(len, plots)) <= 61


async def test_a_question_beside_others_is_given_up_for_the_next(phrasebook: Path) -> None:
    begun = Event()

    def endless(store: Store) -> object:
        begun.set()
        endless = "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"
        return store.connection.execute(endless).fetchone()

    reader = OneOffReader(phrasebook)
    first = asyncio.ensure_future(reader.ask(endless))
    assert await asyncio.to_thread(begun.wait, 60)
    languages = "select count(distinct language) from sentence"
    while not first.done():  # the interruption may come just before the statement
        assert await reader.ask(lambda store: store.connection.execute(languages).fetchone()) == (3,)
    with pytest.raises(Superseded):
        first.result()
