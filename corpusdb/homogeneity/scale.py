"""Where texts stand between two references (Denoual 2005), and which part of a pool to train on for a task.

Equations 1 to 4: with the models of the references T1 and T2, H_Ti(A) the bits per character of A under the model of
Ti, W1 = (H_T1(T3) - H_T1(T1)) / (H_T1(T2) - H_T1(T1)), W2 likewise with 1 and 2 exchanged, and I = W1 / (W1 + W2).

H_T1(T1) is measured on the text that the model was made of. So unseen text of the kind of T1 is not at 0, but at .2 to
.35 of conversation and news, and unseen text of the kind of T2 not at 1, but at .5 to .6. The second scale, J, has the
unseen text of both kinds at 0 and 1: it is linear in d = H_T1 - H_T2, which is also the score of Moore & Lewis.

Sums of characters and bits are all that either needs, so that any set of texts is measured by adding.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_probabilities import Model, text_bits
from corpusdb.base.errors import InputError
from corpusdb.homogeneity.similarity import Features

LEAST_WEIGHT: Final = 0.05
"""Where W1 + W2 is no more, the coefficient is not defined: near 0 it takes any value."""
QUANTILES: Final = (0.05, 0.25, 0.75, 0.95)


@dataclass(frozen=True)
class Statistics:
    """What is known of each of some sets of texts, one entry for each."""

    characters: I64
    bits1: F64
    """Under the model of the first reference."""
    bits2: F64

    @classmethod
    def under(cls, models: Sequence[Model], texts: Sequence[str]) -> Statistics:
        """Of each text, under the models of both references."""
        measured = text_bits(models, texts)
        return cls(measured.characters, *measured.bits)

    @classmethod
    def joined(cls, parts: Sequence[Statistics]) -> Statistics:
        """All entries of some, one behind the other."""
        columns = zip(*((part.characters, part.bits1, part.bits2) for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def grouped(self, owners: I64, count: int) -> Statistics:
        """The sums of each of ``count`` groups; ``owners`` has the number of each entry's group."""
        characters = np.bincount(owners, self.characters, count).astype(np.int64)
        bits1, bits2 = (np.bincount(owners, bits, count).astype(np.float64) for bits in (self.bits1, self.bits2))
        return Statistics(characters, bits1, bits2)

    def at(self, places: I64 | Bools) -> Statistics:
        return Statistics(self.characters[places], self.bits1[places], self.bits2[places])

    def total(self) -> Statistics:
        return self.grouped(np.zeros(len(self.characters), dtype=np.int64), 1)

    def entropies(self) -> tuple[F64, F64]:
        """Bits per character under each model; not a number where there are no characters."""
        characters = np.where(self.characters > 0, self.characters, np.nan)
        return self.bits1 / characters, self.bits2 / characters

    def difference(self) -> F64:
        """d = H_T1 - H_T2, bits per character: the higher, the nearer to the second reference."""
        first, second = self.entropies()
        return np.asarray(first - second)


@dataclass(frozen=True)
class Anchors:
    """The ends of the scale in bits per character: hij is the cost of reference j under the model of reference i."""

    h11: float
    h12: float
    h21: float
    h22: float

    def __post_init__(self) -> None:
        if not (self.h12 > self.h11 and self.h21 > self.h22):
            raise InputError("the references span no scale: a model finds the other one no stranger than its own")

    @classmethod
    def of(cls, first: Statistics, second: Statistics) -> Anchors:
        """From what each reference costs under both models; InputError where they span no scale."""
        (h11, h21), (h12, h22) = (
            [float(each[0]) for each in reference.total().entropies()] for reference in (first, second)
        )
        return cls(h11, h12, h21, h22)


@dataclass(frozen=True)
class Coefficients:
    values: F64
    clipped: Bools
    """Those that lay outside of 0 to 1, and were moved to the nearer end."""

    @property
    def undefined(self) -> Bools:
        """Those without characters, and those whose weights sum to LEAST_WEIGHT or less."""
        return np.isnan(self.values)


