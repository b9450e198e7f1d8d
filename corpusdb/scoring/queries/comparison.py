"""Two systems compared in every way at once, also from the database, and how much the corpus has of their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import floor, log10
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.jobs import Job, Progress, with_progress_if
from corpusdb.base.text import are_undelimited, normalise
from corpusdb.base.tokenisation import Tokenise, tokeniser
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries.models import shared_ngrams
from corpusdb.scoring.metric import References, SegmentReferences
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.attributed import AttributedReference, AttributedSet
from corpusdb.scoring.queries.combined_sets import additions_again, pivot_languages
from corpusdb.scoring.queries.frozen_sets import BY_RULES, freezing_of, frozen_references, kept_references
from corpusdb.scoring.queries.imported_scores import StoredOutput, all_outputs, known_outputs, outputs_called
from corpusdb.scoring.queries.matched_ngrams import (
    ClassAccuracy,
    NgramDifferences,
    accuracy_by_frequency,
    accuracy_by_label,
    ngram_differences,
)
from corpusdb.scoring.queries.score_differences import (
    BetterSegments,
    Breakdown,
    ClassSizes,
    OriginsComparison,
    OthersScores,
    PairScores,
    ScoreDifference,
    breakdown,
    by_segment,
    comparing_origins,
    difference_of,
    difference_of_others,
)
from corpusdb.scoring.queries.scoring import DEFAULT_TEST, Frames, MetricScores, Sampling, Significance, frame_of
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.stored_scores import StoredSet, sets_scored_with, stored_output, ways_to_say

_SEQUENCE = {False: 10, True: 4}
"""Characters of a sequence: about two words, in scripts that put spaces between words and in those that do not."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How much of each segment the corpus has."""

    characters: int
    shares: F64
    """For each segment the share, 0 to 1, of the sequences of its references that the corpus has; of a shorter
    reference whether the corpus has it whole."""


@dataclass(frozen=True, slots=True)
class InCorpus:
    likeness: Likeness | None
    """Of the references; None where the n-grams of the language are not indexed."""
    frequencies: Counter[str]
    """Of the units of both."""


def in_corpus(
    store: Store,
    language: str,
    outputs: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    settings: Sequence[MetricSettings],
) -> InCorpus:
    how = units_of_settings(settings)
    tokenise = tokeniser(how.tokenisation or "none", lowercase=how.lowercase)
    units = {unit for texts in (*outputs, *references) for text in texts for unit in tokenise(text)}
    return InCorpus(corpus_likeness(store, language, references), corpus_frequencies(store, language, units, tokenise))


def units_of_settings(settings: Sequence[MetricSettings]) -> MetricSettings:
    """Those of the first metric that cuts texts into units which are known here, else those of BLEU in words."""
    return next((each for each in settings if each.tokenisation is not None), settings_for("bleu"))


def corpus_likeness(store: Store, language: str, references: Sequence[Sequence[str]]) -> Likeness | None:
    """How much of the references the corpus has in a language; None where its n-grams are not indexed."""
    if layer_state(store, language, "ngram") is None:
        return None
    texts = [[normalise(text) for text in each] for each in references]
    length = _SEQUENCE[are_undelimited(text for each in texts for text in each)]
    joined = "\n" + "".join(f"{text}\n" for each in texts for text in each)
    longest = shared_ngrams(store, language).longest_of_many(joined)
    shares, begin = np.zeros(len(texts)), 1
    for number, each in enumerate(texts):
        had = sequences = 0
        for text in each:
            size = min(length, max(len(text), 1))
            places = longest[begin : begin + max(len(text) - size, 0) + 1]
            had += int(np.count_nonzero(places >= size))
            sequences += len(places)
            begin += len(text) + 1
        shares[number] = had / sequences
    return Likeness(length, shares)


def corpus_frequencies(store: Store, language: str, units: set[str], tokenise: Tokenise) -> Counter[str]:
    """How often each of these units occurs in the sentences of a language, each different sentence once."""
    counts: Counter[str] = Counter()
    for _, text in sentences_after(store, language, 0):
        counts.update(unit for unit in tokenise(text) if unit in units)
    return counts


