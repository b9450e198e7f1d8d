"""BLEU of every candidate translation of several systems, with every order, in words and in characters at once.

Denoual and Lepage (2005, section 3.2) call a candidate one sentence that one system gave; they compute BLEUwN and
BLEUcM of each candidate with all references of its segment (note 7: one candidate is one sentence).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import InputError, UsageError
from corpusdb.jobs import Job, Progress, finished
from corpusdb.metrics.bleu import bleu_scores, bleu_statistics
from corpusdb.metrics.encoding import References, Tokenise
from corpusdb.metrics.tokenisation import tokeniser

__all__ = ["CandidateScores", "Measurement", "candidate_scores", "scoring_candidates"]


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
            raise UsageError("tokenisation char makes characters, and they are to be compared with words")


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


def candidate_scores(
    systems: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]], measurement: Measurement | None = None
) -> CandidateScores:
    """What ``scoring_candidates`` scores."""
    return finished(scoring_candidates(systems, references, measurement))


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
    """The scores of all candidates in one unit."""

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
