"""What the tests of every screen need: waiting until nothing is under way, style sheets and databases made once."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import textual.app
import textual.pilot
import textual.screen
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled

if TYPE_CHECKING:
    from tui.app import Browser

PATIENCE_SECONDS = 120.0
"""What takes longer, on however busy a machine, does not come any more."""

_GLANCE_SECONDS = 0.005
"""What somebody who waits for another thread sleeps before looking again: it takes no time from that thread."""

_NEVER = 1e6
"""Seconds until a screen is drawn by its own clock: whoever waits lays it out, once, when nothing is under way."""


_draw = Screen._compositor_refresh


def _draw_nothing(screen: Screen[Any]) -> None:
    """Drawing is a fifth of what a browser costs, and no terminal is there: ``screen_text`` draws what it reads."""
    screen._dirty_widgets.clear()


def draw(app: App[None]) -> None:
    """Draw the screen as for a terminal: a dialog that opens leaves of it what was drawn."""
    _draw(app.screen)


@contextmanager
def rest_seen_at_once() -> Iterator[None]:
    """Keys and ``pause`` of textual wait until nothing is under way in the loop, and not for a quiet fiftieth second.

    Textual compares clocks: it waits 20 ms for each key and each pause at least, and takes a process that gets no
    processor for one that has nothing to do.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (textual.app, textual.pilot):
            patch.setattr(module, "wait_for_idle", _at_rest)
        patch.setattr(textual.screen, "UPDATE_PERIOD", _NEVER)
        patch.setattr(Screen, "_compositor_refresh", _draw_nothing)
        yield


async def _at_rest(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until whatever could go on in this thread has gone on, and waits for another, for a clock or for a key."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    end = time.monotonic() + max_sleep
    await asyncio.sleep(min_sleep)
    while ready and time.monotonic() < end:
        await asyncio.sleep(0)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until every question is answered and what came of it has its place on the screen.

    Fails with the questions that are not answered where that does not come.
    """
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await _all_answered(pilot)
    except TimeoutError as error:
        raise AssertionError(f"still under way: {[*pilot.app.workers]}") from error


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when all that the one before it did is done."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def seen(pilot: Pilot[None]) -> None:
    """Wait until what is known is painted, whatever is not answered yet."""
    await _at_rest()
    pilot.app.screen._on_timer_update()
    await _at_rest()


async def _all_answered(pilot: Pilot[None]) -> None:
    """Go on until the loop rests, no question is open, every queue is waited at, and nothing waits to be laid out."""
    await _at_rest()
    while pilot.app.is_running:
        app, screen = pilot.app, pilot.app.screen
        if app.workers:
            with suppress(WorkerCancelled):  # by another question that took its place
                await app.workers.wait_for_complete()
        elif app._resize_timer is not None:  # of several sizes that come at once only the last is taken
            app._check_resize()  # the timer of a process that stood still for a moment goes by without a word
        elif not all(_waits(pump) for pump in (app, *screen.walk_children(with_self=True))):
            await pilot._wait_for_screen()
        elif _is_to_be_drawn(screen):
            screen._on_timer_update()
        else:
            return
        await _at_rest()


def _waits(pump: MessagePump) -> bool:
    """Whether a queue is empty and waited at: nobody is about to handle what was in it."""
    return not pump.is_running or bool(pump._message_queue.ready_event._waiters)


def _is_to_be_drawn(screen: Screen[Any]) -> bool:
    """As the screen asks before it begins to wait for the time of its next drawing."""
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )


async def until(pilot: Pilot[None], holds: Callable[[], bool], what: str, *keys: str) -> None:
    """Wait until something holds, pressing ``keys`` again and again. Fails with what is on the screen otherwise."""
    end = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while not holds():
        assert asyncio.get_running_loop().time() < end, f"{what} does not come:\n{screen_text(pilot.app)}"
        await pilot.press(*keys)
        await (settled(pilot) if keys else pilot.pause(_GLANCE_SECONDS))


async def idle(pilot: Pilot[None]) -> None:
    """Wait until no background job is left, and what came of them is shown."""
    browser = cast("Browser", pilot.app)
    while futures := [work.future for work in browser.jobs._works.values() if work.future and not work.state.is_over]:
        waiting = [asyncio.wrap_future(future) for future in futures]
        _, left = await asyncio.wait(waiting, timeout=PATIENCE_SECONDS)
        assert not left, f"still under way: {[work.state for work in browser.jobs._works.values()]}"
        await settled(pilot)
    await settled(pilot)


def screen_text(app: App[None]) -> str:
    """The screen as it is shown, line by line, without colours."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


@contextmanager
def styles_parsed_once() -> Iterator[None]:
    """As textual does it for one browser with the same colours: nobody changes the rules that came of it."""
    parse, known = Stylesheet._parse_rules, dict[tuple[object, ...], list[RuleSet]]()

    def parsed(
        sheet: Stylesheet, css: str, read_from: CSSLocation, is_default_rules: bool, tie_breaker: int, scope: str
    ) -> list[RuleSet]:
        key = (css, read_from, is_default_rules, tie_breaker, scope, *sorted(sheet._variables.items()))
        if key not in known:
            known[key] = parse(sheet, css, read_from, is_default_rules, tie_breaker, scope)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        yield


_make_once: Callable[[str, Callable[[Path], object]], Path] | None = None


@contextmanager
def databases_filled_once(make_once: Callable[[str, Callable[[Path], object]], Path]) -> Iterator[None]:
    """Whatever ``filled_once`` is asked for is made once for all processes of a run, by the fixture of that name."""
    global _make_once
    _make_once = make_once
    yield
    _make_once = None


def filled_once(path: Path, name: str, fill: Callable[[Path], object]) -> Path:
    """Fill a database with what a name says: equal ones get the same."""
    assert _make_once is not None
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    folder = _make_once(f"{name}-{before}", lambda folder: fill(Path(shutil.copy(path, folder / "filled.db"))))
    path.write_bytes((folder / "filled.db").read_bytes())
    return path