# Systems and reference sets that are compared from the database, where scores were kept with them.


def stored_system(store: Store, name: str, segments: int) -> Output:
    """The output of so many segments that is kept under a name, or NAME@DIGEST.

    Raises InputError where there is none, and where there are several.
    """
    return _output(store, _one_of(_called(store, name), name, segments))


def _called(store: Store, name: str) -> list[StoredOutput]:
    outputs = all_outputs(store)
    found = outputs_called(outputs, name)
    if not found:
        raise InputError(f"{name} is not a file, and no output of this name is stored; {known_outputs(outputs)}")
    return found


def _one_of(found: Sequence[StoredOutput], name: str, segments: int) -> StoredOutput:
    fitting = [each for each in found if each.segments == segments]
    if not fitting:
        counts = " or ".join(sorted({f"{each.segments:,}" for each in found}))
        raise InputError(f"the stored output of {name} has {counts} segments, the references have {segments:,}")
    if len(fitting) > 1:
        ways = " or ".join(each.full_name for each in fitting)
        raise InputError(f"{len(fitting)} stored outputs of {segments:,} segments are called {name}; say {ways}")
    return fitting[0]


def _output(store: Store, stored: StoredOutput) -> Output:
    return Output(stored.system, Path(stored.full_name), stored_output(store, stored.id))


_SCORED_WITH = "select distinct output from score where reference_set = ?"


def stored_comparison(
    store: Store, names: Sequence[str], reference_set: str | None = None
) -> Job[tuple[list[Output], ScoringReferences]]:
    """Stored outputs, and the reference set that all of them were scored with.

    ``reference_set`` is the beginning of its digest, where there are several. Raises InputError for a name that is not
    stored, where there is no such set, and where it is not clear which one or which output is meant.
    """
    called = [_called(store, name) for name in names]
    sets = _common_sets(store, called)
    if reference_set is not None:
        sets = [each for each in sets if each.digest.startswith(reference_set)]
    if not sets:
        what = f" of digest {reference_set}" if reference_set else ""
        raise InputError(f"no reference set{what} has scores of all of {', '.join(names)}; give --ref FILE...")
    if len({each.digest for each in sets}) > 1:
        raise InputError(f"{len(sets)} reference sets have scores of these; say {ways_to_say(sets)}")
    # With equivalents it is signed alike: one without is that which is compared.
    chosen = min(sets, key=lambda each: each.has_equivalents)
    if chosen.has_equivalents:
        store.remarks.append(
            "these were scored with equivalents, and are compared on the references as they were given:"
            " the scores are others"
        )
    scored = {number for (number,) in store.connection.execute(_SCORED_WITH, (chosen.id,))}
    own = [[each for each in found if each.id in scored] for found in called]
    outputs = [_output(store, _one_of(found, name, chosen.segments)) for name, found in zip(names, own, strict=True)]
    return outputs, (yield from _references(store, chosen))


def _common_sets(store: Store, called: Sequence[Sequence[StoredOutput]]) -> list[StoredSet]:
    common: list[StoredSet] | None = None
    for outputs in called:
        found = sets_scored_with(store, [each.id for each in outputs])
        common = found if common is None else [each for each in common if each in found]
    return common or []


def _references(store: Store, chosen: StoredSet) -> Job[ScoringReferences]:
    """The set as it was kept; with its origins, where it is frozen or the corpus still gives them."""
    freezing = freezing_of(store, chosen.id)
    if freezing is not None:
        return frozen_references(store, freezing.name)
    kept = kept_references(store, chosen.id)
    if kept.origin != "corpus":
        return kept
    both = yield from additions_again(store, kept.sets, kept.parameters)
    attributed = tuple(_attributed(before, now) for before, now in zip(kept.sets, both, strict=True))
    labels = tuple(
        tuple(
            "+".join(one.origins) or (label if label == BY_RULES else "unknown")
            for one, label in zip(each.references, known, strict=True)
        )
        for each, known in zip(attributed, kept.labels, strict=True)
    )
    pivots = pivot_languages(store, kept.parameters["language"])
    return replace(kept, labels=labels, attributed=attributed, pivots=pivots)


