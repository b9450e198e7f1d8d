"""What differs between two sentences: the units between their common beginning and their common end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from corpusdb.text import common_ends, unit_ends

__all__ = ["BEGIN", "END", "Difference", "Exchange", "difference", "differences_apart", "units_beside"]

BEGIN: Final = "^"
END: Final = "$"
"""What stands for the neighbour at the beginning and at the end of a sentence; a unit in a sentence has letters or
marks with the space before them, and these two are compared only where no unit stands."""
_MOST_CELLS = 4_000
"""The largest table that is made to find the regions of a difference; a larger one is a single region."""

Exchange: TypeAlias = tuple[str, str]
"""What stands in the one sentence, and what in the other; a text carries the space before it, and may be empty."""


class Difference(NamedTuple):
    """How one sentence differs from another.

    A named tuple, since there are many of them: a dataclass takes several times as long to make.
    """

    exchange: Exchange
    """Everything between the common beginning and the common end."""
    left: str
    """The last unit of the common beginning, or BEGIN."""
    right: str
    """The first unit of the common end, or END."""
    units: tuple[int, int]
    """The lengths of the two sides of the exchange, in units."""
    regions: tuple[Exchange, ...]
    """The parts of it that differ, each by itself: more than one where units stay the same in between."""

    @property
    def is_replacement(self) -> bool:
        """Whether nothing is only inserted or only left out."""
        return all(before and after for before, after in self.regions)


def difference(seed: Sequence[str], other: Sequence[str]) -> Difference:
    """What differs between two sentences, given as their units; the beginning is cut before the end."""
    begin, end = common_ends(seed, other)
    before, after = seed[begin : len(seed) - end], other[begin : len(other) - end]
    exchange = "".join(before), "".join(after)
    return Difference(
        exchange,
        left=seed[begin - 1] if begin else BEGIN,
        right=seed[len(seed) - end] if end else END,
        units=(len(before), len(after)),
        regions=(exchange,) if set(before).isdisjoint(after) else _regions(before, after),
    )


def differences_apart(seed: Sequence[str], other: Sequence[str], found: Difference) -> tuple[Difference, ...]:
    """How the seed differs from what it is with one region of their difference exchanged, and no other.

    ``found`` is the difference of the two; where it has one region, that is all.
    """
    if len(found.regions) == 1:
        return (found,)
    begin, end = common_ends(seed, other)
    before, after = seed[begin : len(seed) - end], other[begin : len(other) - end]
    return tuple(
        difference(seed, [*seed[: begin + i], *after[j:stop_j], *seed[begin + stop_i :]])
        for i, stop_i, j, stop_j in _places(before, after)
    )


def _regions(before: Sequence[str], after: Sequence[str]) -> tuple[Exchange, ...]:
    return tuple(
        ("".join(before[i:stop_i]), "".join(after[j:stop_j])) for i, stop_i, j, stop_j in _places(before, after)
    )


def _places(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Where the runs of units between those of a longest common subsequence, the first of several, begin and end."""
    rows, columns = len(before), len(after)
    if rows * columns > _MOST_CELLS:
        return [(0, rows, 0, columns)]
    common = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, row = common[i + 1], common[i]
        for j in range(columns - 1, -1, -1):
            row[j] = below[j + 1] + 1 if before[i] == after[j] else max(below[j], row[j + 1])
    found: list[tuple[int, int, int, int]] = []
    i = j = first_i = first_j = 0
    while i < rows and j < columns:
        if before[i] == after[j]:
            if i > first_i or j > first_j:
                found.append((first_i, i, first_j, j))
            i, j = i + 1, j + 1
            first_i, first_j = i, j
        elif common[i + 1][j] >= common[i][j + 1]:
            i += 1
        else:
            j += 1
    if first_i < rows or first_j < columns:
        found.append((first_i, rows, first_j, columns))
    return found


def units_beside(text: str, start: int, stop: int) -> tuple[str, str]:
    """The unit that ends at ``start`` and the one that begins at ``stop``, which are ends of units or of the text."""
    ends = unit_ends(text)
    before, after = BEGIN, END
    if start > 0:
        place = bisect_left(ends, start)
        before = text[ends[place - 1] if place else 0 : start]
    if stop < len(text):
        after = text[stop : ends[bisect_left(ends, stop + 1)]]
    return before, after
