"""What texts have in common in the same order, in units: the longest common subsequence, and the stretches beside it.

Allison & Dix (1986), "A bit-string longest-common-subsequence algorithm", in the form of Hyyro (2004): a row of the
matrix is one bit vector. Here many texts take each step together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpusdb.arrays import I32, I64, U64
from corpusdb.translation.unit_texts import UNKNOWN, UnitTexts

__all__ = ["common_lengths", "stretches"]

_WORD = 64


def common_lengths(text: I32, texts: UnitTexts, places: I64) -> I64:
    """How long the longest subsequence is that ``text`` has in common with each of the texts at ``places``."""
    if not len(text):
        return np.zeros(len(places), dtype=np.int64)
    if len(text) > _WORD:
        return np.array([_common_length(text.tolist(), texts.of(place).tolist()) for place in places], dtype=np.int64)
    lengths = texts.lengths_of(places)
    order = np.argsort(-lengths, kind="stable")  # so that those which still have units are the first
    found = np.empty(len(places), dtype=np.int64)
    found[order] = _together(text, texts, places[order], lengths[order])
    return found


def _together(text: I32, texts: UnitTexts, places: I64, lengths: I64) -> I64:
    """The same, for texts by descending length, and a text that fits a machine word."""
    beyond = int(text.max()) + 1  # stands for every unit that the text does not have
    masks = np.zeros(beyond + 1, dtype=np.uint64)
    for place, unit in enumerate(text.tolist()):
        if unit != UNKNOWN:
            masks[unit] |= np.uint64(1 << place)
    starts = texts.offsets[places]
    longest = int(lengths[0]) if len(lengths) else 0
    alive = len(places) - np.searchsorted(lengths[::-1], np.arange(longest), side="right")
    every = np.uint64((1 << len(text)) - 1)
    row: U64 = np.full(len(places), every, dtype=np.uint64)
    for column, count in enumerate(alive.tolist()):
        current = row[:count]
        equal = current & masks[np.minimum(texts.units[starts[:count] + column], beyond)]
        row[:count] = (current + equal) | (current - equal)
    bits = np.unpackbits((row & every).view(np.uint8)).reshape(len(row), _WORD)
    found: I64 = len(text) - bits.sum(axis=1, dtype=np.int64)
    return found


def _common_length(text: Sequence[int], other: Sequence[int]) -> int:
    """The same for two texts of any length; a bit vector is one integer of Python."""
    masks: dict[int, int] = {}
    for place, unit in enumerate(text):
        if unit != UNKNOWN:
            masks[unit] = masks.get(unit, 0) | 1 << place
    every = row = (1 << len(text)) - 1
    for unit in other:
        equal = row & masks.get(unit, 0)
        row = ((row + equal) | (row - equal)) & every
    return len(text) - row.bit_count()


def stretches(text: Sequence[int], other: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """The stretches of two texts beside one longest common subsequence.

    Each as (start, stop) in ``text`` and (start, stop) in ``other``; of the two, one may be empty. Ascending.
    """
    rows = [[0] * (len(other) + 1)]
    for unit in text:
        above, row = rows[-1], [0]
        for column, theirs in enumerate(other):
            same = unit == theirs != UNKNOWN
            row.append(above[column] + 1 if same else max(above[column + 1], row[column]))
        rows.append(row)
    at, to = len(text), len(other)
    found: list[tuple[int, int, int, int]] = []
    end = (at, to)
    while at and to:
        if text[at - 1] == other[to - 1] != UNKNOWN:
            if end != (at, to):
                found.append((at, end[0], to, end[1]))
            at, to = at - 1, to - 1
            end = (at, to)
        elif rows[at - 1][to] >= rows[at][to - 1]:
            at -= 1
        else:
            to -= 1
    if end != (0, 0):
        found.append((0, end[0], 0, end[1]))
    return found[::-1]
