"""Scores of the parts of a test set: by coefficient, length, number of references or novelty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.formats.segments import Output
from corpusdb.homogeneity.scale import Coefficients
from corpusdb.queries.agreement.breakdown import Breakdown, Part, parts_by
from corpusdb.queries.evaluation.labelled_references import LabelledReferences
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import bootstrap, percentile_interval

__all__ = ["ALL", "PartScore", "part_scores", "parts_of"]

ALL = "all"
"""What the whole test set is called beside its parts."""


@dataclass(frozen=True, slots=True)
class PartScore:
    """The score of one system by one metric over some segments."""

    part: str
    segments: int
    score: float
    interval: Interval
    """By bootstrap over the segments of the part."""


def parts_of(
    breakdown: Breakdown,
    outputs: Sequence[Output],
    references: ScoringReferences,
    coefficients: Coefficients | None = None,
) -> list[Part]:
    """All segments together, then the parts. Raises UsageError as parts_by does."""
    labelled = LabelledReferences.as_one(references, references.origin)
    return [
        Part(ALL, np.arange(len(references.sets))),
        *parts_by(breakdown, (), outputs, labelled, coefficients=coefficients),
    ]


def part_scores(scores: MetricScores, parts: Sequence[Part], sampling: Sampling) -> list[list[PartScore]]:
    """For each system its scores in all parts, with intervals."""
    found: list[list[PartScore]] = [[] for _ in scores.systems]
    for part in parts:
        rows = scores.statistics[:, part.segments]
        values = scores.measure.scores(rows.sum(axis=1)).tolist()
        drawn = bootstrap(rows, scores.measure.scores, samples=sampling.samples, seed=sampling.seed)
        for own, value, sample in zip(found, values, drawn, strict=True):
            interval = percentile_interval(sample, sampling.confidence)
            own.append(PartScore(part.name, len(part.segments), value, interval))
    return found
