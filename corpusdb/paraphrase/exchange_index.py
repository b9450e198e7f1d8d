"""The exchanges of a language in memory, from the corpus or from the sums that are stored of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.paraphrase.evidence import ExchangeEvidence, RegionsAlone, Sums
from corpusdb.paraphrase.pair_differences import UNKNOWN, PairDifferences
from corpusdb.paraphrase.sharing import (
    BUCKETS,
    WHOLE,
    Instances,
    SharedTranslations,
    Totals,
    find_instances,
    places,
    sharing_expected,
    sharing_of,
    totals_by,
)

__all__ = [
    "ExchangeIndex",
    "Gaps",
    "Labels",
    "Sharing",
    "Slots",
    "StoredExchange",
    "StoredPart",
    "each_once",
    "index_of_sums",
    "make_index",
    "no_sharing",
    "summed_up",
]


# The exchanges of a language in memory: their sums over the corpus, and what these say of pairs of sentences.
#
# Everything here is a function of arrays, whatever engine holds the rows that they are made of.


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


# Exchanges by the sums that are stored of them, to judge pairs by that are not among those that were summed up.


class StoredExchange(NamedTuple):
    """The sums of an exchange."""

    id: int
    x: str
    y: str
    pairs: int
    shared: int
    expected: int


class StoredPart(NamedTuple):
    """The same of a part of its pairs."""

    exchange: int
    kind: str
    """language, left or right."""
    name: str
    pairs: int
    shared: int
    expected: int


def index_of_sums(
    exchanges: Sequence[StoredExchange],
    parts: Iterable[StoredPart],
    fillers: Sequence[str],
    neighbours: Mapping[str, int],
) -> ExchangeIndex:
    """The index of these exchanges; fillers, and the units beside the pairs, are known by their places."""
    number = {text: place for place, text in enumerate(fillers)}
    ordered = sorted((number[each.x] * max(len(fillers), 1) + number[each.y], each) for each in exchanges)
    place_of = {each.id: place for place, (_, each) in enumerate(ordered)}
    rows = list(parts)
    languages = sorted({row.name for row in rows if row.kind == "language"})
    numbers = {"language": {name: n for n, name in enumerate(languages)}, "left": neighbours, "right": neighbours}
    keyed: dict[str, list[tuple[int, ...]]] = {kind: [] for kind in numbers}
    for exchange, kind, name, *sums in rows:
        if name in numbers[kind]:  # what stands beside none of the pairs is not looked for
            key = place_of[exchange] * max(len(numbers[kind]), 1) + numbers[kind][name]
            keyed[kind].append((key, *sums))
    by_language, by_left, by_right = (_totals(sorted(keyed[kind])) for kind in ("language", "left", "right"))
    return ExchangeIndex(
        codes=np.array([code for code, _ in ordered], dtype=np.int64),
        sharing=no_sharing(languages),
        all=_totals((place, *each[3:]) for place, (_, each) in enumerate(ordered)),
        by_language=by_language,
        by_left=by_left,
        by_right=by_right,
        neighbours=len(neighbours),
        instances=np.empty(0, dtype=np.int64),
    )


def _totals(rows: Iterable[tuple[int, ...]]) -> Totals:
    return Totals(*np.array(list(rows), dtype=np.int64).reshape(-1, 4).T)
