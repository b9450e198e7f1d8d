"""How far a score is due to the segments and references that happened to be in the test set.

Everything here resamples rows of statistics, never texts: ``statistics`` has shape (systems, segments, columns), and
``score`` turns summed rows, shape (..., columns), into scores, shape (...). For BLEU of order 4, for example:
``lambda rows: bleu_scores(rows)[..., 3]``. A seed gives the same samples on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.stats.estimates import Interval

__all__ = [
    "BootstrapComparison",
    "Comparison",
    "Score",
    "Spread",
    "bootstrap",
    "counts_in_samples",
    "paired_bootstrap",
    "paired_randomisation",
    "percentile_interval",
    "spread",
]

Score: TypeAlias = Callable[[F64], F64]
_AT_ONCE = 1 << 22
"""Numbers drawn at once."""
_WORD = 32
_ROUNDING = 1e-12
"""Differences that are this close, relatively, are the same."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A system against the baseline."""

    difference: float
    """Of the scores on all segments: system minus baseline."""
    p_value: float
    """How probable a difference as large as this is if the two systems are equally good."""


@dataclass(frozen=True, slots=True)
class BootstrapComparison(Comparison):
    """A system against the baseline on many samples of the segments."""

    wins: float
    """The share of samples in which the system is the better of the two (Koehn 2004), ties counted half."""
    interval: Interval
    """Of the difference, over the samples."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How far a score would vary with other segments and with other references, as variances."""

    mean: float
    """Over all samples of both."""
    segments: float
    """The variance over samples of the segments, with the references fixed."""
    references: float
    """The variance over draws of the references, with the segments averaged out."""

    @property
    def total(self) -> float:
        """The variance when both are drawn: by the law of total variance the sum."""
        return self.segments + self.references


def bootstrap(statistics: I64 | F64, score: Score, *, samples: int = 1000, seed: int) -> F64:
    """The score of each system in each sample of segments, drawn with replacement: shape (systems, samples).

    All systems are scored on the same samples, so that their rows can be subtracted (paired). The samples are those of
    sacrebleu for the same seed.
    """
    rows = _checked(statistics, samples)
    scores = [score(counts @ rows) for counts in counts_in_samples(rows.shape[1], samples, seed=seed)]
    return np.concatenate(scores, axis=1)


def counts_in_samples(segments: int, samples: int, *, seed: int) -> Iterator[F64]:
    """How often each segment is in each sample, drawn with replacement: shape (samples, segments), in portions.

    With it, sums over samples are one product of matrices. The samples are those of ``bootstrap`` for the same seed.
    """
    rng = np.random.default_rng(seed)
    for size in _portions(samples, segments):
        yield _counts(rng.integers(0, segments, size=(size, segments)), segments)


