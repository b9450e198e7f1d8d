"""Which differences between two systems come from generated references alone.

The same segments are scored twice: with the references that people made, and with all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpusdb.arrays import F64
from corpusdb.formats.reference_digest import digest
from corpusdb.formats.scoring_input import Output
from corpusdb.metrics.measures import measures
from corpusdb.metrics.settings import Settings
from corpusdb.queries.comparison.score_differences import ScoreDifference, difference_of
from corpusdb.queries.comparison.segment_differences import by_segment
from corpusdb.queries.evaluation.labelled_references import LabelledReferences
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling, ScoringReferences, Significance
from corpusdb.queries.references.reference_sets import AttributedReference, AttributedSet
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import bootstrap, percentile_interval

__all__ = ["GENERATED", "ChangedSegment", "OriginsComparison", "by_origin", "made_by_people", "references_with_origins"]

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


def references_with_origins(labelled: LabelledReferences) -> ScoringReferences:
    """References of files that say where these come from, to be scored with."""
    origins = [labelled.labels[number] for number in labelled.origins.tolist()]
    firsts = np.searchsorted(labelled.segments, np.arange(len(labelled.sets))).tolist()
    labels = tuple(
        tuple(origins[first : first + len(each.references)]) for first, each in zip(firsts, labelled.sets, strict=True)
    )
    attributed = tuple(
        AttributedSet(
            each.source,
            tuple(
                AttributedReference(text, (origin,), each.source)
                for text, origin in zip(each.references, of_set, strict=True)
            ),
        )
        for each, of_set in zip(labelled.sets, labels, strict=True)
    )
    return ScoringReferences(labelled.sets, labels, "files", {"files": []}, attributed)


def made_by_people(sets: Sequence[AttributedSet]) -> tuple[tuple[str, ...], ...]:
    """Of each segment the references that people wrote or accepted."""
    return tuple(tuple(one.text for one in each.references if not {*one.origins} <= GENERATED) for each in sets)


def by_origin(
    outputs: tuple[Output, Output],
    references: ScoringReferences,
    settings: Settings,
    test: Significance,
    sampling: Sampling,
) -> OriginsComparison | None:
    """Two systems by a metric; None where nothing is known of the origins, or all references have one."""
    people = made_by_people(references.attributed)
    kept = [number for number, texts in enumerate(people) if texts]
    total, human = (sum(len(each[number]) for number in kept) for each in (references.texts, people))
    if not kept or total == human:
        return None
    chosen = tuple(tuple(each.texts[number] for number in kept) for each in outputs)
    names = tuple(output.system for output in outputs)
    differences: list[ScoreDifference] = []
    advantages: list[F64] = []
    drawn: list[F64] = []
    for texts in (people, references.texts):
        sets = [replace(references.sets[number], references=texts[number]) for number in kept]
        (measure,) = measures([settings], [each.references for each in sets])
        statistics = np.array([measure.statistics(each) for each in chosen])
        signature = measure.signature(digest(sets))
        signed = str(signature) if texts is people else references.signed(signature)
        scores = MetricScores(measure, names, statistics, signed)
        differences.append(difference_of(scores, test, sampling))
        advantages.append(by_segment(scores).advantage)
        of_samples = bootstrap(statistics, measure.scores, samples=sampling.samples, seed=sampling.seed)
        drawn.append(of_samples[0] - of_samples[1])
    before, after = advantages
    changed = sorted(np.flatnonzero(before * after < 0).tolist(), key=lambda at: -abs(after[at] - before[at]))
    return OriginsComparison(
        segments=len(kept),
        left_out=len(people) - len(kept),
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
