"""The list of sessions, driven by its keys; sessions that are only looked at; and files of references."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from people_pilots import (
    ELEVATOR,
    STAMPS,
    WEEK,
    fill,
    place,
    rows,
    seed_screen,
    seed_status,
    standing,
    state_of,
)
from pilots import press, screen_text, settled
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import (
    SessionProgress,
    create_session,
    delete_session,
    go_to_seed,
    rename_session,
    seeds_of_session,
    sessions,
)
from corpusdb.people.queries.views import UnstoredSession
from tui.app import Browser, make_browser
from tui.kit.dialogs import ChoiceDialog, FormDialog
from tui.kit.shown import RowList
from tui.people.sessions_screen import SessionScreen
from tui.search.screen import CorpusScreen

# The list of sessions, driven by its keys: how they are begun, and taken up where they were left.


@pytest.mark.slow
async def test_sessions_are_listed_the_last_first_and_opened(begun: Path) -> None:
    with open_store(begun) as store:
        create_session(store, "日本語", "jpn", ["切手はどこで買えますか。"])

    async with place(begun) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        shown = screen.query_one(RowList).lines()
        assert [row.split()[0] for row in shown] == ["日本語", "s"]
        assert len({cell_len(row) for row in shown}) == 1
        assert "1 of 3" in shown[1]
        await press(pilot, "j", "enter")
        assert seed_screen(pilot).seed.session == "s"
        assert ELEVATOR in screen_text(pilot.app)
        await press(pilot, "q")
        assert pilot.app.screen is screen


@pytest.mark.slow
async def test_a_session_is_begun(phrasebook: Path, tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(f"{ELEVATOR}\n{WEEK}\n", encoding="utf-8")

    async with place(phrasebook, "c") as pilot:
        await fill(pilot)
        assert "name one source of the seeds" in screen_text(pilot.app)
        for source, value in (("sample", "4"), ("search", "elevator"), ("text", ELEVATOR), ("file", str(file))):
            await fill(pilot, name=f"by {source}", order="7", **{source: value})
            assert seed_screen(pilot).seed.order == 7
            await press(pilot, "q", "c")
            assert pilot.app.screen.query_one("#name", Input).value == "session-1"
        await fill(pilot, name="fewer", order="7", sample="99", search="elevator")
        assert " of 99 seeds: no others hold this with its capitals and have a paraphrase" in screen_text(pilot.app)
        await press(pilot, "q", "c")
        seeds = {name: standing(phrasebook, f"by {name}").seeds for name in ("sample", "search", "text", "file")}
        assert seeds == {"sample": 4, "search": max(seeds["search"], 2), "text": 1, "file": 2}
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SessionScreen)


async def test_tab_completes_the_file_of_the_seeds(phrasebook: Path, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").touch()
    async with place(phrasebook, "c") as pilot:
        line = pilot.app.screen.query_one("#file", Input)
        line.focus()
        line.value = f"{tmp_path}/se"
        await press(pilot, "tab")
        assert line.value == f"{tmp_path}/seeds.txt" and pilot.app.focused is line
        await press(pilot, "tab")
        assert pilot.app.focused is pilot.app.screen.query_one("#search")


@pytest.mark.slow
async def test_what_is_no_session_is_said_in_the_form(phrasebook: Path) -> None:
    async with place(phrasebook, "c") as pilot:
        for values, told in (
            ({"sample": "x"}, "the sample is a whole number from 1, not 'x'"),
            ({"sample": "0"}, "the sample is a whole number from 1, not '0'"),
            ({"sample": "2", "order": "-3"}, "N is a whole number from 0, not '-3'"),
            ({"sample": "", "order": "20", "file": "/no/such"}, "there is no file"),
            ({"file": "", "text": "a", "name": ""}, "a session needs a name"),
        ):
            await fill(pilot, **values)
            assert told in screen_text(pilot.app)


@pytest.mark.slow
async def test_a_session_with_sentences_of_the_corpus(begun: Path) -> None:
    async with place(begun, "enter", "1") as pilot:
        browser = pilot.app
        assert isinstance(browser, Browser)
        for _ in range(2):
            hits = browser.screen.query_one("#hits", RowList)
            hits.cursor = 0
            await press(pilot, "space", "space", "p")
            assert "seed 1 of 2" in screen_text(pilot.app) and hits.text_of(0) in screen_text(pilot.app)
            assert len(browser.screen_stack) == 2
            await press(pilot, "a", "1")
            await press(pilot, "G", "g", "space", "space")
        with open_store(begun, read_only=True) as store:
            assert {each.name for each in sessions(store)} == {"s", "eng-corpus-1", "eng-corpus-2"}


@pytest.mark.slow
async def test_what_another_program_did_is_seen_on_coming_back(begun: Path) -> None:
    async with place(begun, "enter", "1") as pilot:
        with open_store(begun) as store:
            go_to_seed(store, "s", 2)
        await press(pilot, "2")
        assert "seed 1 of 3" in screen_text(pilot.app)  # where the other went, one does not follow
        text = seed_screen(pilot).panes.candidates.candidates[0].text
        with open_store(begun) as store:
            decide(store, "s", ELEVATOR, text, "accept")
        await press(pilot, "1", "2")
        assert state_of(pilot, text) == "accepted"


async def test_sessions_are_renamed_and_deleted_and_that_is_taken_back(begun: Path) -> None:
    with open_store(begun) as store:
        create_session(store, "other", "eng", [WEEK])

    def names() -> list[str]:
        with open_store(begun, read_only=True) as store:
            return sorted(each.name for each in sessions(store))

    async with place(begun) as pilot:
        listed = pilot.app.screen.query_one(RowList)
        assert [row.split()[0] for row in listed.lines()] == ["other", "s"]
        await press(pilot, "u")
        assert "nothing was renamed or deleted here, and no session is deleted" in screen_text(pilot.app)
        await press(pilot, "j", "R")
        await fill(pilot, name="other")
        assert "there is a session 'other' already" in screen_text(pilot.app)  # in the form, which stays
        await fill(pilot, name=" ")
        assert "is not a name for a session" in screen_text(pilot.app)
        await fill(pilot, name="mine")
        assert names() == ["mine", "other"]
        assert "s is called mine now; u takes that back" in screen_text(pilot.app)
        assert listed.text_of(listed.cursor).startswith("mine")
        await press(pilot, "D")
        assert names() == ["mine", "other"] and "Delete mine, with" in screen_text(pilot.app)
        await press(pilot, "y")
        assert names() == ["other"]
        assert "mine is deleted; u brings it back, later `corpusdb session restore mine`" in screen_text(pilot.app)
        await press(pilot, "u")
        assert names() == ["mine", "other"]
        await press(pilot, "u")
        assert names() == ["other", "s"]
        assert listed.text_of(listed.cursor).startswith("s ")


@pytest.mark.slow
async def test_a_session_that_cannot_be_begun_leaves_what_was_typed(begun: Path) -> None:
    async with place(begun, "c") as pilot:
        form = pilot.app.screen
        await fill(pilot, name="s", text="Anything.")
        assert pilot.app.screen is form
        assert "! there is a session 's' already" in screen_text(pilot.app)
        await fill(pilot, name="t", text="", search="no sentence holds this")
        assert pilot.app.screen is form
        assert "! " in screen_text(pilot.app)
        await fill(pilot, search="", text="Anything.")
        assert seed_screen(pilot).seed.session == "t"


@pytest.mark.slow
async def test_what_a_file_has_too_much_is_told(begun: Path, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(f"{ELEVATOR}\n\n{WEEK}\n{ELEVATOR}\n", encoding="utf-8")

    async with place(begun, "c") as pilot:
        await fill(pilot, name="mine", file=str(tmp_path / "seeds.txt"))
        assert "seed 1 of 2" in screen_text(pilot.app)
        assert seed_status(pilot).startswith("4 lines: 2 seeds, 1 blank, 1 double")


@pytest.mark.slow
def test_the_cursor_is_on_the_session_from_which_one_comes_back(begun: Path) -> None:
    with open_store(begun) as store:
        create_session(store, "other", "eng", [WEEK])

    def here(pilot: Pilot[None]) -> str:
        rows = pilot.app.screen.query_one(RowList)
        return rows.text_of(rows.cursor).split()[0]

    async def check() -> None:
        async with place(begun, "j", "c") as pilot:
            await fill(pilot, name="mine", text="Anything.")
            await press(pilot, "q")
            assert here(pilot) == "mine"
            await press(pilot, "G", "enter", "q")
            assert here(pilot) == "s"
            await press(pilot, "D", "y", "g", "u")
            assert here(pilot) == "s"
        async with place(begun, "G", "D", "y", "g", "D", "y") as pilot:
            deleted = "s"
        async with place(begun, "u") as pilot:  # another browser
            assert "is back, which was deleted earlier or elsewhere" in seed_status(pilot)
            assert here(pilot) in ("mine", "other")
            await press(pilot, "u")
            assert here(pilot) == deleted

    asyncio.run(check())


def test_a_session_that_is_gone_is_not_opened(begun: Path) -> None:
    with open_store(begun) as store:
        create_session(store, "other", "eng", [WEEK])

    async def check() -> None:
        async with place(begun) as pilot:
            listed = pilot.app.screen.query_one(RowList)
            with open_store(begun) as store:
                delete_session(store, "other")
            assert listed.text_of(0).startswith("other")
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, SessionScreen)
            assert "! this session was deleted elsewhere" in seed_status(pilot)
            assert [row.split()[0] for row in listed.lines()] == ["s"]
            with open_store(begun) as store:
                rename_session(store, "s", "mine")
            await press(pilot, "j")
            assert [row.split()[0] for row in listed.lines()] == ["mine"]

    asyncio.run(check())


# A session that p in the corpus opens is only looked at: the file has it when something is decided there.


_LOOK = ("space", "space", "space", "p")


def stored(path: Path) -> list[SessionProgress]:
    with open_store(path, read_only=True) as store:
        return sessions(store)


def look(path: Path, *keys: str, **told: str) -> None:
    """Look at the paraphrases of three sentences and press keys there; ``told`` maps a key to what is then said."""

    async def check() -> None:
        async with make_browser(path).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *_LOOK)
            assert "eng-corpus-1: seed 1 of 3 (not stored)" in screen_text(pilot.app)
            assert seed_status(pilot).startswith("only looked at: the session is stored when you decide something")
            await press(pilot, *keys)
            for key, said in told.items():
                await press(pilot, key)
                assert seed_status(pilot).startswith(said)

    asyncio.run(check())


@pytest.mark.slow
def test_looking_at_paraphrases_stores_nothing(phrasebook: Path) -> None:
    before = phrasebook.read_bytes()
    keys = ("right_square_bracket", "right", "less_than_sign", "h", "o", "escape", "T", "escape", "enter", "q", "j")
    nothing = "! nothing was accepted yet: a accepts, and stores this session"
    look(phrasebook, *keys, u="! nothing was decided yet", w=nothing, e=nothing)
    assert stored(phrasebook) == [] and phrasebook.read_bytes() == before


@pytest.mark.slow
async def test_a_decision_stores_the_session_as_it_was_looked_at(phrasebook: Path) -> None:
    async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, *_LOOK, "right_square_bracket", "left", "a")
        (made,) = stored(phrasebook)
        assert (made.name, made.position, made.order, made.accepted) == ("eng-corpus-1", 2, 19, 1)
        assert "eng-corpus-1: seed 2 of 3, 1 accepted, 0 rejected" in screen_text(pilot.app)
        await press(pilot, "right_square_bracket", "u", "q")
        assert isinstance(pilot.app.screen, CorpusScreen), "where one came from"
        assert standing(phrasebook, "eng-corpus-1").accepted == 0
        await press(pilot, "2")
        assert "eng-corpus-1 " in screen_text(pilot.app)


@pytest.mark.parametrize("key", ["d", *(pytest.param(key, marks=pytest.mark.slow) for key in "Et")])
async def test_so_does_whatever_else_is_worth_keeping(key: str, phrasebook: Path) -> None:
    async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, *_LOOK, key)
        if key != "d":
            await fill(pilot, text="My own.")
        (made,) = stored(phrasebook)
        assert (made.done, made.accepted, made.seeds) == (key == "d", key == "E", 3 + (key == "t"))
        assert "not stored" not in screen_text(pilot.app)


@pytest.mark.slow
async def test_a_seed_is_chosen_from_those_that_are_looked_at(phrasebook: Path) -> None:
    async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, *_LOOK, "o")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await press(pilot, "G", "enter", "1", "2")
        assert "seed 3 of 3 (not stored)" in screen_text(pilot.app)
        assert stored(phrasebook) == []


@pytest.mark.slow
async def test_a_name_that_is_taken_meanwhile(phrasebook: Path) -> None:
    session = UnstoredSession("eng-corpus-1", "eng", ("Thank you.", "Hello."))

    async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, *_LOOK)
        with open_store(phrasebook) as store:
            session.store(store, 2, seed_screen(pilot).seed.kept)
            assert [each.text for each in seeds_of_session(store, "eng-corpus-1")] == list(session.texts)
        await press(pilot, "a")
        assert "eng-corpus-2: seed 1 of 3, 1 accepted" in screen_text(pilot.app)
        assert standing(phrasebook, "eng-corpus-1").position == 2
    with pytest.raises(InputError, match="the seeds are 1 to 2"):
        session.standing(3)


def test_a_file_that_may_only_be_read_is_looked_at(phrasebook: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write to every file")
    phrasebook.chmod(0o444)
    look(phrasebook, "right_square_bracket", a="! ")


# The accepted references of a session, written to a file by a key.


@pytest.mark.slow
async def test_e_writes_them_as_scoring_reads_them(begun: Path, tmp_path: Path) -> None:
    async with place(begun, "enter") as pilot:
        first = rows(pilot)[0]
        await press(pilot, "a")
        for number, name in enumerate(("seed.tsv", "seed.jsonl", "list.tsv", "list.jsonl")):
            await press(pilot, *(["q"] if number == 2 else []), "e")
            assert "Export the accepted references of s" in screen_text(pilot.app)
            await fill(pilot, file=str(tmp_path / name))
            assert seed_status(pilot).startswith("1 accepted reference of 3 seeds written to ")
            found = [[each.text for each in one] for one in read_references([tmp_path / name]).references]
            assert [each[0] for each in found] == [ELEVATOR, WEEK, STAMPS]
            assert [len(each) for each in found] == [2, 1, 1]
            assert first.endswith(found[0][1])


@pytest.mark.slow
async def test_a_file_that_is_there_is_replaced_only_when_asked_for(begun: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    path.write_text("precious")

    async with place(begun, "enter", "a", "e", size=(200, 30)) as pilot:
        await fill(pilot, file=str(path))
        assert isinstance(pilot.app.screen, FormDialog)
        assert path.read_text() == "precious"
        told = pilot.app.screen.lines()[-1]
        assert "exists already" in told and "'Replace a file' replaces it" in told and "--overwrite" not in told
        await fill(pilot, overwrite="yes")
        assert read_references([path]).references


@pytest.mark.slow
async def test_without_an_accepted_one_nothing_is_written(begun: Path, tmp_path: Path) -> None:
    async with place(begun, "enter", "e") as pilot:
        await fill(pilot, file=str(tmp_path / "out.tsv"))
        assert isinstance(pilot.app.screen, FormDialog), "the form stays"
        assert pilot.app.screen.values()["file"] == str(tmp_path / "out.tsv")
        assert "! nothing is accepted in session 's' yet" in screen_text(pilot.app)
        assert not (tmp_path / "out.tsv").exists()
        await press(pilot, "escape")
        seed_screen(pilot)


@pytest.mark.slow
async def test_they_line_up_with_a_test_set(begun: Path, tmp_path: Path) -> None:
    test_set, path = tmp_path / "test.txt", tmp_path / "out.tsv"
    test_set.write_text(f"{WEEK}\n{ELEVATOR}\n\n{ELEVATOR}\n", encoding="utf-8")

    async with place(begun, "enter", "a", "e", size=(200, 40)) as pilot:
        await fill(pilot, file=str(path), **{"for": "no/such"})
        assert "! there is no file 'no/such'" in screen_text(pilot.app)
        await fill(pilot, **{"for": str(test_set)})
        assert seed_status(pilot).startswith("2 accepted references of 4 lines written to ")
        assert "1 blank line has the reference '-'" in seed_status(pilot)
        assert "; not the 1 accepted of the session" in seed_status(pilot)
        assert [len(each) for each in read_references([path]).references] == [1, 2, 1, 2]
        await press(pilot, "q", "e")
        form = pilot.app.screen
        assert isinstance(form, FormDialog)
        assert form.values()["for"] == str(test_set), "it is named already"
