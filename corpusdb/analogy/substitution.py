"""Solving A : B' :: C : x where A and C differ in one filler: that filler of A stands in B' and is replaced there."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["substitution_starts"]


def substitution_starts(fillers: Sequence[str], rewording: str, ends: Collection[int]) -> list[int]:
    """For each filler where it stands in ``rewording``, or -1.

    It must stand there once only, and between unit boundaries; ``ends`` holds where the units of ``rewording`` end.
    An empty filler stands nowhere.
    """
    found = []
    for filler in fillers:
        at = rewording.find(filler) if filler else -1
        whole = at >= 0 and (at == 0 or at in ends) and at + len(filler) in ends
        found.append(at if whole and rewording.find(filler, at + 1) < 0 else -1)
    return found
