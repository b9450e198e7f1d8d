"""Solving A : B' :: C : x where A and C differ in one filler: that filler of A stands in B' and is replaced there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

__all__ = ["NOWHERE", "UNCLEAR", "filler_places"]

NOWHERE: Final = -1
"""The filler does not stand in the sentence, so that nothing can be put in its place."""

UNCLEAR: Final = -2
"""The filler is empty, stands there more than once, or cuts a unit: the general solver has to find the place."""


def filler_places(fillers: Sequence[str], sentence: str, ends: Collection[int]) -> list[int]:
    """For each filler its offset in ``sentence`` in code points, NOWHERE, or UNCLEAR.

    ``ends`` holds where the units of the sentence end. A place is clear when the filler stands there between unit
    boundaries, and nowhere else.
    """
    places = []
    for filler in fillers:
        at = sentence.find(filler)
        if at < 0:
            places.append(NOWHERE)
        elif not filler or sentence.find(filler, at + 1) >= 0:
            places.append(UNCLEAR)
        else:
            whole = (at == 0 or at in ends) and at + len(filler) in ends
            places.append(at if whole else UNCLEAR)
    return places
