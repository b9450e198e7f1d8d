"""The exchanges of a language that are applied to a sentence as they are, without an analogy that vouches for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.exchange.differences import Exchange
from corpusdb.exchange.evidence import Sums
from corpusdb.exchange.lone import LEAST_RATE, replacements
from corpusdb.exchange.rates import WHOLE
from corpusdb.store import Store
from corpusdb.text import units_of

__all__ = ["ExchangeCount", "UsableExchanges", "load_replacements", "load_usable"]

_LEAST_EXPECTED: Final = 3
"""So many must be expected to: exchanges that were seen once or twice look certain."""
_LEAST_PART: Final = 0.1
"""Of all pairs of sentences that differ by an exchange of a filler, so many must differ by this one. What a filler is
exchanged for less often is what it stands for in another sense: "'s" is "is", and seldom "has" or "does"."""
_ROWS: Final = "select x, y, pairs, shared, expected from exchange where language = ?"


@dataclass(frozen=True, slots=True)
class ExchangeCount:
    """How many pairs of sentences that differ by an exchange share a translation."""

    shared: int
    expected: float
    """How many would if they meant the same."""


@dataclass(frozen=True, slots=True)
class UsableExchanges:
    """Replacements of a high rate: of one text for another, neither of them empty."""

    counts: dict[Exchange, ExchangeCount]
    """By what stands in the sentence and what is put in its place."""
    partners: dict[str, list[str]]
    """By what stands in the sentence, ascending."""
    most_units: int
    """Of a text that is replaced."""


def load_usable(store: Store, language: str) -> UsableExchanges:
    """Those that the stored figures of a language speak for."""
    rows = store.connection.execute(_ROWS, (language,)).fetchall()
    pairs_of: Counter[str] = Counter()
    for x, y, pairs, *_ in rows:
        pairs_of[x] += pairs
        pairs_of[y] += pairs
    figures = np.array([row[3:] for row in rows], dtype=np.float64).reshape(-1, 2).T
    sums = Sums(figures[0], figures[1] / WHOLE)
    often = (sums.rate() >= LEAST_RATE) & (sums.expected >= _LEAST_EXPECTED)
    counts: dict[Exchange, ExchangeCount] = {}
    for place in np.flatnonzero(often).tolist():
        x, y, pairs, shared, _ = rows[place]
        for before, after in ((x, y), (y, x)):
            if before and after and pairs >= _LEAST_PART * pairs_of[before]:
                counts[before, after] = ExchangeCount(shared, float(sums.expected[place]))
    partners: dict[str, list[str]] = defaultdict(list)
    for before, after in sorted(counts):
        partners[before].append(after)
    return UsableExchanges(counts, dict(partners), max((len(units_of(text)) for text in partners), default=0))


def load_replacements(store: Store, language: str) -> set[Exchange]:
    """The exchanges of one text for another of a high rate, in either direction, however few pairs show them."""
    rows = store.connection.execute(_ROWS, (language,)).fetchall()
    figures = np.array([row[3:] for row in rows], dtype=np.float64).reshape(-1, 2).T
    return replacements([row[:2] for row in rows], Sums(figures[0], figures[1] / WHOLE))
