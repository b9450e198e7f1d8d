"""Agreement of metrics with people, as one call asks for it: all variants, all parts, all pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError, there_are
from corpusdb.base.estimates import Interval
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.segment_agreement import SEGMENT_STATISTICS, SegmentAgreement
from corpusdb.base.system_agreement import (
    SYSTEM_STATISTICS,
    PairedSamples,
    Superiority,
    decisions_exchanged,
    outliers,
    paired_samples,
    segments_exchanged,
    soft_accuracies_exchanged,
    systems_exchanged,
)
from corpusdb.corpus.formats.score_file import ExternalScores
from corpusdb.corpus.formats.scoring_input import HumanJudgements
from corpusdb.corpus.formats.segments import SegmentDocument
from corpusdb.scoring.queries.agreement_figures import (
    LEVELS,
    PAIRWISE_ACCURACY,
    SOFT_ACCURACY,
    STATISTICS,
    AgreementStatistic,
    Level,
    Samples,
    TestSetPart,
    accuracy_of_told_apart,
    figures,
    level_name,
)
from corpusdb.scoring.queries.scoring import Frames, Sampling, frame_of
from corpusdb.scoring.queries.variant_scores import VariantScores, means_in_samples
from corpusdb.scoring.reference_count import HumanScores

_ITEMS: Final = level_name("within segments")
NULL_HYPOTHESES: Final[Mapping[str, str]] = {
    "PERM-BOTH": "the two metrics agree with people equally well, so that any two of their scores of the same output, "
    "standardised, could as well change places",
    "PERM-SYSTEMS": "the two metrics agree with people equally well, so that any two of their scores of the same "
    "system, standardised, could as well change places",
    "PERM-INPUTS": "the two metrics agree with people equally well, so that what they decide within any segment could "
    "as well change places",
    "paired bootstrap": "the first metric agrees with people no better than the second, whatever the segments",
}


RowValue: TypeAlias = str | int | float | None


def bounds(interval: Interval | None) -> dict[str, float | None]:
    return {"low": None, "high": None} if interval is None else {"low": interval.low, "high": interval.high}


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric against another by one statistic, on the systems and segments that both have scores of."""

    first: str
    second: str
    level: str
    statistic: str
    difference: float | None
    """Of the agreements, that of the first less that of the second."""
    n: int
    reason: str | None
    test: str | None
    """One of NULL_HYPOTHESES."""
    permuted: Superiority | None
    resampled: PairedSamples | None
    over_documents: PairedSamples | None = None
    """The same where whole documents are drawn; None where none are known."""

    def row(self) -> dict[str, RowValue]:
        found: dict[str, RowValue] = {
            "metric": self.first,
            "against": self.second,
            "level": self.level,
            "statistic": self.statistic,
            "value": self.difference,
            **bounds(self.resampled.interval if self.resampled else None),
            "n": self.n,
            "test": self.test,
        }
        for tested, ending in ((self.permuted, ""), (self.resampled, "_bootstrap")):
            if tested is not None:
                found |= {f"p_better{ending}": tested.first_better, f"p_worse{ending}": tested.second_better}
        return found | ({"reason": self.reason} if self.reason else {})


def comparisons(
    pairs: Sequence[Sequence[VariantScores]],
    human: HumanScores,
    levels: Sequence[Level],
    samples: Samples,
    wanted: Collection[str] = STATISTICS,
) -> Iterator[list[MetricComparison]]:
    """Each pair of variants by each statistic that has a test: those of systems; of segments Pearson over all, and
    the accuracy within segments."""
    cached: dict[_Key, Sequence[AgreementStatistic]] = {}
    for first, second in pairs:
        known = [np.isfinite(each.systems).all(axis=0) for each in (first, second)]
        common = np.flatnonzero(np.isfinite(human.systems) & known[0] & known[1])
        people = HumanScores(human.systems[common], None if human.segments is None else human.segments[common])
        found = []
        for each in (first, second):
            key = each.name, tuple(common.tolist())
            if key not in cached:
                part = each.part(common)
                cached[key] = [] if part is None else list(figures(part, people, levels, samples, wanted))
            found.append(cached[key])
        parts = [(each.part(common) or each).judged(people) for each in (first, second)]
        pair = _Pair(parts[0], parts[1], people, samples.sampling)
        yield [
            pair.compared(one, other)
            for one, other in zip(*found, strict=True)
            if one.level == "system" or (one.level, one.statistic) in (("segment", "pearson"), (_ITEMS, "acc_eq"))
        ]


