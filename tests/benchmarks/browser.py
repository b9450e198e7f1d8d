"""How fast the browser answers on a whole corpus: the first screen as a process, and keys through Textual's pilot.

    python tests/benchmarks/browser.py DATABASE [--times 5]

DATABASE is one that `corpusdb import` and `corpusdb generate` made; a copy of it is used, since sessions are stored.
The times of keys are from the key to the drawing of what it brings. The process is measured on a pseudo-terminal of
80x24 with TERM=screen. Prints the median, the 95th percentile and the aim of each, in milliseconds, and whether the
95th percentile is within the aim. Times depend on the machine, and on what else it does.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.console import RenderableType
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen

from tui.app import Browser
from tui.kit.settings import BrowserSettings
from tui.kit.shown import RowList
from tui.people.seed_screen import SeedScreen

WORDS = ("please", "I don't know", "the train to", "water", "Do you have", "zebra", "yesterday evening", "coffee")
FIRST_SCREEN = re.compile(rb"\d sentences")
"""What is written when the list of sentences has come."""


class Measured(Browser):
    """A browser that knows when its screen was drawn."""

    drawn: list[float]

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        self.drawn.append(time.perf_counter())


@dataclass(frozen=True)
class Times:
    """Milliseconds from a key until the screen was drawn: at once, with new rows in its list, and for the last time."""

    first: float
    rows: float
    last: float


def report(what: str, milliseconds: Sequence[float], aim: float) -> None:
    ordered = sorted(milliseconds)
    high = ordered[min(len(ordered) * 95 // 100, len(ordered) - 1)]
    verdict = "ok" if high <= aim else "missed"
    print(
        f"{what:<44} {ordered[len(ordered) // 2]:9.1f} {high:9.1f} {aim:9.1f}  {verdict} ({len(ordered)})", flush=True
    )


class Process:
    """A browser on a pseudo-terminal of its own."""

    def __init__(self, database: Path) -> None:
        begun = time.perf_counter()
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.environ.update(TERM="screen")
            os.environ.pop("COLORTERM", None)
            os.execv(sys.executable, [sys.executable, "-m", "corpusdb", "--db", str(database), "browse"])
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.wait_for(FIRST_SCREEN)
        self.milliseconds = (time.perf_counter() - begun) * 1000
        """Until the first screen was drawn."""

    def type(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def wait_for(self, pattern: re.Pattern[bytes]) -> None:
        seen = b""
        while not pattern.search(seen):
            seen += os.read(self._terminal, 65536)

    def megabytes(self, what: str) -> float:
        """Its memory: VmRSS is what it has now, VmHWM the most that it had."""
        lines = Path(f"/proc/{self._process}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(what))

    def end(self) -> None:
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._terminal)


def start(database: Path, times: int) -> None:
    """Start the browser again and again; the last one searches and opens a session."""
    milliseconds, megabytes = [], []
    for time_left in reversed(range(times)):
        process = Process(database)
        milliseconds.append(process.milliseconds)
        megabytes.append(process.megabytes("VmRSS"))
        if time_left == 0:
            process.type(b"/train\r")
            process.wait_for(re.compile(rb"train.*\d sentences", re.DOTALL))
            process.type(b"p")
            process.wait_for(re.compile(rb"N = \d+"))
            most = process.megabytes("VmHWM")
        process.end()
    report("the first screen, a whole process", milliseconds, 1000)
    report("its memory, MB", megabytes, 200)
    report("its memory after a search, in a session, MB", [most], 200)


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    while pilot.app.workers:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


async def timed(browser: Measured, pilot: Pilot[None], key: str) -> Times:
    """What comes of a key, and when."""
    shown: list[float] = []
    show_rows = RowList.show_rows

    def noted(rows: RowList, *values: Any, **options: Any) -> None:
        show_rows(rows, *values, **options)
        shown.append(time.perf_counter())

    browser.drawn = []
    begun = time.perf_counter()
    with patch.object(RowList, "show_rows", noted):
        browser.post_message(Key(key, key if len(key) == 1 else None))
        await settled(pilot)
    answered = next((drawn for drawn in browser.drawn if shown and drawn > shown[0]), browser.drawn[-1])
    return Times(*((drawn - begun) * 1000 for drawn in (browser.drawn[0], answered, browser.drawn[-1])))


async def search(browser: Measured, pilot: Pilot[None]) -> None:
    keys: list[Times] = []
    for words in WORDS:
        await pilot.press("slash")
        await settled(pilot)
        for character in words:
            keys.append(await timed(browser, pilot, character))
        await pilot.press("ctrl+u", "enter")
        await settled(pilot)
    report("a keystroke in the search line, its hits", [times.rows for times in keys], 50)
    report("    and the translations of the first", [times.last for times in keys], 150)


async def scroll(browser: Measured, pilot: Pilot[None]) -> None:
    down = [await timed(browser, pilot, "j") for _ in range(100)]
    report("a row down", [times.first for times in down], 50)
    report("    and its translations", [times.last for times in down], 150)
    report("to the end and back", [(await timed(browser, pilot, key)).first for key in ("G", "g") * 5], 50)


async def session(browser: Measured, pilot: Pilot[None]) -> None:
    await pilot.press("slash", *"train", "enter")
    await settled(pilot)
    await pilot.press(*["space"] * 60)
    await pilot.press("p")
    await settled(pilot)
    assert isinstance(browser.screen, SeedScreen), "no session was opened"
    moves: list[Times] = []
    opened: list[Times] = []
    for _ in range(50):
        opened.append(await timed(browser, pilot, "right_square_bracket"))
        moves += [await timed(browser, pilot, key) for key in ("right", "left", "left", "right")]
    report("opening the next seed", [times.last for times in opened], 150)
    report("moving N by one", [times.last for times in moves], 50)


async def drive(database: Path, steps: Callable[[Measured, Pilot[None]], Awaitable[None]]) -> None:
    browser = Measured(database, BrowserSettings())
    browser.drawn = []
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await steps(browser, pilot)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--times", type=int, default=5, help="how many processes are started")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # the history of whoever runs this stays as it is
        database = Path(shutil.copy(options.database, Path(folder) / "corpus.db"))
        print(f"{'milliseconds':<44} {'median':>9} {'95 %':>9} {'aim':>9}")
        start(database, options.times)
        for steps in (search, scroll, session):
            asyncio.run(drive(database, steps))


if __name__ == "__main__":
    main()
