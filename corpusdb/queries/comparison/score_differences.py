"""The scores of two systems, of our metrics and of others, with what chance may have done to their difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError
from corpusdb.formats.files.reading import digest_of
from corpusdb.formats.scores.score_file import ExternalScores, differs, joined, name_of_mean
from corpusdb.formats.scoring_input import Output
from corpusdb.metrics.registry import counts_errors, is_corpus_metric
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling, Significance
from corpusdb.queries.evaluation.stored_scores import output_digest
from corpusdb.queries.imported.imported_scores import ImportedScore
from corpusdb.queries.imported.kept_scores import Kind
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import bootstrap, paired_bootstrap, paired_randomisation, percentile_interval

__all__ = ["OthersScores", "ScoreDifference", "difference_of", "difference_of_others", "scores_in_files", "scores_kept"]


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """What one metric says of two systems."""

    metric: str
    """Its label; of the mean of scores of segments that is not the score of the system, that it is this."""
    a: float
    b: float
    difference: float
    """a - b."""
    interval_a: Interval | None
    """Of 95 %, by bootstrap over the segments; None where only whole systems are scored."""
    interval_b: Interval | None
    interval: Interval | None
    """Of the difference, on the same samples."""
    p_value: float | None
    lower_is_better: bool
    """Of scores of others, whether they are called as a metric of ours that counts errors."""
    segments: int
    """That both are scored in; 0 where only whole systems are scored."""
    signature: str
    """Of scores of others: imported or human, their file and the beginning of its digest."""
    imported: bool = False
    """Whether it was computed by others."""
    human: bool = False
    """Whether it is of people, and known to be."""

    @property
    def given(self) -> str:
        """What the table of scores calls what was not computed here."""
        return "human" if self.human else "imported" if self.imported else ""


@dataclass(frozen=True, eq=False)
class OthersScores:
    """The scores of some systems that were not computed here, by one metric."""

    name: str
    values: Mapping[str, float]
    """By the name of the system, as it is compared."""
    segments: Mapping[str, F64]
    """The same for systems whose segments are scored: NaN for a segment without."""
    origins: Sequence[tuple[str, str]]
    """The files with their digests."""
    kind: Kind = "metric"

    @property
    def given(self) -> str:
        """What the table of scores calls them."""
        return "human" if self.kind == "human" else "imported"

    @property
    def signature(self) -> str:
        files = "".join(f"|file:{file}|sha256:{digest[:16]}" for file, digest in self.origins)
        return f"{self.given}:{self.name}{files}"

    def differ(self, *systems: str) -> bool:
        """Whether the score of one of the systems is given, and is not the mean of its segments."""
        return any(differs(self.values[each], self.segments[each]) for each in systems if each in self.segments)


def difference_of(scores: MetricScores, test: Significance, sampling: Sampling) -> ScoreDifference:
    """By a metric of ours; ``scores`` are those of the two systems alone."""
    a, b = scores.scores.tolist()
    statistics, measure = scores.statistics, scores.measure
    interval_a, interval_b = scores.intervals(sampling)
    comparison = scores.comparisons(test, 1, sampling)[0]
    drawn = bootstrap(statistics, measure.scores, samples=sampling.samples, seed=sampling.seed)
    return ScoreDifference(
        metric=scores.label,
        a=a,
        b=b,
        difference=a - b,
        interval_a=interval_a,
        interval_b=interval_b,
        interval=percentile_interval(drawn[0] - drawn[1], sampling.confidence),
        p_value=comparison.p_value,
        lower_is_better=measure.metric.lower_is_better,
        segments=statistics.shape[1],
        signature=scores.signature,
    )


def difference_of_others(
    scores: OthersScores, a: str, b: str, test: Significance, sampling: Sampling
) -> Iterator[ScoreDifference]:
    """By a metric of others; nothing where one of the systems has no score.

    The scores of the systems are those that are given for them. Where segments of both are scored, those that both have
    are resampled, and the score is their mean; it stands by itself where the systems were given another.
    """
    if a not in scores.values or b not in scores.values:
        return
    found = ScoreDifference(
        metric=scores.name,
        a=scores.values[a],
        b=scores.values[b],
        difference=scores.values[a] - scores.values[b],
        interval_a=None,
        interval_b=None,
        interval=None,
        p_value=None,
        lower_is_better=counts_errors(scores.name),
        segments=0,
        signature=scores.signature,
        imported=True,
        human=scores.kind == "human",
    )
    nothing = np.array([np.nan])
    values = np.array([scores.segments[a], scores.segments[b]] if {a, b} <= scores.segments.keys() else [nothing] * 2)
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.size or scores.differ(a, b):
        yield found
    if not values.size:
        return
    rows = np.stack([values, np.ones_like(values)], axis=-1)
    drawn = bootstrap(rows, _mean, samples=sampling.samples, seed=sampling.seed)
    compared = paired_randomisation if test == "randomisation" else paired_bootstrap
    first, second = values.mean(axis=1).tolist()
    is_own_score = not scores.differ(a, b) and not is_corpus_metric(scores.name)
    yield replace(
        found,
        metric=scores.name if is_own_score else name_of_mean(scores.name),
        a=first,
        b=second,
        difference=first - second,
        interval_a=percentile_interval(drawn[0], sampling.confidence),
        interval_b=percentile_interval(drawn[1], sampling.confidence),
        interval=percentile_interval(drawn[0] - drawn[1], sampling.confidence),
        p_value=compared(rows, _mean, baseline=1, samples=sampling.samples, seed=sampling.seed)[0].p_value,
        segments=values.shape[1],
    )


def _mean(rows: F64) -> F64:
    mean: F64 = rows[..., 0] / rows[..., 1]
    return mean


def scores_in_files(scores: Sequence[ExternalScores], outputs: Sequence[Output]) -> list[OthersScores]:
    """The scores that files have of the outputs, by metric.

    Raises InputError, with file and line, where an output has another number of segments than are scored, and where no
    output is scored at all.
    """
    of_metrics: dict[str, list[ExternalScores]] = {}
    for each in joined(scores):
        of_metrics.setdefault(each.name, []).append(each)
    return [_of_outputs(name, levels, outputs) for name, levels in of_metrics.items()]


def _of_outputs(name: str, levels: Sequence[ExternalScores], outputs: Sequence[Output]) -> OthersScores:
    """The scores of a metric at one level, or at both: of whole systems then, with those of their segments."""
    values: dict[str, float] = {}
    segments: dict[str, F64] = {}
    paths: dict[Path, None] = {}
    for each in sorted(levels, key=lambda scores: scores.level == "system"):
        known = [output for output in outputs if output.system in each.scores]
        if not known:
            there_are = ", ".join(list(each.scores)[:5])
            reason = f"scores none of {', '.join(output.system for output in outputs)}; it has {there_are}"
            raise InputError(reason, path=each.path, line=1)
        for output in known:
            path, array = each.path_of(output.system), each.scores[output.system]
            if each.segments not in (None, len(output.texts)):
                reason = f"{output.system} has {each.segments:,} segments here, its output {len(output.texts):,}"
                raise InputError(reason, path=path, line=each.lines[output.system])
            if np.isnan(array).all():
                continue
            values[output.system] = float(np.nanmean(array))
            paths[path] = None
            if each.level == "segment":
                segments[output.system] = array
    return OthersScores(name, values, segments, [(", ".join(path.name for path in paths), digest_of(paths))])


def scores_kept(imported: Sequence[ImportedScore], outputs: Sequence[Output]) -> Iterator[OthersScores]:
    """The imported scores of the same outputs, by metric."""
    names = {output_digest(output.texts): output.system for output in outputs}
    grouped: dict[tuple[str, Kind], list[ImportedScore]] = {}
    for each in imported:
        if each.output_digest in names:
            grouped.setdefault((each.name, each.kind), []).append(each)
    for (name, kind), scores in grouped.items():
        yield OthersScores(
            name,
            {names[each.output_digest]: each.value for each in scores},
            {names[each.output_digest]: each.segment_values for each in scores if each.segment_values is not None},
            list(dict.fromkeys((each.file, each.digest) for each in scores)),
            kind,
        )
