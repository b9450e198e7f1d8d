"""Statistics of any numbers: rates, correlations, kappa and differences, each with how sure it is."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import atanh, exp, fsum, lgamma, log, log1p, sqrt, tanh
from operator import mul
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError

# Confidence intervals: how far a rate or a correlation found on a sample may lie from the one of the whole.

_LEAST_PAIRS: Final = 4
"""With fewer, z has no variance."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Two bounds, both included."""

    low: float
    high: float


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The score interval of Wilson (1927), within 0 to 1; all of it where there were no trials.

    Its coverage is near ``confidence`` on average, also for small samples and rates near 0 or 1, which is why Brown,
    Cai and DasGupta (2001) recommend it. Raises ValueError for impossible counts.
    """
    _check(successes, trials, confidence)
    if not trials:
        return Interval(0.0, 1.0)
    z = normal_quantile(confidence)
    rate, shrunk = successes / trials, 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / shrunk
    half = z / shrunk * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    # At the ends the formula gives 0 and 1, but for rounding.
    return Interval(
        max(0.0, centre - half) if successes else 0.0, min(1.0, centre + half) if successes < trials else 1.0
    )


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact interval of Clopper and Pearson (1934), within 0 to 1; all of it where there were no trials.

    Its coverage is never below ``confidence``, so that it is wider than Wilson's. Exact to about 1e-10; takes time
    linear in ``trials``, some milliseconds for a thousand. Raises ValueError for impossible counts.
    """
    _check(successes, trials, confidence)
    tail = (1 - confidence) / 2
    return Interval(_lower_bound(successes, trials, tail), 1 - _lower_bound(trials - successes, trials, tail))


def fisher(correlation: float, pairs: int, confidence: float = 0.95) -> Interval | None:
    """The interval of Pearson's correlation by Fisher's z (1921), within -1 to 1; None for fewer than four pairs.

    Raises ValueError for what is no correlation or no confidence.
    """
    if not -1 <= correlation <= 1 or not 0 < confidence < 1:
        raise ValueError(f"correlation {correlation}, confidence {confidence}")
    if pairs < _LEAST_PAIRS:
        return None
    if abs(correlation) == 1:
        return Interval(correlation, correlation)
    half = normal_quantile(confidence) / sqrt(pairs - 3)
    return Interval(tanh(atanh(correlation) - half), tanh(atanh(correlation) + half))


def normal_quantile(confidence: float) -> float:
    """How many standard deviations to both sides hold ``confidence`` of a normal distribution: 1.96 for 0.95."""
    from statistics import NormalDist  # with fractions and decimals, which few commands need

    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _check(successes: int, trials: int, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")


def _lower_bound(successes: int, trials: int, tail: float) -> float:
    """The rate at which this number of successes or more has the probability ``tail``, by bisection."""
    if not successes:
        return 0.0
    ways = [
        lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) for k in range(successes, trials + 1)
    ]  # as a logarithm
    low, high = 0.0, 1.0
    while low < (rate := (low + high) / 2) < high:
        success, failure = log(rate), log1p(-rate)
        if fsum(exp(each + k * success + (trials - k) * failure) for k, each in enumerate(ways, successes)) < tail:
            low = rate
        else:
            high = rate
    return rate


# Drawing at random so that the same seed draws the same texts on every machine, whatever their order: the lowest
# tickets win.

Drawable: TypeAlias = tuple[str, str | None]
"""A text, and one that belongs to it or None."""


def lowest_tickets(seed: int, size: int, texts: Iterable[Drawable]) -> list[Drawable]:
    """The ``size`` texts that the seed gives the lowest tickets to, in the order of these."""
    return heapq.nsmallest(size, texts, key=lambda text: ticket(seed, "draw", text))


def ticket(seed: int, purpose: str, text: Drawable) -> bytes:
    """The number that a text draws: the same on every machine and in every version, and different for each purpose."""
    key = f"{seed} {purpose}".encode()
    first, second = text
    return blake2b(f"{first}\0{second or ''}".encode(), key=key, digest_size=16).digest()


