"""The pairs of sentences of two languages that translate each other, and their tokens."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from corpusdb.alignment.bitext import NumberedTexts, WordedTexts
from corpusdb.arrays import I64
from corpusdb.queries.alignment.token_cutting import UNITS, cut_of
from corpusdb.store import Store
from corpusdb.text import are_undelimited
from corpusdb.textsearch.token_corpus import Tokeniser

__all__ = ["SentencePair", "SentenceTokens", "pairs_of", "pairs_to_align", "shown_tokens"]

_UNITS: Mapping[str, str] = {}


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


_TEXTS = """
select sentence.text, sentence.language from json_each(?) wanted
cross join sentence on sentence.id = wanted.value
"""


class SentenceTokens:
    """The tokens of sentences, each cut once; what stands between two spaces is cut once for all sentences."""

    def __init__(self, connection: sqlite3.Connection, ways: Mapping[str, str] = _UNITS) -> None:
        """``ways`` of cutting by language (see token_cutting); units for others.

        Raises UsageError where an analyser is not installed, and InputError where another version of it is.
        """
        self._connection = connection
        self._cuts = {language: cut_of(way) for language, way in ways.items() if way != UNITS}
        self._numbers: dict[str, int] = {}
        self._tokeniser = Tokeniser(self._numbers)
        self._types: list[str] = []
        self._kept = np.zeros(0, dtype=np.int64)
        """The numbers of the sentences whose tokens are kept, ascending."""
        self._kept_texts = NumberedTexts(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))

    def of(self, sentences: Sequence[int]) -> list[list[str]]:
        """The tokens of these sentences, in their order; a sentence may stand there more than once."""
        found = self.numbered(sentences)
        words, ends = list(map(found.words.__getitem__, found.texts.words.tolist())), found.texts.starts.tolist()
        return [words[begin:end] for begin, end in pairwise(ends)]

    def keep(self, sentences: Iterable[int]) -> None:
        """Read these sentences now, unless they are kept, and keep their tokens for later calls: four bytes each."""
        wanted = np.unique(np.fromiter(sentences, dtype=np.int64))
        if self._places(wanted) is None:
            self._kept, self._kept_texts = wanted, self._read(wanted)

    def numbered(self, sentences: Sequence[int]) -> WordedTexts:
        """The same as ``of`` gives; the words are those of all sentences that were read so far."""
        wanted, order = np.unique(np.array(sentences, dtype=np.int64), return_inverse=True)
        places = self._places(wanted)
        texts = self._read(wanted).reordered(order) if places is None else self._kept_texts.reordered(places[order])
        return WordedTexts(texts, self._types)

    def _places(self, sentences: I64) -> I64 | None:
        """Where these stand among those that are kept; None where not all do."""
        places = np.searchsorted(self._kept, sentences)
        is_kept = places < len(self._kept)
        is_kept[is_kept] = self._kept[places[is_kept]] == sentences[is_kept]
        return places if is_kept.all() else None

    def _read(self, sentences: I64) -> NumberedTexts:
        rows = self._connection.execute(_TEXTS, (json.dumps(sentences.tolist()),)).fetchall()
        cuts = (self._cuts.get(language) for _, language in rows)
        lengths, tokens = self._tokeniser.types_of((text for text, _ in rows), cuts)
        self._types += islice(self._numbers, len(self._types), None)
        return NumberedTexts(tokens, lengths.astype(np.int64))


_SOME = "select text from sentence where language = ? order by id limit 20"


def shown_tokens(store: Store, language: str, way: str) -> str:
    """What the tokens of a language are, in words."""
    if way != UNITS:
        return f"morphemes by {way}"
    texts = (row[0] for row in store.connection.execute(_SOME, (language,)))
    return "characters" if are_undelimited(texts) else "words"
