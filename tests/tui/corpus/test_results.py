"""Results that are kept, in the corpus place: taken and offered where collections are."""

from __future__ import annotations

from pathlib import Path

from corpus_pilots import fill, press, run, status
from pilots import screen_text, settled
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.store import open_store
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import keep_found, stored_selections
from corpusdb.search.queries.saved_queries import saved_queries
from tui.search.screen import CorpusScreen


def test_a_result_is_taken_and_offered_as_a_collection(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        kept = keep_found(store, "AB", SearchRequest("coffee", lang="eng"), "coffee")

    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
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

    run(phrasebook, script)


def test_what_is_found_is_kept_under_a_name(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
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

    run(phrasebook, script)
    with open_store(phrasebook, read_only=True) as store:
        kept = stored_selections(store)
        assert [(each.name, each.language) for each in kept] == [("A", "eng")]
        assert "coffee" in kept[0].parameters["query"]
        assert saved_queries(store) == []
