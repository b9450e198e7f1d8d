"""Driving the place where people judge, and reading back what it wrote."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pilots import screen_text, settled
from textual.pilot import Pilot

from corpusdb.corpus.store import open_store
from corpusdb.people.queries.samples import SampleOptions, draw_sample, find_sample
from corpusdb.people.queries.verdicts import record, sheet
from tui.app import make_browser
from tui.people.judging_screen import ItemsScreen

__all__ = ["SIZE", "add_samples", "items_screen", "judging", "press", "said", "status", "texts", "words"]

SIZE = 12
"""Of each sample."""


def add_samples(path: Path) -> None:
    """Draw a sample of each kind, ``sentences`` and ``pairs``; two judges say something of the sentences."""
    with open_store(path) as store:
        sentences = draw_sample(store, "sentences", SampleOptions("grammaticality", "eng", SIZE, seed=1))
        draw_sample(store, "pairs", SampleOptions("meaning", "eng", SIZE, seed=1))
        for item in (1, 2, 3):
            record(store, sentences, "ann", item, "yes")
            record(store, sentences, "bob", item, "no" if item == 2 else "yes", "odd" if item == 2 else None)


@asynccontextmanager
async def judging(path: Path, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The place, after some keys more."""
    async with make_browser(path).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "4", *keys)
        yield pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when all that the one before it did is done."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def items_screen(pilot: Pilot[None]) -> ItemsScreen:
    assert isinstance(pilot.app.screen, ItemsScreen)
    return pilot.app.screen


def status(pilot: Pilot[None]) -> str:
    return screen_text(pilot.app).split("\n")[-1]


def said(path: Path, name: str, judge: str = "kim") -> dict[int, tuple[str, str]]:
    """Verdict and comment of every item of which something was said."""
    with open_store(path, read_only=True) as store:
        lines = sheet(store, find_sample(store, name), judge)
    return {line.item: (line.verdict, line.comment) for line in lines if line.verdict}


def words(path: Path, name: str, judge: str = "kim") -> list[str]:
    return [verdict for verdict, _ in said(path, name, judge).values()]


def texts(path: Path, name: str) -> list[tuple[str, str]]:
    """The seed and the text of every item."""
    with open_store(path, read_only=True) as store:
        return [(line.seed, line.text) for line in sheet(store, find_sample(store, name), "")]
