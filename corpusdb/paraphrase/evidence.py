"""What speaks for the exchange between two sentences, and which vouch for what no second context shows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.paraphrase.differences import Exchange

__all__ = [
    "DERIVATION_FEATURES",
    "EXCHANGE_FEATURES",
    "LEAST_ORDER",
    "LEAST_RATE",
    "Derived",
    "ExchangeEvidence",
    "RegionsAlone",
    "Sums",
    "exchange_rate",
    "features",
    "is_vouched_by",
    "most_probable",
    "replacements",
]


# What speaks for the exchange between two sentences, as the features of a model.
#
# The pair itself is left out of every sum: whether it shares a translation is what the features are to predict.


_EXPECTED_SHARED, _EXPECTED = 0.3, 1.0
"""An exchange of which nothing is known counts as one pair expected to share, of which 0.3 do."""
_UNSEEN = 3.0
"""Where none of n pairs share, at most 3 of n would have in the long run, with 95 % certainty."""
_LEAST_OF_A_LANGUAGE = 0.25
"""A language in which an exchange keeps fewer translations than this, of those expected, says that it changes the
meaning. Of pairs with such a language that the others gave 0.95, a language held out confirmed hardly any; where it
keeps more, as Japanese does of this and that, it confirmed as many as of others, and so did readers."""


def exchange_rate(shared: float, expected: float) -> float:
    """(O + 0.3) / (E + 1): how often an exchange keeps the meaning; above 1 where more pairs share than expected."""
    return (shared + _EXPECTED_SHARED) / (expected + _EXPECTED)


@dataclass(frozen=True, slots=True)
class Sums:
    """O and E, of some of the instances of an exchange; an entry for each pair of sentences."""

    shared: F64
    expected: F64

    def __getitem__(self, chosen: Sequence[int]) -> Sums:
        """Those of some rows."""
        return Sums(self.shared[chosen], self.expected[chosen])

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
    alone: RegionsAlone | None = None
    """The same of each region of pairs with several; None where all have one."""


@dataclass(frozen=True, slots=True)
class RegionsAlone:
    """Regions of pairs that have several, each as if the pair differed by nothing else; parallel arrays."""

    pair: I64
    """Which pair each is of."""
    evidence: ExchangeEvidence


@dataclass(frozen=True, slots=True)
class Derived:
    """The analogies behind each pair of sentences; parallel arrays."""

    frequency: F64
    languages: F64
    probability: F64

    def __getitem__(self, chosen: I64) -> Derived:
        return Derived(self.frequency[chosen], self.languages[chosen], self.probability[chosen])


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
)
DERIVATION_FEATURES: Final = ("units of seed", "frequency", "languages", "probability")
"""How long the seed is counts only where analogies do: long sentences of a corpus that differ by little are mostly made
from one another, so that they share translations. Of another text, length says nothing of that kind."""


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
    ]
    if derived is not None:
        columns += [
            evidence.units_of_seed,
            np.log2(1 + derived.frequency),
            derived.languages,
            np.log2(derived.probability),
        ]
    return np.stack(columns, axis=1)


def most_probable(by_language: Sums) -> F64:
    """What the language that objects most leaves of the probability of each pair; 1 where none does.

    The sums of all languages hide it: French has one word for his and her, and German tells them apart.
    """
    bound = ((by_language.shared + _UNSEEN) / (by_language.expected + _UNSEEN)).min(axis=0, initial=1.0)
    return np.where(bound < _LEAST_OF_A_LANGUAGE, bound, 1.0)


def _support(sums: Sums) -> tuple[F64, F64]:
    """What speaks for an exchange and what against it."""
    return np.log2(1 + sums.shared), np.log2(1 + np.maximum(sums.expected - sums.shared, 0.0))


# Rewordings without a second context: which exchanges vouch for B and B', and what else is asked of what they give.


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
