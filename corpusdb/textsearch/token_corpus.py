"""The sentences of a language as one stream of tokens.

Tokens are the units of corpusdb.text: words, clitics and marks, and characters where the script does not delimit words;
in annotated sentences those of the annotation.
A stream of small numbers answers most questions by going through all of it: two million tokens take a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.cqp import Tokens
from corpusdb.text import unit_ends
from corpusdb.textsearch.annotated_tokens import Annotated

__all__ = ["Cut", "TokenCorpus", "Tokeniser", "token_spans", "tokenise"]

Cut: TypeAlias = Callable[[str], Sequence[str]]
"""Gives the tokens of a sentence."""


@dataclass(frozen=True)
class TokenCorpus:
    """Some sentences of a language as tokens."""

    language: str
    sentences: npt.NDArray[np.int64]
    """The ids of the sentences, ascending."""
    lengths: npt.NDArray[np.int32]
    """How many tokens each of them has."""
    tokens: npt.NDArray[np.int32]
    """The type of each token, as an index into ``types``, sentence after sentence."""
    types: Sequence[str]
    """The different tokens, each once."""
    annotated: Annotated | None = None
    """What else is known of the tokens; None where nothing is, or nobody asked."""

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """Where each sentence ends in ``tokens``."""
        return np.cumsum(self.lengths, dtype=np.int64)

    @cached_property
    def stream(self) -> Tokens:
        """The same as CQP queries take it."""
        attributes = {} if self.annotated is None else self.annotated.attributes
        return Tokens(self.types, self.tokens, self.ends, attributes)

    @cached_property
    def type_numbers(self) -> dict[str, int]:
        """The index of each type."""
        return {text: number for number, text in enumerate(self.types)}

    def sentence_at(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """For each position in ``tokens`` the index, in ``sentences``, of the sentence it stands in."""
        return np.searchsorted(self.ends, positions, side="right")

    def restricted_to(self, sentences: npt.NDArray[np.int64]) -> TokenCorpus:
        """Only the sentences with these ids; the types stay as they are."""
        wanted = np.isin(self.sentences, sentences)
        tokens = self.tokens[np.repeat(wanted, self.lengths)]
        return TokenCorpus(self.language, self.sentences[wanted], self.lengths[wanted], tokens, self.types)


def tokenise(text: str) -> list[str]:
    """The tokens of a sentence."""
    return [text[start:end] for start, end in token_spans(text)]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where each token of a sentence begins and ends, in code points, without the white space before it."""
    spans, start = [], 0
    for end in unit_ends(text):
        unit = text[start:end]
        spans.append((end - len(unit.lstrip()), end))
        start = end
    return spans


class Tokeniser:
    """Sentences to numbers of types; ``numbers`` holds the types that are known and grows."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self._known: dict[str, tuple[int, ...]] = {}

    def types_of(
        self, texts: Iterable[str], cuts: Iterable[Cut | None] = repeat(None)
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The lengths of the sentences, and the types of all their tokens.

        No unit reaches over white space, so every run between two spaces is cut into units only once: 1.5 million of
        them in the English of Tatoeba are 60,000 different ones. ``cuts`` says for each text what else cuts it.
        """
        known = self._known
        lengths: list[int] = []
        tokens: list[int] = []
        for text, cut in zip(texts, cuts, strict=False):
            before = len(tokens)
            if cut is None:
                for run in text.split():
                    units = known.get(run)
                    tokens.extend(self._cut(run) if units is None else units)
            else:
                tokens.extend(self.numbers.setdefault(token, len(self.numbers)) for token in cut(text))
            lengths.append(len(tokens) - before)
        return np.array(lengths, dtype=np.int32), np.array(tokens, dtype=np.int32)

    def _cut(self, run: str) -> tuple[int, ...]:
        numbers = self.numbers
        units = tuple(numbers.setdefault(token, len(numbers)) for token in tokenise(run))
        if len(run) < 40:  # a run without spaces in Japanese is a sentence, and will not come again
            self._known[run] = units
        return units
