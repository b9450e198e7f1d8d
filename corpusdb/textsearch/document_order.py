"""Sentences in the order of their documents, for matches that reach over the end of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64, Bools
from corpusdb.cqp import Attribute, Matches, Tokens

__all__ = ["DocumentOrder", "places_in_sentences", "stream_in_order"]


@dataclass(frozen=True, eq=False)
class DocumentOrder:
    """Where the sentences of a corpus stand: each as often as it stands in documents."""

    sentences: I64
    """Their indexes in the corpus, document after document."""
    follows: Bools
    """For each whether it stands behind the one before in the same document."""


class _Gathered(Mapping[str, Attribute]):
    """The attributes of tokens in another order."""

    def __init__(self, attributes: Mapping[str, Attribute], places: I64) -> None:
        self._attributes = attributes
        self._places = places
        self._known: dict[str, Attribute] = {}

    def __getitem__(self, name: str) -> Attribute:
        if name not in self._known:
            found = self._attributes[name]
            self._known[name] = Attribute(found.types, found.tokens[self._places])
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._attributes

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)


def stream_in_order(corpus: Tokens, order: DocumentOrder) -> Tokens:
    """The tokens of a corpus, as they stand in documents."""
    begins = corpus.begins[order.sentences]
    sizes = corpus.ends[order.sentences] - begins
    ends = np.cumsum(sizes)
    places = np.repeat(begins - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    attributes = _Gathered(corpus.attributes, places)
    return Tokens(corpus.types, corpus.tokens[places], ends, attributes, order.follows)


def places_in_sentences(matches: Matches, corpus: Tokens, order: I64 | None = None) -> npt.NDArray[np.int64]:
    """Where matches stand: a line for each sentence of each match, ascending, none twice.

    Its index in the corpus, by ``order`` where ``corpus`` is in another order; the first token of the match in it, and
    the token behind the last, counted from the beginning of the sentence.
    """
    last = corpus.sentences[matches.stop - 1].astype(np.int64)
    counts = last - matches.sentence + 1
    match = np.repeat(np.arange(len(counts)), counts)
    offsets = np.arange(len(match)) - np.repeat(np.cumsum(counts) - counts, counts)
    sentence = matches.sentence[match] + offsets
    begins, ends = corpus.begins[sentence], corpus.ends[sentence]
    first = np.maximum(matches.start[match], begins) - begins
    stop = np.minimum(matches.stop[match], ends) - begins
    rows = np.stack([sentence if order is None else order[sentence], first, stop], axis=1)
    rows = rows[rows[:, 1] < rows[:, 2]]  # an empty sentence may be in between
    return rows if order is None else np.unique(rows, axis=0)
