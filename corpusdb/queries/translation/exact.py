"""The first rung: what the corpus has translated as it stands."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.queries.translation.example_pairs import Direction, exact_translations
from corpusdb.store import Store
from corpusdb.translation.answers import Example, Translation

__all__ = ["ExactRung"]


@dataclass(frozen=True, slots=True)
class ExactRung:
    """The translations that the corpus has of a text."""

    store: Store
    direction: Direction

    def translations(self, text: str, limit: int) -> list[Translation]:
        """They all have the score 1, for the corpus does not tell the better one; the oldest first."""
        rows = exact_translations(self.store, self.direction, text)
        return [
            Translation(target, "exact", 1.0, 1, (Example(sentence, text, target),))
            for sentence, target in rows[:limit]
        ]
