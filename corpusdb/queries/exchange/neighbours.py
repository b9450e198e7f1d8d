"""The units that stand beside the gaps of contexts, as numbers."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

from corpusdb.arrays import I64
from corpusdb.exchange.differences import BEGIN, END
from corpusdb.store import Store
from corpusdb.text import unit_ends

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


def units_beside(text: str, start: int, stop: int) -> tuple[str, str]:
    """The unit that ends at ``start`` and the one that begins at ``stop``, which are ends of units or of the text."""
    ends = unit_ends(text)
    before, after = BEGIN, END
    if start > 0:
        place = bisect_left(ends, start)
        before = text[ends[place - 1] if place else 0 : start]
    if stop < len(text):
        after = text[stop : ends[bisect_left(ends, stop + 1)]]
    return before, after
