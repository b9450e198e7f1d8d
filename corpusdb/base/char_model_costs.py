"""What texts cost under models: bits for each character, in folds, of subsets, of tasks and of languages."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.char_model_counts import (
    UNKNOWN,
    Alphabet,
    Counts,
    Stream,
    keys_at,
    level_numbers,
    normalised,
    numbered,
    train,
)
from corpusdb.base.char_model_smoothing import SMOOTHINGS, Grams, Model, model_of
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import joined_ranges

# What texts cost under models: bits for each character, and sums for each text (Denoual 2005, equation 1).
#
# Bits are -log2 of probabilities; 2 to the bits per character is the perplexity. Texts are measured some thousands at
# a time, so that memory does not grow with the corpus.


LINES_AT_A_TIME: Final = 5_000


@dataclass(frozen=True)
class TextBits:
    """Sums for each text: sufficient for every coefficient and perplexity of any set of them."""

    characters: I64
    """Without the marks."""
    bits: F64
    """Of the characters, one row for each model: shape (models, texts)."""
    end_bits: F64
    """Of the end marks, in the same shape: bits + end_bits is that of the text as a whole."""
    unknown: I64
    """Characters that are not in the alphabet."""

    def entropies(self) -> F64:
        """Bits per character of all texts together, for each model; not a number where there are no characters."""
        total = self.characters.sum()
        return np.asarray(self.bits.sum(axis=1) / total if total else np.full(len(self.bits), np.nan))


def text_bits(models: Sequence[Model], texts: Sequence[str]) -> TextBits:
    """What each text costs under each of some models with the same alphabet."""
    parts = [part for _, part in measured(models, texts)]
    return TextBits(
        np.concatenate([part.characters for part in parts]),
        np.concatenate([part.bits for part in parts], axis=1),
        np.concatenate([part.end_bits for part in parts], axis=1),
        np.concatenate([part.unknown for part in parts]),
    )


def measured(
    models: Sequence[Model], texts: Sequence[str], lines: int = LINES_AT_A_TIME
) -> Iterator[tuple[int, TextBits]]:
    """The same in parts of ``lines`` texts, each with the place of its first; at least one part, which may be empty."""
    if any(first.alphabet != second.alphabet for first, second in pairwise(models)):
        raise InputError("the models do not share an alphabet")
    for start in range(0, max(len(texts), 1), lines):
        stream = models[0].alphabet.encode(texts[start : start + lines])
        bits, end_bits = np.zeros((2, len(models), len(stream.lengths)))
        for row, model in enumerate(models):
            costs = _stream_bits(model, stream)
            end_bits[row] = costs[stream.ends]
            costs[stream.ends] = 0
            bits[row] = _sums(costs, stream)
        unknown = _sums((stream.symbols == UNKNOWN).astype(np.float64), stream).astype(np.int64)
        yield start, TextBits(stream.lengths, bits, end_bits, unknown)


def character_bits(model: Model, texts: Sequence[str]) -> list[F64]:
    """The bits of every character of each text, and last those of its end mark: one more than it has characters."""
    stream = model.alphabet.encode(texts)
    costs = _stream_bits(model, stream)
    return [costs[start + 1 : end + 1] for start, end in zip(stream.starts, stream.ends, strict=True)]


def _sums(values: F64, stream: Stream) -> F64:
    """The sum over each text with its marks."""
    return np.add.reduceat(values, stream.starts) if len(stream.starts) else np.zeros(0)


def _stream_bits(model: Model, stream: Stream) -> F64:
    """The bits of each symbol of a stream, 0 for start marks."""
    longest = (
        stream.symbols.copy()
    )  # the longest n-gram that ends at each symbol, by its number among those of all levels
    weights = np.zeros(len(longest))
    numbers, before = stream.symbols, 0
    for level, index in enumerate(model.indexes):
        if not len(model.keys[level + 1]):
            break  # nothing longer was seen
        places, keys, _ = keys_at(stream, numbers, len(model.keys[level]), model.alphabet.size)
        found = index.find(keys)
        unseen = places[found < 0]
        weights[unseen] += model.backoff_bits[level][numbers[unseen - 1]]
        numbers = level_numbers(len(numbers), places, found)
        before += len(model.keys[level])
        np.copyto(longest, numbers + np.int32(before), where=numbers >= 0)
    return model.all_bits[longest] + weights


# What each text costs under a model of the other texts: in folds, each measured by a model of all other folds.


FOLDS: Final = 5


def folds_of(texts: Sequence[str], folds: int = FOLDS) -> I64:
    """The fold of each text, by a hash of it: equal texts share a fold, and no other text can move one."""
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.fromiter((int.from_bytes(each, "big") % folds for each in digests), dtype=np.int64, count=len(texts))


def fold_models(parts: Sequence[Counts], smoothing: str) -> list[Model]:
    """For each fold's counts the model of all others: what all have together, without its own."""
    if len(parts) < 2:
        raise InputError("cross-validation needs two folds or more")
    together = parts[0]
    for part in parts[1:]:
        together = together + part
    return [model_of(together - part, smoothing) for part in parts]


