"""Rewordings of sentences that the corpus does not hold: exchanges of a high rate, applied to the sentence itself."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from corpusdb.charlm.rewordings import rewording_orders
from corpusdb.exchange.application import Application, applications
from corpusdb.exchange.pair_differences import Pair
from corpusdb.ngrams.suffixes import SuffixIndex
from corpusdb.queries.exchange.seed_validity import SeedValidity
from corpusdb.queries.exchange.usable_exchanges import ExchangeCount, UsableExchanges, load_usable
from corpusdb.store import Store

__all__ = ["Reworded", "SeedRewordings"]


class Reworded(NamedTuple):
    """A sentence with one exchange made, and what speaks for it."""

    made: Application
    figures: ExchangeCount
    validity: float
    order: int
    """The fluency order, for which the sequences of the seed count as seen."""
    inner_order: int


class SeedRewordings:
    """Makes exchanges in sentences of one language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str, ngrams: SuffixIndex) -> None:
        self._store = store
        self._language = language
        self._ngrams = ngrams
        self._validity = SeedValidity(store, language)

    @cached_property
    def usable(self) -> UsableExchanges:
        """The exchanges that are applied."""
        return load_usable(self._store, self._language)

    def of(self, sentence: str) -> list[Reworded]:
        """The rewordings of a normalised sentence, in the order of the places of the exchanges."""
        if not self._validity.is_known:
            return []
        made = list(applications(sentence, self.usable.partners, self.usable.most_units))
        judged = self._validity.judge_applied([Pair(0, sentence, each.text, 0, 0, 0.0) for each in made])
        longest = self._ngrams.longest
        return [
            Reworded(
                each,
                self.usable.counts[each.exchange],
                validity,
                *rewording_orders(sentence, each.text, each.begin, each.stop, longest),
            )
            for each, (validity, vouched) in zip(made, judged, strict=True)
            if vouched
        ]
