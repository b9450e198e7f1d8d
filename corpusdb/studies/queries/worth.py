"""What references that were made add to the agreement of metrics with people, and what a second human one adds.

Every choice of references, by where they come from, their validity and their number, is compared with the one human
reference on the same outputs: as Owczarzak et al. (2006, section 4) did for the scores of segments, and with the tests
of Deutsch, Dror and Roth (2021). A choice differs from the human reference in some segments only, so that each segment
is scored once with each different set of references that it has in any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.formats.records import ReferenceSet, digest
from corpusdb.corpus.formats.segments import Output, Reference, SegmentDocument
from corpusdb.scoring.measures import statistics_of_systems
from corpusdb.scoring.metric import Measure, SegmentReferences
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import metric_named
from corpusdb.scoring.queries.agreement import MetricComparison, comparisons
from corpusdb.scoring.queries.agreement_figures import LEVELS, Samples, figures
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.variant_scores import ComputedScores, sentence_settings
from corpusdb.scoring.reference_count import HumanScores
from corpusdb.scoring.substituted_measures import LatticeReferences, lattice_measures, with_texts

ALONE: Final = "one human"
SECOND: Final = "second human"
EQUIVALENTS: Final = "equivalents"
ALL_MADE: Final = "all made"


@dataclass(frozen=True, slots=True)
class MadeReferences:
    """References that were made, or those of a second person, under a name."""

    name: str
    references: Sequence[Sequence[Reference]]
    """Those of every segment, best first; the human one may be among them."""


@dataclass(frozen=True, slots=True)
class JudgedOutputs:
    outputs: Sequence[Output]
    ratings: HumanScores
    """Of the same systems, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthRequest:
    """How the references are scored and compared."""

    settings: Sequence[MetricSettings]
    lattices: LatticeReferences | None = None
    """The human references with what can be substituted in them, where that is to be compared, too."""
    validities: Sequence[float] = (0.5, 0.8, 0.9, 0.95)
    """The least ones of a curve, for what has any."""
    numbers: Sequence[int] = (1, 2, 5)
    """How many of a segment at most, of another."""
    sampling: Sampling = field(default_factory=Sampling)
    documents: Sequence[SegmentDocument] = ()
    processes: int = 1


@dataclass(frozen=True, slots=True)
class Gain:
    """What a choice of references adds to one figure of agreement."""

    metric: str
    level: str
    statistic: str
    references: str
    """The choice."""
    per_segment: float
    """References of a segment, on average, the human one and what can be substituted among them."""
    segments: int
    """Those that have more than the human one."""
    value: float | None
    """The agreement with all of them; None where it is not defined."""
    gain: float | None
    """That less the agreement with the human one alone."""
    interval: Interval | None
    """Of the gain, over segments."""
    document_interval: Interval | None
    """The same over documents, where these are given."""
    p: float | None
    """How probable such a gain is where the others add nothing: the permutation test."""
    of_second: float | None
    """The part that it is of what the second human reference adds; None without one, or where that adds nothing."""
    signature: str | None


@dataclass(frozen=True, slots=True)
class WorthReport:
    systems: tuple[str, ...]
    segments: int
    gains: tuple[Gain, ...]


class _Choice(NamedTuple):
    name: str
    sets: tuple[tuple[str, ...], ...]
    """The references of every segment, the human one first, each once."""
    lattices: LatticeReferences | None = None
    """The same with what can be substituted in them, if anything."""

    @property
    def counts(self) -> list[int]:
        """How many references and substitutions there are of each segment."""
        found = [len(texts) for texts in self.sets]
        if self.lattices is None:
            return found
        substituted = [sum(len(each.everything) for each in own) for own in self.lattices.texts]
        return [sum(pair) for pair in zip(found, substituted, strict=True)]


