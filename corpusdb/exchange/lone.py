"""Rewordings without a second context: which exchanges vouch for B and B', and what else is asked of what they give."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final

import numpy as np

from corpusdb.exchange.differences import Exchange
from corpusdb.exchange.evidence import Sums

__all__ = ["LEAST_ORDER", "LEAST_RATE", "is_vouched_by", "replacements"]

LEAST_RATE: Final = 0.625
"""Of the pairs that differ by an exchange and would share a translation if it kept the meaning, so many must do."""
_LEAST_SHARED: Final = 2
"""So many pairs show an exchange at least, where a sentence in the same context was exchanged so."""
LEAST_ORDER: Final = 11
"""All sequences of so many characters were seen. Of pairs with one less 3 of 51 did not hold, of the others 3 of 217
(tests/readings)."""


def replacements(exchanges: Sequence[Exchange], sums: Sums) -> set[Exchange]:
    """The exchanges of one text for another of a high rate, in either direction, however few pairs show them."""
    often = (sums.rate() >= LEAST_RATE) & (sums.shared >= _LEAST_SHARED)
    found = [exchanges[place] for place in np.flatnonzero(often).tolist()]
    return {pair for x, y in found if x and y for pair in ((x, y), (y, x))}


def is_vouched_by(regions: Iterable[Exchange], known: Container[Exchange]) -> bool:
    """Whether every region in which two sentences differ is one of the known replacements."""
    return all(region in known for region in regions)
