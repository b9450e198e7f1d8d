"""Accepting, rejecting, taking that back and moving the filter: the file follows, and the screen does not wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpusdb.queries.sessions.decisions import Undone, Verdict, decide, nothing_to_undo, undo_decision
from corpusdb.queries.sessions.sessions import add_seed, seed_position, set_filter
from corpusdb.queries.sessions.views import SeedView
from corpusdb.store import Store
from tui.background.reader import DatabaseReader
from tui.sessions.candidate_list import CandidateList
from tui.sessions.open_seed import Decided, OpenSeed
from tui.sessions.seed_lines import told_decided, told_undone
from tui.shared.place_screen import PlaceScreen

__all__ = ["Deciding"]


class Deciding:
    """Stores decisions, all of those that were taken together or none; until then they are marked."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed, show: Callable[[SeedView | None], None]) -> None:
        """``show`` shows the seed as it was read, or again as it is."""
        self._screen = screen
        self._seed = seed
        self._show = show

    def decide(self, view: SeedView, texts: Sequence[str], verdict: Verdict, rows: CandidateList | None = None) -> None:
        """Accept or reject paraphrases of a seed; in ``rows``, where they are given, the cursor goes to the first."""
        decided = Decided(view.seed, texts, verdict)
        self._seed.decide(decided)
        self._show(None)

        def then(nothing: None) -> None:
            if rows is not None:
                rows.go_to(texts[0])

        self._screen.wait_for(lambda: self._store(view, decided, verdict), then)

    async def _store(self, view: SeedView, decided: Decided, verdict: Verdict) -> None:
        seed, runner = self._seed, self._screen.shell.runner

        def change(store: Store, name: str) -> list[int]:
            made = (decide(store, name, decided.seed, text, verdict) for text in decided.texts)
            return [number for number in made if number]

        def read(reader: DatabaseReader) -> SeedView:
            return seed.read(reader, seed_position(reader.store, seed.name_in(reader.store), decided.seed))

        try:
            made = await runner.change(seed.changing(change), kept=True)
            seed.decided_here.update(made)
            now = await runner.ask(read)
        finally:
            self._seed.settle(decided)
            self._show(None)
        if self._screen.is_attached:
            self._screen.say(told_decided(view, verdict, len(made), len(decided.texts)))
            if self._seed.view is not None and self._seed.view.seed == now.seed:
                self._show(now)

    def keep_filter(self) -> None:
        """Show the filter that was moved; the file learns it when no newer one has come meanwhile."""
        self._show(None)
        seed, kept = self._seed, self._seed.kept

        def change(store: Store) -> None:
            if kept == seed.kept:
                set_filter(store, seed.name_in(store), kept)

        if not self._screen.shell.read_only and not seed.is_only_looked_at:
            self._screen.write(change, lambda nothing: None, kept=True)

    def undo(self, rows: CandidateList) -> None:
        """Take the last decision back, first those of this browser, and go to what it was about."""
        seed = self._seed
        if seed.is_only_looked_at:
            self._screen.say("nothing was decided yet", is_error=True)
            return

        def change(store: Store) -> Undone | str:
            name = seed.name_in(store)
            undone = undo_decision(store, name, seed.decided_here)
            if undone is None:
                return nothing_to_undo(store, name)
            add_seed(store, name, undone.decision.seed)  # it is there, and is opened
            return undone

        def taken_back(undone: Undone | str) -> None:
            if isinstance(undone, str):
                self._screen.say(undone, is_error=True)
                return

            def then(view: SeedView) -> None:
                self._show(view)
                rows.go_to(undone.decision.text)
                self._screen.say(told_undone(undone, view.standing.position))

            self._screen.ask(seed.read, then)

        self._screen.write(change, taken_back, kept=True)
