"""Which order M in characters stands for an order N in words: the study of Denoual and Lepage (2005) for any test set.

Everything is computed over candidates, one sentence of one system each (section 3.2). What the paper leaves open is
decided here, and said where it is:

- equal values of several M: the smallest M is the best;
- the order that stands for the highest N (section 5.1 only says "we thus decide"): the median of the three best M, the
  higher of the middle two; of 17, 18 and 18 that is 18, as in the paper;
- the length of a sentence in tables 2 and 4 is that of the candidate, because its length makes a score 0 (section 5.2);
- standard deviations are those of the candidates at hand, divided by their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, median_high
from typing import Final

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError, UsageError
from corpusdb.studies.bleu_in_characters.orders import ROUNDING, BestOrders, best_orders, criteria
from corpusdb.studies.bleu_in_characters.scores import CandidateScores
from corpusdb.studies.bleu_in_characters.tables import (
    LengthClass,
    LengthRow,
    LengthTable,
    Ranking,
    SystemRow,
    length_classes,
    length_table,
    ranking,
    rows_by_length,
    rows_by_system,
)

__all__ = ["PAPER_LENGTHS", "Equivalence", "equivalence"]

PAPER_LENGTHS: Final = (3, 4, 5, 6, 7, 8, 9, 10)
"""The greatest lengths of the classes of table 2, for length_classes."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """All the tables and the numbers behind the figures; rows of tables of numbers are N, columns M, from 1."""

    systems: int
    segments: int
    candidates: int
    word_order: int
    """The highest N."""
    character_order: int
    """The highest M that was looked at."""
    equivalent: int
    """The M that stands for the highest N."""
    is_given: bool
    """Whether the caller chose it."""
    ratio: float | None
    """The mean of M / N over all N, M the best by correlation (note 10)."""
    word_length: float | None
    """Characters in a word of the candidates, on average (note 10)."""
    best: tuple[BestOrders, ...]
    by_length: tuple[LengthRow, ...]
    by_system: tuple[SystemRow, ...]
    """The best system by words first."""
    ranking: Ranking
    lengths: LengthTable
    pearson: tuple[tuple[float | None, ...], ...]
    kappa: tuple[tuple[float | None, ...], ...]
    below: tuple[tuple[float, ...], ...]
    """The share of the candidates with BLEUcM <= BLEUwN; the last row but one is figure 2, middle."""
    words_below: tuple[float, ...]
    """The same for BLEUwN <= BLEUw(N-1), from N = 2 on (figure 2, left). It can be under 1: with clipping a precision
    can be higher than that of the order below."""


def equivalence(
    scores: CandidateScores, classes: Iterable[LengthClass] = (), *, equivalent: int | None = None
) -> Equivalence:
    """The whole study; ``classes`` are those of table 2, the paper's unless given.

    ``equivalent`` is the M to take for the highest N in tables 2 to 4; otherwise it is found. Raises UsageError where
    it is no order that was computed, and InputError where none can be found because the scores do not vary.
    """
    character_order = len(scores.characters)
    found = criteria(scores)
    best = tuple(best_orders(found, order) for order in range(1, len(scores.words) + 1))
    chosen = _equivalent(best[-1]) if equivalent is None else equivalent
    if not 1 <= chosen <= character_order:
        raise UsageError(f"there are no scores in characters of order {chosen}, only of 1 to {character_order}")
    ratios = [each.pearson.order / each.order for each in best if each.pearson]
    by_system = rows_by_system(scores, chosen)
    words, characters = int(scores.word_lengths.sum()), int(scores.character_lengths.sum())
    return Equivalence(
        systems=len(scores.systems),
        segments=scores.segments,
        candidates=len(scores.word_lengths),
        word_order=len(scores.words),
        character_order=character_order,
        equivalent=chosen,
        is_given=equivalent is not None,
        ratio=fmean(ratios) if ratios else None,
        word_length=characters / words if words else None,
        best=best,
        by_length=rows_by_length(scores, classes or length_classes(PAPER_LENGTHS), chosen),
        by_system=by_system,
        ranking=ranking(by_system),
        lengths=length_table(scores, chosen),
        pearson=_defined(found.pearson),
        kappa=_defined(found.kappa),
        below=tuple(map(tuple, found.below.tolist())),
        words_below=tuple((scores.words[1:] <= scores.words[:-1] + ROUNDING).mean(axis=1).tolist()),
    )


def _equivalent(best: BestOrders) -> int:
    orders = [each.order for each in (best.pearson, best.kappa, best.behaviour) if each]
    if not orders:
        raise InputError("the scores do not vary: no order in characters can be found for them")
    return median_high(orders)


def _defined(table: F64) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(None if np.isnan(value) else float(value) for value in row) for row in table)
