"""What a metric is: texts as numbered units, statistics of every segment, their sums and scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, I64, is_new
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import joined_ranges, stable_order
from corpusdb.base.tokenisation import ByWords, Tokenise, tokeniser, versioned_tokenisation
from corpusdb.scoring.metric_settings import DIGEST_LENGTH, NO_SMOOTHING, MetricSettings, ReferenceCounts, Signature

# A metric is four steps: cut into units (tokenisation), statistics of every segment, their sum, a score. References
# are cut and numbered once for all the systems that are scored with them; the statistics of a set of segments are one
# array with a row for each, so that the same score function serves a sentence, a corpus and its resamples.
#
#     references = References.of(texts, tokeniser("13a"))
#     statistics = bleu_statistics(references.encode(hypotheses), references, 4)
#     bleu_scores(statistics)             # of every sentence, by order
#     bleu_scores(statistics.sum(axis=0)) # of the corpus, by order


UNKNOWN = -1
"""The number of a unit of a hypothesis that no reference has."""


@dataclass(frozen=True, slots=True)
class Sequences:
    """Texts as numbered units, laid end to end."""

    units: I64
    lengths: I64
    """In units, of each text."""

    @property
    def starts(self) -> I64:
        """Where each text begins among the units, and behind the last of these where all end."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.lengths)])

    def part(self, first: int, last: int) -> Sequences:
        """The texts from the number ``first`` up to, not including, ``last``."""
        starts = self.starts
        return Sequences(self.units[starts[first] : starts[last]], self.lengths[first:last])


