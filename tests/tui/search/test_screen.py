"""The corpus place: searching while one types, its conditions, a new one among them, and searches with an error."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pytest
from corpus_pilots import corpus_place, fill, is_error, run, status, texts, type_in
from pilots import press, screen_text, settled, until
from textual.events import Key
from textual.pilot import Pilot

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.options import FormLine, Option
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.queries.names import saved_queries
from corpusdb.corpus.store import open_store
from corpusdb.corpus.store.user_history import recall
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.conditions import Candidates, Condition, Search
from corpusdb.search.queries.request import Meaning, SearchRequest
from tui.kit.dialogs import ChoiceDialog, FormDialog
from tui.search.forms import conditions, filter_fields, filtered
from tui.search.results import SearchJob, SentencePane
from tui.search.screen import CorpusScreen


async def test_results_while_typing(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        everything = screen.hits.count
        assert everything == len(texts(phrasebook, Search("eng")))
        await press(pilot, "slash")
        for count in range(1, len("pillow") + 1):
            await type_in(pilot, "pillow"[count - 1])
            assert screen.hits.lines() == texts(phrasebook, SearchRequest("pillow"[:count]).search("eng"))
        assert status(screen) == f"{screen.hits.count:,} sentences"
        assert screen.lines()[:3] == [
            "eng string any case: pillow",
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


async def test_keys_that_follow_an_error_of_what_is_typed_are_typed_too(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "m", "m", "slash")
        pattern = "(pillow|towel)s"
        for character in pattern:  # all at once, as a line that lags has them: each beginning is no regex
            pilot.app.post_message(Key(character, character))
        await until(pilot, lambda: screen.head.line.value == pattern, "the whole pattern")


async def test_what_is_found_while_the_browser_ends_is_no_fault(
    phrasebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with corpus_place(phrasebook) as (_, screen):
        runner = screen.shell.runner
        read = runner.read_in_steps

        async def read_late(*asked: Any) -> Any:
            found = await read(*asked)
            is_found.set()
            while screen.query("#hits"):
                await asyncio.sleep(0)
            reached.append(screen.is_attached)
            return found

        reached: list[bool] = []
        is_found = asyncio.Event()
        monkeypatch.setattr(runner, "read_in_steps", read_late)
        screen.search.job = SearchJob(screen.search.words, None)
        shown = asyncio.create_task(screen.search._run(screen.search.job))  # a worker would be ended with its screen
        await is_found.wait()  # what is still read when the browser ends is stopped
    await shown
    assert reached == [True]


@pytest.mark.slow
async def test_a_sample_is_of_its_query_and_not_of_one_that_another_place_opens_or_comes_back(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("ticket", "eng", "word")
        await settled(pilot)
        everything = screen.hits.count
        for open_again in (
            partial(screen.search.search_for, "ticket", "eng", "word"),
            partial(screen.search.come_back, screen.search.languages),
        ):
            await press(pilot, "S")
            await fill(pilot, sample="2")
            assert screen.hits.count == 2 < everything
            await press(pilot, "e")
            assert "Export the lines of the sample" in screen_text(pilot.app)
            await press(pilot, "escape")
            open_again()
            await settled(pilot)
            assert screen.search.words.pattern == "ticket" and screen.search.words.sample is None
            assert screen.hits.count == everything


async def test_the_match_is_marked_without_colour(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("pillow", "eng")
        await settled(pilot)
        rows = screen.hits._row_text(0)
        marked = [rows.plain[span.start : span.end] for span in rows.spans if "bold underline" in str(span.style)]
        assert marked == ["pillow"]


@pytest.mark.slow
async def test_modes_and_case(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "slash")
        await type_in(pilot, "may")
        assert screen.lines()[0] == "eng string any case: may"  # it has no capital
        await press(pilot, "enter", "i")
        assert screen.lines()[0] == "eng string: may"
        assert not any(text.startswith("May ") for text in screen.hits.lines())
        await press(pilot, "i")
        assert any(text.startswith("May ") for text in screen.hits.lines())
        await press(pilot, "m")
        assert screen.hits.lines() == texts(phrasebook, SearchRequest("may", word=True, ignore_case=True).search("eng"))
        await press(pilot, "m", "m")
        assert screen.search.words.mode == "cqp"
        assert not screen.search.words.ignore_case
        assert is_error(screen), "may is not a CQP query"
        await press(pilot, "i")
        assert "%c" in status(screen)
        await press(pilot, "m")
        assert screen.lines()[0] == "eng string any case: may"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "mode"), [('[word = "pillow"]', "cqp"), pytest.param("pillow", "substring", marks=pytest.mark.slow)]
)
async def test_a_query_typed_where_another_place_asked_for_one_stays_a_query(
    phrasebook: Path, typed: str, mode: str
) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for('"another" "pillow"', "eng", "cqp")
        await settled(pilot)
        await press(pilot, "slash")
        await type_in(pilot, typed)
        assert screen.search.words.mode == mode and screen.hits.count


@pytest.mark.parametrize(
    ("presses", "pattern", "message", "shown"),
    [
        (2, "(ticket", "the search has an error", "\n  the regular expression"),
        pytest.param(
            *(3, '"ticket', "the search has an error at character 1", '\n  "ticket\n  ^\n'), marks=pytest.mark.slow
        ),
        pytest.param(
            *(3, '"ticket" [wrd', "at character 14", '\n  "ticket" [wrd\n               ^\n'), marks=pytest.mark.slow
        ),
        (3, '"切符" )', "at character 6", '\n  "切符" )\n         ^\n'),  # the caret in terminal cells
    ],
)
async def test_what_cannot_be_searched_for_has_no_rows_of_other_words(
    phrasebook: Path, presses: int, pattern: str, message: str, shown: str
) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
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


async def test_a_search_that_is_left_before_it_is_over_goes_into_the_history_when_it_is(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "slash")
        screen.head.line.value = "ticket"
        await pilot.press("enter")
        await settled(pilot)
        assert [(entry.options["pattern"], entry.total) for entry in recall(phrasebook)] == [
            ("ticket", screen.hits.count)
        ]


@pytest.mark.slow
async def test_cqp_over_the_screen(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "m", "m", "m", "slash")
        await type_in(pilot, '"May" "I" []')
        assert screen.hits.lines() == texts(phrasebook, Search("eng", Pattern('"May" "I" []', "cqp")))
        assert screen.hits.count > 10


async def test_languages(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "l")
        assert screen.search.words.lang == "fra"
        await press(pilot, "L")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await press(pilot, "j", "j", "enter")
        assert screen.search.words.lang == "jpn"
        assert screen.hits.lines() == texts(phrasebook, Search("jpn"))
        await press(pilot, "L", "q", "l")
        assert screen.search.words.lang == "eng"
        for shown, after in (("fra", ""), ("fra,jpn", "fra,jpn"), ("all", "")):
            await press(pilot, "T")
            await fill(pilot, shown=shown)
            screen.search.use_language("fra")
            assert screen.search.words.shown == after, "none is shown into the language itself"
            screen.search.use_language("eng")


@pytest.mark.slow
async def test_filters(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("ticket", "eng")
        await settled(pilot)
        await press(pilot, "f", "down", "down", "up")
        await fill(
            pilot, collection="any", length="3-5", paraphrased="yes", translated="fr", aligned="ja:切符;fra:billet"
        )
        expected = SearchRequest(
            "ticket", length="3-5", paraphrased=True, translated="fr", aligned=("ja:切符", "fra:billet")
        )
        assert screen.hits.lines() == texts(phrasebook, expected.search("eng"))
        assert 0 < screen.hits.count < len(texts(phrasebook, SearchRequest("ticket").search("eng")))
        assert screen.lines()[1].startswith("only: length 3-5, paraphrased, with fr, ja:切符, fra:billet")
        assert "only: length 3-5, paraphrased" in screen_text(pilot.app)
        await press(pilot, "F")
        assert screen.search.words == SearchRequest("ticket", lang="eng", words_only=True)


@pytest.mark.slow
def test_a_filter_that_makes_no_sense_stays_open(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        def top() -> object:
            return pilot.app.screen

        def collection() -> str:
            form = top()
            assert isinstance(form, FormDialog)
            return form.lines()[2]

        await press(pilot, "f")
        await fill(pilot, length="many")
        assert "! 'many' is not a length" in screen_text(pilot.app)
        await press(pilot, "escape")
        assert top() is screen
        assert screen.search.words == SearchRequest(lang="eng", words_only=True)
        await press(pilot, "f")
        pilot.app.screen.query_one("#collection").focus()
        await press(pilot, "space")
        assert collection() == "Collection: phrasebook"
        await press(pilot, "space")
        assert collection() == "Collection: "
        await press(pilot, "ctrl+g")
        assert top() is screen

    run(phrasebook, script)


@pytest.mark.slow
async def test_a_collection_that_is_not_there(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        before = screen.hits.count
        await press(pilot, "f")
        form = pilot.app.screen
        await fill(pilot, collection="x")
        assert pilot.app.screen is form  # where it can be mended
        assert "! there is no collection 'x'; there are phrasebook" in screen_text(pilot.app)
        await fill(pilot, collection="phrasebook")
        assert pilot.app.screen is screen
        assert (screen.hits.count, screen.search.words.collection) == (before, "phrasebook")


async def test_an_empty_corpus(tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db", create=True).close()

    async with corpus_place(tmp_path / "empty.db") as (pilot, screen):
        assert "The corpus is empty" in screen_text(pilot.app)
        await press(pilot, "l", "v", "s", "i", "m", "d", "p", "e", "enter")
        assert "The corpus is empty" in screen_text(pilot.app) or screen.hits.count == 0


# A search with an error in it stays to be mended, and is not saved; a new one knows what has come meanwhile.


FAULT = '[word="coffee"'


@pytest.mark.slow
async def test_enter_stays_in_the_line_while_the_search_has_an_error(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
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


async def test_enter_before_the_error_is_known_comes_back_to_the_line(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await until(pilot, lambda: screen.search.words.cqp, "the mode of CQP", "m")
        await press(pilot, "slash")
        screen.head.line.value = FAULT
        screen.head.line.action_results()
        await settled(pilot)
        assert screen.search.fault and pilot.app.focused is screen.head.line


@pytest.mark.slow
async def test_a_search_with_an_error_is_not_saved(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await until(pilot, lambda: screen.search.words.cqp, "the mode of CQP", "m")
        await press(pilot, "slash")
        await type_in(pilot, FAULT)
        await press(pilot, "escape", "w")
        assert pilot.app.screen is screen
        assert is_error(screen) and status(screen).startswith("a query with an error is not saved")
    with open_store(phrasebook, read_only=True) as store:
        assert saved_queries(store) == []


async def test_the_name_is_quoted_for_a_shell(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "w")
        await fill(pilot, name="two words")
        assert "`corpusdb run 'two words'`" in status(screen)


@pytest.mark.slow
async def test_a_search_that_is_begun_counts_what_came_meanwhile(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "more.tsv"
    file.write_text("Nobody said this before.\tPersonne.\n")

    async with corpus_place(small) as (pilot, screen):
        await until(pilot, lambda: screen.search.words.lang == "eng", "English", "l")
        before = screen.hits.count
        await press(pilot, "j", "j")
        with open_store(small) as store:
            sources = open_sources("tsv", [file], Options(languages=("eng", "fra")))
            finished(import_files(store, sources, "more", "CC0-1.0"))
        await press(pilot, "slash")
        assert screen.hits.count == before + 1
        assert f"{before + 1:,}" in screen_text(pilot.app)
        assert screen.hits.cursor == 2
        assert pilot.app.focused is screen.head.line


# A search condition that only this test knows, in the browser: its line in the form, its summary, its kept query.


@dataclass(frozen=True, slots=True)
class AtMost(Condition):
    """The sentence has at most some number of characters."""

    characters: int

    def narrow(self, candidates: Candidates) -> Candidates:
        return candidates.where(lambda text: len(text) <= self.characters)


def _at_most(request: Request) -> Iterable[Condition]:
    return [AtMost(request.most)] if request.most is not None else []


@dataclass(frozen=True, slots=True)
class Request(SearchRequest):
    """A search request with one condition more."""

    most: Annotated[
        int | None,
        Option("At most this many characters.", metavar="N"),
        FormLine("Most characters", "a number", "at most {}"),
        Meaning(_at_most),
    ] = None


@pytest.mark.slow
async def test_the_form_has_a_line_for_it(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.change(Request(lang="eng"))
        await settled(pilot)
        everything = screen.hits.count
        await press(pilot, "f")
        assert "Most characters" in screen_text(pilot.app)
        await fill(pilot, most="many")
        assert "most characters: a whole number or nothing, not 'many'" in screen_text(pilot.app)
        await fill(pilot, most="10")
        assert screen.search.words == Request(lang="eng", most=10)
        assert 0 < screen.hits.count < everything
        assert all(len(text) <= 10 for text in screen.hits.lines())
        assert screen.lines()[1].startswith("only: at most 10 |")
        await press(pilot, "w")
        await fill(pilot, name="short")
        assert "saved" in status(screen)
        await press(pilot, "F")
        assert screen.hits.count == everything
        await press(pilot, "o")
        assert "saved short  " in screen_text(pilot.app)
        await press(pilot, "enter")
        assert screen.search.words == Request(lang="eng", most=10, limit=0)


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (Request(most=3), ["at most 3"]),
        (Request(ignore_width=True, aligned=("fra:a",)), ["any width", "fra:a"]),
        (Request(paraphrased=False, not_aligned=("fra:{}", "jpn:b")), ["unparaphrased", "not fra:{}", "not jpn:b"]),
        (Request(paraphrased=True, translated="fra", most=0), ["paraphrased", "with fra", "at most 0"]),
    ],
)
def test_what_is_said_of_conditions_and_comes_back_from_the_form(words: Request, texts: list[str]) -> None:
    assert conditions(words) == texts
    fields = filter_fields(words, ("fra", "jpn"), ("a",))
    assert [field.name for field in fields][-1] == "most"
    assert filtered(Request(), {field.name: field.value for field in fields}) == words


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("paraphrased", "maybe", "has paraphrases: yes, no, or nothing, not 'maybe'"),
        ("ignore_width", "no", "ignore width, .*: yes or nothing, not 'no'"),
        ("most", "-3", "most characters: a whole number or nothing, not '-3'"),
    ],
)
def test_texts_that_are_no_conditions(name: str, text: str, reason: str) -> None:
    values = {field.name: field.value for field in filter_fields(Request(), (), ())}
    with pytest.raises(UsageError, match=reason):
        filtered(Request(), values | {name: text})
