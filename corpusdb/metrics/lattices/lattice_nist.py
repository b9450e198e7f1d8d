"""NIST over lattices: what is matched is on a path of the lattice, what it weighs and how long it should be is not.

mteval weighs n-grams by their counts over all references, and takes their mean length. A lattice has no finite list of
references of which either could be taken, and every rarer paraphrase would weigh more than what the translator wrote.
So the weights and lengths are those of the original references; an n-gram that these have not is weighed as if they had
it once. Without a replacement this is NIST with the original references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from math import log2

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.lattices.reference_lattice import Lattice, Ngram, Units, matched_on_paths

__all__ = ["OriginalWeights", "lattice_nist_statistics"]


class OriginalWeights:
    """The information of n-grams by the original references, and the mean length of those of each segment."""

    def __init__(self, originals: Sequence[Sequence[Units]], order: int) -> None:
        """``originals``: the references of each segment as units. Raises UsageError for an order below 1."""
        if order < 1:
            raise UsageError(f"the order of NIST is at least 1, not {order}")
        self.order = order
        self.lengths = [sum(map(len, own)) / max(1, len(own)) for own in originals]
        self._counts: Counter[Ngram] = Counter()
        for own in originals:
            for units in own:
                for n in range(1, order + 1):
                    self._counts.update(tuple(units[at : at + n]) for at in range(len(units) - n + 1))
        self._total = sum(len(units) for own in originals for units in own)

    def of_segments(self, segments: Sequence[int]) -> OriginalWeights:
        """The same weights for some of the segments."""
        chosen = copy(self)
        chosen.lengths = [self.lengths[segment] for segment in segments]
        return chosen

    def information(self, ngram: Ngram) -> float:
        """In bits: log2(occurrences without the last unit / occurrences), each at least 1."""
        history = ngram[:-1]
        # As in mteval, where "0" is false, a unit after the single unit "0" weighs as if nothing stood before it.
        before = self._total if history in ((), ("0",)) else self._counts[history]
        return log2(max(before, 1) / max(self._counts[ngram], 1))


def lattice_nist_statistics(
    hypotheses: Sequence[Units], lattices: Sequence[Sequence[Lattice]], weights: OriginalWeights
) -> F64:
    """The statistics of each segment over all paths of its lattices: shape (segments, 2 order + 2).

    The columns of ``nist_statistics``, and scores by ``nist_scores``. Raises InputError unless there is one hypothesis
    for every segment and a lattice for each.
    """
    if not len(hypotheses) == len(lattices) == len(weights.lengths):
        raise InputError(f"{len(hypotheses)} hypotheses for {len(lattices)} segments")
    order = weights.order
    statistics = np.zeros((len(lattices), 2 * order + 2))
    for number, (units, own) in enumerate(zip(hypotheses, lattices, strict=True)):
        for n, found in enumerate(matched_on_paths(units, own, order, number)):
            statistics[number, n] = sum(count * weights.information(ngram) for ngram, count in found.items())
            statistics[number, order + n] = max(len(units) - n, 0)
        statistics[number, -2:] = len(units), weights.lengths[number]
    return statistics
