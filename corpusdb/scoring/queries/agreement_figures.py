"""The agreement of one metric with people, on a test set or parts of it: each figure with its intervals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import UsageError, there_are
from corpusdb.base.estimates import Interval, SystemComparison, counts_in_samples, percentile_interval
from corpusdb.base.segment_agreement import (
    LEAST_APART,
    RELATIVE_RANKS,
    SEGMENT_FIGURES,
    SEGMENT_STATISTICS,
    Grouping,
    SegmentAgreement,
)
from corpusdb.base.system_agreement import (
    SYSTEM_STATISTICS,
    pairwise_accuracy,
    soft_accuracy_in_samples,
    soft_pairwise_accuracy,
    told_apart,
    why_undefined,
)
from corpusdb.base.text import are_undelimited
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.homogeneity.scale import Coefficients
from corpusdb.scoring.metric import References
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.scoring import Chance, MetricScores, Sampling
from corpusdb.scoring.queries.scoring_references import LabelledReferences, ScoringReferences
from corpusdb.scoring.queries.variant_scores import VariantScores, means_in_samples
from corpusdb.scoring.reference_count import HumanScores
from corpusdb.scoring.unit_metrics import bleu_statistics

# The parts of a test set in which agreement is measured, and scores are computed, by themselves.


Breakdown: TypeAlias = Literal["document", "domain", "length", "references", "novelty", "coefficient"]
_CLASSES: Final = 4
_ORDER: Final = 4
"""Of the n-grams that are new."""


@dataclass(frozen=True, slots=True, eq=False)
class TestSetPart:
    name: str
    segments: I64
    """Their numbers, from 0, ascending."""


def named_statistics(names: Sequence[str]) -> list[str]:
    """The statistics of these names or short names; all are STATISTICS. Raises UsageError for one that there is not."""
    wanted = [SHORT_NAMES.get(each, each) for each in (name.casefold().replace("-", "_") for name in names)]
    known = (*STATISTICS, *_OF_WMT, *SHORT_NAMES, "all")
    for each in wanted or [""]:
        if each not in known:
            raise UsageError(f"there is no statistic {each!r}; {there_are(each, known)}")
    return [name for name in (*STATISTICS, *_OF_WMT) if name in wanted or (name in STATISTICS and "all" in wanted)]


def parts_by(
    breakdown: Breakdown,
    documents: Sequence[SegmentDocument],
    outputs: Sequence[Output] = (),
    references: LabelledReferences | None = None,
    coefficients: Coefficients | None = None,
) -> list[TestSetPart]:
    """The parts of all segments, each segment in one.

    Raises UsageError where it is not known what is needed: documents, their domains, outputs and references, or the
    coefficients of the segments.
    """
    if breakdown == "coefficient":
        return list(_by_coefficient(coefficients))
    if breakdown in ("document", "domain"):
        return list(_by_documents(breakdown, documents))
    if references is None or not outputs:
        raise UsageError(f"--by {breakdown} needs outputs of systems and their references")
    if breakdown == "references":
        return list(_by_number(references))
    unit = "char" if are_undelimited(text for each in references.sets for text in each.references) else "word"
    cut = references.texts.cut(settings_for("bleu", unit=unit))
    if breakdown == "length":
        sums = np.bincount(cut.segments, cut.sequences.lengths)
        return _classes("length", sums / cut.counts, f" {unit}s")
    return _classes("novelty", 100 * _novelty(outputs, cut), " %")


def _by_documents(breakdown: Breakdown, documents: Sequence[SegmentDocument]) -> Iterator[TestSetPart]:
    if not documents:
        raise UsageError(f"--by {breakdown} needs --documents FILE")
    members: dict[str, list[I64]] = {}
    for each in documents:
        if breakdown == "domain" and each.domain is None:
            raise UsageError(
                "--by domain needs a column domain in the file of the documents, filled in for all of them"
            )
        name = each.name if breakdown == "document" else each.domain or ""
        members.setdefault(name, []).append(np.arange(each.first, each.first + each.segments))
    for name, segments in members.items():
        yield TestSetPart(f"{breakdown} {name}", np.sort(np.concatenate(segments)))


def _by_coefficient(found: Coefficients | None) -> Iterator[TestSetPart]:
    """Four classes of about as many segments from the spoken end to the written one, and those without coefficient."""
    if found is None:
        raise UsageError("--by coefficient needs a profile of the language of the references")
    known, unknown = np.flatnonzero(~found.undefined), np.flatnonzero(found.undefined)
    if len(known):
        yield from (
            TestSetPart(each.name, known[each.segments]) for each in _classes("I", found.values[known], decimals=2)
        )
    if len(unknown):
        yield TestSetPart("I undefined", unknown)


def _by_number(references: LabelledReferences) -> Iterator[TestSetPart]:
    counts = references.counts(np.ones(len(references.origins), dtype=np.bool_))
    for count in np.unique(counts).tolist():
        yield TestSetPart(f"{count} reference{'' if count == 1 else 's'}", np.flatnonzero(counts == count))


def _novelty(outputs: Sequence[Output], references: References) -> F64:
    """The share of n-grams of 1 to 4 units that no reference of the segment matches, as BLEU counts matches: the mean
    over the systems, of each segment; an empty output has none."""
    shares = []
    for output in outputs:
        statistics = bleu_statistics(references.encode(output.texts), references, _ORDER)
        matched, every = statistics[:, :_ORDER].sum(axis=1), statistics[:, _ORDER : 2 * _ORDER].sum(axis=1)
        shares.append(np.divide(every - matched, every, out=np.zeros(len(every)), where=every > 0))
    mean: F64 = np.mean(shares, axis=0)
    return mean


def _classes(name: str, values: F64, unit: str = "", decimals: int = 0) -> list[TestSetPart]:
    """Four classes of about as many segments, those with equal values in one."""
    bounds = np.unique(np.quantile(values, np.arange(1, _CLASSES) / _CLASSES))
    numbers = np.searchsorted(bounds, values, side="right")
    found = []
    for number in np.unique(numbers).tolist():
        segments = np.flatnonzero(numbers == number)
        least, most = values[segments].min(), values[segments].max()
        found.append(TestSetPart(f"{name} {least:.{decimals}f}-{most:.{decimals}f}{unit}", segments))
    names = [part.name for part in found]
    if len(set(names)) == len(names):
        return found
    return [TestSetPart(f"{part.name} ({number})", part.segments) for number, part in enumerate(found, 1)]


# Scores of the parts of a test set: by coefficient, length, number of references or novelty.


ALL = "all"
"""What the whole test set is called beside its parts."""


@dataclass(frozen=True, slots=True)
class PartScore:
    part: str
    segments: int
    score: float
    interval: Interval
    """By bootstrap over the segments of the part."""
    comparison: SystemComparison | None = None
    """With the baseline on the part, where that was asked for."""


def parts_of(
    breakdown: Breakdown,
    outputs: Sequence[Output],
    references: ScoringReferences,
    coefficients: Coefficients | None = None,
    documents: Sequence[SegmentDocument] = (),
) -> list[TestSetPart]:
    """All segments together, then the parts. Raises UsageError as parts_by does."""
    labelled = LabelledReferences.as_one(references, references.origin)
    return [
        TestSetPart(ALL, np.arange(len(references.sets))),
        *parts_by(breakdown, documents, outputs, labelled, coefficients=coefficients),
    ]


def part_scores(scores: MetricScores, parts: Sequence[TestSetPart], chance: Chance) -> list[list[PartScore]]:
    """Of each system the scores of the parts, tested on each part by itself."""
    found: list[list[PartScore]] = [[] for _ in scores.systems]
    for part in parts:
        own = replace(scores, statistics=scores.statistics[:, part.segments])
        tested = own.comparisons(chance.test, chance.baseline, chance.sampling) if chance.test else None
        for at, interval in enumerate(own.intervals(chance.sampling)):
            compared = None if tested is None or at == chance.baseline else tested[at]
            found[at].append(PartScore(part.name, len(part.segments), float(own.scores[at]), interval, compared))
    return found


# The agreement of one variant of a metric with people: each figure with its intervals, or why it has none.


Level: TypeAlias = Literal["system", "segment"]
LEVELS: Final[tuple[Level, ...]] = ("system", "segment")
Key: TypeAlias = tuple[str, str]
"""The level as level_name has it, and the statistic."""


@dataclass(frozen=True, eq=False)
class AgreementStatistic:
    """One statistic at one level; the mean over the draws of references."""

    level: str
    statistic: str
    value: float | None
    n: int
    """How many systems, or outputs of systems, have both scores."""
    reason: str | None = None
    interval: Interval | None = None
    """Over samples of the segments."""
    document_interval: Interval | None = None
    """Over samples of the documents."""
    epsilon: float | None = None
    """The largest difference of two scores that counts as a tie, where ties are calibrated."""
    sampled: F64 = field(default_factory=lambda: np.zeros((1, 0)), repr=False)
    """The values with each draw of references in each sample of the segments: shape (draws, samples); NaN where it is
    not defined."""
    sampled_documents: F64 = field(default_factory=lambda: np.zeros((1, 0)), repr=False)
    """The same in each sample of the documents."""

    @property
    def is_of_segments(self) -> bool:
        """Whether it is made of the metric's scores of segments, which may be smoothed."""
        return self.level != "system" or self.statistic == SOFT_ACCURACY


