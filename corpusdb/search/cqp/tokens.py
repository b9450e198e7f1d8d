"""What a query is put to, and what it gives: the tokens of a corpus, and matches in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I64, Bools
from corpusdb.search.cqp.syntax import WORD

__all__ = ["Attribute", "Matches", "Tokens"]


@dataclass(frozen=True, eq=False)
class Attribute:
    """What every token of a corpus has of one kind: a word form, a lemma, a part of speech."""

    types: Sequence[str]
    """The vocabulary: the different values; the empty one stands for tokens of which nothing is known."""
    tokens: npt.NDArray[np.int32]
    """The value of each token, an index in ``types``."""

    @cached_property
    def counts(self) -> I64:
        """How many tokens each type has."""
        return np.bincount(self.tokens, minlength=len(self.types))


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a corpus of one language, in order.

    Queries add three arrays of the size of the corpus or its vocabulary, once: about 4 bytes a token and 8 a sentence.
    Raises ValueError where the arrays do not fit each other.
    """

    types: Sequence[str]
    """The vocabulary: the word form of each type, all different."""
    tokens: npt.NDArray[np.int32]
    """The type of each token, an index in ``types``."""
    ends: I64
    """Where each sentence ends in ``tokens``, ascending: sentence i is ``tokens[ends[i - 1]:ends[i]]``."""

    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """What the tokens have besides their word forms; one may be made when it is first asked for."""

    follows: Bools | None = None
    """For each sentence whether it stands in its document behind the one before; None: no sentence does."""

    def __post_init__(self) -> None:
        if len(self.tokens) != (self.ends[-1] if len(self.ends) else 0):
            raise ValueError("the last sentence must end where the tokens end")

    @cached_property
    def words(self) -> Attribute:
        """The word forms as an attribute."""
        return Attribute(self.types, self.tokens)

    def attribute(self, name: str) -> Attribute:
        """An attribute by its name. Raises KeyError for one that there is not."""
        return self.words if name == WORD else self.attributes[name]

    @property
    def counts(self) -> I64:
        """How many tokens each type has."""
        return self.words.counts

    @cached_property
    def begins(self) -> I64:
        """Where each sentence begins."""
        return np.concatenate([np.zeros(1, dtype=np.int64), self.ends[:-1]])[: len(self.ends)]

    def reach(self, sentences: I64, count: int) -> tuple[I64, I64]:
        """The first and the last sentence that each of ``sentences`` can be in one match with, ``count`` in all."""
        if self.follows is None or count == 1:
            return sentences, sentences
        numbers = np.arange(len(self.ends))
        first = np.maximum.accumulate(np.where(self.follows, 0, numbers))
        last = np.minimum.accumulate(np.where(np.append(self.follows[1:], False), len(numbers), numbers)[::-1])[::-1]
        return (
            np.maximum(first[sentences], sentences - (count - 1)),
            np.minimum(last[sentences], sentences + (count - 1)),
        )

    @cached_property
    def sentences(self) -> npt.NDArray[np.int32]:
        """The sentence of each token."""
        return np.repeat(np.arange(len(self.ends), dtype=np.int32), self.ends - self.begins)


@dataclass(frozen=True, eq=False)
class Matches:
    """Parallel arrays, one entry a match, ascending by ``start``."""

    sentence: I64
    """Index of the sentence in the corpus."""
    start: I64
    """The first token, counted from the beginning of the corpus."""
    stop: I64
    """The token behind the last."""
    labels: Mapping[str, I64]
    """The token that each label stands for; -1 where the match does not have it."""

    def __len__(self) -> int:
        return len(self.start)

    def where(self, wanted: Bools) -> Matches:
        """Those for which a value of ``wanted`` is true."""
        labels = {label: places[wanted] for label, places in self.labels.items()}
        return Matches(self.sentence[wanted], self.start[wanted], self.stop[wanted], labels)
