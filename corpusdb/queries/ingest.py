"""Import: aligned units from files into sentences, occurrences and translations."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations, islice
from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.formats import Record, Rejected, Source
from corpusdb.model import ImportReport, Progress
from corpusdb.queries import Job
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.text import normalise

__all__ = ["CheckedSource", "check_source", "import_source"]

_BATCH = 5000
_SECONDS_PER_TRANSACTION = 0.5
_SHOWN_LINES = 10
_KNOWN_SENTENCES = 50_000


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """Files that were read once from end to end and found usable."""

    source: Source
    digest: str
    """SHA-256 of the files and of how they are read."""
    records: int
    rejected: int
    first_rejected: tuple[tuple[str, int, str], ...]


def check_source(source: Source) -> Job[CheckedSource]:
    """Read the files once without storing anything, so that bad input is refused before the database is touched.

    Raises InputError with file and line.
    """
    records, rejected = 0, 0
    first: list[tuple[str, int, str]] = []
    for number, item in enumerate(source.items()):
        if isinstance(item, Rejected):
            rejected += 1
            if len(first) < _SHOWN_LINES:
                first.append((str(source.paths[0]), item.line, item.reason))
        else:
            records += 1
        if number % 50_000 == 0:
            yield Progress("checking lines", number, 0)
    if not records:
        raise InputError(
            "holds no aligned text" + (f" ({rejected} lines rejected)" if rejected else ""), path=source.paths[0]
        )
    reading = json.dumps([source.digest(), source.languages, repr(getattr(source, "options", ""))])
    return CheckedSource(source, hashlib.sha256(reading.encode()).hexdigest(), records, rejected, tuple(first))


@dataclass(slots=True)
class _Counts:
    """What one document has given so far; kept in its row, so that a resumed import counts on."""

    read: int = 0
    sentences: int = 0
    translations: int = 0
    duplicates: int = 0
    rejected: int = 0


@dataclass(slots=True)
class _Import:
    """One document on its way into the database."""

    store: Store
    document: int
    collection: int
    run: Run
    parameters: dict[str, object]
    """Of the run."""
    languages: tuple[str, ...]
    counts: _Counts
    known: dict[tuple[str, str], int] = field(default_factory=dict)
    """Ids of sentences met lately."""
    first_duplicates: list[int] = field(default_factory=list)
    """The first lines with a pair that was there already."""


def import_source(
    store: Store, checked: CheckedSource, collection: str, licence: str | None = None
) -> Job[ImportReport]:
    """Store one checked source in a collection.

    The same files read the same way add nothing the second time. Each transaction takes about half a second; after an
    interruption the same call goes on behind the last one.
    """
    begun = time.monotonic()
    name = ", ".join(path.name if path != Path("-") else "stdin" for path in checked.source.paths)
    with store.write() as connection:
        document = _document(connection, collection, licence, checked.digest)
        if document and document.complete:
            report = ImportReport(
                checked.records, 0, 0, 0, checked.rejected, time.monotonic() - begun, unchanged=(name,)
            )
            return report
        parameters: dict[str, object] = {"collection": collection, "digest": checked.digest, "document": name}
        if document is None:
            run = start_run(store, "import", parameters)
            document = _new_document(connection, collection, name, checked, run.id)
    run = Run(document.run, "import", resumed=document.lines_done > 0)
    task = _Import(store, document.id, document.collection, run, parameters, checked.source.languages, document.counts)
    done, total = document.lines_done, checked.records + checked.rejected
    items = (item for item in checked.source.items() if item.line > done)
    yield Progress("importing lines", task.counts.read + task.counts.rejected, total)
    with store.unchecked_references():
        while _store_some(task, items):
            yield Progress("importing lines", task.counts.read + task.counts.rejected, total)
    with store.write() as connection:
        connection.execute(_COMPLETE, (document.id,))
        finish_run(store, task.run, asdict(task.counts))
    file = str(checked.source.paths[0])
    return ImportReport(
        **asdict(task.counts),
        seconds=time.monotonic() - begun,
        first_rejected=checked.first_rejected,
        first_duplicates=tuple((file, line) for line in task.first_duplicates),
    )


_COMPLETE = "update document set complete = 1 where id = ?"
_COLLECTION = """
insert into collection (name, licence) values (?, ?)
on conflict (name) do update set licence = coalesce(excluded.licence, licence)
"""
_DOCUMENT = """
select document.id, document.collection, document.lines_done, document.complete, document.counts, document.run
from document join collection on collection.id = document.collection where collection.name = ? and digest = ?
"""
_NEW_DOCUMENT = """
insert into document (collection, name, digest, languages, run)
select id, ?, ?, ?, ? from collection where name = ? returning id, collection
"""


@dataclass(frozen=True, slots=True)
class _Document:
    id: int
    collection: int
    lines_done: int
    complete: bool
    counts: _Counts
    run: int


def _document(connection: sqlite3.Connection, collection: str, licence: str | None, digest: str) -> _Document | None:
    connection.execute(_COLLECTION, (collection, licence))
    row = connection.execute(_DOCUMENT, (collection, digest)).fetchone()
    return (
        None if row is None else _Document(row[0], row[1], row[2], bool(row[3]), _Counts(**json.loads(row[4])), row[5])
    )


def _new_document(
    connection: sqlite3.Connection, collection: str, name: str, checked: CheckedSource, run: int
) -> _Document:
    languages = ",".join(checked.source.languages)
    row = connection.execute(_NEW_DOCUMENT, (name, checked.digest, languages, run, collection)).fetchone()
    return _Document(row[0], row[1], 0, False, _Counts(), run)


_OCCURRENCE = "insert or ignore into occurrence (document, line, sentence, original) values (?, ?, ?, ?)"
_TRANSLATION = "insert or ignore into translation (sentence, translation, collection, run) values (?, ?, ?, ?)"
_PROGRESS = "update document set lines_done = ?, counts = ? where id = ?"


def _store_some(task: _Import, items: Iterator[Record | Rejected]) -> bool:
    """Store units for about half a second in one transaction; False when there are no more."""
    limit = time.monotonic() + _SECONDS_PER_TRANSACTION
    with task.store.write() as connection:
        _take_newest_run(task, connection)
        while batch := list(islice(items, _BATCH)):
            _store_batch(task, connection, batch)
            if time.monotonic() > limit:
                break
        else:
            return False
    return True


_NEWEST_RUN = "select max(id) from run"
_RUN = "update document set run = ? where id = ?"


def _take_newest_run(task: _Import, connection: sqlite3.Connection) -> None:
    """Give what follows a run of its own where another was begun since, which may have looked at all of this one's."""
    if connection.execute(_NEWEST_RUN).fetchone()[0] != task.run.id:
        finish_run(task.store, task.run, asdict(task.counts))
        task.run = start_run(task.store, "import", task.parameters)
        connection.execute(_RUN, (task.run.id, task.document))


