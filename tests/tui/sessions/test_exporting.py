"""The accepted references of a session, written to a file by a key."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pilots import screen_text
from session_pilots import ELEVATOR, STAMPS, WEEK, fill, place, press, rows, seed_screen, status

from corpusdb.corpus.formats.scoring_input import read_references
from tui.kit.dialogs import FormDialog


@pytest.mark.parametrize("where", ["session", "list"])
@pytest.mark.parametrize("name", ["out.tsv", "out.jsonl"])
def test_e_writes_them_as_scoring_reads_them(name: str, where: str, begun: Path, tmp_path: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter") as pilot:
            first = rows(pilot)[0]
            await press(pilot, "a", *(["q"] if where == "list" else []), "e")
            assert "Export the accepted references of s" in screen_text(pilot.app)
            await fill(pilot, file=str(tmp_path / name))
            assert status(pilot).startswith("1 accepted reference of 3 seeds written to ")
            found = [[each.text for each in one] for one in read_references([tmp_path / name]).references]
            assert [each[0] for each in found] == [ELEVATOR, WEEK, STAMPS]
            assert [len(each) for each in found] == [2, 1, 1]
            assert first.endswith(found[0][1])

    asyncio.run(check())


def test_a_file_that_is_there_is_replaced_only_when_asked_for(begun: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    path.write_text("precious")

    async def check() -> None:
        async with place(begun, "enter", "a", "e", size=(200, 30)) as pilot:
            await fill(pilot, file=str(path))
            assert isinstance(pilot.app.screen, FormDialog)
            assert path.read_text() == "precious"
            told = " ".join(line.strip(" │|") for line in screen_text(pilot.app).split("\n"))
            assert "exists already" in told and "'Replace a file' replaces it" in told and "--overwrite" not in told
            await fill(pilot, overwrite="yes")
            assert read_references([path]).references

    asyncio.run(check())


def test_without_an_accepted_one_nothing_is_written(begun: Path, tmp_path: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter", "e") as pilot:
            await fill(pilot, file=str(tmp_path / "out.tsv"))
            assert isinstance(pilot.app.screen, FormDialog), "the form stays"
            assert pilot.app.screen.values()["file"] == str(tmp_path / "out.tsv")
            assert "! nothing is accepted in session 's' yet" in screen_text(pilot.app)
            assert not (tmp_path / "out.tsv").exists()
            await press(pilot, "escape")
            seed_screen(pilot)

    asyncio.run(check())


def test_they_line_up_with_a_test_set(begun: Path, tmp_path: Path) -> None:
    test_set, path = tmp_path / "test.txt", tmp_path / "out.tsv"
    test_set.write_text(f"{WEEK}\n{ELEVATOR}\n\n{ELEVATOR}\n", encoding="utf-8")

    async def check() -> None:
        async with place(begun, "enter", "a", "e", size=(200, 40)) as pilot:
            await fill(pilot, file=str(path), **{"for": "no/such"})
            assert "! there is no file 'no/such'" in screen_text(pilot.app)
            await fill(pilot, **{"for": str(test_set)})
            assert status(pilot).startswith("2 accepted references of 4 lines written to ")
            assert "1 blank line has the reference '-'" in status(pilot)
            assert "; not the +1 of the session" in status(pilot)
            assert [len(each) for each in read_references([path]).references] == [1, 2, 1, 2]
            await press(pilot, "q", "e")
            form = pilot.app.screen
            assert isinstance(form, FormDialog)
            assert form.values()["for"] == str(test_set), "it is named already"

    asyncio.run(check())
