"""How much the sentences of a reference set vary, by what they score against each other.

Lepage and Denoual (2005), section 7: paraphrases that are to be references should score low against their seed (Figure
2) and against each other (Table 7), since low scores show lexical and syntactical variation. BLEU and NIST are on the
scale from 0 to 1, NIST by the score of the reference against itself (footnote 6). The paper names no order, case or
tokenisation; BLEU to order 4 and NIST to order 5 without smoothing are what mteval gives. So a sentence of fewer than
four words has a BLEU of 0 even against itself, unless the smoothing says ``effective``.

The information weights of NIST are those of one test set in which each sentence that is scored is a segment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.stats.estimates import Interval, pearson
from corpusdb.base.stats.resampling import bootstrap, percentile_interval
from corpusdb.scoring.metrics.bleu import bleu_scores, bleu_statistics
from corpusdb.scoring.metrics.encoding import References, Tokenise
from corpusdb.scoring.metrics.nist import nist_scores, nist_statistics, normalised
from corpusdb.scoring.metrics.settings import NO_SMOOTHING, Smoothing

__all__ = [
    "PAPER_TABLE_7",
    "Curve",
    "LeaveOneOut",
    "Mean",
    "ParaphraseSet",
    "Scoring",
    "SeedVariation",
    "figure_2",
    "leave_one_out",
    "seed_variation",
]

PAPER_TABLE_7: Final[Mapping[str, tuple[float, float]]] = {
    "Automatically produced set": (0.11, 0.39),
    "Hand-produced set 1": (0.10, 0.49),
    "Hand-produced set 2": (0.11, 0.49),
}
"""Average BLEU and average NIST as the paper prints them."""


@dataclass(frozen=True, slots=True)
class ParaphraseSet:
    """A seed and its paraphrases, one or more; together they are a reference set."""

    seed: str
    paraphrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How one sentence is scored against another."""

    tokenise: Tokenise
    order: int = 4
    """Of BLEU."""
    nist_order: int = 5
    smoothing: Smoothing = NO_SMOOTHING


@dataclass(frozen=True, slots=True)
class SeedVariation:
    """A point of Figure 2: the paraphrases of one seed, all together, against the seed."""

    length: int
    """Of the seed, in units."""
    paraphrases: int
    bleu: float
    nist: float


@dataclass(frozen=True, slots=True)
class Mean:
    """What the seeds of one length, or with one number of paraphrases, score on average."""

    x: int
    seeds: int
    score: float


@dataclass(frozen=True, slots=True)
class Curve:
    """One of the four graphs of Figure 2."""

    measure: str
    """bleu or nist."""
    axis: str
    """length or paraphrases."""
    means: tuple[Mean, ...]
    """By x, ascending."""
    pearson: float | None
    """Between x and score over all seeds; None where one of them does not vary."""


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """A row of Table 7. The intervals are 95 % over samples of the sets and over which sentence is left out."""

    sets: int
    sentences: int
    bleu: float
    """The mean over all sentences but those left out, and over all draws."""
    bleu_interval: Interval
    nist: float
    nist_interval: Interval


@dataclass(frozen=True, slots=True)
class _Scores:
    """Statistics of sentences, each against one reference, a row each."""

    bleu: I64
    nist: F64
    own_nist: F64
    """Of each reference against itself."""
    lengths: I64
    """Of the references, in units."""


def seed_variation(sets: Sequence[ParaphraseSet], scoring: Scoring) -> list[SeedVariation]:
    """The score of each set against its seed (section 7.2): all its paraphrases as one test set with one reference.

    Raises InputError without sets, for a set without paraphrases and for blank seeds.
    """
    _check(sets)
    sizes = np.array([len(each.paraphrases) for each in sets], dtype=np.int64)
    hypotheses = [text for each in sets for text in each.paraphrases]
    scores = _scores(hypotheses, [each.seed for each in sets for _ in each.paraphrases], scoring)
    firsts = np.cumsum(sizes) - sizes
    bleu = bleu_scores(np.add.reduceat(scores.bleu, firsts), scoring.smoothing)[:, -1]
    nist = nist_scores(np.add.reduceat(scores.nist, firsts))[:, -1]
    nist = normalised(nist, nist_scores(scores.own_nist[firsts])[:, -1])
    rows = (scores.lengths[firsts].tolist(), sizes.tolist(), bleu.tolist(), nist.tolist())
    return [SeedVariation(*row) for row in zip(*rows, strict=True)]


