"""What Lepage and Denoual (2005) print of their corpus and their paraphrases, to stand beside the figures of others.

Their corpus is the English side of the Basic Travel Expression Corpus of C-STAR; N = 20, and no filter by validity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["PAPER", "PublishedGeneration", "PublishedSizes"]


@dataclass(frozen=True, slots=True)
class PublishedSizes:
    """How many different sentences, and their sizes, each a mean and its standard deviation."""

    texts: int
    characters: float
    characters_deviation: float
    words: float
    words_deviation: float


@dataclass(frozen=True, slots=True)
class PublishedGeneration:
    """The numbers of Tables 1 and 2 and of section 5."""

    corpus: PublishedSizes
    """Table 1."""
    paraphrases: PublishedSizes
    """Table 2."""
    detected: int
    """Sentences with a paraphrase; those of Table 1 are all."""
    detected_average: float
    """Paraphrases of such a sentence."""
    detected_over_100: int
    detected_most: int
    """Of "Sure."."""
    candidates: int
    kept_seeds: int
    kept: int
    kept_average: float
    """As it is printed; the two numbers above give 9.14."""
    kept_deviation: float


PAPER: Final = PublishedGeneration(
    corpus=PublishedSizes(97_769, 35.14, 18.81, 6.86, 3.57),
    paraphrases=PublishedSizes(42_249, 33.15, 9.31, 6.44, 1.90),
    detected=26_079,
    detected_average=5.35,
    detected_over_100=60,
    detected_most=529,
    candidates=4_495_266,
    kept_seeds=16_153,
    kept=147_708,
    kept_average=8.65,
    kept_deviation=16.98,
)
