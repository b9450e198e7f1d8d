"""Pure work in copies of this process, one for each core, which see all that is in memory and end with it.

Nothing is sent but the number of a task. A task that a copy does not finish, whatever the reason, is computed here, as
one process would.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Result = TypeVar("Result")

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
