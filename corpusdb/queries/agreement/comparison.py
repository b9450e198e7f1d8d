"""Whether one variant of a metric agrees with people better than another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import I64
from corpusdb.queries.agreement.figures import Figure, Level, Samples, figures, level_name
from corpusdb.queries.agreement.metric_scores import VariantScores
from corpusdb.queries.evaluation.scoring import Sampling
from corpusdb.stats.metric_comparison import (
    PairedSamples,
    Superiority,
    decisions_exchanged,
    paired_samples,
    segments_exchanged,
    systems_exchanged,
)
from corpusdb.stats.segment_agreement import SegmentAgreement
from corpusdb.stats.system_agreement import SYSTEM_STATISTICS
from corpusdb.studies.reference_count import HumanScores

__all__ = ["NULL_HYPOTHESES", "MetricComparison", "comparisons"]

_ITEMS: Final = level_name("within segments")
NULL_HYPOTHESES: Final[Mapping[str, str]] = {
    "PERM-BOTH": "the two metrics agree with people equally well, so that any two of their scores of the same output, "
    "standardised, could as well change places",
    "PERM-SYSTEMS": "the two metrics agree with people equally well, so that any two of their scores of the same "
    "system, standardised, could as well change places",
    "PERM-INPUTS": "the two metrics agree with people equally well, so that what they decide within any segment could "
    "as well change places",
    "paired bootstrap": "the first metric agrees with people no better than the second, whatever the segments",
}
"""By test, in words."""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric against another by one statistic, on the systems and segments that both have scores of."""

    first: str
    second: str
    level: str
    statistic: str
    difference: float | None
    """Of the agreements, that of the first less that of the second."""
    n: int
    reason: str | None
    """Why there is no difference."""
    test: str | None
    """One of NULL_HYPOTHESES."""
    permuted: Superiority | None
    resampled: PairedSamples | None


def comparisons(
    pairs: Sequence[Sequence[VariantScores]], human: HumanScores, levels: Sequence[Level], samples: Samples
) -> Iterator[MetricComparison]:
    """Each pair of variants by each statistic that has a test: those of systems; of segments Pearson over all, and
    the accuracy within segments."""
    cached: dict[object, list[Figure]] = {}
    for first, second in pairs:
        common = np.flatnonzero(
            np.isfinite(human.systems)
            & np.isfinite(first.systems).all(axis=0)
            & np.isfinite(second.systems).all(axis=0)
        )
        pair = _Pair(*(_part(each, common) for each in (first, second)), _people(human, common), samples.sampling)
        found = []
        for each in (pair.first, pair.second):
            key = each.name, tuple(common.tolist())
            if key not in cached:
                cached[key] = list(figures(each, pair.human, levels, samples))
            found.append(cached[key])
        for one, other in zip(*found, strict=True):
            if one.level == "system" or (one.level, one.statistic) in (("segment", "pearson"), (_ITEMS, "acc_eq")):
                yield pair.compared(one, other)


def _part(scores: VariantScores, systems: I64) -> VariantScores:
    part = scores.part(systems)
    assert part is not None  # all segments are kept
    return part


def _people(human: HumanScores, systems: I64) -> HumanScores:
    return HumanScores(human.systems[systems], None if human.segments is None else human.segments[systems])


@dataclass(frozen=True)
class _Pair:
    first: VariantScores
    second: VariantScores
    human: HumanScores
    sampling: Sampling

    def compared(self, one: Figure, other: Figure) -> MetricComparison:
        names = self.first.name, self.second.name, one.level, one.statistic
        if one.value is None or other.value is None:
            reason = f"{self.first.name}: {one.reason}" if one.value is None else f"{self.second.name}: {other.reason}"
            return MetricComparison(*names, None, min(one.n, other.n), reason, None, None, None)
        test, permuted = self._permuted(one)
        means = [each.sampled.mean(axis=0) for each in (one, other)]  # over the draws of references
        sampled = all(each.size for each in means)
        resampled = paired_samples(*means, self.sampling.confidence) if sampled else None
        return MetricComparison(*names, one.value - other.value, min(one.n, other.n), None, test, permuted, resampled)

    def _permuted(self, figure: Figure) -> tuple[str, Superiority | None]:
        trials = {"trials": self.sampling.samples, "seed": self.sampling.seed}
        if figure.level == "system":
            parts = self.first.contributions, self.second.contributions
            statistic = SYSTEM_STATISTICS[figure.statistic]
            if parts[0] is None or parts[1] is None:
                whole = np.stack([each.systems.mean(axis=0)[:, np.newaxis] for each in (self.first, self.second)])
                return "PERM-SYSTEMS", systems_exchanged(whole, self.human.systems, statistic, **trials)
            return "PERM-BOTH", systems_exchanged(np.stack(parts), self.human.systems, statistic, **trials)
        ratings = self.human.segments
        scores = [each.segments for each in (self.first, self.second)]
        assert ratings is not None and scores[0] is not None and scores[1] is not None  # the figure has a value
        means = [each.mean(axis=0) for each in scores if each is not None]
        if figure.statistic == "pearson":
            return "PERM-BOTH", segments_exchanged(np.stack(means), ratings, **trials)
        decided = [SegmentAgreement(each, ratings).by_segment[-1] for each in means]
        return "PERM-INPUTS", decisions_exchanged(*decided, **trials)
