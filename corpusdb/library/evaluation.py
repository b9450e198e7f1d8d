"""Scores of systems, their comparison, and their agreement with people, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, Unpack

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished, usable_cores

if TYPE_CHECKING:
    from corpusdb.base.arrays import F64
    from corpusdb.corpus.formats.score_file import ExternalScores
    from corpusdb.corpus.formats.scoring_input import HumanJudgements
    from corpusdb.corpus.formats.segments import Output
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.agreement import AgreementReport, Question
    from corpusdb.scoring.queries.agreement_figures import Breakdown, Level
    from corpusdb.scoring.queries.attributed import AttributedSet
    from corpusdb.scoring.queries.comparison import PairComparison, Section
    from corpusdb.scoring.queries.scoring import MetricScores, Significance
    from corpusdb.scoring.queries.scoring_references import LabelledReferences, ScoringReferences

Systems: TypeAlias = Mapping[str, Sequence[str]]
"""The hypotheses of each system by its name."""
References: TypeAlias = "Sequence[Sequence[str] | AttributedSet]"
"""For each segment its references, or the set that ``Corpus.references`` makes."""
Metrics: TypeAlias = "Sequence[str | MetricSettings]"
Figures: TypeAlias = Mapping[str, float | Sequence[float | None]]
"""By systems: the score of each as a whole, or those of its segments, None where there is none."""


class MetricAsked(TypedDict, total=False):
    """How ``metric`` is to be computed, named as the options of `corpusdb score`; what a metric does not know is
    refused."""

    unit: Literal["word", "char"]
    """What BLEU and NIST count n-grams of."""
    order: int
    """Of their longest n-grams."""
    tokenise: str
    """13a if not given; intl, none, zh, ja-sudachi, ja-mecab, char ..."""
    lowercase: bool
    """Of every metric; TER ignores case anyway, but with ``ter_case_sensitive``."""
    smoothing: str
    """Of BLEU: none if not given; exp is sacrebleu's, for segments, too, floor=0.2, add-k=1."""
    chrf_char_order: int
    chrf_word_order: int
    chrf_beta: int
    ter_case_sensitive: bool
    ter_normalized: bool
    ter_no_punct: bool
    ter_asian_support: bool


class CompareAsked(TypedDict, total=False):
    """What ``compare`` may be asked besides."""

    sections: Sequence[Section]
    """Only these: scores, segments, ngrams, words, buckets, histograms, origins."""
    test: Significance
    samples: int
    """Of the intervals, and trials of the test; 1,000 and 10,000 if not given."""
    seed: int
    examples: int
    """So many segments for each system; 0 is all."""
    ngrams: int
    lengths: Sequence[int]
    """Where classes of length begin."""


class AgreementAsked(TypedDict, total=False):
    """What ``agreement`` may be asked besides."""

    scores: Mapping[str, Figures] | Sequence[Path | str]
    """Those of other metrics, such as COMET, by their names; or files of them, as `agreement --scores` takes."""
    levels: Sequence[Level]
    statistics: Sequence[str]
    compare: Sequence[str]
    """Metrics to be tested against each other; ("all",) for all."""
    by: Breakdown
    """Parts of the test set to look at, too: length, references or novelty."""
    without_outliers: bool
    samples: int
    seed: int
    confidence: float


def check_lists(**given: Sequence[object]) -> None:
    """Raise UsageError for one text in place of a list of texts: as a list it would be its letters, and no error."""
    for name, value in given.items():
        if isinstance(value, str | bytes | Path):
            raise UsageError(f"{name} must be a list, and is the text {str(value)!r}")


