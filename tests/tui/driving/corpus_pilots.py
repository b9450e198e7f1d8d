"""Drives the corpus place: opens it, types, fills in its dialogs, and reads what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from pilots import settled
from textual.pilot import Pilot

from corpusdb.corpus.store import open_store
from corpusdb.search.queries.search import Search, Searcher
from tui.app import make_browser
from tui.kit.dialogs import FormDialog
from tui.kit.lines import StatusLine
from tui.search.screen import CorpusScreen

__all__ = ["Script", "fill", "is_error", "press", "run", "status", "texts", "type_in"]

Script: TypeAlias = Callable[[Pilot[None], CorpusScreen], Awaitable[None]]


def run(path: Path, script: Script, size: tuple[int, int] = (80, 24)) -> None:
    """Do something in the corpus place of a browser."""

    async def main() -> None:
        app = make_browser(path)
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            assert isinstance(app.screen, CorpusScreen)
            await script(pilot, app.screen)

    asyncio.run(main())


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


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