def worth_study(
    judged: JudgedOutputs, human: Sequence[str], made: Sequence[MadeReferences], asked: WorthRequest
) -> Job[WorthReport]:
    """Compare every choice of references with ``human``, the one reference of each segment.

    Raises UsageError where nothing was made, and InputError for references of another number of segments.
    """
    outputs, ratings, settings, processes = judged.outputs, judged.ratings, asked.settings, asked.processes
    for each in made:
        if len(each.references) != len(human):
            raise InputError(f"{each.name} has references of {len(each.references):,} segments, not of {len(human):,}")
    choices = list(_choices(human, made, asked))
    if len(choices) < 2:
        raise UsageError("there is nothing beside the human references: the others are the same")
    plain = [each for each in choices if each.lattices is None]
    levels = [level for level in LEVELS if level == "system" or ratings.segments is not None]
    samples = Samples(asked.sampling, len(human), asked.documents)
    found: list[Gain] = []
    for number, metric in enumerate(settings):
        alone, *others = yield from _scored(outputs, plain, metric, processes)
        for choice in choices[len(plain) :]:
            others.append((yield from _over_lattices(outputs, choice, metric, processes)))
        base = {(one.level, one.statistic): one.value for one in figures(alone, ratings, levels, samples)}
        compared = comparisons([(other, alone) for other in others], ratings, levels, samples)
        rows = []
        for place in range(len(others)):
            yield Progress("comparing references", number * len(others) + place, len(settings) * len(others))
            rows.append(next(compared))
        found += _gains(alone, choices, others, rows, base)
    return WorthReport(tuple(each.system for each in outputs), len(human), tuple(found))


def _choices(human: Sequence[str], made: Sequence[MadeReferences], asked: WorthRequest) -> Iterator[_Choice]:
    """The human references alone, then what is added to them; each different choice once, by its first name.

    What can be substituted in references comes last.
    """
    alone = _Choice(ALONE, tuple((text,) for text in human))
    seen = {alone.sets}
    yield alone
    for name, parts in _named(made, asked):
        choice = _Choice(name, tuple(tuple(dict.fromkeys(row)) for row in _joined(alone.sets, parts)))
        if choice.sets not in seen:
            seen.add(choice.sets)
            yield choice
    if asked.lattices is None:
        return
    if any(each.everything for own in asked.lattices.texts for each in own):
        yield _Choice(EQUIVALENTS, alone.sets, asked.lattices)
        if several := [each for each in made if each.name != SECOND]:
            sets = tuple(tuple(dict.fromkeys(row)) for row in _joined(alone.sets, map(_kept, several)))
            lattices = with_texts(asked.lattices, [row[1:] for row in sets])
            yield _Choice(f"{ALL_MADE} and {EQUIVALENTS}", sets, lattices)


_Part: TypeAlias = Sequence[Sequence[str]]


def _joined(first: _Part, others: Iterable[_Part]) -> Iterator[list[str]]:
    for rows in zip(first, *others, strict=True):
        yield [text for row in rows for text in row]


def _named(made: Sequence[MadeReferences], asked: WorthRequest) -> Iterator[tuple[str, list[_Part]]]:
    for each in made:
        yield each.name, [_kept(each)]
        if any(one.provenance.validity is not None for row in each.references for one in row):
            for least in sorted(asked.validities):
                yield f"{each.name}, V >= {least:g}", [_kept(each, least=least)]
        for number in sorted(asked.numbers):
            yield f"{each.name}, {number} at most", [_kept(each, most=number)]
    several = [each for each in made if each.name != SECOND]
    if len(several) > 1:
        yield ALL_MADE, [_kept(each) for each in several]
    if several and len(several) < len(made):
        yield f"{SECOND} and {ALL_MADE}", [_kept(each) for each in made]


def _kept(made: MadeReferences, least: float = 0.0, most: int | None = None) -> _Part:
    """The texts of a validity, or without any, the first of each segment; what people wrote there is left out."""
    rows = []
    for row in made.references:
        known = ((one.text, one.provenance.validity) for one in row if _is_made(made, one))
        rows.append([text for text, validity in known if validity is None or validity >= least][:most])
    return rows


def _is_made(made: MadeReferences, reference: Reference) -> bool:
    return made.name == SECOND or "original" not in reference.provenance.origin.split("+")


