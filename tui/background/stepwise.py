"""Long questions to the desk in short steps, so that others get their answers in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from corpusdb.jobs import Job, Progress
from tui.background.reader import Desk

if TYPE_CHECKING:
    from tui.shared.place_screen import PlaceScreen

__all__ = ["StepwiseTask"]

Result = TypeVar("Result")

_SECONDS = 0.025
"""So long a step may keep the desk from others."""


class StepwiseTask(Generic[Result]):
    """A job that the desk does for a screen, step by step, until it is done or stopped."""

    def __init__(
        self, screen: PlaceScreen, kind: str, then: Callable[[Result], None], watch: Callable[[Progress], None]
    ) -> None:
        """``then`` gets the result, on the screen's thread; ``watch`` hears how the job goes."""
        self._screen = screen
        self._kind = kind
        self._then = then
        self._watch = watch
        self._job: Job[Result] | None = None
        self._is_stopped = False
        self.is_over = False
        """Whether it is done, has failed or was stopped."""

    def begin(self, job: Callable[[Desk], Job[Result]]) -> None:
        """Start a job; it is made in the desk's thread. Its errors go to the status line."""

        def question(desk: Desk) -> Progress | list[Result]:
            self._job = job(desk)
            return self._step(self._job)

        self._screen.ask(question, self._went_on, kind=self._kind)

    def stop(self) -> None:
        """Do not go on; what the job has begun, it clears away."""
        if not self.is_over:
            self._is_stopped = self.is_over = True
            self._screen.ask(lambda desk: self._close(), lambda answer: None)

    def _close(self) -> None:
        if self._job is not None:
            self._job.close()

    def _step(self, job: Job[Result]) -> Progress | list[Result]:
        """How far the job has come, or its result as the one member of a list."""
        end = time.monotonic() + _SECONDS
        goes_on = False
        try:
            while True:
                progress = next(job)
                if self._is_stopped or time.monotonic() > end:
                    goes_on = True
                    return progress
        except StopIteration as done:
            return [done.value]
        finally:
            if not goes_on:
                self.is_over = True

    def _went_on(self, answer: Progress | list[Result]) -> None:
        if self._is_stopped or self._job is None:
            return
        if isinstance(answer, list):
            self._then(answer[0])
            return
        job = self._job
        self._watch(answer)
        self._screen.ask(lambda desk: self._step(job), self._went_on, kind=self._kind)
