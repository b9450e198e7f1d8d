"""The words of a sentence: what each is aligned with is marked in its translations, without colours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from corpus_pilots import CHECK_IN, LinkedRow, add_links, corpus_place, linked_corpus, run_words, words_place
from people_pilots import ELEVATOR
from people_pilots import place as session_place
from pilots import press, screen_text, settled
from textual.message import Message
from textual.pilot import Pilot

from corpusdb.base.display import cell_safe
from corpusdb.corpus.store import open_store
from corpusdb.search.token_corpus import token_spans, tokenise
from tui.alignment.words_screen import WordsScreen, marked_aloud, sentence_text
from tui.kit.place_screen import StatusLine
from tui.kit.shown import PlaceWanted, RowList, Text, TextPane, WordAsked
from tui.kit.terminal import MATCH
from tui.people.seed_screen import SeedScreen
from tui.search.document_screen import DocumentScreen
from tui.search.screen import CorpusScreen

_ALIGNED = MATCH
_CURRENT = "bold reverse"


def marked(text: Text, style: str) -> list[str]:
    return [text.plain[span.start : span.end] for span in text.spans if str(span.style) == style]


def in_translations(screen: WordsScreen) -> list[str]:
    return marked(screen.query_one(TextPane).text, _ALIGNED)


def here(screen: WordsScreen) -> list[str]:
    assert screen.found is not None
    return marked(sentence_text(screen.found, screen.word), _CURRENT)


def status(screen: WordsScreen | CorpusScreen) -> str:
    return screen.query_one(StatusLine).message


@pytest.mark.slow
async def test_each_word_marks_what_it_is_aligned_with(phrasebook: Path) -> None:
    add_links(phrasebook)
    text, translation, links = CHECK_IN
    own, theirs = tokenise(text), tokenise(translation)

    async with words_place(phrasebook, 1) as (pilot, screen):
        for place, word in enumerate(own[:-1]):  # the question mark is no word
            assert here(screen) == [word]
            found = in_translations(screen)
            assert "".join(found).replace(" ", "") == "".join(theirs[other] for one, other in links if one == place)
            told = screen.lines()[2]
            assert told == f"fra  {', '.join(found) or 'aligned with nothing'}"
            await press(pilot, "j")
        assert here(screen) == ["in"], "it stays at the last word"
        await press(pilot, "g")
        assert here(screen) == ["Where"]
        await press(pilot, "G", "k", "k")
        assert here(screen) == ["I"]
        await press(pilot, "j")
        assert in_translations(screen) == ["m'enregistrer"], "what stands together is marked as one"
        assert "m'enregistrer" in screen_text(pilot.app)


async def test_all_words_stand_beside_what_they_are_aligned_with(tmp_path: Path) -> None:
    row: LinkedRow = ("the old dog", "le vieux chien", [(0, 0), (2, 2)])

    async with words_place(linked_corpus(tmp_path, [row]), 1) as (_, screen):
        rows = [line.split() for line in screen.query_one(RowList).lines()]
        assert rows == [["the", "le"], ["old", "-"], ["dog", "chien"]]


@pytest.mark.slow
def test_where_there_are_no_links_it_says_so_and_what_makes_them(phrasebook: Path) -> None:
    add_links(phrasebook)

    async def linked(pilot: Pilot[None], screen: WordsScreen) -> None:
        assert screen.lines() == [
            "eng: word 1 of 5",
            "[Where] do I check in?",
            "fra  Où",
            "[Où] est-ce que je dois m'enregistrer ?",
            "jpn  no links are stored; ! align (lang eng,jpn) makes them",
            "どこでチェックインすればいいですか。",
        ]

    async def not_among_them(pilot: Pilot[None], screen: WordsScreen) -> None:
        told = [line for line in screen.lines() if line.startswith("fra")]
        reason = "not among the links that were imported; ! align (lang eng,fra, retrain) links all"
        assert len(told) > 1
        assert told == [f"fra ({number})  {reason}" for number, _ in enumerate(told, 1)]
        assert status(screen) == "none of its translations has links to its words"
        await press(pilot, "j", "G", "g")
        assert in_translations(screen) == []

    run_words(phrasebook, 1, linked)
    with open_store(phrasebook, read_only=True) as store:
        (other,) = store.connection.execute(
            "select id from sentence where text = ?", ("Where can I check in?",)
        ).fetchone()
    run_words(phrasebook, other, not_among_them)


@pytest.mark.slow
async def test_links_that_cannot_be_used_are_told(phrasebook: Path) -> None:
    add_links(phrasebook)
    with open_store(phrasebook) as store, store.unchecked_references(), store.write() as connection:
        connection.execute("update alignment set links = x'0101'")

    async with words_place(phrasebook, 1) as (pilot, screen):
        assert "the stored links are damaged" in screen.lines()[2]
        await press(pilot, "j")
        assert in_translations(screen) == []


def test_repeated_words_are_told_apart(tmp_path: Path) -> None:
    row: LinkedRow = ("the dog sees the dog", "le chien voit le chien", [(place, place) for place in range(5)])

    async def script(pilot: Pilot[None], screen: WordsScreen) -> None:
        for place, (begin, end) in enumerate(token_spans(row[1])):
            assert screen.word == place
            (span,) = (span for span in screen.query_one(TextPane).text.spans if str(span.style) == _ALIGNED)
            shift = screen.query_one(TextPane).text.plain.index("\n") + 1
            assert (span.start - shift, span.end - shift) == (begin, end)
            await press(pilot, "j")

    run_words(linked_corpus(tmp_path, [row]), 1, script)


async def test_it_can_be_gone_through_from_the_translation_too(tmp_path: Path) -> None:
    row: LinkedRow = ("the dog", "le chien", [(0, 0), (1, 1)])

    async with words_place(linked_corpus(tmp_path, [row]), 2) as (pilot, screen):
        await press(pilot, "j")
        assert (here(screen), in_translations(screen)) == (["chien"], ["dog"])


@pytest.mark.parametrize("script_of", [pytest.param("latin", marks=pytest.mark.slow), "cjk"])
def test_the_word_is_in_sight_in_a_sentence_of_many_lines(tmp_path: Path, script_of: str) -> None:
    count = 400
    if script_of == "latin":
        words = [f"word{number}" for number in range(count)]
        row: LinkedRow = (" ".join(words), " ".join(words), [(place, place) for place in range(count)])
    else:
        words = [chr(0x4E00 + number) for number in range(count)]
        row = ("".join(words), "".join(words), [(place, place) for place in range(count)])

    async def script(pilot: Pilot[None], screen: WordsScreen) -> None:
        for size in ((80, 24), (60, 20), (40, 10), (200, 60)):
            await pilot.resize_terminal(*size)
            for keys, place in ((("G",), count - 1), (("k",) * 3, count - 4), (("g",), 0)):
                await press(pilot, *keys)
                assert here(screen) == [words[place]] == in_translations(screen)
                pane = screen.query_one("#words-sentence").region
                lines = screen_text(pilot.app).splitlines()[pane.y : pane.bottom]
                assert any(words[place] in line for line in lines), size
                assert pane.height <= size[1] * 2 // 5

    run_words(linked_corpus(tmp_path, [row]), 1, script)


@pytest.mark.slow
async def test_hostile_texts_are_shown_harmless_and_marked_in_place(tmp_path: Path) -> None:
    hostile = "\x1b[31mred\x1b[0m [bold]x[/bold] \u202egnol \x07bell e\u0301\u0301\u0301"
    count = len(tokenise(hostile))
    row: LinkedRow = (hostile, hostile[::-1].strip(), [])

    async with words_place(linked_corpus(tmp_path, [row]), 1) as (pilot, screen):
        assert screen.found is not None
        for _ in range(len(screen.found.words)):
            begin, end = screen.found.words[screen.word]
            assert here(screen) == [cell_safe(screen.found.text)[begin:end]]
            shown = screen_text(pilot.app)
            assert not {"\x1b", "\x07", "\u202e"} & {*shown}
            assert not any({"\x1b", "\x07", "\u202e"} & {*line} for line in screen.lines())
            await press(pilot, "j")
        assert screen.word < count


async def test_a_sentence_without_words_or_translations(tmp_path: Path) -> None:
    path = linked_corpus(tmp_path, [("?!", "!?", [(0, 1)])])

    async with words_place(path, 1) as (pilot, screen):
        assert (here(screen), in_translations(screen)) == (["?"], ["?"])
    with open_store(path) as store, store.unchecked_references(), store.write() as connection:
        connection.execute("delete from alignment")
        connection.execute("delete from translation")

    async with words_place(path, 1) as (pilot, screen):
        assert status(screen) == "this sentence has no translation"
        assert screen.lines() == ["eng: word 1 of 2", "[?]!"]
        await press(pilot, "j", "j", "y")
        assert screen.word == 1


async def test_a_key_asks_for_the_equivalents_of_the_word(phrasebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with words_place(phrasebook, 1) as (pilot, screen):
        posted: list[Message] = []
        monkeypatch.setattr(pilot.app, "post_message", posted.append)
        screen.query_one(RowList).cursor = 3
        screen.action_ask_word()
        asked = [message for message in posted if isinstance(message, WordAsked)]
        assert [(each.word, each.language, each.place) for each in asked] == [("check", "eng", "equivalents")]


@dataclass
class _NowhereWanted(PlaceWanted):
    place: ClassVar[str] = "nowhere"


async def test_a_place_that_is_not_there_is_said(phrasebook: Path) -> None:
    async with words_place(phrasebook, 1) as (pilot, screen):
        pilot.app.post_message(_NowhereWanted())
        await settled(pilot)
        assert pilot.app.screen is screen
        assert status(screen) == "this browser has no place nowhere"


async def test_it_is_opened_from_the_corpus_and_from_a_document(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        for keys, behind in ((("a",), CorpusScreen), (("enter", "a"), DocumentScreen)):
            await press(pilot, *keys)
            assert isinstance(pilot.app.screen, WordsScreen)
            assert pilot.app.screen.lines()[1] == "[Where] do I check in?"
            assert screen_text(pilot.app).startswith(" 1[Search]")
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, behind)
        await press(pilot, "j", "a")  # the French line of the document
        assert isinstance(pilot.app.screen, WordsScreen)
        assert pilot.app.screen.lines()[0].endswith("fra: word 1 of 8")
        await press(pilot, "q", "q", "slash", *"zzzz", "enter", "a")
        assert isinstance(pilot.app.screen, CorpusScreen) and status(screen) == "no sentence is chosen"


@pytest.mark.slow
async def test_it_is_opened_from_a_seed(begun: Path) -> None:
    async with session_place(begun, "enter") as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SeedScreen)
        await press(pilot, "A")
        words = pilot.app.screen
        assert isinstance(words, WordsScreen)
        assert words.lines()[1].replace("[", "").replace("]", "") == ELEVATOR
        assert screen_text(pilot.app).startswith(" 1 Search  2[Paraphrases]")
        await press(pilot, "q")
        assert pilot.app.screen is screen
        await press(pilot, "t", *"zebra", "enter", "A")
        assert pilot.app.screen is screen
        assert "not in the corpus" in screen.query_one(StatusLine).message


def test_the_marks_are_read_aloud_in_brackets() -> None:
    assert marked_aloud("a b  c d", [(0, 1), (2, 3), (5, 6)]) == "[a b  c] d"
    assert marked_aloud("a b", []) == "a b"
