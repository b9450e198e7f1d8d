"""Accepting, rejecting, taking that back and moving the filter: the file follows, and the screen does not wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpusdb.queries.sessions.decisions import (
    Decision,
    LastDecision,
    Undone,
    Verdict,
    decide,
    last_decision,
    nothing_to_undo,
    undo_decision,
)
from corpusdb.queries.sessions.sessions import add_seed, seed_position, set_filter
from corpusdb.queries.sessions.views import SeedView
from corpusdb.store import Store
from tui.background.reader import DatabaseReader
from tui.sessions.candidate_list import CandidateList
from tui.sessions.open_seed import Decided, OpenSeed
from tui.sessions.seed_lines import asked_to_undo, told_decided, told_redone, told_undone
from tui.shared.place_screen import PlaceScreen
from tui.widgets.status_line import StatusLine

__all__ = ["Deciding"]


class Deciding:
    """Stores decisions, all of those that were taken together or none; until then they are marked."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed, show: Callable[[SeedView | None], None]) -> None:
        """``show`` shows the seed as it was read, or again as it is."""
        self._screen = screen
        self._seed = seed
        self._show = show
        self._question = ""
        """What was asked before a decision that was not made here is taken back."""
        self._asked = 0
        """The number of that decision."""
        self._undone: list[Decision] = []
        """What was taken back here and can be made again, the last one last."""

    def decide(self, view: SeedView, texts: Sequence[str], verdict: Verdict) -> None:
        """Accept or reject paraphrases of a seed; the cursor stays, also where one of them is a row that is new."""
        decided = Decided(view.seed, texts, verdict)
        self._undone.clear()
        self._seed.decide(decided)
        self._show(None)
        self._screen.wait_for(lambda: self._store(view, decided, verdict), lambda nothing: None)

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
        """Take the last decision back, first those of this browser, and go to what it was about.

        One that was not made here is taken back when somebody is still told so and presses the key again.
        """
        seed, screen = self._seed, self._screen
        if seed.is_only_looked_at:
            screen.say("nothing was decided yet", is_error=True)
            return
        asked = self._asked if screen.query_one(StatusLine).message == self._question else 0

        def change(store: Store) -> Undone | LastDecision | None:
            name = seed.name_in(store)
            last = last_decision(store, name, seed.decided_here)
            if last is not None and not last.is_own and last.number != asked:
                return last
            undone = undo_decision(store, name, seed.decided_here)
            if undone is not None:
                add_seed(store, name, undone.decision.seed)  # it is there, and is opened
            return undone

        def taken_back(undone: Undone | LastDecision | None) -> None:
            if isinstance(undone, Undone):
                self._undone.append(undone.decision)
                self._go_to(undone.decision, rows, lambda position: told_undone(undone, position))
            elif undone is not None:
                self._asked, self._question = undone.number, asked_to_undo(undone.decision)
                screen.say(self._question)
            else:
                screen.ask(
                    lambda reader: nothing_to_undo(reader.store, seed.name_in(reader.store)),
                    lambda told: screen.say(told, is_error=True),
                )

        screen.write(change, taken_back, kept=True)

    def redo(self, rows: CandidateList) -> None:
        """Make the decision again that was taken back last, and go to what it is about."""
        seed, screen = self._seed, self._screen
        if not self._undone:
            screen.say("nothing to make again: u has taken nothing back here", is_error=True)
            return
        decision = self._undone.pop()

        def change(store: Store) -> int:
            name = seed.name_in(store)
            made = decide(store, name, decision.seed, decision.text, decision.verdict)
            add_seed(store, name, decision.seed)
            return made

        def made_again(made: int) -> None:
            seed.decided_here.update([made] if made else [])
            self._go_to(decision, rows, lambda position: told_redone(decision, position))

        screen.write(change, made_again, kept=True)

    def _go_to(self, decision: Decision, rows: CandidateList, told: Callable[[int], str]) -> None:
        """Show the seed of a decision, which the file has as the open one, with the cursor on its paraphrase."""

        def then(view: SeedView) -> None:
            self._show(view)
            rows.go_to(decision.text)
            self._screen.say(told(view.standing.position))

        self._screen.ask(self._seed.read, then)
