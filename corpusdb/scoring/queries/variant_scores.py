"""Scores of systems and of their segments by variants of metrics, computed here or by others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.system_agreement import jackknife_contributions
from corpusdb.corpus.formats.score_file import ExternalScores, joined, name_of_mean
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.measures import statistics_of_systems
from corpusdb.scoring.metric import Measure, SegmentReferences
from corpusdb.scoring.metric_settings import NO_SMOOTHING, SENTENCE_SMOOTHING, MetricSettings, Smoothing
from corpusdb.scoring.metrics import (
    counts_errors,
    is_corpus_metric,
    metric_named,
    settings_for,
    with_chrf_options,
    with_ter_options,
)
from corpusdb.scoring.queries.scoring_references import Drawn, LabelledReferences
from corpusdb.scoring.reference_count import HumanScores, are_means, drawn_orders, match_table
from corpusdb.scoring.unit_metrics import up_to_order

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


# The variants of metrics that one call compares: by unit, order, tokenisation, number and origin of references.


_DRAWING: Final = "drawing references"
ALL_ORIGINS: Final = "all"
"""All that there are, together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantChoice:
    """What is to be compared: every combination of these that makes sense."""

    metrics: Sequence[str | MetricSettings] = ("bleu",)
    """Settings are taken as they are, and names with what follows."""
    units: Sequence[str] = ("word",)
    orders: Sequence[int | None] = (None,)
    """None is the usual one of the metric."""
    tokenisations: Sequence[str | None] = (None,)
    lowercase: bool = False
    smoothing: Smoothing = NO_SMOOTHING
    """Of BLEU of systems; sentences have SENTENCE_SMOOTHING unless another is given."""
    references: Sequence[int | None] = (None,)
    """How many of a segment; None is all."""
    origins: Sequence[Sequence[str]] = ()
    """Origins of references that are taken together, each used up before the next; empty for all of them at once."""
    draws: int = 10
    """How often references are drawn where not all are taken; figures are means over these."""
    seed: int = 1
    chrf: tuple[int, int, int] = (6, 0, 2)
    """Its orders of characters and of words, and its beta."""
    ter: tuple[bool, bool, bool, bool] = (False, False, False, False)
    """As ``with_ter_options`` takes them."""


def variant_settings(choice: VariantChoice) -> list[MetricSettings]:
    """The settings of all variants, each once. Raises UsageError for what is unknown."""
    found: dict[MetricSettings, None] = {}
    for metric, unit, order, tokenisation in product(choice.metrics, choice.units, choice.orders, choice.tokenisations):
        if isinstance(metric, MetricSettings):
            found[metric] = None
            continue
        several = len(choice.units) > 1 and unit == "char"
        settings = settings_for(
            metric,
            unit=unit,
            order=order,
            tokenisation=None if several else tokenisation,  # which is meant for the words
            lowercase=choice.lowercase,
            smoothing=choice.smoothing,
        )
        settings = with_ter_options(with_chrf_options(settings, *choice.chrf), *choice.ter)
        found[settings] = None
    return list(found)


def options_of(settings: Sequence[MetricSettings], at: int = 0) -> dict[str, str]:
    """The options, by their names, with which one call computes what was computed with these settings.

    Metrics that count in another unit than the one ``at`` are left out: a call has one unit.
    """
    with_unit = [each for each in settings if _counts_in(each.metric, "char") != _counts_in(each.metric, "word")]
    here = settings[at] if settings[at] in with_unit else next(iter(with_unit), settings[at])
    alike = [each.metric for each in settings if _counts_in(each.metric, here.unit) == each.unit]
    usual = settings_for(here.metric, unit=here.unit)
    told = {"metric": ",".join(dict.fromkeys(alike)), "unit": here.unit}
    if here.order != usual.order:
        told["order"] = str(here.order)
    if here.tokenisation != usual.tokenisation:
        told["tokenise"] = str(here.tokenisation)
    if here.lowercase and not usual.lowercase:
        told["lowercase"] = "yes"
    if here.smoothing != usual.smoothing and not here.smoothing.effective:
        told["smoothing"] = here.smoothing.method + (
            "" if here.smoothing.value is None else f"={here.smoothing.value:g}"
        )
    return told


