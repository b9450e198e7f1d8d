"""Slots, which of them can take part in an analogy, and which fillers commute in how many contexts.

Slots: sentences with one run of units taken out. What is left is the context, what was taken out the filler.
Two sentences in one context with two fillers, and two in another context with the same two fillers, are an analogy:
c'[y] : c[y] :: c'[x] : c[x]. (Lepage & Denoual 2005, section 4.3, call such exchanges commutations.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I32, I64, Bools, distinct, grouped, places_in
from corpusdb.base.ngrams import Fingerprints, combined
from corpusdb.base.text import MAX_SENTENCE_UNITS
from corpusdb.paraphrase.units import unit_boundaries

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
    owner, bound = unit_boundaries(texts, starts)
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


_PAIRS_AT_ONCE = 2_000_000
_LOW = (1 << 32) - 1
"""The lower half of a pair of fillers, which are far fewer than 2**31, in one number."""

MAX_FILLERS = 2000
"""A context that more sentences have than this, such as ``I _.``, is too common to say anything and is left out."""


@dataclass(frozen=True, slots=True)
class SlotIndex:
    """Contexts and fillers, numbered from 0 in the order in which they first stand in the corpus, and the slots kept.

    A context is kept when two sentences have it. A slot is kept when at most ``max_fillers`` sentences have its
    context and its filler stands in two such contexts.
    """

    contexts: Slots
    """The first slot of each context."""
    context_fillers: I64
    """How many sentences have each context."""
    fillers: Slots
    """The first kept slot of each filler."""
    filler_contexts: I64
    """In how many kept slots each filler stands."""
    slot_context: I64
    """For each kept slot, by context and filler: its context, its filler, its sentence."""
    slot_filler: I64
    slot_sentence: I64


def index_slots(slots: Slots, max_fillers: int = MAX_FILLERS) -> SlotIndex:
    """Keep of ``slots``, each sentence's only once, those that can take part in an analogy."""
    shared = _in_groups(slots.context, at_least=2)
    slots = slots[shared]
    width = int(slots.stop.max(initial=0)) + 1
    slots = slots[np.argsort((slots.sentence.astype(np.int64) * width + slots.start) * width + slots.stop)]
    context, first, context_fillers = _numbered(slots.context)
    contexts = slots[first]
    usable = np.flatnonzero(context_fillers[context] <= max_fillers)
    usable = usable[_in_groups(slots.filler[usable], at_least=2)]
    slots, context = slots[usable], context[usable]
    filler, first, filler_contexts = _numbered(slots.filler)
    order = np.argsort(context << 32 | filler)
    return SlotIndex(
        contexts,
        context_fillers,
        slots[first],
        filler_contexts,
        context[order],
        filler[order],
        slots.sentence[order].astype(np.int64),
    )


def _in_groups(values: I64, *, at_least: int) -> npt.NDArray[np.intp]:
    """The places whose value occurs at least so often, ascending."""
    order = np.argsort(values)
    begins = np.flatnonzero(np.concatenate([[True], values[order][1:] != values[order][:-1]])) if len(values) else order
    sizes = np.diff(np.append(begins, len(values)))
    return np.sort(order[np.repeat(sizes >= at_least, sizes)])


