"""The units that stand beside the gaps of contexts, as numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from corpusdb.arrays import I64
from corpusdb.exchange.differences import units_beside
from corpusdb.store import Store

__all__ = ["Neighbours"]

_GAPS = """
select context.id, context.sentence, context.start, context.stop
from json_each(?) wanted cross join context on context.id = wanted.value
"""


class Neighbours:
    """Numbers units in the order in which they are met."""

    def __init__(self, store: Store, texts: Mapping[int, str]) -> None:
        """``texts`` has the sentences of the language by their numbers."""
        self._store = store
        self._texts = texts
        self.numbers: dict[str, int] = {}

    def beside(self, context: I64) -> tuple[I64, I64]:
        """The unit to the left and to the right of the gap of each context; contexts may come several times."""
        different, place = np.unique(context, return_inverse=True)
        left, right = np.zeros(len(different), dtype=np.int64), np.zeros(len(different), dtype=np.int64)
        at = {number: row for row, number in enumerate(different.tolist())}
        for number, sentence, start, stop in self._store.connection.execute(_GAPS, (json.dumps(different.tolist()),)):
            before, after = units_beside(self._texts[sentence], start, stop)
            left[at[number]] = self.numbers.setdefault(before, len(self.numbers))
            right[at[number]] = self.numbers.setdefault(after, len(self.numbers))
        return left[place], right[place]

    def starts(self, context: I64) -> I64:
        """Where the gap of each context begins; contexts may come several times."""
        different, place = np.unique(context, return_inverse=True)
        rows = self._store.connection.execute(_GAPS, (json.dumps(different.tolist()),))
        start_of = {number: start for number, _, start, _ in rows}
        return np.array([start_of[number] for number in different.tolist()], dtype=np.int64)[place]