PAIRWISE_ACCURACY: Final = "pairwise_accuracy"
SHORT_NAMES: Final = {
    "pa": PAIRWISE_ACCURACY,
    "spa": "soft_pairwise_accuracy",
    "soft_pairwise": "soft_pairwise_accuracy",
}
SOFT_ACCURACY: Final = "soft_pairwise_accuracy"
STATISTICS: Final = (*SYSTEM_STATISTICS, SOFT_ACCURACY, "acc_eq")
"""Those that are wanted if none is named."""
_OF_WMT: Final = tuple(name for name in SEGMENT_STATISTICS if name not in STATISTICS)
_NO_SEGMENTS: Final = "the metric has no scores of segments"
_NOT_APART: Final = (
    f"people put no two outputs of a segment {LEAST_APART:g} points apart; their scores are to be those from 0 to 100,"
    " such as --human-column raw"
)
_MOST_KEPT: Final = 1 << 24
"""Numbers that are drawn once for all variants; of more, they are drawn again for each."""


@dataclass(frozen=True)
class Samples:
    """Samples of segments, and of documents where these are known; the same for all variants."""

    sampling: Sampling
    segments: int
    documents: Sequence[SegmentDocument] = ()

    def of_segments(self) -> Iterable[F64]:
        """How often each segment is in each sample: portions of shape (samples, segments)."""
        return self._kept if self.segments * self.sampling.samples <= _MOST_KEPT else self._drawn()

    @cached_property
    def _kept(self) -> list[F64]:
        return list(self._drawn())

    def _drawn(self) -> Iterator[F64]:
        drawn: Iterator[F64] = iter(())
        if self.segments:
            drawn = counts_in_samples(self.segments, self.sampling.samples, seed=self.sampling.seed)
        return drawn

    def of_documents(self) -> Iterator[F64]:
        """The same where whole documents are drawn; nothing where there are fewer than two."""
        if len(self.documents) < 2:
            return
        owner = np.zeros(self.segments, dtype=np.int64)
        for number, each in enumerate(self.documents):
            owner[each.first : each.first + each.segments] = number
        for counts in counts_in_samples(len(self.documents), self.sampling.samples, seed=self.sampling.seed):
            yield counts[:, owner]


