"""NIST (Doddington 2002) as mteval-v13a.pl computes it, with any number of references for each segment.

NLTK's corpus_nist gives other values as soon as a segment has more than one reference (nltk/nltk#3901).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import UsageError
from corpusdb.base.ngrams import number_ngrams
from corpusdb.scoring.metric import Details, References, Sequences, UnitMetric, shared_ngrams
from corpusdb.scoring.metric_settings import MetricSettings

_BETA = np.log(2) / np.log(1.5) ** 2
"""The penalty is one half where the output has two thirds of the words."""


def information_weights(references: References, order: int) -> F64:
    """The information, in bits, of each n-gram of the references: shape (``order``, units), by order and first unit.

    It is log2(occurrences of the n-gram without its last unit / occurrences of the n-gram), over all references of all
    segments; for n = 1 the numerator is the number of all units. 0 where the text ends before the n-gram does. As in
    mteval, where "0" is false, a unit after the single unit "0" weighs as if nothing stood before it.
    """
    units = references.sequences.units
    weights = np.zeros((order, len(units)))
    histories = np.full(len(units), len(units))
    for ngrams in number_ngrams(units, references.sequences.lengths, order):
        counts = np.bincount(ngrams.numbers)[ngrams.numbers]
        weights[ngrams.n - 1, ngrams.places] = np.log2(histories[ngrams.places] / counts)
        histories[ngrams.places] = counts
        if ngrams.n == 1 and "0" in references.vocabulary:
            histories[units == references.vocabulary["0"]] = len(units)
    return weights


def nist_statistics(hypotheses: Sequences, references: References, order: int = 5) -> F64:
    """The statistics of each segment for all orders up to ``order``: shape (segments, 2 ``order`` + 2).

    Columns: information of the matched n-grams (clipped as in BLEU) of order 1 to ``order``, n-grams of the hypothesis
    of order 1 to ``order``, length of the hypothesis, mean length of the segment's references. Rows can be added; the
    weights are those of all references, for a segment's score too. Raises InputError unless there is one hypothesis for
    every segment, UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"the order of NIST is at least 1, not {order}")
    statistics = np.zeros((len(references.counts), 2 * order + 2))
    weights = information_weights(references, order)
    for shared in shared_ngrams(hypotheses, references, order):
        information = shared.counts * weights[shared.order - 1, shared.places]
        np.add.at(statistics[:, shared.order - 1], shared.segments, information)
    statistics[:, order : 2 * order] = np.maximum(hypotheses.lengths[:, np.newaxis] - np.arange(order), 0)
    statistics[:, -2] = hypotheses.lengths
    statistics[:, -1] = np.add.reduceat(references.sequences.lengths, references.firsts[:-1]) / references.counts
    return statistics


def nist_scores(statistics: F64) -> F64:
    """NIST with each maximal order: shape (..., 2 ``order`` + 2) to (..., ``order``), from 0 upwards.

    Entry N-1 is the sum over the orders 1 to N of information per n-gram, times the length penalty, which is
    exp(-beta log(ratio)^2) where the hypothesis is shorter than its references on average. An empty one scores 0.
    """
    order = (statistics.shape[-1] - 2) // 2
    information, totals = statistics[..., :order], statistics[..., order:-2]
    lengths, expected = statistics[..., -2], statistics[..., -1]
    ratio = np.clip(lengths / np.where(expected > 0, expected, 1.0), None, 1.0)
    logarithm = np.log(np.where(ratio > 0, ratio, 1.0))
    penalty = np.where(ratio > 0, np.exp(-_BETA * logarithm**2), 0.0)
    scores: F64 = np.cumsum(information / np.maximum(totals, 1), axis=-1) * penalty[..., np.newaxis]
    return scores


def normalised(scores: F64, self_scores: F64) -> F64:
    """NIST on a scale on which sentences compare: the score divided by that of the seed against itself.

    Lepage and Denoual (2005), section 7: a paraphrase is scored with its seed as the reference, and so is the seed,
    with the same information weights. 0 where the seed's own score is 0: it has nothing that could be shared. A
    sentence that is shorter than the seed, but more informative for its length, can have more than 1.
    """
    quotients: F64 = np.zeros(np.broadcast_shapes(scores.shape, self_scores.shape))
    np.divide(scores, self_scores, out=quotients, where=self_scores > 0)
    return quotients


class Nist(UnitMetric):
    """NIST up to the order of the settings."""

    name = "nist"
    heading = "NIST"
    help = "the bits that matched n-grams are worth: w5 in words up to order 5, c18 in characters up to 18"
    decimals = 4
    weighs_all_references = True
    counts_copies = True
    orders: Mapping[str, int] = {"word": 5, "char": 18}
    """5 is the order of mteval's NIST, which nobody has computed in characters."""

    def statistics(self, hypotheses: Sequences, references: References, settings: MetricSettings) -> F64:
        return nist_statistics(hypotheses, references, settings.order or 1)

    def scores(self, statistics: I64 | F64, settings: MetricSettings) -> F64:
        scores: F64 = nist_scores(statistics.astype(np.float64))[..., -1]
        return scores

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        """The reference length is the mean of each segment's references."""
        length, expected = statistics[-2:].tolist()
        return {"length": int(length), "reference_length": expected}


NIST: Final = Nist()
