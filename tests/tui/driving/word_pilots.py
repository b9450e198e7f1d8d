"""Links by hand in a database, and driving the screen that shows the words of a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from pilots import settled
from textual.pilot import Pilot

from corpusdb.alignment.links import Link
from corpusdb.alignment.queries.link_files import LinkFile, TokenisedFiles, import_links
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import open_store
from corpusdb.search.token_corpus import tokenise
from tui.alignment.words_screen import WordsScreen
from tui.app import make_browser

__all__ = ["CHECK_IN", "LinkedRow", "Script", "add_links", "linked_corpus", "run_words"]

LinkedRow: TypeAlias = tuple[str, str, Sequence[Link]]
"""A sentence, its translation, and the links of their tokens."""
Script: TypeAlias = Callable[[Pilot[None], WordsScreen], Awaitable[None]]

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


def run_words(path: Path, sentence: int, script: Script, size: tuple[int, int] = (80, 24)) -> None:
    """Do something on the words of a sentence, which were opened from the corpus."""

    async def main() -> None:
        app = make_browser(path)
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            screen = WordsScreen("corpus", sentence)
            await app.push_screen(screen)
            await settled(pilot)
            await script(pilot, screen)

    asyncio.run(main())
