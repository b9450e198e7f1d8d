"""Agreement of metrics with people, as one call asks for it: all variants, all parts, all pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from typing import Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError, UsageError
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
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.scoring.measures import statistics_of_systems
from corpusdb.scoring.metric import Measure, SegmentReferences
from corpusdb.scoring.metric_settings import NO_SMOOTHING, SENTENCE_SMOOTHING, MetricSettings, Smoothing
from corpusdb.scoring.metrics import metric_named, settings_for, with_chrf_options, with_ter_options
from corpusdb.scoring.queries.agreement_figures import (
    LEVELS,
    SOFT_ACCURACY,
    STATISTICS,
    AgreementStatistic,
    Level,
    Samples,
    TestSetPart,
    figures,
    level_name,
)
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.scoring_references import Drawn, LabelledReferences
from corpusdb.scoring.queries.variant_scores import ComputedScores, VariantScores, means_in_samples
from corpusdb.scoring.reference_count import HumanScores, drawn_orders, match_table
from corpusdb.scoring.unit_metrics import up_to_order

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
        one, other = (SegmentAgreement(each, ratings).by_segment[-1] for each in means)
        return "PERM-INPUTS", decisions_exchanged(one, other, trials=trials, seed=seed)


WHOLE = "all"


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
    compare: Sequence[str] | None = None
    """Metrics or variants to be compared with each other; empty for all, None for none."""
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    part: str
    scores: VariantScores
    figure: AgreementStatistic


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All figures, by part and variant, and the comparisons, which are on all segments and all systems."""

    figures: tuple[AgreementFigure, ...]
    comparisons: tuple[MetricComparison, ...]
    outliers: tuple[str, ...]
    """The systems that are left out where it says so."""
    human_is_fixed: bool
    """Whether the human scores of systems were given, not the means of their segments: the same in all samples."""


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
    compared: list[MetricComparison] = []
    of_pairs = comparisons(pairs, judged.human, levels, samples, question.statistics)
    for number in range(len(pairs)):
        yield Progress("comparing pairs of variants", number, len(pairs))
        compared += next(of_pairs)
    names = tuple(judged.systems[number] for number in left_out)
    return AgreementReport(tuple(found), tuple(compared), names, not judged.human.are_means)


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
            raise UsageError(f"there is no metric {name!r} to compare; there are {', '.join(x.name for x in scores)}")
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


# The variants of metrics that one call compares: by unit, order, tokenisation, number and origin of references.


