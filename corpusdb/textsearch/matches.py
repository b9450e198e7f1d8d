"""Which sentences of a language hold a pattern, and where in them it stands: by characters or by tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.cqp import Matches, Query, find
from corpusdb.stoppable.limit import Limit
from corpusdb.textsearch.corpus_text import LanguageText
from corpusdb.textsearch.matcher import Matcher
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
    """The sentences that hold a match of a CQP query; matches may overlap."""

    def __init__(self, text: LanguageText, corpus: TokenCorpus, query: Query, limit: Limit | None = None) -> None:
        self._text = text
        self._corpus = corpus
        self._matches: Matches = find(query, corpus.stream, limit=limit)
        self.indexes = np.unique(self._matches.sentence)

    def spans(self, index: int) -> list[Span]:
        first, last = np.searchsorted(self._matches.sentence, [index, index + 1]).tolist()
        begin = int(self._corpus.ends[index]) - int(self._corpus.lengths[index])
        offsets = self._token_spans(index, begin)
        return [
            (offsets[start - begin][0], offsets[stop - begin - 1][1])
            for start, stop in zip(
                self._matches.start[first:last].tolist(), self._matches.stop[first:last].tolist(), strict=True
            )
        ]

    def _token_spans(self, index: int, begin: int) -> list[Span]:
        """Where each token of a sentence stands: the next place where it is found, for only white space is between."""
        line, types = self._text.lines[index], self._corpus.types
        spans, end = [], 0
        for number in self._corpus.tokens[begin : int(self._corpus.ends[index])].tolist():
            start = line.index(types[number], end)
            end = start + len(types[number])
            spans.append((start, end))
        return spans
