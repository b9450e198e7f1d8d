"""Scores as rows, a system and a metric each, with what chance may have done to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from corpusdb.arrays import F64
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job, Progress, finished, told_if
from corpusdb.metrics.measures import smoothed_for_segments
from corpusdb.metrics.metric import Details
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling, Significance
from corpusdb.queries.evaluation.settings import sorting_place
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import Comparison, Spread

__all__ = ["Chance", "ScoreRow", "best_first", "making_rows", "score_rows", "with_numbers"]

_MANY_DRAWN: Final = 1_000_000
"""Segments of all systems in all samples from which on it takes so long that it is told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """What is asked about chance."""

    sampling: Sampling
    intervals: bool = False
    """Of 95 %, by bootstrap over the segments."""
    test: Significance | None = None
    """Of every system against the baseline."""
    baseline: int = 0
    """The number of an output, from 0."""
    reference_draws: int = 0
    """How often the references are drawn, too; 0 is not at all."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One number with all that is known of it."""

    system: str
    scores: MetricScores
    """Of all systems by this metric."""
    at: int
    """The number of the system among these, from 0."""
    interval: Interval | None
    comparison: Comparison | None
    """With the baseline; None for the baseline itself."""
    spread: Spread | None
    stored: int | None = None
    """The number under which the score is stored."""

    @property
    def score(self) -> float:
        return float(self.scores.scores[self.at])

    @property
    def details(self) -> Details:
        """What the score is made of."""
        return self.scores.details(self.at)

    @property
    def segments(self) -> F64:
        """The score of each segment."""
        segments: F64 = self.scores.segments[self.at]
        return segments

    @property
    def smoothed_segments(self) -> F64:
        """The same with BLEU smoothed as `compare` has it: most segments that have 0 are told apart."""
        return smoothed_for_segments(self.scores.measure).of_segments.scores(self.scores.statistics[self.at])


def score_rows(
    outputs: Sequence[Output],
    scores: Sequence[MetricScores],
    chance: Chance,
) -> list[ScoreRow]:
    """The rows that ``making_rows`` makes."""
    return finished(making_rows(outputs, scores, chance))


def making_rows(outputs: Sequence[Output], scores: Sequence[MetricScores], chance: Chance) -> Job[list[ScoreRow]]:
    """A row for each metric of the first system, then those of the next.

    Raises UsageError where references are to be drawn, and a metric keeps them to itself.
    """
    columns = []
    for each in scores:
        is_long = each.statistics.shape[1] * len(outputs) * chance.sampling.samples >= _MANY_DRAWN
        columns.append(list((yield from told_if(is_long, _rows_of_metric(outputs, each, chance)))))
    return [row for of_system in zip(*columns, strict=True) for row in of_system]


def with_numbers(
    rows: Sequence[ScoreRow], scores: Sequence[MetricScores], stored: Sequence[Sequence[int]]
) -> list[ScoreRow]:
    """The rows with the numbers of their stored scores, which are as store_scores returns them."""
    numbers = {id(each): of_metric for each, of_metric in zip(scores, stored, strict=True)}
    return [replace(row, stored=numbers[id(row.scores)][row.at]) for row in rows]


def _rows_of_metric(outputs: Sequence[Output], scores: MetricScores, chance: Chance) -> Job[list[ScoreRow]]:
    sampling = chance.sampling
    intervals = comparisons = spreads = None
    if chance.intervals:
        yield Progress(f"resampling segments for the intervals of {scores.label}", 0, 0)
        intervals = scores.intervals(sampling)
    if chance.test:
        yield Progress(f"resampling segments to compare systems by {scores.label}", 0, 0)
        comparisons = scores.comparisons(chance.test, chance.baseline, sampling)
    if chance.reference_draws:
        spreads = yield from scores.spreads(outputs, chance.reference_draws, sampling)
    return [
        ScoreRow(
            system=output.system,
            scores=scores,
            at=at,
            interval=intervals[at] if intervals else None,
            comparison=comparisons[at] if comparisons and at != chance.baseline else None,
            spread=spreads[at] if spreads else None,
        )
        for at, output in enumerate(outputs)
    ]


def best_first(rows: Sequence[ScoreRow], metric: str) -> list[ScoreRow]:
    """The rows with the systems in the order of their scores by a metric, which may be named as in a table.

    Systems that are equal stay in their order. Raises UsageError for a metric that they were not scored by.
    """
    metrics = list({id(row.scores): row.scores for row in rows}.values())
    scores = metrics[sorting_place([each.settings for each in metrics], metric)]
    sign = 1 if scores.measure.metric.lower_is_better else -1
    return sorted(rows, key=lambda row: sign * float(scores.scores[row.at]))
