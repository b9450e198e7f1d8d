"""A job that reads for long, in short steps, so that other questions are answered in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from corpusdb.jobs import Job, Progress
from tui.background.reader import DatabaseReader

__all__ = ["StepwiseJob"]

Result = TypeVar("Result")

_SECONDS = 0.025
"""How long a step may keep the reader from others."""


class StepwiseJob(Generic[Result]):
    """A job that advances a little at a time, until it is done or stopped from another thread."""

    def __init__(self, make: Callable[[DatabaseReader], Job[Result]]) -> None:
        """``make`` begins the job, in the reader's thread."""
        self._make = make
        self._job: Job[Result] | None = None
        self._result: Result | None = None
        self.is_over = False
        """Whether it is done, has failed or was stopped."""
        self.is_stopped = False
        self.is_open = False
        """Whether it has begun something that is not cleared away yet."""

    @property
    def result(self) -> Result:
        """What it returned, once ``advance`` has said that it is done."""
        return cast("Result", self._result)

    def advance(self, reader: DatabaseReader) -> Progress | None:
        """Go on for a moment, in the reader's thread; how far it is, or None where it is over.

        A job that was stopped clears away what it has begun. Raises what the job raises.
        """
        end = time.monotonic() + _SECONDS
        goes_on = False
        try:
            if self._job is None and not self.is_over:
                self._job = self._make(reader)
                self.is_open = True
            while self._job is not None and not self.is_over:
                progress = next(self._job)
                if not self.is_stopped and time.monotonic() > end:
                    goes_on = True
                    return progress
        except StopIteration as done:
            self._result = done.value
        finally:
            if not goes_on:
                self._end()
        return None

    def stop(self) -> None:
        """Do not go on after this step."""
        if not self.is_over:
            self.is_stopped = self.is_over = True

    def _end(self) -> None:
        self.is_over = True
        if self._job is not None:
            self._job.close()
        self.is_open = False
