"""Scores of systems and of their segments by variants of metrics, computed here or by others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.system_agreement import jackknife_contributions
from corpusdb.corpus.formats.score_file import ExternalScores, joined, name_of_mean
from corpusdb.scoring.metric import Measure
from corpusdb.scoring.metrics import counts_errors, is_corpus_metric
from corpusdb.scoring.reference_count import HumanScores, are_means

# Scores whose agreement with people is measured: those that are computed here, and those that others computed.
# Both say what a system and a segment score, and what a system scores in a sample of the segments: a corpus score such
# as BLEU is computed anew from the sums of the statistics in the sample, a score of others is the mean of its
# segments.


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

    @abstractmethod
    def judged(self, human: HumanScores) -> VariantScores:
        """With scores of systems over the segments that people scored of each, where theirs are the means of these."""


@dataclass(frozen=True, eq=False)
class ComputedScores(VariantScores):
    """Scores from statistics, which add up over segments."""

    measure: Measure
    """Of systems; what is a count of errors is taken negative."""
    sentence_measure: Measure
    statistics: F64
    """Shape (draws, systems, segments, columns)."""
    counted: Bools | None = None
    """Which segments count in the score of a system: shape (systems, segments); None for all."""

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
            jackknife_contributions(rows, lambda sums: self._signed(self.measure, sums), self.counted)
            for rows in self.statistics
        ]
        mean: F64 = np.mean(parts, axis=0)
        return mean

    def part(self, systems: I64, segments: I64 | None = None) -> ComputedScores:
        at = np.arange(self.statistics.shape[2]) if segments is None else segments
        counted = None if self.counted is None else self.counted[systems][:, at]
        return replace(self, statistics=self.statistics[:, systems][:, :, at], counted=counted)

    def judged(self, human: HumanScores) -> ComputedScores:
        known = human.judged
        if known is None or known.all():
            return self
        return replace(self, statistics=np.where(known[..., np.newaxis], self.statistics, 0.0), counted=known)

    def _signed(self, measure: Measure, statistics: F64) -> F64:
        scores = measure.scores(statistics)
        return -scores if measure.metric.lower_is_better else scores


@dataclass(frozen=True, eq=False)
class GivenScores(VariantScores):
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

    counted: Bools | None = None
    """Which segments count in the score of a system: shape (systems, segments); None for all."""

    @cached_property
    def means(self) -> F64 | None:
        """The scores of the segments that count, if those of all systems are their means, but for rounding."""
        if self.of_segments is None:
            return None
        rows = self.of_segments if self.counted is None else np.where(self.counted, self.of_segments, np.nan)
        return rows if are_means(self.of_systems, rows) else None

    def in_samples(self, counts: F64) -> F64 | None:
        return None if self.means is None else means_in_samples(self.means, counts)[np.newaxis]

    @property
    def contributions(self) -> F64 | None:
        """None also where a segment has no score, so that the others have different weights."""
        rows = self.means
        if rows is None or not np.isfinite(rows if self.counted is None else rows[self.counted]).all():
            return None
        return rows

    def part(self, systems: I64, segments: I64 | None = None) -> GivenScores | None:
        if segments is None:
            rows = None if self.of_segments is None else self.of_segments[systems]
            counted = None if self.counted is None else self.counted[systems]
            return replace(self, of_systems=self.of_systems[systems], of_segments=rows, counted=counted)
        if self.of_segments is None:
            return None
        rows = self.of_segments[systems][:, segments]
        return GivenScores(self.metric, self.name, self.signature, self.segment_signature, means_of(rows), rows)

    def judged(self, human: HumanScores) -> GivenScores:
        known = human.judged
        if known is None or known.all() or self.means is None:
            return self
        return replace(self, of_systems=means_of(np.where(known, self.means, np.nan)), counted=known)


def means_in_samples(scores: F64, counts: F64) -> F64:
    """The mean of each system's scores in each sample of the segments: shapes (systems, segments) and (samples,
    segments) to (systems, samples); NaN is left out, and NaN is the mean of nothing."""
    known = np.isfinite(scores)
    both = counts @ np.concatenate([np.where(known, scores, 0.0), known]).T
    sums, numbers = both[:, : len(scores)].T, both[:, len(scores) :].T
    means: F64 = np.divide(sums, numbers, out=np.full(sums.shape, np.nan), where=numbers > 0)
    return means


def means_of(scores: F64) -> F64:
    """The mean of each system, as means_in_samples has it: shape (systems, segments) to (systems)."""
    return means_in_samples(scores, np.ones((1, scores.shape[1])))[:, 0]


def given_scores(
    files: Sequence[ExternalScores], systems: Sequence[str], segments: int | None, taken: Collection[str] = ()
) -> Iterator[GivenScores]:
    """The scores of each metric, of these systems, in their order; those that count errors are taken negative.

    Scores of systems that are not given are the means of their segments. ``segments`` is how many there are, None where
    only whole systems are scored; names in ``taken`` are those of others, from which these are told. Raises InputError
    for a system that comes twice, for another number of segments, and for scores of none of the systems.
    """
    by_name: dict[str, dict[str, ExternalScores]] = {}
    for each in joined(files):
        by_name.setdefault(each.name, {})[each.level] = each
        if each.segments is not None and segments is not None and each.segments != segments:
            reason = f"scores of {each.segments:,} segments of each system, and there are {segments:,}"
            raise InputError(reason, path=each.path, line=min(each.lines.values()))
        if not set(systems) & set(each.scores):
            raise InputError(f"the scores are of other systems: {', '.join(sorted(each.scores))}", path=each.path)
    for name, levels in by_name.items():
        of_segments = _ordered(levels["segment"], systems) if "segment" in levels else None
        if "system" in levels:
            of_systems = _ordered(levels["system"], systems)[:, 0]
        else:
            assert of_segments is not None  # one of the two levels is there
            of_systems = means_of(of_segments)
        if counts_errors(name):
            of_systems, of_segments = -of_systems, None if of_segments is None else -of_segments
        told = name_of_mean(name) if "system" not in levels and is_corpus_metric(name) else name
        told = told if told not in taken else f"{told}, given"
        signature = _signature(name, list(levels.values()))
        yield GivenScores(name, told, signature, signature, of_systems, of_segments)


def _signature(name: str, levels: Sequence[ExternalScores]) -> str:
    paths = dict.fromkeys(path for each in levels for path in (each.path, *each.paths.values()))
    return f"imported:{name}|file:{', '.join(path.name for path in paths)}"


def _ordered(scores: ExternalScores, systems: Sequence[str]) -> F64:
    """NaN for a system without scores: shape (systems, segments), or (systems, 1)."""
    nothing = np.full(scores.segments or 1, np.nan)
    return np.stack([scores.scores.get(system, nothing) for system in systems])