_Key: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class _Pair:
    first: VariantScores
    second: VariantScores
    human: HumanScores
    sampling: Sampling

    def compared(self, one: AgreementStatistic, other: AgreementStatistic) -> MetricComparison:
        undefined = [
            f"{scores.name}: {figure.reason}"
            for scores, figure in ((self.first, one), (self.second, other))
            if figure.value is None
        ]
        is_defined = one.value is not None and other.value is not None
        test, permuted = self._permuted(one) if is_defined else (None, None)
        return MetricComparison(
            first=self.first.name,
            second=self.second.name,
            level=one.level,
            statistic=one.statistic,
            difference=None if one.value is None or other.value is None else one.value - other.value,
            n=min(one.n, other.n),
            reason="; ".join(undefined) or None,
            test=test,
            permuted=permuted,
            resampled=self._resampled(one.sampled, other.sampled) if is_defined else None,
            over_documents=self._resampled(one.sampled_documents, other.sampled_documents) if is_defined else None,
        )

    def _resampled(self, one: F64, other: F64) -> PairedSamples | None:
        """By the mean over the draws of references in each sample; scores of whole systems have no samples."""
        means = one.mean(axis=0), other.mean(axis=0)
        return paired_samples(*means, self.sampling.confidence) if means[0].size and means[1].size else None

    def _permuted(self, figure: AgreementStatistic) -> tuple[str, Superiority | None]:
        """The test that a statistic has, and what it found."""
        trials, seed = self.sampling.samples, self.sampling.seed
        if figure.level == "system" and figure.statistic in SYSTEM_STATISTICS:
            statistic = SYSTEM_STATISTICS[figure.statistic]
            parts = [each.contributions for each in (self.first, self.second)]
            known = [each for each in parts if each is not None]
            if len(known) < len(parts):
                known = [each.systems.mean(axis=0)[:, np.newaxis] for each in (self.first, self.second)]
            found = systems_exchanged(np.stack(known), self.human.systems, statistic, trials=trials, seed=seed)
            return "PERM-BOTH" if all(each is not None for each in parts) else "PERM-SYSTEMS", found
        ratings = np.zeros((0, 0)) if self.human.segments is None else self.human.segments
        means = [each.segments.mean(axis=0) for each in (self.first, self.second) if each.segments is not None]
        if figure.statistic == SOFT_ACCURACY:
            return "PERM-BOTH", soft_accuracies_exchanged(np.stack(means), ratings, trials=trials, seed=seed)
        if figure.statistic == "pearson":
            return "PERM-BOTH", segments_exchanged(np.stack(means), ratings, trials=trials, seed=seed)
        at = SEGMENT_STATISTICS.index("acc_eq")
        one, other = (SegmentAgreement(each, ratings).by_segment[at] for each in means)
        return "PERM-INPUTS", decisions_exchanged(one, other, trials=trials, seed=seed)


WHOLE = "all"
APART: Final = "people p < "
"""What the part is called where only pairs of systems count that people tell apart, before the limit."""


