"""Commands begun from any place: paths that are completed, the line a form stands for, what a process wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from pilots import press, screen_text, settled
from textual.widgets import Input

from corpusdb.base.errors import Cancelled, InputError
from corpusdb.program.commands import OfferedCommands
from tui.app import Browser
from tui.kit.command_forms import CommandDialog, completed
from tui.kit.dialogs import ChoiceDialog, Field, FormDialog
from tui.kit.place_screen import PlaceScreen
from tui.kit.programs import Program, run_program
from tui.kit.settings import BrowserSettings, own_widgets
from tui.places import PLACES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("two one.tsv", "two two.tsv", "three.tsv", ".hidden", "data/eng.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("A\tB\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "is_many", "whole", "names"),
    [
        ("tw", False, "two ", ["two one.tsv", "two two.tsv"]),
        ("two o", False, "two one.tsv", ["two one.tsv"]),
        ("tw", True, "two\\ ", ["two one.tsv", "two two.tsv"]),
        ("three.tsv two\\ t", True, "three.tsv two\\ two.tsv", ["two two.tsv"]),
        ("d", False, "data/", ["data/"]),
        ("data/", False, "data/eng.txt", ["eng.txt"]),
        ("~/da", False, "~/data/", ["data/"]),
        (".h", False, ".hidden", [".hidden"]),
        ("x", False, "x", []),
        ("nowhere/x", False, "nowhere/x", []),
    ],
)
def test_a_path_is_completed_as_far_as_it_goes(
    text: str, is_many: bool, whole: str, names: list[str], folder: Path
) -> None:
    assert completed(text, is_many=is_many) == (whole, names)


def test_nothing_hidden_is_offered_before_it_is_asked_for(folder: Path) -> None:
    assert ".hidden" not in completed("")[1]


def test_a_command_answers_fails_and_is_stopped(phrasebook: Path) -> None:
    told: list[str] = []
    counted = run_program(phrasebook, Program(("sql", "select count(*) from collection")), told.append, lambda: False)
    assert counted.lines[-1] == "1" and counted.told()[-1] == "1"
    with pytest.raises(InputError, match="no sentences in tlh"):
        run_program(phrasebook, Program(("detect", "--lang", "tlh")), told.append, lambda: False)
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
    with pytest.raises(Cancelled):
        run_program(phrasebook, Program(("sql", endless)), told.append, lambda: True)


async def test_every_place_begins_its_own_commands_first_and_a_form_shows_its_line(phrasebook: Path) -> None:
    offered = dict(OfferedCommands().listed())
    firsts = {owner.PLACE: owner.BEGINS for owner in own_widgets(PlaceScreen) if owner.PLACE and not owner.REACHED}
    assert set(firsts) == {place.key for place in PLACES} and all(firsts.values())
    assert {name for names in firsts.values() for name in names} <= offered.keys()
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "8", "exclamation_mark")
        assert isinstance(browser.screen, ChoiceDialog)
        names = [line.split()[0] for line in browser.screen.lines()[1:]]
        assert tuple(names[:4]) == firsts["equivalents"] and sorted(names) == sorted(offered)
        await press(pilot, "enter")
        assert isinstance(browser.screen, CommandDialog)
        browser.screen.query_one("#lang", Input).value = "eng,fra"
        browser.screen.query_one("#retrain", Input).value = "yes"
        await settled(pilot)
        assert browser.screen.lines()[-1] == "$ corpusdb align --lang eng,fra --retrain"
        assert "$ corpusdb align --lang eng,fra --retrain" in screen_text(browser)
        await press(pilot, "escape", "9", "exclamation_mark", "enter")
        assert browser.screen.lines()[1].startswith("rules list ")  # a group: which of its commands


async def test_the_palette_finds_the_commands_of_the_shell(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings(), commands=OfferedCommands())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "colon", *"corpusdb backup", "enter")
        assert isinstance(browser.screen, CommandDialog)
        assert browser.screen.lines()[0].startswith("backup: ")


async def test_a_form_is_carried_out_once_however_often_enter_is_pressed(phrasebook: Path) -> None:
    begun: list[str] = []
    gate = asyncio.Event()

    async def carry_out(values: Mapping[str, str]) -> None:
        begun.append(values["a"])
        await gate.wait()

    browser = Browser(phrasebook, BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await browser.push_screen(FormDialog("Do it", [Field("a", "A", "once")], lambda values: None, carry_out))
        await pilot.press("enter", "enter", "enter")
        gate.set()
        await settled(pilot)
    assert begun == ["once"]


async def test_a_browser_without_commands_says_so(phrasebook: Path) -> None:
    browser = Browser(phrasebook, BrowserSettings())
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "exclamation_mark")
        assert "begins no commands" in screen_text(browser)
