"""BLEU, NIST and mWER: the metrics that count units which this package cuts itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import number_ngrams
from corpusdb.scoring.metric import Details, References, Sequences, UnitMetric, parallel, shared_by_systems
from corpusdb.scoring.metric_settings import NO_SMOOTHING, MetricSettings, Smoothing

# BLEU (Papineni et al. 2002) of every order at once, in any unit: words for BLEUwN, characters for BLEUcM.
# Denoual and Lepage (2005) compare the two; with characters white space is no unit. The scores of the functions are on
# the scale from 0 to 1, those of the metric up to 100.


_LENGTH_BITS = 32


def bleu_statistics(hypotheses: Sequences, references: References, order: int) -> I64:
    """The statistics of each segment for all orders up to ``order``: shape (segments, 2 ``order`` + 2).

    Columns: matched n-grams of order 1 to ``order``, n-grams of the hypothesis of order 1 to ``order``, length of the
    hypothesis, length of the reference that is closest to it. Rows can be added. Raises InputError unless there is one
    hypothesis for every segment, UsageError for an order below 1.
    """
    found: I64 = bleu_statistics_of_systems([hypotheses], references, order)[0]
    return found


def bleu_statistics_of_systems(systems: Sequence[Sequences], references: References, order: int) -> I64:
    """The same of several systems: shape (systems, segments, 2 ``order`` + 2)."""
    statistics = _of_hypotheses(systems, references, order, "BLEU")
    for shared in shared_by_systems(systems, references, order):
        np.add.at(statistics[..., shared.order - 1], (shared.systems, shared.segments), shared.counts)
    for own, hypotheses in zip(statistics, systems, strict=True):
        own[:, -1] = closest_lengths(hypotheses, references)
    return statistics


def _of_hypotheses(systems: Sequence[Sequences], references: References, order: int, metric: str) -> I64:
    """The statistics of BLEU and NIST with what the hypotheses alone decide."""
    if order < 1:
        raise UsageError(f"the order of {metric} is at least 1, not {order}")
    statistics = np.zeros((len(systems), len(references.counts), 2 * order + 2), dtype=np.int64)
    for own, hypotheses in zip(statistics, systems, strict=True):
        parallel(hypotheses, references)
        own[:, order : 2 * order] = np.maximum(hypotheses.lengths[:, np.newaxis] - np.arange(order), 0)
        own[:, -2] = hypotheses.lengths
    return statistics


def up_to_order(statistics: F64, order: int) -> F64:
    """The statistics for a lower order, taken out of those for a higher one: columns as in bleu_statistics."""
    highest = (statistics.shape[-1] - 2) // 2
    kept = [*range(order), *range(highest, highest + order), -2, -1]
    return np.ascontiguousarray(statistics[..., kept])


def closest_lengths(hypotheses: Sequences, references: References) -> I64:
    """For each segment the length of the reference closest to the hypothesis in length, the shorter of two."""
    lengths = references.sequences.lengths
    distances = np.abs(lengths - hypotheses.lengths[references.segments])
    closest = np.minimum.reduceat((distances << _LENGTH_BITS) + lengths, references.firsts[:-1])
    return closest & ((1 << _LENGTH_BITS) - 1)


def bleu_scores(statistics: I64 | F64, smoothing: Smoothing = NO_SMOOTHING) -> F64:
    """BLEU with each maximal order: shape (..., 2 ``order`` + 2) to (..., ``order``), from 0 to 1.

    Entry N-1 is BLEU up to order N: the brevity penalty times the geometric mean of the precisions of order 1 to N. It
    is 0 where a precision is 0, where the hypothesis has fewer than N units and where it is empty.
    """
    order = (statistics.shape[-1] - 2) // 2
    is_hopeless = statistics[..., :1] == 0
    matches, totals = _smoothed(statistics, smoothing)
    logarithms = np.full(matches.shape, -np.inf)
    np.divide(matches, totals, out=logarithms, where=(matches > 0) & ~is_hopeless)
    np.log(logarithms, out=logarithms, where=logarithms > 0)
    orders = np.arange(1, order + 1)
    if smoothing.effective:  # the sum and the number of orders stop where the hypothesis ends
        orders = np.minimum(orders, np.maximum(np.count_nonzero(totals, axis=-1)[..., np.newaxis], 1))
        logarithms = np.where((totals == 0) & ~is_hopeless, 0.0, logarithms)
    scores: F64 = np.exp(np.cumsum(logarithms, axis=-1) / orders + _log_penalty(statistics)[..., np.newaxis])
    return scores


def _log_penalty(statistics: I64 | F64) -> F64:
    """The logarithm of the brevity penalty, which is exp(1 - r / c) below the reference's length r.

    An empty hypothesis has no match, and its score is 0 in any case.
    """
    lengths, closest = statistics[..., -2], statistics[..., -1]
    penalty: F64 = np.minimum(0.0, 1.0 - closest / np.maximum(lengths, 1))
    return penalty


def _smoothed(statistics: I64 | F64, smoothing: Smoothing) -> tuple[F64, F64]:
    """Matched and all n-grams of each order, with what stands in for matches that there are not."""
    order = (statistics.shape[-1] - 2) // 2
    matches = statistics[..., :order].astype(np.float64)
    totals = statistics[..., order:-2].astype(np.float64)
    if smoothing.method == "add-k":
        matches[..., 1:] += smoothing.amount
        totals[..., 1:] += smoothing.amount
    elif smoothing.method == "floor":
        matches[(matches == 0) & (totals > 0)] = smoothing.amount
    elif smoothing.method == "exp":
        is_zero = (matches == 0) & (totals > 0)
        matches = np.where(is_zero, 0.5 ** np.cumsum(is_zero, axis=-1), matches)
    return matches, totals


class Bleu(UnitMetric):
    name = "bleu"
    heading = "BLEU"
    help = "the share of n-grams that a reference has: w4 in words up to order 4, c18 in characters up to 18"
    most = 100
    is_of_sacrebleu = True
    orders: Mapping[str, int] = {"word": 4, "char": 18}
    """BLEUw4 is what everybody computes, and BLEUc18 what Denoual and Lepage (2005, section 5.1) found to correspond
    to it."""
    takes_smoothing = True

    def statistics(self, hypotheses: Sequences, references: References, settings: MetricSettings) -> I64:
        return bleu_statistics(hypotheses, references, settings.order or 1)

    def statistics_of_systems(
        self, systems: Sequence[Sequences], references: References, settings: MetricSettings
    ) -> I64:
        return bleu_statistics_of_systems(systems, references, settings.order or 1)

    def scores(self, statistics: I64 | F64, settings: MetricSettings) -> F64:
        scores: F64 = 100 * bleu_scores(statistics, settings.smoothing)[..., -1]
        return scores

    def of_segments(self, settings: MetricSettings) -> MetricSettings:
        """With the effective order, as in sacrebleu's sentence_bleu: two words that equal a reference are perfect."""
        return replace(settings, smoothing=replace(settings.smoothing, effective=True))

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        """As sacrebleu has them: precisions after smoothing, and 0 where nothing is matched at all."""
        matches, totals = _smoothed(statistics, settings.smoothing)
        if not statistics[0]:
            matches = np.zeros_like(matches)
        precisions = 100 * np.divide(matches, totals, out=np.zeros_like(matches), where=totals > 0)
        length, closest = (int(each) for each in statistics[-2:])
        return {
            "precisions": precisions.tolist(),
            "brevity_penalty": float(np.exp(_log_penalty(statistics))) if length else 0.0,
            "length": length,
            "reference_length": closest,
        }

    def format_details(self, details: Details) -> str:
        """In the words of sacrebleu."""
        shares = "/".join(f"{each:.1f}" for value in details.values() if isinstance(value, list) for each in value)
        penalty, length, closest = (value for value in details.values() if not isinstance(value, list))
        ratio = length / max(closest, 1)
        return f"{shares} (BP = {penalty:.3f} ratio = {ratio:.3f} hyp_len = {length} ref_len = {closest})"

    def as_sacrebleu(self, settings: MetricSettings, *, smoothed: bool, segments: bool) -> MetricSettings:
        """Smoothed by exp, and for segments stopping where the segment ends."""
        smoothing = settings.smoothing if smoothed else Smoothing("exp")
        return replace(settings, smoothing=replace(smoothing, effective=segments))

    def remark(self, settings: MetricSettings, statistics: I64 | F64) -> str | None:
        matched = statistics[: settings.order]
        if matched.all():
            return None
        told = "is 0" if self.scores(statistics, settings) == 0 else "rests on smoothing"
        return f"{told}: no {int(np.argmin(matched > 0)) + 1}-gram is matched"