@dataclass(frozen=True, slots=True)
class JudgedSystems:
    systems: tuple[str, ...]
    human: HumanScores
    scores: tuple[VariantScores, ...]
    segments: int
    """How many there are; 0 where only whole systems are scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    levels: Sequence[Level] = LEVELS
    documents: Sequence[SegmentDocument] = ()
    parts: Sequence[TestSetPart] = ()
    """Parts of the test set to look at besides all of it."""
    without_outliers: bool = False
    """Whether to look at the systems without outliers, too."""
    statistics: Collection[str] = STATISTICS
    human_p: Sequence[float] = ()
    """Pairwise accuracy also over the pairs of systems that people tell apart with a p below each of these."""
    compare: Sequence[str] | None = None
    """Metrics or variants to be compared with each other; empty for all, None for none."""
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    part: str
    scores: VariantScores
    figure: AgreementStatistic
    sets: int | None = None
    """Of how many test sets it is, where pairs of several are pooled; n are then these pairs."""

    @property
    def signature(self) -> str | None:
        return self.scores.segment_signature if self.figure.is_of_segments else self.scores.signature

    def asides(self) -> dict[str, RowValue]:
        """What only some figures have."""
        known = {"sets": self.sets, "epsilon": self.figure.epsilon, "reason": self.figure.reason}
        return {name: value for name, value in known.items() if value is not None}

    def row(self) -> dict[str, RowValue]:
        figure = self.figure
        found: dict[str, RowValue] = {
            "part": self.part,
            "metric": self.scores.name,
            "level": figure.level,
            "statistic": figure.statistic,
            "value": figure.value,
            **bounds(figure.interval),
            "n": figure.n,
        }
        if figure.document_interval is not None:
            found |= {f"document_{end}": value for end, value in bounds(figure.document_interval).items()}
        return found | self.asides() | {"signature": self.signature}


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All figures, by part and variant, and the comparisons, which are on all segments and all systems."""

    figures: tuple[AgreementFigure, ...]
    comparisons: tuple[MetricComparison, ...]
    outliers: tuple[str, ...]
    """The systems that are left out where it says so."""
    human_is_fixed: bool
    """Whether the human scores of systems were given, not the means of their segments: the same in all samples."""

    def ordered(self) -> list[AgreementFigure]:
        """By part, then by statistic, then by variant: what is compared stands together."""
        parts = list(dict.fromkeys(each.part for each in self.figures))
        statistics = list(dict.fromkeys((each.figure.level, each.figure.statistic) for each in self.figures))
        return sorted(
            self.figures,
            key=lambda each: (parts.index(each.part), statistics.index((each.figure.level, each.figure.statistic))),
        )

    def rows(self) -> list[dict[str, RowValue]]:
        """A row for each figure, in this order, then one for each comparison."""
        ranks = ranks_of(self)
        figures = [
            each.row() | ({"rank": ranks[key]} if (key := rank_key(each)) in ranks else {}) for each in self.ordered()
        ]
        return [*figures, *(each.row() for each in self.comparisons)]

    def frame(self, library: Frames = "pandas") -> Any:
        """The rows as a DataFrame. Raises UsageError where the library is not installed."""
        return frame_of(self.rows(), library)


def agreement(judged: JudgedSystems, question: Question) -> Job[AgreementReport]:
    """Measure agreement; a step of the job is a variant on a part.

    Segments are left out where people scored whole systems. Raises UsageError where nothing else is asked for, and for
    a variant to be compared that there is not.
    """
    pairs = chosen_pairs(judged.scores, question.compare)
    levels = [level for level in question.levels if level == "system" or judged.human.segments is not None]
    if not levels:
        raise UsageError(
            "metrics or people scored whole systems only: there is no agreement of segments to be measured"
        )
    known = {"system": (*SYSTEM_STATISTICS, SOFT_ACCURACY), "segment": SEGMENT_STATISTICS}
    if not any(name in known[level] for level in levels for name in question.statistics):
        raise UsageError(f"there is no {' or '.join(question.statistics)} of {levels[0]}s")
    if question.human_p and ("system" not in levels or PAIRWISE_ACCURACY not in question.statistics):
        raise UsageError(f"pairs that people tell apart are of {PAIRWISE_ACCURACY} of systems, which is left out")
    if question.human_p and judged.human.segments is None:
        raise UsageError("whether people tell systems apart is not known: they scored whole systems only")
    samples = Samples(question.sampling, judged.segments, question.documents)
    rated = np.flatnonzero(np.isfinite(judged.human.systems))
    left_out: list[int] = rated[outliers(judged.human.systems[rated])].tolist()
    selections = list(_selections(judged, question, samples, left_out))
    steps, done = len(selections) * len(judged.scores), 0
    found: list[AgreementFigure] = []
    for selection in selections:
        for scores in judged.scores:
            yield Progress("measuring variants", done, steps)
            found.extend(selection.figures(scores, levels, question.statistics))
            done += 1
    for limit, scores in product(question.human_p, judged.scores):
        figure = accuracy_of_told_apart(scores, judged.human, samples, limit)
        found.append(AgreementFigure(f"{APART}{limit:g}", scores, figure))
    compared: list[MetricComparison] = []
    of_pairs = comparisons(pairs, judged.human, levels, samples, question.statistics)
    for number in range(len(pairs)):
        yield Progress("comparing pairs of variants", number, len(pairs))
        compared += next(of_pairs)
    names = tuple(judged.systems[number] for number in left_out)
    return AgreementReport(tuple(found), tuple(compared), names, not judged.human.are_means)


