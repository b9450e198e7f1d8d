"""Two systems segment by segment: who is better where, by how much, and in which groups of segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.metrics.measures import smoothed_for_segments
from corpusdb.metrics.metric import Measure
from corpusdb.queries.evaluation.scoring import MetricScores

__all__ = ["Breakdown", "Bucket", "PairScores", "Tally", "breakdown", "by_segment"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many segments each of two systems is better in."""

    a: int
    equal: int
    b: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some segments together."""

    name: str
    segments: int
    a: float
    """The score of the first system over these segments, which may be one: BLEU is smoothed as that of single ones."""
    b: float
    difference: float
    """a - b."""
    tally: Tally


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All segments, each in one bucket."""

    by: str
    """What tells the buckets apart, in words."""
    buckets: tuple[Bucket, ...]


@dataclass(frozen=True, eq=False)
class PairScores:
    """Two systems by one metric, in every segment."""

    measure: Measure
    """Of the whole."""
    of_segments: Measure
    """Of single segments, which may need smoothing."""
    statistics: I64 | F64
    """Shape (2, segments, columns)."""

    @cached_property
    def segments(self) -> F64:
        """The score of each segment: shape (2, segments)."""
        return self.of_segments.scores(self.statistics)

    @cached_property
    def advantage(self) -> F64:
        """How much better the first system is in each segment, also where less is better; negative: worse."""
        difference: F64 = self.segments[0] - self.segments[1]
        return -difference if self.measure.metric.lower_is_better else difference

    def tally(self, chosen: Bools | None = None) -> Tally:
        """Of all segments, or of those that are chosen."""
        advantage = self.advantage if chosen is None else self.advantage[chosen]
        counts = (np.count_nonzero(advantage > 0), np.count_nonzero(advantage == 0), np.count_nonzero(advantage < 0))
        return Tally(*map(int, counts))

    def leading(self, limit: int, *, first: bool = True) -> list[int]:
        """The segments, from 0, in which the first (or the second) system is better, most first; 0 is all."""
        lead = self.advantage if first else -self.advantage
        found = [int(number) for number in np.argsort(-lead, kind="stable") if lead[number] > 0]
        return found[:limit] if limit else found


def by_segment(scores: MetricScores, a: int = 0, b: int = 1) -> PairScores:
    """Two of the systems that were scored, by their numbers from 0.

    BLEU of single segments is smoothed as in sacrebleu's sentence BLEU, unless it is smoothed already.
    """
    return PairScores(scores.measure, smoothed_for_segments(scores.measure).of_segments, scores.statistics[[a, b]])


def breakdown(by: str, pair: PairScores, labels: Sequence[int] | I64, names: Sequence[str]) -> Breakdown:
    """The segments by their labels, numbers of ``names``; names that no segment has are left out."""
    numbers = np.asarray(labels)
    return Breakdown(by, tuple(_bucket(name, pair, numbers == at) for at, name in enumerate(names) if at in numbers))


def _bucket(name: str, pair: PairScores, chosen: Bools) -> Bucket:
    a, b = pair.of_segments.scores(pair.statistics[:, chosen].sum(axis=1)).tolist()
    return Bucket(name, int(np.count_nonzero(chosen)), a, b, a - b, pair.tally(chosen))
