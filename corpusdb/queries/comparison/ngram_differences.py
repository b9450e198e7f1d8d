"""N-grams that one system gets and another does not, as compare-mt finds them (Neubig et al. 2019, section 3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpusdb.metrics.encoding import References
from corpusdb.metrics.matched_ngrams import shared_ngrams

__all__ = ["NgramDifference", "NgramDifferences", "matched_ngrams", "ngram_differences"]

_SMOOTHING = 1
"""Matches that are added to those of each system, as in compare-mt."""


@dataclass(frozen=True, slots=True)
class NgramDifference:
    """An n-gram, and how often each of two systems has it where a reference has it too."""

    units: tuple[str, ...]
    a: int
    b: int
    ratio: float
    """The smoothed share of the better system in the matches, (own + 1) / (a + b + 2): more than 0.5, less than 1."""


@dataclass(frozen=True, slots=True)
class NgramDifferences:
    """The n-grams that speak most for each of two systems, by falling ratio."""

    order: int
    """The longest that were looked at."""
    matched_a: tuple[int, ...]
    """All matches of the first system, by order from 1."""
    matched_b: tuple[int, ...]
    for_a: tuple[NgramDifference, ...]
    for_b: tuple[NgramDifference, ...]


def matched_ngrams(texts: Sequence[str], references: References, order: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram is matched, up to ``order``: in each segment as BLEU counts it, and summed over these.

    A segment counts an n-gram as often as its text has it, at most as often as the reference that has it most often.
    Raises InputError unless there is one text for every segment.
    """
    units = references.sequences.units.tolist()
    counts: Counter[tuple[int, ...]] = Counter()
    for shared in shared_ngrams(references.encode(texts), references, order):
        for place, count in zip(shared.places.tolist(), shared.counts.tolist(), strict=True):
            counts[tuple(units[place : place + shared.order])] += count
    names = list(references.vocabulary)
    return Counter({tuple(names[unit] for unit in ngram): count for ngram, count in counts.items()})


def ngram_differences(
    a: Sequence[str], b: Sequence[str], references: References, order: int, *, limit: int
) -> NgramDifferences:
    """The ``limit`` n-grams that speak most for either system; 0 is all.

    An n-gram that is part of a longer one with the same numbers is left out: it says nothing more.
    """
    one, other = (matched_ngrams(texts, references, order) for texts in (a, b))
    told = _told({ngram: (one[ngram], other[ngram]) for ngram in one.keys() | other.keys()})
    return NgramDifferences(
        order,
        _totals(one, order),
        _totals(other, order),
        tuple(NgramDifference(*row) for row in _ranked(told, limit)),
        tuple(
            NgramDifference(units, a, b, ratio)
            for units, b, a, ratio in _ranked({ngram: (b, a) for ngram, (a, b) in told.items()}, limit)
        ),
    )


def _totals(counts: Mapping[tuple[str, ...], int], order: int) -> tuple[int, ...]:
    totals = [0] * order
    for ngram, count in counts.items():
        totals[len(ngram) - 1] += count
    return tuple(totals)


def _told(counts: Mapping[tuple[str, ...], tuple[int, int]]) -> dict[tuple[str, ...], tuple[int, int]]:
    """Those with different numbers for which no longer one has the same."""
    unequal = {ngram: pair for ngram, pair in counts.items() if pair[0] != pair[1]}
    parts = {part for ngram, pair in unequal.items() for part in (ngram[1:], ngram[:-1]) if unequal.get(part) == pair}
    return {ngram: pair for ngram, pair in unequal.items() if ngram not in parts}


def _ranked(
    counts: Mapping[tuple[str, ...], tuple[int, int]], limit: int
) -> list[tuple[tuple[str, ...], int, int, float]]:
    """The n-grams of which the first number is the larger, with their ratio: the highest first, then the longest."""
    rows = [
        (ngram, own, other, (own + _SMOOTHING) / (own + other + 2 * _SMOOTHING))
        for ngram, (own, other) in counts.items()
        if own > other
    ]
    rows.sort(key=lambda row: (-row[3], -len(row[0]), row[0]))
    return rows[:limit] if limit else rows
