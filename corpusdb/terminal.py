"""The wall behind the door: whatever is written to a terminal is made harmless, also what nobody thought of.

What the program itself sends to move the cursor or to make a text bold goes to the terminal that is behind the wall.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO, cast

from corpusdb.display import lines_safe

__all__ = ["behind_wall", "wall_terminals", "walled"]

_WAYS_AROUND = ("buffer", "detach")


class _Wall:
    """A terminal to which only text can be written that every terminal shows as it is."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal

    def write(self, text: str) -> int:
        self.terminal.write(lines_safe(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        """Everything else is that of the terminal, but for the ways to write bytes."""
        if name in _WAYS_AROUND:
            raise AttributeError(name)
        return getattr(self.terminal, name)


def walled(stream: TextIO) -> TextIO:
    """``stream``, with a wall before it if it is a terminal that has none."""
    if isinstance(stream, _Wall) or not stream.isatty():
        return stream
    return cast("TextIO", _Wall(stream))


def behind_wall(stream: TextIO) -> TextIO:
    """Where to write what the program itself wants the terminal to do."""
    return stream.terminal if isinstance(stream, _Wall) else stream


def wall_terminals() -> None:
    """Put the wall before stdout and stderr, where these are terminals."""
    sys.stdout, sys.stderr = walled(sys.stdout), walled(sys.stderr)
