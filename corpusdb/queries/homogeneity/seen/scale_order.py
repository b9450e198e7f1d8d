"""The entries of one level in the order of a scale, with running sums, so that any stretch of it costs two look-ups.

The order has those that were clipped to 0 first, then all others by their value, those that were clipped to 1, and at
last those that have no value. Every bar of a histogram, and what lies between two thresholds, is a stretch of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.errors import UsageError
from corpusdb.homogeneity.scale import Statistics, coefficients
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile

__all__ = ["DEFAULT_WIDTH", "SCALES", "WIDTHS", "Bar", "BarKind", "Edges", "Scale", "ScaleOrder", "Stretch"]

Scale: TypeAlias = Literal["I", "J"]
SCALES: Final[tuple[Scale, ...]] = ("I", "J")
WIDTHS: Final = (0.2, 0.1, 0.05, 0.025, 0.01)
"""Of a bar, on either scale."""
DEFAULT_WIDTH: Final = 0.05
_OUTER: Final = 0.002
"""The share of the entries at each end of J that stands in an open bar, so that one strange line moves nothing."""

BarKind: TypeAlias = Literal["bar", "below", "above", "undefined"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbours in the order."""

    first: int
    last: int
    """Exclusive."""
    entries: int
    characters: int
    share: float
    """Of all characters that were measured, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Edges:
    """The first and the last edge of a histogram, in widths of its bars."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Bar:
    """What stands in one bar of the histogram."""

    kind: BarKind
    """On I below and above are what was clipped; on J what lies farther out than the bars."""
    low: float | None
    """Inclusive."""
    high: float | None
    """Exclusive, but for the last one of I."""
    stretch: Stretch


class ScaleOrder:
    """The entries of a level by their value on I or J."""

    def __init__(self, profile: StoredProfile, statistics: Statistics, scale: Scale) -> None:
        """Raises UsageError for J where the references have no linear scale."""
        self.scale = scale
        self.values: F64
        """Of each entry in its own order; not a number where there is none."""
        self.clipped: Bools = np.zeros(len(statistics.characters), dtype=np.bool_)
        if scale == "I":
            found = coefficients(statistics, profile.anchors)
            self.values, self.clipped = found.values, found.clipped
        elif profile.scale is None:
            raise UsageError("these references are too small for the scale J: no text of theirs can be held out")
        else:
            self.values = profile.scale.positions(statistics)
        side = np.where(self.clipped, np.where(self.values > 0, 1, -1), 0)
        self.order: I64 = np.lexsort((self.values, side, np.isnan(self.values)))
        """Places of entries."""
        self._sorted = self.values[self.order]
        self._characters = np.concatenate(([0], np.cumsum(statistics.characters[self.order])))

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def defined(self) -> int:
        """How many entries have a value."""
        return len(self.order) - int(np.isnan(self.values).sum())

    @cached_property
    def _inside(self) -> tuple[int, int]:
        """Where the clipped ones at the lower end are over, and those at the upper end begin."""
        low = int((self.clipped & (self.values <= 0)).sum())
        return low, self.defined - int(self.clipped.sum()) + low

    def stretch(self, first: int, last: int) -> Stretch:
        """Neighbours by their places in the order."""
        last = max(first, last)
        characters = int(self._characters[last] - self._characters[first])
        return Stretch(first, last, last - first, characters, characters / max(int(self._characters[-1]), 1))

    def between(self, low: float, high: float) -> Stretch:
        """The entries with values from ``low`` to ``high``, both inclusive."""
        known = self._sorted[: self.defined]
        return self.stretch(int(np.searchsorted(known, low, "left")), int(np.searchsorted(known, high, "right")))

    def places(self, stretch: Stretch, *, others: bool = False) -> I64:
        """The places of the entries of a stretch, by their value; or of all others, with those that have none."""
        if others:
            return np.concatenate((self.order[: stretch.first], self.order[stretch.last :]))
        return self.order[stretch.first : stretch.last]

    def quantile(self, share: float) -> float | None:
        """The value of the entry below which so much of the others lies; None where none has a value."""
        return float(self._sorted[round(share * (self.defined - 1))]) if self.defined else None

    def bars(self, width: float, edges: Edges | None = None) -> list[Bar]:
        """The histogram from below to above, and at last what has no value; empty bars in between are there too.

        ``edges``, if not those that suit the entries.
        """
        edges = edges or self.edges(width)
        first, last = self._inside
        cuts = first + np.searchsorted(self._sorted[first:last], np.arange(edges.first, edges.last + 1) * width - 1e-12)
        if self.scale == "I":
            cuts[-1] = last
        return list(self._bars(width, edges.first, [int(cut) for cut in cuts]))

    def _bars(self, width: float, low: int, cuts: list[int]) -> Iterator[Bar]:
        yield Bar("below", None, round(low * width, 9), self.stretch(0, cuts[0]))
        for place in range(len(cuts) - 1):
            ends = (round((low + place) * width, 9), round((low + place + 1) * width, 9))
            yield Bar("bar", *ends, self.stretch(cuts[place], cuts[place + 1]))
        yield Bar("above", round((low + len(cuts) - 1) * width, 9), None, self.stretch(cuts[-1], self.defined))
        yield Bar("undefined", None, None, self.stretch(self.defined, len(self.order)))

    def edges(self, width: float) -> Edges:
        """Those of a histogram that has room for all entries, but for a few of J that stand far out."""
        if self.scale == "I":
            return Edges(0, round(1 / width))
        ends = (self.quantile(_OUTER), self.quantile(1 - _OUTER))
        low, high = (0.0 if end is None else end for end in ends)
        first = math.floor(low / width)
        return Edges(first, max(math.ceil(high / width), first + 1))
