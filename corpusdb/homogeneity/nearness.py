"""How far a text stands from a corpus: beside what the corpus' own documents of the same length cost.

All is measured by models of the corpus that have not seen it (cross_validation), so that bits of the corpus' own text
and of any other can be compared. A document is a run of sentences of the corpus in its order: a corpus is as varied as
its runs are, and no sentence drawn at random would show that. A text is far that costs more than nearly all of them;
one that costs less is no stranger to the corpus than its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64

__all__ = ["CENTRAL", "LEAST_CHARACTERS", "LEAST_DOCUMENTS", "Nearness", "document_length", "documents_of", "nearness"]

CENTRAL: Final = 0.95
"""The share of the corpus' documents that lie between the bounds."""
LEAST_DOCUMENTS: Final = 40
"""So many are needed for bounds that leave a fortieth of them out on each side."""
LEAST_CHARACTERS: Final = 1000
"""Of a text of fewer nothing is said: single sentences cost anything."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """What a text costs, and the documents of a corpus, in bits per character."""

    bits: float
    """Of the text."""
    low: float
    """The bounds of the central 95 % of the documents."""
    high: float
    median: float
    dearer: float
    """The share of the documents that cost as much as the text, or more: 0 to 1."""
    documents: int
    document_characters: int
    """Of each document, at least."""
    characters: int
    """Of the text."""

    @property
    def is_far(self) -> bool:
        """Whether the text costs more than the central 95 % of the documents."""
        return self.bits > self.high


def document_length(characters: int, corpus_characters: int) -> int | None:
    """How long the documents are for a text of so many characters: as long, or shorter where there would be too few.

    Shorter documents differ more, so that a text is rather called near than far. None where the text or the corpus is
    too small to say anything.
    """
    length = min(characters, corpus_characters // LEAST_DOCUMENTS)
    return length if length >= LEAST_CHARACTERS else None


def documents_of(characters: I64, length: int) -> I64:
    """For each sentence of a corpus, in its order, the number of its document, of about ``length`` characters.

    What is left over at the end belongs to the last document.
    """
    starts = np.cumsum(characters) - characters
    numbers = starts // length
    documents = max(int(characters.sum()) // length, 1)
    return np.asarray(np.minimum(numbers, documents - 1))


def nearness(size: int, cost: float, characters: I64, bits: F64, length: int) -> Nearness:
    """A text of ``size`` characters that cost so many bits, beside documents of ``length`` characters.

    ``characters`` and ``bits`` are those of each document.
    """
    costs = bits / characters
    low, median, high = np.quantile(costs, [(1 - CENTRAL) / 2, 0.5, (1 + CENTRAL) / 2]).tolist()
    return Nearness(
        bits=cost / size,
        low=low,
        high=high,
        median=median,
        dearer=float((costs >= cost / size).mean()),
        documents=len(costs),
        document_characters=length,
        characters=size,
    )