def level_name(grouping: Grouping) -> str:
    """The level of segments over all is "segment", the others say how they are grouped."""
    return "segment" if grouping == "over all" else f"segment {grouping}"


def figures(
    scores: VariantScores,
    human: HumanScores,
    levels: Sequence[Level],
    samples: Samples,
    wanted: Collection[str] = STATISTICS,
) -> Iterator[AgreementStatistic]:
    """All figures of one variant that are wanted; ``human`` has the same systems in the same order."""
    if "system" in levels:
        yield from _of_systems(scores, human, samples, wanted)
    if "segment" in levels and not set(wanted).isdisjoint(SEGMENT_STATISTICS):
        yield from (each for each in _of_segments(scores, human, samples) if each.statistic in wanted)


def accuracy_of_told_apart(
    scores: VariantScores, human: HumanScores, samples: Samples, limit: float
) -> AgreementStatistic:
    """The pairwise accuracy over the pairs of systems that people tell apart with a p below ``limit`` (Kocmi et al.
    2021); n is their number."""
    (found,) = _of_systems(scores, human, samples, (PAIRWISE_ACCURACY,), limit)
    return found


Values: TypeAlias = Mapping[Key, F64]
"""Shape (draws, samples)."""
InSamples: TypeAlias = Callable[[F64], Values | None]


