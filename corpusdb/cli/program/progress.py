"""Jobs run to their end, with what they are doing on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TextIO, TypeVar

from corpusdb.cells import cell_width
from corpusdb.display import cell_safe
from corpusdb.errors import Cancelled
from corpusdb.jobs import Job, Pace, Progress, finished
from corpusdb.terminal import behind_wall

__all__ = ["Meter", "run_job"]

Result = TypeVar("Result")

_SECONDS_BETWEEN_DRAWINGS = 0.1
_SECONDS_BETWEEN_LINES = 10.0
_COLUMNS_UNKNOWN = 80


def run_job(job: Job[Result], *, quiet: bool = False, resumes: bool = True) -> Result:
    """Run ``job`` to its end and return its report.

    Raises Cancelled for ctrl+c: the transaction that it hits is rolled back, so that the file is as after the last one.
    A job that does not ``resume`` has nothing that it could keep.
    """
    meter = None if quiet else Meter(sys.stderr)
    try:
        return finished(job, meter.show if meter else None)
    except KeyboardInterrupt:
        kept = "what is done so far is kept, and the same command goes on from there"
        raise Cancelled(f"interrupted; {kept if resumes else 'nothing was written'}") from None
    finally:
        if meter:
            meter.clear()


class Meter:
    """What a job is doing: one line that is rewritten on a terminal, a line now and then anywhere else."""

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._rewrites = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._pace = Pace(clock)
        self._stage: str | None = None
        self._drawn = 0.0
        self._width = 0

    def show(self, step: Progress) -> None:
        """Show a step, unless another of the same stage was shown a moment ago."""
        now = self._clock()
        between = _SECONDS_BETWEEN_DRAWINGS if self._rewrites else _SECONDS_BETWEEN_LINES
        if step.stage == self._stage and now - self._drawn < between:
            return
        self._stage, self._drawn = step.stage, now
        text = self._pace.reading(step).told
        if self._rewrites:
            self._rewrite(_shortened(cell_safe(text), self._columns() - 1))  # in the last column some terminals wrap
        else:
            self._stream.write(f"corpusdb: {text}\n")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away, so that what comes next stands at its place."""
        if self._width:
            self._rewrite("")
            self._draw("\r")

    def _rewrite(self, text: str) -> None:
        width = cell_width(text)
        # Blanks rather than an escape sequence: they erase on every terminal.
        self._draw("\r" + text + " " * (self._width - width))
        self._width = width

    def _draw(self, text: str) -> None:
        stream = behind_wall(self._stream)
        stream.write(text)
        stream.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS_UNKNOWN
        except OSError:
            return _COLUMNS_UNKNOWN


def _shortened(text: str, cells: int) -> str:
    while cell_width(text) > cells and text:
        text = text[:-1]
    return text
