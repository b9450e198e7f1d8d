"""Fluency by N-sequences: up to which N all runs of N characters of a text were seen.

Lepage & Denoual 2005, section 4.4: a candidate survives when each of its sequences of N characters occurs in the
corpus. Here a line break marks the beginning and the end of every sentence and counts as a character of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corpusdb.arrays import I32, I64
from corpusdb.ngrams.fingerprints import Fingerprints
from corpusdb.ngrams.fluency_orders import NO_LIMIT

__all__ = ["Fluency", "FluencyOrders", "fluency_of", "fluency_orders", "hashes_within", "sequence_hash"]


@dataclass(frozen=True, slots=True)
class FluencyOrders:
    """One entry for each text; the hashes are 0 where there is no limit."""

    order: I64
    """The largest N for which all N-sequences were seen; NO_LIMIT when the text was seen whole."""
    inner_order: I64
    """The same without the marks at the ends; never less."""
    unseen: I64
    """Hash of the first unseen sequence of order + 1 characters."""
    inner_unseen: I64


def sequence_hash(sequences: Sequence[str]) -> I64:
    """The hash by which FluencyOrders names an unseen sequence."""
    prints = Fingerprints("".join(sequences))
    stops = np.cumsum([len(sequence) for sequence in sequences], dtype=np.int64)
    starts = np.concatenate([[0], stops[:-1]])
    return prints.of(starts, stops).view(np.int64)


def hashes_within(sentence: str) -> I64:
    """The hashes of all sequences of a sentence between its marks, of every length; one may come again."""
    prints = Fingerprints(f"\n{sentence}\n")
    return np.concatenate([prints.windows(size) for size in range(1, prints.size + 1)]).view(np.int64)


def fluency_orders(texts: Sequence[str], longest: Callable[[str], I32]) -> FluencyOrders:
    """The fluency of ``texts``; ``longest`` tells for each offset how many characters from there on were seen.

    A sequence of N characters at an offset was seen when at least N characters from there on were; so the order is the
    smallest such length among the offsets from which not all the rest was seen.
    """
    if not texts:
        nothing = np.zeros(0, dtype=np.int64)
        return FluencyOrders(nothing, nothing, nothing, nothing)
    joined = "\n" + "\n".join(texts) + "\n"
    sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(sizes + 1)  # offsets of the line breaks that end each text
    seen = longest(joined).astype(np.int64)
    prints = Fingerprints(joined)
    # The line break between two texts ends the one and begins the other; each text is looked at from its own.
    owner = np.repeat(np.arange(len(texts)), sizes + 1)
    offsets = np.arange(len(joined) - 1)
    order, unseen = _smallest(seen[:-1], offsets, owner, ends + 1, prints)
    inside = np.flatnonzero(offsets != np.repeat(ends - sizes - 1, sizes + 1))
    inner_order, inner_unseen = _smallest(seen[inside], offsets[inside], owner[inside], ends, prints)
    return FluencyOrders(order, inner_order, unseen, inner_unseen)


def _smallest(seen: I64, offsets: I64, owner: I64, ends: I64, prints: Fingerprints) -> tuple[I64, I64]:
    """For each text the smallest number of characters seen from an offset on, of those with an unseen rest."""
    blocked = np.flatnonzero(offsets + seen < ends[owner])
    order, unseen = np.full(len(ends), NO_LIMIT, dtype=np.int64), np.zeros(len(ends), dtype=np.int64)
    # By text, then by length; the first offset among equals, since lexsort is stable.
    ranking = blocked[np.lexsort((seen[blocked], owner[blocked]))]
    texts, first = np.unique(owner[ranking], return_index=True)
    chosen = ranking[first]
    order[texts] = seen[chosen]
    unseen[texts] = prints.of(offsets[chosen], offsets[chosen] + seen[chosen] + 1).view(np.int64)
    return order, unseen


class Fluency(NamedTuple):
    """The fluency of one text."""

    order: int
    """The largest N for which all N-sequences were seen; NO_LIMIT when the text was seen whole."""
    inner_order: int
    """The same without the marks at the ends."""
    unseen: int | None
    """Hash of the first unseen sequence of order + 1 characters."""
    inner_unseen: int | None


def fluency_of(texts: Collection[str], longest: Callable[[str], I32]) -> dict[str, Fluency]:
    """The fluency of each text; ``longest`` is what fluency_orders takes."""
    distinct = sorted(set(texts))
    orders = fluency_orders(distinct, longest)
    columns = (column.tolist() for column in (orders.order, orders.inner_order, orders.unseen, orders.inner_unseen))
    return {
        text: Fluency(order, inner, unseen or None, inner_unseen or None)
        for text, order, inner, unseen, inner_unseen in zip(distinct, *columns, strict=True)
    }