def metric(name: str, **asked: Unpack[MetricAsked]) -> MetricSettings:
    """A metric with its settings, for ``score``, ``compare`` and ``agreement``: what `corpusdb score` has options for.

    Raises UsageError for a metric that there is not, and for settings that it does not have.

    >>> sacrebleu = corpusdb.metric("bleu", smoothing="exp", tokenise="intl", lowercase=True)
    >>> [bleu, chrf] = corpusdb.score({"one": ["A bus!"]}, [["a bus."]], [sacrebleu, corpusdb.metric("chrf++")])
    >>> bleu.signature.split("|refs:")[0]
    'metric:bleu|order:4|unit:word|case:lc|tok:intl|smooth:exp'
    >>> round(float(bleu.segments[0, 0]), 2), chrf.label
    (55.03, 'chrF2++')
    """
    from corpusdb.scoring.metrics import (
        OF_METRICS,
        metric_named,
        parse_smoothing,
        settings_for,
        with_chrf_options,
        with_ter_options,
    )

    _check_asked(asked, MetricAsked, "metric")
    metric_named(name)
    for settings, those in OF_METRICS.items():
        if name not in those and (idle := [each for each in settings if each in asked]):
            raise UsageError(f"{idle[0]} is of {', '.join(those)}, not of {name}")
    made = settings_for(
        name,
        unit=asked.get("unit", "word"),
        order=asked.get("order"),
        tokenisation=asked.get("tokenise"),
        lowercase=asked.get("lowercase", False),
        smoothing=parse_smoothing(asked.get("smoothing", "none")),
    )
    chrf = asked.get("chrf_char_order", 6), asked.get("chrf_word_order", 0), asked.get("chrf_beta", 2)
    ter = (asked.get(f"ter_{each}", False) for each in ("case_sensitive", "normalized", "no_punct", "asian_support"))
    return with_ter_options(with_chrf_options(made, *chrf), *map(bool, ter))


def score(
    systems: Systems, references: References, metrics: Metrics = ("bleu",), *, sources: Sequence[str] = ()
) -> list[MetricScores]:
    """The scores of each system by each metric: one hypothesis and any number of references for each segment.

    References stand by segments, unlike in sacrebleu: with one of each they are ``[[text] for text in lines]``, and
    files of lines become ``list(zip(first, second))``. A metric is a name, or what ``metric`` makes
    of it and its settings; BLEU is not smoothed, of segments neither, unless they say so: ``metric("bleu",
    smoothing="exp")`` is sacrebleu's. The digest in the signatures is that of the references.

    Raises InputError where the numbers of segments differ, and UsageError for a metric that there is not, and for one
    text where a list of texts is meant.

    >>> [bleu] = corpusdb.score({"one": ["Where is the bus stop?"]}, [["Where's the bus stop?", "Where is the bus?"]])
    >>> round(bleu["one"], 2)
    90.36
    >>> bleu.signature.split("|set:")[0]
    'metric:bleu|order:4|unit:word|case:mixed|tok:13a|smooth:none|refs:2'

    ``intervals`` of what is returned has that of each system by bootstrap, and ``rows(intervals=True)`` beside each
    score.

    >>> [chrf] = corpusdb.score({"one": ["A bus.", "No bus!", "Stop."]}, [["A bus."], ["No buses!"], ["Go."]], ["chrf"])
    >>> [row] = chrf.rows(intervals=True)
    >>> row["low"] < row["score"] < row["high"]
    True
    """
    from corpusdb.scoring.queries.scoring import score_systems

    given = _references(references, sources)
    return score_systems(_outputs(systems), given, _settings(metrics))


def compare(
    systems: Systems,
    references: References,
    metrics: Metrics = ("bleu",),
    *,
    sources: Sequence[str] = (),
    **asked: Unpack[CompareAsked],
) -> list[PairComparison]:
    """The first system against each other one, as `corpusdb compare`: scores with intervals and p, segments, n-grams,
    words, lengths. The ``rows()`` of a pair are its scores, and ``frame()`` makes a DataFrame of them.

    Raises as ``score`` does, and UsageError for fewer than two systems.

    >>> systems = {"one": ["Where is the bus stop?"] * 9, "two": ["The bus stop?", "Where is it?", "No."] * 3}
    >>> [pair] = corpusdb.compare(systems, [["Where is the bus stop?"]] * 9, ["chrf"], sections=["scores", "ngrams"])
    >>> [row] = pair.rows()
    >>> row["a"], row["b"], round(row["difference"], 1), row["low"] < row["difference"] < row["high"], row["p"] < 0.01
    ('one', 'two', 69.9, True, True)
    >>> pair.ngrams.for_a[0].units
    ('Where', 'is', 'the', 'bus')
    """
    from corpusdb.scoring.queries.comparison import SECTIONS, ComparisonRequest, comparing
    from corpusdb.scoring.queries.scoring import DEFAULT_TEST, Sampling, scoring

    _check_asked(asked, CompareAsked, "compare")
    outputs, given = _outputs(systems), _references(references, sources)
    request = ComparisonRequest(
        sections=tuple(asked.get("sections", SECTIONS)),
        test=asked.get("test", DEFAULT_TEST),
        sampling=Sampling.given(asked.get("samples"), asked.get("seed", Sampling().seed)),
        examples=asked.get("examples", 3),
        ngrams=asked.get("ngrams", 10),
        lengths=tuple(sorted(set(asked.get("lengths", ())))),
    )
    scores = finished(scoring(outputs, given, _settings(metrics), usable_cores()))
    return finished(comparing(outputs, given, scores, request, usable_cores()))


