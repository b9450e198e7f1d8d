"""Categories and results that are kept, in the corpus place."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_pilots import corpus_place, fill, is_error, run, status, type_in
from pilots import press, screen_text, settled
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.queries.names import saved_queries
from corpusdb.corpus.store import open_store
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import categories_of, category_counts, keep_found, stored_selections
from tui.kit.dialogs import DetailsDialog
from tui.search.dialogs import CategoryDialog
from tui.search.screen import CorpusScreen

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
        assert "in the set senses" in screen_text(pilot.app), "the one used last"
        await type_in(pilot, "drink")
        await press(pilot, "enter")

    async def later(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await show(pilot, screen)
        assert "in the set senses" in screen_text(pilot.app), "the only one"

    run(phrasebook, first)
    assert stored(phrasebook, "senses") == {"drink": 1}
    run(phrasebook, later)


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
        before = screen.hits.lines()
        await press(pilot, "v", "c")
        await press(pilot, "enter")
        assert "! '' is no name for a category" in screen_text(pilot.app)
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
        screen.search.search_for("serve draft", "eng")
        await settled(pilot)
        assert len(before) > screen.hits.count == 1


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
        assert "is no name for a set of categories" in screen_text(pilot.app)
        await fill(pilot, set="senses")
        assert "categories: senses" in screen_text(pilot.app)
        assert not screen.hits.lines()[0].startswith("drink")
        await press(pilot, "u")
        assert is_error(screen)
        await press(pilot, "g", "c")
        assert isinstance(pilot.app.screen, CategoryDialog)
        assert pilot.app.screen.lines() == ["Category of 1 line in the set senses"]
        await type_in(pilot, "x")
        await press(pilot, "enter")
        with open_store(phrasebook, read_only=True) as store:
            (one,), (other,) = categories_of(store, "senses"), categories_of(store, "categories")
        assert one == other


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
        await press(pilot, "pagedown", "pagedown")
        assert pilot.app.screen.query_one("#collection", Input).value == "AB"
        await press(pilot, "escape", "f")
        await fill(pilot, collection="AC")
        assert "there is no collection 'AC'; there are phrasebook, and of results AB" in screen_text(pilot.app)
        await fill(pilot, collection="AB")
        assert pilot.app.screen is screen
        # A result is of one language, and there it is shown.
        assert (screen.search.words.lang, screen.hits.count) == ("eng", kept)


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
