"""Every screen as it stands on a terminal of 80x24, compared with the text that a person has looked at.

After a change that is wanted, renew the texts and look at what became of them:

    CORPUSDB_RENEW_SNAPSHOTS=1 python -m pytest tests/tui/test_screens.py
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from pilots import screen_text, settled
from rich.cells import cell_len
from standpoints import DIALOGS, STANDPOINTS, stand
from textual.pilot import Pilot

from tui.app import Browser
from tui.kit.lines import Legend
from tui.kit.looks import Looks
from tui.kit.settings import Settings
from tui.plain_output import screen_lines

_WAYS_OUT = re.compile(r"\S+ (quit|back|cancel|close|no|stay|leave|results|to the list)(  (\?|f1) keys)?$")
"""How every line of hints ends: the way out, and the help where this is not the help itself."""
SNAPSHOTS = Path(__file__).parent / "snapshots"
NAMES = (*STANDPOINTS, *DIALOGS)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_DIGEST = re.compile(r"\b[0-9a-f]{16}\b")
"""Of rules, which may become better without a change of the screens."""
_SYMBOLS = re.compile("[\u2190-\u2bff]")
"""Arrows, lines, blocks and other signs that a terminal without UTF-8 does not have."""


@pytest.fixture(autouse=True)
def same_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine, this user and this day."""
    for name in ("NO_COLOR", "TMUX", "CORPUSDB_HISTORY", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "screen")
    monkeypatch.setenv("USER", "tester")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("morphemes")
@pytest.mark.parametrize("name", NAMES)
def test_a_screen_is_as_somebody_has_seen_it(name: str, phrasebook: Path) -> None:
    seen: list[str] = []
    phrasebook.chmod(0o644)  # whatever the umask is

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        shown = _TIME.sub("2000-01-01 00:00", screen_text(browser))
        seen.append((_DIGEST.sub("0" * 16, shown) if name.startswith(("rule", "rewritings")) else shown) + "\n")
        assert any(line.strip() for line in screen_lines(browser.screen))  # it can be read aloud
        hints = browser.screen.query_one(Legend).render().plain
        assert _WAYS_OUT.search(hints), hints
        assert hints.strip() in shown

    stand(Path(phrasebook.name), name, steps)
    snapshot = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("CORPUSDB_RENEW_SNAPSHOTS"):
        SNAPSHOTS.mkdir(exist_ok=True)
        snapshot.write_text(seen[0], encoding="utf-8")
    assert seen[0] == snapshot.read_text(encoding="utf-8")


_ALWAYS = (
    "corpus-groups",
    "document",
    "seed",
    "paradigm-contexts",
    "sample-draw",
    "meaning",
    "scores-segment",
    "aligned",
    "aligned-pivots",
    "rules",
    "rule",
    "rewritings",
    "translation",
    "overview",
    "profile",
    "profile-lines",
)
"""Screens that are drawn at every size by default, one of each place; the others are slow."""


@pytest.mark.usefixtures("morphemes")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in _ALWAYS else pytest.mark.slow) for name in NAMES]
)
def test_a_screen_fits_every_terminal(name: str, phrasebook: Path) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        browser.looks = Looks(browser, Settings(borders="ascii"))
        browser.on_mount()
        for columns, lines in ((60, 20), (200, 60), (40, 10), (80, 24)):
            await pilot.resize_terminal(columns, lines)
            await settled(pilot)
            shown = screen_text(browser)
            assert len(shown.splitlines()) <= lines
            assert max(map(cell_len, shown.splitlines())) <= columns
            assert sorted(set(_SYMBOLS.findall(shown))) == []

    stand(Path(phrasebook.name), name, steps)


def test_there_is_no_snapshot_of_something_else() -> None:
    assert {file.stem for file in SNAPSHOTS.iterdir()} == set(NAMES)
