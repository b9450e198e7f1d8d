"""Commands of corpusdb in processes of their own: what they say while they run, and what they write."""

from __future__ import annotations

import os
import pty
import re
import selectors
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from corpusdb.base.errors import Cancelled, InputError


@dataclass(frozen=True, slots=True)
class Program:
    """A command, which runs as from a shell."""

    words: tuple[str, ...]
    """Behind the name of the program and its database."""
    columns: int = 80
    """So wide are the tables of its answer."""
    form: str = ""
    """The name of the command whose form it was begun with."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What the fields of the form said, by their names."""


_LINES_OF_GIST: Final = 6
_LINES_KEPT: Final = 300
_SIGNATURE: Final = re.compile(r"\S+: metric:")


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a command wrote."""

    lines: tuple[str, ...]
    """Of its answer, the first ones."""
    talk: tuple[str, ...]
    """What it said beside that."""
    more: int = 0
    """So many lines of the answer are left out."""

    @classmethod
    def restored(cls, kept: Mapping[str, Any]) -> ProgramOutput:
        return cls(tuple(map(str, kept["lines"])), tuple(map(str, kept["talk"])), int(kept["more"]))

    @property
    def shortened(self) -> ProgramOutput:
        """As much of it as is kept for the next time."""
        left_out = max(len(self.lines) - _LINES_KEPT, 0)
        return replace(self, lines=self.lines[:_LINES_KEPT], talk=self.talk[-_LINES_KEPT:], more=self.more + left_out)

    @property
    def gist(self) -> str:
        """Its answer in one line, of a long one how many lines it has; what it said last where that is none."""
        answer = [" ".join(line.split()) for line in self.lines if line.strip() and not _SIGNATURE.match(line)]
        if len(answer) > _LINES_OF_GIST:
            return f"{len(answer) + self.more:,} lines: Enter shows them"
        return "; ".join(answer) or (self.talk or ("",))[-1]

    @property
    def answer(self) -> list[str]:
        left_out = [f"... and {self.more:,} more lines; 'Write to' writes all to a file"] if self.more else []
        return [*self.lines, *left_out]


_MOST_NAMED: Final = 2


def short_title(words: Sequence[str], *, has_folders: bool = False, is_quoted: bool = False) -> str:
    """A command without the folders of its files, unless it ``has_folders``; of many in one the first and the last.

    Its words are quoted as in a shell where it ``is_quoted``.
    """
    quote = shlex.quote if is_quoted else str
    told: list[str] = []
    for folder, files in groupby((word.rstrip("/") for word in words), lambda word: word.rpartition("/")[0]):
        names = [each.rpartition("/")[2] or each for each in files]
        shown = [f"{folder}/{each}" for each in names] if folder and has_folders else names
        many = folder and len(names) > _MOST_NAMED
        told += [quote(shown[0]), "...", f"{quote(names[-1])} ({len(names)} files)"] if many else map(quote, shown)
    return " ".join(told)


_MOST_LINES: Final = 5_000
_MOST_BYTES: Final = 1 << 16
_SECONDS: Final = 0.1
_PREFIX: Final = "corpusdb: "
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ANSWERS: Final = (0, 1)
"""The codes of what was done, the second where the answer is no."""


class _Lines:
    """What comes in pieces, as lines; those that were drawn over are not kept."""

    def __init__(self, most: int) -> None:
        self.kept: list[str] = []
        self.more = 0
        self.last = ""
        self._rest = b""
        self._most = most

    def take(self, data: bytes) -> None:
        *whole, self._rest = (self._rest + data).split(b"\n")
        for each in whole:
            self._keep(_shown(each))
        if parts := [part for part in map(_shown, self._rest.split(b"\r")) if part]:
            self.last = parts[-1]

    def end(self) -> None:
        if text := _shown(self._rest):
            self._keep(text)

    def _keep(self, line: str) -> None:
        self.last = line or self.last
        if len(self.kept) < self._most:
            self.kept.append(line)
        else:
            self.more += 1


def _shown(data: bytes) -> str:
    """What is left on the terminal of a line that may have been drawn several times, the last time with blanks."""
    text = _ESCAPES.sub("", data.decode(errors="replace"))
    return text.rstrip("\r").rpartition("\r")[2].rstrip()


def run_program(
    database: Path, program: Program, tell: Callable[[str], object], is_stopped: Callable[[], bool]
) -> ProgramOutput:
    """Run a command to its end; ``tell`` is given what it says of how it goes.

    It believes that a person reads what it says, who is shown each step, and what it answers. Raises Cancelled where it
    is to be stopped, as ctrl+c would, and InputError with its own words where it fails.
    """
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(program.columns), "PAGER": "cat", "NO_COLOR": "1"}
    words = [sys.executable, "-m", "corpusdb", "--db", str(database), *program.words]
    (answers, own_answers), (says, own_says) = pty.openpty(), pty.openpty()
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=own_answers, stderr=own_says, start_new_session=True, env=environment
    )
    os.close(own_answers)
    os.close(own_says)
    answer, talk = _Lines(_MOST_LINES), _Lines(_MOST_LINES)
    stopped = False
    with ExitStack() as open_ones:
        open_ones.enter_context(process)
        selector = open_ones.enter_context(selectors.DefaultSelector())
        for terminal, lines_of in ((answers, answer), (says, talk)):
            stream = open_ones.enter_context(os.fdopen(terminal, "rb", buffering=0))
            selector.register(stream, selectors.EVENT_READ, lines_of)
        while selector.get_map():
            for key, _ in selector.select(_SECONDS):
                data = _read(key.fd)
                key.data.take(data)
                if not data:
                    selector.unregister(key.fileobj)
            tell(talk.last.removeprefix(_PREFIX))
            if is_stopped() and not stopped:
                stopped = True
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)  # a program may have been begun deaf to ctrl+c
        code = process.wait()
    answer.end()
    talk.end()
    lines = tuple(each.removeprefix(_PREFIX) for each in talk.kept if each)
    last = lines[-1] if lines else f"it ended with code {code}"
    if stopped or code == Cancelled.exit_code:
        raise Cancelled(last)
    if code not in _ANSWERS:
        raise InputError(last.removeprefix("error: "))
    return ProgramOutput(tuple(answer.kept), lines, answer.more)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, _MOST_BYTES)
    except OSError:  # a terminal on whose other side nobody is left
        return b""
