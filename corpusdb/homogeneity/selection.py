"""Which part of a pool to train on for a task: orders, what they are worth, and cynical selection."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.homogeneity.similarity import Features

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


def bilingual_scores(source: F64, target: F64) -> F64:
    """The sum of the cross-entropy differences of both sides of each pair."""
    return np.asarray(source + target)


def random_scores(count: int, seed: int) -> F64:
    """Numbers at random."""
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

    @property
    def perplexity(self) -> float:
        """2 to the bits."""
        return float(2**self.bits)


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
    """The texts in the order in which they were chosen."""

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
    """The features of a text that the task has, with their counts in it."""
    return tuple((each, often) for each, often in Counter(features.of(place).tolist()).items() if task[each])


def _gain(items: tuple[tuple[int, int], ...], counts: list[float], weights: list[float]) -> float:
    """What the features of a text change, in bits: 0 or less."""
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
        """Give the first text of a bucket another bound."""
        heap = self._heaps[bucket]
        heapq.heapreplace(heap, (gain, heap[0][1]))
        self._tops[bucket] = heap[0][0]

    def take(self, bucket: int) -> None:
        """Take out the first text of a bucket."""
        heap = self._heaps[bucket]
        heapq.heappop(heap)
        self.left -= 1
        self._tops[bucket] = heap[0][0] if heap else np.inf