def _of_systems(
    scores: VariantScores, human: HumanScores, samples: Samples, wanted: Collection[str], limit: float | None = None
) -> Iterator[AgreementStatistic]:
    statistics = {name: statistic for name, statistic in SYSTEM_STATISTICS.items() if name in wanted}
    drawn = scores.systems
    rated = np.flatnonzero(np.isfinite(human.systems) & np.isfinite(drawn).all(axis=0))
    part = scores.part(rated)
    people, ratings = human.systems[rated], None if human.segments is None else human.segments[rated]
    part = None if part is None else part.judged(HumanScores(people, ratings))
    ours = drawn[:, rated] if part is None else part.systems
    n = len(rated)
    if limit is not None and ratings is not None:
        chosen = told_apart(people, ratings, limit)
        statistics, n = {PAIRWISE_ACCURACY: partial(pairwise_accuracy, chosen=chosen)}, int(chosen.sum())
    # Scores of systems that are given, and are of other segments than those at hand, cannot be drawn from these.
    drawn_from = ratings if human.are_means else None

    def in_samples(counts: F64) -> Values | None:
        values = None if part is None else part.in_samples(counts)
        if values is None:
            return None
        said = people[:, np.newaxis] if drawn_from is None else means_in_samples(drawn_from, counts)
        unknown = np.isnan(said).any(axis=0) | np.isnan(values).any(axis=1)
        return {
            ("system", name): np.where(unknown, np.nan, np.stack([statistic(each, said) for each in values]))
            for name, statistic in statistics.items()
        }

    sampled = _Sampled.of(in_samples, samples)
    reason = "people tell no two systems apart" if not n else None
    reason = next(filter(None, (why_undefined(row, people) for row in ours)), reason)
    for name, statistic in statistics.items():
        found = [float(statistic(row[:, np.newaxis], people[:, np.newaxis])[0]) for row in ours]
        yield sampled.figure(("system", name), found, n, reason)
    if ratings is not None and SOFT_ACCURACY in wanted:
        yield _soft_accuracy(part, ratings, samples)


def _soft_accuracy(scores: VariantScores | None, ratings: F64, samples: Samples) -> AgreementStatistic:
    key, sampling = ("system", SOFT_ACCURACY), samples.sampling
    of_segments = None if scores is None else scores.segments
    if of_segments is None:
        return AgreementStatistic(*key, None, len(ratings), _NO_SEGMENTS)
    drawn = soft_pairwise_accuracy(of_segments, ratings, trials=sampling.samples, seed=sampling.seed)
    sampled = _Sampled.of(lambda counts: {key: soft_accuracy_in_samples(of_segments, ratings, counts)}, samples)
    sampled = replace(
        sampled, by_segment=_about(drawn, sampled.by_segment), by_document=_about(drawn, sampled.by_document)
    )
    return sampled.figure(key, drawn.tolist(), len(ratings), "no two systems have both scores of the same segment")


