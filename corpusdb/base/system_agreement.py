"""How far scores of systems agree with human scores, and whether one metric agrees better than another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, Bools
from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import Interval, pearson_of_sums, pearson_rows, percentile_interval

# Scores and human scores of systems have shape (systems, samples); what is not defined is NaN in arrays, and None else.

SystemStatistic: TypeAlias = Callable[[F64, F64], F64]
OUTLIER_CUT: Final = 2.5
"""Mathur et al. (2020), section 4.1."""
_NORMAL: Final = 1.483
"""Makes the median absolute deviation of normal scores their standard deviation."""


def why_undefined(scores: npt.ArrayLike, human: npt.ArrayLike, what: str = "systems") -> str | None:
    """In words why the correlation of two rows of numbers is not defined, or None where it is."""
    ours, theirs = np.asarray(scores, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if ours.size < 2:
        return f"{'one' if ours.size else 'none'} of the {what} has both scores, and two are needed"
    if np.ptp(theirs) == 0:
        return f"the human scores of all {what} are the same"
    return f"the metric gives all {what} the same score" if np.ptp(ours) == 0 else None


def outliers(human: F64) -> Bools:
    """Which systems lie so far from the median that they alone may make a correlation (Mathur et al. 2020).

    An outlier's human score is over 2.5 median absolute deviations, as of a normal distribution, from the median of
    all. There are none where the deviation is 0.
    """
    distances = np.abs(human - np.median(human)) if human.size else human
    deviation = _NORMAL * float(np.median(distances)) if human.size else 0.0
    return distances > OUTLIER_CUT * deviation if deviation else np.zeros(human.shape, dtype=np.bool_)


def _spearman(scores: F64, human: F64) -> F64:
    return pearson_rows(_mean_ranks(scores).T, _mean_ranks(human).T)


def _mean_ranks(columns: F64) -> F64:
    """The rank of each score in its column, from 1; equal scores have the mean of their ranks."""
    ranked = np.sort(columns, axis=0)
    less, upto = np.zeros(columns.shape), np.zeros(columns.shape)
    for row in ranked:
        less += row < columns
        upto += row <= columns
    return (less + 1 + upto) / 2


def _kendall(scores: F64, human: F64) -> F64:
    ours, theirs = _orders(scores), _orders(human)
    size = np.sqrt(np.count_nonzero(ours, axis=0) * np.count_nonzero(theirs, axis=0).astype(np.float64))
    together = (ours * theirs).sum(axis=0, dtype=np.float64)
    taus: F64 = np.divide(together, size, out=np.full(np.shape(together), np.nan), where=size > 0)
    return taus


def pairwise_accuracy(scores: F64, human: F64, chosen: Bools | None = None) -> F64:
    """The share of pairs of systems, or of those ``chosen``, that are in the same order; NaN of none."""
    agreed = _orders(scores) == _orders(human)
    agreed = agreed if chosen is None else agreed[chosen]
    return agreed.mean(axis=0) if len(agreed) else np.full(agreed.shape[1], np.nan)


def _orders(columns: F64) -> npt.NDArray[np.int8]:
    """For each pair of systems which is better, as -1, 0 or 1: shape (pairs, samples)."""
    first, second = np.triu_indices(len(columns), 1)
    better, worse = columns[first] > columns[second], columns[first] < columns[second]
    return better.view(np.int8) - worse.view(np.int8)


SYSTEM_STATISTICS: Final[Mapping[str, SystemStatistic]] = {
    "pearson": lambda scores, human: pearson_rows(scores.T, human.T),
    "spearman": _spearman,
    "kendall": _kendall,
    "pairwise_accuracy": pairwise_accuracy,
}
"""By name: shapes (systems, samples) and (systems, samples or 1) to (samples)."""


# Whether one metric agrees with people better than another, or only seems to on these segments. In PERM-BOTH (Deutsch,
# Dror and Roth 2021, section 5) both are standardised, and for each output a coin decides whether they exchange their
# scores.

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Superiority:
    """How probable a difference like the one observed is if the first metric is no better than the second."""

    first_better: float
    """The p-value of "the first agrees with people better"."""
    second_better: float
    """The p-value of "the second agrees with people better"."""


@dataclass(frozen=True, slots=True)
class PairedSamples(Superiority):
    """The same by bootstrap, with the interval of the difference."""

    interval: Interval
    undefined: int
    """Samples in which one of the two is not defined, which are left out."""


def paired_samples(first: F64, second: F64, confidence: float = 0.95) -> PairedSamples | None:
    """From the agreement of two metrics on the same samples (paired bootstrap); None where it is defined in none."""
    differences = first - second
    differences = differences[np.isfinite(differences)]
    if not differences.size:
        return None
    worse, better = np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0)
    trials = differences.size + 1
    interval = percentile_interval(differences, confidence)
    return PairedSamples((worse + 1) / trials, (better + 1) / trials, interval, first.size - differences.size)


def jackknife_contributions(statistics: F64, score: Callable[[F64], F64], counted: Bools | None = None) -> F64:
    """What each segment contributes to the score of its system: shape (systems, segments), whose means are the scores.

    Where only some segments are ``counted``, the statistics of the others are 0; these contribute nothing, NaN.

    ``statistics`` has shape (systems, segments, columns). A corpus score such as BLEU is no mean over segments; these
    are the pseudo-values of the jackknife (Tukey 1958), moved so that their mean is the score. For a score that is a
    mean they are the scores of the segments.
    """
    sums = statistics.sum(axis=1, keepdims=True)
    known = np.ones(statistics.shape[:2], dtype=np.bool_) if counted is None else counted
    segments = known.sum(axis=1, keepdims=True)
    # segments * whole - (segments - 1) * without, up to what all segments of a system share; of one, the whole
    without = np.where(segments[..., np.newaxis] > 1, sums - statistics, sums)
    pseudo = np.where(known, (1 - segments) * score(without), 0.0)
    moved = pseudo - pseudo.sum(axis=1, keepdims=True) / np.maximum(segments, 1) + score(sums)
    contributions: F64 = np.where(known, moved, np.nan)
    return contributions


def systems_exchanged(
    contributions: F64, human: F64, statistic: SystemStatistic, *, trials: int = 1000, seed: int
) -> Superiority | None:
    """PERM-BOTH for scores of systems; None where one of the two is not defined.

    ``contributions`` has shape (2, systems, segments) with means that are the scores of the systems, NaN where a
    segment does not count; ``human`` has shape (systems).
    """
    known = np.isfinite(contributions).all(axis=0)
    segments = np.maximum(known.sum(axis=1, keepdims=True), 1)
    first, second = np.zeros(known.shape), np.zeros(known.shape)
    first[known], second[known] = (_standardised(each[known]) for each in contributions)
    rated = human[:, np.newaxis]
    means, other_means = (each.sum(axis=1, keepdims=True) / segments for each in (first, second))
    observed = statistic(means, rated) - statistic(other_means, rated)
    found = []
    for coins in _coins(trials, first.shape, seed):
        moved = np.stack([each @ row for each, row in zip(np.moveaxis(coins, 1, 0), second - first, strict=True)])
        moved /= segments
        one, other = means + moved, other_means - moved
        found.append(statistic(one, rated) - statistic(other, rated))
    return _superiority(float(observed[0]), np.concatenate(found))


def segments_exchanged(scores: F64, human: F64, *, trials: int = 1000, seed: int) -> Superiority | None:
    """PERM-BOTH for Pearson's correlation of segments over all; None where one of the two is not defined.

    ``scores`` has shape (2, systems, segments), ``human`` (systems, segments); what is NaN in one of them is left out.
    """
    rated = np.isfinite(scores).all(axis=0) & np.isfinite(human)
    if not rated.any():
        return None
    first, second = (_standardised(each[rated]) for each in scores)
    people = _standardised(human[rated])
    columns = np.stack([second - first, second**2 - first**2, (second - first) * people], axis=1)
    whole = np.array([people.size, 0.0, people.sum(), 0.0, (people**2).sum(), 0.0])
    sums = [whole.copy(), whole.copy()]
    for total, each in zip(sums, (first, second), strict=True):
        total[[1, 3, 5]] = each.sum(), (each**2).sum(), (each * people).sum()
    observed = pearson_of_sums(sums[0]) - pearson_of_sums(sums[1])
    found = []
    for coins in _coins(trials, first.shape, seed):
        moved = coins @ columns
        one, other = np.tile(sums[0], (len(moved), 1)), np.tile(sums[1], (len(moved), 1))
        one[:, [1, 3, 5]] += moved
        other[:, [1, 3, 5]] -= moved
        found.append(pearson_of_sums(one) - pearson_of_sums(other))
    return _superiority(float(observed), np.concatenate(found))


def decisions_exchanged(first: F64, second: F64, *, trials: int = 1000, seed: int) -> Superiority | None:
    """PERM-INPUTS for the mean of a statistic within segments: the metrics exchange whole segments.

    Both have shape (segments); a segment in which one is NaN is left out. An epsilon belongs to the scale of its own
    metric, so that single scores cannot be exchanged.
    """
    differences = first - second
    differences = differences[np.isfinite(differences)]
    if not differences.size:
        return None
    found = [(1 - 2 * coins) @ differences for coins in _coins(trials, differences.shape, seed)]
    return _superiority(float(differences.mean()), np.concatenate(found) / differences.size)


def _standardised(scores: F64) -> F64:
    """About 0 and with a standard deviation of 1, all of them together; 0 where they are all the same."""
    centred = scores - scores.mean()
    deviation = float(centred.std())
    return centred / deviation if deviation else np.zeros_like(scores)


_Shape: TypeAlias = tuple[int, ...]
_AT_ONCE = 1 << 22


def _coins(trials: int, shape: _Shape, seed: int) -> Iterator[F64]:
    """Zeros and ones of shape (trials, *shape), in portions that do not change what is drawn."""
    if trials < 1:
        raise UsageError(f"at least one trial is needed, not {trials}")
    rng = np.random.default_rng(seed)
    cells = int(np.prod(shape))
    size = max(1, _AT_ONCE // max(1, cells))
    for begin in range(0, trials, size):
        count = min(size, trials - begin)
        packed = rng.integers(0, 256, size=(count, -(-cells // 8)), dtype=np.uint8)
        bits = np.unpackbits(packed, axis=1, count=cells)
        yield bits.reshape(count, *shape).astype(np.float64)


def _superiority(observed: float, differences: F64) -> Superiority | None:
    """From the difference observed and those of the trials; one in which it is not defined speaks for neither."""
    if not np.isfinite(observed):
        return None
    trials = differences.size + 1
    known = np.nan_to_num(differences, nan=0.0)
    slack = _ROUNDING * max(1.0, abs(observed))
    return Superiority(
        (int(np.count_nonzero(known >= observed - slack)) + 1) / trials,
        (int(np.count_nonzero(known <= observed + slack)) + 1) / trials,
    )


def soft_pairwise_accuracy(scores: F64, human: F64, *, trials: int = 1000, seed: int) -> F64:
    """How alike metric and people are in how sure they are of the better one of two systems: 1 is the same.

    For each pair of systems a paired permutation test says how probable a difference like theirs, or a larger one, is
    if the first is no better than the second, by the metric and by people; the accuracy is 1 less the mean over the
    pairs of how far the two p-values lie apart (Thompson, Mathur, Deutsch and Khayrallah 2024; the measure of systems
    of the WMT24 metrics task). The coins are those of mt-metrics-eval, where trials are 1000 and the seed is 4.

    ``scores`` has shape (draws, systems, segments), ``human`` (systems, segments); the result (draws). Systems are what
    their segments are in the mean. A pair is compared on the segments in which all four have scores; NaN where no pair
    has any.
    """
    known = np.isfinite(scores).all(axis=0) & np.isfinite(human)
    first, second = np.triu_indices(len(human), 1)
    compared = np.flatnonzero((known[first] & known[second]).any(axis=1))
    if not len(compared):
        return np.full(len(scores), np.nan)
    first, second = first[compared], second[compared]
    common = known[first] & known[second]
    tables = np.concatenate([human[np.newaxis], scores])
    at_least = np.zeros((len(tables), len(first)))
    for signs in _signs(trials, human.shape[1], seed):
        for number, table in enumerate(tables):
            differences = np.where(common, table[first] - table[second], 0.0)
            slack = _ROUNDING * np.abs(differences).sum(axis=1)
            at_least[number] += (signs @ differences.T >= differences.sum(axis=1) - slack).sum(axis=0)
    accuracies: F64 = 1 - np.abs(at_least[1:] - at_least[0]).mean(axis=1) / trials
    return accuracies


# So many tests of all pairs would take an hour for the samples of the segments, and for the trials in which two metrics
# exchange scores: in these, p-values are those of the normal distribution that the permutations tend to, whose mean is
# 0 and whose variance the sum of the squared differences.


def soft_accuracy_in_samples(scores: F64, human: F64, counts: F64) -> F64:
    """The same where segments count as often as said: shapes (draws, systems, segments), (systems, segments) and
    (samples, segments) to (draws, samples)."""
    known = np.isfinite(scores).all(axis=0) & np.isfinite(human)
    first, second = np.triu_indices(len(human), 1)
    common = known[first] & known[second]
    compared = counts @ common.T > 0

    def p_values(table: F64) -> F64:
        differences = np.where(common, table[first] - table[second], 0.0)
        return _normal_p(counts @ differences.T, counts @ (differences**2).T)

    people = p_values(human)
    return np.stack([_likeness(p_values(table), people, compared) for table in scores])


def soft_accuracies_exchanged(scores: F64, human: F64, *, trials: int = 1000, seed: int) -> Superiority | None:
    """PERM-BOTH for the soft pairwise accuracy; None where it is not defined.

    ``scores`` has shape (2, systems, segments), ``human`` (systems, segments); what is NaN in one of them is left out.
    """
    known = np.isfinite(scores).all(axis=0) & np.isfinite(human)
    pairs = np.triu_indices(len(human), 1)
    if not known.any():
        return None
    weights = known.astype(np.float64)
    compared = (weights @ weights.T)[pairs] > 0

    def p_values(tables: F64) -> F64:
        """Of shape (trials, systems, segments); sums over the segments that two systems share, by matrix products."""
        sums, squares = tables @ weights.T, tables**2 @ weights.T
        both = squares + np.swapaxes(squares, 1, 2)
        spread = both - 2 * tables @ np.swapaxes(tables, 1, 2)
        spread = np.where(spread > _ROUNDING * both, spread, 0.0)
        return _normal_p((sums - np.swapaxes(sums, 1, 2))[:, *pairs], spread[:, *pairs])

    first, second, people = np.zeros((3, *known.shape))
    for table, each in zip((first, second, people), (*scores, human), strict=True):
        table[known] = _standardised(each[known])
    sure = p_values(people[np.newaxis])

    def difference(ones: F64, others: F64) -> F64:
        return _likeness(p_values(ones), sure, compared) - _likeness(p_values(others), sure, compared)

    observed = difference(first[np.newaxis], second[np.newaxis])
    found = []
    for coins in _coins(trials, first.shape, seed):
        moved = coins * (second - first)
        found.append(difference(first + moved, second - moved))
    return _superiority(float(observed[0]), np.concatenate(found))


def _normal_p(sums: F64, squares: F64) -> F64:
    """How probable a sum of differences this large is where their signs are chance; 1 where there are none."""
    away = np.divide(sums, np.sqrt(2 * squares), out=np.full(sums.shape, -np.inf), where=squares > 0)
    p_values: F64 = _ERFC(away) / 2
    return p_values


_ERFC: Final = np.vectorize(erfc, otypes=[np.float64])


def _likeness(p_values: F64, others: F64, compared: Bools) -> F64:
    """1 less the mean distance of p-values, over the pairs that are compared: shape (samples, pairs) to (samples)."""
    distances = np.where(compared, np.abs(p_values - others), 0.0).sum(axis=-1)
    pairs = np.broadcast_to(compared.sum(axis=-1), distances.shape)
    likeness: F64 = 1 - np.divide(distances, pairs, out=np.full(distances.shape, np.nan), where=pairs > 0)
    return likeness


def _signs(trials: int, cells: int, seed: int) -> Iterator[F64]:
    """Ones and minus ones of shape (trials, cells), in portions: those that mt-metrics-eval draws by this seed."""
    rng = np.random.default_rng(seed)
    size = max(1, _AT_ONCE // max(1, cells))
    for begin in range(0, trials, size):
        drawn = rng.random((min(size, trials - begin), cells), dtype=np.float32)
        yield 2 * np.rint(drawn).astype(np.float64) - 1


# Systems in clusters, as WMT prints them: those between which no border can be drawn that chance does not explain.
#
# Every system is compared with every other. It is better than another where its score is higher, and so much higher
# would be improbable by chance (p < 0.05, not corrected for the number of pairs). A cluster ends behind a system
# where all from the first up to it are better than all that stand behind it; ranks say how many are better than a
# system, and how many it is better than (Bojar et al. 2013, section 3; Akhbardeh et al. 2021).

LEVEL: Final = 0.05


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system among others."""

    system: str
    score: float
    cluster: int
    """From 1, the best."""
    first_rank: int
    """One more than systems that are better."""
    last_rank: int
    """All systems less those that it is better than."""
    wins: int
    """How many systems it is better than."""


