"""A session that p in the corpus opens is only looked at: the file has it when something is decided there."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from pilots import screen_text, settled
from session_pilots import fill, press, seed_screen, standing, status

from corpusdb.base.errors import InputError
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.sessions import Standing, seeds_of_session, sessions
from corpusdb.people.queries.views import UnstoredSession
from tui.app import make_browser
from tui.kit.dialogs import ChoiceDialog

_LOOK = ("space", "space", "space", "p")


def stored(path: Path) -> list[Standing]:
    with open_store(path, read_only=True) as store:
        return sessions(store)


def look(path: Path, *keys: str, **told: str) -> None:
    """Look at the paraphrases of three sentences and press keys there; ``told`` maps a key to what is then said."""

    async def check() -> None:
        async with make_browser(path).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *_LOOK)
            assert "eng-corpus-1: seed 1 of 3 (not stored)" in screen_text(pilot.app)
            assert status(pilot).startswith("only looked at: the session is stored when you decide something")
            await press(pilot, *keys)
            for key, said in told.items():
                await press(pilot, key)
                assert status(pilot).startswith(said)

    asyncio.run(check())


def test_looking_at_paraphrases_stores_nothing(phrasebook: Path) -> None:
    before = phrasebook.read_bytes()
    keys = ("right_square_bracket", "right", "less_than_sign", "h", "o", "escape", "T", "escape", "enter", "q", "j")
    nothing = "! nothing was accepted yet: a accepts, and stores this session"
    look(phrasebook, *keys, u="! nothing was decided yet", w=nothing, e=nothing)
    assert stored(phrasebook) == [] and phrasebook.read_bytes() == before


def test_a_decision_stores_the_session_as_it_was_looked_at(phrasebook: Path) -> None:
    async def check() -> None:
        async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *_LOOK, "right_square_bracket", "left", "a")
            (made,) = stored(phrasebook)
            assert (made.name, made.position, made.order, made.accepted) == ("eng-corpus-1", 2, 19, 1)
            assert "eng-corpus-1: seed 2 of 3  +1 -0" in screen_text(pilot.app)
            await press(pilot, "right_square_bracket", "u", "q")
            assert standing(phrasebook, "eng-corpus-1").accepted == 0
            assert "eng-corpus-1 " in screen_text(pilot.app)

    asyncio.run(check())


@pytest.mark.parametrize("key", ["s", "E", "t"])
def test_so_does_whatever_else_is_worth_keeping(key: str, phrasebook: Path) -> None:
    async def check() -> None:
        async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *_LOOK, key)
            if key != "s":
                await fill(pilot, text="My own.")
            (made,) = stored(phrasebook)
            assert (made.done, made.accepted, made.seeds) == (key == "s", key == "E", 3 + (key == "t"))
            assert "not stored" not in screen_text(pilot.app)

    asyncio.run(check())


def test_a_seed_is_chosen_from_those_that_are_looked_at(phrasebook: Path) -> None:
    async def check() -> None:
        async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *_LOOK, "o")
            assert isinstance(pilot.app.screen, ChoiceDialog)
            await press(pilot, "G", "enter", "1", "2")
            assert "seed 3 of 3 (not stored)" in screen_text(pilot.app)
            assert stored(phrasebook) == []

    asyncio.run(check())


def test_a_name_that_is_taken_meanwhile(phrasebook: Path) -> None:
    session = UnstoredSession("eng-corpus-1", "eng", ("Thank you.", "Hello."))

    async def check() -> None:
        async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *_LOOK)
            with open_store(phrasebook) as store:
                session.store(store, 2, seed_screen(pilot).seed.kept)
                assert [each.text for each in seeds_of_session(store, "eng-corpus-1")] == list(session.texts)
            await press(pilot, "a")
            assert "eng-corpus-2: seed 1 of 3  +1" in screen_text(pilot.app)
            assert standing(phrasebook, "eng-corpus-1").position == 2

    asyncio.run(check())
    with pytest.raises(InputError, match="the seeds are 1 to 2"):
        session.standing(3)


def test_a_file_that_may_only_be_read_is_looked_at(phrasebook: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write to every file")
    phrasebook.chmod(0o444)
    look(phrasebook, "right_square_bracket", a="! ")