def _counts_in(metric: str, unit: str) -> str:
    """The unit that a metric has where this one is asked for."""
    return settings_for(metric, unit=unit).unit


def sentence_settings(settings: MetricSettings) -> MetricSettings:
    """The settings for scores of segments, where BLEU of order 4 is 0 more often than not."""
    smoothed = settings.metric == "bleu" and settings.smoothing == NO_SMOOTHING
    return replace(settings, smoothing=SENTENCE_SMOOTHING) if smoothed else settings


def computing_scores(
    outputs: Sequence[Output], references: LabelledReferences, choice: VariantChoice, processes: int = 1
) -> Job[list[ComputedScores]]:
    """Score all outputs by each variant, by slow metrics in as many processes.

    Raises InputError where a segment has no reference of an origin, and UsageError for what is unknown and where a
    package is missing.
    """
    found = []
    settings = variant_settings(choice)
    orders = {_way(each): max(x.order or 1 for x in settings if _way(x) == _way(each)) for each in settings}
    combinations = [tuple(labels) for labels in choice.origins] or [(ALL_ORIGINS,)]
    for origins in combinations:
        labels = references.labels if origins == (ALL_ORIGINS,) else origins
        source = _Source(outputs, references, references.chosen(labels), choice, orders, processes)
        most = int(source.counts.max())
        for each in settings:
            for size in dict.fromkeys(most if size is None else min(size, most) for size in choice.references):
                parts = [_label(each, settings)]
                if len(combinations) > 1:
                    parts.append("+".join(origins))
                if list(choice.references) != [None]:
                    parts.append(f"{size} ref{'' if size == 1 else 's'}" + (" = all" if size == most else ""))
                found.append((yield from source.scores(each, " ".join(parts), size if size < most else None)))
    return found


def _label(settings: MetricSettings, others: Sequence[MetricSettings]) -> str:
    label = metric_named(settings.metric).label(settings)
    usual = settings.tokenisation in (None, "char", "13a")
    alike = [each for each in others if metric_named(each.metric).label(each) == label]
    return label if usual and len(alike) == 1 else f"{label} {str(settings.tokenisation).partition('=')[0]}"


Way: TypeAlias = tuple[str, str | None]
"""The metric, and how texts are cut for it: the statistics of BLEU up to an order hold those of the lower ones."""


def _way(settings: MetricSettings) -> Way:
    return settings.metric, settings.tokenisation


