"""An open session that another process changes, renames or deletes, and decisions that others made."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pilots import screen_text
from session_pilots import ELEVATOR, WEEK, decided, fill, place, press, row_of, seed_screen, standing, status

from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import delete_session, go_to_seed, rename_session, restore_session


def test_what_another_process_decided_is_seen_with_the_next_key(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            text = seed_screen(pilot).panes.candidates.candidates[1].text
            with open_store(begun) as store:
                decide(store, "s", ELEVATOR, text, "reject")
                decide(store, "s", WEEK, "Anything.", "accept")
            await press(pilot, "j")
            assert "+1 -1" in screen_text(pilot.app)
            assert row_of(pilot, text)[1] == "-"

    asyncio.run(check())


def test_u_takes_back_what_was_decided_here_first_and_says_what_was_not(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter", "a") as pilot:
            ((mine, _, _),) = decided(begun)
            with open_store(begun) as store:
                decide(store, "s", WEEK, "Anything.", "accept")
            await press(pilot, "q", "enter", "u")
            assert status(pilot).startswith(f"acceptance taken back; seed 1: {mine}"[:80])
            assert decided(begun) == [("Anything.", "accept", False)]
            asked = "u again takes back an acceptance made elsewhere or earlier: Anything."
            await press(pilot, "u", "j")
            assert status(pilot).startswith(asked)
            await press(pilot, "h", "T", "escape", "z", "u")
            assert status(pilot).startswith(asked), "something else was said meanwhile"
            assert decided(begun) == [("Anything.", "accept", False)]
            await press(pilot, "u")
            assert status(pilot).startswith("acceptance made elsewhere or earlier taken back; seed 2: Anything.")
            assert "seed 2 of 3" in screen_text(pilot.app) and decided(begun) == []


def test_another_decision_than_the_one_asked_about_is_not_taken_back(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            with open_store(begun) as store:
                decide(store, "s", WEEK, "Anything.", "accept")
            await press(pilot, "u")
            with open_store(begun) as store:
                decide(store, "s", WEEK, "Something.", "reject")
            await press(pilot, "u")
            assert status(pilot).startswith("u again takes back a rejection made elsewhere or earlier: Someth")
            assert len(decided(begun)) == 2

    asyncio.run(check())


def test_the_seed_that_is_open_here_stays_open_wherever_others_go(begun: Path) -> None:
    """Somebody who writes a wording would else give it to another seed."""

    async def check() -> None:
        async with place(begun, "enter") as pilot:
            with open_store(begun) as store:
                go_to_seed(store, "s", 3)
            await press(pilot, "e", "escape", "T", "escape", "1", "2", "j")
            assert "seed 1 of 3" in screen_text(pilot.app)
            await press(pilot, "E")
            await fill(pilot, text="My own wording.")
            assert [text for text, *_ in decided(begun)] == ["My own wording."]
            view = seed_screen(pilot).seed.view
            assert view is not None and view.decisions.keys() == {"My own wording."}

    asyncio.run(check())


def test_a_session_that_is_renamed_goes_on(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            with open_store(begun) as store:
                rename_session(store, "s", "mine")
            await press(pilot, "a")
            assert standing(begun, "mine").accepted == 1
            await press(pilot, "right_square_bracket", "right", "s", "u", "o", "escape")
            assert standing(begun, "mine").accepted == 0
            assert "mine: seed " in screen_text(pilot.app)
            with open_store(begun) as store:
                rename_session(store, "mine", "yours")
            await press(pilot, "j")
            assert "yours: seed " in screen_text(pilot.app)
            assert status(pilot).startswith("mine is called yours now")

    asyncio.run(check())


def test_a_session_that_is_deleted_says_so(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            with open_store(begun) as store:
                delete_session(store, "s")
            told = "! this session was deleted elsewhere; `corpusdb session restore s` brings it back"
            for key in ("j", "a", "right_square_bracket", "s", "u", "o"):
                await press(pilot, key)
                assert status(pilot).startswith(told[:78])
            with open_store(begun) as store:
                restore_session(store)
            await press(pilot, "a")
            assert status(pilot).startswith("1 accepted")

    asyncio.run(check())