def fold_bits(models: Sequence[Model], texts: Sequence[str], folds: I64) -> TextBits:
    """What each text costs under the model of the other folds: one row of bits.

    ``models`` are those of ``fold_models``, by the number of the fold; ``folds`` has that of each text.
    """
    characters, unknown = np.zeros((2, len(texts)), dtype=np.int64)
    bits, end_bits = np.zeros((2, 1, len(texts)))
    for fold, model in enumerate(models):
        own = np.flatnonzero(folds == fold)
        part = text_bits([model], [texts[place] for place in own.tolist()])
        characters[own], unknown[own] = part.characters, part.unknown
        bits[0, own], end_bits[0, own] = part.bits[0], part.end_bits[0]
    return TextBits(characters, bits, end_bits, unknown)


# Reference texts of equal size: a model of more text is nearer to everything, so the larger side is cut.


def equal_references(sides: Sequence[Sequence[str]], seed: int, most: int | None = None) -> list[list[str]]:
    """Each side cut to the characters of the smallest, and to ``most``; a side that fits stays as it is.

    From a larger side texts are drawn at random; the last one drawn is cut. InputError where a side has no character.
    """
    sizes = [sum(map(len, side)) for side in sides]
    if not all(sizes):
        raise InputError(f"reference {sizes.index(0) + 1} has no characters")
    size = min(sizes) if most is None else min(*sizes, most)
    return [drawn_characters(side, size, seed) for side in sides]


def drawn_characters(texts: Sequence[str], size: int, seed: int) -> list[str]:
    """Texts of ``size`` characters together, drawn without replacement, in the order in which they stand.

    All of them where they have no more. The last one drawn is cut, so that the size is exact.
    """
    if sum(map(len, texts)) <= size:
        return list(texts)
    order = list(range(len(texts)))
    random.Random(seed).shuffle(order)
    drawn: dict[int, str] = {}
    for place in order:
        if size <= 0:
            break
        drawn[place] = texts[place][:size]
        size -= len(drawn[place])
    return [drawn[place] for place in sorted(drawn)]


# The two models whose difference says which text is like that of a task (Moore & Lewis 2010).
#
# Moore and Lewis train one on the task's text and one on as much of the pool. Here the text of the pool is some times
# as much, and the model of the task is made of it and of the task's text: where the task says nothing, as on a rare
# character, both say the same. That found better selections in English and Japanese than two models apart.


POOL_TIMES: Final = 5
"""Characters of the pool that the general model is made of, for one of the task."""


def task_counterparts(
    task: Sequence[str], pool: Sequence[str], order: int, smoothing: str, seed: int
) -> tuple[Model, Model]:
    """A model of the task and one of the pool, over the characters of both, with a random part of the pool in each.

    InputError where the task or the pool has no characters.
    """
    size = sum(map(len, task))
    if not size or not any(pool):
        raise InputError(f"the {'pool' if size else 'task'} has no characters")
    alphabet = Alphabet.of(task) | Alphabet.of(pool)
    general = train(drawn_characters(pool, POOL_TIMES * size, seed), alphabet, order)
    return model_of(general + train(task, alphabet, order), smoothing), model_of(general, smoothing)


# Perplexity of a test set under models of many subsets of one pool, without training each of them.
#
# The n-grams of the pool and of the test set are numbered once. The counts of a subset are then a count of numbers,
# and its probabilities are smoothed over all n-grams, most of which it has 0 times.


