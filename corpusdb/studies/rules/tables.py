"""The figures of Kanayama (2003), and what his tables ask of other data: correlations on samples of the segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.stats.estimates import Interval
from corpusdb.base.stats.resampling import percentile_interval
from corpusdb.base.stats.system_agreement import SYSTEM_STATISTICS, paired_samples, why_undefined

__all__ = [
    "PAPER_CORRELATIONS",
    "PAPER_COVERAGE",
    "PAPER_HUMAN",
    "PAPER_RULES",
    "PAPER_SCORES",
    "PAPER_WORDS",
    "STATISTICS",
    "Correlation",
    "SampledAgreement",
    "correlations",
    "normalised",
]

PAPER_SCORES: Final[Mapping[str, tuple[float, float, float, float]]] = {
    "S1": (0.115, 0.114, 0.132, 0.135),
    "S2": (0.130, 0.129, 0.149, 0.151),
    "S3": (0.134, 0.132, 0.148, 0.152),
    "S4": (0.137, 0.135, 0.148, 0.158),
    "S5": (0.183, 0.177, 0.179, 0.180),
    "H1": (0.170, 0.166, 0.179, 0.187),
}
"""Table 2: BLEU by B1 to B4."""
PAPER_HUMAN: Final[Mapping[str, float]] = {"S1": 2.38, "S2": 2.74, "S3": 2.77, "S4": 3.16, "S5": 3.38, "H1": 4.40}
"""Table 2: the mean grade of people, 1 to 5."""
PAPER_CORRELATIONS: Final = (0.797, 0.803, 0.865, 0.931)
"""Table 2: Pearson's correlation of B1 to B4 with these."""
PAPER_WORDS: Final = (17_478, 0.886)
"""Section 5.1: word-replacing rules, and the correlation with them added to B4."""
PAPER_RULES: Final[Mapping[str, float]] = {
    "da(aux) <-> de : a : ru": 0.025,
    "$1(verb-v) : ru <-> $1(verb-v) : masu": 0.022,
    "$1(noun) : (dot) : $2(noun) -> $1 : $2": 0.020,
}
"""Table 3: by how much the correlation falls without the rule."""
PAPER_COVERAGE: Final = (189, 200)
"""Section 4.1: sentences of another corpus that were paraphrased at least in part."""

STATISTICS: Final = ("pearson", "kendall")
"""How agreement with people is measured here."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """How far the scores of systems agree with people, and how far that is from what it is compared with."""

    statistic: str
    systems: int
    value: float | None
    """-1 to 1; None where it is not defined."""
    interval: Interval | None
    """Over samples of the segments."""
    difference: float | None = None
    """None for what the others are compared with, and where one of the two has no value."""
    difference_interval: Interval | None = None
    """Over the same samples of both."""
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class SampledAgreement:
    """Agreement with people by each of STATISTICS, on all segments and on samples of them."""

    systems: int
    values: Mapping[str, F64]
    """Shape (1 + samples), the first of all segments; NaN where it is not defined."""
    reason: str | None
    """Why that of all segments is not."""

    @classmethod
    def of(cls, scores: F64, human: F64) -> SampledAgreement:
        """Of scores of shape (systems, 1 + samples), the first column being that of all segments, and (systems)."""
        values = {name: SYSTEM_STATISTICS[name](scores, human[:, np.newaxis]) for name in STATISTICS}
        return cls(len(human), values, why_undefined(scores[:, 0], human))


def correlations(ours: SampledAgreement, base: SampledAgreement | None, confidence: float = 0.95) -> list[Correlation]:
    """By each of STATISTICS; ``base``, drawn on the same samples, is what they are compared with."""
    found = []
    for name, values in ours.values.items():
        value = None if np.isnan(values[0]) else float(values[0])
        difference = between = None
        if base is not None and value is not None:
            theirs = base.values[name]
            difference = None if np.isnan(theirs[0]) else value - float(theirs[0])
            paired = paired_samples(values[1:], theirs[1:], confidence)
            between = None if paired is None else paired.interval
        interval = _interval(values[1:], confidence)
        found.append(Correlation(name, ours.systems, value, interval, difference, between, ours.reason))
    return found


def _interval(values: F64, confidence: float) -> Interval | None:
    defined = values[np.isfinite(values)]
    return percentile_interval(defined, confidence) if defined.size else None


def normalised(scores: F64, human: F64) -> F64:
    """Scores of shape (systems) on a line where the worst system by ``human`` is 0 and the best is 1 (Figure 1).

    NaN where these two have the same score.
    """
    low, high = scores[int(np.argmin(human))], scores[int(np.argmax(human))]
    if high == low:
        return np.full(scores.shape, np.nan)
    line: F64 = (scores - low) / (high - low)
    return line
