"""What is kept and goes out of the corpus place: queries, history, categories, results, exports."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from corpus_pilots import corpus_place, fill, is_error, run, status, texts, type_in
from pilots import press, screen_text, settled, until
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.display import Formulas
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.names import save_query, saved_queries, saved_query
from corpusdb.corpus.store import open_store
from corpusdb.corpus.store.user_history import recall, remember, this_terminal
from corpusdb.people.queries.sessions import seeds_of_session
from corpusdb.search.queries.categories import category_counts
from corpusdb.search.queries.distribution import categories_of
from corpusdb.search.queries.hit_export import Written
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import keep_found, stored_selections
from tui.kit.dialogs import DetailsDialog
from tui.kit.reader import DatabaseReader, StepwiseJob
from tui.search.dialogs import CategoryDialog
from tui.search.forms import countings, sortings
from tui.search.screen import CorpusScreen


@pytest.mark.slow
async def test_saved_queries_run_again(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "slash")
        await type_in(pilot, "ticket")
        await press(pilot, "enter", "i", "v", "w")
        await fill(pilot, name="tickets")
        assert "corpusdb run tickets" in status(screen)
        words = screen.search.words
        screen.search.search_for("x", "fra")
        await settled(pilot)
        await press(pilot, "o")
        assert "saved tickets" in screen_text(pilot.app)
        await press(pilot, "enter")
        assert screen.search.words == replace(words, limit=0)
        assert screen.head.line.value == "ticket"
        await press(pilot, "w")
        await fill(pilot, name="1")
        assert pilot.app.screen is not screen and "! " in screen_text(pilot.app)  # in the form, which stays
        await press(pilot, "escape")
    with open_store(phrasebook, read_only=True) as store:
        kept = saved_query(store, "tickets")
    assert (kept.command, kept.options["pattern"], kept.options["sort"]) == ("search", "ticket", "corpus")
    asked = [(entry.command, entry.options["pattern"], entry.options["kwic"]) for entry in recall(phrasebook)]
    assert asked == [("search", "ticket", False), ("search", "ticket", False), ("search", "ticket", True)]


@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
async def test_a_query_of_another_version_is_run(more: dict[str, object], phrasebook: Path) -> None:
    kept = json.loads((Path(__file__).parents[2] / "search" / "kept_at_72d0413.json").read_text("utf-8"))
    options = {name: value for name, value in kept["saved"]["search"]["options"].items() if name != "kwic"} | more
    with open_store(phrasebook) as store:
        save_query(store, "old", "search", options | {"shown": ""})

    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "o")
        assert "coffee" in screen_text(pilot.app)
        await press(pilot, "enter")
        assert (screen.search.words.pattern, screen.search.words.kwic) == ("coffee", False)
        assert ("of no effect now: 'colour'" in status(screen)) == bool(more)


@pytest.mark.slow
async def test_the_history_has_the_lines_as_they_are_shown(phrasebook: Path) -> None:
    """`categories ratios SET -` and `results keep` take them from there."""

    def last() -> dict[str, object]:
        entry = recall(phrasebook)[-1]
        assert entry.terminal == this_terminal()
        return {name: entry.options[name] for name in ("pattern", "kwic", "sort", "sample", "categories")}

    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "slash")
        await type_in(pilot, "ticket")
        await press(pilot, "enter", "v")
        asked = {"pattern": "ticket", "kwic": True, "sort": "corpus", "sample": None, "categories": ""}
        assert last() == asked
        await press(pilot, "s", "j", "enter")
        assert last() == asked | {"sort": "left"}
        await press(pilot, "S")
        await fill(pilot, sample="5")
        assert last() == asked | {"sort": "left", "sample": 5}
        for _ in range(2):
            await press(pilot, "c")
            await type_in(pilot, "A")
            await press(pilot, "enter")
            assert last() == asked | {"sort": "left", "sample": 5, "categories": "categories"}
        assert len(recall(phrasebook)) == 5, "no query of its own for each category"
        remember(phrasebook, "search", {"pattern": "other"})
        await press(pilot, "c", "1")
        assert last() == asked | {"sort": "left", "sample": 5, "categories": "categories"}
        await press(pilot, "slash", "up")
        assert screen.search.words.sample == 5
        await press(pilot, "up")
        assert screen.search.words.sample == 5, "one search, as it was arranged last"


@pytest.mark.slow
async def test_what_a_key_makes_of_a_search_is_in_the_history_where_it_finds_something(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "slash")
        await type_in(pilot, "pil+ow")
        await press(pilot, "enter", "m", "m", "m")
        asked = [(entry.options["regex"], entry.total) for entry in recall(phrasebook)]
        found = len(texts(phrasebook, SearchRequest("pil+ow", regex=True).search("eng")))
        assert asked == [(False, 0), (True, found)]
        assert screen.search.fault and screen.hits.has_focus, "an error that a key makes takes no other keys"


@pytest.mark.slow
def test_an_earlier_search_is_recalled_as_it_was_searched(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "m", "m", "m", "slash")
        await type_in(pilot, '"a" []')
        await press(pilot, "enter", "v", "slash", "enter")
        asked = replace(screen.search.words, limit=0)
        assert (asked.mode, asked.kwic) == ("cqp", True)
        await press(pilot, "m", "l", "slash")
        await type_in(pilot, "taxi")
        now = screen.search.words
        await press(pilot, "up")
        assert (screen.search.words, screen.head.line.value) == (asked, '"a" []')
        count = screen.hits.count
        assert count > 10
        await press(pilot, "up", "down")
        assert screen.search.words == now
        assert screen.head.line.value == "taxi"

    async def later(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "m", "l", "slash", "up")
        assert (screen.search.words.mode, screen.search.words.kwic, screen.search.words.lang) == ("cqp", True, "eng")

    run(phrasebook, script)
    run(phrasebook, later)


@pytest.mark.slow
@pytest.mark.parametrize("leaves", [False, True])
def test_the_history_has_no_count_of_the_search_before(leaves: bool, phrasebook: Path) -> None:
    """Somebody types, and leaves the line, when the answer to what was typed before is on its way to the screen."""

    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        runner = screen.shell.runner
        read = runner.read_in_steps

        async def slow(*asked: Any) -> Any:
            found = await read(*asked)
            if screen.search.words.pattern == "ticket":
                screen.search.type("taxi")
                if leaves:
                    screen.search.remember()
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(runner, "read_in_steps", slow)
            screen.search.type("ticket")
            await settled(pilot)
        screen.search.remember()
        await settled(pilot)
        assert screen.hits.lines() == texts(phrasebook, SearchRequest("taxi").search("eng"))
        asked = {(entry.options["pattern"], entry.total) for entry in recall(phrasebook)}
        assert asked == {("taxi", screen.hits.count)}

    run(phrasebook, script)


@pytest.mark.slow
async def test_the_history_has_no_count_of_one_group(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("ticket", lang="eng", kwic=True, group="right"))
        await settled(pilot)
        groups = screen.hits.count
        await press(pilot, "enter", "enter", "escape")  # into a group, and from there to a document
        assert [entry.total for entry in recall(phrasebook)] == [groups]
        await press(pilot, "l")  # the group stays open, and all groups were not counted
        screen.search.remember()
        await settled(pilot)
        assert [entry.total for entry in recall(phrasebook)] == [groups, None]


@pytest.mark.slow
def test_earlier_searches_are_recalled(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        for pattern in ("hotel", "taxi"):
            await press(pilot, "slash", "end", "ctrl+u")
            await type_in(pilot, pattern)
            await press(pilot, "enter")
        await press(pilot, "slash", "up")
        assert screen.head.line.value == "taxi"
        await press(pilot, "up", "up")
        assert screen.head.line.value == "hotel"
        assert screen.hits.lines() == texts(phrasebook, SearchRequest("hotel").search("eng"))
        await press(pilot, "down")
        assert screen.head.line.value == "taxi"

    async def later(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "slash", "up")
        assert screen.head.line.value == "taxi"

    run(phrasebook, script)
    run(phrasebook, later)


@pytest.mark.slow
def test_export(phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        screen.search.search_for("ticket", "eng")
        await settled(pilot)
        for name, format in (("tickets.tsv", ""), ("tickets.txt", "jsonl")):
            await press(pilot, "e")
            await fill(pilot, file=name, format=format)
            assert status(screen) == f"{screen.hits.count:,} hits written to {name}"
        await press(pilot, "e")
        await fill(pilot, file="tickets.tsv")
        assert "is there already" in screen_text(pilot.app)
        await press(pilot, "escape")
        for name, reason in (("hard.db", "is there already"), ("hard.db-journal", "belongs to the database")):
            await press(pilot, "e")
            await fill(pilot, file=name, format="tsv")
            assert reason in screen_text(pilot.app).replace("\n", " ") + status(screen)
            await press(pilot, "escape")

    os.link(phrasebook, tmp_path / "hard.db")
    database = phrasebook.read_bytes()
    run(phrasebook, script)
    assert phrasebook.read_bytes() == database
    expected = texts(phrasebook, SearchRequest("ticket").search("eng"))
    with (tmp_path / "tickets.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["text"] for row in rows] == expected
    assert all(row["fra"] and row["jpn"] and row["places"].startswith("phrasebook/") for row in rows)
    documents = [json.loads(line) for line in (tmp_path / "tickets.txt").read_text(encoding="utf-8").splitlines()]
    assert [document["text"] for document in documents] == expected
    assert [len(document["places"]) for document in documents] == [row["places"].count(" | ") + 1 for row in rows]


async def test_an_export_can_be_stopped(phrasebook: Path) -> None:
    """The job waits in the reader's thread until e was pressed."""
    begun, pressed = threading.Event(), threading.Event()
    ended: list[str] = []

    def waiting(reader: DatabaseReader) -> Job[Written]:
        begun.set()
        try:
            while pressed.wait():
                yield Progress("hits written", 1, 2)
        finally:
            ended.append("cleared away")
        return Written(0, Formulas())

    async with corpus_place(phrasebook) as (pilot, screen):
        job = screen.exporting.job = StepwiseJob(waiting)
        screen.wait_for(lambda: screen.shell.runner.read_in_steps(job, lambda progress: None), lambda written: None)
        try:
            assert await asyncio.to_thread(begun.wait, 60)
            await pilot.press("e")
            await pilot.pause()
            assert "stopped" in status(screen)
        finally:
            pressed.set()
        await settled(pilot)
        assert job.is_over
        assert ended == ["cleared away"]


