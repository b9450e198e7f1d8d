"""What a session shows of its open seed: the seed as the file has it, the filter, and decisions on their way there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from corpusdb.model import Paraphrase
from corpusdb.queries.paraphrase.filters import NSequenceFilter, filter_at
from corpusdb.queries.sessions.decisions import Verdict
from corpusdb.queries.sessions.sessions import SessionSeed, seed_position, seeds_of_session, session_name
from corpusdb.queries.sessions.unstored import UnstoredSession
from corpusdb.queries.sessions.views import SeedView
from corpusdb.store import Store
from tui.background.reader import DatabaseReader

__all__ = ["Decided", "OpenSeed"]

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Decided:
    """Paraphrases of a seed that were decided on together."""

    seed: str
    texts: Sequence[str]
    verdict: Verdict


class OpenSeed:
    """The open seed of a session; nothing is open until the file was read."""

    def __init__(
        self,
        session: str,
        id: int | None = None,
        decided_here: set[int] | None = None,
        unstored: UnstoredSession | None = None,
    ) -> None:
        """``unstored`` is the session itself, where the file does not have it yet."""
        self.session = session
        """The name of the session, as it was read last."""
        self.id = id
        """Its number; None until it was read."""
        self.decided_here = set() if decided_here is None else decided_here
        """The numbers of the decisions that were made in this browser, in any session."""
        self.view: SeedView | None = None
        self.order = 0
        """N of the filter."""
        self.min_validity: float | None = None
        """Its least validity; None is the usual one."""
        self.hides = False
        """Whether paraphrases that fail the filter are left out."""
        self.goal: int | None = None
        """The position of the seed that was asked for."""
        self._looked_at = unstored
        self._unstored: list[Decided] = []
        """What was decided, in that order, and the file does not have yet."""

    def update(self, view: SeedView) -> bool:
        """Take what was read; whether another seed is open now."""
        before, self.view = self.view, view
        if view.standing.is_stored or self.id is None:
            self.session, self.id = view.standing.name, view.standing.id or None
        if before is None:
            self.order, self.min_validity = view.standing.order, view.standing.min_validity
        return before is None or before.seed != view.seed

    @property
    def is_only_looked_at(self) -> bool:
        """Whether the file does not have the session, and nothing is on its way there."""
        return self._looked_at is not None and self.id is None and not self._unstored

    def read(self, reader: DatabaseReader, position: int | None = None, *, stays: bool = False) -> SeedView:
        """The seed at a position, that which the file says is open, or with ``stays`` the one that is open here.

        Raises InputError where there is none.
        """
        if self._looked_at is not None and self.id is None:
            here = 1 if self.view is None else self.view.standing.position
            return reader.seed_reader.read_unstored(self._looked_at, position or here)
        name = self.name_in(reader.store)
        return reader.seed_reader.read(name, self._position_in(reader.store, name) if stays else position)

    def seeds(self, store: Store) -> list[SessionSeed]:
        """All seeds of the session."""
        if self._looked_at is not None and self.id is None:
            return self._looked_at.seeds()
        return seeds_of_session(store, self.name_in(store))

    def changing(self, change: Callable[[Store, str], Answer]) -> Callable[[Store], Answer]:
        """A change of the session by its name, for the thread that writes: one only looked at is stored before."""
        unstored = self._looked_at

        def changed(store: Store) -> Answer:
            if unstored is None or self.id is not None:
                return change(store, self.name_in(store))
            position = 1 if self.view is None else self.view.standing.position
            stored = unstored.store(store, position, self.kept)
            answer = change(store, stored.name)
            self.id = stored.id  # not before: what fails takes the session back with it
            return answer

        return changed

    def name_in(self, store: Store) -> str:
        """What the session is called now, also where another process renamed it. Raises InputError if it is deleted."""
        return self.session if self.id is None else session_name(store, self.id)

    def _position_in(self, store: Store, name: str) -> int | None:
        """Where the seed that is open here stands now, wherever other processes have gone in the session.

        None, for the seed that the file has, where nothing is open yet or the seed is gone.
        """
        return None if self.view is None else seed_position(store, name, self.view.seed)

    def neighbour(self, by: int) -> int | None:
        """The position of a seed further on, counted from the one that was asked for last; None beyond the ends."""
        if self.view is None:
            return None
        position = (self.goal or self.view.standing.position) + by
        return position if 1 <= position <= self.view.standing.seeds else None

    @property
    def kept(self) -> NSequenceFilter:
        """The filter."""
        return filter_at(self.order, min_validity=self.min_validity)

    def shown(self) -> list[Paraphrase]:
        """The paraphrases that are not hidden; what no origin yields, as a wording of one's own, never is."""
        if self.view is None:
            return []
        return [each for each in self.view.paraphrases if not (self.hides and each.origins) or self.kept.passes(each)]

    @property
    def filter(self) -> str:
        """N, the least validity, and how many paraphrases pass."""
        if self.view is None:
            return ""
        least = f", V = {self.kept.min_validity:g}" if self.kept.min_validity else ""
        return f"N = {self.order}{least}: {self.view.passing(self.kept):,} of {self.view.proposed:,} pass"

    @property
    def filter_and_hidden(self) -> str:
        """The same, and whether any are hidden."""
        hidden = self.hides and self.view is not None and len(self.shown()) < len(self.view.paraphrases)
        return f"{self.filter}{', others hidden' if hidden else ''}"

    @property
    def unstored(self) -> dict[str, Verdict]:
        """What was decided last of paraphrases of the seed, where the file does not have it yet, by their texts."""
        seed = None if self.view is None else self.view.seed
        return {text: each.verdict for each in self._unstored if each.seed == seed for text in each.texts}

    def decide(self, decided: Decided) -> None:
        """Mark paraphrases until what was decided is stored."""
        self._unstored.append(decided)

    def settle(self, decided: Decided) -> None:
        """Take the marks away: the file has the decisions, or will never have them."""
        self._unstored.remove(decided)
