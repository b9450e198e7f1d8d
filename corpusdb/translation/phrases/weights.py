"""What the figures of a translation weigh, and the search for better weights on sentences that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.translation.phrases.decoder import WeightedOption
from corpusdb.translation.phrases.options import FEATURES, PhraseOption

__all__ = ["DEFAULT_WEIGHTS", "PhraseWeights", "weighted"]


@dataclass(frozen=True, slots=True)
class PhraseWeights:
    """Of a log-linear model (Och & Ney 2002)."""

    features: tuple[float, ...]
    """In the order of FEATURES."""
    model: float
    """Of the logarithm of the language model."""
    jump: float
    """For each word of the sentence between two phrases; 0 or less."""
    before: float
    """Of the logarithm of the orientation towards the phrase before."""
    behind: float

    def values(self) -> tuple[float, ...]:
        """All in one row, for a search."""
        return (*self.features, self.model, self.jump, self.before, self.behind)

    @classmethod
    def of(cls, values: Sequence[float]) -> PhraseWeights:
        """From what values gave."""
        count = len(FEATURES)
        return cls(tuple(values[:count]), *values[count:])


DEFAULT_WEIGHTS: Final = PhraseWeights((0.36, 0.18, 0.04, 0.04, 0.42, 0.03, -0.2, 0.86, -5.0), 0.54, -0.01, 0.3, 0.0)
"""Set by hand, then moved one by one as long as the BLEU of the best of 100 translations of each sentence rose (the
mean of two directions, 300 sentences of Tatoeba each, held out of the pairs that were learned from)."""


def weighted(options: Sequence[PhraseOption], weights: PhraseWeights) -> list[WeightedOption]:
    """The options with their scores; the number of each is its place."""
    before, behind = weights.before, weights.behind
    made = []
    for number, option in enumerate(options):
        score = sum(map(_product, weights.features, option.features))
        first, second, third = option.before
        own = before * first, before * second, before * third
        first, second, third = option.behind
        next_one = (behind * first, behind * second, behind * third) if behind else _NOTHING
        made.append(WeightedOption(option.begin, option.end, option.words, score, own, next_one, number))
    return made


_NOTHING: Final = (0.0, 0.0, 0.0)


def _product(weight: float, figure: float) -> float:
    return weight * figure
