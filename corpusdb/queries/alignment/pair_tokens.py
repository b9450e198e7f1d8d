"""The pairs of sentences of two languages that translate each other, and their tokens."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from corpusdb.store import Store
from corpusdb.textsearch.token_corpus import Tokeniser

__all__ = ["SentencePair", "SentenceTokens", "pairs_of", "pairs_to_align"]


class SentencePair(NamedTuple):
    """Two sentences by their numbers."""

    sentence: int
    """In the source language."""
    translation: int


_PAIRS = """
select distinct there.sentence, there.translation
from sentence own not indexed
cross join translation there on there.sentence = own.id
cross join sentence other on other.id = there.translation and other.language = :target
where own.language = :source order by 1, 2
"""
_TO_ALIGN = f"""
select pair.sentence, pair.translation from ({_PAIRS}) pair
where not exists (
    select 1 from alignment
    where alignment.model = :model and alignment.sentence = pair.sentence and alignment.translation = pair.translation)
"""


def pairs_of(store: Store, source: str, target: str) -> list[SentencePair]:
    """All pairs of two languages, each once, ascending."""
    rows = store.connection.execute(_PAIRS, {"source": source, "target": target})
    return list(map(SentencePair._make, rows))


def pairs_to_align(store: Store, source: str, target: str, model: int) -> list[SentencePair]:
    """Those of these that a model has not aligned yet."""
    rows = store.connection.execute(_TO_ALIGN, {"source": source, "target": target, "model": model})
    return list(map(SentencePair._make, rows))


_TEXTS = "select sentence.id, sentence.text from json_each(?) wanted cross join sentence on sentence.id = wanted.value"


class SentenceTokens:
    """The tokens of sentences, each cut once; what stands between two spaces is cut once for all sentences."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[str, int] = {}
        self._tokeniser = Tokeniser(self._numbers)
        self._types: list[str] = []

    def of(self, sentences: Sequence[int]) -> list[list[str]]:
        """The tokens of these sentences, in their order; a sentence may stand there more than once."""
        wanted = sorted({*sentences})
        rows = self._connection.execute(_TEXTS, (json.dumps(wanted),)).fetchall()
        lengths, tokens = self._tokeniser.types_of(text for _, text in rows)
        self._types += list(self._numbers)[len(self._types) :]
        words = list(map(self._types.__getitem__, tokens.tolist()))
        found, begin = {}, 0
        for (sentence, _), length in zip(rows, lengths.tolist(), strict=True):
            found[sentence] = words[begin : begin + length]
            begin += length
        return [found[sentence] for sentence in sentences]
