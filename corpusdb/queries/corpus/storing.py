"""Storing a sentence, and pairs of sentences that translate each other; inside a transaction of the caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from corpusdb.queries.corpus.import_checksums import add_translations

__all__ = ["store_pairs", "store_sentence"]

_INSERT_SENTENCE = "insert or ignore into sentence (language, text) values (?, ?)"
_FIND_SENTENCE = "select id from sentence where language = ? and text = ?"


def store_sentence(connection: sqlite3.Connection, language: str, text: str) -> tuple[int, bool]:
    """The number of a normalised sentence, and whether it is new; its checksum is left to the caller."""
    cursor = connection.execute(_INSERT_SENTENCE, (language, text))
    if cursor.rowcount:
        return int(cursor.lastrowid or 0), True
    return int(connection.execute(_FIND_SENTENCE, (language, text)).fetchone()[0]), False


_TRANSLATION = "insert or ignore into translation (sentence, translation, collection, run) values (?, ?, ?, ?)"


def store_pairs(
    connection: sqlite3.Connection, collection: int, run: int, pairs: Iterable[tuple[int, int]]
) -> list[int]:
    """Store pairs of sentences in both directions with their checksum; the places, from 0, of those that were there."""
    back: list[tuple[int, int, int, int]] = []
    duplicates = []
    for place, (one, other) in enumerate(pairs):
        # The smaller first: the same pair may come the other way round before the way back is stored.
        if one > other:
            one, other = other, one
        if connection.execute(_TRANSLATION, (one, other, collection, run)).rowcount:
            back.append((other, one, collection, run))
        else:
            duplicates.append(place)
    connection.executemany(_TRANSLATION, back)
    add_translations(connection, (collection, run), [row[1] for row in back], [row[0] for row in back])
    return duplicates