def agreement(
    systems: Systems,
    references: References,
    human: Figures | Path | str,
    metrics: Metrics = ("bleu",),
    **asked: Unpack[AgreementAsked],
) -> AgreementReport:
    r"""How far scores agree with those of people, as `corpusdb agreement`: by systems and by segments, with intervals.

    ``human`` are the scores of people by systems, of these as wholes or of their segments, or a file of them; those of
    systems that are not scored are left out. The ``rows()`` of the answer are a figure each, then the compared
    metrics; ``frame()`` makes a DataFrame of them. Raises as ``score`` does, and InputError for scores of none of the
    systems, or of another number of segments.

    >>> systems = {"a": ["It rains.", "He sleeps."], "b": ["It rain.", "He sleeps."], "c": ["Rain.", "Sleeps he."]}
    >>> people = {"a": [0.9, 0.8], "b": [0.5, 0.9], "c": [0.1, None]}
    >>> found = corpusdb.agreement(systems, [["It rains."], ["He sleeps."]], people, ["chrf", "ter"], samples=20)
    >>> [(row["metric"], round(row["value"], 2)) for row in found.rows() if row["statistic"] == "pairwise_accuracy"]
    [('chrF2', 1.0), ('TER', 1.0)]
    """
    from corpusdb.scoring.queries.agreement import JudgedSystems
    from corpusdb.scoring.queries.agreement import agreement as measured
    from corpusdb.scoring.queries.imported_scores import human_ratings
    from corpusdb.scoring.queries.scoring_references import LabelledReferences
    from corpusdb.scoring.queries.variant_scores import VariantChoice, computing_scores, given_scores

    _check_asked(asked, AgreementAsked, "agreement")
    outputs, given = _outputs(systems), _references(references)
    segments, names = len(given.sets), tuple(systems)
    ratings = human_ratings(_people(human, segments), names, segments)
    labelled = LabelledReferences.of(given)
    choice = VariantChoice(metrics=_settings(metrics))
    computed = finished(computing_scores(outputs, labelled, choice, usable_cores()))
    others = given_scores(_others(asked.get("scores", ()), segments), names, segments, [x.name for x in computed])
    question = _question(asked, outputs, labelled)
    return finished(measured(JudgedSystems(names, ratings, (*computed, *others), segments), question))


# What is given, as the operations take it.


def _outputs(systems: Systems) -> list[Output]:
    from corpusdb.corpus.formats.segments import Output

    if not isinstance(systems, Mapping):
        raise UsageError("systems are a dict: the hypotheses of each by its name")
    check_lists(**{f"the output of {name}": texts for name, texts in systems.items()})
    return [Output(name, Path(name), tuple(texts)) for name, texts in systems.items()]


def _references(references: References, sources: Sequence[str] = ()) -> ScoringReferences:
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.scoring.queries.attributed import AttributedSet
    from corpusdb.scoring.queries.scoring_references import ScoringReferences

    check_lists(references=references, sources=sources)
    if sources and len(sources) != len(references):
        raise InputError(f"{len(sources):,} sources for the references of {len(references):,} segments")
    sets: list[ReferenceSet] = []
    for number, each in enumerate(references, 1):
        if isinstance(each, str):
            raise UsageError(
                f"the references of segment {number:,} are a text, and must be a list of texts; with one for each"
                " segment they are [[text] for text in references]"
            )
        if isinstance(each, AttributedSet):
            sets.append(each.plain(number))
        else:
            sets.append(ReferenceSet(str(number), sources[number - 1] if sources else "", tuple(each)))
    labels = tuple(tuple("" for _ in each.references) for each in sets)
    # Only the corpus tells where each reference comes from: its sets are signed as the command signs them.
    origin: Literal["corpus", "files"] = "corpus" if all(each.provenance for each in sets) else "files"
    return ScoringReferences(tuple(sets), labels, origin, {})