def _attributed(kept: ReferenceSet, now: AttributedSet) -> AttributedSet:
    """The references as they were kept, with the origins that they have now; none where the corpus lost one."""
    known = {one.text: one for one in now.references}
    return AttributedSet(
        kept.source, tuple(known.get(text) or AttributedReference(text, (), kept.source) for text in kept.references)
    )


Section: TypeAlias = Literal["scores", "segments", "ngrams", "words", "buckets", "histograms", "origins"]
SECTIONS: Final[tuple[Section, ...]] = ("scores", "segments", "ngrams", "words", "buckets", "histograms", "origins")

DOCUMENT: Final = "document"
"""What the breakdown by documents is by."""
_LENGTHS: Final[Mapping[str, tuple[int, ...]]] = {"word": (10, 20, 30, 40, 50, 60), "char": (20, 40, 60, 80, 100, 150)}
"""Where classes of length begin; those in words are compare-mt's."""
_LONGER: Final = (-19, -9, -4, -1, 0, 1, 2, 5, 10, 20)
"""Where classes of how much longer an output is than a reference begin."""
_SCORE_CLASSES: Final = 10
_ROUNDING: Final = 1e-9
_MANY_DRAWN: Final = 100_000
"""Segments in all samples from which on comparing takes so long that it is told of."""
_COUNTS: Final = (1, 2, 3, 4, 5, 10, 20)
"""Where classes of numbers of references begin."""
_LONGEST: Final[Mapping[str, int]] = {"word": 4, "char": 8}
"""The n-grams that are compared, unless the metric counts shorter ones only."""
_FIFTHS: Final = ("less than 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 to 100 %", "all of them")


@dataclass(frozen=True, slots=True)
class WordLabels:
    by: str
    """What the labels are, in words."""
    references: Sequence[Sequence[str]]
    """For each segment the label of each unit of its one reference."""
    outputs: Sequence[Sequence[Sequence[str]]]
    """The same of each output."""
    names: tuple[str, ...]
    """The labels in the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRequest:
    sections: tuple[Section, ...] = SECTIONS
    test: Significance = DEFAULT_TEST
    sampling: Sampling = field(default_factory=Sampling)
    examples: int = 5
    """Segments that are shown for each system; 0 is all in which it is better."""
    ngrams: int = 10
    """Show this many n-grams for each system; 0 shows all."""
    lengths: tuple[int, ...] = ()
    """Where classes of length begin; by default at 10, 20 ... words or 20, 40 ... characters."""
    documents: tuple[SegmentDocument, ...] = ()
    """Which segments make a document, all of them."""
    least_document: int = 5
    """Segments of a document that is shown to people: a difference in one or two is that of these, not of a kind of
    text. The comparison has all documents."""
    likeness: Likeness | None = None
    """Of the references to the corpus."""
    frequencies: Mapping[str, int] | None = None
    """How often units occur in the corpus; None: classes are those of their frequency in the references."""
    frequencies_of: str = "the corpus"
    """In what the frequencies are counted."""
    labels: WordLabels | None = None
    """The classes of units instead of those of their frequency."""
    others: tuple[OthersScores, ...] = ()


@dataclass(frozen=True, slots=True)
class SegmentExample:
    segment: int
    """From 1."""
    a: float
    b: float
    difference: float
    source: str
    output_a: str
    output_b: str
    references: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two systems; what was not asked for is empty or None."""

    a: str
    b: str
    segments: int
    metric: str
    """By which segments and buckets are compared, with its smoothing for single segments."""
    scores: tuple[ScoreDifference, ...]
    tally: BetterSegments
    better_a: tuple[SegmentExample, ...]
    """The segments in which the first is better, most first."""
    better_b: tuple[SegmentExample, ...]
    ngrams: NgramDifferences | None
    words_by: str
    """Where the frequency of a unit is its own."""
    words: tuple[ClassAccuracy, ...]
    buckets: tuple[Breakdown, ...]
    histograms: tuple[ClassSizes, ...]
    origins: OriginsComparison | None

    def rows(self) -> list[dict[str, str | int | float | None]]:
        """The scores, a row for each metric; what is not known of those of whole systems is None."""
        return [
            {
                "a": self.a,
                "b": self.b,
                "metric": each.metric,
                "score_a": each.a,
                **_bounds(each.interval_a, "_a"),
                "score_b": each.b,
                **_bounds(each.interval_b, "_b"),
                "difference": each.difference,
                **_bounds(each.interval),
                "p": each.p_value,
                "segments": each.segments or None,
                "signature": each.signature,
            }
            for each in self.scores
        ]

    def frame(self, library: Frames = "pandas") -> Any:
        """The rows as a DataFrame. Raises UsageError where the library is not installed."""
        return frame_of(self.rows(), library)


