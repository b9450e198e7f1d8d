"""What matches: where the score of a segment comes from, and what one system gets and another does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import UsageError
from corpusdb.base.ngrams import NumberedNgrams, number_ngrams
from corpusdb.base.tokenisation import Tokenise, tokeniser
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.model import Explanation, SharedTranslation
from corpusdb.corpus.queries.sentences import places_of, sentence_id, shared_translations
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.paraphrases import explain
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metric import References, shared_ngrams
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.queries.attributed import AttributedReference
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.unit_metrics import SegmentTrace, trace_segment

_PLACES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class TracedReference:
    """A reference of the segment, and what it is worth to the hypothesis."""

    text: str
    label: str
    """Where it comes from: file and line, or its origins in the corpus."""
    matched: int
    """Occurrences of n-grams that it accounts for, of all orders."""
    alone: int
    """Of these, how many would be missed without it."""
    is_closest: bool
    """Whether its length counts for brevity."""


@dataclass(frozen=True)
class ScoreTrace:
    system: str
    segment: int
    """From 1."""
    hypothesis: str
    settings: MetricSettings
    label: str
    signature: str
    """Of the score over all segments."""
    score: float
    """BLEU of the segment by the orders that it has, 0 to 100."""
    trace: SegmentTrace
    references: tuple[TracedReference, ...]


def trace_score(output: Output, references: ScoringReferences, settings: MetricSettings, segment: int) -> ScoreTrace:
    """BLEU of one segment (from 1), taken apart. Raises UsageError for another metric and for no such segment."""
    if not 1 <= segment <= len(output.texts):
        raise UsageError(f"there are segments 1 to {len(output.texts):,}, but no {segment}")
    check_traceable(settings)
    (whole,) = measures([settings], references.texts)
    where = SegmentTexts(
        output.system, segment, output.texts[segment - 1], references.texts[segment - 1], references.labels[segment - 1]
    )
    return trace_texts(where, settings, references.signed(whole.signature(references.digest)))


def check_traceable(settings: MetricSettings) -> tuple[str, int]:
    """The tokenisation and the order of a BLEU. Raises UsageError for any other metric."""
    if settings.metric != "bleu" or settings.tokenisation is None or settings.order is None:
        raise UsageError(f"only BLEU can be traced, not {settings.metric}")
    return settings.tokenisation, settings.order


@dataclass(frozen=True, slots=True)
class SegmentTexts:
    system: str
    segment: int
    """From 1."""
    hypothesis: str
    references: tuple[str, ...]
    labels: tuple[str, ...]


def trace_texts(where: SegmentTexts, settings: MetricSettings, signature: str) -> ScoreTrace:
    """BLEU of one segment, taken apart; ``signature`` is that of the score over all segments.

    Raises UsageError for another metric, and InputError without references and for a blank one.
    """
    tokenisation, order = check_traceable(settings)
    tokenise = tokeniser(tokenisation, lowercase=settings.lowercase)
    texts = where.references
    trace = trace_segment(tokenise(where.hypothesis), [tokenise(text) for text in texts], order)
    matched = [0] * len(texts)
    for ngram in trace.ngrams:
        for number, count in enumerate(ngram.in_references):
            matched[number] += min(ngram.count, count)
    traced = tuple(
        TracedReference(text, label, found, alone, number == trace.closest)
        for number, (text, label, found, alone) in enumerate(
            zip(texts, where.labels, matched, trace.sole_matches(), strict=True)
        )
    )
    (one,) = measures([settings], [texts])
    return ScoreTrace(
        system=where.system,
        segment=where.segment,
        hypothesis=where.hypothesis,
        settings=settings,
        label=one.label,
        signature=signature,
        score=float(one.of_segments.scores(one.statistics([where.hypothesis])[0])),
        trace=trace,
        references=traced,
    )


@dataclass(frozen=True, slots=True)
class Background:
    """The sources of a reference from the corpus."""

    reference: AttributedReference
    places: tuple[str, ...]
    """Where the corpus has it; none where it is new to the corpus."""
    shared: tuple[SharedTranslation, ...]
    """What it and its seed are both translations of; for an original, none."""
    explanation: Explanation | None
    """The analogies behind it, where it is generated, and the reasons of other origins."""


def background_of(store: Store, reference: AttributedReference, language: str, *, analogies: int = 3) -> Background:
    """The sentences of people behind a reference, down to collection and line, with at most ``analogies`` analogies."""
    sentence, seed = (sentence_id(store, language, text) for text in (reference.text, reference.seed))
    places = () if sentence is None else places_of(store, [sentence])[sentence][:_PLACES_SHOWN]
    shared: tuple[SharedTranslation, ...] = ()
    if sentence is not None and seed is not None and sentence != seed:
        shared = shared_translations(store, sentence, seed)
    explanation = None
    if {"generated", "exchanged"} & {*reference.origins} and reference.text != reference.seed:
        explanation = explain(store, reference.seed, reference.text, language, limit=analogies)
    return Background(reference, tuple(map(str, places)), shared, explanation)


# N-grams that one system gets and another does not, as compare-mt finds them (Neubig et al. 2019, section 3.4).


_SMOOTHING = 1
"""Matches that are added to those of each system, as in compare-mt."""


@dataclass(frozen=True, slots=True)
class NgramDifference:
    """An n-gram, and how often each of two systems has it where a reference has it too."""

    units: tuple[str, ...]
    a: int
    b: int
    ratio: float
    """The smoothed share of the better system in the matches, (own + 1) / (a + b + 2): more than 0.5, less than 1."""


@dataclass(frozen=True, slots=True)
class NgramDifferences:
    """The n-grams that speak most for each of two systems, by falling ratio."""

    order: int
    """The longest that were looked at."""
    matched_a: tuple[int, ...]
    """All matches of the first system, by order from 1."""
    matched_b: tuple[int, ...]
    for_a: tuple[NgramDifference, ...]
    for_b: tuple[NgramDifference, ...]


def ngram_differences(
    a: Sequence[str], b: Sequence[str], references: References, order: int, *, limit: int
) -> NgramDifferences:
    """The ``limit`` n-grams up to ``order`` that speak most for either system; 0 is all.

    A segment counts an n-gram as BLEU does: as often as the text has it, at most as often as the reference that has it
    most often. One that is part of a longer one with the same numbers is left out: it says nothing more. Of equal
    ratios the longer n-gram comes first. Raises InputError unless there is one text for every segment.
    """
    matches = list(_matches(a, b, references, order))
    told = list(_told(matches))
    for_a, for_b = (_leading(references, matches, told, limit, first=first) for first in (True, False))
    totals = [[int(each.counts[side].sum()) for each in matches] for side in (0, 1)]
    return NgramDifferences(
        order,
        tuple(totals[0]),
        tuple(totals[1]),
        tuple(NgramDifference(units, own, other, ratio) for units, own, other, ratio in for_a),
        tuple(NgramDifference(units, other, own, ratio) for units, own, other, ratio in for_b),
    )


@dataclass(frozen=True, slots=True)
class _Matches:
    """The n-grams of one order that the references have, by their numbers."""

    n: int
    number_at: I64
    """Of the n-gram that begins at each place of the references; -1 where none does."""
    example: I64
    """A place of each n-gram."""
    counts: I64
    """How often each is matched: shape (2, n-grams)."""


def _matches(a: Sequence[str], b: Sequence[str], references: References, order: int) -> Iterator[_Matches]:
    sequences = references.sequences
    found = [_by_order(texts, references, order) for texts in (a, b)]
    for ngrams in number_ngrams(sequences.units, sequences.lengths, order):
        number_at = np.full(len(sequences.units) + 1, -1)
        number_at[ngrams.places] = ngrams.numbers
        yield _Matches(ngrams.n, number_at, *_counted(ngrams, number_at, [each[ngrams.n - 1] for each in found]))


def _by_order(texts: Sequence[str], references: References, order: int) -> list[list[tuple[I64, I64]]]:
    """For each order the places and counts of what a system shares with the references, in parts."""
    found: list[list[tuple[I64, I64]]] = [[] for _ in range(order)]
    for shared in shared_ngrams(references.encode(texts), references, order):
        found[shared.order - 1].append((shared.places, shared.counts))
    return found


def _counted(ngrams: NumberedNgrams, number_at: I64, found: Sequence[Sequence[tuple[I64, I64]]]) -> tuple[I64, I64]:
    """A place of each n-gram, and how often each system has it."""
    size = int(ngrams.numbers.max(initial=-1)) + 1
    example, counts = np.zeros(size, dtype=np.int64), np.zeros((2, size), dtype=np.int64)
    example[ngrams.numbers] = ngrams.places
    for row, parts in zip(counts, found, strict=True):
        for places, matched in parts:
            np.add.at(row, number_at[places], matched)
    return example, counts


def _told(matches: Sequence[_Matches]) -> Iterator[Bools]:
    """For each order which n-grams have different numbers, and are part of no longer one that has the same."""
    for at, each in enumerate(matches):
        told = each.counts[0] != each.counts[1]
        if at + 1 < len(matches):
            longer = matches[at + 1]
            for offset in (0, 1):
                parts = each.number_at[longer.example + offset]
                told[parts[(each.counts[:, parts] == longer.counts).all(axis=0)]] = False
        yield told


def _leading(
    references: References, matches: Sequence[_Matches], told: Sequence[Bools], limit: int, *, first: bool
) -> list[tuple[tuple[str, ...], int, int, float]]:
    """The n-grams that the first (or the second) system has more often: units, own and other matches, and ratio."""
    side = 0 if first else 1
    numbers = [
        np.flatnonzero(differ & (each.counts[side] > each.counts[1 - side]))
        for each, differ in zip(matches, told, strict=True)
    ]
    ratios: list[F64] = [
        (each.counts[side, chosen] + _SMOOTHING) / (each.counts[:, chosen].sum(axis=0) + 2 * _SMOOTHING)
        for each, chosen in zip(matches, numbers, strict=True)
    ]
    least = 0.0
    everything = np.concatenate(ratios)
    if 0 < limit < len(everything):  # texts are made for these only, and for those with the ratio of the last
        least = float(np.partition(everything, -limit)[-limit])
    names, units = list(references.vocabulary), references.sequences.units
    rows = []
    for each, chosen, of_chosen in zip(matches, numbers, ratios, strict=True):
        kept = of_chosen >= least
        for number, ratio in zip(chosen[kept].tolist(), of_chosen[kept].tolist(), strict=True):
            place, (own, other) = each.example[number], each.counts[[side, 1 - side], number].tolist()
            rows.append((tuple(names[unit] for unit in units[place : place + each.n].tolist()), own, other, ratio))
    rows.sort(key=lambda row: (-row[3], -len(row[0]), row[0]))
    return rows[:limit] if limit else rows


# How well systems get words of some kind: precision, recall and their mean by class, as compare-mt has them.
# Where there are several references, precision is against all of them together, as in BLEU: an occurrence counts if
# the reference that has the unit most often has it as often. Recall is that of every reference by itself, all of them
# summed.


_BOUNDS = (0, 1, 2, 3, 4, 5, 10, 100, 1000)
"""Where classes of frequency begin, as in compare-mt, which begins at 1."""


@dataclass(frozen=True, slots=True)
class UnitCounts:
    matched: int
    """Occurrences in the output that a reference accounts for."""
    produced: int
    """Occurrences in the output."""
    found: int
    """Occurrences in the references that the output accounts for."""
    wanted: int
    """Occurrences in the references."""

    @property
    def precision(self) -> float | None:
        """From 0 to 1; None where the output has no such unit."""
        return self.matched / self.produced if self.produced else None

    @property
    def recall(self) -> float | None:
        """From 0 to 1; None where the references have no such unit."""
        return self.found / self.wanted if self.wanted else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None where one is not defined."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class ClassAccuracy:
    name: str
    a: UnitCounts
    b: UnitCounts


def frequency_classes() -> tuple[str, ...]:
    """The names of the classes of frequency, in their order: 0, 1, 2, 3, 4, 5-9, 10-99, 100-999, 1000 or more."""
    names = (f"{low}" if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(_BOUNDS))
    return (*names, f"{_BOUNDS[-1]:,} or more")


def frequency_class(frequency: int) -> int:
    """The number of the class, from 0, of a unit that occurs so often."""
    return sum(frequency >= bound for bound in _BOUNDS) - 1


def accuracy_by_frequency(
    outputs: tuple[Sequence[str], Sequence[str]],
    references: Sequence[Sequence[str]],
    tokenise: Tokenise,
    frequencies: Mapping[str, int] | None = None,
) -> list[ClassAccuracy]:
    """The classes that two outputs or their references have units of, ascending.

    ``frequencies``: how often a unit occurs somewhere, 0 for one that is not named; None: in all references here.
    """
    cut = [[tokenise(text) for text in texts] for texts in references]
    known = Counter(unit for texts in cut for units in texts for unit in units) if frequencies is None else frequencies
    a, b = (_counts([tokenise(text) for text in texts], cut, lambda unit: known.get(unit, 0)) for texts in outputs)
    rows = map(ClassAccuracy, frequency_classes(), a, b)
    return [each for each in rows if each.a.produced or each.b.produced or each.a.wanted]


def _counts(
    output: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], frequency: Callable[[str], int]
) -> list[UnitCounts]:
    counts = [[0] * 4 for _ in frequency_classes()]
    class_of: dict[str, list[int]] = {}

    def row(unit: str) -> list[int]:
        if unit not in class_of:
            class_of[unit] = counts[frequency_class(frequency(unit))]
        return class_of[unit]

    for units, texts in zip(output, references, strict=True):
        own, best = Counter(units), Counter[str]()
        for text in texts:
            theirs = Counter(text)
            best |= theirs
            for unit, count in theirs.items():
                row(unit)[2] += min(count, own[unit])
                row(unit)[3] += count
        for unit, count in own.items():
            row(unit)[0] += min(count, best[unit])
            row(unit)[1] += count
    return [UnitCounts(*each) for each in counts]


def accuracy_by_label(
    outputs: tuple[Labelled, Labelled], references: Labelled, names: Sequence[str]
) -> list[ClassAccuracy]:
    """The same by the labels that units have, in the order of ``names``.

    Of one word with several labels in a segment, those that stand first are matched first, as in compare-mt.
    """
    a, b = (_counts_of_labels(each, references, names) for each in outputs)
    rows = map(ClassAccuracy, names, a, b)
    return [each for each in rows if each.a.produced or each.b.produced or each.a.wanted]


Labelled: TypeAlias = Sequence[Sequence[tuple[str, str]]]
"""For each segment its units, each with its label."""


def _counts_of_labels(output: Labelled, references: Labelled, names: Sequence[str]) -> list[UnitCounts]:
    counts = {name: [0] * 4 for name in names}
    for own, theirs in zip(output, references, strict=True):
        for first, units, others in ((0, own, theirs), (2, theirs, own)):
            left = Counter(unit for unit, _ in others)
            for unit, label in units:
                counts[label][first] += left[unit] > 0
                counts[label][first + 1] += 1
                left[unit] -= 1
    return [UnitCounts(*counts[name]) for name in names]
