"""Are the rows that people and imports gave those that were written: their checksums made again and compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

import numpy as np

from corpusdb.queries.corpus.import_checksums import (
    occurrences_checksum,
    pairs_checksum,
    rows_checksum,
    sentences_checksum,
)
from corpusdb.store.row_checksums import CHECKSUM_BITS, LEDGER, SEALED, sealed_keys

__all__ = [
    "Found",
    "document_sums",
    "translation_sums",
    "uncovered",
    "wrong_documents",
    "wrong_rows",
    "wrong_sentences",
    "wrong_translations",
]

Found = list[str]
"""Problems, in words."""

_SHOWN = 3
_AT_ONCE = 50_000


@contextmanager
def _any_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Texts as they stand, also those that are no UTF-8."""
    before = connection.text_factory
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before


_SINCE = "select since from checksum_since where name = ?"


def _since(connection: sqlite3.Connection, name: str) -> int:
    """Up to which number rows of a table, or those of such documents or runs, may have no checksum."""
    row = connection.execute(_SINCE, (name,)).fetchone()
    if row is None:
        raise ValueError(f"checksum_since has no row for {name}")
    return int(row[0])


_UNCOVERED = "select name from checksum_since where since > 0 order by name"


def uncovered(connection: sqlite3.Connection) -> list[str]:
    """The tables of an older database with rows that never got a checksum."""
    return [str(row[0]) for row in connection.execute(_UNCOVERED)]


_KEPT = "select row, checksum from row_checksum where name = ?"
_STRANGERS = "select count(*) from row_checksum where name not in (select value from json_each(?))"


def wrong_rows(connection: sqlite3.Connection) -> Found:
    """Rows that are not as they were written, are missing, or were added by another program."""
    problems = []
    for table in SEALED:
        kept = dict(connection.execute(_KEPT, (table,)))
        since = 0 if table == LEDGER else _since(connection, table)
        changed, added = [], []
        with _any_bytes(connection):
            for key, checksum in sealed_keys(connection, table):
                if key not in kept:
                    if table != LEDGER and not _may_lack(key, since):
                        added.append(key)
                elif kept.pop(key) != checksum:
                    changed.append(key)
        problems += _problem(table, "not as it was written", changed)
        problems += _problem(table, "one that corpusdb did not write", added)
        problems += _problem(table, "missing", list(kept))
    names = ", ".join(f'"{table}"' for table in SEALED)
    (strangers,) = connection.execute(_STRANGERS, (f"[{names}]",)).fetchone()
    return [*problems, *([f"{strangers} checksums are of rows of no table"] if strangers else [])]


def _may_lack(key: str, since: int) -> bool:
    """Whether the row is older than checksums; of what has no number that is not known."""
    return since > 0 if not key.lstrip("-").isdecimal() else int(key) <= since


def _problem(table: str, what: str, rows: Sequence[object]) -> Found:
    if not rows:
        return []
    shown = ", ".join(map(str, rows[:_SHOWN])) + (", ..." if len(rows) > _SHOWN else "")
    return [f"row {shown} of {table} is {what}" if len(rows) == 1 else f"rows {shown} of {table} are {what}"]


_RANGES = "select first, last, checksum from sentence_checksum order by first"
_SENTENCES = "select id, language, text from sentence not indexed order by id"


def wrong_sentences(connection: sqlite3.Connection) -> Found:
    """Sentences that are not those that were stored."""
    ranges = connection.execute(_RANGES).fetchall()
    since, problems, place = _since(connection, "sentence"), Found(), 0
    rows: list[tuple[str, str]] = []
    strangers: list[int] = []
    with _any_bytes(connection):
        for number, language, text in connection.execute(_SENTENCES):
            while place < len(ranges) and number > ranges[place][1]:
                problems += _wrong_range(ranges[place], rows)
                place, rows = place + 1, []
            if place < len(ranges) and number >= ranges[place][0]:
                rows.append((language, text))
            elif number > since:
                strangers.append(number)
    for each in ranges[place:]:
        problems += _wrong_range(each, rows)
        rows = []
    return problems + _problem("sentence", "one that corpusdb did not write", strangers)


