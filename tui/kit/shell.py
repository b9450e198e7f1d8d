"""What the screens know of the browser around them: its places, its work in the background, and what it can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from textual.screen import Screen
from textual.signal import Signal

from tui.kit.background import Jobs, JobState, Runner

__all__ = ["Place", "Remembered", "Shell", "place_key"]

_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the browser; its key follows from its position in the registry."""

    key: str
    """What settings, messages and the command line call it."""
    name: str
    """What it is called on the line of places."""
    screen: Callable[[], Screen[object]]
    """Makes its first screen."""

    @property
    def help(self) -> str:
        """What its key does, for the help and the palette."""
        return f"Go to {self.name}"


def place_key(number: int) -> str:
    """The key of the place with this number, from 1: digits for ten places, then f2 and so on, since f1 is the help."""
    return str(number % 10) if number <= _DIGITS else f"f{number - _DIGITS + 1}"


class Remembered(Protocol):
    """What is kept for the next time, as far as a screen knows it."""

    query: Mapping[str, Any]
    """The options of the search one was at; empty where there was none."""


class Shell(Protocol):
    """The browser as a screen may use it. Whatever leads to another place is a message, see ``PlaceWanted``."""

    path: Path
    """The database."""
    places: Sequence[Place]
    runner: Runner
    jobs: Jobs
    job_changed: Signal[JobState]
    """Published with each new state of a background job."""
    language: str
    """The one that was looked at last, with which lists and forms begin; empty at first."""
    test_sets: dict[int, str]
    """The test set that the references of a session were written for last, by the number of the session."""
    unwritten_changed: Signal[int]
    """Published with how many changes wait until no other process writes."""

    @property
    def read_only(self) -> bool:
        """Whether the database may only be read."""

    @property
    def memory(self) -> Remembered:
        """What is kept for the next time."""

    @property
    def ascii_only(self) -> bool:
        """Whether nothing but ASCII may be drawn."""

    async def copy(self, text: str) -> str:
        """Copy to the terminal's clipboard, to tmux and to a file; what to tell the user."""

    def is_lowest(self, screen: Screen[object]) -> bool:
        """Whether going back from a screen leaves the browser."""

    def go_back(self) -> None:
        """To the screen below this one; from the lowest of a place to the first place, and from there out."""
