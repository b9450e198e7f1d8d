"""How unlike two corpora are as wholes, and how far to trust a measure of it.

Kilgarriff 2001, "Comparing corpora": the chi-square of the commonest features, here character trigrams, which need no
words, divided by its degrees of freedom; the correlation of their ranks; and cross-entropy. A distance is read beside
the homogeneity of each corpus, the same measure between its halves (Kilgarriff 1997), and between equal amounts of
text, because all of them grow with the amount. Known-similarity corpora say how often a measure is right: of mixtures
of two corpora in known shares, those nearer in share must be nearer in the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import InputError
from corpusdb.homogeneity.features import Features, feature_counts

__all__ = [
    "COMMONEST",
    "Judgements",
    "Mixture",
    "chi_square_by_df",
    "cross_entropy_distance",
    "distance_table",
    "judged",
    "mixtures",
    "of_features",
    "random_parts",
    "rank_distance",
    "similarity_table",
]

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


def cross_entropy_distance(
    first: Sequence[str], second: Sequence[str], entropy: Callable[[Sequence[str], Sequence[str]], float]
) -> float:
    """The mean of the bits per character of each under a model of the other: ``entropy(trained, measured)``."""
    return (entropy(first, second) + entropy(second, first)) / 2


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
    sizes = [int(characters[corpus].sum()) for corpus in corpora]
    longest = max((int(characters[corpus].max(initial=0)) for corpus in corpora), default=0)
    size = max((min(sizes, default=0) - longest) // 2, 1)  # a half may end in the middle of the longest text
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
    """How often a measure was right."""

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
