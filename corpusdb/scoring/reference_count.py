"""What references are worth: how a score, and its agreement with people, changes with their number and their origin.

One system's n-grams are counted once in each single reference of their segment (MatchTable). A subset of references
has the largest of these counts, so that the statistics of BLEU for one, two, three ... of them, in any order, are a
running maximum. The order is drawn for each segment (drawn_orders); the first m references of a draw are also among the
first m + 1, so that a curve over m is a curve of additions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval, Spread, bootstrap, pearson_of_sums, pearson_table, percentile_interval
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.ngrams import number_ngrams
from corpusdb.corpus.formats.score_file import differs
from corpusdb.scoring.metric import UNKNOWN, References, Sequences, parallel
from corpusdb.scoring.metric_settings import NO_SMOOTHING, SENTENCE_SMOOTHING, Smoothing
from corpusdb.scoring.unit_metrics import bleu_scores

_LENGTH_BITS = 32
_LEAST_SYSTEMS = 3
"""Two systems always correlate perfectly."""


@dataclass(frozen=True, slots=True)
class MatchTable:
    """One system's n-grams: a row for each different one that a reference of its segment has, by order and segment."""

    counts: I64
    """How often it stands in each reference of its segment, at most as often as in the hypothesis: shape (rows,
    references of the segment that has most)."""
    segments: I64
    groups: I64
    """(order - 1) * segments + segment of each row, ascending."""
    lengths: I64
    """In units, of each hypothesis."""
    reference_lengths: I64
    """Shape (segments, references); 0 where there is no such reference."""
    order: int

    def statistics(self, orders: I64, sizes: Sequence[int]) -> I64:
        """BLEU statistics with the first m references of ``orders``, for each m of ``sizes``.

        Shape (sizes, segments, 2 order + 2), columns as in bleu_statistics; ``orders`` is one of drawn_orders.
        """
        last = np.array(sizes) - 1
        segments = len(self.lengths)
        statistics = np.zeros((len(last), segments, 2 * self.order + 2), dtype=np.int64)
        if len(self.groups):
            counts = np.take_along_axis(self.counts, orders[self.segments], axis=1)
            best = np.maximum.accumulate(counts, axis=1)[:, last]
            begins = np.flatnonzero(np.diff(self.groups, prepend=-1))
            order, segment = np.divmod(self.groups[begins], segments)
            statistics[:, segment, order] = np.add.reduceat(best, begins, axis=0).T
        own = self.lengths[:, np.newaxis]
        statistics[:, :, self.order : -2] = np.maximum(own - np.arange(self.order), 0)
        statistics[:, :, -2] = self.lengths
        theirs = np.take_along_axis(self.reference_lengths, orders, axis=1)
        closest = np.minimum.accumulate((np.abs(theirs - own) << _LENGTH_BITS) + theirs, axis=1)
        statistics[:, :, -1] = (closest[:, last] & ((1 << _LENGTH_BITS) - 1)).T
        return statistics


@dataclass(frozen=True, slots=True)
class Resampling:
    seed: int
    draws: int = 50
    """Number of random orders in which references are added."""
    samples: int = 200
    """Samples of the segments for each."""
    smoothing: Smoothing = NO_SMOOTHING
    """Of the score of a system; sentences have SENTENCE_SMOOTHING."""

    def __post_init__(self) -> None:
        if self.draws < 1 or self.samples < 1:
            raise UsageError(f"at least one draw and one sample are needed, not {self.draws} and {self.samples}")


@dataclass(frozen=True, slots=True)
class HumanScores:
    """What people said of the systems; NaN where they said nothing."""

    systems: F64
    """Shape (systems)."""
    segments: F64 | None
    """Shape (systems, segments)."""

    @property
    def are_means(self) -> bool:
        """Whether the scores of all systems are the means of what was said of their segments, but for rounding."""
        return self.segments is not None and are_means(self.systems, self.segments)

    @property
    def judged(self) -> Bools | None:
        """Which segments the scores of systems are means of, shape (systems, segments): all of a system without any;
        None where they are no such means."""
        if self.segments is None or not self.are_means:
            return None
        known = np.isfinite(self.segments)
        judged: Bools = known | ~known.any(axis=1, keepdims=True)
        return judged


