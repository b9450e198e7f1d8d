"""Which differences between two systems come from generated references alone.

The same segments are scored twice: with the references that people made, and with all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job, finished
from corpusdb.metrics.measures import measures, statistics_of_systems
from corpusdb.metrics.settings import Settings
from corpusdb.queries.comparison.score_differences import ScoreDifference, difference_of
from corpusdb.queries.comparison.segment_differences import by_segment
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling, Significance
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import bootstrap, percentile_interval

__all__ = ["GENERATED", "ChangedSegment", "OriginsComparison", "by_origin", "comparing_origins"]

GENERATED = frozenset({"generated", "exchanged", "rule"})
"""The origins of references that no person wrote or accepted."""


@dataclass(frozen=True, slots=True)
class ChangedSegment:
    """A segment in which one system is better by the references of people, and the other by all."""

    segment: int
    """From 1."""
    by_people: float
    """How much better the first system is, also where less is better; negative: worse."""
    by_all: float


@dataclass(frozen=True, slots=True)
class OriginsComparison:
    """Two systems with the references of people and with all, in the segments that have both."""

    segments: int
    """That have a reference of people."""
    left_out: int
    """That have none."""
    people: int
    """References of people in these segments."""
    generated: int
    by_people: ScoreDifference
    by_all: ScoreDifference
    shift: float
    """What generated references alone add to the difference: by all less by people."""
    shift_interval: Interval
    """Of 95 %, by bootstrap over the segments."""
    changed: tuple[ChangedSegment, ...]
    """The largest changes first."""
    decided: int
    """Segments in which the systems are equal by the references of people, and not by all."""
    levelled: int
    """Segments in which the systems are equal by all, and not by the references of people."""


def by_origin(
    outputs: tuple[Output, Output],
    references: ScoringReferences,
    settings: Settings,
    test: Significance,
    sampling: Sampling,
) -> OriginsComparison | None:
    """Two systems by a metric, as ``comparing_origins`` finds it."""
    return finished(comparing_origins(outputs, references, settings, test, sampling))


def comparing_origins(
    outputs: tuple[Output, Output],
    references: ScoringReferences,
    settings: Settings,
    test: Significance,
    sampling: Sampling,
    processes: int = 1,
) -> Job[OriginsComparison | None]:
    """Compare two systems by a metric, a slow one in as many processes; None where nothing is known of the origins, or
    all references have one."""
    if not references.attributed:
        return None
    every = np.array([not {*one.origins} <= GENERATED for each in references.attributed for one in each.references])
    of_people = references.part(every)
    kept = [number for number, each in enumerate(of_people.sets) if each.references]
    people, both = of_people.of_segments(kept), references.of_segments(kept)
    total, human = (sum(len(each.references) for each in one.sets) for one in (both, people))
    if not kept or total == human:
        return None
    chosen = tuple(tuple(each.texts[number] for number in kept) for each in outputs)
    names = tuple(output.system for output in outputs)
    differences: list[ScoreDifference] = []
    advantages: list[F64] = []
    drawn: list[F64] = []
    for each in (people, both):
        (measure,) = measures([settings], each.texts)
        statistics = yield from statistics_of_systems(measure, chosen, processes)
        scores = MetricScores(measure, names, statistics, each.signed(measure.signature(each.digest)))
        differences.append(difference_of(scores, test, sampling))
        advantages.append(by_segment(scores).advantage)
        of_samples = bootstrap(statistics, measure.scores, samples=sampling.samples, seed=sampling.seed)
        drawn.append(of_samples[0] - of_samples[1])
    before, after = advantages
    changed = sorted(np.flatnonzero(before * after < 0).tolist(), key=lambda at: -abs(after[at] - before[at]))
    return OriginsComparison(
        segments=len(kept),
        left_out=len(references.sets) - len(kept),
        people=human,
        generated=total - human,
        by_people=differences[0],
        by_all=differences[1],
        shift=differences[1].difference - differences[0].difference,
        shift_interval=percentile_interval(drawn[1] - drawn[0], sampling.confidence),
        changed=tuple(ChangedSegment(kept[at] + 1, float(before[at]), float(after[at])) for at in changed),
        decided=int(np.count_nonzero((before == 0) & (after != 0))),
        levelled=int(np.count_nonzero((before != 0) & (after == 0))),
    )
