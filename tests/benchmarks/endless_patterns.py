"""Patterns that never end on a whole corpus: how soon each is stopped by itself, and by a key in the browser.

    python tests/benchmarks/endless_patterns.py DATABASE [--lang eng]

DATABASE is one that `corpusdb import` made; it is only read. The command line is run as a process of its own, and ended
once by itself and once by ctrl+c; the browser runs in a tmux of 80x24. Prints the seconds of each and the aim: ten by
itself, one from the key to the next answer. Times depend on the machine, and on what else it does.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

PATTERNS: tuple[tuple[str, str], ...] = (
    ("--regex", r"^(\w+\s*)+$"),
    ("--regex", "(a|a)*$"),
    ("--regex", "(.*)*x"),
    ("--regex", r"^(\w+)+\1$"),
    ("--regex", "(x+x+)+y"),
    ("--cqp", "a:[] []* b:[] []* c:[] :: a.word = b.word & b.word = c.word"),
    ("--cqp", '"(a+)+b"'),
)
BY_ITSELF, BY_KEY = 10.0, 1.0
PATIENCE = 60.0


def report(what: str, seconds: float, aim: float, told: str) -> None:
    print(f"{what:<62} {seconds:7.2f} {aim:5.1f}  {'ok' if seconds <= aim else 'missed'}  {told}", flush=True)


def search(database: Path, language: str, option: str, pattern: str, wait: float | None) -> tuple[float, str]:
    """Seconds until the command has ended, by itself or from ctrl+c on; and what it said last."""
    command = [sys.executable, "-m", "corpusdb", "--db", str(database), "search", option, pattern, "--lang", language]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8") as process:
        if wait is not None:
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            begun = time.perf_counter()
        _, said = process.communicate()
    return time.perf_counter() - begun, f"{process.returncode}: {said.strip()[-90:]}"


class Browser:
    """The browser in a tmux server of its own."""

    def __init__(self, folder: Path, database: Path) -> None:
        self._socket = str(folder / "tmux")
        program = shlex.join([sys.executable, "-m", "corpusdb", "--db", str(database), "browse"])
        self._tmux("new-session", "-d", "-x", "80", "-y", "24", f"exec env -u COLORTERM TERM=screen {program}")
        self.seconds_until(lambda screen: "sentences" in screen)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-f", os.devnull, "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", "--", *keys)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", "--", text)

    def seconds_until(self, holds: Callable[[str], bool]) -> float:
        begun = time.perf_counter()
        while not holds(self._tmux("capture-pane", "-p")):
            if time.perf_counter() - begun > PATIENCE:
                return PATIENCE
            time.sleep(0.01)
        return time.perf_counter() - begun

    def mode(self, name: str) -> None:
        """Go to a kind of pattern."""
        for _ in range(4):
            if f" {name}" in self._tmux("capture-pane", "-p").split("\n")[1]:
                return
            self.press("m")
            time.sleep(0.3)

    def close(self) -> None:
        self._tmux("kill-server")


def keys(browser: Browser, option: str, pattern: str) -> None:
    """Type a pattern, stop it by Escape; again, and type on; again, and wait."""
    browser.mode("regex" if option == "--regex" else "cqp")
    for what in ("key", "typing", "itself"):
        browser.press("/", "C-u")
        browser.type(pattern)
        told = browser.seconds_until(lambda screen: "escape stops it" in screen)
        if told >= PATIENCE:
            print(f"browser: {pattern[:44]} did not run long enough to be stopped")
            return
        if what == "key":
            browser.press("Escape")
            report(f"browser, Escape: {pattern[:44]}", browser.seconds_until(lambda s: "was stopped" in s), BY_KEY, "")
            begun = time.perf_counter()
            browser.press("/", "C-u")
            browser.type('"zebra"' if option == "--cqp" else "zebra")
            browser.seconds_until(lambda screen: "zebra" in "".join(screen.split("\n")[3:8]))
            report("  and the next answer", time.perf_counter() - begun, BY_KEY, "")
        elif what == "typing":
            browser.press("C-u")
            browser.type('"giraffe"' if option == "--cqp" else "giraffe")
            seconds = browser.seconds_until(lambda screen: "giraffe" in "".join(screen.split("\n")[3:8]))
            report("  typed over", seconds, BY_KEY, "")
        else:
            seconds = browser.seconds_until(lambda screen: screen.rstrip().split("\n")[-1].startswith("! "))
            report("  by itself", seconds + told, BY_ITSELF, "")
        browser.press("Enter")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--lang", default="eng")
    options = parser.parse_args()
    os.environ["CORPUSDB_HISTORY"] = "off"
    for option, pattern in PATTERNS:
        report(f"by itself: {pattern[:48]}", *_with_aim(search(options.database, options.lang, option, pattern, None)))
    for option, pattern in PATTERNS:
        seconds, told = search(options.database, options.lang, option, pattern, 3.0)
        report(f"ctrl+c: {pattern[:48]}", seconds, BY_KEY, told)
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder), options.database)
        try:
            for option, pattern in PATTERNS:
                keys(browser, option, pattern)
        finally:
            browser.close()


def _with_aim(found: tuple[float, str]) -> tuple[float, float, str]:
    return found[0], BY_ITSELF, found[1]


if __name__ == "__main__":
    main()