def coefficients(statistics: Statistics, anchors: Anchors) -> Coefficients:
    first, second = statistics.entropies()
    weight1 = (first - anchors.h11) / (anchors.h12 - anchors.h11)
    weight2 = (second - anchors.h22) / (anchors.h21 - anchors.h22)
    both = weight1 + weight2
    values = np.divide(weight1, both, out=np.full(len(both), np.nan), where=both > LEAST_WEIGHT)
    clipped = (values < 0) | (values > 1)
    return Coefficients(np.clip(values, 0, 1), clipped)


@dataclass(frozen=True)
class LinearScale:
    """The scale J: 0 is unseen text of the kind of the first reference, 1 of the second; not bounded."""

    d1: float
    """H_T1 - H_T2, bits per character, of held-out text of the first reference."""
    d2: float

    def __post_init__(self) -> None:
        if not self.d2 > self.d1:
            raise InputError("the models cannot distinguish held-out text of the references")

    @classmethod
    def of(cls, first: Statistics, second: Statistics) -> LinearScale:
        """From held-out text of each reference; InputError where it spans no scale."""
        return cls(float(first.total().difference()[0]), float(second.total().difference()[0]))

    def positions(self, statistics: Statistics) -> F64:
        """The position J of each entry; not a number where there are no characters."""
        return np.asarray((statistics.difference() - self.d1) / (self.d2 - self.d1))


Measure = Callable[[Sequence[str], Sequence[str], Sequence[str]], Statistics]
"""What the texts given third cost under models of the texts given first and second."""


def held_out_scale(
    first: Sequence[str], second: Sequence[str], folds1: I64, folds2: I64, measure: Measure
) -> LinearScale:
    """The scale J from references in folds: each fold is measured by models of all others of both references.

    Both models lack the fold, so that neither is made of more text. InputError where a reference has one fold only.
    """
    parts1, parts2 = [], []
    for fold in sorted({*folds1.tolist(), *folds2.tolist()}):
        (out1, in1), (out2, in2) = _split(first, folds1 == fold), _split(second, folds2 == fold)
        if not in1 or not in2:
            raise InputError("a reference has text in one fold only, and nothing can be held out")
        parts1.append(measure(in1, in2, out1))
        parts2.append(measure(in1, in2, out2))
    return LinearScale.of(*(Statistics.joined(parts) for parts in (parts1, parts2)))


def _split(texts: Sequence[str], out: Bools) -> tuple[list[str], list[str]]:
    held = [text for text, is_out in zip(texts, out.tolist(), strict=True) if is_out]
    return held, [text for text, is_out in zip(texts, out.tolist(), strict=True) if not is_out]


@dataclass(frozen=True)
class Summary:
    """A distribution of coefficients or positions; None where there are too few values."""

    entries: int
    """All of them, defined or not."""
    undefined: int
    clipped: int
    mean: float | None
    """Of those that are defined, the clipped ones at the end they were moved to."""
    sd: float | None
    """Standard deviation with n - 1."""
    median: float | None
    quantiles: tuple[float, ...] | None
    """At QUANTILES, interpolated."""


def summary(values: F64 | Coefficients) -> Summary:
    """What there is to say of positions, or of coefficients; what is not a number is counted as undefined."""
    clipped = int(values.clipped.sum()) if isinstance(values, Coefficients) else 0
    numbers = values.values if isinstance(values, Coefficients) else values
    known = numbers[~np.isnan(numbers)]
    return Summary(
        entries=len(numbers),
        undefined=len(numbers) - len(known),
        clipped=clipped,
        mean=float(known.mean()) if len(known) else None,
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        median=float(np.median(known)) if len(known) else None,
        quantiles=tuple(np.quantile(known, QUANTILES).tolist()) if len(known) else None,
    )


# Which part of a pool to train on for a task: texts in an order, and what a model of the first of them is worth.
#
# - closest to the task's coefficient (Denoual 2005, section 4)
# - cross-entropy difference (Moore & Lewis 2010), and its sum over both languages of a pair (Axelrod, He & Gao 2011)
# - at random, which the others must be better than
# - cynical: the greedy choice of Axelrod 2017
#
# Every method gives a score to each text, the lowest first. Amounts are shares of the characters of the pool, and a
# smaller selection is the beginning of a larger one.


