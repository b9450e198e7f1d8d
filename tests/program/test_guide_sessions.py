"""The sessions that the guides show: each command is run in a terminal, and answers what stands below it.

A guide that has none of its own database begins with that of `corpusdb --db demo.db demo`. A line `...` stands for any
lines, ` ...` in a line for any characters there; lines that are longer than the terminal are folded.
With CORPUSDB_RENEW_SNAPSHOTS=1 what is shown is replaced by what the commands answer now, where that is something else.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpusdb import guides
from corpusdb.base.cells import cell_width
from corpusdb.guides import guide_text, guide_topics
from corpusdb.program.catalogue import COMMANDS, app
from corpusdb.program.demonstration_queries import DemoReport

ROOT = Path(__file__).resolve().parents[2]
INDENT = "      "
WIDTH = 80 - len(INDENT)
END = "\x1e"
SHELL = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<"})
"""What ends the words of a call."""
TUTORIALS = ("evaluators", "linguists", "columns", "query", "files", "keys", "places", "sizes", "scripting")
"""What the guides on the program as a whole are called: each shows a session."""


@dataclass
class Call:
    """A command of a guide, its line there, counted from 0, and the lines that it is shown to answer."""

    line: int
    command: str
    lines: list[str] = field(default_factory=list)
    after: int = 0
    """The line behind those."""


def calls_of(text: str) -> list[Call]:
    """What stands behind `$ ` in a guide, with what follows it as far as that is indented."""
    calls: list[Call] = []
    inside = False
    for number, line in enumerate(text.split("\n")):
        if line.startswith(f"{INDENT}$ "):
            calls.append(Call(number, line.removeprefix(f"{INDENT}$ "), after=number + 1))
            inside = True
        elif inside and f"{line} ".startswith(f"{INDENT}> ") and not calls[-1].lines:
            calls[-1].command += "\n" + f"{line} ".removeprefix(f"{INDENT}> ").removesuffix(" ")
            calls[-1].after = number + 1
        elif inside and line.startswith(INDENT):
            blank = [""] * (number - calls[-1].after)
            calls[-1].lines += [*blank, line.removeprefix(INDENT)]
            calls[-1].after = number + 1
        elif line:
            inside = False
    return calls


def folded(line: str) -> list[str]:
    """A line in parts that fit, ended behind a blank or a bar where one stands in their second half."""
    parts = []
    while cell_width(line) > WIDTH:
        fits = max(end for end in range(len(line)) if cell_width(line[:end]) <= WIDTH)
        cut = max(line.rfind(" ", 0, fits), line.rfind("|", 0, fits)) + 1
        cut = cut if cut > fits // 2 else fits
        parts.append(line[:cut].rstrip())
        line = line[cut:]
    return [*parts, line]


def matches(shown: Sequence[str], answered: Sequence[str]) -> bool:
    """Whether the lines are those, where `...` stands for any, and ` ...` for what is in one.

    Two spaces or more are as good as any others: how wide a column is depends on how many seconds something took.
    """
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else ".*".join(map(_pattern_of, line.split(" ..."))) + "\n" for line in shown
    )
    return any(
        re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None
        for lines in (answered, [part for line in answered for part in folded(line)])
    )


def _pattern_of(part: str) -> str:
    return re.sub(r"(?:\\ ){2,}", "  +", re.escape(part))


@pytest.mark.parametrize(
    ("shown", "answered", "fits"),
    [
        ([], [], True),
        ([], ["a"], False),
        (["a"], ["a"], True),
        (["a.c"], ["abc"], False),
        (["a", "..."], ["a"], True),
        (["a", "...", "d"], ["a", "b", "c", "d"], True),
        (["a", "...", "d"], ["a", "b", "c"], False),
        (["a ... c"], ["a b c"], True),
        (["a ... d"], ["a b c"], False),
        (["a  0"], ["a    0"], True),
        (["a  0"], ["a 0"], False),
        (["a" * WIDTH, "aa"], ["a" * (WIDTH + 2)], True),
        (["a ..."], ["a" * (WIDTH + 2)], True),
        (["a" * WIDTH, "ab"], ["a" * (WIDTH + 2)], False),
        (["a" * (WIDTH - 1), "bb"], ["a" * (WIDTH - 1) + " bb"], True),
        (["\u4e00" * (WIDTH // 2), "\u4e00"], ["\u4e00" * (WIDTH // 2 + 1)], True),
    ],
)
def test_what_matches(shown: list[str], answered: list[str], fits: bool) -> None:
    assert matches(shown, answered) == fits


def test_calls_are_found_with_what_they_answer() -> None:
    text = "T\n      $ one <<E\n      > in\n      >\n      > E\n      a\n\n      b\n  Text.\n      none\n      $ two\n"
    first, second = calls_of(text)
    assert (first.command, first.lines) == ("one <<E\nin\n\nE", ["a", "", "b"])
    assert (second.line, second.command, second.lines) == (10, "two", [])


@pytest.fixture
def folder(tmp_path: Path, whole_demonstration: tuple[Path, DemoReport]) -> Path:
    """An empty folder but for demo.db, and beside it one with the programs that the guides call."""
    programs, folder = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    folder.mkdir()
    python = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n'
    program = f"#!{sys.executable}\nfrom corpusdb.__main__ import main\n\nmain()\n"
    for name, text in (("python", python), ("corpusdb", program)):
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    shutil.copy(whole_demonstration[0], folder)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """That of somebody who begins: nothing is set that the guides do not set."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return kept | {
        "PATH": f"{folder.parent / 'bin'}:/usr/bin:/bin",
        "HOME": str(folder.parent),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
    }


