"""What a session says of keys that do nothing, of the filter, of the last seed, and when one comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pilots import screen_text
from session_pilots import WEEK, fill, place, press, seed_screen, status

from corpusdb.corpus.store import open_store
from corpusdb.people.queries.sessions import create_session
from tui.kit.dialogs import FormDialog
from tui.people.open_seed import told_in_words


def test_a_key_that_does_nothing_says_so(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            for key in ("r", "z"):
                await press(pilot, key)
                assert status(pilot).startswith(f"! {key} does nothing here; ? keys")
            await press(pilot, "a")
            assert status(pilot).startswith("1 accepted")
            await press(pilot, "q", "z")
            assert status(pilot).startswith("! z does nothing here; ? keys")

    asyncio.run(check())


def test_what_was_said_is_forgotten_elsewhere_but_not_over_a_dialog(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter", "a") as pilot:
            assert status(pilot).startswith("1 accepted")
            await press(pilot, "T", "escape")
            assert status(pilot).startswith("1 accepted")
            await press(pilot, "1", "2")
            assert "accepted" not in status(pilot)

    asyncio.run(check())


def test_after_the_last_seed_it_says_what_can_be_done(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter", "a", "s", "s") as pilot:
            assert "done: " not in status(pilot)
            await press(pilot, "s")
            assert status(pilot).startswith("all 3 seeds are done: w writes 1 accepted, e exports them")
            await press(pilot, "s")
            assert "done: " not in status(pilot)

    asyncio.run(check())


def test_the_line_below_says_why_a_paraphrase_passes_or_fails(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            seed = seed_screen(pilot).seed
            assert seed.view is not None
            for each in seed.view.paraphrases:
                told = told_in_words(each, seed.kept)
                assert told.startswith("fails: ") == (not seed.kept.passes(each))
                half = each.order is not None and seed.kept.passes(each) and each.order < seed.order
                assert ("vouched for" in told) == half
            current = seed_screen(pilot).panes.candidates.current
            assert current is not None
            assert told_in_words(current, seed.kept)[:30] in screen_text(pilot.app)

    asyncio.run(check())


def test_a_new_session_without_a_source_is_told_to_name_one(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "c") as pilot:
            await fill(pilot, name="new")
            assert isinstance(pilot.app.screen, FormDialog)
            assert "name one source" in screen_text(pilot.app)
            await fill(pilot, text="A beer.", search="beer")
            assert "2 sources of the seeds are named" in screen_text(pilot.app)

    asyncio.run(check())


def test_a_long_name_leaves_the_counts_in_sight(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        create_session(store, "a name that is longer than there is room for it", "eng", [WEEK])

    async def check() -> None:
        async with place(phrasebook, "enter", "a") as pilot:
            head = screen_text(pilot.app).split("\n")[1]
            assert head.startswith("a name ") and ": seed 1 of 1  +1 -0 " in head and head.endswith(" pass")

    asyncio.run(check())
