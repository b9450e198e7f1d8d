"""The index of a language in memory, to derive the candidates of all its sentences; for a few, ``IndexRows`` reads what
they need."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from corpusdb.analogy.derivation import Evidence
from corpusdb.analogy.derivation_arrays import (
    Asking,
    Derivations,
    Pairs,
    Replaced,
    asking_slots,
    candidates_of_many,
    derive,
    derive_lone,
)
from corpusdb.arrays import I64
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.store import Store

__all__ = ["IndexArrays"]

_ROWS_AT_ONCE = 50_000
_SENTENCES_AT_ONCE = 5_000
_FILLERS = "select id, text from filler where language = ? order by id"
_PAIRS = """
select paraphrase.sentence, paraphrase.paraphrase, paraphrase.probability, paraphrase.languages
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
where sentence.language = ? order by paraphrase.sentence, paraphrase.paraphrase
"""
# Of every language, since this is the order of the key; those of another are left out afterwards.
_SUBSTITUTIONS = """
select context, filler, sentence, rewording, coalesce(start, -1), coalesce(stop, -1) from substitution
order by context, filler, rewording
"""
_SLOTS = """
select slot.sentence, slot.context, slot.filler
from (select distinct context from substitution) replaced cross join slot on slot.context = replaced.context
"""
_COMMUTATIONS = "select x, y, contexts from commutation order by x, y"


class IndexArrays:
    """What candidates are derived from, for all sentences of a language that has a complete index.

    Memory: about 100 bytes a slot while it is read, and 30 afterwards.
    """

    def __init__(self, store: Store, language: str) -> None:
        connection = store.connection
        sentences = sentences_after(store, language, 0)
        self.sentences = np.array([number for number, _ in sentences], dtype=np.int64)
        """The numbers of the sentences, ascending; all others are places in this list."""
        self.texts = [text for _, text in sentences]
        del sentences
        numbers, self.fillers = _numbered(connection.execute(_FILLERS, (language,)))
        self._pairs = self._load_pairs(connection, language)
        self._replaced = self._load_replaced(connection, numbers)
        self._asking = self._load_asking(connection, numbers)
        x, y, contexts = _columns(connection, _COMMUTATIONS, 3)
        own = _is_among(numbers, x)
        pairs = np.searchsorted(numbers, x[own]) << 32 | np.searchsorted(numbers, y[own])
        self._commuting = pairs, contexts[own]

    def _load_pairs(self, connection: sqlite3.Connection, language: str) -> Pairs:
        rows = connection.execute(_PAIRS, (language,)).fetchall()
        sentence, rewording = (np.array([row[column] for row in rows], dtype=np.int64) for column in (0, 1))
        having = [frozenset(row[3].split(",")) for row in rows]
        return Pairs(
            np.searchsorted(self.sentences, sentence),
            np.searchsorted(self.sentences, rewording),
            np.array([row[2] for row in rows], dtype=np.float64),
            [np.array([each in of_pair for of_pair in having]) for each in sorted(frozenset().union(*having))],
        )

    def _load_replaced(self, connection: sqlite3.Connection, fillers: I64) -> Replaced:
        context, filler, sentence, rewording, start, stop = _columns(connection, _SUBSTITUTIONS, 6)
        own = _is_among(fillers, filler)
        known = self._pairs.sentence << 32 | self._pairs.rewording
        wanted = np.searchsorted(self.sentences, sentence) << 32 | np.searchsorted(self.sentences, rewording)
        filler = np.searchsorted(fillers, filler)
        return Replaced(context, filler, np.searchsorted(known, wanted), start, stop)[own]

    def _load_asking(self, connection: sqlite3.Connection, fillers: I64) -> Asking:
        sentence, context, filler = _columns(connection, _SLOTS, 3)
        own = np.flatnonzero(_is_among(fillers, filler))
        own = own[np.argsort(sentence[own], kind="stable")]
        places = np.searchsorted(self.sentences, sentence[own]), np.searchsorted(fillers, filler[own])
        return asking_slots(places[0], context[own], places[1], self._replaced, self.texts, self.fillers)

    def candidates(self, first: int, last: int) -> dict[int, list[Evidence]]:
        """The candidates of the sentences with some whose places are ``first`` and up, before ``last``, by number."""
        derived = derive(self._asking, self._replaced, self._commuting, first, last)
        return self._evidence(derived, self._replaced)

    def clear_pairs(self) -> Iterator[tuple[int, str, str]]:
        """The pairs of B and B' in which some filler of B has a clear place: place of the pair, and the texts."""
        places = np.unique(self._replaced.pair[self._replaced.start >= 0])
        sentences, rewordings = self._pairs.sentence[places].tolist(), self._pairs.rewording[places].tolist()
        for place, sentence, rewording in zip(places.tolist(), sentences, rewordings, strict=True):
            yield place, self.texts[sentence], self.texts[rewording]

    def lone_candidates(self, pairs: Sequence[int]) -> Iterator[dict[int, list[Evidence]]]:
        """What is derived through these pairs of B and B', by place, where the filler of B has a clear place and stands
        with that of the seed in no other context; by the number of the seed, some thousands at a time, ascending."""
        chosen = (self._replaced.start >= 0) & np.isin(self._replaced.pair, np.array(pairs, dtype=np.int64))
        replaced, asking = self._replaced[chosen], self._asking.within(chosen)
        for first in range(0, len(self.sentences), _SENTENCES_AT_ONCE):
            derived = derive_lone(asking, replaced, self._commuting, first, first + _SENTENCES_AT_ONCE)
            if len(derived.seed):
                yield self._evidence(derived, replaced)

    def _evidence(self, derived: Derivations, replaced: Replaced) -> dict[int, list[Evidence]]:
        found = candidates_of_many(derived, replaced, self._pairs, self.texts, self.fillers)
        return {int(self.sentences[seed]): evidence for seed, evidence in found.items()}


def _is_among(numbers: I64, wanted: I64) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether each wanted number is one of ascending ones."""
    return np.asarray(np.append(numbers, -1)[np.searchsorted(numbers, wanted)] == wanted)


def _columns(connection: sqlite3.Connection, statement: str, width: int) -> list[I64]:
    """Rows of whole numbers by columns, without holding all of them as objects."""
    rows: Iterator[tuple[int, ...]] = connection.execute(statement)
    parts = [np.empty((width, 0), dtype=np.int64)]
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        numbers = np.fromiter(chain.from_iterable(part), dtype=np.int64, count=width * len(part))
        parts.append(numbers.reshape(-1, width).T)
    return [np.concatenate([part[column] for part in parts]) for column in range(width)]


def _numbered(rows: Iterator[tuple[int, str]]) -> tuple[I64, list[str]]:
    """Texts and their numbers."""
    numbers, texts = array("q"), []
    for number, text in rows:
        numbers.append(number)
        texts.append(text)
    return np.array(numbers, dtype=np.int64), texts
