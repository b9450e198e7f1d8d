"""The rows that the exchanges of a language are summed up from: who shares translations, and the slots."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from corpusdb.arrays import I64
from corpusdb.exchange.exchange_index import Sharing, Slots
from corpusdb.exchange.sharing import BUCKETS, Links, SharedTranslations, measured_recalls
from corpusdb.pivot.detection import MAX_SHARING
from corpusdb.queries.corpus.sentences import languages_of, sentences_after
from corpusdb.store import Store

__all__ = ["load_sharing", "load_slots", "sharing_among"]

_LINKS = """
select distinct own.id, code.key, translation.translation
from sentence own
cross join translation on translation.sentence = own.id
cross join sentence other on other.id = translation.translation
cross join json_each(:languages) code on code.value = other.language
where own.language = :language
"""
_SLOTS = """
select slot.context, slot.filler, slot.sentence
from context cross join slot on slot.context = context.id
where context.language = ? order by slot.context, slot.filler
"""
_ROWS_AT_ONCE = 100_000


def load_sharing(store: Store, language: str, sentences: I64) -> Sharing:
    """``sentences`` are the numbers of all sentences of the language, ascending: theirs are the places in arrays."""
    languages = tuple(each for each in languages_of(store) if each != language)
    bound = {"language": language, "languages": json.dumps(languages)}
    shared = _shared(store.connection.execute(_LINKS, bound), len(languages), sentences)
    return Sharing(languages, shared, measured_recalls(shared))


def _shared(rows: Iterator[tuple[int, int, int]], languages: int, sentences: I64) -> SharedTranslations:
    """By rows of sentence, number of the language of its translation, and translation."""
    own, language, pivot = _columns(rows, 3)
    links = Links(np.searchsorted(sentences, own), language, pivot)
    return SharedTranslations.of(links, len(sentences), languages, MAX_SHARING)


# With all sentences of their translations, so that one which too many have is known here too.
_LINKS_AMONG = """
select distinct own.id, code.key, known.translation
from (select distinct translation.translation from json_each(:sentences) wanted
      cross join translation on translation.sentence = wanted.value) known
cross join sentence other on other.id = known.translation
cross join json_each(:languages) code on code.value = other.language
cross join translation back on back.sentence = known.translation
cross join sentence own on own.id = back.translation and own.language = :language
"""
_RECALLS = """
select json_extract(run.parameters, '$.recalls') from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity' and layer.complete
"""


def sharing_among(store: Store, language: str, wanted: I64) -> tuple[I64, Sharing]:
    """The translations of some sentences: their numbers with those of others that share them, ascending, and theirs.

    The recalls are those that the layer of validity was made with, or else they are measured in the whole corpus.
    """
    languages = tuple(each for each in languages_of(store) if each != language)
    bound = {
        "language": language,
        "languages": json.dumps(languages),
        "sentences": json.dumps(np.unique(wanted).tolist()),
    }
    rows = store.connection.execute(_LINKS_AMONG, bound).fetchall()
    sentences = np.unique(np.concatenate([wanted, np.array([own for own, *_ in rows], dtype=np.int64)]))
    row = store.connection.execute(_RECALLS, (language,)).fetchone()
    stored = json.loads(row[0]) if row and row[0] else {}
    if all(each in stored for each in languages):
        recalls = np.array([stored[each] for each in languages]).reshape(-1, BUCKETS)
    else:
        everything = np.array([number for number, _ in sentences_after(store, language, 0)], dtype=np.int64)
        recalls = load_sharing(store, language, everything).recalls
    return sentences, Sharing(languages, _shared(iter(rows), len(languages), sentences), recalls)


def load_slots(store: Store, language: str, sentences: I64) -> Slots:
    """The slots of the commutation index."""
    context, filler, sentence = _columns(store.connection.execute(_SLOTS, (language,)), 3)
    return Slots(context, filler, np.searchsorted(sentences, sentence))


def _columns(rows: Iterator[tuple[int, ...]], width: int) -> list[I64]:
    """Whole numbers by columns, without holding all rows as objects."""
    parts = [np.empty((0, width), dtype=np.int64)]
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        numbers = np.fromiter(chain.from_iterable(part), dtype=np.int64, count=width * len(part))
        parts.append(numbers.reshape(-1, width))
    return [np.ascontiguousarray(column) for column in np.concatenate(parts).T]
