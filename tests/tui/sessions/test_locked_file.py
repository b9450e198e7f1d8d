"""Decisions that are made while another process writes: marked, kept, and written when that is possible."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pilots import screen_text, settled, until
from session_pilots import decided, place, rows, seed_screen, standing, whole_status
from textual.pilot import Pilot

from tui.kit.dialogs import LeaveDialog


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the lock, gives up at once: what is kept is kept by trying again."""
    monkeypatch.setattr("corpusdb.corpus.store.connection.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("tui.kit.background._SECONDS_UNTIL_TOLD", 0.0)


@pytest.fixture
def other(begun: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(begun, isolation_level=None)) as connection:
        yield connection


async def said(pilot: Pilot[None], told: str) -> None:
    """Wait until the status line says something."""
    await until(pilot, lambda: told in whole_status(pilot), repr(told))


def test_a_decision_is_marked_and_kept_until_it_can_be_written(begun: Path, other: sqlite3.Connection) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            candidates = seed_screen(pilot).panes.candidates
            first, second = (each.text for each in candidates.candidates[:2])
            other.execute("begin immediate")
            await pilot.press("a")
            await said(pilot, "~ 1 to write: another process writes")
            await pilot.press("x")
            await said(pilot, "~ 2 to write")
            assert [row[1:3] for row in rows(pilot)[:2]] == ["+~", "-~"]
            assert decided(begun) == []
            other.execute("rollback")
            await settled(pilot)
            assert "to write" not in whole_status(pilot)
            assert decided(begun) == [(first, "accept", False), (second, "reject", False)]
            assert [row[1:3] for row in rows(pilot)[:2]] == ["+ ", "- "]

    asyncio.run(check())


def test_one_goes_on_to_other_seeds_and_takes_back_meanwhile(begun: Path, other: sqlite3.Connection) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            other.execute("begin immediate")
            for keys in ("a", "u", "x", "right_square_bracket"):
                await pilot.press(keys)
            await said(pilot, "~ 4 to write")
            await until(pilot, lambda: "seed 2 of 3" in screen_text(pilot.app), "the second seed")
            other.execute("rollback")
            await settled(pilot)
            assert [verdict for _, verdict, _ in decided(begun)] == ["reject"]
            assert standing(begun).position == 2

    asyncio.run(check())


def test_who_leaves_is_told_what_is_not_written(begun: Path, other: sqlite3.Connection) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            other.execute("begin immediate")
            await pilot.press("a")
            await said(pilot, "~ 1 to write")
            await pilot.press("ctrl+q")
            await until(pilot, lambda: isinstance(pilot.app.screen, LeaveDialog), "the dialog")
            assert "another process writes: 1 of your changes" in screen_text(pilot.app)
            await pilot.press("w")
            assert pilot.app.return_code is None
            other.execute("rollback")
            await until(pilot, lambda: pilot.app.return_code is not None, "the end of the browser")
        assert [verdict for _, verdict, _ in decided(begun)] == ["accept"]

    asyncio.run(check())


def test_who_leaves_may_do_without_it(begun: Path, other: sqlite3.Connection) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            other.execute("begin immediate")
            await pilot.press("a")
            await said(pilot, "~ 1 to write")
            await press_until_left(pilot, "ctrl+q", "c")
        other.execute("rollback")
        assert decided(begun) == []

    asyncio.run(check())


async def press_until_left(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await until(pilot, lambda: pilot.app.return_code is not None, "the end of the browser")
