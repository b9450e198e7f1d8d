"""The figures of Owczarzak et al. (2006), and what their tables ask of other data that nothing else here computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.stats.estimates import pearson_of_sums

__all__ = [
    "PAPER_CORRELATIONS",
    "PAPER_MEANING",
    "PAPER_PEOPLE",
    "PAPER_SCORES",
    "PAPER_SETS",
    "PAPER_SYNTAX",
    "HumanMean",
    "human_mean",
    "pearson_in_samples",
]

PAPER_SETS: Final = (769, 1658)
"""Equivalence sets, and words and phrases in them, of 2,000 segments (section 3.2)."""
PAPER_SCORES: Final[Mapping[str, tuple[tuple[float, float], tuple[float, float]]]] = {
    "PH": ((0.2131, 0.2407), (6.1625, 7.0068)),
    "LM": ((0.1782, 0.2043), (5.5406, 6.3834)),
}
"""Table 1: BLEU and NIST with a single and with multiple references."""
PAPER_CORRELATIONS: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    "PH": {"BLEU": (0.297, 0.307), "BLEU smoothed": (0.396, 0.404), "NIST": (0.323, 0.355)},
    "LM": {"BLEU": (0.046, 0.067), "BLEU smoothed": (0.163, 0.151), "NIST": (0.078, 0.116)},
}
"""Tables 2 and 4: Pearson's correlation of 100 segments with a single and with multiple references."""
PAPER_PEOPLE: Final[Mapping[str, tuple[float, float]]] = {"PH": (3.815, 0.191), "LM": (4.005, 0.162)}
"""Table 3: the mean grade of 100 segments, and its variation."""
PAPER_SYNTAX: Final[Mapping[str, tuple[float, float]]] = {"2,000 segments": (0.59, 0.60), "700,000": (0.70, 0.48)}
"""Table 5: the shares of the same category, of the best paraphrases and of all."""
PAPER_MEANING: Final[Mapping[str, tuple[float, float]]] = {"2,000 segments": (0.83, 0.74), "700,000": (0.76, 0.68)}
"""Table 6: those of the same meaning."""


@dataclass(frozen=True, slots=True)
class HumanMean:
    """What people said of one system (Table 3)."""

    segments: int
    mean: float
    deviation: float | None
    """None for fewer than two segments."""
    variation: float | None
    """Deviation by mean; None where a score is not above 0, as standardised ones are: they have no zero of their
    own."""


def human_mean(scores: F64) -> HumanMean | None:
    """Of the scores of one system, shape (segments), NaN where there is none; None without any."""
    known = scores[np.isfinite(scores)]
    if not known.size:
        return None
    mean, deviation = float(known.mean()), float(known.std(ddof=1)) if known.size > 1 else None
    has_zero = deviation is not None and bool((known >= 0).all()) and mean > 0
    return HumanMean(known.size, mean, deviation, deviation / mean if has_zero and deviation is not None else None)


def pearson_in_samples(scores: F64, human: F64, counts: F64) -> F64:
    """Pearson's correlation of one system's segments with human scores, in samples of the segments.

    Shapes (segments), (segments) and (samples, segments) to (samples); NaN where it is not defined. What is NaN in one
    of the two is left out.
    """
    rated = np.isfinite(scores) & np.isfinite(human)
    if not rated.any():
        return np.full(len(counts), np.nan)
    ours = np.where(rated, scores - scores[rated].mean(), 0.0)
    theirs = np.where(rated, human - human[rated].mean(), 0.0)
    rows = np.stack([rated.astype(np.float64), ours, theirs, ours**2, theirs**2, ours * theirs], axis=-1)
    return pearson_of_sums(counts @ rows)
