"""A session that somebody only looks at: its seeds are shown as those of any, and the file has nothing of it yet."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpusdb.errors import InputError
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER, NSequenceFilter
from corpusdb.queries.sessions.sessions import (
    SessionSeed,
    Standing,
    create_session,
    go_to_seed,
    session_standing,
    unused_name,
)
from corpusdb.store import Store

__all__ = ["UnstoredSession"]

_NUMBER = re.compile(r"-\d+$")


@dataclass(frozen=True, slots=True)
class UnstoredSession:
    """Seeds, and what a session with them would be called."""

    name: str
    language: str
    texts: tuple[str, ...]
    """Each once, normalised."""

    def standing(self, position: int) -> Standing:
        """How far it is: at a position, with nothing decided; the number 0 says that it is not stored."""
        order, seeds = DEFAULT_FILTER.order, len(self.texts)
        if not 1 <= position <= seeds:
            raise InputError(f"there is no seed {position}; the seeds are 1 to {seeds}")
        text = self.texts[position - 1]
        return Standing(self.name, self.language, order, position, text, seeds, 1, 0, 0, 0, 0, "", "")

    def seeds(self) -> list[SessionSeed]:
        """Its seeds in their order."""
        return [SessionSeed(position, text, "waiting", 0, 0) for position, text in enumerate(self.texts, 1)]

    def store(self, store: Store, position: int, kept: NSequenceFilter) -> Standing:
        """Begin it, at a position and with a filter; another has its name where that was taken meanwhile."""
        with store.write():
            name = unused_name(store, _NUMBER.sub("", self.name))
            create_session(store, name, self.language, self.texts, kept)
            return go_to_seed(store, name, position) if position > 1 else session_standing(store, name)
