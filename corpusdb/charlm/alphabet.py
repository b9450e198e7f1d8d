"""The characters that a language model tells apart, and texts as streams of their numbers.

Every text becomes a start mark, its characters, and an end mark. The start mark is context only; the end mark is an
event like a character. What the alphabet lacks is one and the same unknown character. Two models can only be compared
where they share an alphabet, which must not depend on the text that is measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from corpusdb.arrays import I32, I64
from corpusdb.errors import InputError

__all__ = ["END", "FIRST_CHARACTER", "START", "UNKNOWN", "Alphabet", "Stream", "shared_characters"]

START: Final = 0
END: Final = 1
UNKNOWN: Final = 2
FIRST_CHARACTER: Final = 3
"""Numbers of symbols; from the last one on they are characters, in the order of their code points."""


@dataclass(frozen=True)
class Stream:
    """Texts as numbers of symbols, one after another."""

    symbols: I32
    """For each text START, its characters, END."""
    starts: I64
    """Where each text has its START."""
    lengths: I64
    """Characters of each text, without the marks."""

    @property
    def ends(self) -> I64:
        """Where each text has its END."""
        return self.starts + self.lengths + 1


@dataclass(frozen=True)
class Alphabet:
    """Distinct characters, ascending by code point."""

    characters: str

    def __post_init__(self) -> None:
        if any(first >= second for first, second in zip(self.characters, self.characters[1:], strict=False)):
            raise InputError("the characters of an alphabet must ascend, each once")

    @classmethod
    def of(cls, texts: Iterable[str]) -> Alphabet:
        """All characters of these texts."""
        found: set[str] = set()
        for text in texts:
            found.update(text)
        return cls("".join(sorted(found)))

    def __or__(self, other: Alphabet) -> Alphabet:
        return Alphabet("".join(sorted({*self.characters, *other.characters})))

    @property
    def size(self) -> int:
        """How many symbols there are: the characters, the unknown one, and both marks."""
        return len(self.characters) + FIRST_CHARACTER

    @property
    def events(self) -> int:
        """How many symbols can follow another: all but the start mark; order 0 is uniform over them."""
        return self.size - 1

    @cached_property
    def _numbers(self) -> I32:
        """The symbol of each code point up to the last character, and one more cell for all that come after."""
        codes = _codes(self.characters)
        table = np.full(int(codes[-1]) + 2 if len(codes) else 1, UNKNOWN, dtype=np.int32)
        table[codes] = np.arange(FIRST_CHARACTER, self.size, dtype=np.int32)
        return table

    def encode(self, texts: Sequence[str]) -> Stream:
        """The texts as one stream; an empty one is its two marks."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        stops = np.cumsum(lengths + 2)
        starts = stops - lengths - 2
        symbols = np.full(int(stops[-1]) if len(stops) else 0, END, dtype=np.int32)
        symbols[starts] = START
        codes = _codes("".join(texts))
        places = np.arange(len(codes)) + np.repeat(2 * np.arange(len(texts)) + 1, lengths)
        symbols[places] = self._numbers[np.minimum(codes, len(self._numbers) - 1)]
        return Stream(symbols, starts, lengths)


def _codes(text: str) -> I32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")


def shared_characters(first: Iterable[str], second: Iterable[str]) -> float:
    """How much of their characters two sets of texts share, by how often each has them: 0 to 1, blanks apart.

    The sum over all characters of the lower of their two shares; 1 where one has no character.
    """
    counts = [Counter("".join(texts).replace(" ", "")) for texts in (first, second)]
    sizes = [own.total() for own in counts]
    if not all(sizes):
        return 1.0
    return sum(min(often / sizes[0], counts[1][char] / sizes[1]) for char, often in counts[0].items())
