"""Tables 2 to 4 of Denoual and Lepage (2005) for the order in characters that stands for the highest one in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

import numpy as np

from corpusdb.errors import UsageError
from corpusdb.stats.correlation import pearson_table
from corpusdb.studies.bleu_in_characters.orders import Best, greatest
from corpusdb.studies.bleu_in_characters.scores import CandidateScores

__all__ = [
    "TIE",
    "LengthClass",
    "LengthRow",
    "LengthTable",
    "Ranking",
    "SystemRow",
    "length_classes",
    "length_table",
    "ranking",
    "rows_by_length",
    "rows_by_system",
]

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
    local: Best | None
    """The M with the best correlation within the class, and that correlation."""
    pearson: float | None
    """The correlation within the class with the M that stands for N overall."""


@dataclass(frozen=True, slots=True)
class SystemRow:
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


def rows_by_system(scores: CandidateScores, equivalent: int) -> tuple[SystemRow, ...]:
    """Table 3, the best system by words first."""
    words = scores.of_systems(scores.words[-1]).mean(axis=1)
    characters = scores.of_systems(scores.characters[equivalent - 1]).mean(axis=1)
    rows = [
        SystemRow(
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


def ranking(rows: Sequence[SystemRow]) -> Ranking:
    """How far words and characters rank the systems alike; ``rows`` stand in the order of their scores in words."""
    pairs = list(combinations(rows, 2))
    tied = [pair for pair in pairs if min(_apart(pair)) < TIE]
    told = [pair for pair in pairs if pair not in tied]
    alike = sum(better.characters > worse.characters for better, worse in told)
    is_same = all(better.characters >= worse.characters for better, worse in pairs)
    return Ranking(len(pairs), alike, len(tied), len(told) - alike, is_same)


def _apart(pair: tuple[SystemRow, SystemRow]) -> tuple[float, float]:
    one, other = pair
    return abs(one.words - other.words), abs(one.characters - other.characters)


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
