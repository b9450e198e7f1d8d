"""The exchanges of a language in memory, and what speaks for the exchange between two sentences.

What speaks for it are the features of a model. The pair itself is left out of every sum: whether it shares a
translation is what they are to predict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools, distinct, places_in
from corpusdb.paraphrase.differences import Exchange
from corpusdb.paraphrase.pair_differences import UNKNOWN, PairDifferences
from corpusdb.paraphrase.sharing import (
    BUCKETS,
    WHOLE,
    Instances,
    SharedTranslations,
    Totals,
    find_instances,
    sharing_expected,
    sharing_of,
    totals_by,
)

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

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> Sums:
        """By rows as they are stored: O, and E in parts of WHOLE."""
        shared, expected = np.array(list(rows), dtype=np.float64).reshape(-1, 2).T
        return cls(shared, expected / WHOLE)

    def __getitem__(self, chosen: Sequence[int] | I64 | slice) -> Sums:
        return Sums(self.shared[chosen], self.expected[chosen])

    def without(self, shared: F64, expected: F64) -> Sums:
        """The sums without what one instance gave to them."""
        return Sums(np.maximum(self.shared - shared, 0.0), np.maximum(self.expected - expected, 0.0))

    def rate(self, prior: F64 | float = _EXPECTED_SHARED / _EXPECTED) -> F64:
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
    doubt: F64
    """The sum over the regions of log2 of their rates, each at most 1."""
    units_before: F64
    units_after: F64
    units_of_seed: F64
    alone: RegionsAlone | None = None
    """The same of each region of pairs with several; None where all have one."""

    def of(self, some: I64 | slice) -> ExchangeEvidence:
        """That of some pairs as a whole, without their regions."""
        return ExchangeEvidence(
            self.pairs[some],
            self.all[some],
            self.left[some],
            self.right[some],
            self.worst[some],
            Sums(self.by_language.shared[:, some], self.by_language.expected[:, some]),
            self.regions[some],
            self.doubt[some],
            self.units_before[some],
            self.units_after[some],
            self.units_of_seed[some],
        )


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


PARTED_FEATURES: Final = (
    "shared beside the left neighbour",
    "shared beside the right neighbour",
    "expected beside the left neighbour",
    "expected beside the right neighbour",
    "missed beside the left neighbour",
    "missed beside the right neighbour",
    "lower rate beside a neighbour",
    "expected",
    "mean rate of a language",
    "highest rate of a language",
    "languages that agree",
)
"""Of the instances of an exchange, parted by neighbours and by language of the translations."""
_AGREES = 0.6
"""A language in which an exchange has this rate agrees."""


def parted_features(evidence: ExchangeEvidence) -> F64:
    """Pairs by PARTED_FEATURES. Of languages without evidence nothing is told; without any, the rate of the whole."""
    rate = evidence.all.rate()
    beside = evidence.left, evidence.right
    known = evidence.by_language.expected >= _EXPECTED
    rates = evidence.by_language.rate(rate)
    highest = np.where(known, rates, 0.0).max(axis=0, initial=0.0)
    mean = np.where(known, rates, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    some = known.any(axis=0)
    columns = [
        *(np.log2(1 + each.shared) for each in beside),
        *(np.log2(1 + each.expected) for each in beside),
        *(_support(each)[1] for each in beside),
        np.minimum(*(each.rate(rate) for each in beside)),
        np.log2(1 + evidence.all.expected),
        np.where(some, mean, rate),
        np.where(some, highest, rate),
        (known & (rates > _AGREES)).sum(axis=0),
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


# The exchanges of a language in memory: their sums over the corpus, and what these say of pairs of sentences.
# Everything here is a function of arrays, whatever engine holds the rows that they are made of.


_PAIRS_AT_ONCE: Final = 100_000


class Gaps(Protocol):
    @property
    def numbers(self) -> Mapping[str, int]:
        """The units that stand beside gaps, numbered in the order in which they were met."""

    def beside(self, context: I64) -> tuple[I64, I64]:
        """The unit to the left and to the right of the gap of each context; contexts may come several times."""

    def starts(self, context: I64) -> I64:
        """Where the gap of each context begins; contexts may come several times."""


@dataclass(frozen=True, slots=True)
class Sharing:
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
class SlotsByContext:
    """Slots by context and then by filler; parallel arrays."""

    context: I64
    filler: I64
    sentence: I64
    """Its place in the list of sentences."""


def no_sharing(languages: Sequence[str]) -> Sharing:
    size = len(languages)
    none = SharedTranslations(np.empty((size, 0), np.int64), np.empty(0, np.int64), np.empty((size, 0), np.int64))
    return Sharing(tuple(languages), none, np.empty((size, BUCKETS)))


@dataclass(frozen=True, slots=True)
class Labels:
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
        place, known = places_in(self.codes, pairs.code)
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

    def evidence_in_parts(self, pairs: PairDifferences) -> Iterator[tuple[slice, PairDifferences, ExchangeEvidence]]:
        """Some pairs at a time, with what their exchanges say, which takes more memory than all that is made of it."""
        for begin in range(0, max(len(pairs.row), 1), _PAIRS_AT_ONCE):
            part = pairs.between(begin, begin + _PAIRS_AT_ONCE)
            yield slice(begin, begin + _PAIRS_AT_ONCE), part, self.evidence(part)

    def _alone(self, pairs: PairDifferences) -> RegionsAlone | None:
        """The evidence of each region alone; no pair is an instance of one of several in which it differs."""
        if not len(pairs.region_pair):
            return None
        return RegionsAlone(pairs.region_pair, self.evidence(pairs.regions_alone()))

    def _is_instance(self, pairs: PairDifferences) -> Bools:
        inside = (pairs.seed != UNKNOWN) & (pairs.other != UNKNOWN)
        found = places_in(self.instances, _pair_keys(pairs.seed, pairs.other, self._sentences))[1]
        return np.asarray(inside & found)

    @property
    def _sentences(self) -> int:
        return int(self.sharing.shared.counts.shape[1])

    def _by_language(self, pairs: PairDifferences, place: I64, known: Bools, own: Bools) -> Sums:
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
        place, known = places_in(self.codes, pairs.region_code)
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


def make_index(codes: I64, fillers: int, slots: SlotsByContext, sharing: Sharing, neighbours: Gaps) -> ExchangeIndex:
    """The sums of the exchanges of these codes, ascending, over the pairs of sentences in one context."""
    found = each_once(find_instances(slots.context, slots.filler, slots.sentence, codes, fillers), neighbours)
    return summed_up(codes, found, sharing, neighbours)


def summed_up(codes: I64, found: Instances, sharing: Sharing, neighbours: Gaps) -> ExchangeIndex:
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
        distinct(_pair_keys(found.one, found.other, int(sharing.shared.counts.shape[1]))),
    )


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
    place, there = places_in(keys, wanted)
    if not len(keys):
        return np.zeros(len(wanted))
    return np.where(there & known, values[place], 0).astype(np.float64)


def _sums(totals: Totals, wanted: I64, known: Bools) -> Sums:
    shared, expected = (_looked_up(totals.keys, values, wanted, known) for values in (totals.shared, totals.expected))
    return Sums(shared, expected / WHOLE)


class StoredExchange(NamedTuple):
    id: int
    x: str
    y: str
    pairs: int
    shared: int
    expected: int


class StoredPart(NamedTuple):
    exchange: int
    kind: str
    """language, left or right."""
    name: str
    pairs: int
    shared: int
    expected: int


class TextSums(NamedTuple):
    """The sums of exchanges as they are stored."""

    exchanges: list[tuple[str, str, int, int, int]]
    """The two texts, the lesser first, then pairs, shared, expected; ascending, which depends on no numbers."""
    parts: list[tuple[int, str, str, int, int, int]]
    """The place of the exchange, kind, name, and the same figures; ascending."""


def sums_by_text(indexes: Iterable[tuple[ExchangeIndex, Sequence[Exchange]]], beside: Sequence[str]) -> TextSums:
    """The sums of some indexes, each with the texts of its exchanges by place; ``beside`` has the neighbours."""
    exchanges: dict[tuple[str, str], tuple[int, int, int]] = {}
    parts: list[tuple[tuple[str, str], str, str, tuple[int, int, int]]] = []
    for index, pairs in indexes:
        texts = [(min(pair), max(pair)) for pair in pairs]
        exchanges |= {texts[place]: figures for place, figures in index.all.rows()}
        for kind, totals, names in (
            ("language", index.by_language, index.sharing.languages),
            ("left", index.by_left, beside[: index.neighbours]),
            ("right", index.by_right, beside[: index.neighbours]),
        ):
            for key, figures in totals.rows():
                place, name = divmod(key, max(len(names), 1))
                parts.append((texts[place], kind, names[name], figures))
    number = {pair: place for place, pair in enumerate(sorted(exchanges))}
    return TextSums(
        [(*pair, *exchanges[pair]) for pair in number],
        sorted((number[pair], kind, name, *figures) for pair, kind, name, figures in parts),
    )


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
