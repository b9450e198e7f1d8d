"""Going from seed to seed in a session; the file keeps where one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from corpusdb.errors import InputError
from corpusdb.queries.sessions.decisions import decisions
from corpusdb.queries.sessions.sessions import add_seed, go_to_seed, seed_state, session_standing
from corpusdb.queries.sessions.views import SeedView
from corpusdb.store import Store
from tui.background.reader import DatabaseReader
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
        self._version = 0
        """Of the file, when it was last looked whether the seed has changed."""

    def look(self, *, stays: bool = False) -> None:
        """Read the open seed, as it is now: what the file says is open, or with ``stays`` the one that is open here."""
        if stays and self._seed.goal is not None:  # another was asked for, and will be shown
            return
        # Where nothing may be written, or another process writes, the file does not know which seed is open here.
        is_unknown = self._screen.shell.read_only or bool(self._unwritten)
        self._screen.wait_for(lambda: self._read(stays=stays or is_unknown), self._show)

    async def _read(self, *, stays: bool) -> SeedView:
        """The open seed; a screen with a session that is gone before anything was read of it goes away."""
        seed = self._seed

        def question(reader: DatabaseReader) -> SeedView:
            return seed.read(reader, stays=stays)

        try:
            return await self._screen.shell.runner.ask(question, "session.look")
        except InputError as error:
            if seed.view is None and self._screen.is_current:
                self._screen.shell.go_back()
                if isinstance(below := self._screen.app.screen, PlaceScreen):
                    below.say(str(error), is_error=True)
            raise

    def look_again(self) -> None:
        """Read the open seed again where another process, or somebody elsewhere in this browser, has changed it."""
        seed, view = self._seed, self._seed.view
        if view is None or seed.goal is not None or self._unwritten or seed.is_only_looked_at:
            return

        def question(reader: DatabaseReader) -> SeedView | None:
            before, self._version = self._version, reader.store.version
            if before == self._version:
                return None
            is_other = _is_other(reader.store, seed.name_in(reader.store), view)
            return seed.read(reader, stays=True) if is_other else None

        def then(found: SeedView | None) -> None:
            if seed.view is not view or seed.goal is not None:
                self._version = 0  # to look again with the next key
            elif found is not None:
                self._show(found)

        self._screen.ask(question, then, kind="session.again")

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

    def add(self, text: str) -> None:
        """Open a seed that somebody typed."""
        seed = self._seed
        self._screen.write(
            seed.changing(lambda store, name: add_seed(store, name, text)), lambda added: self.look(), kept=True
        )

    async def _go(self, position: int) -> None:
        seed, shell = self._seed, self._screen.shell
        try:
            view = await shell.runner.ask(lambda reader: seed.read(reader, position), "session.open")
        finally:
            if self._seed.goal == position:
                self._seed.goal = None
        if self._screen.is_attached:
            self._show(view)
        if not shell.read_only and not seed.is_only_looked_at:
            self._unwritten += 1
            try:
                await shell.runner.change(
                    seed.changing(lambda store, name: go_to_seed(store, name, position)), kept=True
                )
            finally:
                self._unwritten -= 1


def _is_other(store: Store, name: str, view: SeedView) -> bool:
    """Whether the file has another name, other counts or other decisions than a seed was read with."""
    before, now = view.standing, session_standing(store, name)
    known = replace(
        now,
        position=before.position,
        seed=before.seed,
        order=before.order,
        min_validity=before.min_validity,
        last_used=before.last_used,
    )
    decided = {each.text: each for each in decisions(store, name, view.seed)}
    return known != before or decided != view.decisions or seed_state(store, name, view.seed) != view.state