POOLED: Final = "pooled"


def pooled(report: AgreementReport, others: Sequence[Sequence[Mapping[str, Any]]]) -> AgreementReport:
    """With the accuracy over the pairs of systems of this and other test sets together (Kocmi et al. 2021), of each
    metric that all have, by its name. ``others`` are the rows of reports as JSON has them.

    Raises InputError where there is no such metric.
    """
    known = [
        {
            row["name"]: (row["value"] * _pairs(row["n"]), _pairs(row["n"]))
            for row in rows
            if row["statistic"] == PAIRWISE_ACCURACY and "against" not in row and row["value"] is not None
            if row.get("part", WHOLE) == WHOLE
        }
        for rows in others
    ]
    found: list[AgreementFigure] = []
    for each in report.figures:
        figure, name = each.figure, each.scores.name
        is_whole = each.part == WHOLE and figure.statistic == PAIRWISE_ACCURACY
        if is_whole and figure.value is not None and all(name in of_set for of_set in known):
            pairs = _pairs(figure.n) + sum(of_set[name][1] for of_set in known)
            right = figure.value * _pairs(figure.n) + sum(of_set[name][0] for of_set in known)
            of_all = AgreementStatistic("system", PAIRWISE_ACCURACY, right / pairs, pairs)
            found.append(AgreementFigure(POOLED, each.scores, of_all, 1 + len(known)))
    if not found:
        raise InputError(f"nothing can be pooled: no metric has {PAIRWISE_ACCURACY} in all {1 + len(known)} test sets")
    return replace(report, figures=(*report.figures, *found))


def _pairs(systems: int) -> int:
    return systems * (systems - 1) // 2


RankKey: TypeAlias = tuple[str, str, str]


def rank_key(each: AgreementFigure) -> RankKey:
    """What a rank is of: the level, with the part where it is not all, the statistic, and the metric."""
    whole = "" if each.part == WHOLE else each.part
    return each.figure.level + whole, each.figure.statistic, each.scores.name


def ranks_of(report: AgreementReport) -> dict[RankKey, int]:
    """For each metric its rank by each statistic by which all are compared, as mt-metrics-eval has it.

    The metrics of a rank are those than which no better one of the rank is better with p < .05; none of a rank before
    is either. Equal ones are of one rank, whatever tests there are for their scores.
    """
    better = {
        (each.level, each.statistic, first, second): p
        for each in report.comparisons
        if each.permuted
        for first, second, p in (
            (each.first, each.second, each.permuted.first_better),
            (each.second, each.first, each.permuted.second_better),
        )
    }
    ranks: dict[RankKey, int] = {}
    for level, statistic in dict.fromkeys(key[:2] for key in better):
        of_whole = [each for each in report.figures if each.part == WHOLE and each.figure.value is not None]
        chosen = [each for each in of_whole if (each.figure.level, each.figure.statistic) == (level, statistic)]
        ordered = sorted(chosen, key=lambda each: -(each.figure.value or 0))
        if any((level, statistic, one.scores.name, x.scores.name) not in better for one, x in combinations(ordered, 2)):
            continue
        rank, of_rank = 1, list[str]()
        for names in _equal(ordered):
            if any(better[level, statistic, each, name] < 0.05 for each in of_rank for name in names):
                rank, of_rank = rank + 1, []
            of_rank += names
            ranks |= {(level, statistic, name): rank for name in names}
    return ranks


