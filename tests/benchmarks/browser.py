"""How long the browser takes to answer its keys: on any database, and in the place of the scores."""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import pty
import random
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

from measuring import run_named
from rich.console import RenderableType
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen

from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import open_for_reading, open_store
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.score_table import find_table
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores
from tui.app import Browser
from tui.kit.settings import BrowserSettings
from tui.kit.shown import RowList
from tui.people.seed_screen import SeedScreen
from tui.scoring.segment_screen import SegmentScreen

# How fast the browser answers on a whole corpus: the first screen as a process, and keys through Textual's pilot.
#
#     python tests/benchmarks/browser.py browser DATABASE [--times 5]
#
# DATABASE is one that `corpusdb import` and `corpusdb generate` made; a copy of it is used, since sessions are stored.
# The times of keys are from the key to the drawing of what it brings. The process is measured on a pseudo-terminal of
# 80x24 with TERM=screen. Prints the median, the 95th percentile and the aim of each, in milliseconds, and whether the
# 95th percentile is within the aim. Times depend on the machine, and on what else it does.


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


def browser_main() -> None:
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


# How fast the place of scores answers: 20 systems, 5 metrics and 2,000 segments with 4 references each.
#
#     python tests/benchmarks/browser.py scores-browser [--times 5] [--database FILE]
#
# The database is made of words drawn at random, about 20 a segment, and scored, which takes a minute or two; with
# --database it is kept in FILE, and used again where it is there. Times are from the key to the drawing of what it
# brings, through Textual's pilot. Prints the median, the 95th percentile and the aim of each, in milliseconds, and
# whether the 95th percentile is within the aim. Times depend on the machine, and on what else it does.


SYSTEMS, SEGMENTS, REFERENCES, UNITS = 20, 2000, 4, 20
SETTINGS = (
    settings_for("bleu"),
    settings_for("bleu", order=2),
    settings_for("bleu", lowercase=True),
    settings_for("nist"),
    settings_for("mwer"),
)
_VOCABULARY = 5000


def make(database: Path) -> None:
    """Score systems that change more and more words of the first references."""
    rng = random.Random(1)
    words = [f"w{number}" for number in range(_VOCABULARY)]
    weights = [1 / (rank + 1) for rank in range(_VOCABULARY)]

    def changed(text: Sequence[str], share: float) -> list[str]:
        return [rng.choices(words, weights)[0] if rng.random() < share else word for word in text]

    first = [rng.choices(words, weights, k=rng.randint(UNITS // 2, UNITS * 3 // 2)) for _ in range(SEGMENTS)]
    paths = []
    for number in range(REFERENCES):
        path = database.with_name(f"ref{number}.txt")
        lines = (" ".join(changed(text, 0.3 if number else 0.0)) + "\n" for text in first)
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(path)
    sources = [f"source {number}" for number in range(SEGMENTS)]
    references = references_from_files(read_references(paths), paths, sources)
    outputs = [
        Output(f"system-{number}", database, tuple(" ".join(changed(text, 0.2 + number / 50)) for text in first))
        for number in range(SYSTEMS)
    ]
    with open_store(database, create=True) as store:
        store_scores(store, outputs, references, score_systems(outputs, references, SETTINGS))


async def scores(browser: Measured, pilot: Pilot[None]) -> None:
    opened = await timed(browser, pilot, "5")
    report("the place opens", [opened.rows], 300)
    report("the next column", [(await timed(browser, pilot, key)).last for key in ("right", "left") * 5], 50)
    report("sorting", [(await timed(browser, pilot, "s")).rows for _ in range(10)], 50)
    report("the segments of a system", [(await timed(browser, pilot, "enter")).rows], 300)
    report("one segment, the first", [(await timed(browser, pilot, "enter")).rows], 300)
    assert isinstance(browser.screen, SegmentScreen), "no segment was opened"
    moves = [await timed(browser, pilot, "n") for _ in range(100)]
    report("the next segment", [times.rows for times in moves], 50)
    report("    and where its references come from", [times.last for times in moves], 150)
    report("the next match", [(await timed(browser, pilot, "l")).last for _ in range(50)], 50)
    await pilot.press("q", "q", "space", "space", "enter")
    await settled(pilot)
    await pilot.press("q")
    report("all marks of significance", [(await timed(browser, pilot, "b")).last], 60_000)


def table(database: Path, times: int) -> None:
    """The table alone, without a screen."""
    milliseconds = []
    for _ in range(times):
        begun = time.perf_counter()
        with open_for_reading(database) as store:
            assert find_table(store) is not None
        milliseconds.append((time.perf_counter() - begun) * 1000)
    report("the table, read from the file", milliseconds, 300)


def scores_browser_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", type=Path, help="where it is, or is to be kept")
    parser.add_argument("--times", type=int, default=5, help="how many browsers are started")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # the history of whoever runs this stays as it is
        kept = options.database or Path(folder) / "made.db"
        if not kept.exists():
            make(kept)
        database = Path(shutil.copy(kept, Path(folder) / "scores.db"))
        print(f"{'milliseconds':<44} {'median':>9} {'95 %':>9} {'aim':>9}")
        table(database, options.times)
        for _ in range(options.times):
            asyncio.run(drive(database, scores))


if __name__ == "__main__":
    run_named({"browser": browser_main, "scores-browser": scores_browser_main})
