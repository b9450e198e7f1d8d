"""Every screen and dialog of the browser over a corpus that attacks its terminal: on the screen, and in the bytes."""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hostile import NAME, PREFIX, Corpus, found_in, look, look_twice, on_terminals
from pilots import screen_text
from standpoints import DIALOGS, STANDPOINTS, stand
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tui.app import Browser, LeaveDialog
from tui.kit.background import JobState
from tui.kit.dialogs import ChoiceDialog, ConfirmDialog, DetailsDialog, FormDialog
from tui.kit.fields import Field
from tui.kit.shown import StatusChanged

TUI = Path(__file__).parents[2] / "tui"
_BAD = f"{PREFIX}{NAME}"
_MORE_DIALOGS: Mapping[str, Callable[[], Screen[Any]]] = {
    "evil leave": lambda: LeaveDialog([JobState(1, _BAD, "running")]),
    "evil confirm": lambda: ConfirmDialog(_BAD),
    "evil choice": lambda: ChoiceDialog(_BAD, [_BAD, NAME]),
    "evil details": lambda: DetailsDialog(_BAD, [_BAD, NAME]),
    "evil form": lambda: FormDialog(_BAD, [Field("a", _BAD, "", _BAD)], lambda values: None),
}
_OWN = re.compile(
    "\x1b(?:"
    r"\[[0-9;]*[mHhlKJ]|\[\?[0-9;]+[hlu$p]+|\[[<>=?][0-9;]*u|\[[0-9;]*[ABCDGdt]|P\+q[0-9a-f;]*\x1b\\"
    r"|\]52;c;[A-Za-z0-9+/=]*\x07|\]22;[a-z-]*\x07|[78=>]|\(B)"
)
"""What textual sends: styles, places, modes, the shape of the pointer; and what is copied, in base64."""
_COPIED = re.compile("\x1b\\]52;c;([A-Za-z0-9+/=]*)\x07")


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("name", [*STANDPOINTS, *DIALOGS])
def test_every_standpoint_is_harmless_on_80x24(name: str, hostile: Corpus) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        await look_twice(browser, pilot, _BAD)

    stand(hostile.path, name, steps)


@pytest.mark.browser
def test_dialogs_and_the_status_line_show_names_as_they_are(hostile: Corpus) -> None:
    seen: dict[str, str] = {}

    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        for name, dialog in _MORE_DIALOGS.items():
            await browser.push_screen(dialog())
            await look(browser, pilot)
            seen[name] = screen_text(browser)
            browser.pop_screen()
        browser.screen.post_message(StatusChanged(_BAD))
        await look(browser, pilot)
        seen["status"] = screen_text(browser)

    stand(hostile.path, "corpus", steps)
    assert [name for name, text in seen.items() if "[red]" not in text] == []


@pytest.mark.browser
def test_what_stands_in_a_line_of_input_meets_the_wall(hostile: Corpus) -> None:
    async def steps(browser: Browser, pilot: Pilot[None]) -> None:
        browser.screen.query_one("#search", Input).value = _BAD
        await look(browser, pilot)
        assert browser.wall.met != []
        assert max(map(len, screen_text(browser).splitlines())) <= 80

    stand(hostile.path, "corpus", steps)


@pytest.mark.browser
@pytest.mark.slow
def test_no_screen_sends_an_attack_to_its_terminal(hostile: Corpus, tmp_path: Path) -> None:
    runs = [{"stand": name, "keys": [], "attack": _BAD} for name in (*STANDPOINTS, *DIALOGS)]
    sent = on_terminals(runs, hostile, tmp_path)
    assert {str(each.run): harm for each in sent if (harm := list(found_in(_rest(each.text))))} == {}
    assert [(each.run, each.code, each.text[-600:]) for each in sent if each.code] == []
    assert [own for each in sent for own in _OWN.findall(each.text) if re.search(r"13;(37;)?77|\]52", own)] == []
    assert sum("[red]" in each.text for each in sent) > len(sent) // 2


@pytest.mark.browser
@pytest.mark.slow
def test_what_is_copied_leaves_as_base64_only(hostile: Corpus, tmp_path: Path) -> None:
    (sent,) = on_terminals([{"stand": "corpus", "keys": ["y"]}], hostile, tmp_path)
    assert list(found_in(_rest(sent.text))) == []
    assert [base64.b64decode(each).decode() for each in _COPIED.findall(sent.text)] != []


def _rest(text: str) -> str:
    return _OWN.sub("", text).replace("\r", "")


def _ways_around(path: Path) -> Iterator[str]:
    """Where a module makes a text that did not go through the door."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in ("textual.widgets", "rich.text", "textual.content"):
            for alias in node.names:
                if alias.name in ("Static", "Label", "Text", "Content", "Markdown", "RichLog", "Log", "DataTable"):
                    yield f"{path.name}: {node.module}.{alias.name}"
        if isinstance(node, ast.Call) and re.search(r"\b(notify|from_markup|from_ansi)$", ast.unparse(node.func)):
            yield f"{path.name}: {ast.unparse(node.func)}"


@pytest.mark.slow
def test_only_one_module_makes_texts_for_widgets() -> None:
    modules = sorted(TUI.rglob("*.py"))
    assert [each for path in modules if path.name != "shown.py" for each in _ways_around(path)] == []
    assert list(_ways_around(TUI / "kit" / "shown.py")) == []  # which names them by their modules


@pytest.mark.parametrize(
    "text",
    [
        "from rich.text import Text",
        "from textual.widgets import Input, Static",
        "self.notify(name)",
        "Text.from_markup(a)",
    ],
)
def test_a_way_around_is_found(text: str, tmp_path: Path) -> None:
    module = tmp_path / "a.py"
    module.write_text(text, encoding="utf-8")
    assert list(_ways_around(module)) != []
