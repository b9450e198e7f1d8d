"""Texts as numbers of units: words, clitics and marks, or characters where nothing delimits words.

Case and the space between units make no difference: what differs only in these is the same here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I32, I64, Bools
from corpusdb.ngrams.counting import joined_ranges
from corpusdb.text import needs_slow_units, unit_ends

__all__ = ["UNKNOWN", "UnitTexts", "encode_texts", "spans_of_units"]

UNKNOWN = -1
"""The number of a unit that no text has; no two unknown units are the same."""


@dataclass(frozen=True, slots=True)
class UnitTexts:
    """Texts one behind the other."""

    numbers: Mapping[str, int]
    """Of each unit, folded; from 0. There may be units that none of the texts has."""
    units: I32
    offsets: I64
    """Where each text begins in ``units``, and behind the last where it ends."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> I64:
        """In units."""
        return np.diff(self.offsets)

    def lengths_of(self, places: I64) -> I64:
        """Of some texts."""
        return self.offsets[places + 1] - self.offsets[places]

    @property
    def owners(self) -> I32:
        """The text of each unit."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)

    def of(self, place: int) -> I32:
        """The units of one text."""
        return self.units[self.offsets[place] : self.offsets[place + 1]]

    def encode(self, text: str) -> I32:
        """The units of any text; UNKNOWN for those that none has."""
        folded = text.casefold()
        found = [self.numbers.get(folded[start:stop], UNKNOWN) for start, stop in _spans(folded)]
        return np.array(found, dtype=np.int32)

    def chosen(self, mask: Bools) -> UnitTexts:
        """The texts that a mask chooses, with the same numbers of units."""
        lengths = self.lengths[mask]
        units = self.units[joined_ranges(self.offsets[:-1][mask], lengths)]
        return UnitTexts(self.numbers, units, np.concatenate(([0], np.cumsum(lengths))))


def encode_texts(texts: Sequence[str]) -> UnitTexts:
    """Number the units of texts."""
    numbers: dict[str, int] = {}
    folded = [text.casefold() for text in texts]
    slow = np.fromiter(map(needs_slow_units, folded), np.bool_, len(texts))
    parts: list[tuple[I64, I64, I32]] = []
    for kind in (False, True):
        members = np.flatnonzero(slow == kind)
        if len(members):
            parts.append((members, *_encoded([folded[each] for each in members], kind, numbers)))
    lengths = np.zeros(len(texts), dtype=np.int64)
    for members, sizes, _ in parts:
        lengths[members] = sizes
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    units = np.empty(offsets[-1], dtype=np.int32)
    for members, sizes, encoded in parts:
        units[joined_ranges(offsets[:-1][members], sizes)] = encoded
    return UnitTexts(numbers, units, offsets)


def _encoded(folded: Sequence[str], slow: bool, numbers: dict[str, int]) -> tuple[I64, I32]:
    """How many units each text has, and all their numbers."""
    joined = "\n".join(folded)
    ends = unit_ends(joined, slow=slow)
    pieces = map(str.strip, (joined[start:stop] for start, stop in zip([0, *ends], ends, strict=False)))
    units = np.fromiter((numbers.setdefault(unit, len(numbers)) for unit in pieces), np.int32, len(ends))
    sizes = np.fromiter((len(text) + 1 for text in folded), np.int64, len(folded))
    owners = np.searchsorted(np.cumsum(sizes), np.array(ends, dtype=np.int64) - 1, side="right")
    return np.bincount(owners, minlength=len(folded)), units


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each unit of a text stands, without the space before it."""
    start = 0
    for stop in unit_ends(text):
        unit = text[start:stop]
        yield start + len(unit) - len(unit.lstrip()), stop
        start = stop


def spans_of_units(text: str) -> list[tuple[int, int]]:
    """Where each unit of a text stands in it as it is written: as many as encode gives it numbers."""
    return list(_spans(text))
