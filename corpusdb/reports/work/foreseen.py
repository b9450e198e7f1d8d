"""What a piece of work is about to take, in a line; and a warning where the disk has no room for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from corpusdb.queries.chain.expected_work import Range
    from corpusdb.queries.chain.foreseen import Foreseen

__all__ = ["foreseen_told", "room_warning"]

_WORTH_SAYING: Final = 10.0
"""Seconds: who waits for less does not ask how long it takes."""


def foreseen_told(foreseen: Foreseen) -> str | None:
    """Time, memory and the size of the file afterwards, as ranges; None for work that is done in a moment.

    Seconds are those of a core that has nothing else to do.
    """
    expected = foreseen.expected
    if expected.seconds.high < _WORTH_SAYING:
        return None
    size, growth = foreseen.size, expected.growth
    told = f"{_sizes(size + growth.low, size + growth.high)}"
    return (
        f"about {_times(expected.seconds)}, {_sizes(expected.memory.low, expected.memory.high)} of memory,"
        f" {f'the file grows to {told}' if size else f'a file of {told}'}"
    )


def room_warning(foreseen: Foreseen) -> str | None:
    """That the disk may be too small, if it may: where the most that is expected is more than it has left."""
    expected, free = foreseen.expected, foreseen.free
    low, high = (getattr(expected.growth, end) + getattr(expected.beside, end) for end in ("low", "high"))
    if free is None or free >= high:
        return None
    return f"the disk has {_size(free)} left, and this takes about {_sizes(low, high)} of it"


def _times(seconds: Range) -> str:
    """In the largest unit of which the most is one and a half or more; rounded outwards."""
    for name, length in (("hours", 3600), ("minutes", 60)):
        if seconds.high >= 1.5 * length:
            return _span(max(1, math.floor(seconds.low / length)), math.ceil(seconds.high / length), name)
    return _span(max(1, math.floor(seconds.low)), math.ceil(seconds.high), "seconds")


def _span(low: int, high: int, unit: str) -> str:
    return f"{high:,} {unit}" if low == high else f"{low:,} to {high:,} {unit}"


def _sizes(low: float, high: float) -> str:
    """Two sizes in the unit of the larger."""
    least, most = _number(low, _unit(high)), _size(high)
    return most if most.startswith(f"{least} ") else f"{least} to {most}"


def _size(size: float) -> str:
    return f"{_number(size, _unit(size))} {_UNITS[_unit(size)]}"


_UNITS: Final = {1e9: "GB", 1e6: "MB", 1e3: "kB"}


def _unit(size: float) -> float:
    return 1e9 if size >= 0.995e9 else 1e6 if size >= 0.1e6 else 1e3


def _number(size: float, unit: float) -> str:
    """To two digits, as far as they are not smaller than a tenth of the unit."""
    number = size / unit
    if number >= 10:
        digits = len(str(round(number))) - 2
        return f"{round(number, -digits):,.0f}"
    return f"{number:.1f}".removesuffix(".0")
