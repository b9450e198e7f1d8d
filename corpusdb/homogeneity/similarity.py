"""How unlike two corpora are as wholes, which texts do not belong, and how far a text stands from a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I32, I64
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import joined_ranges, number_ngrams


@dataclass(frozen=True)
class Features:
    """The features of some texts, those of one text after those of the one before."""

    numbers: I64
    """From 0; equal features have the same."""
    starts: I64
    """Of each text, where its features begin in ``numbers``."""
    lengths: I64
    """How many each text has."""
    distinct: int

    def first(self, texts: int) -> Features:
        """The same of the first texts only, with the numbers that all of them have."""
        return Features(self.numbers, self.starts[:texts], self.lengths[:texts], self.distinct)

    def of(self, text: int) -> I64:
        start = self.starts[text]
        return self.numbers[start : start + self.lengths[text]]


def feature_counts(features: Features, chosen: I64) -> I64:
    """How often each feature stands in the texts at these places; a place that comes twice counts twice."""
    places = joined_ranges(features.starts[chosen], features.lengths[chosen])
    return np.bincount(features.numbers[places], minlength=features.distinct)


def character_ngrams(texts: Sequence[str], n: int) -> Features:
    """Runs of ``n`` characters inside of texts, white space included."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    if not len(codes):
        return _features(np.zeros(0, dtype=np.int64), lengths)
    numbers = codes
    for grams in number_ngrams(codes, lengths, n):
        numbers = grams.numbers
    return _features(numbers, np.maximum(lengths - (n - 1), 0))


def tokens(texts: Iterable[Sequence[str]]) -> Features:
    known: dict[str, int] = {}
    numbers: list[int] = []
    lengths: list[int] = []
    for text in texts:
        numbers += [known.setdefault(token, len(known)) for token in text]
        lengths.append(len(text))
    return _features(np.array(numbers, dtype=np.int64), np.array(lengths, dtype=np.int64))


def _features(numbers: I64, lengths: I64) -> Features:
    return Features(numbers, np.cumsum(lengths) - lengths, lengths, int(numbers.max(initial=-1)) + 1)


# How unlike two corpora are as wholes, and how far to trust a measure of it.
# Kilgarriff 2001, "Comparing corpora": the chi-square of the commonest features, here character trigrams, which need
# no words, divided by its degrees of freedom; the correlation of their ranks; and cross-entropy. A distance is read
# beside the homogeneity of each corpus, the same measure between its halves (Kilgarriff 1997), and between equal
# amounts of text, because all of them grow with the amount. Known-similarity corpora say how often a measure is right:
# of mixtures of two corpora in known shares, those nearer in share must be nearer in the measure.


COMMONEST: Final = 500
"""Features that are compared: the most frequent of both corpora together."""
MIXTURES: Final = 8

Distance = Callable[[I64, I64], float]
"""Between two sets of texts, given by their places."""


def chi_square_by_df(first: I64, second: I64, commonest: int = COMMONEST) -> float:
    """Chi-square of the counts of the commonest features, by its degrees of freedom; about 1 for text of one source.

    The counts are those of all features, in the same order. 0 where there are not two features.
    """
    chosen = _commonest(first + second, commonest)
    observed = np.stack([first[chosen], second[chosen]]).astype(np.float64)
    if len(chosen) < 2 or not observed.sum(axis=1).all():
        return 0.0
    expected = observed.sum(axis=1, keepdims=True) * observed.sum(axis=0) / observed.sum()
    return float(((observed - expected) ** 2 / expected).sum() / (len(chosen) - 1))


def rank_distance(first: I64, second: I64, commonest: int = COMMONEST) -> float:
    """1 - Spearman's correlation of the ranks of the commonest features: 0 the same order, 2 the opposite one."""
    chosen = _commonest(first + second, commonest)
    ranks = [_ranks(counts[chosen]) for counts in (first, second)]
    first_rank, second_rank = (rank - rank.mean() for rank in ranks)
    spread = np.sqrt((first_rank**2).sum() * (second_rank**2).sum())
    return float(1 - (first_rank * second_rank).sum() / spread) if spread else 0.0