def _bounds(interval: Interval | None, ending: str = "") -> dict[str, float | None]:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {f"low{ending}": low, f"high{ending}": high}


def comparing(
    outputs: Sequence[Output],
    references: ScoringReferences,
    scores: Sequence[MetricScores],
    asked: ComparisonRequest,
    processes: int = 1,
) -> Job[list[PairComparison]]:
    """Compare the first output with each of the others by these scores of all of them, segments by the first metric.

    What a slow metric has to compute again is computed in as many processes. Raises UsageError for fewer than two
    systems or two of one name.
    """
    names = [output.system for output in outputs]
    if len(names) < 2:
        raise UsageError("compare needs two systems, and one is given")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is given twice")
    units = units_of_settings([each.settings for each in scores])
    cut = SegmentReferences(references.texts).cut(units)
    pairs = _Comparing(references, tuple(scores), units, cut, asked, processes)
    is_long = len(references.sets) * asked.sampling.samples >= _MANY_DRAWN
    found = []
    for other, output in enumerate(outputs[1:], 1):
        found.append((yield from with_progress_if(is_long, pairs.pair(outputs[0], output, other))))
    return found


@dataclass(frozen=True, slots=True)
class _Comparing:
    references: ScoringReferences
    scores: tuple[MetricScores, ...]
    units: MetricSettings
    cut: References
    asked: ComparisonRequest
    processes: int

    def pair(self, a: Output, b: Output, other: int) -> Job[PairComparison]:
        """The first system and the one of the number ``other``."""
        asked, has, pair = self.asked, self.asked.sections.__contains__, (a, b)
        scores = [
            replace(each, systems=(a.system, b.system), statistics=each.statistics[[0, other]]) for each in self.scores
        ]
        segments = by_segment(scores[0])
        better_a, better_b = (
            tuple(self._examples(pair, segments, first=first)) if has("segments") else () for first in (True, False)
        )
        stage, steps = f"comparing {a.system} with {b.system}", len(scores) + 1
        differences: list[ScoreDifference] = []
        for done, each in enumerate(scores):
            yield Progress(stage, done, steps)
            differences += [difference_of(each, asked.test, asked.sampling)] if has("scores") else []
        yield Progress(stage, steps - 1, steps)
        for one in asked.others if has("scores") else ():
            differences += difference_of_others(one, a.system, b.system, asked.test, asked.sampling)
        origins = None
        if has("origins"):
            of_first = scores[0].settings, asked.test, asked.sampling
            origins = yield from comparing_origins(pair, self.references, *of_first, self.processes)
        return PairComparison(
            a=a.system,
            b=b.system,
            segments=len(self.references.sets),
            metric=_label(segments),
            scores=tuple(differences),
            tally=segments.tally(),
            better_a=better_a,
            better_b=better_b,
            ngrams=self._ngrams(pair) if has("ngrams") else None,
            words_by=self._words_by,
            words=tuple(self._words(pair, other) if has("words") else ()),
            # One whose segments all are alike would only repeat the score.
            buckets=tuple(
                each for each in (self._breakdowns(segments) if has("buckets") else ()) if len(each.buckets) > 1
            ),
            histograms=tuple(self._histograms(pair, segments) if has("histograms") else ()),
            origins=origins,
        )

    def _ngrams(self, pair: tuple[Output, Output]) -> NgramDifferences:
        most = _LONGEST[self.units.unit]
        longest = min(self.units.order or most, most)
        return ngram_differences(pair[0].texts, pair[1].texts, self.cut, longest, limit=self.asked.ngrams)

    @property
    def _words_by(self) -> str:
        if self.asked.labels is not None:
            return self.asked.labels.by
        return "the references" if self.asked.frequencies is None else self.asked.frequencies_of

    def _words(self, pair: tuple[Output, Output], other: int) -> list[ClassAccuracy]:
        known = self.asked.labels
        if known is not None:
            one, two = (
                [list(zip(self.cut.tokenise(text), of_text, strict=True)) for text, of_text in zip(*each, strict=True)]
                for each in ((pair[0].texts, known.outputs[0]), (pair[1].texts, known.outputs[other]))
            )
            texts_of_references = [texts[0] for texts in self.references.texts]
            wanted = [
                list(zip(self.cut.tokenise(text), of_text, strict=True))
                for text, of_text in zip(texts_of_references, known.references, strict=True)
            ]
            return accuracy_by_label((one, two), wanted, known.names)
        texts = pair[0].texts, pair[1].texts
        return accuracy_by_frequency(texts, self.references.texts, self.cut.tokenise, self.asked.frequencies)

    def _examples(self, pair: tuple[Output, Output], scores: PairScores, *, first: bool) -> Iterator[SegmentExample]:
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

    def _histograms(self, pair: tuple[Output, Output], scores: PairScores) -> Iterator[ClassSizes]:
        """Of lengths and of scores, as compare-mt has them (Neubig et al. 2019)."""
        what = "characters" if self.units.unit == "char" else "words"
        wanted = np.split(self.cut.sequences.lengths, self.cut.firsts[1:-1])
        longer = [
            [len(self.cut.tokenise(text)) - lengths for text, lengths in zip(output.texts, wanted, strict=True)]
            for output in pair
        ]
        closest = [np.array([each[np.abs(each).argmin()] for each in by_segment]) for by_segment in longer]
        names = _classes(closest[0], _LONGER)[1]
        by = f"{what} more (or less) than the reference that is closest in length"
        yield _histogram(by, [_classes(each, _LONGER)[0] for each in closest], names)
        yield _histogram(f"{_label(scores)} of a segment", *_score_classes(scores))


