"""The sentences that may still be hits while the conditions of a search are checked one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64
from corpusdb.cqp import Query
from corpusdb.store import Store
from corpusdb.textsearch.corpus_text import LanguageText
from corpusdb.textsearch.patterns import Pattern

__all__ = ["Candidates"]


_PARTNERS = """
select given.value, translation.translation
from json_each(?) given join translation on translation.sentence = given.value
"""


@dataclass(frozen=True)
class Candidates:
    """Some sentences of one language, and what a condition may ask about them."""

    store: Store
    text: LanguageText
    indexes: I64
    """Of the sentences in ``text``, ascending."""
    holding: Callable[[str, Pattern | Query], I64]
    """The ids of all sentences of a language that hold a pattern."""

    @property
    def sentences(self) -> I64:
        """Their ids, ascending."""
        return self.text.sentences[self.indexes]

    def where(self, holds: Callable[[str], bool]) -> Candidates:
        """Those of whose text something holds."""
        lines = self.text.lines
        return self._only(np.array([holds(lines[index]) for index in self.indexes.tolist()], dtype=np.bool_))

    def among(self, sentences: Iterable[int] | I64) -> Candidates:
        """Those whose id is one of these."""
        return self._only(self._is_among(sentences))

    def without(self, sentences: Iterable[int] | I64) -> Candidates:
        """Those whose id is none of these."""
        return self._only(~self._is_among(sentences))

    def translations_of(self, others: I64) -> I64:
        """The ids of those that are translations of one of the others; the shorter list is looked up."""
        sentences = self.sentences
        is_turned = len(others) < len(sentences)
        given, wanted = (others, sentences) if is_turned else (sentences, others)
        rows = self.store.connection.execute(_PARTNERS, (json.dumps(given.tolist()),)).fetchall()
        pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
        pairs = pairs[np.isin(pairs[:, 1], wanted)]
        return np.unique(pairs[:, 1 if is_turned else 0])

    def _is_among(self, sentences: Iterable[int] | I64) -> npt.NDArray[np.bool_]:
        given = sentences if isinstance(sentences, np.ndarray) else np.fromiter(sentences, np.int64)
        return np.isin(self.sentences, given)

    def _only(self, kept: npt.NDArray[np.bool_]) -> Candidates:
        return replace(self, indexes=self.indexes[kept])