def _commonest(counts: I64, most: int) -> I64:
    """The features with the highest counts; of equal ones the first. None that never occurs."""
    order = np.argsort(-counts, kind="stable")[:most]
    return order[counts[order] > 0]


def _ranks(counts: I64) -> F64:
    """Ranks from 0, ascending; equal counts share the mean of theirs."""
    _, number, often = np.unique(counts, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(often) - (often + 1) / 2)[number])


def random_parts(characters: I64, size: int, parts: int, rng: np.random.Generator) -> list[I64]:
    """Places of texts, drawn without replacement into parts of about ``size`` characters that share none.

    A part ends with the text that brings it to its size; InputError where the texts have not enough.
    """
    order = rng.permutation(len(characters))
    found: list[I64] = []
    for _ in range(parts):
        reached = np.cumsum(characters[order])
        if size < 1 or not len(reached) or reached[-1] < size:
            raise InputError(f"there is too little text for {parts} parts of {size} characters")
        end = int(np.searchsorted(reached, size)) + 1
        found.append(np.sort(order[:end]))
        order = order[end:]
    return found


def distance_table(sets: Sequence[I64], distance: Distance) -> F64:
    """The distance of each two of some sets, symmetric, with 0 on the diagonal."""
    table = np.zeros((len(sets), len(sets)))
    for row in range(len(sets)):
        for column in range(row):
            table[row, column] = table[column, row] = distance(sets[row], sets[column])
    return table


def similarity_table(
    corpora: Sequence[I64], characters: I64, distance: Distance, seed: int, draws: int = 5
) -> tuple[F64, int]:
    """Distances between corpora, on the diagonal between halves of each: its homogeneity. Also the size compared.

    ``corpora`` are places of texts, ``characters`` those of every text. What is compared has always the same size, half
    of the smallest corpus, drawn at random; the means of some draws. InputError where a corpus has too little text.
    """
    # A half may end in the middle of the longest text of its corpus.
    sizes = [int(characters[own].sum()) - int(characters[own].max(initial=0)) for own in corpora]
    size = max(min(sizes, default=0) // 2, 1)
    table = np.zeros((len(corpora), len(corpora)))
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        halves = [[own[part] for part in random_parts(characters[own], size, 2, rng)] for own in corpora]
        table += distance_table([half for half, _ in halves], distance)
        table[np.diag_indices(len(corpora))] += [distance(first, second) for first, second in halves]
    return table / draws, size


@dataclass(frozen=True)
class Mixture:
    """A corpus made of two in a known share; it has no text in common with the other mixtures."""

    share: float
    """Of the second corpus, in characters, as was asked for: 0 to 1."""
    texts: I64
    """Places of its texts among those of the first corpus followed by those of the second."""


def mixtures(characters1: I64, characters2: I64, seed: int, count: int = MIXTURES) -> list[Mixture]:
    """Mixtures of equal size, as large as the smaller corpus allows, from all of the first to all of the second.

    ``characters`` are those of each text. Texts are drawn at random. InputError where there is not enough text.
    """
    longest = int(max(characters1.max(initial=0), characters2.max(initial=0)))
    # All mixtures together take count / 2 times their size of each corpus; each may overshoot by a text.
    size = 2 * (int(min(characters1.sum(), characters2.sum())) - count * longest) // count
    if size < count:
        raise InputError(f"there is too little text for {count} mixtures")
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(characters)) for characters in (characters1, characters2)]
    reached = [np.cumsum(own[order]) for own, order in zip((characters1, characters2), orders, strict=True)]
    begun, found = [0, 0], []
    for number in range(count):
        share = number / (count - 1)
        parts = []
        for side, part in enumerate((1 - share, share)):
            before = int(reached[side][begun[side] - 1]) if begun[side] else 0
            end = max(int(np.searchsorted(reached[side], before + round(part * size))) + 1, 0) if part else begun[side]
            parts.append(orders[side][begun[side] : end] + side * len(characters1))
            begun[side] = end
        found.append(Mixture(share, np.sort(np.concatenate(parts))))
    return found


@dataclass(frozen=True)
class Judgements:
    right: int
    all: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.right / self.all


