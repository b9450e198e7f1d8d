"""The browser for pipes and screen readers: a place is gone to, keys are pressed, and what it shows comes out as lines.

It is the very browser, only that nobody sees it; whatever a key does on the screen, it does here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from corpusdb.base.errors import UsageError
from tui import places
from tui.app import Browser, make_browser
from tui.kit.key_table import is_key
from tui.kit.lines import FindLine, StatusLine
from tui.kit.row_list import RowList
from tui.kit.shown import Label, Static

_SIZE = (120, 50)
"""Columns and lines: wide enough for everything that a screen has to show."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Where to go, and what to do there."""

    place: str
    """Its key, such as ``corpus``."""
    find: str | None = None
    """Typed into the place's line of input, and Enter; where it has none, the first row that holds it is opened."""
    press: Sequence[str] = ()
    """Keys, by their names or characters, pressed after that."""


@dataclass(frozen=True, slots=True)
class View:
    lines: tuple[str, ...]
    message: str
    """What stands in the status line."""
    is_error: bool


def visit_place(path: Path, visit: Visit, configuration: Path | None = None) -> View:
    """What a place shows. Raises UsageError for an unknown place, row or key, and what make_browser raises."""
    _check(visit)
    browser = make_browser(path, configuration)
    seen: list[View | UsageError] = []

    async def steps(pilot: Pilot[object]) -> None:
        try:
            seen.append(await _visited(browser, pilot, visit))
        except UsageError as error:
            seen.append(error)
        browser.exit()

    browser.run_until_left(size=_SIZE, pilot=steps)
    if isinstance(seen[0], UsageError):
        raise seen[0]
    return seen[0]


def _check(visit: Visit) -> None:
    known = [place.key for place in places.PLACES]
    if visit.place not in known:
        raise UsageError(f"there is no place {visit.place!r}; there are {', '.join(known)}")
    for key in visit.press:
        if not is_key(key):
            raise UsageError(f"{key!r} is no key, such as j, enter or ctrl+d")


async def _visited(browser: Browser, pilot: Pilot[object], visit: Visit) -> View:
    await _settled(pilot)
    browser.action_go(visit.place)
    await _settled(pilot)
    if visit.find is not None:
        await _find(browser, pilot, visit.find)
    for key in visit.press:
        await pilot.press(key)
        await _settled(pilot)
        if browser.return_code is not None:
            raise UsageError(f"{key!r} leaves the browser")
    message, is_error = _told(browser)
    return View(tuple(screen_lines(browser.screen)), message, is_error)


async def _settled(pilot: Pilot[object]) -> None:
    """Wait until every question is answered and what came of it is shown."""
    await pilot.pause()
    while pilot.app.workers:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


async def _find(browser: Browser, pilot: Pilot[object], text: str) -> None:
    line = next((each for each in browser.screen.query(Input) if each.display and not isinstance(each, FindLine)), None)
    if line is not None:
        line.focus()
        line.value = text
    else:
        rows = next(iter(browser.screen.query(RowList)), None)
        if rows is None or not any(text.casefold() in row.casefold() for row in rows.lines()):
            raise UsageError(f"nothing here holds {text!r}")
        rows.focus()
        rows.find(text)
    await _settled(pilot)
    await pilot.press("enter")
    await _settled(pilot)


def _told(browser: Browser) -> tuple[str, bool]:
    line = next((line for screen in reversed(browser.screen_stack) for line in screen.query(StatusLine)), None)
    return ("", False) if line is None else (line.message, line.is_error)


def screen_lines(screen: Screen[object]) -> list[str]:
    """What any screen shows: what it says itself, else its texts, lines of input and lists from top to bottom."""
    if hasattr(screen, "lines"):
        return list(screen.lines())
    found: list[str] = []
    for widget in screen.query("*"):
        if isinstance(widget, Static | Label):
            found += str(widget.render()).splitlines()
        elif isinstance(widget, Input) and widget.display:
            found.append(f"{widget.placeholder}: {widget.value}")
        elif isinstance(widget, RowList):
            found += widget.lines()
    return found
