"""How large a number may be that somebody gives: on the command line, in a query, in a file.

And how large a probability may look that is shown: what is below 1 never as 1, which a filter at 1 would let pass, and
a p-value never as 0.
"""

from __future__ import annotations

from math import floor
from typing import Final

__all__ = ["LARGEST", "number_of", "p_value_told", "probability_told", "rounded_probability", "share_told"]

LARGEST: Final = 2**31 - 1
"""Of numbers that have no smaller bound of their own: SQLite and numpy could take more, nothing here has as many."""

_MOST_DIGITS: Final = len(str(LARGEST))
_ALMOST: Final = 10_000
_LEAST_P: Final = 0.001


def number_of(digits: str) -> int:
    """The number that decimal digits write, at most LARGEST: Python refuses to read more than 4,300 of them."""
    if len(digits) > _MOST_DIGITS:
        digits = digits.lstrip("0")[: _MOST_DIGITS + 1] or "0"
    return min(int(digits), LARGEST)


def rounded_probability(value: float, digits: int = 3) -> float:
    """The value with so many decimals; with four and rounded down where it would round up to 1."""
    rounded = round(value, digits)
    return rounded if rounded < 1 or value >= 1 else floor(value * _ALMOST) / _ALMOST


def probability_told(value: float) -> str:
    """The value with three decimals, or with four where three would make it 1."""
    rounded = rounded_probability(value)
    return f"{rounded:.3f}" if round(rounded, 3) == rounded else f"{rounded:.4f}"


def p_value_told(value: float) -> str:
    """A p-value with three decimals behind its sign, ``= 0.012``; ``< 0.001`` where these would hide how small it is.

    The one form of it wherever people read it: tests over a thousand samples give no less than 1/1001.
    """
    return f"< {_LEAST_P}" if value < _LEAST_P else f"= {value:.3f}"


def share_told(value: float) -> str:
    """In per cent with one decimal: 99.7%, and >99.9% for what is almost all."""
    told = f"{value:.1%}"
    return ">99.9%" if told == "100.0%" and value < 1 else told