# Agreement between two judges, corrected for chance.

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa with what it is made from; None is a value that is not defined."""

    items: int
    observed: float | None
    """The share of the items on which the two agree, 0 to 1 (near ones counting in part, where weighted)."""
    expected: float | None
    """The same for two judges who give their labels as often, but by chance."""
    value: float | None
    """(observed - expected) / (1 - expected), -1 to 1; None where both gave one and the same label only."""
    interval: Interval | None


def contingency_table(first: Sequence[Label], second: Sequence[Label], labels: Sequence[Label]) -> list[list[int]]:
    """How often the one judge gave the label of the row and the other that of the column, both as in ``labels``.

    Raises ValueError for sequences of different lengths and KeyError for a label that is not in ``labels``.
    """
    number = {label: position for position, label in enumerate(labels)}
    counts = Counter((number[one], number[other]) for one, other in zip(first, second, strict=True))
    return [[counts[row, column] for column in range(len(labels))] for row in range(len(labels))]


def cohen_kappa(table: Sequence[Sequence[int]], confidence: float = 0.95) -> Kappa:
    """Kappa (Cohen 1960) of a square table of counts, a row and a column for each label.

    The interval is that of the large-sample standard error of Fleiss, Cohen and Everitt (1969), cut at -1 and 1. Raises
    ValueError for a table that is not square.
    """
    size, items = len(table), sum(map(sum, table))
    if any(len(row) != size for row in table):
        raise ValueError("the table is not square")
    if not items:
        return Kappa(0, None, None, None, None)
    rows = [sum(row) / items for row in table]
    columns = [sum(column) / items for column in zip(*table, strict=True)]
    observed = sum(table[i][i] for i in range(size)) / items
    expected = sum(map(mul, rows, columns))
    if expected >= 1:
        return Kappa(items, observed, expected, None, None)
    value = (observed - expected) / (1 - expected)
    cells = [(i, j) for i in range(size) for j in range(size)]
    square = sum(table[i][j] / items * ((i == j) - (columns[i] + rows[j]) * (1 - value)) ** 2 for i, j in cells)
    variance = (square - (value - expected * (1 - value)) ** 2) / (items * (1 - expected) ** 2)
    half = normal_quantile(confidence) * sqrt(max(0.0, variance))
    return Kappa(items, observed, expected, value, Interval(max(-1.0, value - half), min(1.0, value + half)))


# How far two measures say the same of the same texts: Pearson's correlation, and kappa over grades, as Denoual and
# Lepage (2005), sections 4.1 and 4.2, compare BLEU in words and in characters.

_EXACT = 1e-12


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Pearson's correlation, -1 to 1; None where it is not defined: one does not vary, or there are under two values.

    Raises UsageError for different numbers of values, and for values that are not finite.
    """
    value = float(pearson_table(np.atleast_2d(first), np.atleast_2d(second))[0, 0])
    return None if np.isnan(value) else value


def pearson_table(first: npt.ArrayLike, second: npt.ArrayLike) -> F64:
    """The correlation of each row of ``first`` with each row of ``second``: shapes (m, n) and (k, n) to (m, k).

    NaN where it is not defined. Raises UsageError for different numbers of values, and for values that are not finite.
    """
    ours, theirs = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if ours.shape[-1] != theirs.shape[-1]:
        raise UsageError(f"{ours.shape[-1]} values cannot be correlated with {theirs.shape[-1]}")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        raise UsageError("values to correlate must be finite")
    table: F64 = np.clip(_standardised(ours) @ _standardised(theirs).T, -1.0, 1.0)
    return table


def pearson_rows(first: F64, second: F64) -> F64:
    """The correlation of each row of ``first`` with the row beside it: shapes (m, n) and (m or 1, n) to (m).

    NaN where it is not defined. The values must be finite.
    """
    correlations: F64 = np.clip((_standardised(first) * _standardised(second)).sum(axis=-1), -1.0, 1.0)
    return correlations


def pearson_of_sums(rows: F64) -> F64:
    """Pearson's correlation from n and the sums of x, y, xx, yy and xy; NaN where it is not defined.

    Shape (..., 6) to (...). Exact to rounding where x and y are given from about their means.
    """
    n, x, y, xx, yy, xy = np.moveaxis(rows, -1, 0)
    first, second = n * xx - x * x, n * yy - y * y
    varies = (first > _EXACT * n * xx) & (second > _EXACT * n * yy)
    correlations: F64 = np.full(first.shape, np.nan)
    # The roots one by one: the product of two small variances may be 0.
    size = np.sqrt(np.maximum(first, 0.0)) * np.sqrt(np.maximum(second, 0.0))
    np.divide(n * xy - x * y, size, out=correlations, where=varies & (size > 0))
    return np.clip(correlations, -1.0, 1.0)


