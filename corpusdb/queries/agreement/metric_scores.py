"""Scores whose agreement with people is measured: those that are computed here, and those that others computed.

Both say what a system and a segment score, and what a system scores in a sample of the segments: a corpus score such as
BLEU is computed anew from the sums of the statistics in the sample, a score of others is the mean of its segments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.metrics.metric import Measure
from corpusdb.stats.metric_comparison import jackknife_contributions

__all__ = ["ComputedScores", "GivenScores", "VariantScores", "means_in_samples"]


@dataclass(frozen=True, eq=False)
class VariantScores(ABC):
    """The scores of all systems by one variant of a metric, higher being better; NaN where there is none."""

    metric: str
    """The name by which it is asked for."""
    name: str
    """What it is called in a table; no two variants have the same."""
    signature: str | None
    segment_signature: str | None

    @property
    @abstractmethod
    def systems(self) -> F64:
        """With each draw of references: shape (draws, systems)."""

    @property
    @abstractmethod
    def segments(self) -> F64 | None:
        """Shape (draws, systems, segments); None where only systems are scored."""

    @abstractmethod
    def in_samples(self, counts: F64) -> F64 | None:
        """What the systems score where the segments count as often as said: shape (draws, systems, samples)."""

    @property
    @abstractmethod
    def contributions(self) -> F64 | None:
        """What each segment contributes to the score of its system: shape (systems, segments), a mean over draws."""

    @abstractmethod
    def part(self, systems: I64, segments: I64 | None = None) -> VariantScores | None:
        """The scores of some systems on some segments; None where they cannot be told from the others."""


@dataclass(frozen=True, eq=False)
class ComputedScores(VariantScores):
    """Scores from statistics, which add up over segments."""

    measure: Measure
    """Of systems; what is a count of errors is taken negative."""
    sentence_measure: Measure
    statistics: F64
    """Shape (draws, systems, segments, columns)."""

    @cached_property
    def systems(self) -> F64:
        return self._signed(self.measure, self.statistics.sum(axis=2))

    @cached_property
    def segments(self) -> F64:
        return self._signed(self.sentence_measure, self.statistics)

    def in_samples(self, counts: F64) -> F64:
        draws, systems, segments, columns = self.statistics.shape
        found = np.empty((draws, systems, len(counts)))
        for number, rows in enumerate(self.statistics):
            # One product for all systems, several times as fast as one for each.
            flat = np.moveaxis(rows, 0, 1).reshape(segments, systems * columns)
            sums = (counts @ flat).reshape(len(counts), systems, columns)
            found[number] = self._signed(self.measure, sums).T
        return found

    @cached_property
    def contributions(self) -> F64:
        parts = [
            jackknife_contributions(rows, lambda sums: self._signed(self.measure, sums)) for rows in self.statistics
        ]
        mean: F64 = np.mean(parts, axis=0)
        return mean

    def part(self, systems: I64, segments: I64 | None = None) -> ComputedScores:
        rows = self.statistics[:, systems]
        return replace(self, statistics=rows if segments is None else rows[:, :, segments])

    def _signed(self, measure: Measure, statistics: F64) -> F64:
        scores = measure.scores(statistics)
        return -scores if measure.metric.lower_is_better else scores


@dataclass(frozen=True, eq=False)
class GivenScores(VariantScores):
    """Scores that others computed."""

    of_systems: F64
    """Shape (systems)."""
    of_segments: F64 | None
    """Shape (systems, segments)."""

    @property
    def systems(self) -> F64:
        return self.of_systems[np.newaxis]

    @property
    def segments(self) -> F64 | None:
        return None if self.of_segments is None else self.of_segments[np.newaxis]

    def in_samples(self, counts: F64) -> F64 | None:
        return None if self.of_segments is None else means_in_samples(self.of_segments, counts)[np.newaxis]

    @property
    def contributions(self) -> F64 | None:
        """None also where a segment has no score, so that the others have different weights."""
        whole = self.of_segments is not None and bool(np.isfinite(self.of_segments).all())
        return self.of_segments if whole else None

    def part(self, systems: I64, segments: I64 | None = None) -> GivenScores | None:
        if segments is None:
            chosen = None if self.of_segments is None else self.of_segments[systems]
            return replace(self, of_systems=self.of_systems[systems], of_segments=chosen)
        if self.of_segments is None:
            return None
        chosen = self.of_segments[systems][:, segments]
        return replace(self, of_systems=means_in_samples(chosen, np.ones((1, len(segments))))[:, 0], of_segments=chosen)


def means_in_samples(scores: F64, counts: F64) -> F64:
    """The mean of each system's scores in each sample of the segments: shapes (systems, segments) and (samples,
    segments) to (systems, samples); NaN is left out, and NaN is the mean of nothing."""
    known = np.isfinite(scores)
    both = counts @ np.concatenate([np.where(known, scores, 0.0), known]).T
    sums, numbers = both[:, : len(scores)].T, both[:, len(scores) :].T
    means: F64 = np.divide(sums, numbers, out=np.full(sums.shape, np.nan), where=numbers > 0)
    return means
