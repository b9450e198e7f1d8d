"""Exchange rates: how often sentences that differ in nothing but an exchange of words share a translation.

Over all pairs of sentences in one context with the fillers u and v: how many share a translation (O), against how many
would if the exchange kept the meaning (E, by the numbers of their translations). Both are symmetric in u and v.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.exchange.sharing import SharedTranslations, sharing_expected

__all__ = ["WHOLE", "Instances", "Totals", "find_instances", "sharing_of", "totals_by"]

WHOLE = 1 << 20
"""E is summed in parts of this, as whole numbers, so that the sum does not depend on an order."""
_PAIRS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Instances:
    """The pairs of slots in one context whose fillers are one of the exchanges asked for."""

    exchange: I64
    """Place in the list of exchanges."""
    context: I64
    one: I64
    """The sentences."""
    other: I64

    def __len__(self) -> int:
        return len(self.exchange)

    def repeated(self) -> I64:
        """The places of those of which another has the same exchange and the same two sentences, by these.

        Where what is inserted stands there already, it is inserted before or behind that: that (that) that.
        """
        low, high = np.minimum(self.one, self.other), np.maximum(self.one, self.other)
        order = np.lexsort((self.exchange, high, low))
        columns = [column[order] for column in (low, high, self.exchange)]
        same = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        return np.asarray(order[(np.append(False, same) | np.append(same, False))[: len(order)]])

    def without(self, dropped: I64) -> Instances:
        """All but those at some places."""
        columns = self.exchange, self.context, self.one, self.other
        return Instances(*(np.delete(column, dropped) for column in columns))


def find_instances(context: I64, filler: I64, sentence: I64, exchanges: I64, fillers: int) -> Instances:
    """The instances of ``exchanges``, ascending codes, in slots that come by context and then by filler."""
    exchanged = np.zeros(fillers, dtype=np.bool_)
    exchanged[exchanges // fillers] = exchanged[exchanges % fillers] = True
    # Pairs grow faster than anything else: those of a filler that no exchange has are not made.
    chosen = exchanged[filler]
    context, filler, sentence = context[chosen], filler[chosen], sentence[chosen]
    begins = np.flatnonzero(np.concatenate([[True], context[1:] != context[:-1]])[: len(context)])
    sizes = np.diff(np.append(begins, len(context)))
    following = np.repeat(begins + sizes, sizes) - np.arange(len(context)) - 1
    before = np.cumsum(following)
    cuts = np.searchsorted(before, np.arange(_PAIRS_AT_ONCE, before[-1] if len(before) else 0, _PAIRS_AT_ONCE))
    parts = []
    for start, stop in zip([0, *cuts], [*cuts, len(context)], strict=True):
        repeats = following[start:stop]
        first = np.repeat(np.arange(start, stop), repeats)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        codes = filler[first] * fillers + filler[second]
        place, known = places(exchanges, codes)
        parts.append((place[known], first[known], second[known]))
    exchange, first, second = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Instances(exchange, context[first], sentence[first], sentence[second])


def places(ascending: I64, wanted: I64) -> tuple[I64, Bools]:
    """Where each of ``wanted`` stands in an ascending array, and whether it does; 0 where not."""
    if len(ascending) == 0:
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    known = ascending[place] == wanted
    return np.where(known, place, 0), known


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the instances of each key; arrays by key."""

    keys: I64
    """Ascending."""
    pairs: I64
    shared: I64
    """O: pairs that share a translation."""
    expected: I64
    """E, in parts of WHOLE."""


def totals_by(keys: I64, shared: Bools, expected: F64) -> Totals:
    """The sums over instances with the same key."""
    found, place = np.unique(keys, return_inverse=True)
    parts = np.rint(expected * WHOLE)
    pairs, having, of = (np.bincount(place, weights, len(found)) for weights in (None, shared, parts))
    return Totals(found, pairs.astype(np.int64), having.astype(np.int64), of.astype(np.int64))


def sharing_of(instances: Instances, shared: SharedTranslations, recalls: F64) -> tuple[Bools, F64]:
    """Languages by instances, and in a last row for any language: whether a pair shares, and how probable that was."""
    having = shared.languages_shared(instances.one, instances.other)
    recalled = shared.recalled(recalls, instances.one, instances.other)
    return (
        np.concatenate([having, having.any(axis=0, keepdims=True)]),
        np.concatenate([recalled, sharing_expected(recalled)[None]]),
    )
