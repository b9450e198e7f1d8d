"""Fluency by N-sequences: up to which N all runs of N characters of a text were seen.

Lepage & Denoual 2005, section 4.4: a candidate survives when each of its sequences of N characters occurs in the
corpus. Here a line break marks the beginning and the end of every sentence and counts as a character of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np

from corpusdb.base.arrays import I32, I64, is_new
from corpusdb.base.ngrams import Fingerprints
from corpusdb.corpus.model import NO_LIMIT


def hashes_within(sentence: str) -> I64:
    """The hashes of all sequences of a sentence between its marks, of every length; one may come again."""
    prints = Fingerprints(f"\n{sentence}\n")
    return np.concatenate([prints.windows(size) for size in range(1, prints.size + 1)]).view(np.int64)


def _orders(texts: Sequence[str], longest: Callable[[str], I32]) -> tuple[I64, I64, I64, I64]:
    """The columns of Fluency, of each text; the hashes are 0 where there is no limit.

    A sequence of N characters at an offset was seen when at least N characters from there on were; so the order is the
    smallest such length among the offsets from which not all the rest was seen.
    """
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
    return order, inner_order, unseen, inner_unseen


def _smallest(seen: I64, offsets: I64, owner: I64, ends: I64, prints: Fingerprints) -> tuple[I64, I64]:
    """For each text the smallest number of characters seen from an offset on, of those with an unseen rest."""
    blocked = np.flatnonzero(offsets + seen < ends[owner])  # by text, since the offsets ascend
    order, unseen = np.full(len(ends), NO_LIMIT, dtype=np.int64), np.zeros(len(ends), dtype=np.int64)
    if not len(blocked):
        return order, unseen
    of_text, lengths = owner[blocked], seen[blocked]
    begins = np.flatnonzero(is_new(of_text))
    least = np.repeat(np.minimum.reduceat(lengths, begins), np.diff(begins, append=len(blocked)))
    shortest = np.flatnonzero(lengths == least)
    chosen = blocked[shortest[is_new(of_text[shortest])]]
    texts = owner[chosen]
    order[texts] = seen[chosen]
    unseen[texts] = prints.of(offsets[chosen], offsets[chosen] + seen[chosen] + 1).view(np.int64)
    return order, unseen


class Fluency(NamedTuple):
    """The fluency of one text, under the names that the table of candidates has for it."""

    fluency: int
    """The largest N for which all N-sequences were seen; NO_LIMIT when the text was seen whole."""
    inner_fluency: int
    """The same without the marks at the ends; never less."""
    unseen: int | None
    """Hash of the first unseen sequence of fluency + 1 characters."""
    inner_unseen: int | None


def fluency_of(texts: Collection[str], longest: Callable[[str], I32]) -> dict[str, Fluency]:
    """The fluency of each text; ``longest`` tells for each offset how many characters from there on were seen."""
    distinct = sorted(set(texts))
    if not distinct:
        return {}
    columns = (column.tolist() for column in _orders(distinct, longest))
    return {
        text: Fluency(order, inner, unseen or None, inner_unseen or None)
        for text, order, inner, unseen, inner_unseen in zip(distinct, *columns, strict=True)
    }


# Fluency of rewordings of a sentence that was not seen: its own sequences of characters count as seen.
# What a person wrote needs no proof that it can be written. So the order of such a rewording says how long the
# sequences may be that its new part makes with what stands beside it.


def rewording_orders(
    seed: str, rewording: str, begin: int, stop: int, longest: Callable[[str, int], int]
) -> tuple[int, int]:
    """The largest N for which all N-sequences of ``rewording`` were seen or stand in ``seed``, and without the marks.

    The two texts are the same before ``begin`` and from ``stop`` on, offsets in ``rewording``. ``longest`` tells how
    many characters of a text from an offset on were seen. NO_LIMIT where the whole was seen; the second is never less.
    """
    own, text = f"\n{seed}\n", f"\n{rewording}\n"
    order = inner_order = NO_LIMIT
    # From stop on all the rest stands in the seed. From the right, since what stands far to the left of the change
    # is seen for longer than the order can still be.
    for offset in range(stop, -1, -1):
        alike = max(begin + 1 - offset, 0)
        if alike >= inner_order:
            break
        seen = longest(text, offset)
        if offset + seen < len(text):
            seen = _longest_within(own, text, offset, max(seen, alike))
        if offset + seen < len(text):
            order = min(order, seen)
        if offset and offset + seen < len(text) - 1:
            inner_order = min(inner_order, seen)
    return order, inner_order


def _longest_within(own: str, text: str, offset: int, seen: int) -> int:
    """How many characters of ``text`` from ``offset`` on stand in ``own``, or ``seen`` if that is more."""
    while offset + seen < len(text) and text[offset : offset + seen + 1] in own:
        seen += 1
    return seen
