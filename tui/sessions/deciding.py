"""Accepting, rejecting, taking that back and moving the filter: the file follows, and the screen does not wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpusdb.queries.sessions.decisions import Undone, Verdict, decide, undo_decision
from corpusdb.queries.sessions.sessions import add_seed, set_filter
from corpusdb.queries.sessions.views import SeedView
from corpusdb.store import Store
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

    def decide(self, view: SeedView, texts: Sequence[str], verdict: Verdict) -> None:
        """Accept or reject paraphrases of a seed."""
        decided = Decided(view.seed, texts, verdict)
        self._seed.decide(decided)
        self._show(None)
        self._screen.wait_for(lambda: self._store(view, decided, verdict), lambda nothing: None)

    async def _store(self, view: SeedView, decided: Decided, verdict: Verdict) -> None:
        name, runner = self._seed.session, self._screen.shell.runner

        def change(store: Store) -> int:
            return sum(decide(store, name, decided.seed, text, verdict) for text in decided.texts)

        try:
            changed = await runner.change(change, kept=True)
            now = await runner.ask(lambda reader: reader.seed_reader.read(name, view.standing.position))
        finally:
            self._seed.settle(decided)
            self._show(None)
        if self._screen.is_attached:
            self._screen.say(told_decided(view, verdict, changed, len(decided.texts)))
            if self._seed.view is not None and self._seed.view.seed == now.seed:
                self._show(now)

    def keep_filter(self) -> None:
        """Show the filter that was moved; the file learns it when no newer one has come meanwhile."""
        self._show(None)
        name, kept = self._seed.session, self._seed.kept

        def change(store: Store) -> None:
            if kept == self._seed.kept:
                set_filter(store, name, kept)

        if not self._screen.shell.read_only:
            self._screen.write(change, lambda nothing: None, kept=True)

    def undo(self, rows: CandidateList) -> None:
        """Take the last decision back, and go to what it was about."""
        name = self._seed.session

        def change(store: Store) -> Undone | None:
            undone = undo_decision(store, name)
            if undone is not None:
                add_seed(store, name, undone.decision.seed)  # it is there, and is opened
            return undone

        def taken_back(undone: Undone | None) -> None:
            if undone is None:
                self._screen.say("nothing to take back that is not in the corpus", is_error=True)
                return

            def then(view: SeedView) -> None:
                self._show(view)
                rows.go_to(undone.decision.text)
                self._screen.say(told_undone(undone))

            self._screen.ask(lambda reader: reader.seed_reader.read(name), then)

        self._screen.write(change, taken_back, kept=True)