def _standardised(rows: F64) -> F64:
    """Each row around 0 and of length 1; NaN where it does not vary."""
    if not rows.shape[-1]:
        return np.full((len(rows), 1), np.nan)
    varies = rows.max(axis=1, keepdims=True) > rows.min(axis=1, keepdims=True)
    centred = rows - rows.mean(axis=1, keepdims=True)
    size = np.abs(centred).max(axis=1, keepdims=True)
    scaled = np.divide(centred, size, out=np.full(rows.shape, np.nan), where=varies & (size > 0))
    standardised: F64 = scaled / np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return standardised


def grades(scores: npt.ArrayLike, count: int = 10) -> I64:
    """The grade of each score of 0 to 1, from 0 to ``count`` - 1: [0, 0.1[ is 0 and [0.9, 1] is 9 (section 4.2).

    Scores up to 1e-12 below the bound of a grade belong to it: BLEU of a text with itself can be a little less than 1.
    Raises UsageError for scores outside 0 to 1 and for fewer than one grade.
    """
    values = np.asarray(scores, dtype=np.float64)
    if count < 1:
        raise UsageError(f"there is at least one grade, not {count}")
    if not ((values >= -_EXACT) & (values <= 1 + _EXACT)).all():
        raise UsageError("only scores from 0 to 1 have a grade")
    return np.clip(np.floor((values + _EXACT) * count), 0, count - 1).astype(np.int64)


def graded_kappa(first: npt.ArrayLike, second: npt.ArrayLike, count: int = 10) -> Kappa:
    """Cohen's kappa of two measures that are taken for judges, each giving a text the grade of its score (section 4.2).

    Raises UsageError for different numbers of scores, and as grades does.
    """
    ours, theirs = grades(first, count), grades(second, count)
    if ours.shape != theirs.shape:
        raise UsageError(f"{ours.size} scores cannot be compared with {theirs.size}")
    table = np.bincount(ours.ravel() * count + theirs.ravel(), minlength=count * count).reshape(count, count)
    return cohen_kappa(table.tolist())


# How far a score is due to the segments and references of a test set. Everything here resamples rows of statistics,
# never texts: ``statistics`` has shape (systems, segments, columns), and ``score`` turns summed rows, shape (...,
# columns), into scores, shape (...), such as ``lambda rows: bleu_scores(rows)[..., 3]``. A seed gives the same samples
# on every machine.

Score: TypeAlias = Callable[[F64], F64]
_AT_ONCE = 1 << 22
"""Numbers drawn at once."""
_WORD = 32
_ROUNDING = 1e-12
"""Differences that are this close, relatively, are the same."""


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """A system against the baseline."""

    difference: float
    """Of the scores on all segments: system minus baseline."""
    p_value: float
    """How probable a difference as large as this is if the two systems are equally good."""


@dataclass(frozen=True, slots=True)
class BootstrapComparison(SystemComparison):
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
        drawn = rng.integers(0, segments, size=(size, segments))
        flat = (drawn + segments * np.arange(size)[:, np.newaxis]).ravel()
        yield np.bincount(flat, minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


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
) -> list[SystemComparison]:
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
        SystemComparison(difference, _p_value(row, difference))
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


# Logistic models: a probability by weighted features.


_EDGE: Final = 1e-4
"""Probabilities are this far from 0 and 1 at least."""


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights of the features as they are, not standardised, and the range of each in which that was learned."""

    weights: tuple[float, ...]
    bias: float
    least: tuple[float, ...]
    most: tuple[float, ...]

    def probability(self, features: F64) -> F64:
        """The probability of each row, 0 to 1; ``features`` are rows by features.

        A feature outside of its range counts as the end of that: nothing is known of what lies beyond.
        """
        return logistic(np.clip(features, self.least, self.most) @ np.array(self.weights) + self.bias)

    def document(self) -> dict[str, Any]:
        ranges = {"least": list(self.least), "most": list(self.most)}
        return {"weights": list(self.weights), "bias": self.bias, **ranges}

    @classmethod
    def read(cls, document: dict[str, Any]) -> LogisticModel:
        ends = tuple(document["least"]), tuple(document["most"])
        return cls(tuple(document["weights"]), document["bias"], *ends)


def logistic(values: F64) -> F64:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))


def log_odds(validity: F64) -> F64:
    inside = np.clip(validity, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(inside / (1 - inside)))
