"""How long something may take: until its time is over, or until somebody does not want it any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

from corpusdb.errors import Cancelled, UsageError

__all__ = ["SECONDS_FOR_PATTERNS", "Limit", "TookTooLong", "shortened"]

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
    """The beginning of a text, for a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
