"""The least validity that a filter asks for, moved by keys: in steps that are the smaller, the nearer it is to 1."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

__all__ = ["moved_validity"]

_STEPS: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)


def moved_validity(at: float, by: int) -> float:
    """The next step above ``at``, or below where ``by`` is negative; beyond the ends, ``at`` itself."""
    place = bisect_right(_STEPS, at) if by > 0 else bisect_left(_STEPS, at) - 1
    return _STEPS[place] if 0 <= place < len(_STEPS) else at
