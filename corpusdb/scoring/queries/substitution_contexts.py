"""Whether an equivalent can stand where a reference has another phrase: what the corpus has beside it, and how probable
the sentence is with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from corpusdb.alignment.interchange import equivalence_model
from corpusdb.base.arrays import F64, I64
from corpusdb.base.estimates import log_odds
from corpusdb.search.token_corpus import Tokeniser


class NeighbouringWords:
    """Which words follow each other in the sentences of a corpus, two and three in a row."""

    def __init__(self, texts: Iterable[str]) -> None:
        numbers: dict[str, int] = {}
        lengths, tokens = Tokeniser(numbers).types_of(texts)
        lowered: dict[str, int] = {"": 0}
        to_lower = np.array(
            [0, *(lowered.setdefault(token.lower(), len(lowered)) for token in numbers)], dtype=np.int64
        )
        # Two empty words stand before and after every sentence.
        places = np.arange(len(tokens)) + 2 * (np.repeat(np.arange(len(lengths)), lengths) + 1)
        stream = np.zeros(len(tokens) + 2 * len(lengths) + 2, dtype=np.int64)
        stream[places] = to_lower[tokens + 1]
        self._numbers = lowered
        self.words = lowered.keys()
        """All words, in lower case."""
        pairs = stream[:-1] * len(lowered) + stream[1:]
        self._rows: dict[int, I64] = {2: np.unique(pairs), 3: np.unique(pairs[:-1] * len(lowered) + stream[2:])}
        self.capitals = frozenset(
            token.lower() for token in numbers if token[:1].isupper() and token.lower() not in numbers
        )
        """Words, in lower case, that always begin with a capital."""

    def have(self, words: Sequence[str]) -> bool:
        """Whether two or three words, in lower case, follow each other; empty ones stand at the ends of sentences."""
        key = 0
        for word in words:
            if word not in self._numbers:
                return False
            key = key * len(self._numbers) + self._numbers[word]
        rows = self._rows[len(words)]
        at = int(np.searchsorted(rows, key))
        return at < len(rows) and int(rows[at]) == key


class SubstitutionEvidence(NamedTuple):
    """What speaks for an equivalent in a sentence."""

    probability: float
    """That it is one, by itself."""
    gain: float | None
    """log10 P of the sentence with it less that without, by a word model; None without one."""
    seen: float
    """The part of the rows of words that it comes into which stand somewhere."""
    words: int
    """Of the phrase and of the equivalent: what has several has fewer senses."""
    closed: float
    """Which part of the words of either is of closed classes, added."""


def substitution_features(given: Sequence[SubstitutionEvidence]) -> F64:
    """A row for each substitution."""
    columns = zip(*given, strict=True)
    probability, gain, seen, words, closed = (np.array(column, dtype=np.float64) for column in columns)
    return np.stack([log_odds(probability), np.clip(gain, -4, 2), seen, np.log(words), closed], axis=1)


def substitution_probabilities(given: Sequence[SubstitutionEvidence]) -> list[float]:
    """How probable it is that substitutions hold in their sentences, to four places.

    Without a word model all rows of words must be seen, and the equivalent is believed.
    """
    if not given:
        return []
    if any(each.gain is None for each in given):
        return [each.probability if each.seen == 1 else 0.0 for each in given]
    found = equivalence_model("sentence").probability(substitution_features(given))
    return [round(each, 4) for each in found.tolist()]