@dataclass(frozen=True, slots=True)
class References:
    sequences: Sequences
    """All references, those of the first segment first."""
    counts: I64
    vocabulary: Mapping[str, int]
    """The number of every unit, from 0."""
    tokenise: Tokenise
    words: _Words | None = field(default=None, repr=False)
    """Those that were met, where words are cut one by one."""

    @classmethod
    def of(cls, references: Sequence[Sequence[str]], tokenise: Tokenise) -> References:
        """The references of each segment. Raises InputError as check_references does."""
        check_references(references)
        vocabulary: defaultdict[str, int] = defaultdict()
        vocabulary.default_factory = vocabulary.__len__
        words = _Words(tokenise.cut, vocabulary.__getitem__) if isinstance(tokenise, ByWords) else None
        sequences = _sequences(
            chain.from_iterable(references), tokenise, words, lambda units: map(vocabulary.__getitem__, units)
        )
        known = dict(vocabulary)
        if words is not None:
            words.number_of = lambda unit: known.get(unit, UNKNOWN)
        counts = np.array([len(texts) for texts in references], dtype=np.int64)
        return cls(sequences, counts, known, tokenise, words)

    @property
    def firsts(self) -> I64:
        """The number of the first reference of each segment, and behind the last of these the number of all."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.counts)])

    @property
    def segments(self) -> I64:
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def encode(self, hypotheses: Sequence[str]) -> Sequences:
        """One system's output, a text for each segment; an empty one is legal and has no units.

        Raises InputError if there are more or fewer texts than segments.
        """
        return self.encode_all([hypotheses])[0]

    def encode_all(self, systems: Sequence[Sequence[str]]) -> list[Sequences]:
        """The same of several systems."""
        segments = len(self.counts)
        for hypotheses in systems:
            if len(hypotheses) != segments:
                raise InputError(f"{len(hypotheses)} hypotheses for the references of {segments} segments")
        known, texts = self.vocabulary.get, chain.from_iterable(systems)
        found = _sequences(texts, self.tokenise, self.words, lambda units: map(known, units, repeat(UNKNOWN)))
        return [found.part(segments * at, segments * (at + 1)) for at in range(len(systems))]

    def subset(self, chosen: npt.NDArray[np.bool_]) -> References:
        """Only the references that ``chosen`` is true for; InputError where a segment is left without any."""
        counts = np.bincount(self.segments[chosen], minlength=len(self.counts))
        if not counts.all():
            raise InputError("no reference of the segment was chosen", line=int(np.argmin(counts)) + 1)
        lengths = self.sequences.lengths
        kept = Sequences(self.sequences.units[np.repeat(chosen, lengths)], lengths[chosen])
        return References(kept, counts, self.vocabulary, self.tokenise, self.words)


def check_references(references: Sequence[Sequence[str]]) -> None:
    """One list for each segment, not one for each translator.

    Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, which is not
    the same as a missing one: its length of 0 would switch off the brevity penalty. Also without segments.
    """
    if not references:
        raise InputError("there are no segments")
    for number, texts in enumerate(references, 1):
        if isinstance(texts, str):
            raise InputError("the references of a segment must be a list, this is one text", line=number)
        if not texts:
            raise InputError("the segment has no reference", line=number)
        if not all(text.strip() for text in texts):
            raise InputError("a reference of the segment is blank; leave out what is missing", line=number)


def parallel(hypotheses: Sequences, references: References) -> None:
    """Raise InputError unless there is one hypothesis for every segment."""
    if len(hypotheses.lengths) != len(references.counts):
        raise InputError(f"{len(hypotheses.lengths)} hypotheses for {len(references.counts)} segments")


class _Words(dict[str, int]):
    """The number of each word that was met, from 0; it is cut into units once, and these are numbered."""

    def __init__(self, cut: Callable[[str], Sequence[str]], number_of: Callable[[str], int]) -> None:
        super().__init__()
        self._cut = cut
        self.number_of = number_of
        self._units: list[int] = []
        self._starts: list[int] = []

    def __missing__(self, word: str) -> int:
        self._starts.append(len(self._units))
        self._units += map(self.number_of, self._cut(word))
        self[word] = number = len(self)
        return number

    def sequences(self, texts: Sequence[Sequence[str]]) -> Sequences:
        """Texts that are cut into words as units."""
        counts = np.array(list(map(len, texts)), dtype=np.int64)
        words = np.fromiter(map(self.__getitem__, chain.from_iterable(texts)), dtype=np.int64, count=int(counts.sum()))
        starts = np.array([*self._starts, len(self._units)], dtype=np.int64)
        sizes = np.diff(starts)[words]
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        lengths = np.diff(ends[np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])])
        return Sequences(np.array(self._units, dtype=np.int64)[joined_ranges(starts[words], sizes)], lengths)


def _sequences(
    texts: Iterable[str],
    tokenise: Tokenise,
    words: _Words | None,
    numbers: Callable[[Iterable[str]], Iterable[int]],
) -> Sequences:
    if words is not None and isinstance(tokenise, ByWords):
        return words.sequences(list(map(tokenise.words, texts)))
    cut = list(map(tokenise, texts))
    lengths = np.array([len(units) for units in cut], dtype=np.int64)
    if cut and isinstance(cut[0], str):
        return Sequences(_numbered_characters("".join(map(str, cut)), numbers), lengths)
    units = np.fromiter(numbers(chain.from_iterable(cut)), dtype=np.int64, count=int(lengths.sum()))
    return Sequences(units, lengths)


def _numbered_characters(text: str, numbers: Callable[[Iterable[str]], Iterable[int]]) -> I64:
    """The number of each character, which is asked for once of each that is different."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    number_of = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64)
    number_of[codes] = 1
    different = np.flatnonzero(number_of)
    number_of[different] = np.fromiter(numbers(map(chr, different.tolist())), np.int64, len(different))
    return number_of[codes]


# The n-grams that a hypothesis shares with its references, of all orders in one pass over a whole corpus.
# An n-gram that is not shared cannot be part of a longer one that is. So the places where shared n-grams begin are
# kept from order to order and fewer and fewer remain; an n+1-gram is known by the numbers of the two n-grams in it.
# Nothing is hashed: the counts are exact.