def _settings(metrics: Metrics) -> list[MetricSettings]:
    from corpusdb.scoring.metric_settings import MetricSettings

    check_lists(metrics=metrics)
    for each in metrics:
        if not isinstance(each, str | MetricSettings):
            raise UsageError(f"a metric is its name, or what corpusdb.metric makes, and not {each!r}")
    return [metric(each) if isinstance(each, str) else each for each in metrics]


def _check_asked(asked: Mapping[str, object], kind: type[object], name: str) -> None:
    """Raise TypeError, as Python does, for an argument that there is not."""
    for each in asked:
        if each not in kind.__annotations__:
            raise TypeError(f"{name}() got an unexpected keyword argument {each!r}")


def _question(asked: AgreementAsked, outputs: Sequence[Output], references: LabelledReferences) -> Question:
    from corpusdb.scoring.queries.agreement import Question
    from corpusdb.scoring.queries.agreement_figures import LEVELS, named_statistics, parts_by
    from corpusdb.scoring.queries.scoring import Sampling

    compared, by = asked.get("compare"), asked.get("by")
    check_lists(compare=compared or (), statistics=asked.get("statistics", ()), levels=asked.get("levels", ()))
    return Question(
        levels=asked.get("levels", LEVELS),
        statistics=named_statistics(asked.get("statistics", ("all",))),
        parts=parts_by(by, (), outputs, references) if by else (),
        without_outliers=asked.get("without_outliers", False),
        compare=[] if compared and list(compared) == ["all"] else compared,
        sampling=Sampling(asked.get("samples", 1000), asked.get("seed", 1), asked.get("confidence", 0.95)),
    )


def _people(given: Figures | Path | str, segments: int) -> HumanJudgements:
    from statistics import fmean

    from corpusdb.corpus.formats.scoring_input import HumanJudgements, read_human_scores

    if isinstance(given, str | Path):
        return read_human_scores(Path(given), None, segments, leaves_out=True)
    levels = {each.level: each.scores for each in _by_level("human", given, segments)}
    by_segment = {
        system: {at: value for at, value in enumerate(values.tolist()) if isfinite(value)}
        for system, values in levels.get("segment", {}).items()
    }
    means = {system: fmean(values.values()) for system, values in by_segment.items() if values}
    return HumanJudgements(means | {name: float(one[0]) for name, one in levels.get("system", {}).items()}, by_segment)


def _others(given: Mapping[str, Figures] | Sequence[Path | str], segments: int) -> list[ExternalScores]:
    from corpusdb.corpus.formats.scoring_input import ScoreReading, read_score_file

    check_lists(scores=given if isinstance(given, str | Path) else ())
    if isinstance(given, Mapping):
        return [each for name, figures in given.items() for each in _by_level(name, figures, segments)]
    return [each for path in given for each in read_score_file(Path(path), ScoreReading()).scores(segments)]


def _by_level(name: str, figures: Figures, segments: int) -> Iterator[ExternalScores]:
    """The scores of one metric, or of people: those of segments, then those of whole systems."""
    import numpy as np

    from corpusdb.corpus.formats.score_file import ExternalScores

    wholes: dict[str, F64] = {}
    rows: dict[str, F64] = {}
    for system, values in figures.items():
        if isinstance(values, Iterable):
            rows[system] = np.array([nan if each is None else float(each) for each in values])
            if len(rows[system]) != segments:
                raise InputError(f"{name} has scores of {len(rows[system]):,} segments of {system}, not {segments:,}")
        else:
            wholes[system] = np.array([float(values)])
    if rows:
        yield ExternalScores(name, "segment", rows, Path(name), dict.fromkeys(rows, 1))
    if wholes:
        yield ExternalScores(name, "system", wholes, Path(name), dict.fromkeys(wholes, 1))
