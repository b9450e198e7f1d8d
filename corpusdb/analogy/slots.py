"""Slots: sentences with one run of units taken out. What is left is the context, what was taken out the filler.

Two sentences in one context with two fillers, and two in another context with the same two fillers, are an analogy:
c'[y] : c[y] :: c'[x] : c[x]. (Lepage & Denoual 2005, section 4.3, call such exchanges commutations.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I32, I64
from corpusdb.ngrams.fingerprints import Fingerprints, combined
from corpusdb.text import MAX_SENTENCE_UNITS, needs_slow_units, unit_ends

__all__ = ["MAX_UNITS", "Slots", "cut_shared_slots", "cut_slots", "filler_hashes"]

_SENTENCES_AT_ONCE = 25_000
_MOST_HASH_BITS = 26
"""Of the tables by which a context that nothing shares is seen, which have a byte an entry."""


MAX_UNITS = 8
"""The longest filler, in units: words, clitics and punctuation marks, or characters of scripts without word spaces."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Parallel arrays, one entry a slot."""

    sentence: I32
    """Index of the sentence in the list that was cut."""
    start: I32
    """Where the gap begins in the sentence, in code points."""
    stop: I32
    context: I64
    """Fingerprint of what stands before and after the gap."""
    filler: I64
    """Fingerprint of what was taken out."""

    def __len__(self) -> int:
        return len(self.sentence)

    def __getitem__(self, chosen: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Slots:
        """The slots at ``chosen`` places."""
        return Slots(
            self.sentence[chosen], self.start[chosen], self.stop[chosen], self.context[chosen], self.filler[chosen]
        )


def cut_slots(texts: Sequence[str], max_units: int = MAX_UNITS, max_sentence_units: int = MAX_SENTENCE_UNITS) -> Slots:
    """Every slot of every sentence, with fillers of 0 to ``max_units`` units; the whole sentence is no filler.

    Sentences of more than ``max_sentence_units`` have none.
    They come by the size of the filler in units, then by sentence and place.

    A filler carries the space before it. Memory: about 65 bytes a slot while it runs; an English sentence of nine units
    has about 45 slots.
    """
    joined = "\n".join(texts) + "\n" if texts else ""
    sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    starts = np.cumsum(sizes + 1) - sizes - 1
    owner, bound = _boundaries(texts, starts)
    short_enough = np.bincount(owner, minlength=len(texts)) - 1 <= max_sentence_units
    if not short_enough.all():
        chosen = short_enough[owner]
        owner, bound = owner[chosen], bound[chosen]
    prints = Fingerprints(joined)
    parts = [_slots_of_size(units, owner, bound, starts, sizes, prints) for units in range(max_units + 1)]
    del prints, owner, bound
    # One column after the other, so that never more than one is held twice.
    columns = [list(column) for column in zip(*parts, strict=True)]
    del parts
    merged = []
    while columns:
        merged.append(np.concatenate(columns.pop(0)))
    return Slots(*merged)


def cut_shared_slots(texts: Sequence[str]) -> Slots:
    """The slots of ``cut_slots`` whose context two sentences have, with few others, in another order.

    Three of four contexts of natural text stand in one sentence only, and can take part in nothing. Memory: about 30
    bytes a slot, and 130 MB at most.
    """
    bits = min(max((8 * sum(map(len, texts))).bit_length(), 16), _MOST_HASH_BITS)
    seen, shared = (np.zeros(1 << bits, dtype=bool) for _ in range(2))
    parts: list[Slots] = []
    for first in range(0, len(texts), _SENTENCES_AT_ONCE):
        part = cut_slots(texts[first : first + _SENTENCES_AT_ONCE])
        part.sentence[:] += first
        hashes = np.sort(_short_hashes(part.context, bits))
        shared[hashes[1:][hashes[1:] == hashes[:-1]]] = True
        shared[hashes[seen[hashes]]] = True
        seen[hashes] = True
        parts.append(part)
    del seen
    # Each part is let go as soon as what is shared of it is copied.
    for number, part in enumerate(parts):
        parts[number] = part[shared[_short_hashes(part.context, bits)]]
    if len(parts) == 1:
        return parts[0]
    columns = ((part.sentence, part.start, part.stop, part.context, part.filler) for part in parts)
    return Slots(*map(np.concatenate, zip(*columns, strict=True))) if parts else cut_slots(texts)


def _short_hashes(context: I64, bits: int) -> I32:
    # Fingerprints are mixed, so that any of their bits are as good as others.
    return (context.view(np.uint64) >> np.uint64(64 - bits)).astype(np.int32)


def filler_hashes(fillers: Sequence[str]) -> I64:
    """The fingerprints that Slots has for these fillers."""
    sizes = np.fromiter((len(filler) for filler in fillers), dtype=np.int64, count=len(fillers))
    stops = np.cumsum(sizes)
    return Fingerprints("".join(fillers)).of(stops - sizes, stops).view(np.int64)


def _boundaries(texts: Sequence[str], starts: I64) -> tuple[I32, I64]:
    """The unit boundaries of all sentences, ascending: the sentence of each, and its offset in the joined text."""
    owners, bounds = [np.arange(len(texts), dtype=np.int32)], [starts]
    for slow, members in _by_speed(texts):
        joined = "\n".join(texts[member] for member in members)
        ends = np.array(unit_ends(joined, slow=slow), dtype=np.int64)
        sizes = np.fromiter((len(texts[member]) for member in members), dtype=np.int64, count=len(members))
        first = np.cumsum(sizes + 1) - sizes - 1
        inside = np.searchsorted(first, ends - 1, side="right") - 1
        chosen = np.array(members, dtype=np.int32)[inside]
        owners.append(chosen)
        bounds.append(starts[chosen] + ends - first[inside])
    owner, bound = np.concatenate(owners), np.concatenate(bounds)
    order = np.lexsort((bound, owner))
    return owner[order], bound[order]


def _by_speed(texts: Sequence[str]) -> Iterator[tuple[bool, list[int]]]:
    """The sentences that unit_ends can cut fast, and the others."""
    slow = [needs_slow_units(text) for text in texts]
    for kind in (False, True):
        members = [index for index, needs in enumerate(slow) if needs == kind and texts[index]]
        if members:
            yield kind, members


def _slots_of_size(
    units: int, owner: I32, bound: I64, starts: I64, sizes: I64, prints: Fingerprints
) -> tuple[I32, I32, I32, I64, I64]:
    """The columns of Slots for fillers of exactly ``units`` units."""
    last = max(0, len(bound) - units)
    first = np.flatnonzero(owner[:last] == owner[units : units + last])
    sentence, start, stop = owner[first], bound[first], bound[first + units]
    begin = starts[sentence]
    end = begin + sizes[sentence]
    proper = (start > begin) | (stop < end)
    sentence, start, stop, begin, end = sentence[proper], start[proper], stop[proper], begin[proper], end[proper]
    context = combined(prints.of(begin, start), prints.of(stop, end)).view(np.int64)
    filler = prints.of(start, stop).view(np.int64)
    return sentence, (start - begin).astype(np.int32), (stop - begin).astype(np.int32), context, filler