def _store_batch(task: _Import, connection: sqlite3.Connection, batch: Sequence[Record | Rejected]) -> None:
    occurrences: list[tuple[int, int, int, str | None]] = []
    pairs: list[tuple[int, int, int]] = []
    for item in batch:
        if isinstance(item, Rejected):
            task.counts.rejected += 1
            continue
        task.counts.read += 1
        members = []
        for language, text in zip(item.languages or task.languages, item.texts, strict=True):
            if text:
                stored = normalise(text)
                sentence = _sentence(task, connection, language, stored)
                occurrences.append((task.document, item.line, sentence, None if stored == text else text))
                members.append(sentence)
        pairs.extend((item.line, *pair) for pair in combinations(members, 2) if pair[0] != pair[1])
    connection.executemany(_OCCURRENCE, occurrences)
    _store_pairs(task, connection, pairs)
    connection.execute(_PROGRESS, (batch[-1].line, json.dumps(asdict(task.counts)), task.document))


def _store_pairs(task: _Import, connection: sqlite3.Connection, pairs: Sequence[tuple[int, int, int]]) -> None:
    """Store pairs of sentences (line, one, other) in both directions, and note those that were there."""
    back: list[tuple[int, int, int, int]] = []
    for line, one, other in pairs:
        if connection.execute(_TRANSLATION, (one, other, task.collection, task.run.id)).rowcount:
            back.append((other, one, task.collection, task.run.id))
        elif len(task.first_duplicates) < _SHOWN_LINES:
            task.first_duplicates.append(line)
    connection.executemany(_TRANSLATION, back)
    task.counts.translations += len(back)
    task.counts.duplicates += len(pairs) - len(back)


_INSERT_SENTENCE = "insert or ignore into sentence (language, text) values (?, ?)"
_FIND_SENTENCE = "select id from sentence where language = ? and text = ?"


def _sentence(task: _Import, connection: sqlite3.Connection, language: str, text: str) -> int:
    """The id of a sentence, stored now if it is new."""
    key = (language, text)
    known = task.known.get(key)
    if known is not None:
        return known
    cursor = connection.execute(_INSERT_SENTENCE, key)
    if cursor.rowcount:
        task.counts.sentences += 1
        found = int(cursor.lastrowid or 0)
    else:
        found = int(connection.execute(_FIND_SENTENCE, key).fetchone()[0])
    if len(task.known) >= _KNOWN_SENTENCES:
        task.known.clear()
    task.known[key] = found
    return found
