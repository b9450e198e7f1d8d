"""BLEU over lattices: BLEU with the set of all their paths as references.

The rows are those of ``bleu_statistics``, so that scores, intervals and tests are the same. More references can lower
BLEU: with paths of 8 and 11 units a hypothesis of 10 is held to be too short.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.lattices.reference_lattice import Lattice, Units, matched_on_paths

__all__ = ["lattice_bleu_statistics"]


def lattice_bleu_statistics(hypotheses: Sequence[Units], lattices: Sequence[Sequence[Lattice]], order: int) -> I64:
    """The statistics of each segment over all paths of its lattices: shape (segments, 2 ``order`` + 2).

    The columns of ``bleu_statistics``. Raises InputError unless there is one hypothesis for every segment and a lattice
    for each, and UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"the order of BLEU is at least 1, not {order}")
    if len(hypotheses) != len(lattices):
        raise InputError(f"{len(hypotheses)} hypotheses for {len(lattices)} segments")
    statistics = np.zeros((len(lattices), 2 * order + 2), dtype=np.int64)
    for number, (units, own) in enumerate(zip(hypotheses, lattices, strict=True)):
        for n, found in enumerate(matched_on_paths(units, own, order, number)):
            statistics[number, n] = sum(found.values())
            statistics[number, order + n] = max(len(units) - n, 0)
        lengths = {length for lattice in own for length in lattice.lengths}
        statistics[number, -2] = len(units)
        statistics[number, -1] = min(lengths, key=lambda length: (abs(length - len(units)), length))
    return statistics
