"""Long operations: jobs that report their progress and can be stopped, and how long something may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from threading import Event
from typing import TypeAlias, TypeVar

from corpusdb.base.errors import Cancelled, UsageError

# Long operations: a job is a generator that yields Progress between its transactions and returns a report. It can be
# stopped at every yield, and the same call later goes on where it stopped. ``finished`` runs one to its end; ``Pace``
# times it.

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


def with_progress_if(is_long: bool, job: Job[Result]) -> Job[Result]:
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


# How long something may take: until its time is over, or until somebody does not want it any more.

SECONDS_FOR_PATTERNS = 6.0
"""For all patterns of a question, where nothing else is said: with starting and reading, ten seconds to the end."""

_SHOWN = 60
"""So much of a pattern or a sentence is quoted in a message."""


class TookTooLong(UsageError):
    """A pattern needs more time than there is: another one, or more time, has to be asked for."""


class Limit:
    """The time that the patterns of one question may take together, from now on, with all that is done in between.

    ``cancel`` may be called from another thread than the one that works.
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        seconds_a_text: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``seconds``: for all of it; None or 0 is all that it takes. ``seconds_a_text``: for one sentence."""
        self.seconds = seconds if seconds and seconds > 0 else None
        self.seconds_a_text = seconds_a_text
        self.clock = clock
        self._end = None if self.seconds is None else clock() + self.seconds
        self._cancelled = Event()

    def cancel(self) -> None:
        """Let the next ``check`` raise Cancelled."""
        self._cancelled.set()

    def check(self, pattern: str) -> None:
        """Go on, or raise Cancelled or, with ``pattern`` in its message, TookTooLong."""
        if self._cancelled.is_set():
            raise Cancelled("the search was stopped")
        if self._end is not None and self.clock() > self._end:
            raise TookTooLong(
                f"{shortened(pattern)!r} was stopped after {self.seconds:g} seconds;"
                " `--timeout 0` on the command line gives it all the time that it takes"
            )

    def too_slow(self, pattern: str, text: str | None) -> TookTooLong:
        """The error for a pattern that does not come to an end in one text, or before it looked at any."""
        where = "does not begin" if text is None else f"does not end with {shortened(text)!r}"
        return TookTooLong(
            f"{shortened(pattern)!r} was stopped: in {self.seconds_a_text:g} seconds it {where};"
            " it has too many ways to match"
        )


def shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
