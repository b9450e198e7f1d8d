"""The seeds of a session: of the sentences that somebody gives, each once, with a count of what that leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corpusdb.text import normalise

__all__ = ["DistinctSeeds", "distinct_seeds"]


@dataclass(frozen=True, slots=True)
class DistinctSeeds:
    """Sentences without those that are blank or stand there before."""

    texts: tuple[str, ...]
    """In their order, normalised."""
    lines: int
    """How many were given."""
    blank: int

    @property
    def double(self) -> int:
        """How many had been given before."""
        return self.lines - self.blank - len(self.texts)

    @property
    def counts(self) -> dict[str, int]:
        """The figures by their names."""
        return {"lines": self.lines, "blank": self.blank, "double": self.double}

    @property
    def left_out(self) -> str:
        """How many were given and what was left out of them, in words; nothing where nothing was."""
        if len(self.texts) == self.lines:
            return ""
        parts = [f"{len(self.texts):,} seed{'' if len(self.texts) == 1 else 's'}"]
        parts += [f"{self.blank:,} blank"] if self.blank else []
        parts += [f"{self.double:,} double"] if self.double else []
        return f"{self.lines:,} lines: {', '.join(parts)}"


def distinct_seeds(texts: Iterable[str]) -> DistinctSeeds:
    """What is left of sentences when each stands once."""
    given = [normalise(text) for text in texts]
    distinct = tuple(dict.fromkeys(text for text in given if text))
    return DistinctSeeds(distinct, len(given), sum(not text for text in given))
