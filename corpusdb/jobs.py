"""Long operations: jobs that report their progress, can be stopped between two steps, and are timed.

A job is a generator that yields Progress between its transactions and returns a report: it can be stopped at every
yield, and the same call later goes on where it stopped. ``finished`` runs one to its end; ``Pace`` says how fast it
goes, and how long it will take.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

__all__ = ["Job", "Pace", "Progress", "Reading", "duration", "finished", "told_if"]

_SECONDS_UNTIL_RATE = 1.0
"""Before that, a rate says more about the clock than about the work."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a job; ``done`` of ``total`` (0 = not known beforehand) in the unit that ``stage`` names."""

    stage: str
    done: int
    total: int


Result = TypeVar("Result")
Job: TypeAlias = Generator[Progress, None, Result]


def finished(job: Job[Result], watch: Callable[[Progress], None] | None = None) -> Result:
    """Run ``job`` to its end, showing each step to ``watch``, and return its report."""
    try:
        while True:
            step = next(job)
            if watch is not None:
                watch(step)
    except StopIteration as end:
        result: Result = end.value
        return result
    finally:
        job.close()


def told_if(is_long: bool, job: Job[Result]) -> Job[Result]:
    """The job itself, whose steps are told only where it is long enough for somebody to wait for it."""
    return (yield from job) if is_long else finished(job)


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a job stands, and how fast it came there."""

    step: Progress
    rate: float | None = None
    """Units of the stage a second, since it began or was taken up again; None while too little is known."""

    @property
    def seconds_left(self) -> float | None:
        """Until the end of this stage; None where the rate or the total is not known, and at the end."""
        if self.rate is None or self.step.total <= self.step.done:
            return None
        return (self.step.total - self.step.done) / self.rate

    @property
    def told(self) -> str:
        """In words: what is being done, how much of it is done, how fast, and how long the rest will take."""
        parts = [self.step.stage]
        if self.step.total:
            parts.append(f"{self.step.done:,} of {self.step.total:,}")
        elif self.step.done:
            parts.append(f"{self.step.done:,}")
        if self.rate is not None:
            parts.append(f"{self.rate:,.0f}/s" if self.rate >= 10 else f"{self.rate:.1f}/s")
        if self.seconds_left is not None:
            parts.append(f"{duration(self.seconds_left)} left")
        return "  ".join(parts)


class Pace:
    """The rate of each stage of one job, from the moments at which its steps come."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: str | None = None
        self._begun = 0.0
        self._first_done = 0

    def reading(self, step: Progress) -> Reading:
        """What is known when this step comes. What was done before the first step of a stage was not done now."""
        now = self._clock()
        if step.stage != self._stage:
            self._stage, self._begun, self._first_done = step.stage, now, step.done
        done, seconds = step.done - self._first_done, now - self._begun
        return Reading(step, done / seconds if done > 0 and seconds >= _SECONDS_UNTIL_RATE else None)


def duration(seconds: float) -> str:
    """Seconds as people say them: 36 s, 6 min 36 s, 2 h 46 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
