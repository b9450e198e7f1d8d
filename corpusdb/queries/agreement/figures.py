"""The agreement of one variant of a metric with people: each figure with its intervals, or why it has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64
from corpusdb.formats.documents import Document
from corpusdb.queries.agreement.metric_scores import VariantScores, means_in_samples
from corpusdb.queries.evaluation.scoring import Sampling
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import counts_in_samples, percentile_interval
from corpusdb.stats.segment_agreement import GROUPINGS, SEGMENT_STATISTICS, Grouping, SegmentAgreement
from corpusdb.stats.system_agreement import SYSTEM_STATISTICS, why_undefined
from corpusdb.studies.reference_count import HumanScores

__all__ = ["LEVELS", "Figure", "Level", "Samples", "figures", "level_name"]

Level: TypeAlias = Literal["system", "segment"]
LEVELS: Final[tuple[Level, ...]] = ("system", "segment")
Key: TypeAlias = tuple[str, str]
"""The level as level_name has it, and the statistic."""


@dataclass(frozen=True, eq=False)
class Figure:
    """One statistic at one level; the mean over the draws of references."""

    level: str
    statistic: str
    value: float | None
    n: int
    """How many systems, or outputs of systems, have both scores."""
    reason: str | None = None
    """Why there is no value."""
    interval: Interval | None = None
    """Over samples of the segments."""
    document_interval: Interval | None = None
    """Over samples of the documents."""
    epsilon: float | None = None
    """The largest difference of two scores that counts as a tie, where ties are calibrated."""
    sampled: F64 = field(default_factory=lambda: np.zeros((1, 0)), repr=False)
    """The values with each draw of references in each sample of the segments: shape (draws, samples); NaN where it is
    not defined."""
    sampled_documents: F64 = field(default_factory=lambda: np.zeros((1, 0)), repr=False)
    """The same in each sample of the documents."""


_MOST_KEPT: Final = 1 << 24
"""Numbers that are drawn once for all variants; of more, they are drawn again for each."""


@dataclass(frozen=True)
class Samples:
    """Samples of segments, and of documents where these are known; the same for all variants."""

    sampling: Sampling
    segments: int
    documents: Sequence[Document] = ()

    def of_segments(self) -> Iterable[F64]:
        """How often each segment is in each sample: portions of shape (samples, segments)."""
        return self._kept if self.segments * self.sampling.samples <= _MOST_KEPT else self._drawn()

    @cached_property
    def _kept(self) -> list[F64]:
        return list(self._drawn())

    def _drawn(self) -> Iterator[F64]:
        drawn: Iterator[F64] = iter(())
        if self.segments:
            drawn = counts_in_samples(self.segments, self.sampling.samples, seed=self.sampling.seed)
        return drawn

    def of_documents(self) -> Iterator[F64]:
        """The same where whole documents are drawn; nothing where there are fewer than two."""
        if len(self.documents) < 2:
            return
        owner = np.zeros(self.segments, dtype=np.int64)
        for number, each in enumerate(self.documents):
            owner[each.first : each.first + each.segments] = number
        for counts in counts_in_samples(len(self.documents), self.sampling.samples, seed=self.sampling.seed):
            yield counts[:, owner]


def level_name(grouping: Grouping) -> str:
    """The level of segments over all is "segment", the others say how they are grouped."""
    return "segment" if grouping == "over all" else f"segment {grouping}"


def figures(scores: VariantScores, human: HumanScores, levels: Sequence[Level], samples: Samples) -> Iterator[Figure]:
    """All figures of one variant; ``human`` has the same systems in the same order."""
    if "system" in levels:
        yield from _of_systems(scores, human, samples)
    if "segment" in levels:
        yield from _of_segments(scores, human, samples)


Values: TypeAlias = Mapping[Key, F64]
"""Shape (draws, samples)."""
InSamples: TypeAlias = Callable[[F64], Values | None]


def _of_systems(scores: VariantScores, human: HumanScores, samples: Samples) -> Iterator[Figure]:
    drawn = scores.systems
    rated = np.flatnonzero(np.isfinite(human.systems) & np.isfinite(drawn).all(axis=0))
    part = scores.part(rated)
    people, ours = human.systems[rated], drawn[:, rated]
    ratings = None if human.segments is None else human.segments[rated]

    def in_samples(counts: F64) -> Values | None:
        values = None if part is None else part.in_samples(counts)
        if values is None:
            return None
        said = people[:, np.newaxis] if ratings is None else means_in_samples(ratings, counts)
        unknown = np.isnan(said).any(axis=0) | np.isnan(values).any(axis=1)
        return {
            ("system", name): np.where(unknown, np.nan, np.stack([statistic(each, said) for each in values]))
            for name, statistic in SYSTEM_STATISTICS.items()
        }

    sampled = _Sampled.of(in_samples, samples)
    reason = next(filter(None, (why_undefined(row, people) for row in ours)), None)
    for name, statistic in SYSTEM_STATISTICS.items():
        found = [float(statistic(row[:, np.newaxis], people[:, np.newaxis])[0]) for row in ours]
        yield sampled.figure(("system", name), found, len(rated), reason)


def _of_segments(scores: VariantScores, human: HumanScores, samples: Samples) -> Iterator[Figure]:
    drawn = scores.segments
    if drawn is None or human.segments is None:
        missing = "the metric has no scores of segments" if drawn is None else "there are no human scores of segments"
        for grouping, name in product(GROUPINGS, SEGMENT_STATISTICS):
            yield Figure(level_name(grouping), name, None, 0, missing)
        return
    ratings = human.segments
    each_draw = [SegmentAgreement(each, ratings) for each in drawn]

    def in_samples(counts: F64) -> Values:
        values = [each.values(counts) for each in each_draw]
        return {
            (level_name(grouping), name): np.stack([each[grouping, name] for each in values])
            for grouping, name in values[0]
        }

    sampled = _Sampled.of(in_samples, samples)
    whole, first = [each.values() for each in each_draw], each_draw[0]
    reason = why_undefined(first.scores[first.rated], ratings[first.rated], "outputs")
    for grouping, name in product(GROUPINGS, SEGMENT_STATISTICS):
        found = [float(each[grouping, name][0]) for each in whole]
        told = reason or f"it is defined for no group of outputs {grouping}"
        figure = sampled.figure((level_name(grouping), name), found, first.items, told)
        if name == "acc_eq" and figure.value is not None:
            figure = replace(figure, epsilon=float(np.mean([each.epsilon(grouping) for each in each_draw])))
        yield figure


@dataclass(frozen=True)
class _Sampled:
    """The values of all statistics in the samples of segments, and in those of documents."""

    by_segment: Values
    by_document: Values
    confidence: float

    @classmethod
    def of(cls, in_samples: InSamples, samples: Samples) -> _Sampled:
        by_segment, by_document = (
            _gathered(in_samples, each) for each in (samples.of_segments(), samples.of_documents())
        )
        return cls(by_segment, by_document, samples.sampling.confidence)

    def figure(self, key: Key, drawn: Sequence[float], n: int, reason: str | None) -> Figure:
        """From the values with each draw of the references; ``reason`` is told where one of these is not defined."""
        if not np.isfinite(drawn).all():
            return Figure(*key, None, n, reason)
        sampled, documents = (each.get(key, np.zeros((1, 0))) for each in (self.by_segment, self.by_document))
        return Figure(
            *key,
            value=float(np.mean(drawn)),
            n=n,
            interval=self._interval(sampled),
            document_interval=self._interval(documents),
            sampled=sampled,
            sampled_documents=documents,
        )

    def _interval(self, values: F64) -> Interval | None:
        """Without the samples in which it is not defined; None where these are more than half."""
        defined = values[np.isfinite(values)]
        return percentile_interval(defined, self.confidence) if 2 * defined.size > values.size else None


def _gathered(in_samples: InSamples, portions: Iterable[F64]) -> Values:
    """The values in all portions of the samples; nothing where there are none."""
    found: dict[Key, list[F64]] = {}
    for counts in portions:
        for key, values in (in_samples(counts) or {}).items():
            found.setdefault(key, []).append(values)
    return {key: np.concatenate(parts, axis=1) for key, parts in found.items()}
