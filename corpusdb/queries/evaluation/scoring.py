"""Scores of systems against references from files or from the corpus, with their signatures and uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.formats.reference_digest import repeated
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job, Progress, finished
from corpusdb.metrics.measures import measures, statistics_of_systems
from corpusdb.metrics.metric import Details, Measure
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import Signature
from corpusdb.metrics.tokenisation import needs_spaces
from corpusdb.queries.references.scoring_references import Freezing, ScoringReferences
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import (
    BootstrapComparison,
    Comparison,
    Spread,
    bootstrap,
    paired_bootstrap,
    paired_randomisation,
    percentile_interval,
    spread,
)

__all__ = [
    "NULL_HYPOTHESIS",
    "MetricScores",
    "Sampling",
    "Significance",
    "freezing_notes",
    "notes_on",
    "notes_on_sameness",
    "score_systems",
    "scores_by",
    "scoring",
]

Significance: TypeAlias = Literal["bootstrap", "randomisation"]

NULL_HYPOTHESIS = "system and baseline are equally good, and they differ only by the choice of the segments"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How chance is tried out."""

    samples: int = 1000
    seed: int = 1
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class MetricScores:
    """The scores of all systems by one metric, on the scale in which they are printed."""

    measure: Measure
    systems: tuple[str, ...]
    statistics: I64 | F64
    """Shape (systems, segments, columns)."""
    signature: str

    @property
    def settings(self) -> Settings:
        return self.measure.settings

    @property
    def label(self) -> str:
        """What the metric is called in a table."""
        return self.measure.label

    @property
    def short_signature(self) -> str:
        """The signature to be read, without what only a computer needs."""
        return Signature.parse(self.signature).short()

    @cached_property
    def scores(self) -> F64:
        """Of each system over all segments."""
        return self.measure.scores(self.statistics.sum(axis=1))

    @cached_property
    def segments(self) -> F64:
        """Of each system for each segment: shape (systems, segments)."""
        return self.measure.of_segments.scores(self.statistics)

    def details(self, at: int) -> Details:
        """What the score of the system of this number, from 0, is made of."""
        return self.measure.metric.details(self.settings, self.statistics[at].sum(axis=0))

    def intervals(self, sampling: Sampling) -> list[Interval]:
        """The confidence interval of each score, by bootstrap over the segments."""
        resampled = bootstrap(self.statistics, self.measure.scores, samples=sampling.samples, seed=sampling.seed)
        return [percentile_interval(row, sampling.confidence) for row in resampled]

    def comparisons(
        self, test: Significance, baseline: int, sampling: Sampling
    ) -> list[Comparison | BootstrapComparison]:
        """Each system against the one at ``baseline``, itself included; wins are those of the better system."""
        options = {"baseline": baseline, "samples": sampling.samples, "seed": sampling.seed}
        if test == "randomisation":
            return [*paired_randomisation(self.statistics, self.measure.scores, **options)]
        found = paired_bootstrap(self.statistics, self.measure.scores, **options)
        if not self.measure.metric.lower_is_better:
            return [*found]
        return [replace(each, wins=1 - each.wins) for each in found]

    def spreads(self, outputs: Sequence[Output], draws: int, sampling: Sampling) -> Job[list[Spread]]:
        """How each score varies with the segments and with the references, over draws of these.

        Raises UsageError for the metrics of sacrebleu, and for fewer than two draws.
        """
        drawn = list(self.measure.resampled(draws, seed=sampling.seed))
        spreads: list[Spread] = []
        for number, output in enumerate(outputs):
            rows: list[Any] = []
            for measure in drawn:
                yield Progress(f"drawing references of {self.label}", number * draws + len(rows), len(outputs) * draws)
                rows.append(measure.statistics(output.texts))
            spreads.append(spread(np.array(rows), self.measure.scores, samples=sampling.samples, seed=sampling.seed))
        return spreads


def score_systems(
    outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[Settings]
) -> list[MetricScores]:
    """The scores of every output by every metric, as ``scoring`` makes them."""
    return finished(scoring(outputs, references, settings))


