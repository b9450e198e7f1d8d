"""Hypotheses and references as numbered units, and the n-grams that they share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import is_first_of_equals, stable_order
from corpusdb.base.tokenisation import Tokenise

__all__ = [
    "UNKNOWN",
    "Ngram",
    "References",
    "Sequences",
    "Shared",
    "Tokenise",
    "ngrams_up_to",
    "parallel",
    "shared_ngrams",
    "unmatched_ngrams",
]


# Hypotheses and references as numbered units, where every metric of this package begins.
#
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


@dataclass(frozen=True, slots=True)
class References:
    """The references of every segment, one or more each."""

    sequences: Sequences
    """All references, those of the first segment first."""
    counts: I64
    """How many references each segment has."""
    vocabulary: Mapping[str, int]
    """The number of every unit, from 0."""
    tokenise: Tokenise

    @classmethod
    def of(cls, references: Sequence[Sequence[str]], tokenise: Tokenise) -> References:
        """The references of each segment; one list for each segment, not one for each translator.

        Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, which is
        not the same as a missing one: its length of 0 would switch off the brevity penalty. Also without segments.
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
        vocabulary: defaultdict[str, int] = defaultdict()
        vocabulary.default_factory = vocabulary.__len__
        cut = map(tokenise, chain.from_iterable(references))
        sequences = _sequences(cut, lambda units: map(vocabulary.__getitem__, units))
        counts = np.array([len(texts) for texts in references], dtype=np.int64)
        return cls(sequences, counts, dict(vocabulary), tokenise)

    @property
    def firsts(self) -> I64:
        """The number of the first reference of each segment, and behind the last of these the number of all."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.counts)])

    @property
    def segments(self) -> I64:
        """The number of the segment of each reference."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def encode(self, hypotheses: Sequence[str]) -> Sequences:
        """One system's output, a text for each segment; an empty one is legal and has no units.

        Raises InputError if there are more or fewer texts than segments.
        """
        if len(hypotheses) != len(self.counts):
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {len(self.counts)} segments")
        vocabulary = self.vocabulary
        return _sequences(map(self.tokenise, hypotheses), lambda units: map(vocabulary.get, units, repeat(UNKNOWN)))

    def subset(self, chosen: npt.NDArray[np.bool_]) -> References:
        """Only the references that ``chosen`` is true for; InputError where a segment is left without any."""
        counts = np.bincount(self.segments[chosen], minlength=len(self.counts))
        if not counts.all():
            raise InputError("no reference of the segment was chosen", line=int(np.argmin(counts)) + 1)
        lengths = self.sequences.lengths
        kept = Sequences(self.sequences.units[np.repeat(chosen, lengths)], lengths[chosen])
        return References(kept, counts, self.vocabulary, self.tokenise)


def parallel(hypotheses: Sequences, references: References) -> None:
    """Raise InputError unless there is one hypothesis for every segment."""
    if len(hypotheses.lengths) != len(references.counts):
        raise InputError(f"{len(hypotheses.lengths)} hypotheses for {len(references.counts)} segments")


def _sequences(texts: Iterable[Sequence[str]], numbers: Callable[[Iterable[str]], Iterable[int]]) -> Sequences:
    cut = list(texts)
    lengths = np.array([len(units) for units in cut], dtype=np.int64)
    units = np.fromiter(numbers(chain.from_iterable(cut)), dtype=np.int64, count=int(lengths.sum()))
    return Sequences(units, lengths)


# The n-grams that a hypothesis shares with its references, of all orders in one pass over a whole corpus.
#
# An n-gram that is not shared cannot be part of a longer one that is. So the places where shared n-grams begin are
# kept from order to order and fewer and fewer remain; an n+1-gram is known by the numbers of the two n-grams in it.
# Nothing is hashed: the counts are exact.


_BATCH = 1 << 17
"""Units treated at once, unless one segment has more: what is sorted together should fit in the cache."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The different n-grams of one order that hypothesis and references of a segment share; one row for each."""

    order: int
    segments: I64
    counts: I64
    """How often it stands in the hypothesis, at most as often as in the reference that has it most often (clipping)."""
    places: I64
    """Where it stands once: an offset into the units of the references."""


