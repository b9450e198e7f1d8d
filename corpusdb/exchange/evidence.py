"""What speaks for the exchange between two sentences, as the features of a model.

The pair itself is left out of every sum: whether it shares a translation is what the features are to predict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64

__all__ = [
    "DERIVATION_FEATURES",
    "EXCHANGE_FEATURES",
    "Derived",
    "ExchangeEvidence",
    "Sums",
    "exchange_rate",
    "features",
]

_EXPECTED_SHARED, _EXPECTED = 0.3, 1.0
"""An exchange of which nothing is known counts as one pair expected to share, of which 0.3 do."""


def exchange_rate(shared: float, expected: float) -> float:
    """(O + 0.3) / (E + 1): how often an exchange keeps the meaning; above 1 where more pairs share than expected."""
    return (shared + _EXPECTED_SHARED) / (expected + _EXPECTED)


@dataclass(frozen=True, slots=True)
class Sums:
    """O and E, of some of the instances of an exchange; an entry for each pair of sentences."""

    shared: F64
    expected: F64

    def without(self, shared: F64, expected: F64) -> Sums:
        """The sums without what one instance gave to them."""
        return Sums(np.maximum(self.shared - shared, 0.0), np.maximum(self.expected - expected, 0.0))

    def rate(self, prior: F64 | float = _EXPECTED_SHARED / _EXPECTED) -> F64:
        """(O + prior) / (E + 1)."""
        return np.asarray((self.shared + prior) / (self.expected + _EXPECTED))


@dataclass(frozen=True, slots=True)
class ExchangeEvidence:
    """The exchange of each pair of sentences; parallel arrays."""

    pairs: F64
    """How many instances it has."""
    all: Sums
    left: Sums
    """Those with the same neighbour to the left."""
    right: Sums
    worst: Sums
    """The changed region of the lowest rate; ``all`` where there is only one."""
    by_language: Sums
    """Those with a common language of translations, by language: languages by pairs."""
    regions: F64
    """How many changed regions there are."""
    doubt: F64
    """The sum over the regions of log2 of their rates, each at most 1."""
    units_before: F64
    units_after: F64
    units_of_seed: F64


@dataclass(frozen=True, slots=True)
class Derived:
    """The analogies behind each pair of sentences; parallel arrays."""

    frequency: F64
    languages: F64
    probability: F64


EXCHANGE_FEATURES: Final = (
    "rate",
    "log rate",
    "shared",
    "missed",
    "rate left",
    "rate right",
    "worst rate",
    "worst shared",
    "worst missed",
    "lowest rate of a language",
    "log lowest rate",
    "languages with evidence",
    "regions",
    "doubt",
    "pairs",
    "units before",
    "units after",
    "units of seed",
)
DERIVATION_FEATURES: Final = ("frequency", "languages", "probability")


def features(evidence: ExchangeEvidence, derived: Derived | None = None) -> F64:
    """Pairs by features: those of EXCHANGE_FEATURES, and with ``derived`` those of DERIVATION_FEATURES too.

    Counts are logarithms to the base 2, since many of a kind say little more than some.
    """
    rate, worst = evidence.all.rate(), evidence.worst.rate()
    lowest = np.minimum(rate, evidence.by_language.rate(rate).min(axis=0, initial=np.inf))
    columns = [
        rate,
        np.log2(rate),
        *_support(evidence.all),
        evidence.left.rate(rate),
        evidence.right.rate(rate),
        worst,
        *_support(evidence.worst),
        lowest,
        np.log2(lowest),
        np.log2(1 + (evidence.by_language.expected >= _EXPECTED).sum(axis=0)),
        evidence.regions,
        evidence.doubt,
        np.log2(1 + evidence.pairs),
        evidence.units_before,
        evidence.units_after,
        evidence.units_of_seed,
    ]
    if derived is not None:
        columns += [np.log2(1 + derived.frequency), derived.languages, np.log2(derived.probability)]
    return np.stack(columns, axis=1)


def _support(sums: Sums) -> tuple[F64, F64]:
    """What speaks for an exchange and what against it."""
    return np.log2(1 + sums.shared), np.log2(1 + np.maximum(sums.expected - sums.shared, 0.0))