def ranked_systems(systems: Sequence[str], scores: Sequence[float], is_better: Bools) -> list[RankedSystem]:
    """The systems, those with the higher scores first, equal ones in their order.

    ``is_better`` says of each system (rows) whether it is better than each other one (columns).
    """
    order = sorted(range(len(systems)), key=lambda at: -scores[at])
    beats = is_better[np.ix_(order, order)]
    cluster, found = 1, []
    for place, at in enumerate(order):
        cluster += place > 0 and bool(beats[:place, place:].all())
        wins, losses = int(beats[place].sum()), int(beats[:, place].sum())
        ranks = losses + 1, len(order) - wins
        found.append(RankedSystem(systems[at], scores[at], cluster, *ranks, wins))
    return found


def rank_sum_p(first: F64, second: F64) -> float:
    """How probable it is by chance that the first scores are so much higher: Wilcoxon's rank-sum test, one-sided.

    By the normal distribution with a correction for ties and for continuity, as in R, with which WMT tests what people
    said of segments; NaN is none. 1 where either has none, or all are equal.
    """
    own, others = (scores[np.isfinite(scores)] for scores in (first, second))
    values, numbers, counts = np.unique(np.concatenate([own, others]), return_inverse=True, return_counts=True)
    if not own.size or not others.size or len(values) < 2:
        return 1.0
    middles = np.cumsum(counts) - (counts - 1) / 2
    above = middles[numbers[: len(own)]].sum() - len(own) * (len(own) + 1) / 2 - len(own) * len(others) / 2
    total = len(own) + len(others)
    ties = float((counts.astype(np.float64) ** 3 - counts).sum()) / (total * (total - 1))
    deviation = sqrt(len(own) * len(others) / 12 * (total + 1 - ties))
    return erfc((above - 0.5) / deviation / sqrt(2)) / 2


def told_apart(human: F64, segments: F64, limit: float) -> Bools:
    """Of each pair of systems, as pairwise_accuracy has them, whether what people said of the segments of the better
    one is better by the rank-sum test, with a p below ``limit``."""
    pairs = zip(*np.triu_indices(len(human), 1), strict=True)
    ordered = ((one, other) if human[one] > human[other] else (other, one) for one, other in pairs)
    return np.array(
        [human[a] > human[b] and rank_sum_p(segments[a], segments[b]) < limit for a, b in ordered], dtype=np.bool_
    )


def clusters_of_people(systems: Mapping[str, float], segments: Mapping[str, Mapping[int, float]]) -> list[RankedSystem]:
    """The systems by what people said of them and of their segments, as WMT has them; systems without scores of
    segments are left out."""
    names = [name for name in systems if name in segments]
    values = [np.array([*segments[name].values()]) for name in names]
    is_better = [
        [systems[a] > systems[b] and rank_sum_p(own, others) < LEVEL for b, others in zip(names, values, strict=True)]
        for a, own in zip(names, values, strict=True)
    ]
    found = np.array(is_better, dtype=np.bool_).reshape(len(names), len(names))
    return ranked_systems(names, [systems[name] for name in names], found)
