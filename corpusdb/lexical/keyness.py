"""Keyness: how much more often a word occurs in one corpus than in another.

``target`` and ``reference`` are how often it occurs in each, ``target_size`` and ``reference_size`` how many words each
has, both above 0. Frequencies may be arrays; floats come out.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import F64

__all__ = ["difference", "keyness_likelihood", "log_ratio", "significance", "simple_maths"]


def keyness_likelihood(target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int) -> F64:
    """The log-likelihood of Rayson and Garside (2000, section 2): 2 (a ln (a / E1) + b ln (b / E2)), 0 or more.

    E1 = c (a + b) / (c + d) and E2 = d (a + b) / (c + d), with a and b the frequencies, c and d the sizes. Of the four
    cells of Dunning's table only these two are summed. It is the same for the corpus in which the word is rarer.
    """
    a, b = np.asarray(target, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    total = np.zeros_like(a + b)
    for observed, size in ((a, target_size), (b, reference_size)):
        expected = size * (a + b) / (target_size + reference_size)
        ratio = np.divide(observed, expected, out=np.ones_like(expected), where=observed > 0)
        total = total + observed * np.log(ratio)
    return np.maximum(2 * total, 0.0)  # rounding can leave a little less than nothing


def log_ratio(target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int) -> F64:
    """The binary logarithm of the ratio of relative frequencies (Hardie 2014): 1 is twice as often, -1 half as often.

    A frequency of 0 counts as 0.5, as Hardie has it, so that every value is finite.
    """
    a, b = (np.where(np.asarray(each) == 0, 0.5, each) for each in (target, reference))
    return np.asarray(np.log2((a / target_size) / (b / reference_size)), dtype=np.float64)


def difference(target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int) -> F64:
    """%DIFF (Gabrielatos and Marchi 2011): how many per cent the relative frequency in the target is above the other.

    From -100, where the target does not have the word, to inf, where the reference does not.
    """
    with np.errstate(divide="ignore"):
        ratio = (np.asarray(target) / target_size) / (np.asarray(reference) / reference_size)
    return np.asarray(100 * (ratio - 1), dtype=np.float64)


def simple_maths(
    target: npt.ArrayLike, reference: npt.ArrayLike, target_size: int, reference_size: int, *, smoothing: float = 1.0
) -> F64:
    """The ratio of frequencies per million, each with ``smoothing`` added (Kilgarriff 2009).

    The more is added, the more frequent are the words that the measure prefers; 1, 100 and 1000 are usual. It must be
    above 0.
    """
    a, b = np.asarray(target) * 1e6 / target_size, np.asarray(reference) * 1e6 / reference_size
    return np.asarray((a + smoothing) / (b + smoothing), dtype=np.float64)


def significance(likelihood: npt.ArrayLike) -> F64:
    """The probability of so high a log-likelihood by chance: the tail of chi-squared with one degree of freedom.

    For one word looked at by itself: who looks at thousands must ask for much less than 0.05.
    """
    values = np.asarray(likelihood, dtype=np.float64)
    tails = [math.erfc(math.sqrt(value / 2)) for value in values.ravel().tolist()]
    return np.array(tails, dtype=np.float64).reshape(values.shape)
