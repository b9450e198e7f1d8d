"""BLEU (Papineni et al. 2002) of every order at once, in any unit: words for BLEUwN, characters for BLEUcM.

Denoual and Lepage (2005) compare the two; with characters white space is no unit. The scores of
the functions are on the scale from 0 to 1, those of the metric up to 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import UsageError
from corpusdb.metrics.encoding import References, Sequences
from corpusdb.metrics.matched_ngrams import shared_ngrams
from corpusdb.metrics.metric import UnitMetric
from corpusdb.metrics.settings import NO_SMOOTHING, Settings, Smoothing

__all__ = ["BLEU", "bleu_scores", "bleu_statistics", "closest_lengths", "up_to_order"]

_LENGTH_BITS = 32


def bleu_statistics(hypotheses: Sequences, references: References, order: int) -> I64:
    """The statistics of each segment for all orders up to ``order``: shape (segments, 2 ``order`` + 2).

    Columns: matched n-grams of order 1 to ``order``, n-grams of the hypothesis of order 1 to ``order``, length of the
    hypothesis, length of the reference that is closest to it. Rows can be added. Raises InputError unless there is one
    hypothesis for every segment, UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"the order of BLEU is at least 1, not {order}")
    statistics = np.zeros((len(references.counts), 2 * order + 2), dtype=np.int64)
    for shared in shared_ngrams(hypotheses, references, order):
        np.add.at(statistics[:, shared.order - 1], shared.segments, shared.counts)
    statistics[:, order : 2 * order] = np.maximum(hypotheses.lengths[:, np.newaxis] - np.arange(order), 0)
    statistics[:, -2] = hypotheses.lengths
    statistics[:, -1] = closest_lengths(hypotheses, references)
    return statistics


def up_to_order(statistics: F64, order: int) -> F64:
    """The statistics for a lower order, taken out of those for a higher one: columns as in bleu_statistics."""
    highest = (statistics.shape[-1] - 2) // 2
    kept = [*range(order), *range(highest, highest + order), -2, -1]
    return np.ascontiguousarray(statistics[..., kept])


def closest_lengths(hypotheses: Sequences, references: References) -> I64:
    """For each segment the length of the reference closest to the hypothesis in length, the shorter of two."""
    lengths = references.sequences.lengths
    distances = np.abs(lengths - hypotheses.lengths[references.segments])
    closest = np.minimum.reduceat((distances << _LENGTH_BITS) + lengths, references.firsts[:-1])
    return closest & ((1 << _LENGTH_BITS) - 1)


def bleu_scores(statistics: I64 | F64, smoothing: Smoothing = NO_SMOOTHING) -> F64:
    """BLEU with each maximal order: shape (..., 2 ``order`` + 2) to (..., ``order``), from 0 to 1.

    Entry N-1 is BLEU up to order N: the brevity penalty times the geometric mean of the precisions of order 1 to N. It
    is 0 where a precision is 0, where the hypothesis has fewer than N units and where it is empty.
    """
    order = (statistics.shape[-1] - 2) // 2
    matches = statistics[..., :order].astype(np.float64)
    totals = statistics[..., order:-2].astype(np.float64)
    lengths, closest = statistics[..., -2], statistics[..., -1]
    is_hopeless = matches[..., :1] == 0
    if smoothing.method == "add-k":
        matches[..., 1:] += smoothing.amount
        totals[..., 1:] += smoothing.amount
    elif smoothing.method == "floor":
        matches[(matches == 0) & (totals > 0)] = smoothing.amount
    elif smoothing.method == "exp":
        is_zero = (matches == 0) & (totals > 0)
        matches = np.where(is_zero, 0.5 ** np.cumsum(is_zero, axis=-1), matches)
    logarithms = np.full(matches.shape, -np.inf)
    np.divide(matches, totals, out=logarithms, where=(matches > 0) & ~is_hopeless)
    np.log(logarithms, out=logarithms, where=logarithms > 0)
    orders = np.arange(1, order + 1)
    if smoothing.effective:  # the sum and the number of orders stop where the hypothesis ends
        orders = np.minimum(orders, np.maximum(np.count_nonzero(totals, axis=-1)[..., np.newaxis], 1))
        logarithms = np.where((totals == 0) & ~is_hopeless, 0.0, logarithms)
    # exp(1 - r / c) below the reference's length; an empty hypothesis has no match and is 0 in any case.
    penalty = np.minimum(0.0, 1.0 - closest / np.maximum(lengths, 1))
    scores: F64 = np.exp(np.cumsum(logarithms, axis=-1) / orders + penalty[..., np.newaxis])
    return scores


class Bleu(UnitMetric):
    """BLEU up to the order of the settings."""

    name = "bleu"
    orders: Mapping[str, int] = {"word": 4, "char": 18}
    """BLEUw4 is what everybody computes, and BLEUc18 what Denoual and Lepage (2005, section 5.1) found to correspond
    to it."""
    takes_smoothing = True

    def statistics(self, hypotheses: Sequences, references: References, settings: Settings) -> I64:
        return bleu_statistics(hypotheses, references, settings.order or 1)

    def scores(self, statistics: I64 | F64, settings: Settings) -> F64:
        scores: F64 = 100 * bleu_scores(statistics, settings.smoothing)[..., -1]
        return scores

    def remark(self, settings: Settings, statistics: I64 | F64) -> str | None:
        matched = statistics[: settings.order]
        return None if matched.all() else f"is 0: no {int(np.argmin(matched > 0)) + 1}-gram is matched"


BLEU: Final = Bleu()