def _about(drawn: F64, sampled: Values) -> Values:
    """Values in samples moved so that their means are those of the test set: a sample differs from it by chance as it
    does from the language, which moves the two p-values of a pair apart once more."""
    moved = {}
    for key, values in sampled.items():
        means = np.nan_to_num(values).sum(axis=1) / np.maximum(np.isfinite(values).sum(axis=1), 1)
        moved[key] = np.minimum(values + (drawn - means)[:, np.newaxis], 1.0)
    return moved


def _of_segments(scores: VariantScores, human: HumanScores, samples: Samples) -> Iterator[AgreementStatistic]:
    drawn = scores.segments
    if drawn is None or human.segments is None:
        missing = _NO_SEGMENTS if drawn is None else "there are no human scores of segments"
        for grouping, name in SEGMENT_FIGURES:
            yield AgreementStatistic(level_name(grouping), name, None, 0, missing)
        return
    ratings = human.segments
    each_draw = [SegmentAgreement(each, ratings) for each in drawn]

    def in_samples(counts: F64) -> Values:
        values = [each.values(counts) for each in each_draw]
        return {
            (level_name(grouping), name): np.stack([each[grouping, name] for each in values])
            for grouping, name in values[0]
        }

    sampled = _Sampled.of(in_samples, samples)
    whole, first = [each.values() for each in each_draw], each_draw[0]
    reason = why_undefined(first.scores[first.rated], ratings[first.rated], "outputs")
    for grouping, name in SEGMENT_FIGURES:
        found = [float(each[grouping, name][0]) for each in whole]
        told = reason or (_NOT_APART if name == RELATIVE_RANKS else f"it is defined for no group of outputs {grouping}")
        figure = sampled.figure((level_name(grouping), name), found, first.items, told)
        if name == "acc_eq" and figure.value is not None:
            figure = replace(figure, epsilon=float(np.mean([each.epsilon(grouping) for each in each_draw])))
        yield figure


@dataclass(frozen=True)
class _Sampled:
    """The values of all statistics in the samples of segments, and in those of documents."""

    by_segment: Values
    by_document: Values
    confidence: float

    @classmethod
    def of(cls, in_samples: InSamples, samples: Samples) -> _Sampled:
        by_segment, by_document = (
            _gathered(in_samples, each) for each in (samples.of_segments(), samples.of_documents())
        )
        return cls(by_segment, by_document, samples.sampling.confidence)

    def figure(self, key: Key, drawn: Sequence[float], n: int, reason: str | None) -> AgreementStatistic:
        """From the values with each draw of the references; ``reason`` is told where one of these is not defined."""
        if not np.isfinite(drawn).all():
            return AgreementStatistic(*key, None, n, reason)
        sampled, documents = (each.get(key, np.zeros((1, 0))) for each in (self.by_segment, self.by_document))
        return AgreementStatistic(
            *key,
            value=float(np.mean(drawn)),
            n=n,
            interval=self._interval(sampled),
            document_interval=self._interval(documents),
            sampled=sampled,
            sampled_documents=documents,
        )

    def _interval(self, values: F64) -> Interval | None:
        """Without the samples in which it is not defined; None where these are more than half."""
        defined = values[np.isfinite(values)]
        return percentile_interval(defined, self.confidence) if 2 * defined.size > values.size else None


def _gathered(in_samples: InSamples, portions: Iterable[F64]) -> Values:
    found: dict[Key, list[F64]] = {}
    for counts in portions:
        for key, values in (in_samples(counts) or {}).items():
            found.setdefault(key, []).append(values)
    return {key: np.concatenate(parts, axis=1) for key, parts in found.items()}
