"""Agreement of metrics with people, as one call asks for it: all variants, all parts of the test set, all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import UsageError
from corpusdb.formats.documents import Document
from corpusdb.formats.scores.human import HumanJudgements
from corpusdb.formats.scores.score_file import ExternalScores
from corpusdb.jobs import Job, Progress
from corpusdb.queries.agreement.breakdown import Part
from corpusdb.queries.agreement.comparison import MetricComparison, comparisons
from corpusdb.queries.agreement.figures import LEVELS, Figure, Level, Samples, figures
from corpusdb.queries.agreement.metric_scores import VariantScores, means_in_samples
from corpusdb.queries.evaluation.scoring import Sampling
from corpusdb.stats.system_agreement import outliers
from corpusdb.studies.reference_count import HumanScores

__all__ = [
    "WHOLE",
    "AgreementFigure",
    "AgreementReport",
    "Judged",
    "Level",
    "Question",
    "agreement",
    "chosen_pairs",
    "judged_systems",
]

WHOLE = "all"


@dataclass(frozen=True, slots=True)
class Judged:
    """Systems, what people said of them, and what the metrics say."""

    systems: tuple[str, ...]
    human: HumanScores
    scores: tuple[VariantScores, ...]
    segments: int
    """How many there are; 0 where only whole systems are scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be found out of them."""

    levels: Sequence[Level] = LEVELS
    documents: Sequence[Document] = ()
    parts: Sequence[Part] = ()
    """Parts of the test set to look at besides all of it."""
    without_outliers: bool = False
    """Whether to look at the systems without outliers, too."""
    compare: Sequence[str] | None = None
    """Metrics or variants to be compared with each other; empty for all, None for none."""
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A figure of a variant on a part of the test set."""

    part: str
    scores: VariantScores
    figure: Figure


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All figures, by part and variant, and the comparisons, which are on all segments and all systems."""

    figures: tuple[AgreementFigure, ...]
    comparisons: tuple[MetricComparison, ...]
    outliers: tuple[str, ...]
    """The systems that are left out where it says so."""
    human_is_fixed: bool
    """Whether the human scores are of systems only, and are the same in all samples."""


def agreement(judged: Judged, question: Question) -> Job[AgreementReport]:
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
    samples = Samples(question.sampling, judged.segments, question.documents)
    left_out = _outliers(judged)
    selections = list(_selections(judged, question, samples, left_out))
    steps, done = len(selections) * len(judged.scores), 0
    found: list[AgreementFigure] = []
    for selection in selections:
        for scores in judged.scores:
            yield Progress("measuring variants", done, steps)
            found.extend(selection.figures(scores, levels))
            done += 1
    compared: list[MetricComparison] = []
    of_pairs = comparisons(pairs, judged.human, levels, samples)
    for number in range(len(pairs)):
        yield Progress("comparing pairs of variants", number, len(pairs))
        compared += next(of_pairs)
    names = tuple(judged.systems[number] for number in left_out)
    return AgreementReport(tuple(found), tuple(compared), names, judged.human.segments is None)


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
    """Some systems on some segments."""

    name: str
    systems: I64
    segments: I64 | None
    """None for all."""
    human: HumanScores
    samples: Samples

    def figures(self, scores: VariantScores, levels: Sequence[Level]) -> Iterator[AgreementFigure]:
        part = scores.part(self.systems, self.segments)
        if part is None:
            reason = "the scores are of whole systems, and tell nothing of a part of the test set"
            yield AgreementFigure(self.name, scores, Figure("system", "pearson", None, 0, reason))
            return
        for figure in figures(part, self.human, levels, self.samples):
            yield AgreementFigure(self.name, scores, figure)


def _outliers(judged: Judged) -> list[int]:
    """The numbers of the systems that are outliers among those that people judged."""
    rated = np.flatnonzero(np.isfinite(judged.human.systems))
    found: list[int] = rated[outliers(judged.human.systems[rated])].tolist()
    return found


def _selections(judged: Judged, question: Question, samples: Samples, left_out: Sequence[int]) -> Iterator[_Selection]:
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
