"""The corpus place: searching while one types, its modes, languages and conditions."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_pilots import fill, is_error, press, run, status, texts, type_in
from pilots import screen_text, settled
from textual.pilot import Pilot

from corpusdb.corpus.store import open_store
from corpusdb.corpus.store.user_history import recall
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Search
from tui.kit.dialogs import ChoiceDialog, FormDialog
from tui.search.results import SentencePane
from tui.search.screen import CorpusScreen


def test_results_while_typing(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        everything = screen.hits.count
        assert everything == len(texts(phrasebook, Search("eng")))
        await press(pilot, "slash")
        for count in range(1, len("pillow") + 1):
            await type_in(pilot, "pillow"[count - 1])
            assert screen.hits.lines() == texts(phrasebook, SearchRequest("pillow"[:count]).search("eng"))
        assert status(screen) == f"{screen.hits.count:,} sentences"
        assert screen.lines()[:3] == [
            "eng substring any case: pillow",
            "no conditions | translations: all",
            status(screen),
        ]
        found = screen.hits.text_of(0)
        assert f"> {found}" in screen_text(pilot.app)
        assert found in screen.query_one("#detail", SentencePane).text.plain
        await press(pilot, "enter")
        assert pilot.app.focused is screen.hits
        await press(pilot, "slash", "down")
        assert pilot.app.focused is screen.hits
        await press(pilot, "slash", "escape")
        assert pilot.app.focused is screen.hits

    run(phrasebook, script)


def test_the_match_is_marked_without_colour(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        screen.search.search_for("pillow", "eng")
        await settled(pilot)
        rows = screen.hits._row_text(0)
        marked = [rows.plain[span.start : span.end] for span in rows.spans if "bold underline" in str(span.style)]
        assert marked == ["pillow"]

    run(phrasebook, script)


def test_modes_and_case(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "slash")
        await type_in(pilot, "may")
        assert screen.lines()[0] == "eng substring any case: may"  # it has no capital
        await press(pilot, "enter", "i")
        assert screen.lines()[0] == "eng substring: may"
        assert not any(text.startswith("May ") for text in screen.hits.lines())
        await press(pilot, "i")
        assert any(text.startswith("May ") for text in screen.hits.lines())
        await press(pilot, "m")
        assert screen.hits.lines() == texts(phrasebook, SearchRequest("may", word=True, ignore_case=True).search("eng"))
        await press(pilot, "m", "m")
        assert screen.search.words.mode == "cqp"
        assert not screen.search.words.ignore_case
        assert is_error(screen), "may is no CQP query"
        await press(pilot, "i")
        assert "%c" in status(screen)
        await press(pilot, "m")
        assert screen.lines()[0] == "eng substring any case: may"

    run(phrasebook, script)


@pytest.mark.parametrize(
    ("presses", "pattern", "message", "shown"),
    [
        (2, "(ticket", "missing ), unterminated subpattern", "\n  the regular expression"),
        (3, '"ticket', "closing", '\n  "ticket\n  ^\n'),
        (3, '"ticket" [wrd', "at character 14", '\n  "ticket" [wrd\n               ^\n'),
        (3, '"切符" )', "at character 6", '\n  "切符" )\n         ^\n'),  # the caret in terminal cells
    ],
)
def test_what_cannot_be_searched_for_has_no_rows_of_other_words(
    phrasebook: Path, presses: int, pattern: str, message: str, shown: str
) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, *["m"] * presses, "slash")
        screen.head.line.value = pattern
        await settled(pilot)
        assert is_error(screen)
        assert message in status(screen)
        assert "\n" not in status(screen)
        assert screen.hits.lines() == [] and screen.results.chosen_texts() == []
        assert shown in screen_text(pilot.app)
        await press(pilot, "enter")
        assert screen.focused is screen.head.line, "a faulty search stays in its line"
        await press(pilot, "escape", "enter", "p")  # nothing there to be opened
        assert pilot.app.screen is screen
        assert recall(phrasebook) == []
        await press(pilot, "slash", "end", "left_parenthesis")  # the line can still be typed in
        assert screen.head.line.value == pattern + "("
        await press(pilot, "escape", "slash", "x")  # and what is typed at once takes its place
        assert screen.head.line.value == "x"

    run(phrasebook, script)


def test_a_search_that_is_left_before_it_is_over_goes_into_the_history_when_it_is(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "slash")
        screen.head.line.value = "ticket"
        await pilot.press("enter")
        await settled(pilot)
        assert [(entry.options["pattern"], entry.total) for entry in recall(phrasebook)] == [
            ("ticket", screen.hits.count)
        ]

    run(phrasebook, script)


def test_cqp_over_the_screen(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "m", "m", "m", "slash")
        await type_in(pilot, '"May" "I" []')
        assert screen.hits.lines() == texts(phrasebook, Search("eng", Pattern('"May" "I" []', "cqp")))
        assert screen.hits.count > 10

    run(phrasebook, script)


def test_languages(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "l")
        assert screen.search.words.lang == "fra"
        await press(pilot, "L")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await press(pilot, "j", "j", "enter")
        assert screen.search.words.lang == "jpn"
        assert screen.hits.lines() == texts(phrasebook, Search("jpn"))
        await press(pilot, "L", "q", "l")
        assert screen.search.words.lang == "eng"

    run(phrasebook, script)


def test_filters(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        screen.search.search_for("ticket", "eng")
        await settled(pilot)
        await press(pilot, "f", "down", "down", "up")
        await fill(pilot, length="3-5", paraphrased="yes", translated="fr", aligned="ja:切符;fra:billet")
        expected = SearchRequest(
            "ticket", length="3-5", paraphrased=True, translated="fr", aligned=("ja:切符", "fra:billet")
        )
        assert screen.hits.lines() == texts(phrasebook, expected.search("eng"))
        assert 0 < screen.hits.count < len(texts(phrasebook, SearchRequest("ticket").search("eng")))
        assert screen.lines()[1].startswith("only: length 3-5, paraphrased, with fr, ja:切符, fra:billet")
        assert "only: length 3-5, paraphrased" in screen_text(pilot.app)
        await press(pilot, "F")
        assert screen.search.words == SearchRequest("ticket", lang="eng")

    run(phrasebook, script)


def test_a_filter_that_makes_no_sense_stays_open(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        def top() -> object:
            return pilot.app.screen

        def collection() -> str:
            form = top()
            assert isinstance(form, FormDialog)
            return form.lines()[1]

        await press(pilot, "f")
        await fill(pilot, length="many")
        assert "! 'many' is no length" in screen_text(pilot.app)
        await press(pilot, "escape")
        assert top() is screen
        assert screen.search.words == SearchRequest(lang="eng")
        await press(pilot, "f")
        pilot.app.screen.query_one("#collection").focus()
        await press(pilot, "pagedown")
        assert collection() == "Collection: phrasebook"
        await press(pilot, "pageup")
        assert collection() == "Collection: "
        await press(pilot, "ctrl+g")
        assert top() is screen

    run(phrasebook, script)


def test_a_collection_that_is_not_there(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        before = screen.hits.count
        await press(pilot, "f")
        form = pilot.app.screen
        await fill(pilot, collection="x")
        assert pilot.app.screen is form  # where it can be mended
        assert "! there is no collection 'x'; there are phrasebook" in screen_text(pilot.app)
        await fill(pilot, collection="phrasebook")
        assert pilot.app.screen is screen
        assert (screen.hits.count, screen.search.words.collection) == (before, "phrasebook")

    run(phrasebook, script)


def test_an_empty_corpus(tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db", create=True).close()

    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        assert "The corpus is empty" in screen_text(pilot.app)
        await press(pilot, "l", "v", "s", "i", "m", "d", "p", "e", "enter")
        assert "The corpus is empty" in screen_text(pilot.app) or screen.hits.count == 0

    run(tmp_path / "empty.db", script)
