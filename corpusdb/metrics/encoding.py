"""Hypotheses and references as numbered units, where every metric of this package begins.

A metric is four steps: cut into units (tokenisation), statistics of every segment, their sum, a score. References are
cut and numbered once for all the systems that are scored with them; the statistics of a set of segments are one array
with a row for each, so that the same score function serves a sentence, a corpus and its resamples.

    references = References.of(texts, tokeniser("13a"))
    statistics = bleu_statistics(references.encode(hypotheses), references, 4)
    bleu_scores(statistics)             # of every sentence, by order
    bleu_scores(statistics.sum(axis=0)) # of the corpus, by order
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64
from corpusdb.errors import InputError

__all__ = ["UNKNOWN", "References", "Sequences", "Tokenise", "parallel"]

Tokenise: TypeAlias = Callable[[str], Sequence[str]]
"""Cuts a text into its units."""

UNKNOWN = -1
"""The number of a unit of a hypothesis that no reference has."""


@dataclass(frozen=True, slots=True)
class Sequences:
    """Texts as numbered units, laid end to end."""

    units: I64
    lengths: I64
    """In units, of each text."""

    @property
    def starts(self) -> I64:
        """Where each text begins among the units, and behind the last of these where all end."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.lengths)])


@dataclass(frozen=True, slots=True)
class References:
    """The references of every segment, one or more each."""

    sequences: Sequences
    """All references, those of the first segment first."""
    counts: I64
    """How many references each segment has."""
    vocabulary: Mapping[str, int]
    """The number of every unit, from 0."""
    tokenise: Tokenise

    @classmethod
    def of(cls, references: Sequence[Sequence[str]], tokenise: Tokenise) -> References:
        """The references of each segment; one list for each segment, not one for each translator.

        Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, which is
        not the same as a missing one: its length of 0 would switch off the brevity penalty. Also without segments.
        """
        if not references:
            raise InputError("there are no segments")
        for number, texts in enumerate(references, 1):
            if isinstance(texts, str):
                raise InputError("the references of a segment must be a list, this is one text", line=number)
            if not texts:
                raise InputError("the segment has no reference", line=number)
            if not all(text.strip() for text in texts):
                raise InputError("a reference of the segment is blank; leave out what is missing", line=number)
        vocabulary: defaultdict[str, int] = defaultdict()
        vocabulary.default_factory = vocabulary.__len__
        cut = map(tokenise, chain.from_iterable(references))
        sequences = _sequences(cut, lambda units: map(vocabulary.__getitem__, units))
        counts = np.array([len(texts) for texts in references], dtype=np.int64)
        return cls(sequences, counts, dict(vocabulary), tokenise)

    @property
    def firsts(self) -> I64:
        """The number of the first reference of each segment, and behind the last of these the number of all."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.counts)])

    @property
    def segments(self) -> I64:
        """The number of the segment of each reference."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def encode(self, hypotheses: Sequence[str]) -> Sequences:
        """One system's output, a text for each segment; an empty one is legal and has no units.

        Raises InputError if there are more or fewer texts than segments.
        """
        if len(hypotheses) != len(self.counts):
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {len(self.counts)} segments")
        vocabulary = self.vocabulary
        return _sequences(map(self.tokenise, hypotheses), lambda units: map(vocabulary.get, units, repeat(UNKNOWN)))

    def subset(self, chosen: npt.NDArray[np.bool_]) -> References:
        """Only the references that ``chosen`` is true for; InputError where a segment is left without any."""
        counts = np.bincount(self.segments[chosen], minlength=len(self.counts))
        if not counts.all():
            raise InputError("no reference of the segment was chosen", line=int(np.argmin(counts)) + 1)
        lengths = self.sequences.lengths
        kept = Sequences(self.sequences.units[np.repeat(chosen, lengths)], lengths[chosen])
        return References(kept, counts, self.vocabulary, self.tokenise)


def parallel(hypotheses: Sequences, references: References) -> None:
    """Raise InputError unless there is one hypothesis for every segment."""
    if len(hypotheses.lengths) != len(references.counts):
        raise InputError(f"{len(hypotheses.lengths)} hypotheses for {len(references.counts)} segments")


def _sequences(texts: Iterable[Sequence[str]], numbers: Callable[[Iterable[str]], Iterable[int]]) -> Sequences:
    cut = list(texts)
    lengths = np.array([len(units) for units in cut], dtype=np.int64)
    units = np.fromiter(numbers(chain.from_iterable(cut)), dtype=np.int64, count=int(lengths.sum()))
    return Sequences(units, lengths)
