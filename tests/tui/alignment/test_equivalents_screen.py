"""The place of aligned words, driven by keys; what it shows is compared with what the queries find."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from corpus_pilots import add_alignment
from pilots import press, screen_text, settled
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.queries.phrases import rejected_pairs, set_rejected
from corpusdb.corpus.store import open_for_reading, open_store
from tui.alignment import equivalents_screen
from tui.alignment.aligned_words import _with_mark
from tui.alignment.equivalents_screen import EquivalentsScreen, PairsScreen, PivotsScreen
from tui.app import Browser, make_browser
from tui.kit.place_screen import StatusLine
from tui.kit.shown import RowList, WordAsked
from tui.paraphrase import ParadigmsScreen
from tui.search.screen import CorpusScreen

ALL = EquivalentFilter(1, 0.0, min_probability=0.0, with_forms=True, with_rejected=True)
HOSTILE = "\x1b[31mbeer\x07\u202e\u200b[/bold]"


@pytest.fixture
def aligned(phrasebook: Path) -> Path:
    return add_alignment(phrasebook)


Steps = Callable[[Browser, Pilot[None]], Awaitable[None]]


@asynccontextmanager
async def driven(path: Path) -> AsyncIterator[tuple[Browser, Pilot[None]]]:
    browser = make_browser(path)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "8")
        yield browser, pilot


def drive(path: Path, steps: Steps) -> None:
    async def main() -> None:
        async with driven(path) as found:
            await steps(*found)

    asyncio.run(main())


def place(browser: Browser) -> EquivalentsScreen:
    assert isinstance(browser.screen, EquivalentsScreen)
    return browser.screen


def rows(browser: Browser) -> list[str]:
    return browser.screen.query_one(RowList).lines()


def message(browser: Browser) -> str:
    return browser.screen.query_one(StatusLine).message


async def look_up(browser: Browser, pilot: Pilot[None], text: str) -> None:
    await press(pilot, "slash")
    place(browser).query_one(Input).value = text
    await press(pilot, "enter")


@pytest.mark.parametrize(
    ("word", "language", "other"), [pytest.param("help", "eng", "fra", marks=pytest.mark.slow), ("何", "jpn", "eng")]
)
async def test_translations_are_those_of_the_query_with_all_places(
    aligned: Path, word: str, language: str, other: str
) -> None:
    with open_for_reading(aligned) as store:
        expected = translations_of(store, language, word, other)

    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, f" {word} ")
        told = [line.split() for line in rows(browser)]
        counts = [int(each[0].replace(",", "")) for each in told]
        assert sum(counts) == expected.occurrences
        told_apart = counts[:-1] if expected.unpaired else counts
        assert told_apart == sorted(told_apart, reverse=True)
        texts = [each[3] for each in told]
        assert {*texts} == {
            *(each.text.split()[0] for each in expected.members),
            *(["(nothing)"] if expected.unlinked else []),
            *(["(part"] if expected.unpaired else []),
        }
        shares = [float(each[1].rstrip("%")) for each in told]
        assert sum(shares) == pytest.approx(100, abs=0.06 * len(shares))
        assert all(f"[{word}]" in line.lower() for line in rows(browser) if "  (" not in line)
        for line in screen_text(browser).splitlines():
            assert cell_len(line) <= 80


async def test_enter_shows_every_place_of_a_translation(aligned: Path) -> None:
    with open_for_reading(aligned) as store:
        found = translations_of(store, "eng", "help", "fra")

    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "help")
        first = found.members[0]
        at = next(number for number, line in enumerate(rows(browser)) if f"  {first.text}  " in line)
        browser.screen.query_one(RowList).cursor = at
        await press(pilot, "enter")
        assert isinstance(browser.screen, PairsScreen)
        lines = browser.screen.lines()[1:]
        assert sum(line.split("\t")[0].lower().count("[help]") for line in lines) == first.count
        assert all(f"[{first.text}]" in line.split("\t")[1].lower() for line in lines)
        await press(pilot, "a")
        assert message(browser) == "these are all"
        text = browser.screen.query_one(RowList).cursor
        await press(pilot, "enter")
        assert isinstance(browser.screen, CorpusScreen)
        assert lines[text].split("\t")[0].replace("[", "").replace("]", "") in screen_text(browser)


@pytest.mark.slow
async def test_the_places_with_no_translation_are_shown_too(aligned: Path) -> None:
    with open_for_reading(aligned) as store:
        found = translations_of(store, "jpn", "何", "eng")
    assert found.unlinked and found.unpaired

    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "何")
        at = next(number for number, line in enumerate(rows(browser)) if "(nothing)" in line)
        browser.screen.query_one(RowList).cursor = at
        await press(pilot, "enter")
        assert isinstance(browser.screen, PairsScreen)
        lines = browser.screen.lines()[1:]
        assert sum(line.split("\t")[0].count("[何]") for line in lines) == found.unlinked
        assert not any("[" in line.split("\t")[1] for line in lines)
        await press(pilot, "q")
        await press(pilot, "G", "enter")
        assert "longer phrases" in message(browser)


async def test_both_tables_are_written_to_files(aligned: Path) -> None:
    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "help")
        counts = [line.split()[0] for line in rows(browser)]
        await press(pilot, "e", "enter", "t", "e", "enter")
        assert "rows written to equivalents.tsv" in message(browser)
    written = [line.split("\t") for line in Path("translations.tsv").read_text(encoding="utf-8").splitlines()]
    assert written[0] == ["translation", "times", "share"] and [line[1] for line in written[1:]] == counts
    columns = Path("equivalents.tsv").read_text(encoding="utf-8").splitlines()[0].split("\t")
    assert columns == ["equivalent", "probability", "languages", "shared", "contexts"]


@pytest.mark.slow
async def test_t_turns_to_the_equivalents_and_enter_says_why(aligned: Path) -> None:
    with open_for_reading(aligned) as store:
        found = equivalents_of(store, "eng", "help", kept=ALL).members

    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "help")
        await press(pilot, "t")
        assert "0 equivalents of 'help'" in message(browser) and "; a shows all that share a" in message(browser)
        assert "less probable" not in message(browser), "a shows others besides, and another number"
        assert "  a all " in screen_text(browser)
        assert "probable enough; nearest: looking 0.47" in " ".join(screen_text(browser).split())
        assert "; a shows all." in screen_text(browser)
        await press(pilot, "a")
        assert "a shows" not in message(browser) and "a probable ones" in screen_text(browser)
        assert [line.split()[:4] for line in rows(browser)] == [
            [f"{each.probability:.2f}", str(len(each.languages)), str(each.count), str(each.contexts)] for each in found
        ]
        assert all(each.text in line for each, line in zip(found, rows(browser), strict=True))
        await press(pilot, "enter")
        assert isinstance(browser.screen, PivotsScreen)
        pivots = found[0].pivots
        assert [line.split()[2:] for line in rows(browser)][:3] == [[each.language, each.text] for each in pivots]
        assert "[" in screen_text(browser)
        await press(pilot, "enter")
        assert isinstance(browser.screen, PairsScreen)
        lines = browser.screen.lines()
        assert all(f"[{text}]" in "".join(lines).lower() for text in (found[0].text, "help"))
        await press(pilot, "q", "q", "t")
        assert "translations" in place(browser).lines()[0]


async def test_equivalents_are_rejected_and_taken_back(aligned: Path) -> None:
    def standing() -> list[tuple[str, str]]:
        with open_for_reading(aligned) as store:
            return [(each.phrase, each.equivalent) for each in rejected_pairs(store)]

    with open_for_reading(aligned) as store:
        found = equivalents_of(store, "eng", "help", kept=ALL).members
    first, second = (tuple(sorted(("help", each.text))) for each in found[:2])

    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "help")
        assert "f look up" in screen_text(browser) and "x reject" not in screen_text(browser)
        await press(pilot, "x")
        assert standing() == [], "translations are not rejected"
        await press(pilot, "t", "a", "j", "x")
        assert standing() == [second]
        assert "x rejected" in rows(browser)[1] and "1 rejected" in message(browser)
        assert browser.screen.query_one(RowList).cursor == 1
        await press(pilot, "x")
        assert standing() == [] and "x rejected" not in rows(browser)[1]
        await press(pilot, "g", "space", "space", "x")  # the first two
        assert standing() == sorted((first, second))
        assert [number for number, line in enumerate(rows(browser)) if "x rejected" in line] == [0, 1]
    assert len(standing()) == 2


def test_a_reader_is_told_that_nothing_can_be_rejected(aligned: Path) -> None:
    aligned.chmod(0o444)
    with open_for_reading(aligned) as store:
        before = rejected_pairs(store)

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await look_up(browser, pilot, "help")
        await press(pilot, "t", "a", "x")
        assert browser.screen.query_one(StatusLine).is_error

    try:
        with open_store(aligned) as store:
            if not store.read_only:
                pytest.skip("this user may write to every file")
        drive(aligned, steps)
        with open_for_reading(aligned) as store:
            assert rejected_pairs(store) == before
    finally:
        aligned.chmod(0o644)


@pytest.mark.slow
async def test_one_goes_on_with_a_row_and_comes_back(aligned: Path) -> None:
    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "help")
        head, first = place(browser).lines()[0], rows(browser)[1]
        word = first.split()[3]
        await press(pilot, "j", "f")
        assert place(browser).lines()[0] == f"help (eng) > {word} (fra): translations in eng"
        await press(pilot, "backspace")
        assert place(browser).lines()[0] == head and browser.screen.query_one(RowList).cursor == 1
        await press(pilot, "f", "q")
        assert place(browser).lines()[0] == head
        await press(pilot, "o")
        assert place(browser).lines()[0] == "help (eng): translations in jpn"
        await press(pilot, "l")
        assert place(browser).lines()[0] == "help (fra): translations in eng"
        assert "occurs in no fra sentence" in screen_text(browser)
        await press(pilot, "o")
        assert "aligned with eng only" in message(browser)


async def test_a_word_of_another_language_is_found_there(aligned: Path) -> None:
    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "bière")
        assert place(browser).lines()[0] == "bière (fra): translations in eng"
        await look_up(browser, pilot, "beer")
        assert place(browser).lines()[0] == "beer (eng): translations in fra"


@pytest.mark.slow
async def test_another_word_never_stands_over_the_answer_of_the_one_before(aligned: Path) -> None:
    async with driven(aligned) as (browser, pilot):
        await look_up(browser, pilot, "coffee")
        before = rows(browser)
        with patch.object(EquivalentsScreen, "go") as asked:
            await look_up(browser, pilot, "no such word")
        asked.assert_called_once()
        assert "looking up no such word ..." in screen_text(browser)
        assert before and not any(row in screen_text(browser) for row in before)
        await press(pilot, "x")
        assert place(browser).trail.row is None


@pytest.mark.slow
async def test_no_word_does_harm(aligned: Path, subtests: pytest.Subtests) -> None:
    async def check(browser: Browser, pilot: Pilot[None], word: str) -> None:
        await look_up(browser, pilot, word)
        for key in ("t", "a", "enter", "x", "f", "o", "l"):
            if browser.focused is browser.screen.query_one(RowList):
                await press(pilot, key)
        assert "type a word" in message(browser) if not word.strip() else message(browser)
        for columns, lines in ((120, 40), (40, 10), (80, 24)):
            await pilot.resize_terminal(columns, lines)
            await settled(pilot)
            shown = screen_text(browser)
            assert "\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown
            assert len(shown.splitlines()) <= lines
            assert max(map(cell_len, shown.splitlines())) <= columns

    async with driven(aligned) as (browser, pilot):
        for word in (HOSTILE, "nowhere", "…", "a" * 5000, "何" * 200, "   ", "[bold]"):
            with subtests.test(word[:20]):
                await check(browser, pilot, word)
            while not isinstance(browser.screen, EquivalentsScreen):
                await press(pilot, "escape")


def test_where_nothing_is_aligned_enter_begins_that(
    phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[str]()
    monkeypatch.setattr(equivalents_screen, "begin_command", lambda screen, name: begun.append(name))

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        assert "Words are not aligned yet: Enter begins that" in screen_text(browser)
        await look_up(browser, pilot, "help")

    drive(phrasebook, steps)

    async def empty(browser: Browser, pilot: Pilot[None]) -> None:
        assert "Enter begins an import of sentences with translations" in screen_text(browser)
        await look_up(browser, pilot, "help")

    open_store(tmp_path / "nothing.db", create=True).close()
    drive(tmp_path / "nothing.db", empty)
    assert begun == ["align", "import"]


@pytest.mark.slow
async def test_other_places_lead_here_and_this_one_to_them(aligned: Path) -> None:
    async with driven(aligned) as (browser, pilot):
        browser.post_message(WordAsked("coffee", "eng"))
        await settled(pilot)
        assert place(browser).lines()[0] == "coffee (eng): translations in fra"
        await press(pilot, "p")
        assert isinstance(browser.screen, ParadigmsScreen)
        await press(pilot, "escape", "8", "v")
        assert isinstance(browser.screen, CorpusScreen)

    async with driven(aligned) as (browser, pilot):
        await press(pilot, "escape", "f2", "slash")
        browser.screen.query_one(Input).value = "beer"
        await press(pilot, "enter")
        first = rows(browser)[0].split("  ")
        await press(pilot, "t")
        phrase, _, rest = place(browser).lines()[0].partition(" (eng): ")
        assert phrase in map(str.strip, first) and rest == "translations in fra"


def test_what_another_process_rejects_is_seen_with_the_next_lookup(aligned: Path) -> None:
    with open_for_reading(aligned) as store:
        second = equivalents_of(store, "eng", "help", kept=ALL).members[1].text

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await look_up(browser, pilot, "help")
        await press(pilot, "t", "a")
        with open_store(aligned) as store:
            set_rejected(store, "eng", second.upper(), "help", is_rejected=True)
        await press(pilot, "a", "a")
        assert [line for line in rows(browser) if "x rejected" in line] == [rows(browser)[1]]

    drive(aligned, steps)


@pytest.mark.parametrize(
    ("text", "word", "shown"),
    [
        ("Put out the light.", "light", "…out the [light]."),
        ("The moon reflects light.", "light", "…reflects [light]."),
        ("A light.", "light", "A [light]."),
        ("彼は非常に長い時間をかけて光を見た。", "光", "…をかけて[光]を見た。"),
    ],
)
def test_an_example_begins_with_a_word_and_shows_its_mark_whole(text: str, word: str, shown: str) -> None:
    begin = text.index(word)
    assert _with_mark(text, [(begin, begin + len(word))], 18).plain == shown
