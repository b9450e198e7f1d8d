"""Whether an equivalent can stand where a reference has another phrase: what the corpus has beside it, and how probable
the sentence is with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def substitution_features(probabilities: Sequence[float], gains: Sequence[float], seen: Sequence[float]) -> F64:
    """A row for each substitution: the log-odds of its equivalent, how much more and how much less probable the
    sentence is with it, and which part of the rows of three words that it comes into is known.
    """
    gain = np.array(gains, dtype=np.float64)
    return np.stack([log_odds(np.array(probabilities)), np.maximum(gain, 0), np.minimum(gain, 0), np.array(seen)], 1)


def substitution_probabilities(
    probabilities: Sequence[float], gains: Sequence[float | None], seen: Sequence[float]
) -> list[float]:
    """How probable it is that substitutions hold in their sentences, to four places.

    ``probabilities``: of the equivalents by themselves; ``gains``: of the sentences by the word model, None without
    one: then all rows of words must be ``seen``, and the equivalent is believed.
    """
    if not probabilities:
        return []
    if None in gains:
        return [probability if part == 1 else 0.0 for probability, part in zip(probabilities, seen, strict=True)]
    features = substitution_features(probabilities, [gain or 0.0 for gain in gains], seen)
    return [round(each, 4) for each in equivalence_model("sentence").probability(features).tolist()]