BLEU: Final = Bleu()


# Where the score of one segment comes from: every n-gram of its hypothesis, matched or missed, and by which reference.
# This counts n-grams one by one, for people to read; metric.py counts them by the million. Both give the
# same statistics.


Units: TypeAlias = tuple[str, ...]

_LONGEST = 100_000
"""The most units of a text: each n-gram of it is held by itself, for every n up to the order."""


@dataclass(frozen=True, slots=True)
class TracedNgram:
    """One different n-gram of the hypothesis."""

    units: Units
    count: int
    in_references: tuple[int, ...]

    @property
    def order(self) -> int:
        return len(self.units)

    @property
    def matched(self) -> int:
        """How many of its occurrences count: at most as many as in the reference that has it most often (clipping)."""
        return min(self.count, max(self.in_references))

    @property
    def missed(self) -> int:
        """How many of its occurrences no reference accounts for."""
        return self.count - self.matched

    @property
    def references(self) -> tuple[int, ...]:
        """The references, from 0, that account for all that is matched; none where nothing is."""
        matched = self.matched
        return tuple(number for number, count in enumerate(self.in_references) if 0 < matched <= count)


@dataclass(frozen=True, slots=True)
class SegmentTrace:
    """A segment with all n-grams of its hypothesis up to some order."""

    hypothesis: Units
    references: tuple[Units, ...]
    order: int
    ngrams: tuple[TracedNgram, ...]
    """By order, and among equal orders as they first stand in the hypothesis."""

    @property
    def closest(self) -> int:
        """The reference, from 0, whose length counts for brevity: the closest in length, the shorter of two."""
        own = len(self.hypothesis)
        lengths = [len(units) for units in self.references]
        return min(range(len(lengths)), key=lambda number: (abs(lengths[number] - own), lengths[number]))

    @property
    def statistics(self) -> tuple[int, ...]:
        """The row that bleu_statistics has for this segment."""
        matched, total = Counter[int](), Counter[int]()
        for ngram in self.ngrams:
            matched[ngram.order] += ngram.matched
            total[ngram.order] += ngram.count
        orders = range(1, self.order + 1)
        lengths = len(self.hypothesis), len(self.references[self.closest])
        return (*(matched[n] for n in orders), *(total[n] for n in orders), *lengths)

    def sole_matches(self) -> tuple[int, ...]:
        """For each reference how many occurrences are matched that would not be without it."""
        lost = [0] * len(self.references)
        for ngram in self.ngrams:
            for number in ngram.references:
                others = (count for other, count in enumerate(ngram.in_references) if other != number)
                lost[number] += ngram.matched - min(ngram.count, max(others, default=0))
        return tuple(lost)


