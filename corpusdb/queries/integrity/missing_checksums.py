"""Checksums for rows that have none, since an older corpusdb wrote them, or since the checksums were lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from itertools import groupby

from corpusdb.queries.corpus.import_checksums import add_document, add_sentences
from corpusdb.queries.integrity.checksums import document_sums, translation_sums, uncovered
from corpusdb.store import Store
from corpusdb.store.index_segments import blobs_checksum
from corpusdb.store.row_checksums import SEALED, seal_rows

__all__ = ["seal"]

_LOST: dict[str, tuple[str, ...]] = {
    "row_checksum": SEALED,
    "sentence_checksum": ("sentence",),
    "document_checksum": ("occurrence",),
    "translation_checksum": ("translation",),
    "checksum_since": (),
}
"""Which tables lost their checksums with each table of these."""
_NAMES = (*SEALED[1:], "sentence", "occurrence", "translation")
_COVERED = "insert or replace into checksum_since (name, since, against) values (?, 0, -1)"


def seal(store: Store, emptied: Iterable[str]) -> list[str]:
    """Make the checksums that are missing, in one transaction; for what, in words.

    ``emptied``: the tables of checksums that had to be rebuilt. What has a checksum keeps it.
    """
    lost = {table: _LOST[table] for table in emptied if table in _LOST}
    names = sorted({*uncovered(store.connection), *(name for tables in lost.values() for name in tables)})
    done = [f"made checksums of the rows of {', '.join(names)} as they are now"] if names else []
    with store.write() as connection:
        for name in names:
            _SEALERS.get(name, lambda connection, name=name: seal_rows(connection, name))(connection)
        for name in _NAMES if "checksum_since" in lost else (name for name in names if name in _NAMES):
            connection.execute(_COVERED, (name,))
        if _seal_segments(connection):
            done.append("made checksums of segments")
    return done


_UNSEALED_SENTENCES = """
select id, language, text from sentence not indexed
where not exists (select 1 from sentence_checksum where id between first and last) order by id
"""
_SENTENCES_AT_ONCE = 5_000


def _seal_sentences(connection: sqlite3.Connection) -> None:
    rows = connection.execute(_UNSEALED_SENTENCES).fetchall()
    for _, group in groupby(enumerate(rows), key=lambda numbered: numbered[1][0] - numbered[0]):
        gapless = [row for _, row in group]
        for place in range(0, len(gapless), _SENTENCES_AT_ONCE):
            batch = gapless[place : place + _SENTENCES_AT_ONCE]
            add_sentences(connection, batch[0][0], [row[1:] for row in batch])


_UNSEALED_DOCUMENTS = """
select id from document where not exists (select 1 from document_checksum where document = document.id) order by id
"""
_SUMS = "update document_checksum set occurrences = ?, units = ?, versions = ?, sections = ? where document = ?"


def _seal_documents(connection: sqlite3.Connection) -> None:
    documents = [row[0] for row in connection.execute(_UNSEALED_DOCUMENTS)]
    sums = document_sums(connection)
    for document in documents:
        add_document(connection, document)
        connection.execute(_SUMS, (*(part.get(document, 0) for part in sums.values()), document))


_SINCE = "select coalesce((select since from checksum_since where name = 'translation'), 0)"
_HAS = "select exists (select 1 from translation_checksum where collection = ? and run = ?)"
_TRANSLATIONS = "insert or replace into translation_checksum (collection, run, checksum) values (?, ?, ?)"


def _seal_translations(connection: sqlite3.Connection) -> None:
    (since,) = connection.execute(_SINCE).fetchone()
    for place, (there, _) in translation_sums(connection).items():
        if place[1] <= since or not connection.execute(_HAS, place).fetchone()[0]:
            connection.execute(_TRANSLATIONS, (*place, there))


_SEALERS: dict[str, Callable[[sqlite3.Connection], None]] = {
    "sentence": _seal_sentences,
    "occurrence": _seal_documents,
    "translation": _seal_translations,
}
_SEGMENTS = {
    "select id, text, sentences, suffixes from ngram_segment where checksum is null": (
        "update ngram_segment set checksum = ? where id = ?"
    ),
    "select id, sentences, lengths, tokens from token_segment where stream_checksum is null": (
        "update token_segment set stream_checksum = ? where id = ?"
    ),
    "select id, sentences, text from token_segment where text_checksum is null": (
        "update token_segment set text_checksum = ? where id = ?"
    ),
}


def _seal_segments(connection: sqlite3.Connection) -> bool:
    sealed = False
    for statement, update in _SEGMENTS.items():
        for number, *blobs in connection.execute(statement).fetchall():
            connection.execute(update, (blobs_checksum(*blobs), number))
            sealed = True
    return sealed
