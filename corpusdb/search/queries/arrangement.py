"""Which lines of a concordance are wanted, in which order, and by what they are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Arrangement", "GroupBy", "Sorting"]

Sorting: TypeAlias = Literal["corpus", "left", "right", "match", "random"]
GroupBy: TypeAlias = Literal["match", "left", "right", "collection", "document", "translation"]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which lines of a concordance are wanted, in which order."""

    sorting: Sorting = "corpus"
    """left, right: by the words next to the match, the nearest first, whatever their case."""
    sample: int | None = None
    """How many lines to choose at random; None = all."""
    seed: int = 1
    """Of the random choice and order."""
