"""How large a number may be that somebody gives: on the command line, in a query, in a file."""

from __future__ import annotations

from typing import Final

__all__ = ["LARGEST", "number_of"]

LARGEST: Final = 2**31 - 1
"""Of numbers that have no smaller bound of their own: SQLite and numpy could take more, nothing here has as many."""

_MOST_DIGITS: Final = len(str(LARGEST))


def number_of(digits: str) -> int:
    """The number that decimal digits write, at most LARGEST: Python refuses to read more than 4,300 of them."""
    if len(digits) > _MOST_DIGITS:
        digits = digits.lstrip("0")[: _MOST_DIGITS + 1] or "0"
    return min(int(digits), LARGEST)
