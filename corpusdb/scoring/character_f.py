"""chrF (Popović 2015), and chrF++ (2017) with words, as sacrebleu computes them: the F of shared n-grams.

Of several references of a segment the one counts that gives the best score, so that n-grams are counted for each
reference by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from string import punctuation
from typing import Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, is_new
from corpusdb.base.errors import UsageError
from corpusdb.base.ngrams import joined_ranges, stable_order
from corpusdb.scoring.metric import (
    Measure,
    Metric,
    References,
    SegmentReferences,
    Sequences,
    batches,
    parallel,
    resampled_references,
)
from corpusdb.scoring.metric_settings import NO_SMOOTHING, SACREBLEU, MetricSettings, Signature

CHARACTERS: Final = 6
WORDS: Final = 2
"""Of chrF++."""
BETA: Final = 2
_MOST_TOGETHER: Final = 8
"""References whose n-grams are counted beside each other: many of them have few n-grams in common."""


# The n-grams that a hypothesis shares with each reference. An n-gram of up to twice as many units as there are in a
# half is known by the numbers of its two halves. So one sort brings equal n-grams of the longest order together, and
# with them those of all lower orders, which they begin with. Nothing is hashed: the counts are exact.


def matched_ngrams(hypotheses: Sequences, references: References, order: int) -> F64:
    """How many n-grams of every order each reference shares with the hypothesis of its segment.

    Shape (references, ``order``), in whole numbers. An n-gram counts as often as it stands in the text that has it
    less often. Raises InputError unless there is one hypothesis for every segment, and UsageError where
    (different units + 2) ** ((order + 1) // 2) is not below 2 ** 63, which it is for order 6 of any characters.
    """
    parallel(hypotheses, references)
    hypotheses, references = _in_pieces(hypotheses, references)
    firsts = references.firsts
    found = [
        _matched(
            hypotheses.part(first, last),
            references.sequences.part(firsts[first], firsts[last]),
            references.counts[first:last],
            order,
        )
        for first, last in batches([hypotheses], references)
    ]
    return np.concatenate(found)


def _in_pieces(hypotheses: Sequences, references: References) -> tuple[Sequences, References]:
    """With a segment of many references as several with the same hypothesis, each of at most so many references."""
    pieces = -(-references.counts // _MOST_TOGETHER)
    if pieces.max() == 1:
        return hypotheses, references
    owners = np.repeat(np.arange(len(pieces)), pieces)
    counts = np.full(len(owners), _MOST_TOGETHER)
    counts[np.cumsum(pieces) - 1] -= pieces * _MOST_TOGETHER - references.counts
    lengths = hypotheses.lengths[owners]
    units = hypotheses.units[joined_ranges(hypotheses.starts[owners], lengths)]
    return Sequences(units, lengths), replace(references, counts=counts)


def _matched(hypotheses: Sequences, references: Sequences, counts: I64, order: int) -> F64:
    """The same of some segments, of which ``counts`` are the numbers of references."""
    firsts = np.cumsum(counts) - counts
    groups = _Groups.of(hypotheses, references, counts, order)
    found = np.zeros((len(references.lengths), order))
    if not len(groups.segments):
        return found
    begins = np.flatnonzero(is_new(groups.segments))
    segments = groups.segments[begins]
    is_other, new_at = is_new(groups.segments), []
    for units in groups.units:
        is_other = is_other | is_new(units)
        new_at.append(is_other)
    starts = np.arange(len(is_other))
    tables: list[F64 | I64] = list(groups.counts)
    for n in range(order, 0, -1):
        is_first = new_at[n - 1][starts]
        numbers, starts = np.cumsum(is_first) - 1, starts[is_first]
        tables = [np.bincount(numbers, table) for table in tables]
        is_whole = groups.units[n - 1][starts] > 0
        own, begin = tables[0] * is_whole, np.searchsorted(starts, begins)
        for rank, table in enumerate(tables[1:]):
            matched = np.add.reduceat(np.minimum(own, table), begin)
            has_it = counts[segments] > rank
            found[firsts[segments[has_it]] + rank, n - 1] = matched[has_it]
    return found


@dataclass(frozen=True, slots=True)
class _Groups:
    """The different n-grams of the longest order in each segment, ascending; those that a text ends in, too."""

    segments: I64
    units: list[I64]
    """The first unit of each, the second ...: from 1, and 0 behind the end of a text."""
    counts: list[I64]
    """How often each stands in the hypothesis, in the first reference, in the second ..."""

    @classmethod
    def of(cls, hypotheses: Sequences, references: Sequences, counts: I64, order: int) -> _Groups:
        half, every = (order + 1) // 2, np.arange(len(counts))
        lengths = np.concatenate([hypotheses.lengths, references.lengths])
        segments = np.concatenate([every, np.repeat(every, counts)])
        texts = np.zeros(len(lengths), dtype=np.int64)
        texts[len(counts) :] = np.arange(len(references.lengths)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
        units = np.concatenate([hypotheses.units, references.units])
        units += 2  # what is unknown to the references is a unit like the others
        gap = 2 * half - 1
        spread = np.zeros(len(units) + gap * len(lengths) + half, dtype=np.int64)
        spread[np.arange(len(units)) + np.repeat(np.arange(len(lengths)) * gap, lengths)] = units
        numbers, halves = _numbered(spread, half, int(units.max(initial=0)) + 1)
        columns = int(counts.max()) + 1
        bits, text_bits = len(halves[0]).bit_length(), (columns - 1).bit_length()
        keys = np.repeat(segments << (2 * bits + text_bits) | texts, lengths + gap)
        keys |= numbers[:-half] << (bits + text_bits) | numbers[half:] << text_bits
        keys = keys[spread[:-half] > 0]
        keys.sort()
        owners = keys & ((1 << text_bits) - 1)
        keys >>= text_bits
        is_other = is_new(keys)
        numbers, keys = np.cumsum(is_other) - 1, keys[is_other]
        mask = (1 << bits) - 1
        both = (keys >> bits & mask, keys & mask)
        return cls(
            keys >> 2 * bits,
            [units[each] for each in both for units in halves][:order],
            list(np.bincount(numbers * columns + owners, minlength=len(keys) * columns).reshape(-1, columns).T),
        )


def _numbered(units: I64, half: int, size: int) -> tuple[I64, list[I64]]:
    """The number of the ``half`` units from each place on, and for each of these the unit that each number has there.

    Numbers ascend with the units, which are below ``size``; the last places, where fewer are left, have number 0.
    """
    if size**half >= 1 << 63:
        raise UsageError(f"n-grams of so many different units ({size:,}) are too long here: give a lower order")
    keys = units[: len(units) - half].copy()
    for offset in range(1, half):
        keys *= size
        keys += units[offset : len(units) - half + offset]
    order = stable_order(keys, size**half)
    ordered = keys[order]
    is_other = is_new(ordered)
    numbers = np.zeros(len(units), dtype=np.int64)
    numbers[order] = np.cumsum(is_other) - 1
    different = ordered[is_other]
    return numbers, [different // size**place % size for place in reversed(range(half))]


# The F of a row of such numbers, and the metrics.


_Kind: TypeAlias = tuple[References, int]
"""References that are cut into characters or into words, and the longest n-grams of these."""


def f_scores(statistics: F64, beta: int = BETA) -> F64:
    """chrF from 0 to 1: precision and recall are means over the orders that both sides have.

    Shape (..., 3 x orders) to (...). Added up order by order, as sacrebleu does: to the last bit the same.
    """
    precision = recall = orders = np.zeros(statistics.shape[:-1])
    for order in range(0, statistics.shape[-1], 3):
        ours, theirs, both = (statistics[..., order + column] for column in range(3))
        is_there = (ours > 0) & (theirs > 0)
        precision = precision + np.where(is_there, both / np.maximum(ours, 1), 0)
        recall = recall + np.where(is_there, both / np.maximum(theirs, 1), 0)
        orders = orders + is_there
    orders = np.maximum(orders, 1)
    precision, recall = precision / orders, recall / orders
    mean = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / np.where(mean > 0, mean, 1)


def _rows(hypotheses: Sequence[str], kind: _Kind) -> F64:
    """For each order the n-grams of the hypothesis, of the reference, and of both: shape (references, 3 x orders)."""
    references, order = kind
    encoded = references.encode(hypotheses)
    ours, theirs = (
        np.maximum(lengths[:, np.newaxis] - np.arange(order), 0)
        for lengths in (encoded.lengths[references.segments], references.sequences.lengths)
    )
    ours = np.where(theirs > 0, ours, 0)  # as sacrebleu, which counts none where there is nothing to be matched
    rows = np.stack([ours, theirs, matched_ngrams(encoded, references, order)], axis=2)
    return rows.reshape(len(rows), 3 * order)


@dataclass(frozen=True, slots=True)
class ChrfMeasure(Measure):
    kinds: tuple[_Kind, ...] = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        """Those of the best reference of each segment, the first of equals: columns as f_scores takes them."""
        return self.nearest(hypotheses)[0]

    def nearest(self, hypotheses: Sequence[str]) -> tuple[F64, I64]:
        """The same, and which of the references of its segment each of these is, from 0."""
        rows = np.concatenate([_rows(hypotheses, kind) for kind in self.kinds], axis=1)
        references = self.kinds[0][0]
        firsts = references.firsts[:-1]
        if len(rows) == len(self.counts):
            return rows, np.zeros(len(rows), dtype=np.int64)
        scores = f_scores(rows, _beta(self.settings))
        best = np.maximum.reduceat(scores, firsts)
        places = np.flatnonzero(scores == best[references.segments])
        places = places[np.searchsorted(places, firsts)]
        return rows[places], places - firsts

    def scores(self, statistics: I64 | F64) -> F64:
        return 100 * f_scores(statistics.astype(np.float64), _beta(self.settings))

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        drawn = [resampled_references(references, draws, seed=seed) for references, _ in self.kinds]
        for alike in zip(*drawn, strict=True):
            kinds = tuple((each, order) for each, (_, order) in zip(alike, self.kinds, strict=True))
            yield replace(self, kinds=kinds, counts=tuple(alike[0].counts.tolist()))


@dataclass(frozen=True)
class Chrf(Metric):
    """It brings its own units, and takes nothing but ``lowercase``, orders and beta (metrics.with_chrf_options)."""

    name: str
    heading: str
    help: str
    words: int = 0
    most: float | None = 100
    can_resample: bool = True
    is_of_sacrebleu: bool = True

    def as_sacrebleu(self, settings: MetricSettings, *, smoothed: bool, segments: bool) -> MetricSettings:
        return replace(settings, lowercase=False)

    def complete(self, asked: MetricSettings) -> MetricSettings:
        return replace(asked, unit="char", order=CHARACTERS, tokenisation=None, smoothing=NO_SMOOTHING)

    def label(self, settings: MetricSettings) -> str:
        """As in sacrebleu: chrF2++ has a beta of 2, and words up to order 2."""
        return f"chrF{_beta(settings)}{'+' * self._word_order(settings)}"

    def _word_order(self, settings: MetricSettings) -> int:
        return self.words if settings.word_order is None else settings.word_order

    def measure(self, settings: MetricSettings, references: SegmentReferences) -> ChrfMeasure:
        kinds = [(references.cut(replace(settings, tokenisation="char")), settings.order or CHARACTERS)]
        if order := self._word_order(settings):
            fold = str.lower if settings.lowercase else str
            words = References.of(references.texts, lambda text: _words(fold(text)))
            kinds.append((words, order))
        return ChrfMeasure(self, settings, references.counts, tuple(kinds))

    def tokenisation(self, settings: MetricSettings) -> str:
        return f"sacrebleu-{SACREBLEU}"

    def signature(self, settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
        """With all settings that sacrebleu itself tells, as it has them."""
        return replace(
            super().signature(settings, counts, digest),
            effective="yes",
            char_order=str(settings.order or CHARACTERS),
            word_order=str(self._word_order(settings)),
            beta=str(_beta(settings)),
            space="no",
        )


def _beta(settings: MetricSettings) -> int:
    return BETA if settings.beta is None else settings.beta


def _words(text: str) -> list[str]:
    return list(chain.from_iterable(map(_without_mark, text.split())))


@lru_cache(maxsize=1 << 16)
def _without_mark(word: str) -> tuple[str, ...]:
    """A word and the mark at its end or else at its beginning, of which chrF++ makes a word."""
    if len(word) == 1:
        return (word,)
    if word[-1] in punctuation:
        return word[:-1], word[-1]
    return (word[0], word[1:]) if word[0] in punctuation else (word,)


_TOLD: Final = f"F of n-grams of characters up to order {CHARACTERS}, recall counting double"
CHRF: Final = Chrf("chrf", "chrF2", _TOLD)
CHRF_WITH_WORDS: Final = Chrf("chrf++", "chrF2++", f"{_TOLD}, and of words up to order {WORDS}", WORDS)
