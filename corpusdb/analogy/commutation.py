"""Which slots can take part in an analogy, and which fillers commute in how many contexts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpusdb.analogy.slots import Slots
from corpusdb.arrays import I64

__all__ = ["MAX_FILLERS", "SlotIndex", "count_commutations", "index_slots"]

_PAIRS_AT_ONCE = 8_000_000

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
    slots = slots[np.lexsort((slots.stop, slots.start, slots.sentence))]
    context, first, context_fillers = _numbered(slots.context)
    contexts = slots[first]
    usable = np.flatnonzero(context_fillers[context] <= max_fillers)
    usable = usable[_in_groups(slots.filler[usable], at_least=2)]
    slots, context = slots[usable], context[usable]
    filler, first, filler_contexts = _numbered(slots.filler)
    order = np.lexsort((filler, context))
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
    order = np.argsort(values, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], values[order][1:] != values[order][:-1]])) if len(values) else order
    sizes = np.diff(np.append(begins, len(values)))
    return np.sort(order[np.repeat(sizes >= at_least, sizes)])


def _numbered(values: I64) -> tuple[I64, npt.NDArray[np.intp], I64]:
    """Each value as a number in order of first occurrence, where each first occurs, and how often."""
    _, first, inverse, counts = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[inverse], first[order], counts[order].astype(np.int64)


def count_commutations(slot_context: I64, slot_filler: I64) -> tuple[I64, I64, I64]:
    """Pairs of fillers x < y that stand together in two contexts or more: x, y and the number of those contexts.

    The slots must come by context and then by filler, as SlotIndex has them. Pairs are ascending. Their number is
    bounded by max_fillers; they are counted in parts, so that memory is bounded too.
    """
    if len(slot_context) == 0:
        return slot_context, slot_context, slot_context
    begins = np.flatnonzero(np.concatenate([[True], slot_context[1:] != slot_context[:-1]]))
    sizes = np.diff(np.append(begins, len(slot_context)))
    rank = np.arange(len(slot_context)) - np.repeat(begins, sizes)
    following = np.repeat(sizes, sizes) - rank - 1
    fillers = int(slot_filler.max()) + 1
    found: list[tuple[I64, I64]] = []
    for chosen in _parts_by_filler(slot_filler, following, fillers):
        repeats = following[chosen]
        first = np.repeat(chosen, repeats)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        pairs, counts = np.unique(slot_filler[first] * fillers + slot_filler[second], return_counts=True)
        found.append((pairs[counts >= 2], counts[counts >= 2]))
    pairs, counts = np.concatenate([pair for pair, _ in found]), np.concatenate([count for _, count in found])
    return pairs // fillers, pairs % fillers, counts.astype(np.int64)


def _parts_by_filler(slot_filler: I64, following: I64, fillers: int) -> list[npt.NDArray[np.intp]]:
    """The slots in parts of a bounded number of pairs, cut between fillers so that each pair is counted in one part."""
    by_filler = np.bincount(slot_filler, weights=following, minlength=fillers)
    part_of_filler = (np.cumsum(by_filler) // _PAIRS_AT_ONCE).astype(np.int64)
    part = part_of_filler[slot_filler]
    return [np.flatnonzero(part == number) for number in range(int(part_of_filler[-1]) + 1)]
