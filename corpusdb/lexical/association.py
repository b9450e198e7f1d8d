"""Association of two words: how much more often they co-occur than they would by chance.

All measures take the same numbers, as Evert (2008, section 4) lays them out: ``both``, how often the two occur together
(O11); ``first`` and ``second``, how often each occurs (the marginals R1 and C1); ``total``, the size of the sample (N).
What "together" means is for the caller to count. Arrays of any shape that broadcast are taken; floats come out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import F64

__all__ = ["F64", "expected_frequency", "log_dice", "log_likelihood", "mutual_information", "t_score"]


def expected_frequency(first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """How often two words would occur together if they were independent: E11 = R1 C1 / N."""
    return np.asarray(np.asarray(first, dtype=np.float64) * np.asarray(second) / np.asarray(total))


def log_likelihood(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """The likelihood ratio of Dunning (1993, section 4): G2 = 2 sum of O ln (O / E) over the 2 x 2 table, 0 or more.

    It is the same for words that attract and for words that repel each other. Asymptotically it has a chi-squared
    distribution with one degree of freedom.
    """
    both, first, second, total = (np.asarray(each, dtype=np.float64) for each in (both, first, second, total))
    rows, columns = (first, total - first), (second, total - second)
    observed = ((both, first - both), (second - both, total - first - second + both))
    terms = [
        _times_log_ratio(observed[i][j], rows[i] * columns[j] / np.maximum(total, 1)) for i in (0, 1) for j in (0, 1)
    ]
    return np.maximum(2 * sum(terms), 0.0)  # rounding can leave a little less than nothing


def mutual_information(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """Pointwise mutual information in bits: log2 (O11 / E11) (Church and Hanks 1990); -inf where ``both`` is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(np.asarray(both) / expected_frequency(first, second, total)), dtype=np.float64)


def t_score(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, total: npt.ArrayLike) -> F64:
    """(O11 - E11) / square root of O11 (Church, Gale, Hanks and Hindle 1991); -inf where ``both`` is 0."""
    observed = np.asarray(both, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray((observed - expected_frequency(first, second, total)) / np.sqrt(observed))


def log_dice(both: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> F64:
    """14 + log2 of the Dice coefficient (Rychlý 2008): 14 for words that only occur together, whatever their number.

    -inf where ``both`` is 0. It does not depend on the size of the corpus.
    """
    either = np.asarray(first, dtype=np.float64) + np.asarray(second)
    with np.errstate(divide="ignore"):
        return np.asarray(14 + np.log2(2 * np.asarray(both) / either), dtype=np.float64)


def _times_log_ratio(observed: F64, expected: F64) -> F64:
    """O ln (O / E), which is 0 where O is 0."""
    ratio = np.divide(observed, expected, out=np.ones_like(observed + expected), where=observed > 0)
    return np.asarray(observed * np.log(ratio))
