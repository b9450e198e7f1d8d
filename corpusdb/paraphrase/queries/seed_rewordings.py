"""Rewordings of sentences that the corpus does not hold: exchanges of a high rate, applied to the sentence itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from corpusdb.base.ngrams import SuffixIndex
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.differences import Application, Exchange, applications
from corpusdb.paraphrase.familiar import FamiliarExchanges
from corpusdb.paraphrase.fluency import rewording_orders
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries.models import load_word_model
from corpusdb.paraphrase.queries.rewordings import load_familiar
from corpusdb.paraphrase.queries.seeds import (
    ExchangeCount,
    SeedValidity,
    UsableExchanges,
    load_usable,
)
from corpusdb.paraphrase.rewording import Composed, Part, composed, is_part
from corpusdb.paraphrase.word_model import WordModel, word_gains


class Reworded(NamedTuple):
    """A sentence with one exchange made, and what speaks for it."""

    made: Application
    figures: ExchangeCount
    validity: float
    order: int
    """The fluency order, for which the sequences of the seed count as seen."""
    inner_order: int
    word_gain: float | None
    """log10 of its probability as a sentence less that of the seed; None where no word model says it."""


class RewordedTogether(NamedTuple):
    """Several exchanges made in a sentence."""

    made: Composed
    order: int
    inner_order: int
    word_gain: float | None


class SeedRewordings:
    """Makes exchanges in sentences of one language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str, ngrams: SuffixIndex) -> None:
        self._store = store
        self._language = language
        self._ngrams = ngrams
        self._validity = SeedValidity(store, language)

    @cached_property
    def usable(self) -> UsableExchanges:
        return load_usable(self._store, self._language)

    @cached_property
    def familiar(self) -> FamiliarExchanges:
        return load_familiar(self._store, self._language)

    @cached_property
    def word_model(self) -> WordModel | None:
        return load_word_model(self._store, self._language)

    def give(self, sentence: str, translations: Iterable[str]) -> None:
        """Note the translations that somebody gave of a sentence: they are witnesses of its rewordings."""
        self._validity.translations.give(sentence, translations)

    def of(self, sentence: str) -> list[Reworded]:
        """The rewordings of a normalised sentence, in the order of the places of the exchanges."""
        if not self._validity.is_known:
            return []
        made = list(applications(sentence, self.usable.partners, self.usable.most_units))
        found = self._judged(sentence, made)
        known = {each.text for each in made}
        return [*found, *(each for each in self.between_familiar(sentence) if each.made.text not in known)]

    def between_familiar(self, sentence: str) -> list[Reworded]:
        """Those between two neighbours that an exchange is known by, as they are made in sentences of the corpus."""
        made = [each for each, *_ in self.familiar.applied(sentence)] if self._validity.is_known else []
        return self._judged(sentence, made)

    def together(self, sentence: str) -> list[RewordedTogether]:
        """Several of these in one text."""
        parts = [
            Part(each.made.text, each.validity, 1)
            for each in self.between_familiar(sentence)
            if is_part(each.validity, 1, each.order, each.word_gain)
        ]
        made = composed(sentence, parts, self._language, {each.made.text for each in self.of(sentence)})
        gains = word_gains(self.word_model if made else None, [sentence] * len(made), [each.text for each in made])
        longest = self._ngrams.longest
        return [
            RewordedTogether(each, *rewording_orders(sentence, each.text, each.begin, each.stop, longest), gain)
            for each, gain in zip(made, gains, strict=True)
        ]

    def _judged(self, sentence: str, made: Sequence[Application]) -> list[Reworded]:
        pairs = [Pair(0, sentence, each.text, 0, 0, 0.0) for each in made]
        judged = self._validity.judge_applied(pairs) if made else []
        longest = self._ngrams.longest
        gains = word_gains(self.word_model if made else None, [sentence] * len(made), [each.text for each in made])
        return [
            Reworded(
                each,
                self._figures(each.exchange),
                validity,
                *rewording_orders(sentence, each.text, each.begin, each.stop, longest),
                gain,
            )
            for each, (validity, vouched), gain in zip(made, judged, gains, strict=True)
            if vouched
        ]

    def _figures(self, exchange: Exchange) -> ExchangeCount:
        if exchange in self.usable.counts:
            return self.usable.counts[exchange]
        (known,) = (each for each in self.familiar.partners[exchange[0]] if each.after == exchange[1])
        return ExchangeCount(known.shared, known.expected)
