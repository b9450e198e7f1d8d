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
from corpusdb.jobs import Job, Pace, Progress, duration, finished
from corpusdb.terminal import behind_wall

__all__ = ["Meter", "run_job"]

Result = TypeVar("Result")

_SECONDS_BETWEEN_DRAWINGS = 0.1
_SECONDS_UNTIL_LINE = 10.0
"""Of a job: a shorter one writes a line at its end only, where lines are not rewritten."""
_MOST_SECONDS_BETWEEN_LINES = 600.0
_COLUMNS_UNKNOWN = 80


def run_job(job: Job[Result], *, quiet: bool = False, resumes: bool = True) -> Result:
    """Run ``job`` to its end and return its report.

    Raises Cancelled for ctrl+c: the transaction that it hits is rolled back, so that the file is as after the last one.
    A job that does not ``resume`` has nothing that it could keep.
    """
    meter = None if quiet else Meter(sys.stderr)
    try:
        report = finished(job, meter.show if meter else None)
        if meter:
            meter.finish()
        return report
    except KeyboardInterrupt:
        kept = "what is done so far is kept, and the same command goes on from there"
        raise Cancelled(f"interrupted; {kept if resumes else 'nothing was written'}") from None
    finally:
        if meter:
            meter.clear()


class Meter:
    """What a job is doing: one line that is rewritten on a terminal.

    Anywhere else it is a line when the job is done, and before that one after 10 s, 20 s more, 40 s more, and so on.
    """

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._rewrites = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._pace = Pace(clock)
        self._stages: list[str] = []
        """The first, and the last where that is another one."""
        self._begun = self._drawn = clock()
        self._between = _SECONDS_UNTIL_LINE
        self._width = 0

    def show(self, step: Progress) -> None:
        """Show a step, unless another was shown a moment ago; on a terminal the first of a stage always is."""
        now = self._clock()
        reading = self._pace.reading(step)
        is_new = step.stage not in self._stages[-1:]
        self._stages = [*self._stages[:1], step.stage] if is_new else self._stages
        if self._rewrites:
            if is_new or now - self._drawn >= _SECONDS_BETWEEN_DRAWINGS:
                self._drawn = now
                # in the last column some terminals wrap
                self._rewrite(_shortened(cell_safe(reading.told), self._columns() - 1))
        elif now - self._drawn >= self._between:
            self._drawn, self._between = now, min(2 * self._between, _MOST_SECONDS_BETWEEN_LINES)
            self._write_line(reading.told)

    def finish(self) -> None:
        """Say that the job is done, where no line is rewritten: what is left of it in a file."""
        if self._stages and not self._rewrites:
            seconds = self._clock() - self._begun
            took = f" in {duration(seconds)}" if seconds >= 1 else ""
            self._write_line(f"{' ... '.join(self._stages)}: done{took}")

    def clear(self) -> None:
        """Take the line away, so that what comes next stands at its place."""
        if self._width:
            self._rewrite("")
            self._draw("\r")

    def _write_line(self, text: str) -> None:
        self._stream.write(f"corpusdb: {text}\n")
        self._stream.flush()

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
