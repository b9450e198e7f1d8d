"""Metrics with references: what scores any number of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.jobs import Job, Progress, computed
from corpusdb.scoring.metric import Measure, SegmentReferences
from corpusdb.scoring.metric_settings import SENTENCE_SMOOTHING, MetricSettings, Signature
from corpusdb.scoring.metrics import metric_named

_SEGMENTS_A_TASK = 8
"""Few: TER takes a tenth of a second for each, and after a second it is to be known how long all will take."""
_MANY = 200
"""Segments of all systems together that are worth processes, and that progress is told of, where a metric is slow."""
_MANY_OF_FAST = 10_000
"""The same of other metrics: about a second's worth."""


def measures(settings: Sequence[MetricSettings], references: Sequence[Sequence[str]]) -> list[Measure]:
    """The measures for one list of references for each segment, which are cut into units once for each way of cutting.

    Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, and UsageError
    where sacrebleu is needed and missing.
    """
    texts = SegmentReferences(references)
    return [metric_named(each.metric).measure(each, texts) for each in settings]


def signature_of(settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
    """How a score with these settings is computed, with the number of references of each segment and their digest."""
    return metric_named(settings.metric).signature(settings, counts, digest)


def smoothed_for_segments(measure: Measure) -> Measure:
    """The measure from the same statistics, BLEU smoothed as in sacrebleu's sentence BLEU unless it is already."""
    if not measure.settings.is_plain_bleu:
        return measure
    return replace(measure, settings=replace(measure.settings, smoothing=SENTENCE_SMOOTHING))


def statistics_of_systems(measure: Measure, systems: Sequence[Sequence[str]], processes: int) -> Job[I64 | F64]:
    """The statistics of every system: shape (systems, segments, columns).

    Where the metric is slow, segments are shared out among at most so many processes, which changes no number. Raises
    InputError as Measure.statistics.
    """
    if not measure.metric.is_slow or any(len(texts) != len(measure.counts) for texts in systems):
        return (yield from _one_by_one(measure, systems))
    segments = len(measure.counts)
    tasks = [(system, first) for system in range(len(systems)) for first in range(0, segments, _SEGMENTS_A_TASK)]

    def rows(task: int) -> I64 | F64:
        system, first = tasks[task]
        return measure.statistics_from(first, systems[system][first : first + _SEGMENTS_A_TASK])

    total = segments * len(systems)
    found: dict[int, I64 | F64] = {}
    stage, done = f"scoring segments by {measure.label}", 0
    if total >= _MANY:
        yield Progress(stage, done, total)
    for task, part in computed(rows, len(tasks), processes if total >= _MANY else 1):
        found[task] = part
        done += len(part)
        if total >= _MANY:
            yield Progress(stage, done, total)
    together: I64 | F64 = np.concatenate([found[task] for task in range(len(tasks))])
    return together.reshape(len(systems), segments, -1)


def _one_by_one(measure: Measure, systems: Sequence[Sequence[str]]) -> Job[I64 | F64]:
    total, done = sum(map(len, systems)), 0
    found: list[Any] = []
    for texts in systems:
        if total >= _MANY_OF_FAST:
            yield Progress(f"scoring segments by {measure.label}", done, total)
        found.append(measure.statistics(texts))
        done += len(texts)
    return np.array(found)
