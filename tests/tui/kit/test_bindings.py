"""Every key is pressed where it is in force: something happens, or something is said.

A binding that no standpoint of the table presses fails, and so does one that is not in force where it is pressed.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from pilots import idle, screen_text, settled
from standpoints import PRESSED, stand
from textual.pilot import Pilot

from tui.app import Browser, all_bindings
from tui.kit.settings import live_keys
from tui.kit.shown import RowList, TextPane

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


def appearance(browser: Browser) -> tuple[object, ...]:
    """What a person could notice, in lists after some scrolling too."""
    rows = [(rows.cursor, len(rows.selected), rows.lines()[:100]) for rows in browser.screen.query(RowList)]
    return (screen_text(browser), browser.screen, browser.focused, rows, browser.theme, browser.return_code)


async def is_noticed(browser: Browser, pilot: Pilot[None], key: str) -> bool:
    """Whether a key does something that a person would notice; the browser goes on in any case."""
    for rows in browser.screen.query(RowList):  # from the middle one can go up and down
        rows.cursor = min((rows.count - (key == "down")) // 2, 30)
    for pane in browser.screen.query(TextPane):
        pane.scroll_to(y=3, animate=False)
    browser.say("")
    await idle(pilot)
    before = appearance(browser)
    await pilot.press(key)
    await settled(pilot)
    return appearance(browser) != before


def without_effect(path: Path, name: str, bindings: Sequence[str]) -> list[str]:
    """Those bindings that are not in force at a standpoint, or whose keys do nothing there.

    They are pressed one after the other as long as the browser stands where it stood, if need be after Escape. What
    does nothing after others is pressed once more, first in a new browser.
    """
    left, wanting = list(bindings), []

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        screen, focused, first = browser.screen, browser.focused, True
        while left and (browser.screen, browser.focused, browser.return_code) == (screen, focused, None):
            keys = {entry.binding.id: entry.names[0] for entry in live_keys(browser.screen)}
            if left[0] in keys and (await is_noticed(browser, pilot, keys[left[0]]) or left[0] in _UNSEEN):
                del left[0]
            elif first:
                wanting.append(left.pop(0))
            else:
                return
            first = False
            if browser.screen is not screen and browser.return_code is None:
                await pilot.press("escape")
                await settled(pilot)

    while left:
        before = len(left)
        stand(Path(shutil.copy(path, "phrasebook.db")), name, steps)
        assert len(left) < before, f"a new browser at {name} does not come to {left[0]}"
    return wanting


_ALWAYS = ("document", "seed", "scores", "rules", "jobs", "leave")
"""Standpoints that are gone through by default; the others are slow."""


_OWN = [binding for binding in PRESSED["corpus"] if binding.startswith("corpus.")]
_KEYS = [
    pytest.param("corpus", _OWN, id="corpus", marks=pytest.mark.slow),
    pytest.param("corpus", sorted({*PRESSED["corpus"]} - {*_OWN}), id="corpus-others", marks=pytest.mark.slow),
    *(
        pytest.param(name, PRESSED[name], id=name, marks=() if name in _ALWAYS else pytest.mark.slow)
        for name in PRESSED
        if name != "corpus"
    ),
]
"""The standpoints with what is pressed there; in the corpus the keys that are in force elsewhere too are slow."""


@pytest.mark.usefixtures("morphemes")
@pytest.mark.parametrize(("name", "bindings"), _KEYS)
def test_every_key_does_something(name: str, bindings: Sequence[str], finished_phrasebook: Path) -> None:
    assert without_effect(finished_phrasebook, name, bindings) == []


def test_every_binding_is_pressed_somewhere() -> None:
    assert sorted(binding for pressed in PRESSED.values() for binding in pressed) == sorted(all_bindings())
