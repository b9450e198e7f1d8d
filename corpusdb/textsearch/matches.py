"""Which sentences of a language hold a pattern, and where in them it stands: by characters or by tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.stoppable.limit import Limit
from corpusdb.textsearch.corpus_text import LanguageText
from corpusdb.textsearch.matcher import Matcher

if TYPE_CHECKING:
    from corpusdb.cqp import Query
    from corpusdb.textsearch.document_order import DocumentOrder
    from corpusdb.textsearch.token_corpus import TokenCorpus

__all__ = ["AllSentences", "Matching", "PatternMatching", "QueryMatching", "Span"]

Span: TypeAlias = tuple[int, int]
"""Where something stands in a sentence, as offsets of code points, half open."""


class Matching(Protocol):
    """The answer to one pattern."""

    @property
    def indexes(self) -> npt.NDArray[np.int64]:
        """The indexes of the sentences, in the order of their ids, that hold the pattern; ascending."""

    def spans(self, index: int) -> list[Span]:
        """Where the pattern stands in the sentence with an index, from left to right."""


@dataclass(frozen=True)
class AllSentences:
    """Every sentence of a language, where there is no pattern."""

    text: LanguageText

    @property
    def indexes(self) -> npt.NDArray[np.int64]:
        return np.arange(len(self.text.sentences))

    def spans(self, index: int) -> list[Span]:
        return []


class PatternMatching:
    """The sentences that hold a string, whole words or a regular expression."""

    def __init__(self, text: LanguageText, matcher: Matcher, limit: Limit | None = None) -> None:
        self.indexes = matcher.indexes(text, limit)
        self._text = text
        self._matcher = matcher

    def spans(self, index: int) -> list[Span]:
        return self._matcher.spans(self._text.lines[index])


class QueryMatching:
    """The sentences that hold a match of a CQP query, or a part of one; matches may overlap.

    ``order`` is needed for a query whose matches may stand in several sentences.
    """

    def __init__(
        self,
        text: LanguageText,
        corpus: TokenCorpus,
        query: Query,
        limit: Limit | None = None,
        order: DocumentOrder | None = None,
    ) -> None:
        from corpusdb.cqp import find
        from corpusdb.textsearch.document_order import places_in_sentences, stream_in_order

        self._text = text
        self._corpus = corpus
        stream = corpus.stream if order is None else stream_in_order(corpus.stream, order)
        matches = find(query, stream, limit=limit)
        self._places = places_in_sentences(matches, stream, None if order is None else order.sentences)
        self.indexes = np.unique(self._places[:, 0])

    def spans(self, index: int) -> list[Span]:
        first, last = np.searchsorted(self._places[:, 0], [index, index + 1]).tolist()
        begin = int(self._corpus.ends[index]) - int(self._corpus.lengths[index])
        offsets = self._token_spans(index, begin)
        return [(offsets[start][0], offsets[stop - 1][1]) for _, start, stop in self._places[first:last].tolist()]

    def _token_spans(self, index: int, begin: int) -> list[Span]:
        """Where each token of a sentence stands: the next place where it is found, for only white space is between.

        An annotation says it itself: a word of it may stand in no text.
        """
        annotated = self._corpus.annotated
        if annotated is not None and annotated.sentences[index]:
            of_sentence = slice(begin, int(self._corpus.ends[index]))
            return list(zip(annotated.begins[of_sentence].tolist(), annotated.ends[of_sentence].tolist(), strict=True))
        line, types = self._text.lines[index], self._corpus.types
        spans, end = [], 0
        for number in self._corpus.tokens[begin : int(self._corpus.ends[index])].tolist():
            start = line.index(types[number], end)
            end = start + len(types[number])
            spans.append((start, end))
        return spans
