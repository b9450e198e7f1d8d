"""What the screens know of the browser around them: its places, its work in the background, and what it can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from textual.screen import Screen
from textual.signal import Signal

from tui.background.jobs import Jobs, JobState
from tui.background.runner import Runner

__all__ = ["Place", "Shell"]


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the browser; its key is the number of its position in the registry."""

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


class Shell(Protocol):
    """The browser as a screen may use it. Whatever leads to another place is a message, see ``PlaceWanted``."""

    path: Path
    """The database."""
    places: Sequence[Place]
    runner: Runner
    jobs: Jobs
    job_changed: Signal[JobState]
    """Published with each new state of a background job."""

    @property
    def read_only(self) -> bool:
        """Whether the database may only be read."""

    @property
    def ascii_only(self) -> bool:
        """Whether nothing but ASCII may be drawn."""

    async def copy(self, text: str) -> str:
        """Copy to the terminal's clipboard, to tmux and to a file; what to tell the user."""

    def go_back(self) -> None:
        """To the screen below this one; from the lowest of a place to the first place, and from there out."""
