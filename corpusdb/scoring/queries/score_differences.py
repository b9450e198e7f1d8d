"""By how much two systems differ, as wholes and segment by segment, and what chance may have done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.estimates import Interval, bootstrap, percentile_interval
from corpusdb.base.jobs import Job
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import output_digest
from corpusdb.corpus.formats.score_file import ExternalScores, differs, joined, name_of_mean
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.measures import measures, smoothed_for_segments, statistics_of_systems
from corpusdb.scoring.metric import Measure
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import counts_errors, is_corpus_metric
from corpusdb.scoring.queries.imported_scores import ImportedScore, Kind
from corpusdb.scoring.queries.scoring import MetricScores, Sampling, Significance, compared
from corpusdb.scoring.queries.scoring_references import ScoringReferences


@dataclass(frozen=True, slots=True)
class BetterSegments:
    a: int
    equal: int
    b: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some segments together."""

    name: str
    segments: int
    a: float
    """The score of the first system over these segments, which may be one: BLEU is smoothed as that of single ones."""
    b: float
    difference: float
    tally: BetterSegments


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All segments, each in one bucket."""

    by: str
    """What tells the buckets apart, in words."""
    buckets: tuple[Bucket, ...]


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """How many segments of each of two outputs are in each class of a figure; parallel, all classes in their order."""

    by: str
    """The figure, in words."""
    names: tuple[str, ...]
    a: tuple[int, ...]
    b: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PairScores:
    """Two systems by one metric, in every segment."""

    measure: Measure
    """Of the whole."""
    of_segments: Measure
    """Of single segments, which may need smoothing."""
    statistics: I64 | F64
    """Shape (2, segments, columns)."""

    @cached_property
    def segments(self) -> F64:
        """The score of each segment: shape (2, segments)."""
        return self.of_segments.scores(self.statistics)

    @property
    def difference(self) -> F64:
        """The score of the first system less that of the second, in each segment."""
        found: F64 = self.segments[0] - self.segments[1]
        return found

    @cached_property
    def advantage(self) -> F64:
        """How much better the first system is in each segment, also where less is better; negative: worse."""
        return -self.difference if self.measure.metric.lower_is_better else self.difference

    def tally(self, chosen: Bools | None = None) -> BetterSegments:
        advantage = self.advantage if chosen is None else self.advantage[chosen]
        counts = (np.count_nonzero(advantage > 0), np.count_nonzero(advantage == 0), np.count_nonzero(advantage < 0))
        return BetterSegments(*map(int, counts))

    def leading(self, limit: int, *, first: bool = True) -> list[int]:
        """The segments, from 0, in which the first (or the second) system is better, most first; 0 is all."""
        lead = self.advantage if first else -self.advantage
        found = [int(number) for number in np.argsort(-lead, kind="stable") if lead[number] > 0]
        return found[:limit] if limit else found


def by_segment(scores: MetricScores, a: int = 0, b: int = 1) -> PairScores:
    """Two of the systems that were scored, by their numbers from 0.

    BLEU of single segments is smoothed as in sacrebleu's sentence BLEU, unless it is smoothed already.
    """
    return PairScores(scores.measure, smoothed_for_segments(scores.measure).of_segments, scores.statistics[[a, b]])


def breakdown(by: str, pair: PairScores, labels: Sequence[int] | I64, names: Sequence[str]) -> Breakdown:
    """The segments by their labels, numbers of ``names``; names that no segment has are left out."""
    numbers = np.asarray(labels)
    return Breakdown(by, tuple(_bucket(name, pair, numbers == at) for at, name in enumerate(names) if at in numbers))


def _bucket(name: str, pair: PairScores, chosen: Bools) -> Bucket:
    a, b = pair.of_segments.scores(pair.statistics[:, chosen].sum(axis=1)).tolist()
    return Bucket(name, int(np.count_nonzero(chosen)), a, b, a - b, pair.tally(chosen))


# The scores of two systems, of our metrics and of others, with what chance may have done to their difference.


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """What one metric says of two systems."""

    metric: str
    """Its label; of the mean of scores of segments that is not the score of the system, that it is this."""
    a: float
    b: float
    difference: float
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
        p_value=compared(test, rows, _mean, 1, sampling)[0].p_value,
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


# Which differences between two systems come from generated references alone.
# The same segments are scored twice: with the references that people made, and with all.


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


def comparing_origins(
    outputs: tuple[Output, Output],
    references: ScoringReferences,
    settings: MetricSettings,
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