def figure_2(points: Sequence[SeedVariation]) -> list[Curve]:
    """The four graphs: BLEU and NIST by length of the seed, then both by number of paraphrases."""
    return [
        _curve(measure, axis, [(getattr(point, axis), getattr(point, measure)) for point in points])
        for axis in ("length", "paraphrases")
        for measure in ("bleu", "nist")
    ]


def leave_one_out(
    sets: Sequence[ParaphraseSet], scoring: Scoring, *, draws: int = 20, samples: int = 100, seed: int
) -> LeaveOneOut:
    """How little the sentences of whole sets vary among themselves (section 7.3, Table 7).

    In each draw one sentence of each set, seed included, is chosen at random and left out; each other sentence is
    scored against it alone, as a sentence. The paper draws once. The intervals resample the sets ``samples`` times in
    each draw. Raises InputError without sets, for a set of one sentence and for blank texts, and UsageError for fewer
    than one draw or sample.
    """
    _check(sets)
    if draws < 1:
        raise UsageError(f"at least one draw is needed, not {draws}")
    rng = np.random.default_rng(seed)
    cached = Scoring(cache(scoring.tokenise), scoring.order, scoring.nist_order, scoring.smoothing)
    texts = [(each.seed, *each.paraphrases) for each in sets]
    sizes = np.array([len(each) for each in texts], dtype=np.int64)
    firsts = np.cumsum(sizes - 1) - (sizes - 1)
    sums = np.empty((2, draws, len(sets), 2))
    sums[..., 1] = sizes - 1
    for draw in range(draws):
        chosen = rng.integers(0, sizes).tolist()
        pairs = [
            (text, each[left_out])
            for each, left_out in zip(texts, chosen, strict=True)
            for number, text in enumerate(each)
            if number != left_out
        ]
        bleu, nist = _sentence_scores(pairs, cached)
        sums[0, draw, :, 0] = np.add.reduceat(bleu, firsts)
        sums[1, draw, :, 0] = np.add.reduceat(nist, firsts)
    means = (sums[..., 0].sum(axis=(1, 2)) / sums[..., 1].sum(axis=(1, 2))).tolist()
    resampled = (bootstrap(each, _ratio, samples=samples, seed=seed) for each in sums)
    intervals = [percentile_interval(each.ravel()) for each in resampled]
    return LeaveOneOut(len(sets), int(sizes.sum()), means[0], intervals[0], means[1], intervals[1])


def _check(sets: Sequence[ParaphraseSet]) -> None:
    if not sets:
        raise InputError("there are no reference sets")
    for number, each in enumerate(sets, 1):
        if not each.paraphrases:
            raise InputError("the set has only one sentence", path="sets", line=number)


def _ratio(rows: F64) -> F64:
    quotients: F64 = rows[..., 0] / rows[..., 1]
    return quotients


def _sentence_scores(pairs: Iterable[tuple[str, str]], scoring: Scoring) -> tuple[F64, F64]:
    """BLEU and normalised NIST of each sentence against its one reference."""
    hypotheses, references = zip(*pairs, strict=True)
    scores = _scores(hypotheses, references, scoring)
    bleu = bleu_scores(scores.bleu, scoring.smoothing)[:, -1]
    return bleu, normalised(nist_scores(scores.nist)[:, -1], nist_scores(scores.own_nist)[:, -1])


def _scores(hypotheses: Sequence[str], texts: Sequence[str], scoring: Scoring) -> _Scores:
    references = References.of([[text] for text in texts], cache(scoring.tokenise))
    encoded = references.encode(hypotheses)
    return _Scores(
        bleu_statistics(encoded, references, scoring.order),
        nist_statistics(encoded, references, scoring.nist_order),
        nist_statistics(references.sequences, references, scoring.nist_order),
        references.sequences.lengths,
    )


def _curve(measure: str, axis: str, points: Sequence[tuple[int, float]]) -> Curve:
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for x, score in points:
        scores[x].append(score)
    means = tuple(Mean(x, len(here), sum(here) / len(here)) for x, here in sorted(scores.items()))
    return Curve(measure, axis, means, pearson(*zip(*points, strict=True)) if points else None)
