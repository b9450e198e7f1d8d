"""Looking for harm at a screen of the browser that stands."""

from __future__ import annotations

from hostile import found_in
from pilots import screen_text, settled
from textual.pilot import Pilot
from textual.widgets import Input

from tui.app import Browser

__all__ = ["look", "look_twice"]


async def look(browser: Browser, pilot: Pilot[None]) -> None:
    """Look at the screen that stands: it holds no harm, and all of it went through the door before the wall."""
    await settled(pilot)
    assert list(found_in(screen_text(browser))) == []
    typed = [each.value for screen in browser.screen_stack for each in screen.query(Input)]
    if not any(list(found_in(value)) for value in typed):
        assert browser.wall.met == [], browser.wall.met


async def look_twice(browser: Browser, pilot: Pilot[None], attack: str) -> None:
    """Look at it, and once more when its status line has said something that attacks it."""
    await look(browser, pilot)
    browser.say(attack, is_error=True)
    await look(browser, pilot)
    assert "Traceback" not in screen_text(browser)
