"""`guide`: the list of topics, a topic, and one that there is not."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.guides import guide_text, guide_topics

Run: TypeAlias = Callable[..., Result]


def test_the_topics(run: Run) -> None:
    assert "sharing\tOne database" in run("guide").stdout
    assert json.loads(run("guide", "--json").stdout) == guide_topics()


def test_a_topic(run: Run) -> None:
    assert run("guide", "sharing").stdout == guide_text("sharing")
    assert json.loads(run("guide", "sharing", "--json").stdout)["text"] == guide_text("sharing")


def test_another_topic(run: Run) -> None:
    result = run("guide", "nothing")
    assert (result.exit_code, result.stdout) == (2, "")
    topics = ", ".join(guide_topics())
    assert "limits, linguists" in topics
    assert f"there is no guide to 'nothing'; there are {topics}" in result.stderr


def in_terminal(*words: str, rows: int, **variables: str) -> str:
    """What the program writes to a terminal of so many rows, with a few variables in the environment."""
    ends = pty.openpty()
    fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    environment = {"PATH": os.environ["PATH"], "PYTHONUTF8": "1", "TERM": "xterm", "PYTHONPATH": str(ROOT), **variables}
    process = subprocess.Popen(
        [sys.executable, "-m", "corpusdb", *words], env=environment, stdin=ends[1], stdout=ends[1], stderr=ends[1]
    )
    os.close(ends[1])
    found = b""
    while True:
        try:
            found += os.read(ends[0], 1 << 16)
        except OSError:  # nobody holds the other end any more
            break
    os.close(ends[0])
    assert process.wait(60) == 0
    return found.decode("utf-8").replace("\r\n", "\n")


ROOT = Path(__file__).resolve().parents[3]
TEXT = guide_text("sharing")


@pytest.mark.parametrize("pager", ["cat", "no-such-program", "", "'", "false"])
def test_a_guide_on_a_terminal_without_a_pager_stands_there_in_its_lines(pager: str) -> None:
    shown = in_terminal("guide", "sharing", rows=10, PAGER=pager)
    assert shown == (TEXT if pager != "false" else "")


def test_a_guide_that_is_longer_than_the_terminal_goes_through_the_pager() -> None:
    assert in_terminal("guide", "sharing", rows=10, PAGER="tr a-z A-Z") == TEXT.upper()
    assert in_terminal("guide", "sharing", rows=TEXT.count("\n"), PAGER="tr a-z A-Z") == TEXT.upper()
    assert in_terminal("guide", "sharing", rows=TEXT.count("\n") + 1, PAGER="tr a-z A-Z") == TEXT
    assert in_terminal("guide", "sharing", rows=10, PAGER="tr a-z A-Z", TERM="dumb") == TEXT


def test_a_pager_that_is_left_early_is_no_error() -> None:
    assert in_terminal("guide", "contributing", rows=10, PAGER="head -n 2") == "".join(
        guide_text("contributing").splitlines(keepends=True)[:2]
    )
