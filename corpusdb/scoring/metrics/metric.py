"""What a metric is: cut into units, statistics of every segment, their sum, a score; also with references drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import UsageError
from corpusdb.base.tokenisation import tokeniser, versioned_tokenisation
from corpusdb.scoring.metrics.encoding import References, Sequences
from corpusdb.scoring.metrics.settings import NO_SMOOTHING, Settings
from corpusdb.scoring.metrics.signature import DIGEST_LENGTH, ReferenceCounts, Signature

__all__ = [
    "Details",
    "Measure",
    "Metric",
    "SegmentReferences",
    "UnitMeasure",
    "UnitMetric",
    "resampled_references",
]


# Other reference sets drawn from one, to see how far a score is due to the references that happened to be there.


def resampled_references(references: References, draws: int, *, seed: int) -> Iterator[References]:
    """``draws`` sets in which every segment has as many references as before, drawn with replacement from its own.

    One that is drawn twice counts once, which changes no metric that takes the best reference. So sets have fewer
    different references than the original, and lower scores: compare scores of draws with each other only.
    """
    rng = np.random.default_rng(seed)
    firsts, segments = references.firsts[:-1], references.segments
    for _ in range(draws):
        drawn = firsts[segments] + rng.integers(0, references.counts[segments])
        chosen = np.zeros(len(segments), dtype=np.bool_)
        chosen[drawn] = True
        yield references.subset(chosen)


# What a metric is: four steps, cut into units, statistics of every segment, their sum, a score.
#
# Statistics are rows that can be added, so that one score function serves a sentence, a corpus and its resamples.
# Scores are on the scale in which people print them: BLEU, chrF and TER up to 100, as in sacrebleu; NIST in bits from
# 0 upwards; mWER as edits per unit, 0 for equal texts.


Details: TypeAlias = dict[str, float | list[float]]
"""What a score is made of, by name: lengths, edits, precisions from 0 to 100."""

_TOKENISATIONS = {"word": "13a", "char": "char"}
"""What cuts texts into units unless something else is asked for."""


class SegmentReferences:
    """The references of every segment, cut into units once for each way of cutting."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.texts = texts
        """One list for each segment."""
        self._cut: dict[tuple[str, bool], References] = {}

    @property
    def counts(self) -> tuple[int, ...]:
        """How many references each segment has."""
        return tuple(map(len, self.texts))

    def cut(self, settings: Settings) -> References:
        """The references as units.

        Raises InputError with the number of the segment, from 1, where one has no reference or a blank one.
        """
        way = settings.tokenisation or "none", settings.lowercase
        if way not in self._cut:
            self._cut[way] = References.of(self.texts, tokeniser(way[0], lowercase=settings.lowercase))
        return self._cut[way]


class Metric(ABC):
    """A metric by its name. One that counts units is a UnitMetric."""

    name: str
    lower_is_better: bool = False
    """Whether the metric counts errors."""
    decimals: int = 2
    """Of a score in a table."""
    weighs_all_references: bool = False
    """Whether the references of all segments together decide what an n-gram of one counts for."""
    counts_copies: bool = False
    """Whether a reference that a segment has twice counts twice: the score is another where sets are filled up."""
    package: str | None = None
    """What has to be installed for it, an extra of corpusdb; None for nothing."""
    is_slow: bool = False
    """Whether many segments are worth processes of their own."""
    can_resample: bool = False
    """Whether other references can be drawn from those that there are."""

    @abstractmethod
    def complete(self, asked: Settings) -> Settings:
        """The settings with all that was not given, and without what this metric does not know."""

    @abstractmethod
    def label(self, settings: Settings) -> str:
        """What the metric is called in a table: BLEUw4, BLEUc18, NISTw5, mWER, chrF2 ..."""

    @abstractmethod
    def measure(self, settings: Settings, references: SegmentReferences) -> Measure:
        """The metric with these references.

        Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, and
        UsageError where a package is missing.
        """

    def tokenisation(self, settings: Settings) -> str:
        """How texts are cut, as the signature has it. Raises UsageError where a package is missing."""
        return versioned_tokenisation(settings.tokenisation or "none")

    def smoothing(self, settings: Settings) -> str | None:
        """The smoothing as the signature has it; None for a metric without."""
        return None

    def of_segments(self, settings: Settings) -> Settings:
        """The settings for the score of a single segment, where these are for the whole."""
        return settings

    def remark(self, settings: Settings, statistics: I64 | F64) -> str | None:
        """What someone should know of the score of these summed statistics, if anything: "is 0: no 4-gram ..."."""
        return None

    def details(self, settings: Settings, statistics: I64 | F64) -> Details:
        """What the score of these summed statistics is made of; empty for a metric that does not tell."""
        return {}

    def signature(self, settings: Settings, counts: Sequence[int], digest: str) -> Signature:
        """How scores are computed, with the number of references of each segment and the digest of the set."""
        return Signature(
            metric=settings.metric,
            order=settings.order,
            unit=settings.unit,
            case="lc" if settings.lowercase else "mixed",
            tokenisation=self.tokenisation(settings),
            smoothing=self.smoothing(settings),
            references=ReferenceCounts.of(counts),
            digest=digest[:DIGEST_LENGTH],
        )