def trace_segment(hypothesis: Sequence[str], references: Sequence[Sequence[str]], order: int) -> SegmentTrace:
    """All n-grams up to ``order`` of a hypothesis that is cut into units, as its references are.

    Raises InputError without references or for texts of over 100,000 units, and UsageError for an order below 1.
    """
    if order < 1:
        raise UsageError(f"an order is at least 1, not {order}")
    if not references:
        raise InputError("the segment has no reference")
    longest = max(map(len, (hypothesis, *references)))
    if longest > _LONGEST:
        raise InputError(f"a text of {longest:,} units is too long to be taken apart; {_LONGEST:,} are the most")
    own, theirs = tuple(hypothesis), tuple(map(tuple, references))
    traced = []
    for n in range(1, min(order, len(own)) + 1):
        counts = [_ngrams(units, n) for units in theirs]
        for units, count in _ngrams(own, n).items():  # in the order in which they were first met
            traced.append(TracedNgram(units, count, tuple(each[units] for each in counts)))
    return SegmentTrace(own, theirs, order, tuple(traced))


def _ngrams(units: Units, n: int) -> Counter[Units]:
    return Counter(units[at : at + n] for at in range(len(units) - n + 1))


# NIST (Doddington 2002) as mteval-v13a.pl computes it, with any number of references for each segment: NLTK's gives
# other values as soon as a segment has more than one (nltk/nltk#3901).


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
    found: F64 = nist_statistics_of_systems([hypotheses], references, order)[0]
    return found


def nist_statistics_of_systems(systems: Sequence[Sequences], references: References, order: int) -> F64:
    """The same of several systems: shape (systems, segments, 2 ``order`` + 2)."""
    statistics = _of_hypotheses(systems, references, order, "NIST").astype(np.float64)
    weights = information_weights(references, order)
    for shared in shared_by_systems(systems, references, order):
        information = shared.counts * weights[shared.order - 1, shared.places]
        np.add.at(statistics[..., shared.order - 1], (shared.systems, shared.segments), information)
    statistics[..., -1] = np.add.reduceat(references.sequences.lengths, references.firsts[:-1]) / references.counts
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

    def statistics_of_systems(
        self, systems: Sequence[Sequences], references: References, settings: MetricSettings
    ) -> F64:
        return nist_statistics_of_systems(systems, references, settings.order or 1)

    def scores(self, statistics: I64 | F64, settings: MetricSettings) -> F64:
        scores: F64 = nist_scores(statistics.astype(np.float64))[..., -1]
        return scores

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        """The reference length is the mean of each segment's references."""
        length, expected = statistics[-2:].tolist()
        return {"length": int(length), "reference_length": expected}