def judged(table: F64) -> Judgements:
    """Of mixtures in the order of their shares: is each two of them nearer than each two with both of them between?

    ``table`` has their distances. Two equal distances are a wrong judgement.
    """
    right = judgements = 0
    count = len(table)
    for low in range(count):
        for high in range(low + 1, count):
            inner = [table[a, b] for a in range(low, high + 1) for b in range(a + 1, high + 1) if (a, b) != (low, high)]
            judgements += len(inner)
            right += sum(bool(value < table[low, high]) for value in inner)
    return Judgements(right, judgements)


def of_features(features: Features, measure: Callable[[I64, I64], float]) -> Distance:
    """A distance between sets of texts from one between counts of their features."""
    return lambda first, second: measure(feature_counts(features, first), feature_counts(features, second))


# Texts that do not belong: what costs much under a model of the other texts, what is there twice, and why.
# A text is measured by a model of the other folds (self-entropy), never by one that it is part of itself. The distance
# of its coefficient from the mean of the corpus finds no garbage: foreign and damaged text stands anywhere on that
# scale. Self-entropy is the mean over a text, in which one damaged character is lost; so the rarest character counts
# besides.


RARITY_WEIGHT: Final = 0.1
"""Bits of self-entropy that one bit of the rarest character is worth."""
_DEVIATIONS: Final = 4.0
"""Of 60 French or shuffled lines among 3,000 of the phrasebook, the first 60 had 30 and 58 without this, and 36 and 60
with it; of undamaged lines of less than ten characters, the first 30 had 5.5 and 2.3 (means of six draws). With 6 they
had 0.3, but of German lines among those of Tatoeba more stood behind others."""
_MEDIAN_OF_CHI_SQUARE: Final = 0.4549364
"""Of one degree of freedom."""
_UNSEEN: Final = 0.5
"""What a character that no other text has counts as, in texts."""
_TEXTS_AT_A_TIME: Final = 2_000


def self_entropies(characters: I64, bits: F64, end_bits: F64) -> F64:
    """Bits per symbol of each text, its end mark being one: where a text ends says much about short ones.

    ``bits`` are those of the characters under the model of the other folds, ``end_bits`` of the end mark.
    """
    return np.asarray((bits + end_bits) / (characters + 1))