@dataclass(frozen=True, slots=True)
class Measure(ABC):
    """A metric with the references of every segment, for any number of systems."""

    metric: Metric
    settings: Settings
    counts: tuple[int, ...]
    """How many references each segment has."""

    @abstractmethod
    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        """The statistics of each segment: shape (segments, columns), whose rows can be added.

        Raises InputError unless there is one hypothesis for every segment.
        """

    @abstractmethod
    def scores(self, statistics: I64 | F64) -> F64:
        """Statistics of shape (..., columns) to scores of shape (...), on the scale in which they are printed."""

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> I64 | F64:
        """The statistics of the segments from the number ``first``, from 0, on; only where the metric is slow.

        Those of all segments are the same, one after the other. Raises InputError as ``statistics``.
        """
        raise NotImplementedError

    @property
    def label(self) -> str:
        return self.metric.label(self.settings)

    @property
    def of_segments(self) -> Measure:
        """The same for single segments, from the same statistics; scores of segments are computed by no other."""
        return replace(self, settings=self.metric.of_segments(self.settings))

    def signature(self, digest: str) -> Signature:
        """How these scores are computed, with the digest of the reference set in hexadecimal."""
        return self.metric.signature(self.settings, self.counts, digest)

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        """The same with other references: see resampled_references. Raises UsageError where they cannot be drawn."""
        raise UsageError(f"the references of {self.settings.metric} cannot be resampled")


class UnitMetric(Metric):
    """A metric that counts units, words or characters, which this package cuts and numbers."""

    orders: Mapping[str, int] = {}
    """The longest n-grams in each unit unless something else is asked for; empty for a metric that counts none."""
    takes_smoothing: bool = False
    can_resample: bool = True

    @abstractmethod
    def statistics(self, hypotheses: Sequences, references: References, settings: Settings) -> I64 | F64:
        """The statistics of each segment: shape (segments, columns), whose rows can be added.

        Raises InputError unless there is one hypothesis for every segment.
        """

    @abstractmethod
    def scores(self, statistics: I64 | F64, settings: Settings) -> F64:
        """Statistics of shape (..., columns) to scores of shape (...), on the scale in which they are printed."""

    def complete(self, asked: Settings) -> Settings:
        unit = "char" if asked.tokenisation == "char" else asked.unit
        # To cut texts differently asks for no other order: sacrebleu's characters are of order 4, too.
        default = self.orders.get(asked.unit)
        return replace(
            asked,
            unit=unit,
            tokenisation=asked.tokenisation or _TOKENISATIONS[unit],
            order=None if default is None else asked.order or default,
            smoothing=asked.smoothing if self.takes_smoothing else NO_SMOOTHING,
        )

    def label(self, settings: Settings) -> str:
        return f"{self.name.upper()}{settings.unit[0]}{settings.order or ''}"

    def measure(self, settings: Settings, references: SegmentReferences) -> UnitMeasure:
        return UnitMeasure(self, settings, references.counts, references.cut(settings))

    def smoothing(self, settings: Settings) -> str | None:
        return str(settings.smoothing) if self.takes_smoothing else None


@dataclass(frozen=True, slots=True)
class UnitMeasure(Measure):
    """A UnitMetric with numbered references, which can be drawn from."""

    metric: UnitMetric
    references: References = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        return self.metric.statistics(self.references.encode(hypotheses), self.references, self.settings)

    def scores(self, statistics: I64 | F64) -> F64:
        return self.metric.scores(statistics, self.settings)

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        for references in resampled_references(self.references, draws, seed=seed):
            yield replace(self, references=references, counts=tuple(references.counts.tolist()))
