"""Whether one variant of a metric agrees with people better than another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

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
) -> Iterator[list[MetricComparison]]:
    """Each pair of variants by each statistic that has a test: those of systems; of segments Pearson over all, and
    the accuracy within segments."""
    cached: dict[_Key, Sequence[Figure]] = {}
    for first, second in pairs:
        known = [np.isfinite(each.systems).all(axis=0) for each in (first, second)]
        common = np.flatnonzero(np.isfinite(human.systems) & known[0] & known[1])
        people = HumanScores(human.systems[common], None if human.segments is None else human.segments[common])
        found = []
        for each in (first, second):
            key = each.name, tuple(common.tolist())
            if key not in cached:
                part = each.part(common)
                cached[key] = [] if part is None else list(figures(part, people, levels, samples))
            found.append(cached[key])
        pair = _Pair(first.part(common) or first, second.part(common) or second, people, samples.sampling)
        yield [
            pair.compared(one, other)
            for one, other in zip(*found, strict=True)
            if one.level == "system" or (one.level, one.statistic) in (("segment", "pearson"), (_ITEMS, "acc_eq"))
        ]


_Key: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class _Pair:
    """Two variants on the systems that both have scores of."""

    first: VariantScores
    second: VariantScores
    human: HumanScores
    sampling: Sampling

    def compared(self, one: Figure, other: Figure) -> MetricComparison:
        undefined = [
            f"{scores.name}: {figure.reason}"
            for scores, figure in ((self.first, one), (self.second, other))
            if figure.value is None
        ]
        is_defined = one.value is not None and other.value is not None
        test, permuted = self._permuted(one) if is_defined else (None, None)
        # The mean over the draws of references in each sample; there are no samples of scores of whole systems.
        means = one.sampled.mean(axis=0), other.sampled.mean(axis=0)
        has_samples = is_defined and means[0].size and means[1].size
        return MetricComparison(
            first=self.first.name,
            second=self.second.name,
            level=one.level,
            statistic=one.statistic,
            difference=None if one.value is None or other.value is None else one.value - other.value,
            n=min(one.n, other.n),
            reason="; ".join(undefined) or None,
            test=test,
            permuted=permuted,
            resampled=paired_samples(means[0], means[1], self.sampling.confidence) if has_samples else None,
        )

    def _permuted(self, figure: Figure) -> tuple[str, Superiority | None]:
        """The test that a statistic has, and what it found."""
        trials, seed = self.sampling.samples, self.sampling.seed
        if figure.level == "system":
            statistic = SYSTEM_STATISTICS[figure.statistic]
            parts = [each.contributions for each in (self.first, self.second)]
            known = [each for each in parts if each is not None]
            if len(known) < len(parts):
                known = [each.systems.mean(axis=0)[:, np.newaxis] for each in (self.first, self.second)]
            found = systems_exchanged(np.stack(known), self.human.systems, statistic, trials=trials, seed=seed)
            return "PERM-BOTH" if all(each is not None for each in parts) else "PERM-SYSTEMS", found
        ratings = np.zeros((0, 0)) if self.human.segments is None else self.human.segments
        means = [each.segments.mean(axis=0) for each in (self.first, self.second) if each.segments is not None]
        if figure.statistic == "pearson":
            return "PERM-BOTH", segments_exchanged(np.stack(means), ratings, trials=trials, seed=seed)
        one, other = (SegmentAgreement(each, ratings).by_segment[-1] for each in means)
        return "PERM-INPUTS", decisions_exchanged(one, other, trials=trials, seed=seed)
