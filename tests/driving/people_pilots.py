"""Driving the places where people judge and decide, and reading back what they wrote."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pilots import idle, press, screen_text, settled
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.chain.queries.overview import overview
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decisions
from corpusdb.people.queries.samples import SampleOptions, draw_sample, find_sample
from corpusdb.people.queries.sessions import SessionProgress, create_session, session_standing
from corpusdb.people.queries.verdicts import record, sheet
from tui.app import Browser, make_browser
from tui.kit.place_screen import StatusLine
from tui.people.judging_screen import ItemsScreen
from tui.people.open_seed import CandidateList
from tui.people.seed_screen import SeedScreen

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


ELEVATOR = "Could you tell me where the elevator is?"
WEEK = "I'm going to stay for a week."
STAMPS = "Where can I get stamps?"


def begin_session(path: Path) -> Path:
    """Begin a session of three seeds in the phrasebook."""
    with open_store(path) as store:
        create_session(store, "s", "eng", [ELEVATOR, WEEK, STAMPS])
    return path


@asynccontextmanager
async def place(path: Path, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The place, after some keys more."""
    async with make_browser(path).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "2", *keys)
        yield pilot


async def fill(pilot: Pilot[None], **texts: str) -> None:
    """Type into the lines of a form, and submit it."""
    for name, text in texts.items():
        pilot.app.screen.query_one(f"#{name}", Input).value = text
    await press(pilot, "enter")


async def wait_for_jobs(pilot: Pilot[None], browser: Browser) -> None:
    await idle(pilot)


def seed_screen(pilot: Pilot[None]) -> SeedScreen:
    assert isinstance(pilot.app.screen, SeedScreen)
    return pilot.app.screen


def rows(pilot: Pilot[None]) -> list[str]:
    return seed_screen(pilot).query_one(CandidateList).lines()


def row_of(pilot: Pilot[None], text: str) -> str:
    return next(row for row in rows(pilot) if row.endswith(text))


def state_of(pilot: Pilot[None], text: str) -> str:
    """What was decided of a paraphrase, in the word of its row."""
    return row_of(pilot, text).split()[0]


def seed_status(pilot: Pilot[None]) -> str:
    """What is said at the bottom, however many lines that takes."""
    line = _status_line(pilot)
    return f"! {line.message}" if line.is_error else line.message


def whole_status(pilot: Pilot[None]) -> str:
    """The same as it is seen, with what waits to be written."""
    return " ".join(str(_status_line(pilot).render()).split())


def _status_line(pilot: Pilot[None]) -> StatusLine:
    screen = next(screen for screen in reversed(pilot.app.screen_stack) if screen.query(StatusLine))
    line: StatusLine = screen.query_one(StatusLine)
    return line


def standing(path: Path, name: str = "s") -> SessionProgress:
    with open_store(path, read_only=True) as store:
        return session_standing(store, name)


def stale_layers(path: Path) -> list[str]:
    """What was derived of English and is behind the sentences of the file."""
    with open_store(path, read_only=True) as store:
        english = next(each for each in overview(store).languages if each.code == "eng")
        return [layer.name for layer in english.layers if layer.state != "up to date"]


def decided(path: Path) -> list[tuple[str, str, bool]]:
    with open_store(path, read_only=True) as store:
        return [(each.text, each.verdict, each.applied) for each in decisions(store, "s")]
