"""The pairs of a source and a target word that stand in one pair of texts: what translation tables are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from corpusdb.alignment.bitext import UNKNOWN, Batch, sounding
from corpusdb.arrays import F64, I32, I64
from corpusdb.ngrams.counting import is_first_of_equals

__all__ = [
    "BOTH_UNKNOWN",
    "ONE_UNKNOWN",
    "PADDING",
    "SPECIAL",
    "UNSEEN",
    "Cells",
    "WordPairs",
    "added_up",
    "prefix_similarities",
]

PADDING, UNSEEN, ONE_UNKNOWN, BOTH_UNKNOWN = 0, 1, 2, 3
"""What the places behind the last pair of a table stand for: no word, two known words that were never seen together,
and words that the vocabularies have not."""
SPECIAL: Final = 4
_COMPARED: Final = 12
"""Characters of a word that are compared with those of another."""
_LEAST_SHARED: Final = 3
_AT_ONCE: Final = 1 << 18
_Number = TypeVar("_Number", bound="np.number[Any]")


@dataclass(frozen=True, slots=True)
class Cells:
    """The pairs of words that stand together in a batch, as places of a table."""

    places: I32
    """Those of the different pairs: shape (C,)."""
    numbers: I32
    """Which of these each is, by target and by source word: shape (B, T, S)."""

    def of(self, table: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        """What a table has for each: shape (B, T, S)."""
        return table[self.places][self.numbers]

    def add_up(self, sums: F64, values: npt.NDArray[np.floating]) -> None:
        """Add the values, of shape (B, T, S), to the sums for their places; those of special places are left out."""
        found = added_up(self.numbers.ravel(), values.ravel(), len(self.places))
        is_pair = self.places < len(sums)
        sums[self.places[is_pair]] += found[is_pair]


@dataclass(frozen=True, slots=True)
class WordPairs:
    """Pairs of words, each known by its place in ``keys``."""

    keys: I64
    """Source word times ``target_size`` plus target word, ascending."""
    target_size: int
    """How many target words there are."""

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, batches: Iterable[Batch], target_size: int) -> WordPairs:
        """Those of known words that stand together in some batches."""
        keys = np.zeros(0, dtype=np.int64)
        waiting: list[I64] = []
        for batch in batches:
            both = (batch.source != UNKNOWN)[:, np.newaxis, :] & (batch.target != UNKNOWN)[:, :, np.newaxis]
            waiting.append(_distinct(_keys(batch, target_size)[both]))
            if sum(map(len, waiting)) > max(len(keys), 4 * _AT_ONCE):
                keys, waiting = _distinct(np.concatenate([keys, *waiting])), []
        return cls(_distinct(np.concatenate([keys, *waiting])), target_size)

    @property
    def sources(self) -> I64:
        """The source word of each pair."""
        return self.keys // self.target_size

    @property
    def targets(self) -> I64:
        return self.keys % self.target_size

    def cells(self, batch: Batch) -> Cells:
        """The place of each pair of words of a batch; ``len(self)`` and what follows are the special places."""
        wanted = _keys(batch, self.target_size)
        no_source, no_target = (batch.source == UNKNOWN)[:, np.newaxis, :], (batch.target == UNKNOWN)[:, :, np.newaxis]
        wanted[np.broadcast_to(no_source ^ no_target, wanted.shape)] = ONE_UNKNOWN - SPECIAL
        wanted[no_source & no_target] = BOTH_UNKNOWN - SPECIAL
        wanted[~(batch.source_mask[:, np.newaxis, :] & batch.target_mask[:, :, np.newaxis])] = PADDING - SPECIAL
        # Of equal pairs one is looked up, ascending: much faster than all of them in the order of the texts.
        order = np.argsort(wanted, axis=None)
        keys = wanted.ravel()[order]
        is_first = is_first_of_equals(keys)
        numbers = np.empty(wanted.size, dtype=np.int32)
        numbers[order] = np.cumsum(is_first, dtype=np.int32) - 1
        return Cells(self._places(keys[is_first]), numbers.reshape(wanted.shape))

    def _places(self, keys: I64) -> I32:
        """Of ascending keys; the special ones are negative."""
        places = np.searchsorted(self.keys, keys)
        is_there = places < len(self.keys)
        is_there[is_there] = self.keys[places[is_there]] == keys[is_there]
        special = np.where(keys < 0, keys + SPECIAL, UNSEEN)
        return np.where(is_there, places, len(self.keys) + special).astype(np.int32)


def added_up(groups: I64 | I32, values: npt.NDArray[np.floating], count: int) -> F64:
    """The sum of the values of each group from 0 to ``count`` - 1, in double precision."""
    sums: npt.NDArray[np.number] = np.bincount(groups, weights=values, minlength=count)
    return sums.astype(np.float64, copy=False)


def _distinct(keys: I64) -> I64:
    # By sorting: what numpy.unique does from 2.3 on takes several times as long.
    keys = np.sort(keys)
    return keys[is_first_of_equals(keys)]


def _keys(batch: Batch, target_size: int) -> I64:
    keys: I64 = batch.source[:, np.newaxis, :].astype(np.int64) * target_size + batch.target[:, :, np.newaxis]
    return keys


def prefix_similarities(pairs: WordPairs, source: Sequence[str], target: Sequence[str]) -> F64:
    """How alike the two words of each pair sound, 0 to 1: letters with which both begin, by those of the longer.

    0 where fewer than three are shared, unless the words are equal. Cognates, names and numbers are found by it.
    ``source`` and ``target`` are the words by their numbers.
    """
    source, target = list(map(sounding, source)), list(map(sounding, target))
    ours, theirs = _characters(source), _characters(target)
    lengths, their_lengths = _lengths(source), _lengths(target)
    similarities = np.zeros(len(pairs))
    for first in range(0, len(pairs), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        own, other = pairs.keys[part] // pairs.target_size, pairs.keys[part] % pairs.target_size
        is_equal = (ours[own] == theirs[other]) & (ours[own] != 0)
        shared = np.logical_and.accumulate(is_equal, axis=1).sum(axis=1)
        longer = np.maximum(np.maximum(lengths[own], their_lengths[other]), 1)
        similarities[part] = np.where((shared >= _LEAST_SHARED) | (shared == longer), shared / longer, 0.0)
    return similarities


def _lengths(words: Sequence[str]) -> I64:
    return np.fromiter((min(len(word), _COMPARED) for word in words), dtype=np.int64, count=len(words))


def _characters(words: Sequence[str]) -> I32:
    """The first characters of each word: shape (words, 12), 0 behind the end of a word."""
    text = "".join(word[:_COMPARED].ljust(_COMPARED, "\0") for word in words)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4").reshape(len(words), _COMPARED)
