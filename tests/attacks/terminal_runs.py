"""Runs the program many times, each time on a pseudo-terminal of its own, and keeps the bytes that came out.

A process of its own, which imports the program once and is copied for each run: a file with the runs in, one out. A
run is a list of arguments of the command line, or the name of a standpoint in the browser and further keys.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import importlib
import importlib.util
import io
import json
import os
import pkgutil
import pty
import struct
import sys
import termios
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import typer.main
from hostile import look_twice
from pilots import settled
from standpoints import DIALOGS, STANDPOINTS
from textual.pilot import Pilot

import corpusdb
from corpusdb.program.catalogue import app, main
from corpusdb.program.commands import OfferedCommands
from tui.app import Browser
from tui.kit.settings import BrowserSettings

_LINES_AND_COLUMNS = (40, 120)


def on_terminal(run: Callable[[], None]) -> tuple[int, bytes]:
    """The exit code of what is run, and everything that it sent to its terminal."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", *_LINES_AND_COLUMNS, 0, 0))
    child = os.fork()
    if child == 0:
        os.close(here)
        _be_alone(there, run)
    os.close(there)
    sent = bytearray()
    while part := _read(here):
        sent += part
    os.close(here)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), bytes(sent)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # nobody has the other end open any more
        return b""


def _be_alone(terminal: int, run: Callable[[], None]) -> None:
    code = 70
    try:
        os.setsid()
        for stream in (0, 1, 2):
            os.dup2(terminal, stream)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        run()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()  # among what was sent, where a test that fails shows it
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run_command(arguments: Sequence[str]) -> None:
    """The command line."""
    sys.argv = ["corpusdb", *arguments]
    main()


def run_browser(name: str, keys: Sequence[str], attack: str | None = None) -> None:
    """The browser on $CORPUSDB_DB: go to a standpoint, press keys, look at the screen for harm, and leave."""
    browser = Browser(Path(os.environ["CORPUSDB_DB"]), BrowserSettings(), commands=OfferedCommands())

    async def steps(pilot: Pilot[object]) -> None:
        await settled(pilot)  # type: ignore[arg-type]
        for key in STANDPOINTS.get(name, ()):
            await pilot.press(key)
            await settled(pilot)  # type: ignore[arg-type]
        if name in DIALOGS:
            await browser.push_screen(DIALOGS[name]())
        for key in keys:
            await pilot.press(key)
            await settled(pilot)  # type: ignore[arg-type]
        if attack is not None:
            await look_twice(browser, pilot, attack)  # type: ignore[arg-type]
        browser.exit()

    asyncio.run(browser.run_async(mouse=False, auto_pilot=steps))
    if browser._exception is not None:
        raise browser._exception


def prepare() -> None:
    """Import what the commands would import, and build them: each process would do it again."""
    without_spark = importlib.util.find_spec("pyspark") is None
    for module in pkgutil.walk_packages(corpusdb.__path__, "corpusdb."):
        if not module.name.endswith("__main__") and not (without_spark and "cluster" in module.name):
            importlib.import_module(module.name)
    typer.main.get_command = cache(typer.main.get_command)
    with suppress(SystemExit), redirect_stderr(io.StringIO()):
        app(["guide", "--no-such-option"])
    gc.freeze()  # nor is it searched for garbage again


def run_either(run: Any) -> None:
    """What a run says."""
    if isinstance(run, dict):
        run_browser(run["stand"], run["keys"], run.get("attack"))
    else:
        run_command(run)


if __name__ == "__main__":
    prepare()
    answers = []
    for each in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        code, sent = on_terminal(partial(run_either, each))
        answers.append({"run": each, "code": code, "sent": sent.hex()})
    Path(sys.argv[2]).write_text(json.dumps(answers), encoding="utf-8")
