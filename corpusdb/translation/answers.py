"""What a translator answers: a translation, the rung of the ladder that gave it, and the examples it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

__all__ = [
    "RUNGS",
    "AnalogyShown",
    "Difference",
    "Evidence",
    "Example",
    "NearExample",
    "Piece",
    "Rung",
    "RungName",
    "Translation",
]

RungName: TypeAlias = Literal["exact", "analogy", "phrases", "memory"]
RUNGS: tuple[RungName, ...] = ("exact", "analogy", "phrases", "memory")
"""From what is surest to what is always there."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and one translation of it."""

    sentence: int
    """The number of the source sentence: in the corpus, or among the pairs given."""
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class AnalogyShown:
    """A : B :: C : text, and the same between their translations, which gives the translation of the text."""

    a: Example
    b: Example
    c: Example


@dataclass(frozen=True, slots=True)
class Difference:
    """A stretch of an example that the text has otherwise."""

    start: int
    """Where it stands in the example, in code points."""
    stop: int
    text: str
    """What the text has in its place; may be empty, as may the stretch."""


@dataclass(frozen=True, slots=True)
class NearExample:
    """An example that is like the text."""

    example: Example
    score: float
    """The fuzzy score, 0 to 1."""
    differences: tuple[Difference, ...]
    """In order; none where the two are the same, whatever the case."""

    @property
    def marked(self) -> str:
        """The example with its differences told: [-what it has-]{+what the text has+}."""
        parts, done = [], 0
        for each in self.differences:
            parts.append(self.example.source[done : each.start])
            if each.stop > each.start:
                parts.append(f"[-{self.example.source[each.start : each.stop]}-]")
            if each.text:
                parts.append(f"{{+{each.text}+}}")
            done = each.stop
        return "".join([*parts, self.example.source[done:]])


@dataclass(frozen=True, slots=True)
class Piece:
    """A phrase of the text and what it was translated by, in the order of the translation."""

    start: int
    """Where it stands in the text, in code points."""
    stop: int
    source: str
    target: str
    probability: float
    """Of the target phrase, given the source phrase; 0 for a word that was left as it is."""
    count: int = 0
    """How often it was found at the places of the source phrase that were looked at."""
    example: Example | None = None
    """A pair of sentences in which it stands."""


Evidence: TypeAlias = Example | AnalogyShown | NearExample | Piece


class Translation(NamedTuple):
    """A translation of a text."""

    text: str
    rung: RungName
    score: float
    """How much speaks for it, 0 to 1. Scores of one rung compare with each other."""
    votes: int
    """How many independent examples, analogies or derivations yield it."""
    evidence: tuple[Evidence, ...]
    """The first of them, best first; pieces in the order of the translation."""


class Rung(Protocol):
    """A way to translate."""

    def translations(self, text: str, limit: int) -> list[Translation]:
        """Translations of a normalised text, best first, at most ``limit``; none where it has nothing to say."""
        ...
