"""Cynical selection: always the text that brings the selection nearest to the task (Axelrod 2017).

The selection is a bag of features (words, or runs of characters). Its distance from the task is the cross-entropy of
the task's features by their relative frequency in the selection; a text changes it by log((W + w) / W), where W and w
are the features of the selection and of the text, and for each feature v of the task by
q(v) log(C(v) / (C(v) + c(v))), where q(v) is its share of the task and C(v), c(v) are its counts. The first part only
depends on the length of the text, and the second never gets better as the selection grows: so among texts of one length
an old value is a bound, and the best text is found without looking at most of them.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.errors import InputError
from corpusdb.homogeneity.features import Features

__all__ = ["INITIAL_COUNT", "Cynical", "cynical_order"]

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