def character_rarity(texts: Sequence[str], folds: I64) -> F64:
    """For each text the bits of its rarest character: -log2 of the share of the texts of other folds that have it.

    0 for a text without characters. ``folds`` are numbers from 0.
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    rarity = np.zeros(len(texts))
    if not lengths.any():
        return rarity
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<i4")
    there = np.zeros(int(codes.max()) + 1, dtype=np.bool_)
    there[codes] = True
    symbols = (np.cumsum(there, dtype=np.int32) - 1)[codes]
    having = _texts_having(symbols, lengths, folds, int(there.sum()))
    members = np.bincount(folds, minlength=len(having))
    others = np.maximum(members.sum() - members, 1)
    bits = -np.log2(np.maximum(having.sum(axis=0) - having, _UNSEEN) / others[:, None])
    costs = bits[np.repeat(folds, lengths), symbols]
    filled = lengths > 0
    rarity[filled] = np.maximum.reduceat(costs, (np.cumsum(lengths) - lengths)[filled])
    return rarity


def _texts_having(symbols: I32, lengths: I64, folds: I64, distinct: int) -> I64:
    """How many texts of each fold have each symbol: shape (folds, symbols)."""
    having = np.zeros((int(folds.max()) + 1, distinct), dtype=np.int64)
    ends = np.cumsum(lengths)
    for start in range(0, len(lengths), _TEXTS_AT_A_TIME):
        own = lengths[start : start + _TEXTS_AT_A_TIME]
        first, last = int(ends[start] - own[0]), int(ends[start + len(own) - 1])
        seen = np.zeros((len(own), distinct), dtype=np.bool_)
        seen[np.repeat(np.arange(len(own)), own), symbols[first:last]] = True
        fold = folds[start : start + len(own)]
        for number in range(len(having)):
            having[number] += seen[fold == number].sum(axis=0)
    return having


def outlier_scores(entropies: F64, rarity: F64) -> F64:
    """The higher, the less a text belongs: self-entropy, and RARITY_WEIGHT times the bits of the rarest character."""
    return np.asarray(entropies + RARITY_WEIGHT * rarity)


def uncertainties(entropies: F64, characters: I64) -> F64:
    """By how much the self-entropy of each text may be too high because it is short: what four characters deviate by,
    shared by all that it has.

    The mean over few characters is far from that of the corpus by chance alone, so that interjections would stand
    before all that is damaged. The deviation of one character is taken from half of the texts, those nearest to the
    median: a few foreign texts do not change it.
    """
    symbols = characters + 1  # the end mark is one
    if not len(entropies):
        return np.zeros(0)
    squares = symbols * (entropies - np.median(entropies)) ** 2
    return np.asarray(_DEVIATIONS * np.sqrt(np.median(squares) / _MEDIAN_OF_CHI_SQUARE) / symbols)


def dearest(bits: F64, share: float = 0.5) -> I64:
    """The fewest characters of one text that cost ``share`` of its bits, ascending; ``bits`` is of each character."""
    order = np.argsort(-bits, kind="stable")
    reached = np.cumsum(bits[order])
    if not len(bits) or reached[-1] <= 0:
        return np.zeros(0, dtype=np.int64)
    return np.sort(order[: int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))) + 1])


def near_duplicates(keys: Sequence[str]) -> list[list[int]]:
    """The places of texts whose keys are equal, in groups of two or more, by the first of each.

    A key is the text in a normalisation that leaves out what shall not count; an empty one is equal to none.
    """
    groups: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        if key:
            groups.setdefault(key, []).append(place)
    return [places for places in groups.values() if len(places) > 1]


# How far a text stands from a corpus: beside what the corpus' own documents of the same length cost.
# All is measured by models of the corpus that have not seen it (cross_validation), so that bits of the corpus' own
# text and of any other can be compared. A document is a run of sentences of the corpus in its order: a corpus is as
# varied as its runs are, and no sentence drawn at random would show that. A text is far that costs more than nearly
# all of them; one that costs less is no stranger to the corpus than its own.


CENTRAL: Final = 0.95
"""The share of the corpus' documents that lie between the bounds."""
LEAST_DOCUMENTS: Final = 40
"""So many are needed for bounds that leave a fortieth of them out on each side."""
LEAST_CHARACTERS: Final = 1000
"""Of a text of fewer nothing is said: single sentences cost anything."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """What a text costs, and the documents of a corpus, in bits per character."""

    bits: float
    """Of the text."""
    low: float
    """The bounds of the central 95 % of the documents."""
    high: float
    median: float
    dearer: float
    """The share of the documents that cost as much as the text, or more: 0 to 1."""
    documents: int
    document_characters: int
    """Of each document, at least."""
    characters: int
    """Of the text."""

    @property
    def is_far(self) -> bool:
        """Whether the text costs more than the central 95 % of the documents."""
        return self.bits > self.high


def document_length(characters: int, corpus_characters: int) -> int | None:
    """How long the documents are for a text of so many characters: as long, or shorter where there would be too few.

    Shorter documents differ more, so that a text is rather called near than far. None where the text or the corpus is
    too small to say anything.
    """
    length = min(characters, corpus_characters // LEAST_DOCUMENTS)
    return length if length >= LEAST_CHARACTERS else None


def documents_of(characters: I64, length: int) -> I64:
    """For each sentence of a corpus, in its order, the number of its document, of about ``length`` characters.

    What is left over at the end belongs to the last document.
    """
    starts = np.cumsum(characters) - characters
    numbers = starts // length
    documents = max(int(characters.sum()) // length, 1)
    return np.asarray(np.minimum(numbers, documents - 1))


def nearness(size: int, cost: float, characters: I64, bits: F64, length: int) -> Nearness:
    """A text of ``size`` characters that cost so many bits, beside documents of ``length`` characters.

    ``characters`` and ``bits`` are those of each document.
    """
    costs = bits / characters
    low, median, high = np.quantile(costs, [(1 - CENTRAL) / 2, 0.5, (1 + CENTRAL) / 2]).tolist()
    return Nearness(
        bits=cost / size,
        low=low,
        high=high,
        median=median,
        dearer=float((costs >= cost / size).mean()),
        documents=len(costs),
        document_characters=length,
        characters=size,
    )
