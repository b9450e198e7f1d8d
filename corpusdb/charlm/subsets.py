"""Perplexity of a test set under models of many subsets of one pool, without training each of them.

The n-grams of the pool and of the test set are numbered once. The counts of a subset are then a count of numbers, and
its probabilities are smoothed over all n-grams, most of which it has 0 times.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.counts import keys_at, level_numbers
from corpusdb.charlm.key_index import numbered
from corpusdb.charlm.smoothing import SMOOTHINGS, Grams
from corpusdb.errors import InputError, UsageError
from corpusdb.ngrams.counting import joined_ranges

__all__ = ["SubsetModels"]


class SubsetModels:
    """A pool of texts, and a test set that is measured by models of parts of the pool.

    The alphabet is fixed: a test character that a subset lacks is still one of it.
    """

    def __init__(self, pool: Sequence[str], test: Sequence[str], alphabet: Alphabet, order: int) -> None:
        if not any(test):
            raise InputError("the test set has no characters")
        stream = alphabet.encode([*pool, *test])
        stops = stream.ends + 1
        self._starts, self._sizes = stream.starts[: len(pool)], (stops - stream.starts)[: len(pool)]
        self._sizes[stream.lengths[: len(pool)] == 0] = 0  # no character, no text
        self.characters: I64 = stream.lengths[: len(pool)]
        """Of each text of the pool."""
        keys = [np.arange(alphabet.size)]
        self._numbers = [stream.symbols]
        for _ in range(order - 1):
            places, wanted, cells = keys_at(stream, self._numbers[-1], len(keys[-1]), alphabet.size)
            distinct, found, _ = numbered(wanted, cells)
            keys.append(distinct)
            self._numbers.append(level_numbers(len(stream.symbols), places, found))
        self._level_sizes = [len(level) for level in keys]
        self._grams = Grams.of(alphabet, keys)
        measured = np.ones(len(stream.symbols), dtype=np.bool_)
        measured[stream.starts] = False
        measured[stream.ends] = False
        measured[: stream.starts[len(pool)]] = False
        self._tested: list[I64] = []
        """At each character of the test set the longest n-gram that ends there, by level."""
        for numbers, longer in zip(self._numbers, [*self._numbers[1:], None], strict=True):
            ending = measured if longer is None else measured & (longer < 0)
            self._tested.append(numbers[ending & (numbers >= 0)].astype(np.int64))

    def entropy(self, chosen: I64, smoothing: str = "wb") -> float:
        """Bits per character of the test set under a model of the texts at these places of the pool.

        A place that comes twice counts twice.
        """
        if smoothing not in SMOOTHINGS:
            raise UsageError(f"there is no smoothing {smoothing!r}, but {', '.join(SMOOTHINGS)}")
        places = joined_ranges(self._starts[chosen], self._sizes[chosen])
        counts = []
        for size, numbers in zip(self._level_sizes, self._numbers, strict=True):
            own = numbers[places]
            counts.append(np.bincount(own[own >= 0], minlength=size))
        probabilities = SMOOTHINGS[smoothing](self._grams, counts).probabilities
        tested: F64 = np.concatenate([level[own] for level, own in zip(probabilities, self._tested, strict=True)])
        return float(-np.log2(tested).mean())

    def perplexity(self, chosen: I64, smoothing: str = "wb") -> float:
        """2 to the bits per character."""
        return float(2 ** self.entropy(chosen, smoothing))
