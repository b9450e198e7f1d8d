"""The variants of metrics that one call compares: by unit, order, tokenisation, number and origin of references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Final, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.errors import InputError
from corpusdb.formats.segments import Output
from corpusdb.jobs import Job, Progress, finished
from corpusdb.metrics.bleu import up_to_order
from corpusdb.metrics.measures import statistics_of_systems
from corpusdb.metrics.metric import Measure, SegmentReferences
from corpusdb.metrics.registry import metric_named, settings_for
from corpusdb.metrics.settings import NO_SMOOTHING, SENTENCE_SMOOTHING, Settings, Smoothing
from corpusdb.queries.agreement.metric_scores import ComputedScores
from corpusdb.queries.evaluation.labelled_references import Drawn, LabelledReferences
from corpusdb.studies.reference_count import drawn_orders, match_table

__all__ = ["VariantChoice", "computed_scores", "computing_scores", "sentence_settings", "variant_settings"]


_DRAWING: Final = "drawing references"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantChoice:
    """What is to be compared: every combination of these that makes sense."""

    metrics: Sequence[str] = ("bleu",)
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


def variant_settings(choice: VariantChoice) -> list[Settings]:
    """The settings of all variants, each once. Raises UsageError for what is unknown."""
    found: dict[Settings, None] = {}
    for metric, unit, order, tokenisation in product(choice.metrics, choice.units, choice.orders, choice.tokenisations):
        several = len(choice.units) > 1 and unit == "char"
        settings = settings_for(
            metric,
            unit=unit,
            order=order,
            tokenisation=None if several else tokenisation,  # which is meant for the words
            lowercase=choice.lowercase,
            smoothing=choice.smoothing,
        )
        found[settings] = None
    return list(found)


def sentence_settings(settings: Settings) -> Settings:
    """The settings for scores of segments, where BLEU of order 4 is 0 more often than not."""
    smoothed = settings.metric == "bleu" and settings.smoothing == NO_SMOOTHING
    return replace(settings, smoothing=SENTENCE_SMOOTHING) if smoothed else settings


def computed_scores(
    outputs: Sequence[Output], references: LabelledReferences, choice: VariantChoice
) -> list[ComputedScores]:
    """The scores of all outputs by each variant, as ``computing_scores`` makes them."""
    return finished(computing_scores(outputs, references, choice))


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
    combinations = [tuple(labels) for labels in choice.origins] or [references.labels]
    for labels in combinations:
        source = _Source(outputs, references, references.chosen(labels), choice, orders, processes)
        most = int(source.counts.max())
        for each in settings:
            for size in dict.fromkeys(most if size is None else min(size, most) for size in choice.references):
                parts = [_label(each, settings)]
                if len(combinations) > 1:
                    parts.append("+".join(labels))
                if list(choice.references) != [None]:
                    parts.append(f"{size} ref{'' if size == 1 else 's'}" + (" = all" if size == most else ""))
                found.append((yield from source.scores(each, " ".join(parts), size if size < most else None)))
    return found


def _label(settings: Settings, others: Sequence[Settings]) -> str:
    """The label of the metric, with the tokenisation where it is not the usual one or there are several."""
    label = metric_named(settings.metric).label(settings)
    usual = settings.tokenisation in (None, "char", "13a")
    alike = [each for each in others if metric_named(each.metric).label(each) == label]
    return label if usual and len(alike) == 1 else f"{label} {settings.tokenisation}"


Way: TypeAlias = tuple[str, str | None]


def _way(settings: Settings) -> Way:
    """The metric, and how texts are cut for it: the statistics of BLEU up to an order hold those of the lower ones."""
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

    def scores(self, settings: Settings, name: str, size: int | None) -> Job[ComputedScores]:
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

    def _statistics(self, settings: Settings, size: int | None) -> Job[F64]:
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

    def _measure(self, settings: Settings, chosen: Bools | None = None) -> Measure:
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

    def _of_distinct_draws(self, settings: Settings, orders: I64) -> Job[F64]:
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