def scoring(
    outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[Settings], processes: int = 1
) -> Job[list[MetricScores]]:
    """Score every output by every metric, by slow ones in as many processes.

    Raises InputError where a segment has no reference, and UsageError where a metric or tokenisation needs a package
    that is not installed.
    """
    return (yield from scores_by(outputs, measures(settings, references.texts), references, processes))


def scores_by(
    outputs: Sequence[Output], chosen: Sequence[Measure], references: ScoringReferences, processes: int = 1
) -> Job[list[MetricScores]]:
    """The scores of every output by measures that are there, signed with these references."""
    systems = tuple(output.system for output in outputs)
    texts = [output.texts for output in outputs]
    found = []
    for measure in chosen:
        statistics = yield from statistics_of_systems(measure, texts, processes)
        signature = references.signed(measure.signature(references.digest))
        found.append(MetricScores(measure, systems, statistics, signature))
    return found


def freezing_notes(outputs: Sequence[Output], freezing: Freezing | None) -> Iterator[str]:
    """That the references were made for outputs, where they were, and which of these outputs they were not made for."""
    if freezing is None:
        return
    yield freezing.note
    for output in outputs:
        if not freezing.has_guided(output):
            yield (
                f"{output.path}: did not guide the references of {freezing.name}, which favour the systems"
                " that did: the two cannot be compared by this score"
            )


def notes_on(outputs: Sequence[Output], references: ScoringReferences, scores: Sequence[MetricScores]) -> Iterator[str]:
    """What someone should know of these scores, though nothing is refused for it."""
    segments = len(references.sets)
    for output in outputs:
        if empty := sum(not text.strip() for text in output.texts):
            yield f"{output.path}: {empty:,} of {segments:,} hypotheses are empty, and score as such"
    yield from notes_on_sameness(outputs, references)
    yield from _notes_on_copies(references, scores)
    for each in scores:
        if needs_spaces(each.settings.tokenisation) and (told := references.undelimited_told):
            yield f"{each.label}: {told}; --unit char needs no words"
        for system, row in zip(each.systems, each.statistics.sum(axis=1), strict=True):
            if remark := each.measure.metric.remark(each.settings, row):
                yield f"{each.label} of {system} {remark}"


_NEARLY_ALL: Final = 0.95
"""The share of segments from which on texts that are the same are no chance."""


def notes_on_sameness(outputs: Sequence[Output], references: ScoringReferences) -> Iterator[str]:
    """Where texts are given as what they are not: the source, or a reference, as an output, the source as reference."""
    segments = len(references.sets)
    for output in outputs:
        pairs = list(zip(output.texts, references.sets, strict=True))
        if sum(text.strip() == each.source.strip() != "" for text, each in pairs) * 2 > segments:
            yield f"{output.path}: more than half of the hypotheses are the source"
        same = sum(text in each.references for text, each in pairs)
        if same == segments:
            yield f"{output.path}: every hypothesis is one of its references"
        elif same >= _NEARLY_ALL * segments:
            yield f"{output.path}: {same:,} of {segments:,} hypotheses are one of their references"
    sources = sum(each.source.strip() != "" and each.source in each.references for each in references.sets)
    if sources >= _NEARLY_ALL * segments:
        yield f"the source is given as a reference: {sources:,} of {segments:,} segments are the same"


def _notes_on_copies(references: ScoringReferences, scores: Sequence[MetricScores]) -> Iterator[str]:
    segments, having = len(references.sets), sum(repeated(each) > 0 for each in references.sets)
    # Two translators write the same now and then; where many segments have a copy, a format filled them up.
    if 10 * having <= segments:
        return
    told = f"{having:,} of {segments:,} segments have a reference twice, as files have that are filled up"
    counting = [each.label for each in scores if each.measure.metric.counts_copies]
    if not counting:
        yield f"{told} or given twice: the score is the same without, refs: and copies: in the signature count them"
    end = "(sacrebleu, sgm, wmt), and every copy counts: as jsonl or tsv the set scores otherwise"
    yield from (f"{label}: {told} {end}" for label in counting)
