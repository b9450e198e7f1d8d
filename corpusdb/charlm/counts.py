"""Counts of character n-grams, exact for any alphabet and order, that can be added and taken away.

Level k holds the distinct k-grams that occur inside of texts with their marks, each once, in the order of their keys
(see key_index). That order depends on nothing but the set of n-grams, so that counts of the same texts are equal
arrays however they came about: train(A) + train(B) - train(B) is train(A).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I32, I64
from corpusdb.charlm.alphabet import END, START, UNKNOWN, Alphabet, Stream
from corpusdb.charlm.key_index import MOST_IN_BITS, Keys, numbered
from corpusdb.errors import InputError

__all__ = ["Counts", "keys_at", "level_numbers", "sorted_union", "train", "without_zeros"]


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each n-gram of each level occurs."""

    alphabet: Alphabet
    keys: tuple[I64, ...]
    """Of each level, ascending; those of level 1 are all symbols, whether they occur or not."""
    counts: tuple[I64, ...]
    """Beside the keys. The start mark is counted on level 1 as the number of texts."""

    @property
    def order(self) -> int:
        """The longest n-grams, in symbols."""
        return len(self.keys)

    @property
    def texts(self) -> int:
        """How many texts were counted."""
        return int(self.counts[0][START])

    @property
    def characters(self) -> int:
        """How many characters, known or not; marks are none."""
        return int(self.counts[0][UNKNOWN:].sum())

    @property
    def unknown(self) -> int:
        """How many characters that are not in the alphabet."""
        return int(self.counts[0][UNKNOWN])

    def cut(self, order: int) -> Counts:
        """The same of a lower order."""
        if not 1 <= order <= self.order:
            raise InputError(f"counts of order {self.order} have no order {order}")
        return Counts(self.alphabet, self.keys[:order], self.counts[:order])

    def widened(self, alphabet: Alphabet) -> Counts:
        """The same over a larger alphabet, as if it had been the alphabet from the beginning.

        InputError if it lacks a character, or if characters were counted as unknown, which might be in it.
        """
        if alphabet == self.alphabet:
            return self
        stream = alphabet.encode([self.alphabet.characters])
        numbers = np.concatenate([[START, END, UNKNOWN], stream.symbols[1:-1]]).astype(np.int64)
        if (numbers[UNKNOWN + 1 :] == UNKNOWN).any():
            raise InputError("the alphabet lacks characters that the model has")
        if self.unknown:
            raise InputError("a model that has met unknown characters keeps its alphabet")
        first = np.zeros(alphabet.size, dtype=np.int64)
        first[numbers] = self.counts[0]
        keys, old = [np.arange(alphabet.size)], self.alphabet.size
        for level, known in enumerate(self.keys[1:]):
            contexts, last = np.divmod(known, old)
            keys.append((numbers[contexts] if level == 0 else contexts) * alphabet.size + numbers[last])
        return Counts(alphabet, tuple(keys), (first, *self.counts[1:]))

    def __add__(self, other: Counts) -> Counts:
        keys, pairs = _united(self, other)
        return Counts(self.alphabet, keys, tuple(own + their for own, their in pairs))

    def __sub__(self, other: Counts) -> Counts:
        """What is left without texts that were counted; InputError if they were not."""
        keys, pairs = _united(self, other)
        left = tuple(own - their for own, their in pairs)
        if any((level < 0).any() for level in left):
            raise InputError("what is to be taken out of a model is not in it")
        return without_zeros(Counts(self.alphabet, keys, left))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        mine, theirs = (*self.keys, *self.counts), (*other.keys, *other.counts)
        return self.alphabet == other.alphabet and len(mine) == len(theirs) and all(map(np.array_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]  # arrays have none


def train(texts: Sequence[str], alphabet: Alphabet, order: int) -> Counts:
    """Count the n-grams of up to ``order`` symbols of texts; those without a character are left out."""
    if order < 1:
        raise InputError(f"the order of a model is 1 or more, not {order}")
    stream = alphabet.encode([text for text in texts if text])
    counts = [np.bincount(stream.symbols, minlength=alphabet.size)]
    keys = [np.arange(alphabet.size)]
    numbers = stream.symbols
    for _ in range(order - 1):
        places, wanted, cells = keys_at(stream, numbers, len(keys[-1]), alphabet.size)
        distinct, found, often = numbered(wanted, cells)
        keys.append(distinct)
        counts.append(often)
        numbers = level_numbers(len(stream.symbols), places, found)
    return Counts(alphabet, tuple(keys), tuple(counts))


def keys_at(stream: Stream, numbers: I32, contexts: int, size: int) -> tuple[I64, Keys, int]:
    """The places of a stream that have an n-gram before them, the keys of the n-grams one longer, and all cells.

    ``numbers`` are those of the n-grams that end at each place, -1 for none, ``contexts`` how many there are,
    ``size`` the symbols of the alphabet. Nothing stands before a start mark.
    """
    cells = contexts * size
    follows = (numbers[:-1] >= 0) & (stream.symbols[1:] != START)
    before: Keys = numbers[:-1]
    if cells > MOST_IN_BITS:
        before = before.astype(np.int64)  # keys that need not be small are numbers of 64 bits
    # Where nothing stands before, the product is of no use, but to leave it out first would take longer.
    return np.flatnonzero(follows) + 1, (before * size + stream.symbols[1:])[follows], cells


def level_numbers(size: int, places: I64, found: I32) -> I32:
    """The number of the n-gram that ends at each place of a stream of ``size`` symbols, -1 where none does."""
    numbers = np.full(size, -1, dtype=np.int32)
    numbers[places] = found
    return numbers


def without_zeros(counts: Counts) -> Counts:
    """The same without n-grams that occur no more; the symbols of level 1 all stay."""
    size = counts.alphabet.size
    keys, left = [counts.keys[0]], [counts.counts[0]]
    numbers: I64 = counts.keys[0]
    for level, often in zip(counts.keys[1:], counts.counts[1:], strict=True):
        kept = often > 0
        contexts, last = np.divmod(level[kept], size)
        keys.append(numbers[contexts] * size + last)
        left.append(often[kept])
        numbers = np.cumsum(kept) - 1
    return Counts(counts.alphabet, tuple(keys), tuple(left))


def _united(first: Counts, second: Counts) -> tuple[tuple[I64, ...], list[tuple[I64, I64]]]:
    """The keys that either has, level by level, and how often each stands in the first and in the second."""
    if first.alphabet != second.alphabet:
        raise InputError("the two models do not share an alphabet")
    if first.order != second.order:
        raise InputError(f"one model is of order {first.order}, the other of order {second.order}")
    size = first.alphabet.size
    keys, pairs = [first.keys[0]], [(first.counts[0], second.counts[0])]
    renumbered = [first.keys[0], second.keys[0]]
    for level in range(1, first.order):
        moved = []
        for each, numbers in zip((first, second), renumbered, strict=True):
            contexts, last = np.divmod(each.keys[level], size)
            moved.append(numbers[contexts] * size + last)
        union = sorted_union(*moved)
        renumbered = [np.searchsorted(union, each) for each in moved]
        often = [np.zeros(len(union), dtype=np.int64) for _ in moved]
        for each, target, numbers in zip((first, second), often, renumbered, strict=True):
            target[numbers] = each.counts[level]
        keys.append(union)
        pairs.append((often[0], often[1]))
    return tuple(keys), pairs


def sorted_union(first: I64, second: I64) -> I64:
    """The numbers of both, ascending and distinct.

    Not ``np.union1d``: it hashes, which takes many times as long for regular runs, as keys of large alphabets are.
    """
    both = np.sort(np.concatenate((first, second)), kind="stable")  # merges two that are ascending
    return np.asarray(both[np.concatenate((np.ones(min(len(both), 1), dtype=np.bool_), both[1:] != both[:-1]))])