def _scored(
    outputs: Sequence[Output], choices: Sequence[_Choice], settings: MetricSettings, processes: int
) -> Job[list[ComputedScores]]:
    """The scores of the outputs with each choice, from statistics of each different set of a segment once."""
    metric = metric_named(settings.metric)
    if metric.weighs_all_references:  # and those of one segment change the statistics of all others
        found = []
        for each in choices:
            sets = list(enumerate(each.sets))
            statistics, measure = yield from _statistics(outputs, sets, settings, processes)
            found.append(_variant(each, measure, statistics))
        return found
    numbers: dict[tuple[int, tuple[str, ...]], int] = {}
    for each in choices:
        for place in enumerate(each.sets):
            numbers.setdefault(place, len(numbers))
    statistics, measure = yield from _statistics(outputs, list(numbers), settings, processes)
    return [
        _variant(each, measure, statistics[:, [numbers[place] for place in enumerate(each.sets)]]) for each in choices
    ]


def _statistics(
    outputs: Sequence[Output], sets: Sequence[tuple[int, tuple[str, ...]]], settings: MetricSettings, processes: int
) -> Job[tuple[F64, Measure]]:
    """Of segments with some references each, given by the number of the segment: shape (systems, sets, columns)."""
    measure = metric_named(settings.metric).measure(settings, SegmentReferences([texts for _, texts in sets]))
    texts = [[output.texts[number] for number, _ in sets] for output in outputs]
    statistics = yield from statistics_of_systems(measure, texts, processes)
    return statistics.astype(np.float64), measure


def _over_lattices(
    outputs: Sequence[Output], choice: _Choice, settings: MetricSettings, processes: int
) -> Job[ComputedScores]:
    """The scores of the outputs with references in which something can be replaced."""
    assert choice.lattices is not None
    measure = lattice_measures([settings], choice.lattices)[0]
    statistics = yield from statistics_of_systems(measure, [each.texts for each in outputs], processes)
    return _variant(choice, measure, statistics.astype(np.float64))


def _variant(choice: _Choice, measure: Measure, statistics: F64) -> ComputedScores:
    sets = tuple(ReferenceSet(str(number), "", texts) for number, texts in enumerate(choice.sets, 1))
    whole = replace(measure, counts=tuple(len(texts) for texts in choice.sets))
    sentences, named = replace(whole, settings=sentence_settings(measure.settings)), digest(sets)
    return ComputedScores(
        metric=measure.settings.metric,
        name=choice.name,
        signature=str(whole.signature(named)),
        segment_signature=str(sentences.signature(named)),
        measure=measure,
        sentence_measure=sentences.of_segments,
        statistics=statistics[np.newaxis],
    )


_Key: TypeAlias = tuple[str, str]
"""A level and a statistic."""


def _gains(
    alone: ComputedScores,
    choices: Sequence[_Choice],
    scores: Sequence[ComputedScores],
    compared: Sequence[Sequence[MetricComparison]],
    base: Mapping[_Key, float | None],
) -> Iterator[Gain]:
    """Of the human references alone, whose scores are ``alone``, and of each other choice."""
    second: dict[_Key, float] = {}
    for choice, rows in zip(choices[1:], compared, strict=True):
        if choice.name == SECOND:
            second = {(one.level, one.statistic): one.difference or 0.0 for one in rows}
    keys = [(one.level, one.statistic) for one in compared[0]]
    for key in keys:
        yield _gain(choices[0], alone, key, base[key])
    for choice, own, rows in zip(choices[1:], scores, compared, strict=True):
        for key, one in zip(keys, rows, strict=True):
            yield _gain(choice, own, key, base[key], one, second.get(key, 0.0))


def _gain(
    choice: _Choice,
    scores: ComputedScores,
    key: _Key,
    value: float | None,
    compared: MetricComparison | None = None,
    of_second: float = 0.0,
) -> Gain:
    level, statistic = key
    counts = choice.counts
    gain = None if compared is None else compared.difference
    resampled = None if compared is None else compared.resampled
    over_documents = None if compared is None else compared.over_documents
    permuted = None if compared is None else compared.permuted
    return Gain(
        metric=scores.measure.label,
        level=level,
        statistic=statistic,
        references=choice.name,
        per_segment=sum(counts) / len(counts),
        segments=sum(count > 1 for count in counts),
        value=None if value is None else value + (gain or 0.0),
        gain=gain,
        interval=None if resampled is None else resampled.interval,
        document_interval=None if over_documents is None else over_documents.interval,
        p=None if permuted is None else permuted.first_better,
        of_second=gain / of_second if gain is not None and of_second > 0 else None,
        signature=scores.signature if level == "system" else scores.segment_signature,
    )
