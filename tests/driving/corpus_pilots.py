"""Small corpora, and driving the places that show sentences and their aligned words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

from pilots import filled_once, press, settled
from textual.pilot import Pilot

from corpusdb.alignment.links import Link
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.link_files import LinkFile, TokenisedFiles, import_links
from corpusdb.base import tokenisation as sudachi
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import open_store
from corpusdb.search.queries.conditions import Search
from corpusdb.search.queries.search import Searcher
from corpusdb.search.token_corpus import tokenise
from tui.alignment.words_screen import WordsScreen
from tui.app import make_browser
from tui.kit.dialogs import FormDialog
from tui.kit.place_screen import StatusLine
from tui.search.screen import CorpusScreen

# Drives the corpus place: opens it, types, fills in its dialogs, and reads what it says.


Script: TypeAlias = Callable[[Pilot[None], CorpusScreen], Awaitable[None]]


@asynccontextmanager
async def corpus_place(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Pilot[None], CorpusScreen]]:
    """The corpus place of a browser."""
    app = make_browser(path)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, CorpusScreen)
        yield pilot, app.screen


def run(path: Path, script: Script) -> None:
    """Do something there."""

    async def main() -> None:
        async with corpus_place(path) as found:
            await script(*found)

    asyncio.run(main())


_NAMES = {" ": "space", '"': "quotation_mark", "[": "left_square_bracket", "]": "right_square_bracket", "-": "minus"}


async def type_in(pilot: Pilot[None], text: str) -> None:
    """Type a text where the focus is."""
    for char in text:
        await pilot.press(_NAMES.get(char, char))
    await settled(pilot)


async def fill(pilot: Pilot[None], **fields: str) -> None:
    """Fill in some lines of the form that is open, and submit it."""
    form = pilot.app.screen
    assert isinstance(form, FormDialog)
    for name, text in fields.items():
        line = form.query_one(f"#{name}")
        line.focus()
        await press(pilot, "end", "ctrl+u")
        await type_in(pilot, text)
    await press(pilot, "enter")


def status(screen: CorpusScreen) -> str:
    return screen.query_one(StatusLine).message


def is_error(screen: CorpusScreen) -> bool:
    return screen.query_one(StatusLine).is_error


def texts(path: Path, search: Search) -> list[str]:
    """What a search finds without the browser."""
    with open_store(path, read_only=True) as store:
        hits = Searcher(store).find(search)
        return [hits.text(place) for place in range(len(hits))]


# Links by hand in a database, and driving the screen that shows the words of a sentence.


LinkedRow: TypeAlias = tuple[str, str, Sequence[Link]]
"""A sentence, its translation, and the links of their tokens."""
WordScript: TypeAlias = Callable[[Pilot[None], WordsScreen], Awaitable[None]]

CHECK_IN: LinkedRow = (
    "Where do I check in?",
    "Où est-ce que je dois m'enregistrer ?",
    [(0, 0), (2, 5), (3, 7), (3, 8), (5, 9)],
)
"""A pair of the phrasebook: check is linked with two tokens, do and in with none."""


def add_links(path: Path, rows: Sequence[LinkedRow] = (CHECK_IN,), languages: tuple[str, str] = ("eng", "fra")) -> None:
    """Store the links of some pairs, as those of another aligner are stored."""
    texts = TokenisedFiles([tokenise(row[0]) for row in rows], [tokenise(row[1]) for row in rows])
    with open_store(path) as store:
        finished(import_links(store, *languages, LinkFile("by.hand", "0" * 64, texts, [row[2] for row in rows])))


def linked_corpus(folder: Path, rows: Sequence[LinkedRow], languages: tuple[str, str] = ("eng", "fra")) -> Path:
    """A database of these pairs with their links; sentence 1 is the first, its translation 2."""
    file, path = folder / "rows.tsv", folder / "corpus.db"
    file.write_text("".join(f"{row[0]}\t{row[1]}\n" for row in rows), encoding="utf-8")
    with open_store(path, create=True) as store:
        source = open_source("tsv", [file], Options(languages=languages, header="no"))
        finished(import_source(store, finished(check_source(source)), "rows"))
    add_links(path, rows, languages)
    return path


@asynccontextmanager
async def words_place(path: Path, sentence: int) -> AsyncIterator[tuple[Pilot[None], WordsScreen]]:
    """The words of a sentence, which were opened from the corpus."""
    async with corpus_place(path) as (pilot, _):
        screen = WordsScreen("corpus", sentence)
        await pilot.app.push_screen(screen)
        await settled(pilot)
        yield pilot, screen


def run_words(path: Path, sentence: int, script: WordScript) -> None:
    """Do something there."""

    async def main() -> None:
        async with words_place(path, sentence) as found:
            await script(*found)

    asyncio.run(main())


# Databases with aligned words, made of what a corpus holds.


def add_alignment(path: Path) -> Path:
    """Align English with French and with Japanese, as without the extra for its morphemes, wherever the tests run."""
    return filled_once(path, "aligned", _align)


def _align(path: Path) -> None:
    with open_store(path) as store, patch.object(sudachi, "_opened", side_effect=UsageError("left out")):
        for other in ("fra", "jpn"):
            finished(align_languages(store, "eng", other))
