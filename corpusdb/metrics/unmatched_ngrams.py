"""The n-grams of outputs that no reference has: what further references could match, and what they cannot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

__all__ = ["Ngram", "ngrams_up_to", "unmatched_ngrams"]

Ngram: TypeAlias = tuple[str, ...]
"""Its units, in their order."""


def ngrams_up_to(units: Sequence[str], order: int) -> set[Ngram]:
    """The different n-grams of a text, for every n from 1 to ``order``."""
    return {tuple(units[first : first + n]) for n in range(1, order + 1) for first in range(len(units) - n + 1)}


def unmatched_ngrams(outputs: Iterable[Sequence[str]], references: Iterable[Sequence[str]], order: int) -> set[Ngram]:
    """The different n-grams that some output of a segment has, and none of its references.

    An n-gram that stands in an output more often than in any reference is not among them: one match of it counts.
    """
    found = {ngram for units in outputs for ngram in ngrams_up_to(units, order)}
    return found.difference(*(ngrams_up_to(units, order) for units in references))