NIST: Final = Nist()


# mWER: word error rate to the closest of several references (Niessen et al. 2000).


_MOST_UNITS = 20_000
"""The most units of a text: the time grows as the square, and is some seconds for two of these."""
_CELLS = 1 << 17
"""Cells of the distance table treated at once: pairs times the length of the longest reference."""


def mwer_statistics(hypotheses: Sequences, references: References) -> I64:
    """The edits to the closest reference of each segment, and the length of that reference: shape (segments, 2).

    Edits are insertions, deletions and substitutions of units. Closest is the reference with the fewest edits, and the
    longest of several, so that the rate is the lowest. Rows can be added. Raises InputError unless there is one
    hypothesis for every segment, and for a segment of over 20,000 units.
    """
    distances = edit_distances(hypotheses, references)
    lengths = references.sequences.lengths
    longest = int(lengths.max(initial=0)) + 1
    closest = np.minimum.reduceat(distances * longest + (longest - 1 - lengths), references.firsts[:-1])
    return np.stack([closest // longest, longest - 1 - closest % longest], axis=1)


def mwer_scores(statistics: I64 | F64) -> F64:
    """Edits per unit of the closest references: shape (..., 2) to (...), 0 for equal texts.

    It is 1 for an empty hypothesis and over 1 where there are more edits than units in the reference; a reference
    without units counts as having one.
    """
    scores: F64 = statistics[..., 0] / np.maximum(statistics[..., 1], 1)
    return scores


def edit_distances(hypotheses: Sequences, references: References) -> I64:
    """The Levenshtein distance in units between each reference and the hypothesis of its segment.

    Raises InputError with the number of the segment, from 1, for one that is too long.
    """
    parallel(hypotheses, references)
    segments, sequences = references.segments, references.sequences
    own, theirs = hypotheses.lengths[segments], sequences.lengths
    for pair in np.flatnonzero(np.maximum(own, theirs) > _MOST_UNITS)[:1]:
        units = int(max(own[pair], theirs[pair]))
        reason = f"a text of {units:,} units is too long for edits to be counted; {_MOST_UNITS:,} are the most"
        raise InputError(reason, line=int(segments[pair]) + 1)
    distances = np.maximum(own, theirs)  # right where one of them is empty
    rows = np.lexsort((own, theirs))  # pairs of about one length are treated together
    for batch in _batches(rows[(own[rows] > 0) & (theirs[rows] > 0)], theirs):
        first = _padded(hypotheses, segments[batch])
        second = _padded(sequences, batch)
        columns = np.arange(second.shape[1] + 1)
        row = np.tile(columns, (len(batch), 1))
        for step in range(1, first.shape[1] + 1):
            changed = row[:, :-1] + (second != first[:, step - 1 : step])
            row += 1
            np.minimum(row[:, 1:], changed, out=row[:, 1:])
            # An insertion adds 1 to the cell on the left: the running minimum of what is above the diagonal j.
            row = np.minimum.accumulate(row - columns, axis=1) + columns
            done = np.flatnonzero(own[batch] == step)
            distances[batch[done]] = row[done, theirs[batch[done]]]
    return distances


def _batches(rows: I64, lengths: I64) -> Iterator[I64]:
    """Runs of ``rows``, which are sorted by length, of at most _CELLS cells each."""
    first = 0
    while first < len(rows):
        width = int(lengths[rows[min(first + _CELLS, len(rows)) - 1]]) + 1
        size = max(1, _CELLS // width)
        yield rows[first : first + size]
        first += size


def _padded(sequences: Sequences, rows: I64) -> I64:
    """These texts as a rectangle, one a row; what stands behind the end of a text is arbitrary."""
    starts, lengths = sequences.starts[rows], sequences.lengths[rows]
    places = starts[:, np.newaxis] + np.arange(int(lengths.max()))
    rectangle: I64 = sequences.units[np.minimum(places, len(sequences.units) - 1)]
    return rectangle


class Mwer(UnitMetric):
    """mWER, or mCER where the units are characters."""

    name = "mwer"
    heading = "mWER"
    help = "edits for each word of the closest reference; mCER for each character"
    lower_is_better = True
    decimals = 4

    def statistics(self, hypotheses: Sequences, references: References, settings: MetricSettings) -> I64:
        return mwer_statistics(hypotheses, references)

    def scores(self, statistics: I64 | F64, settings: MetricSettings) -> F64:
        return mwer_scores(statistics)

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        edits, length = statistics.tolist()
        return {"edits": edits, "reference_length": length}

    def label(self, settings: MetricSettings) -> str:
        return f"m{settings.unit[0].upper()}ER"


MWER: Final = Mwer()
