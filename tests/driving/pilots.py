"""What the tests of every screen need: waiting until nothing is under way, and style sheets that are parsed once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, cast

import pytest
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

if TYPE_CHECKING:
    from tui.app import Browser

PATIENCE_SECONDS = 120.0
"""What takes longer, on however busy a machine, does not come any more."""

_HANDINGS_ON = 12
"""A key goes from the program to the screen, to the widget with the focus, and up through those that hold it: more
queues than that it does not pass before something is asked or shown."""


async def settled(pilot: Pilot[None]) -> None:
    """Wait until every question is answered and what came of it is shown.

    ``pause`` by itself takes a process that gets no processor for one that has nothing to do. Fails with the questions
    that are not answered where that does not come.
    """
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await _all_answered(pilot)
    except TimeoutError as error:
        raise AssertionError(f"still under way: {[*pilot.app.workers]}") from error


async def _all_answered(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await _handled(pilot)
    while pilot.app.workers:
        with suppress(WorkerCancelled):  # by another question that took its place
            await pilot.app.workers.wait_for_complete()
        await _handled(pilot)
    await pilot.pause()


async def until(pilot: Pilot[None], holds: Callable[[], bool], what: str, *keys: str) -> None:
    """Wait until something holds, pressing ``keys`` again and again. Fails with what is on the screen otherwise."""
    end = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    while not holds():
        assert asyncio.get_running_loop().time() < end, f"{what} does not come:\n{screen_text(pilot.app)}"
        await pilot.press(*keys)
        await (settled(pilot) if keys else pilot.pause())


async def _handled(pilot: Pilot[None]) -> None:
    """Wait until what is in the queues is handled, and what that put into others, however long it takes."""
    for _ in range(_HANDINGS_ON):
        await pilot._wait_for_screen()


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