def _numbered(values: I64) -> tuple[I64, npt.NDArray[np.intp], I64]:
    """Each value as a number in order of first occurrence, where each first occurs, and how often."""
    found = grouped(values)
    order = np.argsort(found.first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[found.group], found.first[order], found.counts[order]


def asked_pairs(slot_context: I64, slot_filler: I64, usable: Bools, contexts: I64, fillers: I64) -> I64:
    """The pairs of fillers x < y that some derivation asks for, ascending, each as x * 2**32 + y.

    A slot asks for its filler, if that is usable in its sentence, with each other filler of its context that can be
    replaced in a paraphrase. The slots come by context and then by filler; ``contexts`` and ``fillers`` say which of
    them hold a filler that can, each once and in any order.
    """
    begins = np.searchsorted(slot_context, contexts)
    sizes = np.searchsorted(slot_context, contexts, side="right") - begins
    found = [np.empty(0, dtype=np.int64)]
    part_of = np.cumsum(sizes) // _PAIRS_AT_ONCE
    for part in range(int(part_of[-1]) + 1 if len(part_of) else 0):
        chosen = np.flatnonzero(part_of == part)
        repeats = sizes[chosen]
        slots = np.repeat(begins[chosen] - (np.cumsum(repeats) - repeats), repeats) + np.arange(repeats.sum())
        x, y = slot_filler[slots], np.repeat(fillers[chosen], repeats)
        kept = usable[slots] & (x != y)
        x, y = x[kept], y[kept]
        found.append(distinct(np.minimum(x, y) << 32 | np.maximum(x, y)))
    return distinct(np.concatenate(found))


def count_commutations(slot_context: I64, slot_filler: I64, asked: I64 | None = None) -> tuple[I64, I64, I64]:
    """Pairs of fillers x < y that stand together in two contexts or more: x, y and the number of those contexts.

    Only those that are ``asked`` for, if that is given. The slots must come by context and then by filler, as SlotIndex
    has them. Pairs are ascending. Their number is bounded by max_fillers; they are counted in parts, so that memory is
    bounded too.
    """
    if asked is not None:
        of_asked = np.zeros(int(slot_filler.max(initial=0)) + 1, dtype=bool)
        of_asked[asked >> 32] = of_asked[asked & _LOW] = True
        chosen = of_asked[slot_filler]
        slot_context, slot_filler = slot_context[chosen], slot_filler[chosen]
    if len(slot_context) == 0:
        return slot_context, slot_context, slot_context
    sieve = None if asked is None else Sieve(asked)
    begins = np.flatnonzero(np.concatenate([[True], slot_context[1:] != slot_context[:-1]]))
    sizes = np.diff(np.append(begins, len(slot_context)))
    rank = np.arange(len(slot_context)) - np.repeat(begins, sizes)
    following = np.repeat(sizes, sizes) - rank - 1
    found: list[tuple[I64, I64]] = []
    for chosen in _parts_by_filler(slot_filler, following):
        repeats = following[chosen]
        first = np.repeat(chosen, repeats)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        keys = slot_filler[first] << 32 | slot_filler[second]
        del first, second
        pairs, counts = np.unique(keys if sieve is None else sieve.maybe_among(keys), return_counts=True)
        often = counts >= 2
        pairs, counts = pairs[often], counts[often]
        if sieve is not None:
            among = sieve.among(pairs)
            pairs, counts = pairs[among], counts[among]
        found.append((pairs, counts))
    pairs, counts = np.concatenate([pair for pair, _ in found]), np.concatenate([count for _, count in found])
    return pairs >> 32, pairs & _LOW, counts.astype(np.int64)


class Sieve:
    """Which of many keys are among some others: most that are not are seen at once, by a table of hashes."""

    def __init__(self, keys: I64) -> None:
        self._keys = keys
        bits = min(max(int(len(keys) * 8).bit_length(), 10), 27)
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, dtype=bool)
        self._table[self._places(keys)] = True

    def _places(self, keys: I64) -> npt.NDArray[np.uint64]:
        # Multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4).
        return (keys.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> self._shift

    def maybe(self, keys: I64) -> Bools:
        """Which keys are not surely none of them: those that are, and few others."""
        return self._table[self._places(keys)]

    def maybe_among(self, keys: I64) -> I64:
        """The keys without most of those that are not among them; the order stays."""
        return keys[self.maybe(keys)]

    def among(self, keys: I64) -> Bools:
        return places_in(self._keys, keys)[1]


def _parts_by_filler(slot_filler: I64, following: I64) -> list[npt.NDArray[np.intp]]:
    """The slots in parts of a bounded number of pairs, cut between fillers so that each pair is counted in one part."""
    by_filler = np.bincount(slot_filler, weights=following)
    part_of_filler = (np.cumsum(by_filler) // _PAIRS_AT_ONCE).astype(np.int64)
    part = part_of_filler[slot_filler]
    return [np.flatnonzero(part == number) for number in range(int(part_of_filler[-1]) + 1)]
