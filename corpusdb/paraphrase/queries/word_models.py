"""The word model of a language: kept with the validity that it is made with, and what it says of paraphrases."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from corpusdb.base.errors import DatabaseDamaged
from corpusdb.corpus.store import Run, Store, layer_state
from corpusdb.corpus.store.runs import blobs_checksum, checked_blobs
from corpusdb.paraphrase.word_model import WordModel

_COMPRESSION: Final = 4

_DELETE = "delete from word_model where language = ?"
_INSERT = "insert into word_model (language, sentences, model, checksum, run) values (?, ?, ?, ?, ?)"


def store_word_model(connection: sqlite3.Connection, language: str, packed: bytes | None, run: Run) -> None:
    """Store a packed model in place of the one there is, or none; in a transaction of the caller."""
    connection.execute(_DELETE, (language,))
    if packed is not None:
        blob, sentences = zlib.compress(packed, _COMPRESSION), WordModel.unpacked(packed).sizes[0]
        connection.execute(_INSERT, (language, sentences, blob, blobs_checksum(packed), run.id))


_MODEL = "select model, checksum from word_model where language = ?"


def load_word_model(store: Store, language: str) -> WordModel | None:
    """The model of a language; None where there is none. Raises DatabaseDamaged.

    Read once for all who hold it at a time, in some tenths of a second; in memory it takes about 40 bytes an n-gram.
    """
    held = _held.setdefault(store, WeakValueDictionary())
    key = language, repr(layer_state(store, language, "validity"))
    found = held.get(key)
    if found is None and (row := store.connection.execute(_MODEL, (language,)).fetchone()) is not None:
        found = held[key] = WordModel.unpacked(_unpacked(language, *row))
    return found


_held: WeakKeyDictionary[Store, WeakValueDictionary[tuple[str, str], WordModel]] = WeakKeyDictionary()


def _unpacked(language: str, blob: bytes, checksum: int) -> bytes:
    what = f"word model of {language}"
    try:
        packed = zlib.decompress(blob)
    except zlib.error as error:
        raise DatabaseDamaged(f"the {what} is damaged; `corpusdb check --repair` makes it anew") from error
    checked_blobs(f"numbers of the {what}", checksum, packed)
    return packed


_MODELS = "select language, model, checksum from word_model order by language"


def wrong_word_models(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the stored models, in words."""
    problems = []
    for row in connection.execute(_MODELS):
        try:
            _unpacked(*row)
        except DatabaseDamaged:
            problems.append(f"the word model of {row[0]} is not the one that was written")
    return problems