class SubsetModels:
    """A pool of texts, and a test set that is measured by models of parts of the pool.

    The alphabet is fixed: a test character that a subset lacks is still one of it.
    """

    def __init__(self, pool: Sequence[str], test: Sequence[str], alphabet: Alphabet, order: int) -> None:
        if not any(test):
            raise InputError("the test set has no characters")
        stream = alphabet.encode([*pool, *test])
        stops = stream.ends + 1
        self._starts, self._sizes = stream.starts[: len(pool)], (stops - stream.starts)[: len(pool)]
        self._sizes[stream.lengths[: len(pool)] == 0] = 0  # no character, no text
        self.characters: I64 = stream.lengths[: len(pool)]
        """Of each text of the pool."""
        keys = [np.arange(alphabet.size)]
        self._numbers = [stream.symbols]
        for _ in range(order - 1):
            places, wanted, cells = keys_at(stream, self._numbers[-1], len(keys[-1]), alphabet.size)
            distinct, found, _ = numbered(wanted, cells)
            keys.append(distinct)
            self._numbers.append(level_numbers(len(stream.symbols), places, found))
        self._level_sizes = [len(level) for level in keys]
        self._grams = Grams.of(alphabet, keys)
        measured = np.ones(len(stream.symbols), dtype=np.bool_)
        measured[stream.starts] = False
        measured[stream.ends] = False
        measured[: stream.starts[len(pool)]] = False
        self._tested: list[I64] = []
        """At each character of the test set the longest n-gram that ends there, by level."""
        for numbers, longer in zip(self._numbers, [*self._numbers[1:], None], strict=True):
            ending = measured if longer is None else measured & (longer < 0)
            self._tested.append(numbers[ending & (numbers >= 0)].astype(np.int64))

    def entropy(self, chosen: I64, smoothing: str = "wb") -> float:
        """Bits per character of the test set under a model of the texts at these places of the pool.

        A place that comes twice counts twice.
        """
        if smoothing not in SMOOTHINGS:
            raise UsageError(f"there is no smoothing {smoothing!r}, but {', '.join(SMOOTHINGS)}")
        places = joined_ranges(self._starts[chosen], self._sizes[chosen])
        counts = []
        for size, numbers in zip(self._level_sizes, self._numbers, strict=True):
            own = numbers[places]
            counts.append(np.bincount(own[own >= 0], minlength=size))
        probabilities = SMOOTHINGS[smoothing](self._grams, counts).probabilities
        tested: F64 = np.concatenate([level[own] for level, own in zip(probabilities, self._tested, strict=True)])
        return float(-np.log2(tested).mean())

    def perplexity(self, chosen: I64, smoothing: str = "wb") -> float:
        """2 to the bits per character."""
        return float(2 ** self.entropy(chosen, smoothing))


# In which of several languages a text probably is, by models of characters of what there is in each.
#
# The language whose model foresees the text best is the one, as in Dunning (1994, Statistical Identification of
# Language) and Cavnar and Trenkle (1994). What is known of each language is cut to one size, so that more text is no
# advantage.


MOST_CHARACTERS: Final = 20_000
"""Of each language as many are learned from at most."""
_ORDER: Final = 4
_SMOOTHING: Final = "mkn"
_SEED: Final = 1


def bits_per_language(texts: Sequence[str], known: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Bits per character of all texts together, under a model of what is known of each language; lower is likelier.

    Both are in the normalisation "case". Languages of which nothing is known are left out; no language, where the texts
    have no characters. Characters that no language has count as unknown, in each the same.
    """
    given = [text for text in normalised(texts, "case") if text]
    learned = {language: [text for text in normalised(found, "case") if text] for language, found in known.items()}
    learned = {language: found for language, found in learned.items() if found}
    if not given or not learned:
        return {}
    size = min(MOST_CHARACTERS, *(sum(map(len, found)) for found in learned.values()))
    alphabet = Alphabet.of(text for found in learned.values() for text in found)
    counts = [train(drawn_characters(found, size, _SEED), alphabet, _ORDER) for found in learned.values()]
    measured = text_bits([model_of(each, _SMOOTHING) for each in counts], given)
    return dict(zip(learned, measured.entropies().tolist(), strict=True))