_DRAWING: Final = "drawing references"
ALL_ORIGINS: Final = "all"
"""All that there are, together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantChoice:
    """What is to be compared: every combination of these that makes sense."""

    metrics: Sequence[str] = ("bleu",)
    units: Sequence[str] = ("word",)
    orders: Sequence[int | None] = (None,)
    """None is the usual one of the metric."""
    tokenisations: Sequence[str | None] = (None,)
    lowercase: bool = False
    smoothing: Smoothing = NO_SMOOTHING
    """Of BLEU of systems; sentences have SENTENCE_SMOOTHING unless another is given."""
    references: Sequence[int | None] = (None,)
    """How many of a segment; None is all."""
    origins: Sequence[Sequence[str]] = ()
    """Origins of references that are taken together, each used up before the next; empty for all of them at once."""
    draws: int = 10
    """How often references are drawn where not all are taken; figures are means over these."""
    seed: int = 1
    chrf: tuple[int, int, int] = (6, 0, 2)
    """Its orders of characters and of words, and its beta."""
    ter: tuple[bool, bool, bool, bool] = (False, False, False, False)
    """As ``with_ter_options`` takes them."""


def variant_settings(choice: VariantChoice) -> list[MetricSettings]:
    """The settings of all variants, each once. Raises UsageError for what is unknown."""
    found: dict[MetricSettings, None] = {}
    for metric, unit, order, tokenisation in product(choice.metrics, choice.units, choice.orders, choice.tokenisations):
        several = len(choice.units) > 1 and unit == "char"
        settings = settings_for(
            metric,
            unit=unit,
            order=order,
            tokenisation=None if several else tokenisation,  # which is meant for the words
            lowercase=choice.lowercase,
            smoothing=choice.smoothing,
        )
        settings = with_ter_options(with_chrf_options(settings, *choice.chrf), *choice.ter)
        found[settings] = None
    return list(found)


def sentence_settings(settings: MetricSettings) -> MetricSettings:
    """The settings for scores of segments, where BLEU of order 4 is 0 more often than not."""
    smoothed = settings.metric == "bleu" and settings.smoothing == NO_SMOOTHING
    return replace(settings, smoothing=SENTENCE_SMOOTHING) if smoothed else settings


def computing_scores(
    outputs: Sequence[Output], references: LabelledReferences, choice: VariantChoice, processes: int = 1
) -> Job[list[ComputedScores]]:
    """Score all outputs by each variant, by slow metrics in as many processes.

    Raises InputError where a segment has no reference of an origin, and UsageError for what is unknown and where a
    package is missing.
    """
    found = []
    settings = variant_settings(choice)
    orders = {_way(each): max(x.order or 1 for x in settings if _way(x) == _way(each)) for each in settings}
    combinations = [tuple(labels) for labels in choice.origins] or [(ALL_ORIGINS,)]
    for origins in combinations:
        labels = references.labels if origins == (ALL_ORIGINS,) else origins
        source = _Source(outputs, references, references.chosen(labels), choice, orders, processes)
        most = int(source.counts.max())
        for each in settings:
            for size in dict.fromkeys(most if size is None else min(size, most) for size in choice.references):
                parts = [_label(each, settings)]
                if len(combinations) > 1:
                    parts.append("+".join(origins))
                if list(choice.references) != [None]:
                    parts.append(f"{size} ref{'' if size == 1 else 's'}" + (" = all" if size == most else ""))
                found.append((yield from source.scores(each, " ".join(parts), size if size < most else None)))
    return found


def _label(settings: MetricSettings, others: Sequence[MetricSettings]) -> str:
    label = metric_named(settings.metric).label(settings)
    usual = settings.tokenisation in (None, "char", "13a")
    alike = [each for each in others if metric_named(each.metric).label(each) == label]
    return label if usual and len(alike) == 1 else f"{label} {str(settings.tokenisation).partition('=')[0]}"


Way: TypeAlias = tuple[str, str | None]
"""The metric, and how texts are cut for it: the statistics of BLEU up to an order hold those of the lower ones."""


def _way(settings: MetricSettings) -> Way:
    return settings.metric, settings.tokenisation


@dataclass(frozen=True)
class _Source:
    """What the variants with references of the same origins share."""

    outputs: Sequence[Output]
    references: LabelledReferences
    chosen: Bools
    choice: VariantChoice
    orders: Mapping[Way, int]
    """The highest order that is asked for."""
    processes: int = 1
    counted: dict[tuple[Way, int | None], F64] = field(default_factory=dict)
    """Statistics of BLEU of the highest order, by the number of references."""

    def __post_init__(self) -> None:
        if not self.counts.all():
            raise InputError("the segment has no reference of these origins", line=int(np.argmin(self.counts)) + 1)

    @cached_property
    def counts(self) -> I64:
        return self.references.counts(self.chosen)

    def scores(self, settings: MetricSettings, name: str, size: int | None) -> Job[ComputedScores]:
        """With ``size`` references of each segment, drawn at random, or all of them."""
        measure = self._measure(settings)
        for_sentences = sentence_settings(settings)
        drawn = None if size is None else Drawn(size, self.choice.draws, self.choice.seed)
        return ComputedScores(
            metric=settings.metric,
            name=name,
            signature=self.references.signature(settings, self.chosen, drawn),
            segment_signature=self.references.signature(for_sentences, self.chosen, drawn),
            measure=measure,
            sentence_measure=replace(measure, settings=for_sentences).of_segments,
            statistics=(yield from self._statistics(settings, size)),
        )

    def _statistics(self, settings: MetricSettings, size: int | None) -> Job[F64]:
        """Shape (draws, systems, segments, columns)."""
        if settings.metric != "bleu":
            return (yield from self._counted(self._measure(settings), size))
        way = _way(settings)
        if (way, size) not in self.counted:
            measure = self._measure(replace(settings, order=self.orders[way]))
            self.counted[way, size] = yield from self._counted(measure, size)
        statistics: F64 = up_to_order(self.counted[way, size], settings.order or 1)
        return statistics

    def _counted(self, measure: Measure, size: int | None) -> Job[F64]:
        if size is None:
            return (yield from self._all(measure))[np.newaxis]
        return (yield from self._drawn(measure, size))

    def _measure(self, settings: MetricSettings, chosen: Bools | None = None) -> Measure:
        texts = self._texts if chosen is None else self._subset(chosen)
        return metric_named(settings.metric).measure(settings, texts)

    @cached_property
    def _texts(self) -> SegmentReferences:
        return self.references.texts if self.chosen.all() else self._subset(self.chosen)

    def _subset(self, chosen: Bools) -> SegmentReferences:
        return SegmentReferences([each.references for each in self.references.subset(chosen)])

    def _all(self, measure: Measure) -> Job[F64]:
        texts = [output.texts for output in self.outputs]
        statistics = yield from statistics_of_systems(measure, texts, self.processes)
        return statistics.astype(np.float64)

    def _drawn(self, measure: Measure, size: int) -> Job[F64]:
        """Statistics with references drawn at random for each segment: shape (draws, systems, segments, columns)."""
        settings = measure.settings
        cut = self.references.texts.cut(settings if settings.metric == "bleu" else settings_for("bleu"))
        priorities = np.where(self.chosen, self.references.origins, -1)
        rng = np.random.default_rng(self.choice.seed)
        orders = [drawn_orders(cut, priorities, rng) for _ in range(self.choice.draws)]
        if settings.metric == "bleu":
            tables = [match_table(cut.encode(output.texts), cut, settings.order or 1) for output in self.outputs]
            drawn = []
            for number, each in enumerate(orders):
                yield Progress(_DRAWING, number, len(orders))
                drawn.append([table.statistics(each, [size])[0] for table in tables])
            return np.array(drawn, dtype=np.float64)
        if measure.metric.weighs_all_references:
            passes = []
            for each in orders:
                passes.append((yield from self._all(self._measure(settings, self._first(each, size)))))
            return np.stack(passes)
        return (yield from self._of_distinct_draws(settings, np.stack(orders)[:, :, :size]))

    def _of_distinct_draws(self, settings: MetricSettings, orders: I64) -> Job[F64]:
        """The same for orders of shape (draws, segments, size), from as few passes over the texts as there are
        different choices of the references of one segment."""
        choices = np.sort(orders, axis=2)
        numbers = np.stack(
            [np.unique(each, axis=0, return_inverse=True)[1].ravel() for each in np.moveaxis(choices, 1, 0)]
        )
        passes = []
        for number in range(int(numbers.max()) + 1):
            draw = np.argmax(numbers == number, axis=1)  # the first, for a segment with fewer choices
            chosen = np.take_along_axis(orders, draw[np.newaxis, :, np.newaxis], axis=0)[0]
            passes.append((yield from self._all(self._measure(settings, self._first(chosen, orders.shape[2])))))
        every = np.stack(passes)
        segments = np.arange(every.shape[2])
        return np.stack([np.moveaxis(every[row, :, segments], 0, 1) for row in numbers.T])

    def _first(self, orders: I64, size: int) -> Bools:
        """Which references are the first ``size`` of their segment in this order."""
        firsts = np.searchsorted(self.references.segments, np.arange(len(orders)))
        chosen = np.zeros(len(self.chosen), dtype=np.bool_)
        chosen[(firsts[:, np.newaxis] + orders[:, :size]).ravel()] = True
        return chosen
