"""Signals that end the program: ctrl+c, SIGTERM, and SIGHUP when the terminal goes away.

The first one is raised as KeyboardInterrupt where the program is, so that transactions are rolled back and unfinished
files removed on the way out. Those that come soon after it are not listened to, because they would stop just that;
who asks again after some seconds ends the process at once. While the program is being loaded the first one ends it. A
signal that was ignored from the start, as by nohup, stays ignored. The entry module loads this before anything else.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # there is no SIGHUP on Windows
_PATIENCE_SECONDS = 5.0
_INTERRUPTED = 130


class _Watch:
    def __init__(self) -> None:
        self.received: int | None = None
        """The first that came."""
        self.is_told = False
        """Whether the user has the line that says what ended the program."""
        self.loading = True
        """Whether the program is not there yet."""
        self.ending_since: float | None = None
        """Since when the process is on its way out."""
        self.answer: Callable[[], object] | None = None
        """What to do instead of raising."""


_watch = _Watch()


def listen() -> None:
    """Take over the signals, from here to the end of the process."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)
    atexit.register(_end_by_signal)  # the first to be registered is the last to run


def begin() -> None:
    """From here on there is something to put in order: a signal is raised as KeyboardInterrupt."""
    _watch.loading = False


def close(*, telling: bool = False) -> None:
    """From here on the process ends, and signals come too late; ``telling``: the caller says what ended it."""
    _watch.is_told = _watch.is_told or telling
    if _watch.ending_since is None:
        _watch.ending_since = time.monotonic()


def received() -> int | None:
    """The signal that ends this process, if one does."""
    return _watch.received


def told() -> str:
    """What there is to say of an end by a signal."""
    number = _watch.received
    return "interrupted" if number in (None, signal.SIGINT) else f"ended by {signal.Signals(number).name}"


def raise_received() -> None:
    """Raise KeyboardInterrupt where a signal came while somebody else handled it."""
    if _watch.received is not None:
        raise KeyboardInterrupt


@contextmanager
def handled_by(answer: Callable[[], object]) -> Iterator[None]:
    """Inside the block, the first signal calls ``answer``, in the main thread, and raises nothing."""
    _watch.answer = answer
    try:
        yield
    finally:
        _watch.answer = None


def _handle(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if _watch.ending_since is not None:
        if now - _watch.ending_since > _PATIENCE_SECONDS:
            _watch.received = _watch.received or number
            _tell_at_once()
            _end_at_once(number)
        return
    _watch.received, _watch.ending_since = number, now
    if _watch.loading:
        _tell_at_once()
        _end_at_once(number)
    if _watch.answer is None:
        raise KeyboardInterrupt
    _watch.answer()


def _tell_at_once() -> None:
    """Say what ends the program, past all that may be in disorder, unless it was said."""
    if not _watch.is_told:
        _watch.is_told = True
        with suppress(OSError):  # nobody is left to be told
            os.write(2, f"corpusdb: {told()}\n".encode())


def _end_at_once(number: int) -> NoReturn:
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(_INTERRUPTED)


def _end_by_signal() -> None:
    """End by the signal, when all else is done, so that the parent sees it; 130 for ctrl+c.

    Python would end by SIGINT itself where it passed through code that was made from text, as dataclasses are.
    """
    if _watch.received is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        _tell_at_once()  # where the KeyboardInterrupt was lost, as in what SQLite or another library calls back
        _end_at_once(_watch.received)
    # All is done and the exit code is known. Python now takes itself apart, and first puts back what signals do by
    # default, unless they are ignored: one that came then would end a command that has done its work, without a line.
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
