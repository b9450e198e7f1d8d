"""Places of a text where an equivalent can stand instead: what reference lattices are made of (section 3.5).

Phrases are looked for among the tokens of the text, never among its characters, and in the original text alone: what
was put in is not replaced again, and substitutions do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from corpusdb.alignment.equivalence import Equivalent, Phrase
from corpusdb.alignment.phrases import may_part

__all__ = ["Replaceable", "Substitution", "substituted", "substitutions"]

Replaceable: TypeAlias = Callable[[Phrase], Sequence[Equivalent]]
"""The equivalents of a phrase in lower case."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """The tokens from ``start`` up to, not including, ``end`` replaced by an equivalent."""

    start: int
    end: int
    equivalent: Equivalent

    @property
    def phrase(self) -> Phrase:
        return self.equivalent.phrase


def substitutions(tokens: Sequence[str], equivalents: Replaceable, longest: int) -> Iterator[Substitution]:
    """All substitutions of phrases of up to ``longest`` tokens, by place, length and then as the equivalents come.

    An equivalent that is what stands there is none. A clitic is not cut from its host.
    """
    lowered = [token.lower() for token in tokens]
    for start in range(len(tokens)):
        if start and not may_part(lowered[start - 1], lowered[start]):
            continue
        for end in range(start + 1, min(start + longest, len(tokens)) + 1):
            if end < len(tokens) and not may_part(lowered[end - 1], lowered[end]):
                continue
            original = tuple(lowered[start:end])
            for equivalent in equivalents(original):
                if tuple(map(str.lower, equivalent.phrase)) != original:
                    yield Substitution(start, end, equivalent)


def substituted(tokens: Sequence[str], chosen: Substitution) -> list[str]:
    """The tokens with one substitution made."""
    return [*tokens[: chosen.start], *chosen.phrase, *tokens[chosen.end :]]
