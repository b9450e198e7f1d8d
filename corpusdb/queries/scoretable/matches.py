"""Where in a hypothesis the n-grams stand that BLEU counts, and which references have each longest stretch of them.

An n-gram that stands more often in the hypothesis than in any reference counts only as often as there (clipping). BLEU
does not say which of its occurrences count; here those are taken first that lie in a longer n-gram that counts, then
those that come first. So the marked occurrences are of each order as many as the statistics of the score have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpusdb.metrics.tokenisation import surface_of
from corpusdb.metrics.trace import SegmentTrace

__all__ = ["Match", "counted_occurrences", "longest_matches", "places_in", "unit_places"]


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a hypothesis that stands as it is in some reference."""

    start: int
    """In units, from 0."""
    stop: int
    references: tuple[int, ...]
    """The references, from 0, that have it whole."""
    contributions: tuple[int, ...]
    """How many counted n-grams begin and end in it, by order from 1."""

    @property
    def length(self) -> int:
        return self.stop - self.start


def counted_occurrences(trace: SegmentTrace) -> dict[int, set[int]]:
    """For each order where its n-grams begin that count: as many as the statistics of the segment have."""
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for n in range(1, trace.order + 1):
        for at in range(len(trace.hypothesis) - n + 1):
            places[trace.hypothesis[at : at + n]].append(at)
    counted: dict[int, set[int]] = {n: set() for n in range(1, trace.order + 1)}
    longest = [0] * (len(trace.hypothesis) + 1)
    """Where the farthest counted n-gram that begins at or before each place ends."""
    for n in range(trace.order, 0, -1):
        for ngram in trace.ngrams:
            if ngram.order == n and ngram.matched:
                found = places[ngram.units]
                # Stable: of those inside and those outside of longer ones, the first come first.
                preferred = sorted(found, key=lambda at: longest[at] < at + n)
                counted[n].update(preferred[: ngram.matched])
        for at in range(len(trace.hypothesis)):
            own = at + n if at in counted[n] else 0
            longest[at] = max(longest[at], own, longest[at - 1] if at else 0)
    return counted


def longest_matches(trace: SegmentTrace) -> list[Match]:
    """The longest stretches of counted n-grams that one reference has whole, from left to right.

    They may be longer than the order, and may overlap.
    """
    counted = counted_occurrences(trace)
    spans = sorted(
        ((at, at + n) for n, begins in counted.items() for at in begins), key=lambda span: (span[0], -span[1])
    )
    stretches: list[tuple[int, int]] = []
    for start, stop in spans:
        if stretches and stop <= stretches[-1][1]:
            continue
        if stretches and start <= stretches[-1][1] and _holders(trace, stretches[-1][0], stop):
            stretches[-1] = (stretches[-1][0], stop)
        else:
            stretches.append((start, stop))
    return [
        Match(start, stop, _holders(trace, start, stop), tuple(_inside(counted, start, stop, trace.order)))
        for start, stop in stretches
    ]


def _holders(trace: SegmentTrace, start: int, stop: int) -> tuple[int, ...]:
    """The references that have the units from ``start`` up to ``stop``."""
    wanted = trace.hypothesis[start:stop]
    return tuple(number for number, units in enumerate(trace.references) if places_in(units, wanted))


def _inside(counted: dict[int, set[int]], start: int, stop: int, order: int) -> Iterator[int]:
    for n in range(1, order + 1):
        yield sum(start <= at and at + n <= stop for at in counted[n])


def places_in(units: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where ``wanted`` begins in ``units``."""
    size = len(wanted)
    return [at for at in range(len(units) - size + 1) if tuple(units[at : at + size]) == tuple(wanted)]


def unit_places(text: str, units: Sequence[str], *, lowercase: bool = False) -> list[tuple[int, int]] | None:
    """Where each unit begins and ends in the text that it was cut from; None where cutting changed the text."""
    sought = text.lower() if lowercase else text
    if len(sought) != len(text):
        return None
    found, at = [], 0
    for unit in units:
        span = _next_place(sought, unit, at) or _next_place(sought, surface_of(unit), at)
        if span is None:
            return None
        found.append(span)
        at = span[1]
    return found


def _next_place(text: str, unit: str, at: int) -> tuple[int, int] | None:
    """Where a unit stands, if it is the next thing from a place on."""
    start = text.find(unit, at)
    return None if start < 0 or text[at:start].strip() else (start, start + len(unit))