def _wrong_range(place: tuple[int, int, int], rows: Sequence[tuple[str, str]]) -> Found:
    first, last, checksum = place
    if len(rows) == last - first + 1 and sentences_checksum(rows) == checksum:
        return []
    return [f"the sentences {first} to {last} are not those that were stored"]


_PARTS = {
    "occurrences": "select document, line, sentence, original from occurrence order by document",
    "units": "select document, line, section, name from unit order by document",
    "versions": "select document, line, number, sentence, role, name from version order by document",
    "sections": "select document, id, number, name, attributes from section order by document",
}
_SUMS = "select document, occurrences, units, versions, sections from document_checksum"
_DOCUMENTS = "select id from document"


def wrong_documents(connection: sqlite3.Connection) -> Found:
    """Documents whose lines, units, versions or documents inside are not those that were stored."""
    problems, since = Found(), _since(connection, "occurrence")
    sums = {row[0]: dict(zip(_PARTS, row[1:], strict=True)) for row in connection.execute(_SUMS)}
    known = {row[0] for row in connection.execute(_DOCUMENTS)}
    for part, counted in document_sums(connection).items():
        wrong = [
            document
            for document in sorted(counted.keys() | sums.keys() | known)
            if (document in sums or document > since)
            and counted.get(document, 0) != sums.get(document, {}).get(part, 0)
        ]
        problems += [f"the {part} of document {document} are not those that were stored" for document in wrong]
    return problems


def document_sums(connection: sqlite3.Connection) -> dict[str, dict[int, int]]:
    """For each part the checksum of each document that has such rows."""
    sums: dict[str, dict[int, int]] = {}
    for part, statement in _PARTS.items():
        with _any_bytes(connection):
            documents = groupby(connection.execute(statement), key=itemgetter(0))
            sums[part] = {document: _document_sum(part, rows) for document, rows in documents}
    return sums


def _document_sum(part: str, rows: Iterator[tuple[int, int, int, str | None]]) -> int:
    total = 0
    for batch in _batches(rows):
        if part == "occurrences":
            total += occurrences_checksum(batch)
        elif part == "sections":
            total += rows_checksum([(row[1], row[0], *row[2:]) for row in batch])
        else:
            total += rows_checksum(batch)
    return total & CHECKSUM_BITS


def _batches(rows: Iterator[tuple[int, int, int, str | None]]) -> Iterator[list[tuple[int, int, int, str | None]]]:
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


_TRANSLATIONS = "select sentence, translation, collection, run from translation"
_TRANSLATION_SUMS = "select collection, run, checksum from translation_checksum"


def translation_sums(connection: sqlite3.Connection) -> dict[tuple[int, int], tuple[int, int]]:
    """For each collection and run the checksums of its translations, from the smaller sentence on and back."""
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    cursor = connection.execute(_TRANSLATIONS)
    while rows := cursor.fetchmany(_AT_ONCE):
        table = np.array(rows, dtype=np.int64)
        one, other = table[:, 0], table[:, 1]
        for place in {(row[2], row[3]) for row in rows}:
            of_place = (table[:, 2] == place[0]) & (table[:, 3] == place[1])
            there, back = of_place & (one < other), of_place & (one > other)
            before = sums.get(place, (0, 0))
            added = pairs_checksum(one[there], other[there]), pairs_checksum(other[back], one[back])
            sums[place] = (before[0] + added[0]) & CHECKSUM_BITS, (before[1] + added[1]) & CHECKSUM_BITS
    return sums


def wrong_translations(connection: sqlite3.Connection) -> Found:
    """Runs whose translations are not those that they stored."""
    counted, since = translation_sums(connection), _since(connection, "translation")
    kept = {(row[0], row[1]): row[2] for row in connection.execute(_TRANSLATION_SUMS)}
    return [
        f"the translations of run {run} in collection {collection} are not those that were stored"
        for collection, run in sorted(_places(counted, kept))
        if run > since and counted.get((collection, run), (0, 0)) != (kept.get((collection, run), 0),) * 2
    ]


def _places(*tables: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    return {place for table in tables for place in table}
