"""Two systems compared in every way at once, with any number of references; more systems one by one with the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import UsageError
from corpusdb.formats.documents import Document
from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import Job, Progress, finished, told_if
from corpusdb.metrics.encoding import References
from corpusdb.metrics.metric import SegmentReferences
from corpusdb.metrics.settings import Settings
from corpusdb.queries.comparison.corpus_likeness import Likeness, units_of_settings
from corpusdb.queries.comparison.ngram_differences import NgramDifferences, ngram_differences
from corpusdb.queries.comparison.reference_origins import OriginsComparison, comparing_origins
from corpusdb.queries.comparison.score_differences import (
    OthersScores,
    ScoreDifference,
    difference_of,
    difference_of_others,
)
from corpusdb.queries.comparison.segment_differences import Breakdown, PairScores, Tally, breakdown, by_segment
from corpusdb.queries.comparison.unit_accuracy import ClassAccuracy, accuracy_by_frequency
from corpusdb.queries.evaluation.scoring import MetricScores, Sampling, Significance, scoring
from corpusdb.queries.references.scoring_references import ScoringReferences

__all__ = ["DOCUMENT", "SECTIONS", "Asked", "PairComparison", "Section", "SegmentExample", "compare", "comparing"]

Section: TypeAlias = Literal["scores", "segments", "ngrams", "words", "buckets", "origins"]
SECTIONS: Final[tuple[Section, ...]] = ("scores", "segments", "ngrams", "words", "buckets", "origins")
"""The parts of a comparison, in the order in which they are shown."""

DOCUMENT: Final = "document"
"""What the breakdown by documents is by."""
_LENGTHS: Final[Mapping[str, tuple[int, ...]]] = {"word": (10, 20, 30, 40, 50, 60), "char": (20, 40, 60, 80, 100, 150)}
"""Where classes of length begin; those in words are compare-mt's."""
_MANY_DRAWN: Final = 100_000
"""Segments in all samples from which on comparing takes so long that it is told of."""
_COUNTS: Final = (1, 2, 3, 4, 5, 10, 20)
"""Where classes of numbers of references begin."""
_LONGEST: Final[Mapping[str, int]] = {"word": 4, "char": 8}
"""The n-grams that are compared, unless the metric counts shorter ones only."""
_FIFTHS: Final = ("less than 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 to 100 %", "all of them")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be compared, and how."""

    sections: tuple[Section, ...] = SECTIONS
    test: Significance = "bootstrap"
    sampling: Sampling = field(default_factory=Sampling)
    examples: int = 5
    """Segments that are shown for each system; 0 is all in which it is better."""
    ngrams: int = 10
    """N-grams that are shown for each system; 0 is all."""
    lengths: tuple[int, ...] = ()
    """Where classes of length begin; by default at 10, 20 ... words or 20, 40 ... characters."""
    documents: tuple[Document, ...] = ()
    """Which segments make a document, all of them."""
    least_document: int = 5
    """Segments of a document that is shown to people: a difference in one or two is that of these, not of a kind of
    text. The comparison has all documents."""
    likeness: Likeness | None = None
    """Of the references to the corpus."""
    frequencies: Mapping[str, int] | None = None
    """How often units occur in the corpus; None: classes are those of their frequency in the references."""
    others: tuple[OthersScores, ...] = ()


@dataclass(frozen=True, slots=True)
class SegmentExample:
    """One segment of two systems."""

    segment: int
    """From 1."""
    a: float
    b: float
    difference: float
    """a - b."""
    source: str
    output_a: str
    output_b: str
    references: tuple[str, ...]
    labels: tuple[str, ...]
    """Of each reference, where it comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two systems; what was not asked for is empty or None."""

    a: str
    b: str
    segments: int
    metric: str
    """By which segments and buckets are compared, with its smoothing for single segments."""
    scores: tuple[ScoreDifference, ...]
    tally: Tally
    better_a: tuple[SegmentExample, ...]
    """The segments in which the first is better, most first."""
    better_b: tuple[SegmentExample, ...]
    ngrams: NgramDifferences | None
    words_by: str
    """Where the frequency of a unit is its own."""
    words: tuple[ClassAccuracy, ...]
    buckets: tuple[Breakdown, ...]
    origins: OriginsComparison | None


def compare(
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[Settings],
    asked: Asked,
    scores: Sequence[MetricScores] | None = None,
) -> list[PairComparison]:
    """The first output with each of the others, as ``comparing`` finds it."""
    return finished(comparing(outputs, references, settings, asked, scores))


def comparing(
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[Settings],
    asked: Asked,
    scores: Sequence[MetricScores] | None = None,
    processes: int = 1,
) -> Job[list[PairComparison]]:
    """Compare the first output with each of the others by the metrics of these settings, segments by the first of them.

    ``scores`` are those of all outputs by all of these metrics, where they are known. Slow metrics are computed in as
    many processes. Raises UsageError for fewer than two systems or two of one name, and as score_systems.
    """
    names = [output.system for output in outputs]
    if len(names) < 2:
        raise UsageError("two systems are compared, and one is given")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is given twice")
    if scores is None:
        scores = yield from scoring(outputs, references, settings, processes)
    units = units_of_settings(settings)
    cut = SegmentReferences(references.texts).cut(units)
    pairs = _Comparing(references, tuple(scores), units, cut, asked, processes)
    is_long = len(references.sets) * asked.sampling.samples >= _MANY_DRAWN
    found = []
    for other, output in enumerate(outputs[1:], 1):
        found.append((yield from told_if(is_long, pairs.pair(outputs[0], output, other))))
    return found


@dataclass(frozen=True, slots=True)
class _Comparing:
    """What is the same for every pair."""

    references: ScoringReferences
    scores: tuple[MetricScores, ...]
    """Of all systems."""
    units: Settings
    cut: References
    asked: Asked
    processes: int

    def pair(self, a: Output, b: Output, other: int) -> Job[PairComparison]:
        """The first system and the one of the number ``other``."""
        asked, pair = self.asked, (a, b)
        scores = [
            replace(each, systems=(a.system, b.system), statistics=each.statistics[[0, other]]) for each in self.scores
        ]
        segments = by_segment(scores[0])
        better_a, better_b = (tuple(self._examples(pair, segments, first=first)) for first in (True, False))
        stage, steps = f"comparing {a.system} with {b.system}", len(scores) + 1
        differences: list[ScoreDifference] = []
        for done, each in enumerate(scores):
            yield Progress(stage, done, steps)
            differences += self._difference(each)
        yield Progress(stage, steps - 1, steps)
        origins = yield from self._origins(pair, scores[0].settings)
        return PairComparison(
            a=a.system,
            b=b.system,
            segments=len(self.references.sets),
            metric=_label(segments),
            scores=(*differences, *self._differences_of_others(a, b)),
            tally=segments.tally(),
            better_a=better_a,
            better_b=better_b,
            ngrams=self._ngrams(pair),
            words_by="the references" if asked.frequencies is None else "the corpus",
            words=tuple(self._words(pair)),
            buckets=tuple(self._breakdowns(segments)),
            origins=origins,
        )

    def _ngrams(self, pair: tuple[Output, Output]) -> NgramDifferences | None:
        if "ngrams" not in self.asked.sections:
            return None
        most = _LONGEST[self.units.unit]
        longest = min(self.units.order or most, most)
        return ngram_differences(pair[0].texts, pair[1].texts, self.cut, longest, limit=self.asked.ngrams)

    def _words(self, pair: tuple[Output, Output]) -> list[ClassAccuracy]:
        if "words" not in self.asked.sections:
            return []
        texts = pair[0].texts, pair[1].texts
        return accuracy_by_frequency(texts, self.references.texts, self.cut.tokenise, self.asked.frequencies)

    def _origins(self, pair: tuple[Output, Output], settings: Settings) -> Job[OriginsComparison | None]:
        if "origins" not in self.asked.sections or not self.references.attributed:
            return None
        asked = self.asked
        return (
            yield from comparing_origins(pair, self.references, settings, asked.test, asked.sampling, self.processes)
        )

    def _difference(self, scores: MetricScores) -> list[ScoreDifference]:
        if "scores" not in self.asked.sections:
            return []
        return [difference_of(scores, self.asked.test, self.asked.sampling)]

    def _differences_of_others(self, a: Output, b: Output) -> Iterator[ScoreDifference]:
        for other in self.asked.others if "scores" in self.asked.sections else ():
            yield from difference_of_others(other, a.system, b.system, self.asked.test, self.asked.sampling)

    def _examples(self, pair: tuple[Output, Output], scores: PairScores, *, first: bool) -> Iterator[SegmentExample]:
        """The segments in which the first, or the second, system is better."""
        if "segments" not in self.asked.sections:
            return
        for number in scores.leading(self.asked.examples, first=first):
            own, other = scores.segments[:, number].tolist()
            found = self.references.sets[number]
            yield SegmentExample(
                segment=number + 1,
                a=own,
                b=other,
                difference=own - other,
                source=found.source,
                output_a=pair[0].texts[number],
                output_b=pair[1].texts[number],
                references=found.references,
                labels=self.references.labels[number],
            )

    def _breakdowns(self, pair: PairScores) -> Iterator[Breakdown]:
        """Those that tell segments apart: one whose segments all are alike would only repeat the score."""
        if "buckets" in self.asked.sections:
            yield from (each for each in self._all_breakdowns(pair) if len(each.buckets) > 1)

    def _all_breakdowns(self, pair: PairScores) -> Iterator[Breakdown]:
        asked, counts = self.asked, self.cut.counts
        lengths = np.add.reduceat(self.cut.sequences.lengths, self.cut.firsts[:-1]) / counts
        what = "characters" if self.units.unit == "char" else "words"
        by = f"length of the references in {what}, their mean"
        yield breakdown(by, pair, *_classes(lengths, asked.lengths or _LENGTHS[self.units.unit]))
        yield breakdown("number of references", pair, *_classes(counts, _COUNTS))
        if asked.likeness is not None:
            by = f"share of sequences of {asked.likeness.characters} characters of the references in the corpus"
            shares = asked.likeness.shares
            yield breakdown(by, pair, np.where(shares == 1, 5, np.minimum((shares * 5).astype(np.int64), 4)), _FIFTHS)
        if asked.documents:
            ordered = sorted(asked.documents, key=lambda document: document.first)
            labels = np.repeat(np.arange(len(ordered)), [document.segments for document in ordered])
            yield breakdown(DOCUMENT, pair, labels, [document.name for document in ordered])


def _classes(values: F64 | I64, bounds: Sequence[int]) -> tuple[I64, list[str]]:
    """The class of each value, and the names of the classes that begin at these bounds."""
    between = [f"{low}" if high == low + 1 else f"{low} to {high - 1}" for low, high in pairwise(bounds)]
    names = [f"less than {bounds[0]}", *between, f"{bounds[-1]} or more"]
    return np.searchsorted(bounds, values, side="right"), names


def _label(pair: PairScores) -> str:
    smoothing = pair.of_segments.settings.smoothing
    changed = pair.of_segments.settings != pair.measure.settings
    return f"{pair.measure.label}{f' smoothed by {smoothing}' if changed else ''}"