def _histogram(by: str, labels: Sequence[I64] | I64, names: Sequence[str]) -> ClassSizes:
    """``labels`` are those of both outputs, numbers of ``names``."""
    a, b = (tuple(np.bincount(each, minlength=len(names)).tolist()) for each in labels)
    return ClassSizes(by, tuple(names), a, b)


def _classes(values: F64 | I64, bounds: Sequence[int]) -> tuple[I64, list[str]]:
    """The class of each value, and the names of the classes that begin at these bounds."""
    between = [f"{low}" if high == low + 1 else f"{low} to {high - 1}" for low, high in pairwise(bounds)]
    names = [f"less than {bounds[0]}", *between, f"{bounds[-1]} or more"]
    return np.searchsorted(bounds, values, side="right"), names


def _score_classes(scores: PairScores) -> tuple[I64, list[str]]:
    """Ten classes of scores of segments, as wide as a round number: up to the best score, or else to the highest."""
    most = max(scores.measure.metric.most or 0.0, float(scores.segments.max(initial=0))) or 1.0
    power = floor(log10(most / _SCORE_CLASSES))
    width = next(each for each in (1, 2, 5, 10) if each * 10.0**power >= most / _SCORE_CLASSES * (1 - _ROUNDING))
    decimals = max(0, -power - (width == 10))
    bounds = np.round(np.arange(_SCORE_CLASSES + 1) * width * 10.0**power, decimals)
    labels = np.clip(np.searchsorted(bounds, scores.segments, side="right") - 1, 0, _SCORE_CLASSES - 1)
    return labels, [f"{low:.{decimals}f} to {high:.{decimals}f}" for low, high in pairwise(bounds.tolist())]


def _label(pair: PairScores) -> str:
    smoothing = pair.of_segments.settings.smoothing
    changed = pair.of_segments.settings != pair.measure.settings
    return f"{pair.measure.label}{f' smoothed by {smoothing}' if changed else ''}"
