"""BLEU with every order, which order in characters stands for one in words, and tables 1 to 4 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean, median_high
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import graded_kappa, pearson_table
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.tokenisation import Tokenise, tokeniser
from corpusdb.scoring.metric import References
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics

# BLEU of every candidate translation of several systems, with every order, in words and in characters at once.
# Denoual and Lepage (2005, section 3.2) call a candidate one sentence that one system gave; they compute BLEUwN and
# BLEUcM of each candidate with all references of its segment (note 7: one candidate is one sentence).


@dataclass(frozen=True, slots=True)
class Measurement:
    """How BLEU is computed in both units; without smoothing, as in the paper.

    White space is no character (the paper does not say; that is what makes segmented and unsegmented output compare).
    Raises UsageError for an order in words under 2 or in characters under 1, and for words that are characters.
    """

    word_order: int = 4
    """The highest N."""
    character_order: int = 30
    """The highest M; the paper goes to 30 (figure 2)."""
    tokenisation: str = "13a"
    """How words are cut; the paper does not say."""
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.word_order < 2:
            raise UsageError(f"the highest order in words is at least 2, not {self.word_order}")
        if self.character_order < 1:
            raise UsageError(f"the highest order in characters is at least 1, not {self.character_order}")
        if self.tokenisation == "char":
            raise UsageError("tokenisation char makes characters, but they are compared with words here")


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """The scores of all candidates, 0 to 1; those of the first system first, each system's in order of the segments."""

    systems: tuple[str, ...]
    words: F64
    """BLEUwN in row N - 1: shape (orders in words, candidates)."""
    characters: F64
    """BLEUcM in row M - 1: shape (orders in characters, candidates)."""
    word_lengths: I64
    """How many words each candidate has, marks counted as the tokenisation has them."""
    character_lengths: I64
    """How many characters without white space each candidate has."""
    corpus_words: F64
    """BLEUwN of the corpus (Papineni et al. 2002): shape (systems, orders in words)."""
    corpus_characters: F64
    """The same for BLEUcM."""

    @property
    def segments(self) -> int:
        return len(self.word_lengths) // len(self.systems)

    def of_systems(self, scores: F64) -> F64:
        """One row of ``words`` or ``characters``, a row for each system: shape (systems, segments)."""
        return scores.reshape(len(self.systems), self.segments)


def scoring_candidates(
    systems: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]], measurement: Measurement | None = None
) -> Job[CandidateScores]:
    """Score what every system gives for every segment; ``references`` has a list for each segment.

    An empty candidate scores 0. Raises InputError without systems, for a system with more or fewer candidates than
    there are segments, and for a segment without references or with a blank one.
    """
    if not systems:
        raise InputError("there are no systems")
    how = measurement or Measurement()
    for name, hypotheses in systems.items():
        if len(hypotheses) != len(references):
            raise InputError(f"{len(hypotheses)} candidates of {name} for {len(references)} segments")
    outputs = list(systems.values())
    words = yield from _scored(
        "words", outputs, references, tokeniser(how.tokenisation, lowercase=how.lowercase), how.word_order
    )
    by_characters = tokeniser("char", lowercase=how.lowercase)
    characters = yield from _scored("characters", outputs, references, by_characters, how.character_order)
    return CandidateScores(
        systems=tuple(systems),
        words=words.sentences,
        characters=characters.sentences,
        word_lengths=words.lengths,
        character_lengths=characters.lengths,
        corpus_words=words.corpora,
        corpus_characters=characters.corpora,
    )


@dataclass(frozen=True, slots=True)
class _Scored:
    sentences: F64
    corpora: F64
    lengths: I64


def _scored(
    units: str,
    outputs: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    tokenise: Tokenise,
    order: int,
) -> Job[_Scored]:
    encoded = References.of(references, tokenise)
    found = []
    for number, texts in enumerate(outputs):
        yield Progress(f"scoring systems in {units}", number, len(outputs))
        found.append(bleu_statistics(encoded.encode(texts), encoded, order))
    statistics = np.stack(found)
    return _Scored(
        sentences=np.ascontiguousarray(bleu_scores(statistics).reshape(-1, order).T),
        corpora=bleu_scores(statistics.sum(axis=1)),
        lengths=statistics[..., -2].ravel(),
    )


