"""Frequencies, collocates and keywords: their rows are those of the commands, and lead to lines and translations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

import pytest
from corpora import import_file, import_rows, new_store, write_rows
from pilots import press, screen_text, settled
from textual.pilot import Pilot

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import open_store
from corpusdb.search.queries.collocations import Neighbourhood, collocates
from corpusdb.search.queries.frequencies import Count, Keyness, KeywordComparison, frequency_list, keywords
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import keep_found
from corpusdb.search.queries.search import Searcher
from corpusdb.search.queries.token_selection import TokenSelection
from tui.app import Browser
from tui.kit.settings import BrowserSettings
from tui.kit.shown import RowList
from tui.search.lexicon import FigureLayout, LexiconQuestion, LexiconScreen, find_keywords
from tui.search.screen import CorpusScreen

TOKENS = TokenSelection("eng", fold_case=True, words_only=True)


@asynccontextmanager
async def lexicon(path: Path, *keys: str) -> AsyncIterator[Pilot[None]]:
    browser = Browser(path, BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, *keys)
        yield pilot


def words(pilot: Pilot[None]) -> list[str]:
    return [word for word, _ in cast("LexiconScreen", pilot.app.screen).answer.rows]


async def test_frequencies_are_those_of_the_command_and_lead_to_their_lines(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        every, pairs = (frequency_list(store, Count(TOKENS, n=n), 10_000) for n in (1, 2))
    async with lexicon(phrasebook, "3") as pilot:
        assert "3[Words]" in screen_text(pilot.app) and "[Frequencies]" in screen_text(pilot.app)
        assert words(pilot) == [row.text for row in every.rows]
        await press(pilot, "plus")
        assert words(pilot) == [row.text for row in pairs.rows]
        assert f"{pairs.rows[0].count:,}" in screen_text(pilot.app)
        await press(pilot, "minus", "minus", "slash", *"^beers?$", "enter")
        assert set(words(pilot)) == {"beer", "beers"}
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CorpusScreen)
        words_asked = pilot.app.screen.search.words
        assert (words_asked.pattern, words_asked.mode, words_asked.kwic) == ("beer", "word", True)
        count = next(row.count for row in every.rows if row.text == "beer")
        assert f"{count} lines" in screen_text(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["", "r"])
async def test_each_sequence_leads_to_as_many_lines_as_it_has_in_the_list(phrasebook: Path, keys: str) -> None:
    """Also where a sentence has no space between its words: don't, c'est."""
    async with lexicon(phrasebook, "3", "plus", *keys) as pilot:
        screen = cast("LexiconScreen", pilot.app.screen)
        for language, text in (("eng", "n't|'"), ("fra", "^[a-z]+['’] ")):
            screen.look(replace(screen.asked, language=language, text=text))
            await settled(pilot)
            assert screen.answer.rows, language
            for row in range(min(3, len(screen.answer.rows))):
                screen.query_one(RowList).cursor = row
                await press(pilot, "enter")
                place = pilot.app.screen
                assert isinstance(place, CorpusScreen) and place.results.rows.count
                assert place.results.rows.count == screen.answer.rows[row][1][0]
                await press(pilot, "3")


async def test_what_is_counted_of_a_language_without_spaces_is_called_characters(phrasebook: Path) -> None:
    async with lexicon(phrasebook, "3", "l", "l") as pilot:
        shown = screen_text(pilot.app)
        assert "characters, " in shown and "; ! annotate makes words" in shown
        assert shown.splitlines()[5].split()[0] == "character"
        await press(pilot, "l")
        assert "characters" not in screen_text(pilot.app)


async def test_what_was_found_before_neither_stands_nor_opens_while_another_question_is_counted(
    phrasebook: Path,
) -> None:
    async with lexicon(phrasebook, "3") as pilot:
        screen = cast("LexiconScreen", pilot.app.screen)
        for text, comes in (("(", "! "), ("beer", "beer")):
            screen.type_in(text)
            assert screen.query_one(RowList).count == 0 and screen.lines()[0] == "counting ..."
            with pytest.raises(UsageError, match="no word here"):
                screen.word  # noqa: B018 - raises
            await settled(pilot)
            assert any(line.startswith(comes) for line in screen.lines())


@pytest.mark.slow
async def test_a_pattern_that_is_none_is_said(phrasebook: Path) -> None:
    async with lexicon(phrasebook, "3", "slash", "left_parenthesis", "enter") as pilot:
        assert "! " in screen_text(pilot.app)


async def test_collocates_are_those_of_the_command_and_lead_to_where_both_stand(phrasebook: Path) -> None:
    with open_store(phrasebook, read_only=True) as store:
        found = collocates(store, Neighbourhood(TOKENS, "beer", least=2), "mi", 10_000)
    async with lexicon(phrasebook, "f3") as pilot:
        assert "/ types a word" in screen_text(pilot.app)
        await press(pilot, "slash", *"beer", "enter", "m")
        assert words(pilot) == [row.text for row in found.rows]
        assert f"beer occurs {found.nodes} times" in screen_text(pilot.app)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CorpusScreen)
        rows = pilot.app.screen.results.rows.lines()
        assert rows and all("beer" in row.lower() and found.rows[0].text in row.lower() for row in rows)
        await press(pilot, "f3", "slash", "ctrl+u", *"zzzz", "enter")
        assert "'zzzz' does not occur" in screen_text(pilot.app)


def test_a_collocate_leads_to_as_many_lines_as_are_counted_whatever_marks_stand_between(tmp_path: Path) -> None:
    texts = (
        "I can't lift this. It's too heavy.",
        "so heavy, I could not lift it",
        "heavy a b c d e lift",
        "lift - heavy",
    )
    with new_store(tmp_path) as store:
        import_rows(store, [(text, "t") for text in texts])
        for words_only, count in ((True, 3), (False, 2)):
            asked = LexiconQuestion("eng", "heavy", words_only=words_only)
            near = Neighbourhood(asked.tokens, "heavy", left=5, right=5, least=1)
            (row,) = (row for row in collocates(store, near, "t").rows if row.text == "lift")
            search = SearchRequest(asked.near("lift"), lang="eng", cqp=True).search("eng")
            assert (row.count, len(Searcher(store).find(search))) == (count, count)


@pytest.mark.slow
async def test_a_word_leads_to_its_collocates_and_its_equivalents(phrasebook: Path) -> None:
    async with lexicon(phrasebook, "3", "slash", *"^beer$", "enter", "c") as pilot:
        assert pilot.app.current_mode == "collocates" and "beer occurs" in screen_text(pilot.app)
        await press(pilot, "t")
        assert pilot.app.current_mode == "equivalents"


async def test_ones_own_search_is_there_again_when_one_has_gone_back(phrasebook: Path) -> None:
    async with lexicon(phrasebook, "slash", *"ticket", "enter", "j", "f3", "slash", *"beer", "enter") as pilot:
        await press(pilot, "enter")
        screen = cast("CorpusScreen", pilot.app.screen)
        assert "beer" in screen.search.words.pattern and screen.search.words.mode == "cqp"
        await press(pilot, "q")
        assert pilot.app.current_mode == "collocates"
        await press(pilot, "1")
        assert (screen.search.words.pattern, screen.search.words.mode) == ("ticket", "substring")
        assert screen.hits.cursor == 1


@pytest.mark.parametrize(
    ("keys", "columns"),
    [
        (("3", "plus"), ["2_words", "count", "per_million", "sentences"]),
        (("f3", "slash", *"beer", "enter"), ["word", "near_it", "in_all", "by_chance", "loglikelihood"]),
    ],
)
async def test_a_table_of_words_is_written_to_a_file(phrasebook: Path, keys: list[str], columns: list[str]) -> None:
    async with lexicon(phrasebook, *keys, "e", "enter") as pilot:
        rows = cast("LexiconScreen", pilot.app.screen).answer.rows
        assert f"{len(rows):,} rows written to" in screen_text(pilot.app)
    (file,) = Path().glob("*.tsv")
    written = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    assert written[0] == columns and [line[0] for line in written[1:]] == [word for word, _ in rows]


def test_no_two_columns_of_a_file_are_called_the_same() -> None:
    assert FigureLayout("there", "per million", "elsewhere", "per million").names == [
        *("there", "there_per_million", "elsewhere", "elsewhere_per_million")
    ]


async def test_a_result_that_was_kept_meanwhile_is_known(phrasebook: Path) -> None:
    async with lexicon(phrasebook, "f4", "o") as pilot:
        assert "There is one collection only" in screen_text(pilot.app)
        await press(pilot, "1")
        with open_store(phrasebook) as store:
            keep_found(store, "tea", SearchRequest("tea", lang="eng"), "tea")
        await press(pilot, "f4")
        assert "There is one collection only" not in screen_text(pilot.app)
        await press(pilot, "o")
        assert "tea" in screen_text(pilot.app)


@pytest.mark.slow
async def test_keywords_of_a_collection_that_is_chosen(phrasebook: Path, tmp_path: Path) -> None:
    async with lexicon(phrasebook, "f4", "o", "enter") as pilot:
        assert words(pilot) == [] and "o collection  m measure" in screen_text(pilot.app), "nothing to compare with"
    rows = tmp_path / "rows.tsv"
    rows.write_text("".join(f"Zebras like hay {n}.\tA {n}\n" for n in range(9)), encoding="utf-8")
    with open_store(phrasebook) as store:
        finished(import_files(store, open_sources(None, [rows], Options(languages=("eng", "fra"))), "zoo"))
        target = TokenSelection("eng", "zoo", fold_case=True, words_only=True)
        found = keywords(store, KeywordComparison(target), limit=10_000)
    async with lexicon(phrasebook, "3", "o", "G", "enter") as pilot:
        assert words(pilot)[0] in ("like", "hay", "zebras") and "zoo (o)" in screen_text(pilot.app), "counted there"
        await press(pilot, "f4", "o", "j", "enter")
        assert words(pilot) == [row.text for row in found.rows] and "zebras" in words(pilot)
        assert f"words of zoo, {found.reference_tokens:,} elsewhere" in " ".join(screen_text(pilot.app).split())
        await press(pilot, *["j"] * words(pilot).index("like"), "enter")
        assert isinstance(pilot.app.screen, CorpusScreen)
        count = next(row.count for row in found.rows if row.text == "like")
        assert pilot.app.screen.results.rows.count == count and "only: collection zoo" in screen_text(pilot.app)
        await press(pilot, "q")
        await press(pilot, "plus")
        assert words(pilot)[0] == "like hay" and "sequences of 2 words of zoo" in " ".join(
            screen_text(pilot.app).split()
        )


def test_a_measure_that_a_word_does_not_have_is_blank(tmp_path: Path) -> None:
    """By how many per cent it is more frequent than what there is not, which `keywords` leaves empty, too."""
    with new_store(tmp_path) as store:
        for name, text in (("zoo", "zebra " * 6 + "the " * 6), ("farm", "the cow")):
            import_file(store, write_rows(tmp_path / f"{name}.tsv", [(text, "x")]), ("eng", "fra"), name)
        found = find_keywords(store, LexiconQuestion("eng", "zoo", measure=get_args(Keyness).index("diff")))
    assert [(word, found.columns.row(each).split()) for word, each in found.rows] == [
        ("zebra", ["6", "500,000.0", "0", "0.0"])
    ]


@pytest.mark.slow
async def test_other_languages_and_marks(phrasebook: Path) -> None:
    async with lexicon(phrasebook, "3", "l") as pilot:
        told = "fra (l), whole corpus (o), any case (i), sentences once (r)"
        assert told in " ".join(screen_text(pilot.app).split())
        before = words(pilot)
        await press(pilot, "full_stop")
        assert "." in words(pilot) and "." not in before
        await press(pilot, "i")
        assert "case-sensitive" in " ".join(screen_text(pilot.app).split())