_ROUNDING: Final = 1e-9
_SHOWN: Final = 5e-4  # half of the last decimal that is shown
_ROUNDED: Final = 0.01
"""Standard deviations by which scores of one system differ at most where a file has them with fewer decimals."""


def _equal(ordered: Sequence[AgreementFigure]) -> list[list[str]]:
    """The names of the metrics, those together that agree with people equally well, or are one, but for rounding."""
    found: list[list[str]] = []
    for at, each in enumerate(ordered):
        if at and _are_equal(ordered[at - 1], each):
            found[-1].append(each.scores.name)
        else:
            found.append([each.scores.name])
    return found


def _are_equal(one: AgreementFigure, other: AgreementFigure) -> bool:
    difference = abs((one.figure.value or 0) - (other.figure.value or 0))
    if not _ROUNDING < difference < _SHOWN:
        return difference <= _ROUNDING
    ours, theirs = (each.scores.systems.mean(axis=0) for each in (one, other))
    known = np.isfinite(ours) & np.isfinite(theirs)
    ours, theirs = (each[known] - each[known].mean() for each in (ours, theirs))
    return bool(np.abs(ours / (ours.std() or 1) - theirs / (theirs.std() or 1)).max(initial=0) < _ROUNDED)


def chosen_pairs(
    scores: Sequence[VariantScores], names: Sequence[str] | None
) -> list[tuple[VariantScores, VariantScores]]:
    """The pairs of variants with these names, or of these metrics; all where no name is given.

    Raises UsageError for a name that none has, and where there are fewer than two.
    """
    if names is None:
        return []
    chosen: dict[int, VariantScores] = {}
    for name in names or [each.name for each in scores]:
        found = [each for each in scores if each.name == name] or [
            each for each in scores if name.casefold() in (each.metric.casefold(), each.name.casefold())
        ]
        if not found:
            raise UsageError(f"there is no metric {name!r} to compare; {there_are(name, (x.name for x in scores))}")
        chosen |= {id(each): each for each in found}
    if len(chosen) < 2:
        raise UsageError(f"two metrics are needed to be compared; there is {next(iter(chosen.values())).name}")
    return list(combinations(chosen.values(), 2))


def judged_systems(files: Sequence[ExternalScores], human: HumanJudgements) -> tuple[str, ...]:
    """The systems of which others have scores and people too, in the order of the files."""
    return tuple(dict.fromkeys(name for each in files for name in each.scores if name in human.systems))


@dataclass(frozen=True)
class _Selection:
    name: str
    systems: I64
    segments: I64 | None
    """None for all."""
    human: HumanScores
    samples: Samples

    def figures(
        self, scores: VariantScores, levels: Sequence[Level], wanted: Collection[str]
    ) -> Iterator[AgreementFigure]:
        part = scores.part(self.systems, self.segments)
        if part is None:
            reason = "the scores are of whole systems, and tell nothing of a part of the test set"
            yield AgreementFigure(self.name, scores, AgreementStatistic("system", next(iter(wanted)), None, 0, reason))
            return
        for figure in figures(part, self.human, levels, self.samples, wanted):
            yield AgreementFigure(self.name, scores, figure)


def _selections(
    judged: JudgedSystems, question: Question, samples: Samples, left_out: Sequence[int]
) -> Iterator[_Selection]:
    every = np.arange(len(judged.systems))
    yield _Selection(WHOLE, every, None, judged.human, samples)
    if question.without_outliers and left_out:
        kept = np.setdiff1d(every, left_out)
        yield _Selection("without outliers", kept, None, _people(judged.human, kept, None), samples)
    for part in question.parts:
        few = Samples(question.sampling, len(part.segments), ())
        yield _Selection(part.name, every, part.segments, _people(judged.human, every, part.segments), few)


def _people(human: HumanScores, systems: I64, segments: I64 | None) -> HumanScores:
    """What people said of some systems; of some segments the mean, where they said something of segments."""
    if human.segments is None:
        return HumanScores(human.systems[systems], None)
    if segments is None:
        return HumanScores(human.systems[systems], human.segments[systems])
    chosen = human.segments[systems][:, segments]
    return HumanScores(means_in_samples(chosen, np.ones((1, len(segments))))[:, 0], chosen)