@pytest.mark.slow
async def test_sessions_and_paradigms_get_the_sentences(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("pillow", "eng")
        await settled(pilot)
        first, second = screen.hits.lines()[:2]
        for keys, seeds in ((("p",), [first]), (("space", "space", "p"), [first, second])):
            await press(pilot, *keys)
            assert pilot.app.current_mode == "session"
            name = f"eng-corpus-{len(seeds)}"
            assert f"{name}: seed 1 of {len(seeds)}" in screen_text(pilot.app)
            await press(pilot, "d")  # stores the session
            with open_store(phrasebook, read_only=True) as store:
                assert [each.text for each in seeds_of_session(store, name)] == seeds
            await press(pilot, "1", "g")
        await press(pilot, "P")
        await fill(pilot, text="a pillow")
        assert pilot.app.current_mode == "paradigms"
        assert "eng: a pillow" in screen_text(pilot.app)
        await press(pilot, "1")
        screen.search.search_for("no such sentence", "eng")
        await settled(pilot)
        assert "p shows paraphrases of it" in screen_text(pilot.app)
        await press(pilot, "p")
        assert "no such sentence" in screen_text(pilot.app) and pilot.app.current_mode == "session"
        await press(pilot, "1")
        screen.search.search_for("no such [x]", "eng", mode="regex")
        await settled(pilot)
        await press(pilot, "p")
        assert is_error(screen) and "p shows" not in screen_text(pilot.app)


# Categories and results that are kept, in the corpus place.


# Categories in the corpus place: by digit, by name, for several lines, taken back, in another search and in files.


def stored(path: Path, name: str = "categories") -> dict[str, int]:
    with open_store(path, read_only=True) as store:
        return {each.category: each.lines for each in category_counts(store, name)}


@pytest.mark.slow
def test_the_only_set_and_then_the_one_used_last_are_gone_on_with(phrasebook: Path) -> None:
    async def show(pilot: Pilot[None], screen: CorpusScreen) -> None:
        screen.search.open_words(SearchRequest("beer", lang="eng", kwic=True))
        await settled(pilot)
        await press(pilot, "c")

    async def first(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "v", "C")
        await fill(pilot, set="senses")
        await show(pilot, screen)
        assert "(of the set senses)" in screen_text(pilot.app), "the one used last"
        await type_in(pilot, "drink")
        await press(pilot, "enter")

    async def later(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await show(pilot, screen)
        assert "(of the set senses)" in screen_text(pilot.app), "the only one"

    run(phrasebook, first)
    assert stored(phrasebook, "senses") == {"drink": 1}
    run(phrasebook, later)


@pytest.mark.slow
async def test_lines_get_categories(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "c")
        assert is_error(screen)
        assert "v shows them" in status(screen)
        await press(pilot, *"modelpw")  # what is typed ahead, for a name, begins no session
        assert isinstance(pilot.app.screen, DetailsDialog)
        await press(pilot, "enter")
        await press(pilot, "v", "c")
        assert "/ and a pattern find some" in status(screen)
        await press(pilot, "escape", "v")
        screen.search.search_for("beer", "eng")
        await settled(pilot)
        await press(pilot, "v", "c", "enter")
        assert "! '' is not a name for a category" in screen_text(pilot.app)
        await type_in(pilot, "drink")
        await press(pilot, "enter")
        assert stored(phrasebook) == {"drink": 1}
        assert screen.hits.cursor == 1
        assert screen.hits.lines()[0].startswith("drink  ")
        assert screen.hits.lines()[1].startswith("       ")
        await press(pilot, "c")
        await type_in(pilot, "brand")
        await press(pilot, "enter", "space", "space", "c", "1")
        assert stored(phrasebook) == {"drink": 3, "brand": 1}
        assert not screen.hits.selected
        await press(pilot, "u")
        assert status(screen) == "2 lines as before"
        assert stored(phrasebook) == {"drink": 1, "brand": 1}
        await press(pilot, "g", "c", "down", "enter")
        assert stored(phrasebook) == {"brand": 2}
        await press(pilot, "g", "c", "0")
        assert stored(phrasebook) == {"brand": 1}
        await press(pilot, "c", "escape")
        assert stored(phrasebook) == {"brand": 1}


@pytest.mark.slow
async def test_digits_that_are_typed_at_once_are_for_one_line_each(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("please", lang="eng", kwic=True))
        await settled(pilot)
        for name in ("drink", "longer-than-its-column"):
            await press(pilot, "c")
            await type_in(pilot, name)
            await press(pilot, "enter")
        assert len({line.casefold().index("please", 12) for line in screen.hits.lines()}) == 1, "no name moves them"
        for key in "c1c2c1c2":
            pilot.app.post_message(Key(key, key))
        await until(pilot, lambda: screen.hits.cursor == 6, "the line after the last one")
        assert stored(phrasebook) == {"drink": 3, "longer-than-its-column": 3}


@pytest.mark.slow
async def test_a_name_that_is_refused_is_not_promised(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("beer", lang="eng", kwic=True))
        await settled(pilot)
        await press(pilot, "c")
        await type_in(pilot, "1C")
        assert "Enter gives" not in screen_text(pilot.app) and "! '1C' cannot be a category" in screen_text(pilot.app)
        await press(pilot, "ctrl+u")
        await type_in(pilot, "C")
        assert "Enter gives the new category C" in screen_text(pilot.app)


@pytest.mark.slow
async def test_a_space_goes_back_to_the_set_that_is_stored(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("beer", lang="eng", kwic=True))
        await settled(pilot)
        await press(pilot, "c")
        await type_in(pilot, "drink")
        await press(pilot, "enter", "C")
        await fill(pilot, set="sense")
        await press(pilot, "C", "space")
        line = pilot.app.screen.query_one("#set", Input)
        assert line.value == "categories", "the name that was there was selected, and no blank takes its place"
        await press(pilot, "ctrl+u")
        await type_in(pilot, "my")
        assert "space choose" not in screen_text(pilot.app)
        await type_in(pilot, " set")
        assert line.value == "my set"
        await press(pilot, "home", "shift+end")
        assert "space choose" in screen_text(pilot.app)


async def test_the_cursor_goes_to_the_line_that_was_taken_back(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("beer", lang="eng", kwic=True))
        await settled(pilot)
        await press(pilot, "down", "c")
        await type_in(pilot, "drink")
        await press(pilot, "enter")
        assert screen.hits.cursor == 2
        await press(pilot, "u")
        assert screen.hits.cursor == 1
        assert stored(phrasebook) == {}


@pytest.mark.slow
async def test_another_search_another_set_and_a_file(phrasebook: Path, tmp_path: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("beer", "eng")
        await settled(pilot)
        await press(pilot, "v", "c")
        await type_in(pilot, "drink")
        await press(pilot, "enter")
        screen.search.open_words(screen.search.words.with_mode("word"))
        await settled(pilot)
        assert screen.hits.lines()[0].startswith("drink  ")
        await press(pilot, "C")
        assert "Sets of categories: categories (1 line)" in screen_text(pilot.app)
        await fill(pilot, set=" ")
        assert "no categories are shown" in screen_text(pilot.app) and not screen.search.words.categories
        await press(pilot, "C")
        await fill(pilot, set="senses")
        assert "categories of senses" in screen_text(pilot.app)
        assert not screen.hits.lines()[0].startswith("drink")
        await press(pilot, "u")
        assert is_error(screen)
        await press(pilot, "g", "c")
        assert isinstance(pilot.app.screen, CategoryDialog)
        assert pilot.app.screen.lines() == ["Which category for 1 line? (of the set senses)"]
        await type_in(pilot, "x")
        await press(pilot, "enter")
        with open_store(phrasebook, read_only=True) as store:
            (one,), (other,) = categories_of(store, "senses"), categories_of(store, "categories")
        assert one == other


@pytest.mark.slow
async def test_lines_are_sorted_counted_and_chosen_by_their_categories(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("beer", "eng")
        await settled(pilot)
        kinds, counted = sortings(screen.search.words), countings(screen.search.words)
        await press(pilot, "b", "g", *["j"] * counted.index("category"), "enter")
        assert "no line has a category yet" in status(screen)
        await press(pilot, "v")
        everything = screen.hits.count
        for keys, name in ((("j", "j"), "zest"), (("j",), "drink")):
            await press(pilot, "g", *keys, "c")
            await type_in(pilot, name)
            await press(pilot, "enter")
        await press(pilot, "s", "g", *["j"] * kinds.index("category"), "enter")
        assert [line.split()[0] for line in screen.hits.lines()[:2]] == ["drink", "zest"]
        await press(pilot, "b", "g", *["j"] * counted.index("category"), "enter")
        told = {line.split()[-1]: int(line.split()[0]) for line in screen.hits.lines()}
        assert told == {"(none)": everything - 2, "drink": 1, "zest": 1}
        await press(pilot, "j", "enter")
        assert status(screen) == "1 line: the category of the line is drink"
        await press(pilot, "q", "q", "f")
        await fill(pilot, category="nothing")
        assert "! no line has the category 'nothing'; there are" in screen_text(pilot.app)
        await fill(pilot, category="zest")
        assert [line.split()[0] for line in screen.hits.lines()] == ["zest"]
        assert "only: category zest" in screen_text(pilot.app)
        await press(pilot, "f")
        await fill(pilot, length="90-99")
        assert "No sentence holds this and fulfils the conditions: " in screen_text(pilot.app)
        assert "F no filter" in screen_text(pilot.app)
        await press(pilot, "F")
        assert screen.hits.count == everything


# Results that are kept, in the corpus place: taken and offered where collections are.


@pytest.mark.slow
async def test_a_result_is_taken_and_offered_as_a_collection(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        kept = keep_found(store, "AB", SearchRequest("coffee", lang="eng"), "coffee")

    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "l")
        assert screen.search.words.lang != "eng"
        await press(pilot, "f")
        pilot.app.screen.query_one("#collection").focus()
        await press(pilot, "space", "space")
        assert pilot.app.screen.query_one("#collection", Input).value == "AB"
        await press(pilot, "escape", "f")
        await fill(pilot, collection="AC")
        assert "there is no collection 'AC'; there are phrasebook, and of results AB" in screen_text(pilot.app)
        await fill(pilot, collection="AB")
        assert pilot.app.screen is screen
        # A result is of one language, and there it is shown.
        assert (screen.search.words.lang, screen.hits.count) == ("eng", kept)


@pytest.mark.slow
async def test_what_is_found_is_kept_under_a_name(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("coffee", "eng")
        await settled(pilot)
        found = screen.hits.count
        await press(pilot, "w")
        await fill(pilot, result="A")
        assert "'A' is kept" in status(screen)
        await press(pilot, "w")
        await fill(pilot, name="mine", result="A")
        assert "! there is a result 'A' already" in screen_text(pilot.app)
        await press(pilot, "escape")
        screen.search.search_for("", "fra")
        await settled(pilot)
        await press(pilot, "f")
        await fill(pilot, collection="A")
        assert (screen.search.words.lang, screen.hits.count) == ("eng", found)
        screen.search.search_for("such a thing is not there", "eng")
        await settled(pilot)
        await press(pilot, "w")
        await fill(pilot, name="none", result="N")
        assert "! nothing is found, and nothing is kept" in screen_text(pilot.app)
    with open_store(phrasebook, read_only=True) as store:
        kept = stored_selections(store)
        assert [(each.name, each.language) for each in kept] == [("A", "eng")]
        assert "coffee" in kept[0].parameters["query"]
        assert saved_queries(store) == []
