"""Rows made again and compared: checksums of what people and imports gave, and derived layers rebuilt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np

from corpusdb.base.errors import CorpusError, DatabaseDamaged
from corpusdb.base.jobs import Job
from corpusdb.chain.queries.layers import DerivedLayer, DerivedTable, begun_languages, derived_layers, with_needed
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.queries.storing import (
    add_document,
    add_sentences,
    copy_corpus,
    occurrences_checksum,
    pairs_checksum,
    rows_checksum,
    scratch_store,
    sentences_checksum,
    streamed,
)
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.row_checksums import CHECKSUM_BITS, LEDGER, SEALED, seal_rows, sealed_keys
from corpusdb.corpus.store.runs import blobs_checksum, exclusive

# Are the rows that people and imports gave those that were written: their checksums made again and compared.

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


_KEPT = "select row, checksum from row_checksum where name = ?"
_STRANGERS = "select count(*) from row_checksum where name not in (select value from json_each(?))"


def wrong_rows(connection: sqlite3.Connection) -> Found:
    """Rows that are not as they were written, are missing, or were added by another program."""
    problems = []
    for table in SEALED:
        kept = dict(connection.execute(_KEPT, (table,)))
        changed, added = [], []
        with _any_bytes(connection):
            for key, checksum in sealed_keys(connection, table):
                if key not in kept:
                    if table != LEDGER:
                        added.append(key)
                elif kept.pop(key) != checksum:
                    changed.append(key)
        problems += _problem(table, "not as it was written", changed)
        problems += _problem(table, "one that corpusdb did not write", added)
        problems += _problem(table, "missing", list(kept))
    names = ", ".join(f'"{table}"' for table in SEALED)
    (strangers,) = connection.execute(_STRANGERS, (f"[{names}]",)).fetchone()
    return [*problems, *([f"{strangers} checksums are of rows of no table"] if strangers else [])]


def _problem(table: str, what: str, rows: Sequence[object]) -> Found:
    if not rows:
        return []
    shown = ", ".join(map(str, rows[:_SHOWN])) + (", ..." if len(rows) > _SHOWN else "")
    return [f"row {shown} of {table} is {what}" if len(rows) == 1 else f"rows {shown} of {table} are {what}"]


_RANGES = "select first, last, checksum from sentence_checksum order by first"
_SENTENCES = "select id, language, text from sentence not indexed order by id"


def wrong_sentences(connection: sqlite3.Connection) -> Found:
    ranges = connection.execute(_RANGES).fetchall()
    problems, place = Found(), 0
    rows: list[tuple[str, str]] = []
    strangers: list[int] = []
    with _any_bytes(connection):
        for number, language, text in connection.execute(_SENTENCES):
            while place < len(ranges) and number > ranges[place][1]:
                problems += _wrong_range(ranges[place], rows)
                place, rows = place + 1, []
            if place < len(ranges) and number >= ranges[place][0]:
                rows.append((language, text))
            else:
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
    problems = Found()
    sums = {row[0]: dict(zip(_PARTS, row[1:], strict=True)) for row in connection.execute(_SUMS)}
    known = {row[0] for row in connection.execute(_DOCUMENTS)}
    for part, counted in document_sums(connection).items():
        wrong = [
            document
            for document in sorted(counted.keys() | sums.keys() | known)
            if counted.get(document, 0) != sums.get(document, {}).get(part, 0)
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
    while batch := list(islice(rows, _AT_ONCE)):
        if part == "occurrences":
            total += occurrences_checksum(batch)
        elif part == "sections":
            total += rows_checksum([(row[1], row[0], *row[2:]) for row in batch])
        else:
            total += rows_checksum(batch)
    return total & CHECKSUM_BITS


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
    counted = translation_sums(connection)
    kept = {(row[0], row[1]): row[2] for row in connection.execute(_TRANSLATION_SUMS)}
    return [
        f"the translations of run {run} in collection {collection} are not those that were stored"
        for collection, run in sorted({*counted, *kept})
        if counted.get((collection, run), (0, 0)) != (kept.get((collection, run), 0),) * 2
    ]


# Checksums for rows that have none, since the checksums were lost.

_LOST: dict[str, tuple[str, ...]] = {
    "row_checksum": SEALED,
    "sentence_checksum": ("sentence",),
    "document_checksum": ("occurrence",),
    "translation_checksum": ("translation",),
}
"""Which tables lost their checksums with each table of these."""


def seal(store: Store, emptied: Iterable[str]) -> list[str]:
    """Make the checksums that are missing, in one transaction; for what, in words.

    ``emptied``: the tables of checksums that had to be rebuilt. What has a checksum keeps it.
    """
    names = sorted({name for table in emptied for name in _LOST.get(table, ())})
    done = [f"made checksums of the rows of {', '.join(names)} as they are now"] if names else []
    with store.write() as connection:
        for name in names:
            _SEALERS.get(name, lambda connection, name=name: seal_rows(connection, name))(connection)
        if _seal_segments(connection):
            done.append("made checksums of segments")
    return done


_UNSEALED_SENTENCES = """
select id, language, text from sentence not indexed
where not exists (select 1 from sentence_checksum where id between first and last) order by id
"""
_SENTENCES_AT_ONCE = 5_000


def _seal_sentences(connection: sqlite3.Connection) -> None:
    _seal_gapless(connection, connection.execute(_UNSEALED_SENTENCES).fetchall())


_OVER = "select first, last from sentence_checksum where last >= ? and first <= ?"
_DROP_RANGE = "delete from sentence_checksum where first = ?"
_BETWEEN = "select id, language, text from sentence not indexed where id between ? and ? order by id"


def reseal_sentences(connection: sqlite3.Connection, deleted: Sequence[int]) -> None:
    """Make the checksums of the sentences that are left among some that were just deleted, which ascend."""
    numbers = np.array(deleted, dtype=np.int64)
    for first, last in connection.execute(_OVER, (deleted[0], deleted[-1])).fetchall() if deleted else ():
        if np.searchsorted(numbers, first) < np.searchsorted(numbers, last, side="right"):
            connection.execute(_DROP_RANGE, (first,))
            _seal_gapless(connection, connection.execute(_BETWEEN, (first, last)).fetchall())


def _seal_gapless(connection: sqlite3.Connection, rows: Sequence[tuple[int, str, str]]) -> None:
    for _, group in groupby(enumerate(rows), key=lambda numbered: numbered[1][0] - numbered[0]):
        gapless = [row for _, row in group]
        for place in range(0, len(gapless), _SENTENCES_AT_ONCE):
            batch = gapless[place : place + _SENTENCES_AT_ONCE]
            add_sentences(connection, batch[0][0], [row[1:] for row in batch])


_UNSEALED_DOCUMENTS = """
select id from document where not exists (select 1 from document_checksum where document = document.id) order by id
"""
_MISSING_SUMS = "update document_checksum set occurrences = ?, units = ?, versions = ?, sections = ? where document = ?"


def _seal_documents(connection: sqlite3.Connection) -> None:
    documents = [row[0] for row in connection.execute(_UNSEALED_DOCUMENTS)]
    sums = document_sums(connection)
    for document in documents:
        add_document(connection, document)
        connection.execute(_MISSING_SUMS, (*(part.get(document, 0) for part in sums.values()), document))


_HAS = "select exists (select 1 from translation_checksum where collection = ? and run = ?)"
_MISSING_TRANSLATIONS = "insert or replace into translation_checksum (collection, run, checksum) values (?, ?, ?)"


def _seal_translations(connection: sqlite3.Connection) -> None:
    for place, (there, _) in translation_sums(connection).items():
        if not connection.execute(_HAS, place).fetchone()[0]:
            connection.execute(_MISSING_TRANSLATIONS, (*place, there))


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


# Are the derived layers those that the corpus gives: they are rebuilt in another file, and compared row by row.


def wrong_layers(store: Store) -> Job[list[str]]:
    """What is wrong with the rows of the derived layers of each language.

    Inside a snapshot of the caller. Layers that are still being made, or were made by other rules, are left out.
    """
    problems = _wrong_runs(store)
    for language in sorted({*languages_of(store), *begun_languages(store)}):
        try:
            problems += yield from wrong_language(store, language)
        except (DatabaseDamaged, sqlite3.DatabaseError):
            raise
        except (CorpusError, ValueError, LookupError, TypeError, ArithmeticError) as error:
            problems.append(f"what the corpus gives in {language} cannot be made: {error}")
    return problems


def made_by_other_rules(store: Store) -> list[str]:
    """The languages in which something was derived by a version of corpusdb that derived it in another way."""
    return [
        language
        for language in begun_languages(store)
        if any(
            (state := layer_state(store, language, layer.name)) and not layer.is_current(state)
            for layer in derived_layers()
        )
    ]


@dataclass(frozen=True, slots=True)
class _Moment:
    """What of the corpus a layer was made from: sentences up to an id, and translations of runs up to one."""

    last_sentence: int = 2**62
    last_run: int = 2**62


_WHOLE_CORPUS = _Moment()


def _moments(store: Store, language: str) -> dict[_Moment, list[DerivedLayer]]:
    """The layers of a language that can be compared, by what they were made from.

    A layer that is up to date, and all that it needs with it, is taken to be made from all that there is, so that most
    often everything is rebuilt once.
    """
    moments: dict[_Moment, list[DerivedLayer]] = {}
    of_layer: dict[str, _Moment] = {}
    for layer in derived_layers():
        state = layer_state(store, language, layer.name)
        if state is None or not state.complete or not layer.is_current(state) or not of_layer.keys() >= {*layer.needs}:
            continue
        state = layer.made_from(store, language, state)
        in_step = all(of_layer[name] == _WHOLE_CORPUS for name in layer.needs)
        if in_step and layer.behind is not None and layer.behind(store, language, state) == 0:
            of_layer[layer.name] = _WHOLE_CORPUS
        else:
            of_layer[layer.name] = _Moment(state.last_sentence, state.last_run)
        moments.setdefault(of_layer[layer.name], []).append(layer)
    return moments


def wrong_language(store: Store, language: str, names: Collection[str] | None = None) -> Job[list[str]]:
    """What is wrong with the rows of the derived layers of one language, or of those of these names.

    Inside a snapshot of the caller. What is left out is as in ``wrong_layers``.
    """
    problems: list[str] = []
    for moment, layers in _moments(store, language).items():
        wanted = [layer for layer in layers if names is None or layer.name in names]
        tables = [table for layer in wanted for table in layer.tables if table.rows is not None]
        if not tables:
            continue
        needed = with_needed({layer.name for layer in layers if any(table in tables for table in layer.tables)})
        with scratch_store() as scratch:
            bound = {"language": language, "last": moment.last_sentence, "run": moment.last_run}
            yield from copy_corpus(store, scratch, _ALL_SENTENCES, _ALL_TRANSLATIONS, bound)
            yield from _stored(store, scratch, tables)
            requests = {layer.name: layer.requests(store.connection, language) for layer in needed}
            yield from _rebuilt(scratch, language, requests)
            problems += _differences(scratch, language, tables)
    return problems


@exclusive("check")
def _rebuilt(scratch: Store, language: str, requests: Mapping[str, Mapping[str, Any]]) -> Job[None]:
    """Make these layers in a database that has what they are made from."""
    for layer in derived_layers():
        if layer.name in requests:
            yield from layer.make(scratch, language, requests[layer.name])


# What a language is made from, with the sentences that are translations of its own.
_ALL_SENTENCES = """
select id, language, text from sentence
where language <> :language or id <= :last
"""
_ALL_TRANSLATIONS = """
select translation.* from translation not indexed
where run <= :run and (
    sentence in (select id from sentence where language = :language)
    or translation in (select id from sentence where language = :language))
