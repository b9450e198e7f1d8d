"""Language models of words: those of characters (corpusdb.charlm), over an alphabet with a character for each word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I32, I64
from corpusdb.charlm.alphabet import FIRST_CHARACTER, START, UNKNOWN, Alphabet
from corpusdb.charlm.counts import train
from corpusdb.charlm.smoothing import Model, model_of

__all__ = ["SentenceWordModel", "WordModel"]

_FIRST_CODE: Final = 0x10000
"""The code point of word 0: all from here on are characters to Python, and none is half of a surrogate pair."""
_MOST_WORDS: Final = 0x110000 - _FIRST_CODE
_END_SYMBOL: Final = 1
_ROOT: Final = -1
_NATURAL: Final = float(np.log(2))


class WordModel:
    """A model of texts as numbers of words; what a sentence needs of it becomes a dictionary."""

    def __init__(self, words: I32, lengths: I64, order: int, smoothing: str) -> None:
        """Texts laid end to end, in numbers of words from 0; words above a million are unknown ones."""
        texts = _as_characters(words, lengths)
        model = model_of(train(texts, Alphabet.of(texts), order), smoothing)
        self._levels = _levels_of(model)
        self._size = model.alphabet.size
        self._order = model.order
        self._symbols = {
            ord(character) - _FIRST_CODE: FIRST_CHARACTER + number
            for number, character in enumerate(model.alphabet.characters)
        }

    def for_words(self, words: Iterable[int]) -> SentenceWordModel:
        """The part of the model in which these words alone occur; all others are one unknown word."""
        symbols = {word: self._symbols.get(word, UNKNOWN) for word in words}
        allowed = np.zeros(self._size, dtype=np.bool_)
        allowed[[START, _END_SYMBOL, UNKNOWN, *symbols.values()]] = True
        return SentenceWordModel(self._levels, allowed, symbols, self._size)


def _as_characters(words: I32, lengths: I64) -> list[str]:
    kept = np.minimum(words, _MOST_WORDS - 1).astype("<u4") + np.uint32(_FIRST_CODE)
    text = kept.tobytes().decode("utf-32-le")
    ends = np.cumsum(lengths).tolist()
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


class _Level:
    """The n-grams of one length."""

    def __init__(self, keys: I64, size: int, bits: F64, backoff: F64 | None) -> None:
        contexts, last = np.divmod(keys, size)
        self.contexts: I32 = contexts.astype(np.int32)
        """The number, on the level below, of the n-gram without its last word."""
        self.last: I32 = last.astype(np.int32)
        self.scores = (-_NATURAL * bits).astype(np.float32)
        """Natural logarithms of the probabilities."""
        self.backoff = None if backoff is None else (-_NATURAL * backoff).astype(np.float32)


def _levels_of(model: Model) -> list[_Level]:
    backoffs = [*model.backoff_bits, None]
    return [
        _Level(keys, model.alphabet.size, bits, backoff)
        for keys, bits, backoff in zip(model.keys, model.bits, backoffs, strict=True)
    ]


class SentenceWordModel:
    """What a decoder asks; a state is the longest known n-gram at the end of a text, or -1 for none."""

    def __init__(
        self,
        levels: Sequence[_Level],
        allowed: np.ndarray[tuple[int], np.dtype[np.bool_]],
        symbols: dict[int, int],
        size: int,
    ) -> None:
        self._size = size
        self._symbols = symbols
        self._known: dict[int, tuple[float, int]] = {}
        """By state and symbol: what a known n-gram scores, and its number."""
        self._backoffs: dict[int, float] = {}
        self._parts: dict[int, tuple[int, int]] = {}
        self._shorter: dict[int, int] = {}
        self._memory: dict[int, tuple[float, int]] = {}
        kept, offset, before = allowed, 0, _ROOT
        self._longest = 0
        for number, level in enumerate(levels):
            if number:
                kept = allowed[level.last] & kept[level.contexts]
            rows = np.flatnonzero(kept)
            numbers = (rows + offset).tolist()
            contexts = level.contexts[rows].astype(np.int64) + before if number else np.full(len(rows), _ROOT)
            keys = ((contexts + 1) * size + level.last[rows]).tolist()
            self._known.update(zip(keys, zip(level.scores[rows].tolist(), numbers, strict=True), strict=True))
            self._parts.update(
                zip(numbers, zip(contexts.tolist(), level.last[rows].tolist(), strict=True), strict=True)
            )
            if level.backoff is not None:
                self._backoffs.update(zip(numbers, level.backoff[rows].tolist(), strict=True))
                self._longest = offset + len(level.last)
            before, offset = offset, offset + len(level.last)

    @property
    def start(self) -> int:
        """The state at the beginning of a text."""
        return START if self._longest else _ROOT

    def follow(self, state: int, word: int) -> tuple[float, int]:
        """What a word scores after a state, and the state behind it."""
        return self._after(state, self._symbols.get(word, UNKNOWN))

    def end(self, state: int) -> float:
        """What the end of the text scores after a state."""
        return self._after(state, _END_SYMBOL)[0]

    def _after(self, state: int, symbol: int) -> tuple[float, int]:
        key = (state + 1) * self._size + symbol
        found = self._memory.get(key)
        if found is None:
            score, at = 0.0, state
            known = self._known.get(key)
            while known is None:
                score += self._backoffs[at]
                at = self._without_first(at)
                known = self._known.get((at + 1) * self._size + symbol)
            behind = known[1]
            found = score + known[0], behind if behind < self._longest else self._without_first(behind)
            self._memory[key] = found
        return found

    def _without_first(self, number: int) -> int:
        """The n-gram without its first word."""
        found = self._shorter.get(number)
        if found is None:
            context, symbol = self._parts[number]
            found = (
                _ROOT if context == _ROOT else self._known[(self._without_first(context) + 1) * self._size + symbol][1]
            )
            self._shorter[number] = found
        return found