# Which order in characters is best for each order in words (Denoual and Lepage 2005, section 4, table 1).


ROUNDING: Final = 1e-12
"""Scores that differ by less are equal."""
_THRESHOLD: Final = 0.9
"""The share of the candidates that must be on the diagonal or below (section 4.3)."""
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Criteria:
    """The three numbers for every pair of orders: row N - 1, column M - 1; NaN where one is not defined."""

    pearson: F64
    kappa: F64
    below: F64
    """The share of the candidates, 0 to 1, with BLEUcM <= BLEUwN."""


@dataclass(frozen=True, slots=True)
class BestOrder:
    """The order in characters that is best by one of the criteria, and how good it is."""

    order: int
    value: float


@dataclass(frozen=True, slots=True)
class BestOrders:
    """A column of table 1: the best M for one N, None where no M has a value."""

    order: int
    """N."""
    pearson: BestOrder | None
    """Section 4.1: the M whose scores correlate best with BLEUwN."""
    kappa: BestOrder | None
    """Section 4.2: the M with the highest kappa over ten grades of equal size, [0, 0.1[ to [0.9, 1]."""
    behaviour: BestOrder | None
    """Section 4.3: the first M for which BLEUcM <= BLEUw(N-1) holds for 90 % of the candidates; the value is their
    share. None for N = 1, and where no M comes that far."""


def criteria(scores: CandidateScores) -> Criteria:
    """Compare the scores of all candidates with every order in words to those with every order in characters."""
    kappas = [[graded_kappa(ours, theirs).value for theirs in scores.characters] for ours in scores.words]
    below = [(scores.characters <= row + ROUNDING).mean(axis=1) for row in scores.words]
    return Criteria(
        pearson=pearson_table(scores.words, scores.characters),
        kappa=np.array(kappas, dtype=np.float64),  # None becomes NaN
        below=np.stack(below),
    )


def best_orders(found: Criteria, order: int) -> BestOrders:
    """The column of table 1 for N = ``order``."""
    return BestOrders(
        order=order,
        pearson=greatest(found.pearson[order - 1]),
        kappa=greatest(found.kappa[order - 1]),
        behaviour=_first_enough(found.below[order - 2]) if order > 1 else None,
    )


def _first_enough(shares: F64) -> BestOrder | None:
    reached = np.flatnonzero(shares >= _THRESHOLD - ROUNDING)
    return BestOrder(int(reached[0]) + 1, float(shares[reached[0]])) if reached.size else None


def greatest(values: F64) -> BestOrder | None:
    """The first of the greatest values, one for each M from 1; NaN are left out, and None is said where all are."""
    if np.isnan(values).all():
        return None
    place = int(np.nanargmax(values.round(_DIGITS)))
    return BestOrder(place + 1, float(values[place]))


# Tables 2 to 4 of Denoual and Lepage (2005) for the order in characters that stands for the highest one in words.


TIE: Final = 0.01
"""Two systems whose scores differ by less are not told apart (note 12): 0.305 and 0.312, not 0.267 and 0.279."""


@dataclass(frozen=True, slots=True)
class LengthClass:
    """Lengths in words from ``least`` to ``most``, or without end where that is None."""

    least: int
    most: int | None

    def __str__(self) -> str:
        if self.most is None:
            return f"> {self.least - 1}"
        if self.least == 0:
            return f"< {self.most + 1}"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


@dataclass(frozen=True, slots=True)
class LengthRow:
    """A column of table 2: the candidates of one class of length. None is a value that is not defined."""

    lengths: LengthClass
    candidates: int
    share: float
    """Of all candidates, 0 to 1."""
    mean: float | None
    """Of BLEUwN with the highest N."""
    deviation: float | None
    local: BestOrder | None
    """The M with the best correlation within the class, and that correlation."""
    pearson: float | None
    """The correlation within the class with the M that stands for N overall."""