def are_means(systems: F64, segments: F64) -> bool:
    """Whether all systems that have a score have the mean of their segments, but for rounding; NaN is none."""
    known: Bools = np.asarray(np.isfinite(segments).any(axis=1))
    pairs = zip(systems[known], segments[known], strict=True)
    return bool(known[np.isfinite(systems)].all()) and not any(differs(*each) for each in pairs)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the draws, on all segments, and its 95 % interval over segments and draws."""

    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class ReferenceCountPoint:
    references: int
    """The most that a segment has; those that have no more have all of theirs."""
    mean_references: float
    scores: tuple[Estimate, ...]
    """BLEU of each system, 0 to 100."""
    spreads: tuple[Spread, ...]
    """The variance of each system's score over segments and over references; the latter 0 with one draw."""
    segment_correlation: Estimate | None
    """Pearson of sentence BLEU with the human scores, over all segments of all systems that have one."""
    system_correlation: Estimate | None
    """Pearson of the systems' scores with their human scores, which are not resampled; three systems at least."""


def match_table(hypotheses: Sequences, references: References, order: int) -> MatchTable:
    """Count the n-grams up to ``order`` of one system in each reference.

    Raises InputError unless there is one hypothesis for every segment, UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"the order of BLEU is at least 1, not {order}")
    parallel(hypotheses, references)
    segments, width = len(references.counts), int(references.counts.max())
    ranks = np.arange(len(references.segments)) - references.firsts[references.segments]
    lengths = np.concatenate([hypotheses.lengths, references.sequences.lengths])
    text = np.repeat(np.arange(len(lengths)), lengths)
    segment = np.concatenate([np.arange(segments), references.segments])[text]
    column = np.concatenate([np.full(segments, -1), ranks])[text]
    # From 0, which stands for the units of hypotheses that no reference has.
    units = np.concatenate([hypotheses.units, references.sequences.units]) - UNKNOWN
    counts, groups = [], []
    for ngrams in number_ngrams(units, lengths, order):
        at, base = ngrams.places, len(text) + 1
        found, table = _counted(segment[at] * base + ngrams.numbers, column[at], width)
        counts.append(table)
        groups.append((ngrams.n - 1) * segments + found // base)
    reference_lengths = np.zeros((segments, width), dtype=np.int64)
    reference_lengths[references.segments, ranks] = references.sequences.lengths
    every = np.concatenate(groups)
    return MatchTable(np.concatenate(counts), every % segments, every, hypotheses.lengths, reference_lengths, order)


def _counted(keys: I64, columns: I64, width: int) -> tuple[I64, I64]:
    """The keys that the hypothesis, column -1, shares with a reference, and their clipped counts in each."""
    is_own = columns < 0
    own, own_counts = np.unique(keys[is_own], return_counts=True)
    counts = np.zeros((len(own), width), dtype=np.int64)
    if len(own):
        rows = np.minimum(np.searchsorted(own, keys), len(own) - 1)
        shared = ~is_own & (own[rows] == keys)
        np.add.at(counts, (rows[shared], columns[shared]), 1)
        np.minimum(counts, own_counts[:, np.newaxis], out=counts)
    is_shared = counts.any(axis=1)
    return own[is_shared], counts[is_shared]


def drawn_orders(references: References, priorities: I64, rng: np.random.Generator) -> I64:
    """An order in which the references of each segment are taken: shape (segments, most references of a segment).

    ``priorities`` has a number for each reference: those of a lower one are taken first, at random among equals, and
    those of a negative one never. Behind the last of a segment it is repeated, which changes nothing. Raises InputError
    with the number of the segment, from 1, where none can be taken.
    """
    segments, width = len(references.counts), int(references.counts.max())
    ranks = np.arange(len(references.segments)) - references.firsts[references.segments]
    keys = np.full((segments, width), np.inf)
    keys[references.segments, ranks] = np.where(priorities < 0, np.inf, priorities)
    available = np.isfinite(keys).sum(axis=1)
    if not available.all():
        raise InputError("the segment has no such reference", line=int(np.argmin(available)) + 1)
    orders = np.argsort(keys + rng.random(keys.shape), axis=1)
    places = np.minimum(np.arange(width), available[:, np.newaxis] - 1)
    return np.take_along_axis(orders, places, axis=1)


def drawing_worth_curve(
    tables: Sequence[MatchTable],
    references: References,
    priorities: I64,
    sizes: Sequence[int],
    resampling: Resampling,
    human: HumanScores | None = None,
) -> Job[list[ReferenceCountPoint]]:
    """The scores of systems with each number of references of ``sizes``, and how they correlate with human scores.

    ``tables`` has one for each system, against the same ``references``; ``priorities`` says in what order these are
    taken, as in drawn_orders. All systems have the same draws and samples. Raises InputError as drawn_orders does and
    UsageError for sizes that are not 1 to the number of references of the segment that has most.
    """
    most = int(references.counts.max())
    if not sizes or not all(1 <= size <= most for size in sizes):
        raise UsageError(f"numbers of references lie between 1 and {most}, unlike {list(sizes)}")
    rng = np.random.default_rng(resampling.seed)
    orders = [drawn_orders(references, priorities, rng) for _ in range(resampling.draws)]
    curves = []
    for number, table in enumerate(tables):
        yield Progress("scoring systems with drawn references", number, len(tables))
        rated = None if human is None or human.segments is None else human.segments[number]
        judged = None if human is None or human.judged is None else human.judged[number]
        curves.append(_curves(table, orders, sizes, resampling, is_rated=rated is not None, judged=judged))
    scores, resampled, sentences, *of_judged = (np.array(each) for each in zip(*curves, strict=True))
    available = np.bincount(references.segments[priorities >= 0], minlength=len(references.counts))
    return [
        ReferenceCountPoint(
            references=size,
            mean_references=float(np.minimum(available, size).mean()),
            scores=tuple(_estimate(*each) for each in zip(scores[:, at], resampled[:, at], strict=True)),
            spreads=tuple(map(_spread, resampled[:, at])),
            segment_correlation=_segment_correlation(sentences[:, at], human, resampling),
            system_correlation=_system_correlation(of_judged[0][:, at], of_judged[1][:, at], human),
        )
        for at, size in enumerate(sizes)
    ]


def _curves(
    table: MatchTable,
    orders: Sequence[I64],
    sizes: Sequence[int],
    resampling: Resampling,
    *,
    is_rated: bool,
    judged: Bools | None,
) -> tuple[F64, F64, F64, F64, F64]:
    """One system's scores (sizes, draws), on samples (sizes, draws, samples), of sentences where these were rated
    (sizes, draws, segments), and the first two over the segments that were judged."""

    def score(rows: F64) -> F64:
        scores: F64 = 100 * bleu_scores(rows, resampling.smoothing)[..., -1]
        return scores

    statistics = np.stack([table.statistics(each, sizes) for each in orders], axis=1).astype(np.float64)

    def scores(rows: F64) -> tuple[F64, F64]:
        resampled = [bootstrap(each, score, samples=resampling.samples, seed=resampling.seed) for each in rows]
        return score(rows.sum(axis=2)), np.array(resampled)

    rated = statistics if is_rated else statistics[:, :, :0]
    whole = scores(statistics)
    of_judged = whole if judged is None or judged.all() else scores(np.where(judged[:, np.newaxis], statistics, 0.0))
    return *whole, bleu_scores(rated, SENTENCE_SMOOTHING)[..., -1], *of_judged


def _estimate(scores: F64, samples: F64) -> Estimate:
    return Estimate(float(scores.mean()), percentile_interval(samples.ravel()))


def _spread(samples: F64) -> Spread:
    """From the scores of one system in each draw on each sample: shape (draws, samples)."""
    draws, count = samples.shape
    segments = float(samples.var(axis=1, ddof=1).mean()) if count > 1 else 0.0
    return Spread(float(samples.mean()), segments, float(samples.mean(axis=1).var(ddof=1)) if draws > 1 else 0.0)


def _segment_correlation(sentences: F64, human: HumanScores | None, resampling: Resampling) -> Estimate | None:
    """Of sentence scores, shape (systems, draws, segments); a sample takes a segment with all its systems."""
    if human is None or human.segments is None:
        return None
    is_rated = ~np.isnan(human.segments)[:, np.newaxis]
    ratings = np.where(is_rated, human.segments[:, np.newaxis] - np.nanmean(human.segments), 0.0)
    ours = np.where(is_rated, sentences, 0.0)
    products = np.broadcast_arrays(is_rated, ours, ratings, ours**2, ratings**2, ours * ratings)
    rows = np.stack([each.sum(axis=0, dtype=np.float64) for each in products], axis=-1)
    samples = bootstrap(rows, pearson_of_sums, samples=resampling.samples, seed=resampling.seed)
    return _correlation(pearson_of_sums(rows.sum(axis=1)), samples)


def _system_correlation(scores: F64, samples: F64, human: HumanScores | None) -> Estimate | None:
    """Of the systems' scores, shapes (systems, draws) and (systems, draws, samples)."""
    if human is None:
        return None
    is_rated = ~np.isnan(human.systems)
    if np.count_nonzero(is_rated) < _LEAST_SYSTEMS:
        return None
    ratings = human.systems[np.newaxis, is_rated]
    drawn = pearson_table(scores[is_rated].T, ratings)
    return _correlation(drawn, pearson_table(samples[is_rated].reshape(ratings.size, -1).T, ratings))


def _correlation(drawn: F64, samples: F64) -> Estimate | None:
    """None where it is not defined for a draw; samples for which it is not are left out."""
    defined = samples[np.isfinite(samples)]
    return _estimate(drawn, defined) if np.isfinite(drawn).all() and defined.size else None
