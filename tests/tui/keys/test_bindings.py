"""Every key is pressed, one by one and each in a browser of its own: something happens, or something is said.

A binding that is in force at no standpoint of the table fails.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pilots import screen_text, settled
from standpoints import DIALOGS, STANDPOINTS, stand
from textual.pilot import Pilot

from tui.app import Browser, all_bindings
from tui.keys.in_force import live_keys
from tui.widgets.row_list import RowList
from tui.widgets.text_pane import TextPane

# All of them share one long look at every screen, so one process does them.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("bindings")]

_UNSEEN = {
    "app.redraw": "the same screen again",
    "app.suspend": "stops the process; see test_ctrl_z_goes_to_the_shell",
    "go.corpus": "one is there already",
    "overview.recount": "the same figures again",
}
"""Bindings whose effect is not on the screen where they are pressed, and why."""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TMUX", "CORPUSDB_HISTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("USER", "tester")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Browser, "action_suspend_process", lambda browser: None)


def keys_at(path: Path, name: str) -> dict[str, str]:
    """A key of every binding in force at a standpoint, by its id."""
    found: dict[str, str] = {}

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        found.update({entry.binding.id or "": entry.names[0] for entry in live_keys(browser.screen)})

    stand(path, name, steps)
    return found


@pytest.fixture(scope="module")
def live(
    finished_phrasebook: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Mapping[str, str]]]:
    """The keys at every standpoint."""
    folder = tmp_path_factory.mktemp("keys")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("USER", "tester")
        yield {
            name: keys_at(Path(shutil.copy(finished_phrasebook, folder / f"{name}.db")), name)
            for name in (*STANDPOINTS, *DIALOGS)
        }


def appearance(browser: Browser) -> tuple[object, ...]:
    """What a person could notice, in lists after some scrolling too."""
    rows = [(rows.cursor, len(rows.selected), rows.lines()[:100]) for rows in browser.screen.query(RowList)]
    return (screen_text(browser), browser.screen, browser.focused, rows, browser.theme, browser.return_code)


def is_noticed(path: Path, name: str, key: str) -> bool:
    """Whether a key does something that a person would notice at a standpoint; the browser goes on in any case."""
    noticed: list[bool] = []

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        for rows in browser.screen.query(RowList):  # from the middle one can go up and down
            rows.cursor = min(rows.count // 2, 30)
        for pane in browser.screen.query(TextPane):
            pane.scroll_to(y=3, animate=False)
        browser.say("")
        await settled(pilot)
        before = appearance(browser)
        await pilot.press(key)
        await settled(pilot)
        noticed.append(appearance(browser) != before)

    stand(path, name, steps)
    return noticed == [True]


@pytest.mark.parametrize("binding", sorted(all_bindings()))
def test_a_key_does_something(
    binding: str, live: Mapping[str, Mapping[str, str]], finished_phrasebook: Path, tmp_path: Path
) -> None:
    names = [name for name, keys in live.items() if binding in keys]
    assert names, "it is in force at no standpoint"
    for name in names:
        path = Path(shutil.copy(finished_phrasebook, tmp_path / "phrasebook.db"))
        if is_noticed(path, name, live[name][binding]) or binding in _UNSEEN:
            return
    pytest.fail(f"it does nothing at {', '.join(names)}")
