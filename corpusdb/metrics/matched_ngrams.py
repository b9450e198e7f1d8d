"""The n-grams that a hypothesis shares with its references, of all orders in one pass over a whole corpus.

An n-gram that is not shared cannot be part of a longer one that is. So the places where shared n-grams begin are kept
from order to order and fewer and fewer remain; an n+1-gram is known by the numbers of the two n-grams in it. Nothing is
hashed: the counts are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64
from corpusdb.metrics.encoding import UNKNOWN, References, Sequences, parallel
from corpusdb.ngrams.counting import is_first_of_equals, stable_order

__all__ = ["Shared", "shared_ngrams"]

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
