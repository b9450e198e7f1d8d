"""Fluency of rewordings of a sentence that was not seen: its own sequences of characters count as seen.

What a person wrote needs no proof that it can be written. So the order of such a rewording says how long the sequences
may be that its new part makes with what stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable

from corpusdb.ngrams.fluency_orders import NO_LIMIT

__all__ = ["rewording_orders"]


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