def in_terminal(script: str, folder: Path) -> str:
    """What a shell writes to a terminal of 74 columns."""
    reading, writing = pty.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    (folder.parent / "session.sh").write_text(script, encoding="utf-8")
    found = b""
    with subprocess.Popen(
        ["bash", str(folder.parent / "session.sh")],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing,
    ):
        os.close(writing)
        while True:
            try:
                part = os.read(reading, 1 << 16)
            except OSError:  # nobody holds the other end any more
                break
            if not part:
                break
            found += part
    os.close(reading)
    return found.decode("utf-8")


def answers(calls: Sequence[Call], folder: Path) -> Iterator[tuple[list[str], int]]:
    """The lines that each call answers, as they stand in the end where progress was written over, and its exit code."""
    script = "code=0\n" + "".join(
        f"(exit $code)\n{each.command}\ncode=$?; printf '{END}%s\\n' $code\n" for each in calls
    )
    said = in_terminal(script, folder).replace("\r\n", "\n")
    parts = re.split(f"{END}(\\d+)\n", said)
    assert len(parts) == 2 * len(calls) + 1, said
    for place in range(0, len(parts) - 1, 2):
        lines = parts[place].split("\n")
        assert lines.pop() == "", parts[place]
        lines = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in lines]
        ends = [line.rpartition("\r")[2].rstrip() for line in lines]
        yield "\n".join(ends).rstrip("\n").split("\n") if any(ends) else [], int(parts[place + 1])


def renew(topic: str, calls: Sequence[Call], answered: Sequence[Sequence[str]]) -> None:
    """Put what was answered into the guide, where it is something else than what is shown."""
    lines = guide_text(topic).split("\n")
    for call, now in reversed(list(zip(calls, answered, strict=True))):
        if not matches(call.lines, now) or any(cell_width(line) > WIDTH for line in call.lines):
            shown = [part for line in now for part in folded(line)]
            lines[call.after - len(call.lines) : call.after] = [f"{INDENT}{line}".rstrip() for line in shown]
    Path(guides.__file__).with_name(f"{topic}.txt").write_text("\n".join(lines), encoding="utf-8")


WITH_SESSIONS = [topic for topic in guide_topics() if calls_of(guide_text(topic))]


def test_the_guides_on_the_whole_show_sessions() -> None:
    assert set(TUTORIALS) <= set(WITH_SESSIONS)


LONG = ("evaluators", "linguists", "columns", "query", "keys", "places", "sizes", "scripting", "files")


@pytest.mark.parametrize(
    "topic", [pytest.param(topic, marks=pytest.mark.slow if topic in LONG else ()) for topic in WITH_SESSIONS]
)
def test_the_commands_answer_what_is_shown(topic: str, folder: Path) -> None:
    calls = calls_of(guide_text(topic))
    answered = list(answers(calls, folder))
    if os.environ.get("CORPUSDB_RENEW_SNAPSHOTS"):
        renew(topic, calls, [lines for lines, _ in answered])
        return
    for call, (lines, _) in zip(calls, answered, strict=True):
        assert matches(call.lines, lines), "\n".join([call.command, *lines])
    codes = [code for _, code in answered]
    told = [bool(call.command == "echo $?") for call in calls[1:]] + [False]
    failed = [call.command for call, code, is_told in zip(calls, codes, told, strict=True) if code and not is_told]
    assert failed == []


def named_calls(text: str) -> Iterator[list[str]]:
    """The words of each call of the program in a guide: on a line of its own, behind `$ `, or between backquotes."""
    joined = re.sub(r" \\\n[ >]*", " ", text)
    lines = re.findall(r"^ +(?:\$ )?(corpusdb .*?)(?: {3,}.*)?$", joined, re.MULTILINE)
    spans = re.findall(r"`(corpusdb\s[^`]*)`", joined)
    for each in [*lines, *spans]:
        words = list(takewhile(lambda word: word not in SHELL, shlex.split(each, comments=True)[1:]))
        while words and words[0] in ("--quiet", "--db"):
            words = words[2 if words[0] == "--db" else 1 :]
        if words and re.fullmatch(r"[a-z-]+", words[0]):
            yield words


@pytest.mark.slow
@pytest.mark.parametrize("topic", guide_topics())
def test_the_calls_are_commands_with_options_that_there_are(topic: str) -> None:
    names = {name for listed in COMMANDS.values() for each in listed for name in (each.name, *each.aliases)}
    for words in named_calls(guide_text(topic)):
        if words[0].startswith("-"):
            continue
        assert words[0] in names, words
        described = CliRunner().invoke(app, [words[0], "--help"]).output
        if " COMMAND [ARGS]" in described and len(words) > 1:
            described = CliRunner().invoke(app, [words[0], words[1], "--help"]).output
            assert described.startswith("Usage: "), words
        options = [word.partition("=")[0] for word in words if re.match(r"--?[A-Za-z]", word)]
        unknown = [each for each in options if not re.search(rf"(?<![\w-]){re.escape(each)}\b", described)]
        assert unknown == [], words