_BATCH = 1 << 15
"""Units treated at once, unless one segment has more: what is sorted together should fit in the cache."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The n-grams of one order that hypotheses share with the references of their segment; a row for each different."""

    order: int
    systems: I64
    """The number of the hypotheses, from 0."""
    segments: I64
    counts: I64
    """How often it stands in the hypothesis, at most as often as in the reference that has it most often (clipping)."""
    places: I64
    """Where it stands once: an offset into the units of the references."""


@dataclass(frozen=True, slots=True)
class _Text:
    """The hypotheses of some segments, those of one system first, then their references, laid end to end; one row for
    each unit."""

    units: I64
    sequence: I64
    segment: I64
    room: I64
    """How many units there are from here to the end of the text."""
    hypothesis_units: int
    """Units before this one belong to hypotheses."""
    segments: int
    """How many there are, of each system."""


def shared_ngrams(hypotheses: Sequences, references: References, order: int) -> Iterator[Shared]:
    """Those of one system; as shared_by_systems."""
    return shared_by_systems([hypotheses], references, order)


def shared_by_systems(systems: Sequence[Sequences], references: References, order: int) -> Iterator[Shared]:
    """The n-grams of every order from 1 to ``order`` that each system shares, in batches of whole segments, ascending.

    References are gone through once for all systems. Raises InputError unless there is one hypothesis of each for every
    segment. Memory: about 100 bytes a unit of a batch.
    """
    for hypotheses in systems:
        parallel(hypotheses, references)
    starts = references.sequences.starts[references.firsts]
    for first, last in batches(systems, references):
        offset = int(starts[first])
        for found in _shared(_text(systems, references, first, last), order):
            yield replace(found, segments=found.segments + first, places=found.places + offset)


def batches(systems: Sequence[Sequences], references: References) -> Iterator[tuple[int, int]]:
    """The first segment and the one behind the last of portions of about _BATCH units and texts, or of one segment."""
    sizes = np.add.reduceat(references.sequences.lengths + 1, references.firsts[:-1])
    sizes = sizes + sum(each.lengths + 1 for each in systems)
    ends = np.cumsum(sizes)
    first = 0
    while first < len(ends):
        last = int(np.searchsorted(ends, ends[first] - sizes[first] + _BATCH, side="right"))
        yield first, max(first + 1, last)
        first = max(first + 1, last)


def _text(systems: Sequence[Sequences], references: References, first: int, last: int) -> _Text:
    """The segments from ``first`` up to, not including, ``last``."""
    firsts, every = references.firsts, np.arange(last - first)
    parts = [each.part(first, last) for each in systems]
    theirs = references.sequences.part(int(firsts[first]), int(firsts[last]))
    lengths = np.concatenate([*(each.lengths for each in parts), theirs.lengths])
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    segment_of = np.concatenate([*[every] * len(parts), np.repeat(every, references.counts[first:last])])
    room = np.cumsum(lengths)[sequence] - np.arange(len(sequence))
    units = np.concatenate([*(each.units for each in parts), theirs.units])
    return _Text(units, sequence, segment_of[sequence], room, sum(len(each.units) for each in parts), len(every))


def _shared(text: _Text, order: int) -> Iterator[Shared]:
    """The shared n-grams of one batch, with segments and places counted from its beginning."""
    at = np.flatnonzero(text.units != UNKNOWN)
    size = int(text.units.max(initial=0)) + 1
    keys, distinct = text.segment[at] * size + text.units[at], (int(text.segment.max(initial=0)) + 1) * size
    numbers = np.full(len(text.units) + 1, -1)  # of the shared n-gram that begins there, by offset
    for n in range(1, order + 1):
        if not len(at):
            return
        # Stable, because the places of each n-gram must stay in the order of the text: hypotheses, references.
        ranks = stable_order(keys, distinct)
        keys, at = keys[ranks], at[ranks]
        is_first = is_new(keys)
        owners, runs, counts = _clipped(text, at, is_first)
        systems, segments = np.divmod(text.sequence[at[runs]], text.segments)
        ends = np.append(np.flatnonzero(is_first)[1:], len(at)) - 1  # a reference's, since those stand behind
        yield Shared(n, systems, segments, counts, at[ends[owners]] - text.hypothesis_units)

        found = np.zeros(len(ends), dtype=np.bool_)
        found[owners] = True
        number_of = np.where(found, np.cumsum(found) - 1, -1)
        numbers.fill(-1)
        numbers[at] = number_of[np.cumsum(is_first) - 1]
        at = at[(numbers[at] >= 0) & (text.room[at] > n)]
        at = at[numbers[at + 1] >= 0]
        count = int(np.count_nonzero(found))
        keys, distinct = numbers[at] * count + numbers[at + 1], count**2


