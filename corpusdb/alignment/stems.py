"""Words of one stem, by which the translations of rare words are smoothed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpusdb.alignment.bitext import without_accents
from corpusdb.alignment.cooccurrence import WordPairs, added_up
from corpusdb.arrays import F64, I64

__all__ = ["Stems"]


class Stems:
    """The stems of two vocabularies, for the pairs of their words: what words begin with, accents left out."""

    def __init__(self, pairs: WordPairs, source: Sequence[str], target: Sequence[str], length: int) -> None:
        self._words: tuple[I64, I64] = pairs.sources, pairs.targets
        self._sizes = len(source), len(target)
        self._stems = _stems(source, length), _stems(target, length)
        count = int(self._stems[1].max(initial=0)) + 1
        keys = self._stems[0][self._words[0]] * count + self._stems[1][self._words[1]]
        stem_pairs, self._pairs = np.unique(keys, return_inverse=True)
        self._given: tuple[I64, I64] = stem_pairs // count, stem_pairs % count

    def translations(self, counts: F64, way: int) -> F64:
        """For each pair of words, how probable it would be if the words of a stem had the translations of the stem.

        ``counts``: how often each pair was seen; ``way``: 0 for the target word given the source word, 1 for the
        other. A stem gives its words by their counts: p(e|f) = p(stem of e | stem of f) p(e | stem of e).
        """
        seen = added_up(self._pairs, counts, len(self._given[0]))
        translations = _shares(seen, self._given[way])
        words, stems = self._words[1 - way], self._stems[1 - way]
        of_words = added_up(words, counts, self._sizes[1 - way])
        smoothed: F64 = translations[self._pairs] * _shares(of_words, stems)[words]
        return smoothed


def _shares(counts: F64, groups: I64) -> F64:
    """Each count as a part of the sum of its group; 0 where that is 0."""
    totals = added_up(groups, counts, 1)[groups]
    shares: F64 = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    return shares


def _stems(words: Sequence[str], length: int) -> I64:
    stems = [without_accents(word)[:length] for word in words]
    numbers = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
    return np.fromiter(map(numbers.__getitem__, stems), dtype=np.int64, count=len(stems))