@dataclass(frozen=True, slots=True)
class SystemMeans:
    """A column of table 3: the means over the sentences of one system, and BLEU of its whole output.

    The paper's overall scores are means (section 5.2: sentences with a score of 0 explain their decrease).
    """

    system: str
    words: float
    characters: float
    difference: float
    """``characters`` - ``words``."""
    corpus_words: float
    corpus_characters: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pairs of systems: how many are ranked alike by words and by characters."""

    pairs: int
    alike: int
    tied: int
    """One of the two measures, or both, differ by less than 0.01 and do not tell the systems apart (note 12)."""
    reversed: int
    is_same: bool
    """Whether the order is the same, ties or no ties."""


@dataclass(frozen=True, slots=True)
class LengthTable:
    """Table 4: candidates by their lengths in words and characters, shorter or not than the two equivalent orders."""

    short: int
    """Shorter in both."""
    short_in_characters: int
    """Too few characters, but enough words."""
    short_in_words: int
    long: int
    """Long enough in both."""


def length_classes(lengths: Sequence[int]) -> list[LengthClass]:
    """Classes that end at these lengths, the last one open: 3, 4, 10 gives < 4, 4, 5-10 and > 10.

    Raises UsageError unless the lengths ascend from 0 or more.
    """
    if not lengths or lengths[0] < 0 or any(one >= other for one, other in pairwise(lengths)):
        raise UsageError(f"lengths of classes must ascend, unlike {', '.join(map(str, lengths)) or 'none'}")
    leasts = [0, *(most + 1 for most in lengths)]
    return [LengthClass(least, most) for least, most in zip(leasts, [*lengths, None], strict=True)]


def rows_by_length(scores: CandidateScores, classes: Iterable[LengthClass], equivalent: int) -> tuple[LengthRow, ...]:
    """Table 2, with ``equivalent`` for the M that is best overall."""
    return tuple(_of_length(scores, each, equivalent) for each in classes)


def _of_length(scores: CandidateScores, lengths: LengthClass, equivalent: int) -> LengthRow:
    most = np.inf if lengths.most is None else lengths.most
    inside = (scores.word_lengths >= lengths.least) & (scores.word_lengths <= most)
    words, count = scores.words[-1:, inside], int(inside.sum())
    correlations = pearson_table(words, scores.characters[:, inside])[0]
    return LengthRow(
        lengths=lengths,
        candidates=count,
        share=count / len(inside),
        mean=float(words.mean()) if count else None,
        deviation=float(words.std()) if count else None,
        local=greatest(correlations),
        pearson=None if np.isnan(correlations[equivalent - 1]) else float(correlations[equivalent - 1]),
    )


def rows_by_system(scores: CandidateScores, equivalent: int) -> tuple[SystemMeans, ...]:
    """Table 3, the best system by words first."""
    words = scores.of_systems(scores.words[-1]).mean(axis=1)
    characters = scores.of_systems(scores.characters[equivalent - 1]).mean(axis=1)
    rows = [
        SystemMeans(
            system=name,
            words=float(words[number]),
            characters=float(characters[number]),
            difference=float(characters[number] - words[number]),
            corpus_words=float(scores.corpus_words[number, -1]),
            corpus_characters=float(scores.corpus_characters[number, equivalent - 1]),
        )
        for number, name in enumerate(scores.systems)
    ]
    return tuple(sorted(rows, key=lambda row: -row.words))


def ranking(rows: Sequence[SystemMeans]) -> Ranking:
    """How far words and characters rank the systems alike; ``rows`` stand in the order of their scores in words."""
    pairs = list(combinations(rows, 2))
    tied = [
        (one, other)
        for one, other in pairs
        if min(abs(one.words - other.words), abs(one.characters - other.characters)) < TIE
    ]
    told = [pair for pair in pairs if pair not in tied]
    alike = sum(better.characters > worse.characters for better, worse in told)
    is_same = all(better.characters >= worse.characters for better, worse in pairs)
    return Ranking(len(pairs), alike, len(tied), len(told) - alike, is_same)


def length_table(scores: CandidateScores, equivalent: int) -> LengthTable:
    """Table 4, with ``equivalent`` characters beside as many words as the highest N."""
    short_words = scores.word_lengths < len(scores.words)
    short_characters = scores.character_lengths < equivalent
    return LengthTable(
        short=int((short_words & short_characters).sum()),
        short_in_characters=int((short_characters & ~short_words).sum()),
        short_in_words=int((short_words & ~short_characters).sum()),
        long=int((~short_words & ~short_characters).sum()),
    )


# Which order M in characters stands for an order N in words: the study of Denoual and Lepage (2005) for any test set.
# Everything is computed over candidates, one sentence of one system each (section 3.2). What the paper leaves open is
# decided here, and said where it is:
# - equal values of several M: the smallest M is the best;
# - the order that stands for the highest N (section 5.1 only says "we thus decide"): the median of the three best M,
#   the higher of the middle two; of 17, 18 and 18 that is 18, as in the paper;
# - the length of a sentence in tables 2 and 4 is that of the candidate, because its length makes a score 0 (5.2);
# - standard deviations are those of the candidates at hand, divided by their number.


PAPER_LENGTHS: Final = (3, 4, 5, 6, 7, 8, 9, 10)
"""The greatest lengths of the classes of table 2, for length_classes."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """All the tables and the numbers behind the figures; rows of tables of numbers are N, columns M, from 1."""

    systems: int
    segments: int
    candidates: int
    word_order: int
    """The highest N."""
    character_order: int
    """The highest M that was looked at."""
    equivalent: int
    """The M that stands for the highest N."""
    is_given: bool
    """Whether the caller chose it."""
    ratio: float | None
    """The mean of M / N over all N, M the best by correlation (note 10)."""
    word_length: float | None
    """Characters in a word of the candidates, on average (note 10)."""
    best: tuple[BestOrders, ...]
    by_length: tuple[LengthRow, ...]
    by_system: tuple[SystemMeans, ...]
    """The best system by words first."""
    ranking: Ranking
    lengths: LengthTable
    pearson: tuple[tuple[float | None, ...], ...]
    kappa: tuple[tuple[float | None, ...], ...]
    below: tuple[tuple[float, ...], ...]
    """The share of the candidates with BLEUcM <= BLEUwN; the last row but one is figure 2, middle."""
    words_below: tuple[float, ...]
    """The same for BLEUwN <= BLEUw(N-1), from N = 2 on (figure 2, left). It can be under 1: with clipping a precision
    can be higher than that of the order below."""


def equivalence(
    scores: CandidateScores, classes: Iterable[LengthClass] = (), *, equivalent: int | None = None
) -> Equivalence:
    """The whole study; ``classes`` are those of table 2, the paper's unless given.

    ``equivalent`` is the M to take for the highest N in tables 2 to 4; otherwise it is found. Raises UsageError where
    it is no order that was computed, and InputError where none can be found because the scores do not vary.
    """
    character_order = len(scores.characters)
    found = criteria(scores)
    best = tuple(best_orders(found, order) for order in range(1, len(scores.words) + 1))
    chosen = _equivalent(best[-1]) if equivalent is None else equivalent
    if not 1 <= chosen <= character_order:
        raise UsageError(f"there are no scores in characters of order {chosen}, only of 1 to {character_order}")
    ratios = [each.pearson.order / each.order for each in best if each.pearson]
    by_system = rows_by_system(scores, chosen)
    words, characters = int(scores.word_lengths.sum()), int(scores.character_lengths.sum())
    return Equivalence(
        systems=len(scores.systems),
        segments=scores.segments,
        candidates=len(scores.word_lengths),
        word_order=len(scores.words),
        character_order=character_order,
        equivalent=chosen,
        is_given=equivalent is not None,
        ratio=fmean(ratios) if ratios else None,
        word_length=characters / words if words else None,
        best=best,
        by_length=rows_by_length(scores, classes or length_classes(PAPER_LENGTHS), chosen),
        by_system=by_system,
        ranking=ranking(by_system),
        lengths=length_table(scores, chosen),
        pearson=_defined(found.pearson),
        kappa=_defined(found.kappa),
        below=tuple(map(tuple, found.below.tolist())),
        words_below=tuple((scores.words[1:] <= scores.words[:-1] + ROUNDING).mean(axis=1).tolist()),
    )


def _equivalent(best: BestOrders) -> int:
    orders = [each.order for each in (best.pearson, best.kappa, best.behaviour) if each]
    if not orders:
        raise InputError("the scores do not vary: no order in characters can be found for them")
    return median_high(orders)


def _defined(table: F64) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(None if np.isnan(value) else float(value) for value in row) for row in table)