def percentile_interval(scores: F64, confidence: float = 0.95) -> Interval:
    """The interval that holds the middle ``confidence`` (0 to 1) of the scores; as many are left out at either end.

    Raises UsageError without scores and for a confidence that is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence lies between 0 and 1, not at {confidence}")
    if not scores.size:
        raise UsageError("an interval needs at least one score")
    ordered = np.sort(scores)
    outside = int(round(len(ordered) * (1 - confidence) / 2, 9))  # 1 - 0.95 is a little more than a twentieth
    return Interval(float(ordered[outside]), float(ordered[len(ordered) - 1 - outside]))


def paired_bootstrap(
    statistics: I64 | F64, score: Score, *, baseline: int = 0, samples: int = 1000, seed: int
) -> list[BootstrapComparison]:
    """Each system against the one at ``baseline`` on the same samples of segments (Koehn 2004), itself included.

    The p-value is (c + 1) / (``samples`` + 1) with c the samples in which the absolute difference exceeds its mean over
    the samples by as much as the difference observed, or more; for one seed it is that of sacrebleu but for ties, which
    sacrebleu does not count: there a system differs significantly from itself.
    """
    rows = _checked(statistics, samples, baseline)
    observed = score(rows.sum(axis=1))
    resampled = bootstrap(rows, score, samples=samples, seed=seed)
    comparisons = []
    for system, difference in enumerate((observed - observed[baseline]).tolist()):
        differences = resampled[system] - resampled[baseline]
        sizes = np.abs(differences)
        wins = np.count_nonzero(differences > 0) + np.count_nonzero(differences == 0) / 2
        p_value = _p_value(sizes - sizes.mean(), difference)
        comparisons.append(BootstrapComparison(difference, p_value, wins / samples, percentile_interval(differences)))
    return comparisons


def paired_randomisation(
    statistics: I64 | F64, score: Score, *, baseline: int = 0, samples: int = 10_000, seed: int
) -> list[Comparison]:
    """Each system against the one at ``baseline``, itself included, by approximate randomisation.

    In every trial a coin decides for each segment whether the two systems change places (Riezler and Maxwell 2005). The
    p-value is (c + 1) / (``samples`` + 1) with c the trials that give a difference as large as the one observed, or
    larger; for one seed it is that of sacrebleu but for ties, which sacrebleu does not count.
    """
    rows = _checked(statistics, samples, baseline)
    sums = rows.sum(axis=1)
    observed = score(sums)
    rng = np.random.default_rng(seed)
    segments = rows.shape[1]
    advantage = rows - rows[baseline]
    sizes = []
    for size in _portions(samples, segments):
        stays = rng.integers(2, size=(size, segments), dtype=np.bool_).astype(np.float64)
        moved = stays @ advantage
        sizes.append(np.abs(score(sums[baseline] + moved) - score(sums[:, np.newaxis] - moved)))
    differences = (observed - observed[baseline]).tolist()
    return [
        Comparison(difference, _p_value(row, difference))
        for difference, row in zip(differences, np.concatenate(sizes, axis=1), strict=True)
    ]


def spread(statistics: I64 | F64, score: Score, *, samples: int = 1000, seed: int) -> Spread:
    """How one system's score varies with the segments and with the references.

    ``statistics`` has shape (draws, segments, columns): the system's statistics with each draw of the references.
    Raises UsageError for fewer than two draws or samples.
    """
    rows = _checked(statistics, samples)
    if len(rows) < 2 or samples < 2:
        raise UsageError("a variance needs at least two draws of references and two samples of segments")
    scores = bootstrap(rows, score, samples=samples, seed=seed)
    return Spread(
        mean=float(scores.mean()),
        segments=float(scores.var(axis=1, ddof=1).mean()),
        references=float(scores.mean(axis=1).var(ddof=1)),
    )


def _checked(statistics: I64 | F64, samples: int, baseline: int = 0) -> F64:
    if statistics.ndim != 3:
        raise UsageError(f"statistics of systems, segments and columns are wanted, not of shape {statistics.shape}")
    if samples < 1:
        raise UsageError(f"at least one sample is needed, not {samples}")
    if not 0 <= baseline < len(statistics):
        raise UsageError(f"the baseline is one of the {len(statistics)} systems, counted from 0, not {baseline}")
    if not statistics.shape[1]:
        raise InputError("there are no segments")
    return statistics.astype(np.float64)


def _counts(drawn: I64, segments: int) -> F64:
    flat = (drawn + segments * np.arange(len(drawn))[:, np.newaxis]).ravel()
    return np.bincount(flat, minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def _portions(samples: int, segments: int) -> Iterator[int]:
    """The samples in portions that fit in memory, of whole words of random bits, so that they change no sample."""
    size = max(1, _AT_ONCE // segments // _WORD) * _WORD
    while samples > 0:
        yield min(size, samples)
        samples -= size


def _p_value(sizes: F64, difference: float) -> float:
    """The share of chance's differences that are as large as the observed one, which is counted among them."""
    threshold = abs(difference) * (1 - _ROUNDING)
    return (int(np.count_nonzero(sizes >= threshold)) + 1) / (len(sizes) + 1)
