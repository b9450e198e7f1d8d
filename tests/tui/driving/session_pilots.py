"""Driving the place of paraphrase sessions, and reading back what it wrote."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pilots import idle, settled
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decisions
from corpusdb.people.queries.sessions import Standing, create_session, session_standing
from tui.app import Browser, make_browser
from tui.kit.lines import StatusLine
from tui.people.open_seed import CandidateList
from tui.people.seed_screen import SeedScreen

__all__ = [
    "ELEVATOR",
    "STAMPS",
    "WEEK",
    "begin_session",
    "decided",
    "fill",
    "place",
    "press",
    "row_of",
    "rows",
    "seed_screen",
    "standing",
    "status",
    "wait_for_jobs",
]

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


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when all that the one before it did is done."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


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


def status(pilot: Pilot[None]) -> str:
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


def standing(path: Path, name: str = "s") -> Standing:
    with open_store(path, read_only=True) as store:
        return session_standing(store, name)


def decided(path: Path) -> list[tuple[str, str, bool]]:
    with open_store(path, read_only=True) as store:
        return [(each.text, each.verdict, each.applied) for each in decisions(store, "s")]