def _clipped(text: _Text, at: I64, is_first: npt.NDArray[np.bool_]) -> tuple[I64, I64, I64]:
    """The n-grams that a hypothesis shares, by their numbers; where its first is among the places; and clipped counts.

    ``at`` holds the places of the n-grams, sorted; the first of each ``is_first``.
    """
    sequence = text.sequence[at]
    is_start = is_first.copy()
    is_start[1:] |= sequence[1:] != sequence[:-1]
    runs = np.flatnonzero(is_start)  # the occurrences of one n-gram in one text
    sizes = np.diff(runs, append=len(at))
    owners = (np.cumsum(is_first) - 1)[runs]
    is_hypothesis = at[runs] < text.hypothesis_units
    best = np.maximum.reduceat(np.where(is_hypothesis, 0, sizes), np.flatnonzero(is_first[runs]))
    counts = np.where(is_hypothesis, np.minimum(sizes, best[owners]), 0)
    shared = np.flatnonzero(counts)
    return owners[shared], runs[shared], counts[shared]


# The n-grams of outputs that no reference has: what further references could match, and what they cannot.


Ngram: TypeAlias = tuple[str, ...]
"""Its units, in their order."""


def ngrams_up_to(units: Sequence[str], order: int) -> set[Ngram]:
    """The different n-grams of a text, for every n from 1 to ``order``."""
    return {tuple(units[first : first + n]) for n in range(1, order + 1) for first in range(len(units) - n + 1)}


def unmatched_ngrams(outputs: Iterable[Sequence[str]], references: Iterable[Sequence[str]], order: int) -> set[Ngram]:
    """The different n-grams that some output of a segment has, and none of its references.

    An n-gram that stands in an output more often than in any reference is not among them: one match of it counts.
    """
    found = {ngram for units in outputs for ngram in ngrams_up_to(units, order)}
    return found.difference(*(ngrams_up_to(units, order) for units in references))


def resampled_references(references: References, draws: int, *, seed: int) -> Iterator[References]:
    """``draws`` sets in which every segment has as many references as before, drawn with replacement from its own.

    One that is drawn twice counts once, which changes no metric that takes the best reference. So sets have fewer
    different references than the original, and lower scores: compare scores of draws with each other only.
    """
    rng = np.random.default_rng(seed)
    firsts, segments = references.firsts[:-1], references.segments
    for _ in range(draws):
        drawn = firsts[segments] + rng.integers(0, references.counts[segments])
        chosen = np.zeros(len(segments), dtype=np.bool_)
        chosen[drawn] = True
        yield references.subset(chosen)


# Scores are on the scale in which people print them: BLEU, chrF and TER up to 100, as in sacrebleu; NIST in bits from
# 0 upwards; mWER as edits per unit, 0 for equal texts.


Details: TypeAlias = dict[str, float | list[float]]
"""What a score is made of, by name: lengths, edits, precisions from 0 to 100."""

_TOKENISATIONS = {"word": "13a", "char": "char"}
"""What cuts texts into units unless something else is asked for."""


class SegmentReferences:
    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.texts = texts
        self._cut: dict[tuple[str, bool], References] = {}

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(len, self.texts))

    def cut(self, settings: MetricSettings) -> References:
        """The references as units.

        Raises InputError with the number of the segment, from 1, where one has no reference or a blank one.
        """
        way = settings.tokenisation or "none", settings.lowercase
        if way not in self._cut:
            self._cut[way] = References.of(self.texts, tokeniser(way[0], lowercase=settings.lowercase))
        return self._cut[way]