SHARES: Final = (0.005, 0.01, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1.0)
"""The amounts of a curve."""


def closest_scores(coefficients: F64, task: float) -> F64:
    """How far the coefficient of each text is from the task's; infinite where it is not defined."""
    distance = np.abs(coefficients - task)
    return np.asarray(np.where(np.isnan(distance), np.inf, distance))


def moore_lewis_scores(characters: I64, task_bits: F64, pool_bits: F64) -> F64:
    """Bits per character under a model of the task less those under one of an equal part of the pool.

    Infinite for texts without characters.
    """
    scores: F64 = np.full(len(characters), np.inf)
    np.divide(task_bits - pool_bits, characters, out=scores, where=characters > 0)
    return scores


def random_scores(count: int, seed: int) -> F64:
    return np.random.default_rng(seed).random(count)


def guard(characters: I64, keys: Sequence[str], least: int = 1, most: int | None = None) -> Bools:
    """Whether each text may be selected: of ``least`` to ``most`` characters, and the first with its key.

    Scores by cross-entropy prefer short and frequent texts, which would otherwise come again and again.
    """
    if most is not None and most < least:
        raise InputError(f"no text has at least {least} and at most {most} characters")
    allowed = np.asarray(characters >= max(least, 1))
    if most is not None:
        allowed &= characters <= most
    seen: set[str] = set()
    for place in np.flatnonzero(allowed).tolist():
        if keys[place] in seen:
            allowed[place] = False
        seen.add(keys[place])
    return allowed


def ranked(scores: F64, allowed: Bools) -> I64:
    """The places of the allowed texts with a finite score, the lowest first; of equal ones in their order."""
    order = np.argsort(scores, kind="stable")
    return np.asarray(order[allowed[order] & np.isfinite(scores[order])])


