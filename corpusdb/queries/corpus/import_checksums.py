"""Checksums of what imports gave, by the million: sums that are added to with each batch, in its transaction.

The rows of a document or a run are summed whatever their order, so that they are recounted in whichever is fastest.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.ngrams.fingerprints import combined, mixed
from corpusdb.store.row_checksums import CHECKSUM_BITS

__all__ = [
    "Occurrence",
    "add_document",
    "add_sentences",
    "add_to_document",
    "add_translations",
    "occurrences_checksum",
    "pairs_checksum",
    "rows_checksum",
    "sentences_checksum",
]

Occurrence: TypeAlias = tuple[int, int, int, str | None]
"""Document, line, sentence, original, as in the table."""

_BITS = np.uint64(CHECKSUM_BITS)


def sentences_checksum(rows: Iterable[tuple[str, str]]) -> int:
    """Of the languages and texts of sentences, in the order of their ids."""
    joined = "\n".join(chain.from_iterable(rows)).encode("utf-8", "surrogateescape")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), "little") & CHECKSUM_BITS


def occurrences_checksum(rows: Sequence[Occurrence]) -> int:
    """Of occurrences of one document, in any order."""
    line = np.fromiter(map(itemgetter(1), rows), np.int64, len(rows)).view(np.uint64)
    sentence = np.fromiter(map(itemgetter(2), rows), np.int64, len(rows)).view(np.uint64)
    sums = combined(line, sentence)
    changed = [(place, row[3]) for place, row in enumerate(rows) if row[3] is not None]
    if changed:
        places = np.array([place for place, _ in changed])
        sums[places] = combined(sums[places], _of_texts([original for _, original in changed]))
    return _summed(sums)


def pairs_checksum(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> int:
    """Of pairs of sentences, in any order of the pairs; the smaller number of each first."""
    return _summed(combined(one.view(np.uint64), other.view(np.uint64)))


def rows_checksum(rows: Sequence[Sequence[object]]) -> int:
    """Of rows of numbers, short texts and nulls, in any order."""
    return _summed(mixed(_of_texts(["\x1f".join(map(_told, row)) for row in rows]))) if rows else 0


def _told(value: object) -> str:
    return "\x1e" if value is None else str(value)


def _of_texts(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """A checksum of each text: CRC-32 from both ends of it, since one is too short for millions of them."""
    encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
    return np.array([zlib.crc32(each) << 32 | zlib.crc32(each, 1 << 31) for each in encoded], dtype=np.uint64)


def _summed(values: npt.NDArray[np.uint64]) -> int:
    return int(values.sum(dtype=np.uint64) & _BITS)


_SENTENCES = "insert into sentence_checksum (first, last, checksum) values (?, ?, ?)"


def add_sentences(connection: sqlite3.Connection, first: int, rows: Sequence[tuple[str, str]]) -> None:
    """Note the checksum of sentences that were just stored: language and text of each, numbered from ``first`` on."""
    if rows:
        connection.execute(_SENTENCES, (first, first + len(rows) - 1, sentences_checksum(rows)))


_DOCUMENT = "insert into document_checksum (document) values (?)"


def add_document(connection: sqlite3.Connection, document: int) -> None:
    """Begin with the sums of a document that has no rows yet; one that was begun without sums never gets any here."""
    connection.execute(_DOCUMENT, (document,))


_ADD = f"""
update document_checksum
set occurrences = (occurrences + ?) & {CHECKSUM_BITS}, units = (units + ?) & {CHECKSUM_BITS},
    versions = (versions + ?) & {CHECKSUM_BITS}, sections = (sections + ?) & {CHECKSUM_BITS}
where document = ?
"""


def add_to_document(
    connection: sqlite3.Connection,
    document: int,
    occurrences: Sequence[Occurrence] = (),
    parts: Sequence[Sequence[Sequence[object]]] = ((), (), ()),
) -> None:
    """Add rows that were just stored to the sums of their document; ``parts``: its units, versions and sections."""
    sums = (occurrences_checksum(occurrences), *map(rows_checksum, parts))
    connection.execute(_ADD, (*sums, document))


_TRANSLATIONS = f"""
insert into translation_checksum (collection, run, checksum) values (?, ?, ?)
on conflict (collection, run) do update set checksum = (checksum + excluded.checksum) & {CHECKSUM_BITS}
"""


def add_translations(
    connection: sqlite3.Connection, place: tuple[int, int], one: Sequence[int], other: Sequence[int]
) -> None:
    """Add pairs that were just stored in a collection by a run, ``place``; the smaller number of each in ``one``."""
    if one:
        checksum = pairs_checksum(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64))
        connection.execute(_TRANSLATIONS, (*place, checksum))