class Metric(ABC):
    """A metric by its name. One that counts units is a UnitMetric."""

    name: str
    heading: str
    """What tables call it, before the unit and the order."""
    help: str
    """What it counts and in what, in words: behind its heading in the guide of columns."""
    most: float | None = None
    """The best score where there is one; the least, or the best where errors are counted, is 0."""
    lower_is_better: bool = False
    """Whether the metric counts errors."""
    decimals: int = 2
    """Of a score in a table."""
    weighs_all_references: bool = False
    """Whether the references of all segments together decide what an n-gram of one counts for."""
    counts_copies: bool = False
    """Whether a reference that a segment has twice counts twice: the score is another where sets are filled up."""
    is_slow: bool = False
    """Whether many segments are worth processes of their own."""
    can_resample: bool = False
    """Whether other references can be drawn from those that there are."""
    is_of_sacrebleu: bool = False
    """Whether sacrebleu has it, too."""

    @property
    def told(self) -> str:
        """What it counts, its range, and which end of it is the better one, as the guide of columns has it."""
        scale = "from 0" if self.most is None else f"0 to {self.most:g}"
        return f"{self.help}; {scale}{', less is better' if self.lower_is_better else ''}"

    def as_sacrebleu(self, settings: MetricSettings, *, smoothed: bool, segments: bool) -> MetricSettings:
        """The settings as sacrebleu has them for whole systems or for ``segments``, where nothing else was said.

        ``smoothed``: whether the smoothing was.
        """
        return settings

    @abstractmethod
    def complete(self, asked: MetricSettings) -> MetricSettings:
        """The settings with all that was not given, and without what this metric does not know."""

    @abstractmethod
    def label(self, settings: MetricSettings) -> str:
        """What the metric is called in a table: BLEUw4, BLEUc18, NISTw5, mWER, chrF2 ..."""

    @abstractmethod
    def measure(self, settings: MetricSettings, references: SegmentReferences) -> Measure:
        """The metric with these references.

        Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, and
        UsageError where a package is missing.
        """

    def tokenisation(self, settings: MetricSettings) -> str:
        """How texts are cut, as the signature has it. Raises UsageError where a package is missing."""
        return versioned_tokenisation(settings.tokenisation or "none")

    def smoothing(self, settings: MetricSettings) -> str | None:
        """The smoothing as the signature has it; None for a metric without."""
        return None

    def of_segments(self, settings: MetricSettings) -> MetricSettings:
        """The settings for the score of a single segment, where these are for the whole."""
        return settings

    def remark(self, settings: MetricSettings, statistics: I64 | F64) -> str | None:
        """What someone should know of the score of these summed statistics, if anything: "is 0: no 4-gram ..."."""
        return None

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        """What the score of these summed statistics is made of; empty for a metric that does not tell."""
        return {}

    def format_details(self, details: Details) -> str:
        return ", ".join(
            f"{name.replace('_', ' ')} {0.0 if isinstance(value, list) else value:,.10g}"
            for name, value in details.items()
        )

    def signature(self, settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
        """How scores are computed, with the number of references of each segment and the digest of the set."""
        return Signature(
            metric=settings.metric,
            order=settings.order,
            unit=settings.unit,
            case="lc" if settings.lowercase else "mixed",
            tokenisation=self.tokenisation(settings),
            smoothing=self.smoothing(settings),
            references=ReferenceCounts.of(counts),
            digest=digest[:DIGEST_LENGTH],
        )


@dataclass(frozen=True, slots=True)
class Measure(ABC):
    """A metric with the references of every segment, for any number of systems."""

    metric: Metric
    settings: MetricSettings
    counts: tuple[int, ...]

    @abstractmethod
    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        """The statistics of each segment: shape (segments, columns), whose rows can be added.

        Raises InputError unless there is one hypothesis for every segment.
        """

    @abstractmethod
    def scores(self, statistics: I64 | F64) -> F64:
        """Statistics of shape (..., columns) to scores of shape (...), on the scale in which they are printed."""

    def statistics_of_systems(self, systems: Sequence[Sequence[str]]) -> I64 | F64:
        """Those of several systems: shape (systems, segments, columns). Raises InputError as ``statistics``."""
        return np.array([self.statistics(each) for each in systems])

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> I64 | F64:
        """The statistics of the segments from the number ``first``, from 0, on, where the metric is slow; as those of
        all segments are, one after the other. Raises InputError as ``statistics``."""
        raise NotImplementedError

    def statistics_of_scores(self, segments: F64) -> F64 | None:
        """The statistics of the scores of segments, shape (..., segments); None where these do not tell them."""
        return None

    @property
    def label(self) -> str:
        return self.metric.label(self.settings)

    @property
    def of_segments(self) -> Measure:
        """The same for single segments, from the same statistics; scores of segments are computed by no other."""
        return replace(self, settings=self.metric.of_segments(self.settings))

    def signature(self, digest: str) -> Signature:
        """How these scores are computed, with the digest of the reference set in hexadecimal."""
        return self.metric.signature(self.settings, self.counts, digest)

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        """The same with other references: see resampled_references. Raises UsageError where they cannot be drawn."""
        raise UsageError(f"the references of {self.settings.metric} cannot be resampled")


class UnitMetric(Metric):
    """A metric that counts units, words or characters, which this package cuts and numbers."""

    orders: Mapping[str, int] = {}
    """The longest n-grams in each unit unless something else is asked for; empty for a metric that counts none."""
    takes_smoothing: bool = False
    can_resample: bool = True

    @abstractmethod
    def statistics(self, hypotheses: Sequences, references: References, settings: MetricSettings) -> I64 | F64:
        """The statistics of each segment: shape (segments, columns), whose rows can be added.

        Raises InputError unless there is one hypothesis for every segment.
        """

    def statistics_of_systems(
        self, systems: Sequence[Sequences], references: References, settings: MetricSettings
    ) -> I64 | F64:
        """Those of several systems: shape (systems, segments, columns)."""
        return np.array([self.statistics(each, references, settings) for each in systems])

    @abstractmethod
    def scores(self, statistics: I64 | F64, settings: MetricSettings) -> F64:
        """Statistics of shape (..., columns) to scores of shape (...), on the scale in which they are printed."""

    def complete(self, asked: MetricSettings) -> MetricSettings:
        unit = "char" if asked.tokenisation == "char" else asked.unit
        # To cut texts differently asks for no other order: sacrebleu's characters are of order 4, too.
        default = self.orders.get(asked.unit)
        return replace(
            asked,
            unit=unit,
            tokenisation=asked.tokenisation or _TOKENISATIONS[unit],
            order=None if default is None else asked.order or default,
            smoothing=asked.smoothing if self.takes_smoothing else NO_SMOOTHING,
        )

    def label(self, settings: MetricSettings) -> str:
        return f"{self.heading}{settings.unit[0]}{settings.order or ''}"

    def measure(self, settings: MetricSettings, references: SegmentReferences) -> UnitMeasure:
        return UnitMeasure(self, settings, references.counts, references.cut(settings))

    def smoothing(self, settings: MetricSettings) -> str | None:
        return str(settings.smoothing) if self.takes_smoothing else None


@dataclass(frozen=True, slots=True)
class UnitMeasure(Measure):
    metric: UnitMetric
    references: References = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        return self.metric.statistics(self.references.encode(hypotheses), self.references, self.settings)

    def statistics_of_systems(self, systems: Sequence[Sequence[str]]) -> I64 | F64:
        encoded = self.references.encode_all(systems)
        return self.metric.statistics_of_systems(encoded, self.references, self.settings)

    def scores(self, statistics: I64 | F64) -> F64:
        return self.metric.scores(statistics, self.settings)

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        for references in resampled_references(self.references, draws, seed=seed):
            yield replace(self, references=references, counts=tuple(references.counts.tolist()))
