"""The exchanges of a language in memory: their sums over the corpus, and what these say of pairs of sentences.

Everything here is a function of arrays, whatever engine holds the rows that they are made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.exchange.evidence import ExchangeEvidence, RegionsAlone, Sums
from corpusdb.exchange.pair_differences import UNKNOWN, PairDifferences
from corpusdb.exchange.rates import WHOLE, Instances, Totals, find_instances, places, sharing_of, totals_by
from corpusdb.exchange.sharing import BUCKETS, SharedTranslations, sharing_expected

__all__ = ["ExchangeIndex", "Gaps", "Labels", "Sharing", "Slots", "each_once", "make_index", "no_sharing", "summed_up"]


class Gaps(Protocol):
    """What is known of the gaps of contexts."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The units that stand beside gaps, numbered in the order in which they were met."""

    def beside(self, context: I64) -> tuple[I64, I64]:
        """The unit to the left and to the right of the gap of each context; contexts may come several times."""

    def starts(self, context: I64) -> I64:
        """Where the gap of each context begins; contexts may come several times."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """The translations of the sentences of a language."""

    languages: tuple[str, ...]
    """Of the translations, ascending."""
    shared: SharedTranslations
    recalls: F64

    @property
    def pivots(self) -> tuple[str, ...]:
        """Those of the languages into which there is a translation at all."""
        counts: list[int] = self.shared.counts.sum(axis=1).tolist()
        return tuple(language for language, count in zip(self.languages, counts, strict=True) if count)


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots by context and then by filler; parallel arrays."""

    context: I64
    filler: I64
    sentence: I64
    """Its place in the list of sentences."""


def no_sharing(languages: Sequence[str]) -> Sharing:
    """Of a language no sentence of which is looked at."""
    size = len(languages)
    none = SharedTranslations(np.empty((size, 0), np.int64), np.empty(0, np.int64), np.empty((size, 0), np.int64))
    return Sharing(tuple(languages), none, np.empty((size, BUCKETS)))


@dataclass(frozen=True, slots=True)
class Labels:
    """What the translations of pairs of sentences of the corpus say."""

    languages: I64
    """In how many languages each pair shares a translation."""
    expected: F64
    """How probable it is that one of the same meaning shares any; 0 without a common language."""


@dataclass(frozen=True, slots=True)
class ExchangeIndex:
    """Some exchanges with their sums over all pairs of sentences in one context."""

    codes: I64
    """Ascending."""
    sharing: Sharing
    all: Totals
    """By place in ``codes``."""
    by_language: Totals
    """By place times the number of languages, plus language."""
    by_left: Totals
    """By place times the number of neighbours, plus neighbour to the left."""
    by_right: Totals
    neighbours: int
    instances: I64
    """The pairs of sentences that they were found in, ascending."""

    def labels(self, pairs: PairDifferences) -> Labels:
        """What is seen of these pairs; nothing of those with a text that is no sentence of the corpus."""
        inside = (pairs.seed != UNKNOWN) & (pairs.other != UNKNOWN)
        one, other = np.where(inside, pairs.seed, 0), np.where(inside, pairs.other, 0)
        if not len(self.sharing.languages) or not self.sharing.shared.counts.shape[1]:
            return Labels(np.zeros(len(one), dtype=np.int64), np.zeros(len(one)))
        languages = self.sharing.shared.languages_shared(one, other).sum(axis=0)
        expected = sharing_expected(self.sharing.shared.recalled(self.sharing.recalls, one, other))
        return Labels(np.where(inside, languages, 0), np.where(inside, expected, 0.0))

    def evidence(self, pairs: PairDifferences) -> ExchangeEvidence:
        """What the exchanges of these pairs say, each pair itself left out."""
        place, known = places(self.codes, pairs.code)
        labels, own = self.labels(pairs), self._is_instance(pairs) & known
        own_shared, own_expected = (
            ((labels.languages > 0) & own).astype(np.float64),
            np.where(own, labels.expected, 0.0),
        )
        whole = _sums(self.all, place, known)
        by_left, by_right = (
            _sums(totals, place * self.neighbours + beside, known).without(own_shared, own_expected)
            for totals, beside in ((self.by_left, pairs.left), (self.by_right, pairs.right))
        )
        counted = _looked_up(self.all.keys, self.all.pairs, place, known) - own
        everywhere = whole.without(own_shared, own_expected)
        worst, regions, doubt = self._regions(pairs, everywhere)
        return ExchangeEvidence(
            np.maximum(counted, 0.0),
            everywhere,
            by_left,
            by_right,
            worst,
            self._by_language(pairs, place, known, own),
            regions,
            doubt,
            pairs.units_before,
            pairs.units_after,
            pairs.units_of_seed,
            self._alone(pairs),
        )

    def _alone(self, pairs: PairDifferences) -> RegionsAlone | None:
        """The evidence of each region alone; no pair is an instance of one of several in which it differs."""
        if not len(pairs.region_pair):
            return None
        return RegionsAlone(pairs.region_pair, self.evidence(pairs.regions_alone()))

    def _is_instance(self, pairs: PairDifferences) -> Bools:
        inside = (pairs.seed != UNKNOWN) & (pairs.other != UNKNOWN)
        found = places(self.instances, _pair_keys(pairs.seed, pairs.other, self._sentences))[1]
        return np.asarray(inside & found)

    @property
    def _sentences(self) -> int:
        return int(self.sharing.shared.counts.shape[1])

    def _by_language(self, pairs: PairDifferences, place: I64, known: Bools, own: Bools) -> Sums:
        """Languages by pairs: the sums of the pairs with translations into each."""
        languages = max(len(self.sharing.languages), 1)
        one, other = np.where(own, pairs.seed, 0), np.where(own, pairs.other, 0)
        if own.any():
            having = self.sharing.shared.languages_shared(one, other) & own
            recalled = np.where(own, self.sharing.shared.recalled(self.sharing.recalls, one, other), 0.0)
        else:
            having, recalled = np.zeros((languages, len(own)), dtype=np.bool_), np.zeros((languages, len(own)))
        found = [
            _sums(self.by_language, place * languages + number, known).without(
                having[number].astype(np.float64), recalled[number]
            )
            for number in range(languages)
        ]
        return Sums(np.stack([each.shared for each in found]), np.stack([each.expected for each in found]))

    def _regions(self, pairs: PairDifferences, whole: Sums) -> tuple[Sums, F64, F64]:
        """The region of the lowest rate, how many regions there are, and the sum of the logarithms of their rates."""
        place, known = places(self.codes, pairs.region_code)
        regions = _sums(self.all, place, known)
        rates = regions.rate()
        order = np.lexsort((-rates, pairs.region_pair))  # of several of one rate, the last
        shared, expected = whole.shared.copy(), whole.expected.copy()
        shared[pairs.region_pair[order]] = regions.shared[order]
        expected[pairs.region_pair[order]] = regions.expected[order]
        size = len(pairs.row)
        counted = np.bincount(pairs.region_pair, minlength=size)
        doubt = np.bincount(pairs.region_pair, np.log2(np.minimum(rates, 1.0)), size)
        several = counted > 0
        alone = np.log2(np.minimum(whole.rate(), 1.0))
        return Sums(shared, expected), np.where(several, counted, 1.0), np.where(several, doubt, alone)