@dataclass(frozen=True)
class _Source:
    """What the variants with references of the same origins share."""

    outputs: Sequence[Output]
    references: LabelledReferences
    chosen: Bools
    choice: VariantChoice
    orders: Mapping[Way, int]
    """The highest order that is asked for."""
    processes: int = 1
    counted: dict[tuple[Way, int | None], F64] = field(default_factory=dict)
    """Statistics of BLEU of the highest order, by the number of references."""

    def __post_init__(self) -> None:
        if not self.counts.all():
            raise InputError("the segment has no reference of these origins", line=int(np.argmin(self.counts)) + 1)

    @cached_property
    def counts(self) -> I64:
        return self.references.counts(self.chosen)

    def scores(self, settings: MetricSettings, name: str, size: int | None) -> Job[ComputedScores]:
        """With ``size`` references of each segment, drawn at random, or all of them."""
        measure = self._measure(settings)
        for_sentences = sentence_settings(settings)
        drawn = None if size is None else Drawn(size, self.choice.draws, self.choice.seed)
        return ComputedScores(
            metric=settings.metric,
            name=name,
            signature=self.references.signature(settings, self.chosen, drawn),
            segment_signature=self.references.signature(for_sentences, self.chosen, drawn),
            measure=measure,
            sentence_measure=replace(measure, settings=for_sentences).of_segments,
            statistics=(yield from self._statistics(settings, size)),
        )

    def _statistics(self, settings: MetricSettings, size: int | None) -> Job[F64]:
        """Shape (draws, systems, segments, columns)."""
        if settings.metric != "bleu":
            return (yield from self._counted(self._measure(settings), size))
        way = _way(settings)
        if (way, size) not in self.counted:
            measure = self._measure(replace(settings, order=self.orders[way]))
            self.counted[way, size] = yield from self._counted(measure, size)
        statistics: F64 = up_to_order(self.counted[way, size], settings.order or 1)
        return statistics

    def _counted(self, measure: Measure, size: int | None) -> Job[F64]:
        if size is None:
            return (yield from self._all(measure))[np.newaxis]
        return (yield from self._drawn(measure, size))

    def _measure(self, settings: MetricSettings, chosen: Bools | None = None) -> Measure:
        texts = self._texts if chosen is None else self._subset(chosen)
        return metric_named(settings.metric).measure(settings, texts)

    @cached_property
    def _texts(self) -> SegmentReferences:
        return self.references.texts if self.chosen.all() else self._subset(self.chosen)

    def _subset(self, chosen: Bools) -> SegmentReferences:
        return SegmentReferences([each.references for each in self.references.subset(chosen)])

    def _all(self, measure: Measure) -> Job[F64]:
        texts = [output.texts for output in self.outputs]
        statistics = yield from statistics_of_systems(measure, texts, self.processes)
        return statistics.astype(np.float64)

    def _drawn(self, measure: Measure, size: int) -> Job[F64]:
        """Statistics with references drawn at random for each segment: shape (draws, systems, segments, columns)."""
        settings = measure.settings
        cut = self.references.texts.cut(settings if settings.metric == "bleu" else settings_for("bleu"))
        priorities = np.where(self.chosen, self.references.origins, -1)
        rng = np.random.default_rng(self.choice.seed)
        orders = [drawn_orders(cut, priorities, rng) for _ in range(self.choice.draws)]
        if settings.metric == "bleu":
            tables = [match_table(cut.encode(output.texts), cut, settings.order or 1) for output in self.outputs]
            drawn = []
            for number, each in enumerate(orders):
                yield Progress(_DRAWING, number, len(orders))
                drawn.append([table.statistics(each, [size])[0] for table in tables])
            return np.array(drawn, dtype=np.float64)
        if measure.metric.weighs_all_references:
            passes = []
            for each in orders:
                passes.append((yield from self._all(self._measure(settings, self._first(each, size)))))
            return np.stack(passes)
        return (yield from self._of_distinct_draws(settings, np.stack(orders)[:, :, :size]))

    def _of_distinct_draws(self, settings: MetricSettings, orders: I64) -> Job[F64]:
        """The same for orders of shape (draws, segments, size), from as few passes over the texts as there are
        different choices of the references of one segment."""
        choices = np.sort(orders, axis=2)
        numbers = np.stack(
            [np.unique(each, axis=0, return_inverse=True)[1].ravel() for each in np.moveaxis(choices, 1, 0)]
        )
        passes = []
        for number in range(int(numbers.max()) + 1):
            draw = np.argmax(numbers == number, axis=1)  # the first, for a segment with fewer choices
            chosen = np.take_along_axis(orders, draw[np.newaxis, :, np.newaxis], axis=0)[0]
            passes.append((yield from self._all(self._measure(settings, self._first(chosen, orders.shape[2])))))
        every = np.stack(passes)
        segments = np.arange(every.shape[2])
        return np.stack([np.moveaxis(every[row, :, segments], 0, 1) for row in numbers.T])

    def _first(self, orders: I64, size: int) -> Bools:
        """Which references are the first ``size`` of their segment in this order."""
        firsts = np.searchsorted(self.references.segments, np.arange(len(orders)))
        chosen = np.zeros(len(self.chosen), dtype=np.bool_)
        chosen[(firsts[:, np.newaxis] + orders[:, :size]).ravel()] = True
        return chosen
