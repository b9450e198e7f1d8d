"""The target side of an analogy: A' : B' :: C' : x, solved on units.

The change from A' to B' is what stands between their common beginning and their common end; applied to C' it gives x.
So does the change from A' to C', applied to B'. Case and spaces make no difference to what is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from corpusdb.text import has_undelimited_script, units_of
from corpusdb.translation.casing import Casing

__all__ = ["Sentence", "solutions"]


@dataclass(frozen=True)
class Sentence:
    """A sentence with its units."""

    text: str

    @cached_property
    def units(self) -> tuple[str, ...]:
        """As they are written, each with the space before it."""
        return tuple(units_of(self.text))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """By which units are compared."""
        return tuple(unit.strip().casefold() for unit in self.units)


def solutions(a: Sentence, b: Sentence, c: Sentence, casing: Casing | None = None) -> list[str]:
    """What B is to A, for C: at most two different sentences, none where the change does not fit.

    That from A to B applied to C comes first, then that from A to C applied to B. ``casing`` says how to write a word
    that began a sentence and comes inside.
    """
    found = dict.fromkeys([*_changed(a, b, c, casing or {}), *_changed(a, c, b, casing or {})])
    return list(found)


def _changed(a: Sentence, b: Sentence, c: Sentence, casing: Casing) -> Iterator[str]:
    """C with the change from A to B, where it can be made in one place only."""
    start, end = _common(a.folded, b.folded)
    old, new = a.folded[start : len(a.folded) - end], b.units[start : len(b.units) - end]
    if not old and not new:
        yield c.text
        return
    place = _place(a, start, old, c)
    if place is not None:
        behind = list(c.units[place + len(old) :])
        inserted = list(new)
        if place and not start and inserted:
            inserted[0] = _inside(inserted[0], c.units[place - 1], casing)
        if not place and not old and inserted and behind:
            behind[0] = _inside(behind[0], inserted[-1], casing)
        found = "".join([*c.units[:place], *inserted, *behind]).strip()
        yield found[:1].upper() + found[1:] if c.text[:1].isupper() else found


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many units the beginnings share, and of the rest how many the ends."""
    most = min(len(one), len(other))
    start = 0
    while start < most and one[start] == other[start]:
        start += 1
    end = 0
    while end < most - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


def _place(a: Sentence, start: int, old: Sequence[str], c: Sentence) -> int | None:
    """Where the units that stand in A at ``start`` are to be replaced in C; None where that is not clear.

    If they stand there more than once, or are none at all, the units beside them must tell.
    """
    size = len(old)
    places = [at for at in range(len(c.folded) - size + 1) if c.folded[at : at + size] == tuple(old)]
    if old and len(places) == 1:
        return places[0]
    left, right = _beside(a.folded, start, size)
    sides = [_beside(c.folded, at, size) for at in places]
    for wanted in ((True, True), (True, False), (False, True)):
        fitting = [
            at
            for at, (before, after) in zip(places, sides, strict=True)
            if (before == left or not wanted[0]) and (after == right or not wanted[1])
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            return None
    return None


def _beside(units: Sequence[str], start: int, size: int) -> tuple[str, str]:
    """The units before and behind; empty at the ends."""
    stop = start + size
    return units[start - 1] if start else "", units[stop] if stop < len(units) else ""


def _inside(unit: str, before: str, casing: Casing) -> str:
    """A unit that began a sentence, as it is written behind another one."""
    written = casing.get(unit.casefold(), unit)
    return f" {written}" if _wants_space(unit, before) else written


def _wants_space(unit: str, before: str) -> bool:
    """Whether a unit that began a sentence takes a space now that it does not."""
    return unit[:1].isalnum() and before[-1:] not in "'’(-" and not has_undelimited_script(unit[0] + before[-1])