def make_index(codes: I64, fillers: int, slots: Slots, sharing: Sharing, neighbours: Gaps) -> ExchangeIndex:
    """The sums of the exchanges of these codes, ascending, over the pairs of sentences in one context."""
    found = each_once(find_instances(slots.context, slots.filler, slots.sentence, codes, fillers), neighbours)
    return summed_up(codes, found, sharing, neighbours)


def summed_up(codes: I64, found: Instances, sharing: Sharing, neighbours: Gaps) -> ExchangeIndex:
    """The sums of exchanges over their instances."""
    having, recalled = sharing_of(found, sharing.shared, sharing.recalls)
    shares, expected = having[-1], recalled[-1]
    left, right = neighbours.beside(found.context)
    languages, beside = max(len(sharing.languages), 1), len(neighbours.numbers)
    by_language = np.nonzero(recalled[:-1].T > 0)
    return ExchangeIndex(
        codes,
        sharing,
        totals_by(found.exchange, shares, expected),
        totals_by(
            found.exchange[by_language[0]] * languages + by_language[1],
            having.T[by_language],
            recalled.T[by_language],
        ),
        totals_by(found.exchange * beside + left, shares, expected),
        totals_by(found.exchange * beside + right, shares, expected),
        beside,
        _distinct(_pair_keys(found.one, found.other, int(sharing.shared.counts.shape[1]))),
    )


def _distinct(values: I64) -> I64:
    """Each value once, ascending; of millions ten times as fast as np.unique, which looks them up in a hash."""
    ascending = np.sort(values)
    return np.asarray(ascending[np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)]])


def each_once(found: Instances, neighbours: Gaps) -> Instances:
    """Two sentences show an exchange once, in the last context in which they do: there ``difference`` sees it too."""
    repeated = found.repeated()
    start = neighbours.starts(found.context[repeated])
    one, other = found.one[repeated], found.other[repeated]
    columns = found.exchange[repeated], np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((start, *columns))
    same = np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in columns])
    return found.without(repeated[order[np.append(same, False)[: len(order)]]])


def _pair_keys(one: I64, other: I64, sentences: int) -> I64:
    return np.asarray(np.minimum(one, other) * sentences + np.maximum(one, other))


def _looked_up(keys: I64, values: I64, wanted: I64, known: Bools) -> F64:
    place, there = places(keys, wanted)
    if not len(keys):
        return np.zeros(len(wanted))
    return np.where(there & known, values[place], 0).astype(np.float64)


def _sums(totals: Totals, wanted: I64, known: Bools) -> Sums:
    shared, expected = (_looked_up(totals.keys, values, wanted, known) for values in (totals.shared, totals.expected))
    return Sums(shared, expected / WHOLE)
