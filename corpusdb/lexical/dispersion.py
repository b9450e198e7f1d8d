"""Dispersion: how evenly a word is spread over the parts of a corpus.

``counts`` holds how often a word occurs in each part, along the last axis, so that many words can be measured in one
call; ``sizes`` holds how many words each part has, all above 0. There are two parts or more, and every word occurs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import F64

__all__ = ["deviation_of_proportions", "juilland_d", "normalised_deviation", "parts_with"]


def parts_with(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The range of each word: in how many parts it occurs."""
    return np.asarray(np.count_nonzero(counts, axis=-1), dtype=np.int64)


def juilland_d(counts: npt.ArrayLike, sizes: npt.ArrayLike) -> F64:
    """Juilland's D, of relative frequencies as Gries (2008, section 2) has it: 1 is spread evenly, 0 all in one part.

    D = 1 - V / sqrt(n - 1), V being the standard deviation of the relative frequencies in the n parts, as of a whole
    population, over their mean.
    """
    # Terms are added in the order of their size, so that the order of the parts makes no difference.
    relative = np.sort(np.asarray(counts, dtype=np.float64) / np.asarray(sizes), axis=-1)
    variation = relative.std(axis=-1) / relative.mean(axis=-1)
    return np.asarray(1 - variation / np.sqrt(relative.shape[-1] - 1))


def deviation_of_proportions(counts: npt.ArrayLike, sizes: npt.ArrayLike) -> F64:
    """DP (Gries 2008, section 3): 0 is spread as the sizes of the parts are, near 1 all in one small part.

    Half the sum, over the parts, of how far the part's share of the occurrences is from its share of the words.
    """
    occurrences, words = np.asarray(counts, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    shares = occurrences / occurrences.sum(axis=-1, keepdims=True)
    return np.asarray(np.sort(np.abs(shares - words / words.sum()), axis=-1).sum(axis=-1) / 2)


def normalised_deviation(counts: npt.ArrayLike, sizes: npt.ArrayLike) -> F64:
    """DPnorm (Lijffijt and Gries 2012): DP over the highest that it can be, 1 less the share of the smallest part."""
    words = np.asarray(sizes, dtype=np.float64)
    return np.asarray(deviation_of_proportions(counts, sizes) / (1 - words.min() / words.sum()))
