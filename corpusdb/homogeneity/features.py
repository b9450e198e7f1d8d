"""Texts as numbers of their n-grams, numbered once: the counts of any set of texts are then a count of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I64
from corpusdb.ngrams.counting import joined_ranges, number_ngrams

__all__ = ["Features", "character_ngrams", "feature_counts", "joined", "tokens"]


@dataclass(frozen=True)
class Features:
    """The features of some texts, those of one text after those of the one before."""

    numbers: I64
    """From 0; equal features have the same."""
    starts: I64
    """Of each text, where its features begin in ``numbers``."""
    lengths: I64
    """How many each text has."""
    distinct: int

    def first(self, texts: int) -> Features:
        """The same of the first texts only, with the numbers that all of them have."""
        return Features(self.numbers, self.starts[:texts], self.lengths[:texts], self.distinct)

    def of(self, text: int) -> I64:
        """The features of one text."""
        start = self.starts[text]
        return self.numbers[start : start + self.lengths[text]]


def feature_counts(features: Features, chosen: I64) -> I64:
    """How often each feature stands in the texts at these places; a place that comes twice counts twice."""
    places = joined_ranges(features.starts[chosen], features.lengths[chosen])
    return np.bincount(features.numbers[places], minlength=features.distinct)


def character_ngrams(texts: Sequence[str], n: int) -> Features:
    """Runs of ``n`` characters inside of texts, white space included."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    if not len(codes):
        return _features(np.zeros(0, dtype=np.int64), lengths)
    numbers = codes
    for grams in number_ngrams(codes, lengths, n):
        numbers = grams.numbers
    return _features(numbers, np.maximum(lengths - (n - 1), 0))


def joined(parts: Sequence[Features]) -> Features:
    """Features of several kinds of the same texts as one: those of a text are all that it has of each kind."""
    before = np.cumsum([0, *(part.distinct for part in parts)])
    owners = np.concatenate([np.repeat(np.arange(len(part.lengths)), part.lengths) for part in parts])
    numbers = np.concatenate([part.numbers + offset for part, offset in zip(parts, before[:-1], strict=True)])
    lengths = np.sum([part.lengths for part in parts], axis=0)
    order = np.argsort(owners, kind="stable")
    return Features(numbers[order], np.cumsum(lengths) - lengths, lengths, int(before[-1]))


def tokens(texts: Iterable[Sequence[str]]) -> Features:
    """The tokens of texts, such as words."""
    known: dict[str, int] = {}
    numbers: list[int] = []
    lengths: list[int] = []
    for text in texts:
        numbers += [known.setdefault(token, len(known)) for token in text]
        lengths.append(len(text))
    return _features(np.array(numbers, dtype=np.int64), np.array(lengths, dtype=np.int64))


def _features(numbers: I64, lengths: I64) -> Features:
    return Features(numbers, np.cumsum(lengths) - lengths, lengths, int(numbers.max(initial=-1)) + 1)