@dataclass(frozen=True, slots=True)
class _Text:
    """The hypotheses of some segments, then their references, laid end to end; one row for each unit."""

    units: I64
    sequence: I64
    segment: I64
    room: I64
    """How many units there are from here to the end of the text."""
    hypothesis_units: int
    """Units before this one belong to hypotheses."""


def shared_ngrams(hypotheses: Sequences, references: References, order: int) -> Iterator[Shared]:
    """The shared n-grams of every order from 1 to ``order``, in batches of whole segments, ascending.

    Raises InputError unless there is one hypothesis for every segment. Memory: about 100 bytes a unit of a batch.
    """
    parallel(hypotheses, references)
    starts, reference_starts, firsts = hypotheses.starts, references.sequences.starts, references.firsts
    ends = starts[1:] + reference_starts[firsts[1:]]
    first = 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _BATCH, side="right")))
        offset = int(reference_starts[firsts[first]])
        for shared in _shared(_text(hypotheses, references, first, last), order):
            yield Shared(shared.order, shared.segments + first, shared.counts, shared.places + offset)
        first = last


def _text(hypotheses: Sequences, references: References, first: int, last: int) -> _Text:
    """The segments from ``first`` up to, not including, ``last``."""
    counts, firsts = references.counts[first:last], references.firsts
    rows = slice(firsts[first], firsts[last])
    starts, reference_starts = hypotheses.starts, references.sequences.starts
    own = hypotheses.units[starts[first] : starts[last]]
    theirs = references.sequences.units[reference_starts[rows.start] : reference_starts[rows.stop]]
    lengths = np.concatenate([hypotheses.lengths[first:last], references.sequences.lengths[rows]])
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    segment_of = np.concatenate([np.arange(last - first), np.repeat(np.arange(last - first), counts)])
    room = np.cumsum(lengths)[sequence] - np.arange(len(sequence))
    return _Text(np.concatenate([own, theirs]), sequence, segment_of[sequence], room, len(own))


def _shared(text: _Text, order: int) -> Iterator[Shared]:
    """The shared n-grams of one batch, with segments and places counted from its beginning."""
    at = np.flatnonzero(text.units != UNKNOWN)
    size = int(text.units.max(initial=0)) + 1
    keys, distinct = text.segment[at] * size + text.units[at], (int(text.segment.max(initial=0)) + 1) * size
    numbers = np.full(len(text.units) + 1, -1)  # of the shared n-gram that begins there, by offset
    for n in range(1, order + 1):
        if not len(at):
            return
        # Stable, because the places of each n-gram must stay in the order of the text: hypothesis, references.
        ranks = stable_order(keys, distinct)
        keys, at = keys[ranks], at[ranks]
        begins = np.flatnonzero(is_first_of_equals(keys))
        counts = _clipped(text, at, begins)
        found = np.flatnonzero(counts)
        last_places = np.append(begins[1:], len(at))[found] - 1  # a reference's, since those stand behind
        yield Shared(n, text.segment[at[begins[found]]], counts[found], at[last_places] - text.hypothesis_units)

        number_of = np.full(len(begins), -1)
        number_of[found] = np.arange(len(found))
        numbers.fill(-1)
        numbers[at] = np.repeat(number_of, np.diff(begins, append=len(at)))
        at = at[(numbers[at] >= 0) & (text.room[at] > n)]
        at = at[numbers[at + 1] >= 0]
        keys, distinct = numbers[at] * len(found) + numbers[at + 1], len(found) ** 2


def _clipped(text: _Text, at: I64, begins: I64) -> I64:
    """The clipped count of each n-gram; ``at`` holds its places, sorted, from the offset in ``begins`` on."""
    is_new: npt.NDArray[np.bool_] = np.zeros(len(at), dtype=np.bool_)
    is_new[begins] = True
    sequence = text.sequence[at]
    is_new[1:] |= sequence[1:] != sequence[:-1]
    runs = np.flatnonzero(is_new)  # the occurrences of one n-gram in one text
    sizes = np.diff(runs, append=len(at))
    is_hypothesis = at[runs] < text.hypothesis_units
    firsts = np.searchsorted(runs, begins)
    own = np.where(is_hypothesis[firsts], sizes[firsts], 0)
    best = np.maximum.reduceat(np.where(is_hypothesis, 0, sizes), firsts)
    return np.minimum(own, best)


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
