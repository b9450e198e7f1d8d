"""The place of the paradigms, driven by keys, and the way through them without a screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pilots import press, screen_text, settled
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import prepare
from corpusdb.corpus.store import open_store
from corpusdb.paraphrase.queries.paradigms import (
    contexts_of_filler,
    fillers_commuting_with,
    fillers_of_context,
    shared_contexts,
)
from tui import paraphrase as steps
from tui.app import Browser, make_browser
from tui.kit.place_screen import StatusLine
from tui.kit.shown import ParadigmWanted, RowList
from tui.paraphrase import (
    Answer,
    IndexedLanguages,
    ParadigmHistory,
    ParadigmRow,
    ParadigmsScreen,
    ParadigmStep,
    step_for,
)
from tui.search.screen import CorpusScreen

# The place of the paradigms, driven by keys; what it shows is compared with what the queries find.


@asynccontextmanager
async def paradigms(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    browser = make_browser(path)
    async with browser.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("f2")
        await settled(pilot)
        yield browser, pilot


def place(browser: Browser) -> ParadigmsScreen:
    assert isinstance(browser.screen, ParadigmsScreen)
    return browser.screen


def texts(browser: Browser) -> list[str]:
    """What was found, without the way that led there."""
    return place(browser).lines()[1:]


def way(browser: Browser) -> str:
    return place(browser).lines()[0]


def message(browser: Browser) -> str:
    return place(browser).query_one(StatusLine).message


async def look_for(browser: Browser, pilot: Pilot[None], text: str) -> None:
    await pilot.press("slash")
    line = place(browser).query_one(Input)
    assert line.has_focus
    line.value = text
    await pilot.press("enter")
    await settled(pilot)


async def test_from_a_phrase_to_a_sentence_and_back(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        fillers = fillers_commuting_with(store, "eng", "beer")
        shared = shared_contexts(store, "eng", "beer", fillers.members[1].text)
        inside = fillers_of_context(store, "eng", shared.members[0].text)
    other = fillers.members[1].text

    async with paradigms(phrasebook) as (browser, pilot):
        await pilot.press("f12")
        await look_for(browser, pilot, "beer")
        assert way(browser) == "eng: beer"
        assert [row.split()[0] for row in texts(browser)] == [f"{each.contexts:,}" for each in fillers.members]
        assert message(browser) == f"{fillers.total:,} {ParadigmStep('fillers', 'beer').found}"
        await press(pilot, "j", "enter")
        assert way(browser) == f"eng: beer > beer / {other}"
        assert [row.split("  ")[-1].strip() for row in texts(browser)] == [each.sentence for each in shared.members]
        await press(pilot, "enter")
        assert way(browser).endswith(f"> {shared.members[0].text.replace('␣', ' _')}")
        assert len(texts(browser)) == inside.total
        await press(pilot, "backspace")
        assert way(browser) == f"eng: beer > beer / {other}"
        await press(pilot, "q")
        assert way(browser) == "eng: beer"
        assert place(browser).query_one(RowList).cursor == 1, "where one had been"
        await press(pilot, "backspace")
        assert place(browser).query_one(Input).has_focus
        await press(pilot, "down", "q")
        assert browser.current_mode == "corpus"


async def test_a_gap_leads_to_the_corpus(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        found = fillers_of_context(store, "eng", "I'd like _, please.")

    async with paradigms(phrasebook) as (browser, pilot):
        for key in ("enter", "v"):
            await look_for(browser, pilot, "I'd like _, please.")
            assert len(texts(browser)) == found.total > 2
            await press(pilot, key)
            assert isinstance(browser.screen, CorpusScreen)
            assert found.members[0].sentence in screen_text(browser)
            await press(pilot, "f2")


async def test_contexts_and_fillers_of_a_phrase_in_the_list(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        first = fillers_commuting_with(store, "eng", "beer").members[0].text
        contexts = {word: contexts_of_filler(store, "eng", word) for word in ("beer", first)}
        more = fillers_commuting_with(store, "eng", first).total

    async with paradigms(phrasebook) as (browser, pilot):
        await look_for(browser, pilot, "beer")
        await press(pilot, "c")
        assert way(browser) == f"eng: beer > where {first} occurs"
        assert [row.split("  ")[-1].strip() for row in texts(browser)] == [
            each.sentence for each in contexts[first].members
        ]
        await press(pilot, "f")
        assert way(browser).endswith(f"> where {first} occurs > {first}")
        assert len(texts(browser)) == more
        await press(pilot, "q", "q", "enter", "c")
        assert way(browser).endswith("> where beer occurs"), "in a list of contexts it is the phrase of the step"
        assert len(texts(browser)) == contexts["beer"].total
        await press(pilot, "v")
        assert isinstance(browser.screen, CorpusScreen)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a _ b _", *(pytest.param(text, marks=pytest.mark.slow) for text in ("", "_", "  "))])
async def test_what_makes_no_sense_is_said(text: str, phrasebook: Path) -> None:
    async with paradigms(phrasebook) as (browser, pilot):
        await look_for(browser, pilot, text)
        line = place(browser).query_one(StatusLine)
        assert (line.is_error, bool(line.message)) == (True, True)
        assert texts(browser) == []


@pytest.mark.slow
async def test_nothing_found_and_nothing_asked(phrasebook: Path) -> None:
    async with paradigms(phrasebook) as (browser, pilot):
        await pilot.press("f12")
        for key, told in (("f", "type a phrase first"), ("v", "nothing to show"), ("l", "only eng has an index")):
            await press(pilot, key)
            assert told in message(browser)
        await look_for(browser, pilot, "bicycle pump")
        assert "Nothing was found." in screen_text(browser)


@pytest.mark.slow
async def test_languages_with_an_index_take_turns(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        finished(prepare(store, "jpn"))

    async with paradigms(phrasebook) as (browser, pilot):
        await look_for(browser, pilot, "beer")
        await press(pilot, "l")
        assert (way(browser), texts(browser)) == ("jpn: beer", [])
        await look_for(browser, pilot, "_をください。")
        rows = texts(browser)
        assert len(rows) > 5
        starts = {cell_len(row[: row.index("をください")]) - cell_len(row.split()[1]) for row in rows}
        assert len(starts) == 1, "sentences begin in one column of cells"
        await press(pilot, "l")
        assert way(browser).startswith("eng: ")


async def test_what_short_texts_leave_is_for_the_examples(phrasebook: Path) -> None:
    async with paradigms(phrasebook) as (browser, pilot):
        await look_for(browser, pilot, "beer")
        rows = place(browser)
        assert rows._text_cells == max(cell_len(row.text) for row in rows.trail.answer.rows) < 33
        rows._needed = 100
        assert rows._text_cells == (80 - 13) // 2, "half, where they are long"


async def test_without_any_index_it_says_how_to_make_one(tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db", create=True).close()

    async with paradigms(tmp_path / "empty.db") as (browser, pilot):
        assert "no language has an index; b in the jobs" in message(browser)
        await look_for(browser, pilot, "beer")
        assert "no language has an index; b in the jobs" in message(browser)
        await press(pilot, "escape", "l")
        assert "no language has an index" in message(browser)


async def test_rows_beyond_the_first_come_when_asked_for(phrasebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_FIRST", 3)
    whole = steps.ParadigmStep("fillers", "beer").whole()
    with open_store(phrasebook, read_only=True) as store:
        total = whole.ask(store, "eng").total

    async with paradigms(phrasebook) as (browser, pilot):
        place(browser).go([steps.ParadigmStep("fillers", "beer", limit=3)])
        await settled(pilot)
        assert texts(browser)[-1] == f"{total - 3:,} more: Enter shows them"
        await press(pilot, "G", "v")
        assert "nothing to show" in message(browser)
        await press(pilot, "enter")
        assert len(texts(browser)) == total


async def test_the_app_opens_a_paradigm(phrasebook: Path) -> None:
    browser = make_browser(phrasebook)
    async with browser.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        for text in ("beer", "I'd like _, please."):  # before the place was ever seen, and afterwards
            browser.post_message(ParadigmWanted(text, "eng"))
            await settled(pilot)
            assert way(browser) == f"eng: {text}"
            assert len(texts(browser)) > 2
            await press(pilot, "1")


@pytest.mark.parametrize(("text", "kind"), [("beer", "fillers"), (" beer", "fillers"), ("a _", "gap"), ("a␣b", "gap")])
def test_what_somebody_types_begins_a_way(text: str, kind: str) -> None:
    assert (step_for(text).kind, step_for(text).text) == (kind, text)


def test_two_gaps_begin_none() -> None:
    with pytest.raises(UsageError, match="2 gaps"):
        step_for("_ and _")


BEER = ParadigmStep("fillers", "beer")
TEA = ParadigmRow(3, "tea", "I like tea.", phrase="tea")
WINE = ParadigmRow(2, "wine", "I like wine.", phrase="wine")
GAP = ParadigmRow(4, "I like _.", "", context="I like _.", sentence="I like tea.")


def test_enter_leads_on_and_back_to_where_one_was() -> None:
    way = ParadigmHistory((BEER,), Answer(2, (TEA, WINE)))
    steps = way.opened(1)
    assert steps == (replace(BEER, cursor=1), ParadigmStep("shared", "beer", "wine"))
    gap = ParadigmHistory(steps, Answer(1, (GAP,))).opened(0)
    assert gap == (*steps, ParadigmStep("gap", "I like _."))
    assert ParadigmHistory(gap, Answer(1, (replace(GAP, context=None),))).opened(0) is None, "to the sentence"


def test_the_row_behind_the_last_leads_to_all() -> None:
    way = ParadigmHistory((BEER,), Answer(9, (TEA, WINE)))
    assert (way.count, way.row(2)) == (3, None)
    assert way.opened(2) == (replace(BEER, cursor=2, limit=0),)


def test_one_looks_at_the_phrase_of_the_row_else_of_the_step() -> None:
    way = ParadigmHistory((BEER,), Answer(2, (TEA, GAP)))
    assert way.looked_at("contexts", 0)[-1] == ParadigmStep("contexts", "tea")
    assert way.looked_at("contexts", 1)[-1] == ParadigmStep("contexts", "beer")
    with pytest.raises(UsageError, match="not a phrase"):
        ParadigmHistory((ParadigmStep("gap", "I like _."),), Answer(1, (GAP,))).looked_at("fillers", 0)
    with pytest.raises(UsageError, match="type a phrase first"):
        ParadigmHistory().looked_at("fillers", 0)


def test_languages_take_turns() -> None:
    languages = IndexedLanguages()
    with pytest.raises(UsageError, match="no language has an index"):
        languages.next()
    languages.were_read(["ara", "eng", "fra"], "")
    seen = [languages.current]
    for _ in range(3):
        languages.next()
        seen.append(languages.current)
    assert seen == ["eng", "fra", "ara", "eng"]
    other = IndexedLanguages()
    other.were_read(["ara", "eng", "fra"], "fra")
    assert other.current == "fra", "what was looked at elsewhere"
    languages.current = "jpn"
    languages.were_read(["eng"], "fra")
    assert languages.current == "jpn", "somebody has chosen"
    with pytest.raises(UsageError, match="only jpn has an index"):
        languages.next()
