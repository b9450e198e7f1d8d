"""Metrics with references: what scores any number of systems."""

from __future__ import annotations

from collections.abc import Sequence

from corpusdb.metrics.metric import Measure, SegmentReferences
from corpusdb.metrics.registry import metric_named
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import Signature

__all__ = ["measures", "signature_of"]


def measures(settings: Sequence[Settings], references: Sequence[Sequence[str]]) -> list[Measure]:
    """The measures for one list of references for each segment, which are cut into units once for each way of cutting.

    Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, and UsageError
    where sacrebleu is needed and missing.
    """
    texts = SegmentReferences(references)
    return [metric_named(each.metric).measure(each, texts) for each in settings]


def signature_of(settings: Settings, counts: Sequence[int], digest: str) -> Signature:
    """How a score with these settings is computed, with the number of references of each segment and their digest."""
    return metric_named(settings.metric).signature(settings, counts, digest)
