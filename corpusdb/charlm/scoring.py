"""What texts cost under models: bits for each character, and sums for each text (Denoual 2005, equation 1).

Bits are -log2 of probabilities; 2 to the bits per character is the perplexity. Texts are measured some thousands at a
time, so that memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.alphabet import UNKNOWN, Stream
from corpusdb.charlm.counts import keys_at, level_numbers
from corpusdb.charlm.smoothing import Model
from corpusdb.errors import InputError

__all__ = ["LINES_AT_A_TIME", "TextBits", "character_bits", "measured", "text_bits"]

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
