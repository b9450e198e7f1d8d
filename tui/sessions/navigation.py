"""Going from seed to seed in a session; the file keeps where one is."""

from __future__ import annotations

from collections.abc import Callable

from corpusdb.queries.sessions.sessions import go_to_seed
from corpusdb.queries.sessions.views import SeedView
from tui.sessions.open_seed import OpenSeed
from tui.shared.place_screen import PlaceScreen

__all__ = ["SeedNavigation"]


class SeedNavigation:
    """Opens seeds by their positions. Of several that are asked for in a hurry only the last is read."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed, show: Callable[[SeedView], None]) -> None:
        self._screen = screen
        self._seed = seed
        self._show = show
        self._unwritten = 0
        """Seeds that were opened here, which the file does not know yet."""

    def look(self) -> None:
        """Read the open seed, as it is now."""
        name, view = self._seed.session, self._seed.view
        # Where nothing may be written, or another process writes, the file does not know which seed is open here.
        is_unknown = self._screen.shell.read_only or self._unwritten
        position = view.standing.position if view and is_unknown else None
        self._screen.ask(lambda reader: reader.seed_reader.read(name, position), self._show, kind="session.look")

    def step(self, by: int) -> None:
        """Open a seed further on."""
        if self._seed.view is None:
            return
        position = self._seed.neighbour(by)
        if position is not None:
            self.open(position)
        else:
            end = "last" if by > 0 else "first"
            self._screen.say(f"this is the {end} of {self._seed.view.standing.seeds:,} seeds", is_error=True)

    def open(self, position: int) -> None:
        """Open the seed at a position."""
        self._seed.goal = position
        self._screen.wait_for(lambda: self._go(position), lambda nothing: None)

    async def _go(self, position: int) -> None:
        name, shell = self._seed.session, self._screen.shell
        try:
            view = await shell.runner.ask(lambda reader: reader.seed_reader.read(name, position), "session.open")
        finally:
            if self._seed.goal == position:
                self._seed.goal = None
        if self._screen.is_attached:
            self._show(view)
        if not shell.read_only:
            self._unwritten += 1
            try:
                await shell.runner.change(lambda store: go_to_seed(store, name, position), kept=True)
            finally:
                self._unwritten -= 1
