"""Long operations: jobs that report their progress and can be stopped, and pure work in copies of this process."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, TypeVar

from corpusdb.base.errors import Cancelled, UsageError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


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


# Pure work in copies of this process, one for each core, which see all that is in memory and end with it.
#
# Nothing is sent but the number of a task. A task that a copy does not finish, whatever the reason, is computed here,
# as one process would.

SAME_COMMAND: Final = "the same command"
"""What goes on with a job that was stopped, where most of them are begun."""

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

TIMEOUT_VARIABLE = "CORPUSDB_TIMEOUT"
"""Of the environment: what --timeout is where it is not given."""

_SHOWN = 60
"""So much of a pattern or a sentence is quoted in a message."""


class TookTooLong(UsageError):
    """A pattern needs more time than there is: another one, or more time, has to be asked for."""


class Limit:
    """The time that the patterns of one question may take together, from now on, with all that is done in between.

    It is that of the processor where ``by_processor``: on a busy machine, a question that is soon answered may wait
    long. What another process does for it counts by the clock. ``cancel`` may be called from another thread than the
    one that works.
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        seconds_a_text: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        by_processor: bool = False,
    ) -> None:
        """``seconds``: for all of it; None or 0 is all that it takes. ``seconds_a_text``: for one sentence."""
        self.seconds = seconds if seconds and seconds > 0 else None
        self.seconds_a_text = seconds_a_text
        self.clock = clock
        self._spent = time.process_time if by_processor else clock
        self._is_by_processor = by_processor
        self._end = None if self.seconds is None else self._spent() + self.seconds
        self._cancelled = Event()

    def cancel(self) -> None:
        """Let the next ``check`` raise Cancelled."""
        self._cancelled.set()

    def waited(self, seconds: float) -> None:
        """So long, by the clock, another process has worked."""
        if self._is_by_processor and self._end is not None:
            self._end -= seconds

    def check(self, pattern: str) -> None:
        """Go on, or raise Cancelled or, with ``pattern`` in its message, TookTooLong."""
        if self._cancelled.is_set():
            raise Cancelled("the search was stopped")
        if self._end is not None and self._spent() > self._end:
            raise TookTooLong(
                f"{shortened(pattern)!r} was stopped after {self.seconds:g} seconds;"
                f" `--timeout 0` on the command line, or {TIMEOUT_VARIABLE}=0 for all commands, gives it all the time"
                " that it takes"
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


LEAST_COPIED = 2_000
"""Sentences; of fewer, what is done with them all takes less than to copy this process."""
_SECONDS_BETWEEN_LOOKS = 1.0
"""So often a copy looks whether the process that it works for is still there."""


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cores_for(sentences: int) -> int:
    """How many of them to use for what is done with so many sentences."""
    return usable_cores() if sentences >= LEAST_COPIED else 1


def computed(work: Callable[[int], Result], tasks: int, processes: int) -> Generator[tuple[int, Result]]:
    """The number of each task, from 0, with what ``work`` makes of it, as they are done, in any order.

    In at most so many copies of this process, and in none where it has several threads, which a copy has not, or where
    the system is no Linux. ``work`` must change nothing, and what it returns is pickled. Raises what ``work`` raises.
    When the iterator is closed, the copies are ended.
    """
    count = min(processes, tasks)
    if count < 2 or not _may_be_copied():
        yield from ((task, work(task)) for task in range(tasks))
        return
    from multiprocessing import Pipe  # with the first copies, since nearly no command makes any

    copies: dict[Connection[Any, Any], int] = {}
    _settle()
    try:
        for _ in range(count):
            here, there = Pipe()
            copies[here] = _copy(work, there, [*copies, here])
            there.close()
        yield from _shared_out(work, tasks, list(copies))
    finally:
        gc.unfreeze()
        for copy in copies.values():
            os.kill(copy, signal.SIGKILL)
        for connection, copy in copies.items():
            os.waitpid(copy, 0)
            connection.close()


def _may_be_copied() -> bool:
    return sys.platform.startswith("linux") and threading.active_count() == 1


@contextmanager
def beside(work: Callable[[], Result], cores: int) -> Iterator[Callable[[], Result]]:
    """Do ``work`` in a copy of this process while the block goes on; what the block gets waits for what it makes.

    As in ``computed``, it changes nothing and is done here where there is one core, no copy, or none that ends it.
    """
    if cores < 2 or not _may_be_copied():
        yield work
        return
    from multiprocessing import Pipe

    here, there = Pipe()
    _settle()
    copy = _copy(lambda _: work(), there, [here])
    there.close()

    def result() -> Result:
        try:
            found: Result = here.recv()
        except (EOFError, OSError):
            return work()
        return found

    try:
        with suppress(OSError):
            here.send(0)
        yield result
    finally:
        gc.unfreeze()
        os.kill(copy, signal.SIGKILL)
        os.waitpid(copy, 0)
        here.close()


def _settle() -> None:
    """Give back what was freed, and let no collector go through what is there: pages that are written to are copied.

    Two copies that derive candidates of 236,197 sentences take 710 MB with their parent, and 990 without this.
    """
    import ctypes

    gc.collect()
    gc.freeze()
    with suppress(AttributeError):  # of a C library that gives back by itself
        ctypes.CDLL(None).malloc_trim(0)


def computed_in_order(work: Callable[[int], Result], tasks: int, processes: int) -> Generator[Result]:
    """What ``work`` makes of each task, in the order of the tasks; otherwise as ``computed``.

    What is done before its turn waits in memory: for as long as one task takes, the others go on.
    """
    done: dict[int, Result] = {}
    turn = 0
    with closing(computed(work, tasks, processes)) as results:
        for task, result in results:
            done[task] = result
            while turn in done:
                yield done.pop(turn)
                turn += 1


def _shared_out(
    work: Callable[[int], Result], tasks: int, copies: list[Connection[Any, Any]]
) -> Iterator[tuple[int, Result]]:
    """Every task done, by whichever copy is free; those that copies fail at are done at the end, here."""
    from multiprocessing.connection import wait

    waiting = iter(range(tasks))
    doing: dict[Connection[Any, Any], int] = {}
    failed: list[int] = []

    def give(copy: Connection[Any, Any]) -> None:
        task = next(waiting, None)
        if task is None:
            return
        try:
            copy.send(task)
        except OSError:  # it was ended from outside
            failed.append(task)
        else:
            doing[copy] = task

    for copy in copies:
        give(copy)
    while doing:
        for ready in wait(list(doing)):
            copy = next(each for each in doing if each is ready)
            task = doing.pop(copy)
            try:
                result = copy.recv()
            except (EOFError, OSError):  # it was ended from outside, or by an error, which comes again here
                failed.append(task)
                continue
            give(copy)
            yield task, result
    yield from ((task, work(task)) for task in sorted([*failed, *waiting]))


def _copy(work: Callable[[int], object], connection: Connection[Any, Any], others: list[Connection[Any, Any]]) -> int:
    """A copy of this process that answers with what ``work`` makes of the numbers it is sent; returns its id."""
    with warnings.catch_warnings():
        # Python 3.12 counts the threads of libraries, too; those of BLAS are asleep, and no copy uses it.
        warnings.simplefilter("ignore", DeprecationWarning)
        parent = os.getpid()
        copy = os.fork()
    if copy:
        return copy
    try:
        _end_with(parent)
        for other in others:
            other.close()
        _answer(work, connection)
    finally:
        os._exit(0)  # nothing of what the other process has begun is to be finished here


def _end_with(parent: int) -> None:
    """End when the process that this is a copy of does, also by kill -9; it ends its copies when it is interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)

    def look(number: int, frame: object) -> None:
        if os.getppid() != parent:
            _end()

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_BETWEEN_LOOKS, _SECONDS_BETWEEN_LOOKS)


def _end() -> NoReturn:
    os._exit(0)


def _answer(work: Callable[[int], object], connection: Connection[Any, Any]) -> None:
    with suppress(EOFError, OSError):
        while True:
            connection.send(work(connection.recv()))