"""


_ATTACH = "attach database ? as stored"
_NOT_DURABLE = "pragma stored.synchronous = off"
_CREATE = "create table stored.{table} as select * from main.{table} where false"
_ALL_ROWS = "select * from {table} not indexed"
_INDEX = "create index stored.{table}_id on {table} (id)"


def _stored(store: Store, scratch: Store, tables: Iterable[DerivedTable]) -> Job[None]:
    """The derived rows that there are, beside those that are to be rebuilt, as the schema ``stored``."""
    connection = scratch.connection
    connection.execute(_ATTACH, (str(scratch.path.with_name("stored.db")),))
    connection.execute(_NOT_DURABLE)
    wanted = {table.name: table for layer in derived_layers() for table in layer.tables if table.joined}
    wanted |= {table.name: table for table in tables}
    with scratch.write():
        for name, table in wanted.items():
            connection.execute(_CREATE.format(table=name))
            yield from streamed(store, connection, f"stored.{name}", _ALL_ROWS.format(table=name), {})
            if table.joined:
                connection.execute(_INDEX.format(table=name))


_ONLY = "select *, count(*) over () from (select * from ({one}) except select * from ({other})) limit :shown"
_COUNT = "select (select count(*) from ({one})) - (select count(*) from ({other}))"


def _differences(scratch: Store, language: str, tables: Sequence[DerivedTable]) -> list[str]:
    problems = []
    for table in tables:
        made, stored = (str(table.rows).format(of=of) for of in ("main", "stored"))
        bound = {"language": language, "shown": _SHOWN}
        wrong, first = _only(scratch, stored, made, bound)
        missing, first_missing = _only(scratch, made, stored, bound)
        if wrong:
            problems.append(
                f"{wrong} rows of {table.name} in {language} are not what the corpus gives, such as {first}"
            )
        if missing:
            problems.append(
                f"{missing} rows of {table.name} in {language} are missing or changed, such as {first_missing}"
            )
        if not wrong and not missing:
            (twice,) = scratch.connection.execute(_COUNT.format(one=stored, other=made), bound).fetchone()
            if twice:
                problems.append(f"{twice} rows of {table.name} in {language} appear twice")
    return problems


def _only(scratch: Store, one: str, other: str, bound: dict[str, object]) -> tuple[int, str]:
    """How many rows only the first query has, and some of them in words."""
    rows = scratch.connection.execute(_ONLY.format(one=one, other=other), bound).fetchall()
    return (rows[0][-1], "; ".join(str(row[:-1]) for row in rows)) if rows else (0, "")


_WRONG_RUNS = """
select count(*) from {table} left join run on run.id = {table}.run
where run.operation is null or run.operation not in (select value from json_each(?))
"""


def _wrong_runs(store: Store) -> list[str]:
    """Rows that name a run that makes no such rows."""
    problems = []
    for table in (table for layer in derived_layers() for table in layer.tables if table.made_by):
        names = json.dumps(table.made_by)
        (count,) = store.connection.execute(_WRONG_RUNS.format(table=table.name), (names,)).fetchone()
        if count:
            problems.append(f"{count} rows of {table.name} are of a run that makes none")
    return problems