def amount(order: I64, characters: I64, share: float) -> I64:
    """The first of the ranked texts that together have ``share`` of all characters of the pool.

    The text that reaches the share is the last one; all that are ranked where they have no more. InputError for a share
    that is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:.6g} is not above 0 and at most 1")
    reached = np.cumsum(characters[order])
    wanted = share * int(characters.sum())
    return order[: int(np.searchsorted(reached, wanted * (1 - 1e-12))) + 1]


@dataclass(frozen=True)
class SelectionPoint:
    """A selection of one size, and what a model of it is worth."""

    share: float
    """As asked for."""
    texts: int
    characters: int
    """Of the selected texts, which may be fewer than the share where a guard left out others."""
    bits: float
    """Bits per character of held-out text of the task under a model of the selection."""


def curve(
    order: I64, characters: I64, entropy: Callable[[I64], float], shares: Sequence[float] = SHARES
) -> list[SelectionPoint]:
    """The held-out bits by amount; ``entropy`` measures the task by a model of the texts at the places it is given."""
    points = []
    for share in shares:
        chosen = amount(order, characters, share)
        points.append(SelectionPoint(share, len(chosen), int(characters[chosen].sum()), entropy(chosen)))
    return points


def crossing(shares: Sequence[float], first: Sequence[float], second: Sequence[float]) -> float | None:
    """The last share at which the first of two curves ceases to be the lower one, interpolated; None if it never does.

    Values are lower where they are better. Between two amounts both curves are taken for straight.
    """
    found = None
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    for place in range(1, len(gaps)):
        if gaps[place - 1] < 0 <= gaps[place]:
            part = gaps[place - 1] / (gaps[place - 1] - gaps[place])
            found = shares[place - 1] + part * (shares[place] - shares[place - 1])
    return found


# Cynical selection: always the text that brings the selection nearest to the task (Axelrod 2017).
# The selection is a bag of features (words, or runs of characters). Its distance from the task is the cross-entropy of
# the task's features by their relative frequency in the selection; a text changes it by log((W + w) / W), where W and
# w are the features of the selection and of the text, and for each feature v of the task by q(v) log(C(v) / (C(v) +
# c(v))), where q(v) is its share of the task and C(v), c(v) are its counts. The first part only depends on the length
# of the text, and the second never gets better as the selection grows: so among texts of one length an old value is a
# bound, and the best text is found without looking at most of them.


INITIAL_COUNT: Final = 1.0
"""What each feature of the task counts in an empty selection."""


@dataclass(frozen=True)
class Cynical:
    order: I64
    changes: F64
    """By how many bits each changed the cross-entropy of the task; the first positive one says when to stop."""

    @property
    def helpful(self) -> int:
        """How many texts were chosen before the first that brought the selection no nearer."""
        worse = np.flatnonzero(self.changes >= 0)
        return int(worse[0]) if len(worse) else len(self.order)


def cynical_order(
    features: Features, task: I64, allowed: Bools, enough: Callable[[int], bool] | None = None
) -> Cynical:
    """Choose greedily among the allowed texts; ``task`` has the count of each feature in the task.

    ``enough`` is told each place that was chosen, and ends the choice by True. InputError for a task without features.
    """
    total = int(task.sum())
    if not total:
        raise InputError("the task has none of the features")
    weights = (task / total).tolist()
    counts = [INITIAL_COUNT] * features.distinct
    inside = float(INITIAL_COUNT * np.count_nonzero(task))
    own = [_counted(features, place, task) if is_allowed else () for place, is_allowed in enumerate(allowed.tolist())]
    buckets = _Buckets(features, allowed, [_gain(items, counts, weights) for items in own])
    order: list[int] = []
    changes: list[float] = []
    fresh = [-1] * len(own)
    while buckets.left:
        place, bucket = buckets.best(inside)
        if fresh[place] != len(order):
            fresh[place] = len(order)
            buckets.renew(bucket, _gain(own[place], counts, weights))
            continue
        changes.append(buckets.change(bucket, inside))
        buckets.take(bucket)
        order.append(place)
        inside += float(features.lengths[place])
        for feature, often in own[place]:
            counts[feature] += often
        if enough is not None and enough(place):
            break
    return Cynical(np.array(order, dtype=np.int64), np.array(changes, dtype=np.float64))


def _counted(features: Features, place: int, task: I64) -> tuple[tuple[int, int], ...]:
    return tuple((each, often) for each, often in Counter(features.of(place).tolist()).items() if task[each])


def _gain(items: tuple[tuple[int, int], ...], counts: list[float], weights: list[float]) -> float:
    return sum(weights[each] * math.log2(counts[each] / (counts[each] + often)) for each, often in items)


class _Buckets:
    """The texts by their length in features, those of one length by a bound of what they gain."""

    def __init__(self, features: Features, allowed: Bools, gains: list[float]) -> None:
        places = np.flatnonzero(allowed & (features.lengths > 0)).tolist()
        self.left = len(places)
        heaps: dict[int, list[tuple[float, int]]] = {}
        for place in places:
            heaps.setdefault(int(features.lengths[place]), []).append((gains[place], place))
        self._lengths = np.array(sorted(heaps), dtype=np.float64)
        self._heaps = [heaps[int(length)] for length in self._lengths]
        for heap in self._heaps:
            heapq.heapify(heap)
        self._tops = np.array([heap[0][0] for heap in self._heaps], dtype=np.float64)

    def best(self, inside: float) -> tuple[int, int]:
        """The text with the best bound, and its bucket."""
        bucket = int(np.argmin(np.log2(1 + self._lengths / inside) + self._tops))
        return self._heaps[bucket][0][1], bucket

    def change(self, bucket: int, inside: float) -> float:
        """What the first text of a bucket changes, in bits."""
        return float(np.log2(1 + self._lengths[bucket] / inside) + self._tops[bucket])

    def renew(self, bucket: int, gain: float) -> None:
        heap = self._heaps[bucket]
        heapq.heapreplace(heap, (gain, heap[0][1]))
        self._tops[bucket] = heap[0][0]

    def take(self, bucket: int) -> None:
        heap = self._heaps[bucket]
        heapq.heappop(heap)
        self.left -= 1
        self._tops[bucket] = heap[0][0] if heap else np.inf
