"""Storing units, with checksums of what imports gave; also in a database beside that of the user."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, combinations, compress, groupby, islice, product, repeat
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, U64
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.ngrams import combined, mixed
from corpusdb.base.text import normalise
from corpusdb.corpus.formats import Record, Rejected
from corpusdb.corpus.formats.records import Annotation, Document, Version
from corpusdb.corpus.queries.annotations import IMPORTED, annotated_sentences, store_annotations
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.row_checksums import CHECKSUM_BITS

# Checksums of what imports gave, by the million: sums that are added to with each batch, in its transaction. The rows
# of a document or a run are summed whatever their order, so that they are recounted in whichever is fastest.

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


def pairs_checksum(one: I64, other: I64) -> int:
    """Of pairs of sentences, in any order of the pairs; the smaller number of each first."""
    return _summed(combined(one.view(np.uint64), other.view(np.uint64)))


def rows_checksum(rows: Sequence[Sequence[object]]) -> int:
    """Of rows of numbers, short texts and nulls, in any order."""
    texts = ["\x1f".join(["\x1e" if value is None else str(value) for value in row]) for row in rows]
    return _summed(mixed(_of_texts(texts))) if texts else 0


def _of_texts(texts: Sequence[str]) -> U64:
    """A checksum of each text: CRC-32 from both ends of it, since one is too short for millions of them."""
    encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
    return np.array([zlib.crc32(each) << 32 | zlib.crc32(each, 1 << 31) for each in encoded], dtype=np.uint64)


def _summed(values: U64) -> int:
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


_LESS = f"""
update translation_checksum set checksum = (checksum - ?) & {CHECKSUM_BITS} where collection = ? and run = ?
"""
_NO_MORE = "delete from translation_checksum where collection = ? and run = ? and checksum = 0"


def take_out_translations(connection: sqlite3.Connection, pairs: Iterable[tuple[int, int, int, int]]) -> None:
    """Take pairs that were just deleted out of their sums: both sentences, the smaller first, collection and run."""
    for place, rows in groupby(sorted(pairs, key=itemgetter(2, 3)), key=itemgetter(2, 3)):
        one, other = np.array([row[:2] for row in rows], dtype=np.int64).T
        connection.execute(_LESS, (pairs_checksum(one, other), *place))
        connection.execute(_NO_MORE, place)


_FORGET_OCCURRENCE = "delete from occurrence where document = ? and line = ? and sentence = ?"
_FEWER = f"""
update document_checksum set occurrences = (occurrences - ?) & {CHECKSUM_BITS} where document = ?
"""
_FEWER_LINES = "update document set lines_done = lines_done - 1 where id = ?"


def take_out_occurrences(connection: sqlite3.Connection, rows: Sequence[Occurrence]) -> None:
    """Delete occurrences, each the only one of its line, and take them out of the sums and lines of their documents."""
    for row in rows:
        connection.execute(_FORGET_OCCURRENCE, row[:3])
        connection.execute(_FEWER, (occurrences_checksum([row]), row[0]))
        connection.execute(_FEWER_LINES, (row[0],))


# Storing sentences, and pairs of sentences that translate each other; inside a transaction of the caller.

_INSERT_SENTENCE = "insert or ignore into sentence (language, text) values (?, ?)"
_FIND_SENTENCE = "select id from sentence where language = ? and text = ?"


_LAST_SENTENCE = "select coalesce(max(id), 0) from sentence"
_SENTENCES_AFTER = "select id, language, text from sentence where id > ? order by id"


def store_sentences(
    connection: sqlite3.Connection, sentences: Sequence[tuple[str, str]]
) -> tuple[dict[tuple[str, str], int], int]:
    """The numbers of normalised sentences (language, text), each given once, and the greatest that is not of a new one.

    Those that are new are numbered in their order. Their checksum is left to the caller.
    """
    (last,) = connection.execute(_LAST_SENTENCE).fetchone()
    new = connection.executemany(_INSERT_SENTENCE, sentences).rowcount
    if new == len(sentences):
        return dict(zip(sentences, range(last + 1, last + 1 + new), strict=True)), last
    numbers = {(language, text): number for number, language, text in connection.execute(_SENTENCES_AFTER, (last,))}
    for sentence in sentences:
        if sentence not in numbers:
            numbers[sentence] = connection.execute(_FIND_SENTENCE, sentence).fetchone()[0]
    return numbers, last


_TRANSLATION = "insert or ignore into translation (sentence, translation, collection, run) values (?, ?, ?, ?)"


def store_pairs(
    connection: sqlite3.Connection, collection: int, run: int, pairs: Iterable[tuple[int, int]]
) -> list[int]:
    """Store pairs of sentences in both directions with their checksum; the places, from 0, of those that were there."""
    # The smaller first: the same pair may come the other way round before the way back is stored.
    rows = [(one, other, collection, run) if one < other else (other, one, collection, run) for one, other in pairs]
    duplicates: list[int] = []
    connection.execute("savepoint pairs")
    if connection.executemany(_TRANSLATION, rows).rowcount < len(rows):  # which were there is seen one by one
        connection.execute("rollback to pairs")
        is_new = [connection.execute(_TRANSLATION, row).rowcount for row in rows]
        duplicates = [place for place, new in enumerate(is_new) if not new]
        rows = list(compress(rows, is_new))
    connection.execute("release pairs")
    ones, others = list(map(itemgetter(0), rows)), list(map(itemgetter(1), rows))
    connection.executemany(_TRANSLATION, zip(others, ones, repeat(collection), repeat(run)))
    add_translations(connection, (collection, run), ones, others)
    return duplicates


# Storing units: their sentences, where these stand, what translates what, and what the file says of them.

_MAX_PAIRS = 250_000
"""The most pairs of texts that one unit may make: 500 versions in each of two languages, or 707 languages."""
FEW_TEXTS = 500
"""With no more texts a unit cannot make so many."""
_SHOWN_LINES = 10
_KNOWN_SENTENCES = 50_000


def check_unit(record: Record, columns: tuple[str, ...]) -> None:
    """Raise InputError, with the line, for a unit of so many texts that their pairs cannot be stored.

    ``columns``: the languages of a record that names none.
    """
    languages = zip(record.languages or columns, record.texts, strict=True)
    counts = Counter(language for language, text in languages if text)
    pairs = (counts.total() ** 2 - sum(count**2 for count in counts.values())) // 2
    if pairs > _MAX_PAIRS:
        reason = f"a unit of {counts.total():,} texts makes {pairs:,} pairs; {_MAX_PAIRS:,} are the most"
        raise InputError(reason, line=record.line)


@dataclass(slots=True)
class ImportCounts:
    """What one file has given so far; kept in its row, so that a resumed import counts on."""

    read: int = 0
    sentences: int = 0
    translations: int = 0
    duplicates: int = 0
    rejected: int = 0
    annotated: int = 0
    annotated_before: int = 0
    """Texts that come with an annotation, whose sentence has another one already."""

    def to_store(self) -> dict[str, int]:
        """The counts as they are kept; those of annotations only where a file has some."""
        about_annotations = ("annotated", "annotated_before")
        return {name: count for name, count in asdict(self).items() if count or name not in about_annotations}


@dataclass(slots=True)
class StoredDocument:
    """The row of one file, or of files read as one."""

    id: int
    collection: int
    run: int
    """The one that what comes next is of."""
    counts: ImportCounts
    complete: bool = False

    @property
    def done(self) -> int:
        return self.counts.read + self.counts.rejected


class UnitWriter:
    """Stores the units of one document, batch after batch, inside the transactions of its caller."""

    def __init__(self, connection: sqlite3.Connection, document: StoredDocument, columns: tuple[str, ...]) -> None:
        """Go on behind what is stored of the document; ``columns``: the languages of records that name none."""
        self.document = document
        self.first_duplicates: list[int] = []
        """The first lines with a pair that was there already."""
        self._connection = connection
        self._columns = columns
        self._known: dict[tuple[str, str], int] = {}
        """Ids of sentences met lately."""
        row = connection.execute(_LAST_SECTION, {"document": document.id}).fetchone()
        self._section: tuple[Document | None, tuple[str, str], int] | None = row and (None, row[:2], row[2])
        """The document inside the file that the last unit stood in, where it was read now; its name and attributes as
        they are stored; and its id."""
        self._annotated: dict[str, set[int]] = {}
        """The sentences of each language that files have annotated, for those languages that this file annotates."""

    def write(self, items: Sequence[Record | Rejected]) -> None:
        """Store units that follow those stored before, and how far the file has been read with them."""
        batch = _Batch()
        if self.document.done == 0:
            add_document(self._connection, self.document.id)
        records = [item for item in items if not isinstance(item, Rejected)]
        self.document.counts.read += len(records)
        self.document.counts.rejected += len(items) - len(records)
        for record, keys in zip(records, self._stored(records, batch), strict=True):
            self._add(record, keys, batch)
        self._connection.executemany(_OCCURRENCE, batch.occurrences)
        self._connection.executemany(_UNIT, batch.units)
        self._connection.executemany(_VERSION, batch.versions)
        self._store_pairs(batch.pairs)
        self._store_checksums(batch)
        for language, rows in batch.annotations.items():
            store_annotations(self._connection, language, IMPORTED, rows, self.document.run)
        counts = json.dumps(self.document.counts.to_store())
        self._connection.execute(_PROGRESS, (items[-1].line, counts, self.document.id))

    def _stored(self, records: Sequence[Record], batch: _Batch) -> list[list[tuple[str, str]]]:
        """The sentences of each unit, language and normalised text, all of which are known afterwards."""
        if len(self._known) >= _KNOWN_SENTENCES:
            self._known.clear()
        found = [
            [
                (language, normalise(text or ""))
                for language, text in zip(each.languages or self._columns, each.texts, strict=True)
            ]
            for each in records
        ]
        given = chain.from_iterable(
            zip(keys, each.texts, strict=True) for keys, each in zip(found, records, strict=True)
        )
        missing = list(dict.fromkeys(key for key, text in given if text and key not in self._known))
        numbers, last = store_sentences(self._connection, missing)
        batch.first_sentence, batch.sentences = last + 1, [key for key in missing if numbers[key] > last]
        self.document.counts.sentences += len(batch.sentences)
        self._known.update(numbers)
        return found

    def _add(self, record: Record, keys: Sequence[tuple[str, str]], batch: _Batch) -> None:
        """Put the rows of one unit, whose sentences are known, into the batch, and store its document."""
        languages = record.languages or self._columns
        members: list[tuple[str, int]] = []
        pairs: Iterable[tuple[int, int]]
        annotations = record.annotations or (None,) * len(record.texts)
        for key, text, annotation in zip(keys, record.texts, annotations, strict=True):
            if text:
                sentence = self._known[key]
                batch.occurrences.append((self.document.id, record.line, sentence, None if key[1] == text else text))
                members.append((key[0], sentence))
                if annotation is not None:
                    self._annotate(key[0], sentence, annotation, batch)
        if record.name or record.document or record.versions or _has_repeats(languages):
            self._describe(record, members, batch)
            distinct = dict.fromkeys(members)  # versions that agree are one sentence
            batch.has_repeats |= len(distinct) < len(members)
            pairs = _translations(distinct)
        else:
            self._section = None
            pairs = combinations([sentence for _, sentence in members], 2)
        batch.pairs.extend([(record.line, one, other) for one, other in pairs])

    def _annotate(self, language: str, sentence: int, annotation: Annotation, batch: _Batch) -> None:
        """Put an annotation into the batch, unless its sentence has one."""
        if language not in self._annotated:
            self._annotated[language] = {*annotated_sentences(self._connection, language, IMPORTED).tolist()}
        known = self._annotated[language]
        if sentence in known:
            self.document.counts.annotated_before += 1
            return
        known.add(sentence)
        self.document.counts.annotated += 1
        batch.annotations.setdefault(language, []).append((sentence, annotation))

    def _describe(self, record: Record, members: Sequence[tuple[str, int]], batch: _Batch) -> None:
        """Put what the file says of a unit into the batch: its id, its document, and whose text each is."""
        if record.document is None:
            self._section = None
        section = None if record.document is None else self._section_of(record.document, batch)
        has_versions = bool(record.versions) or _has_repeats(tuple(language for language, _ in members))
        if section or record.name or has_versions:
            batch.units.append((self.document.id, record.line, section, record.name or None))
        if has_versions:
            versions = record.versions or (Version(),) * len(record.texts)
            told = [version for version, text in zip(versions, record.texts, strict=True) if text]
            batch.versions.extend(
                (self.document.id, record.line, number, sentence, version.role, version.name)
                for number, ((_, sentence), version) in enumerate(zip(members, told, strict=True), 1)
            )

    def _section_of(self, document: Document, batch: _Batch) -> int:
        """The id of a document inside the file, stored now unless the unit before stood in it too.

        What people ask for, its name and attributes, is normalised, as what they type; what is blank says nothing.
        """
        if self._section is None or self._section[0] != document:
            told = {normalise(each): value for each, given in document.attributes if (value := normalise(given))}
            stored = normalise(document.name), json.dumps(told, ensure_ascii=False)
            if self._section is None or self._section[1] != stored:
                bound = dict(zip(("document", "name", "attributes"), (self.document.id, *stored), strict=True))
                row = self._connection.execute(_SECTION, bound).fetchone()
                batch.sections.append((*row, *stored))
                self._section = None, stored, row[0]
            self._section = document, *self._section[1:]
        return self._section[2]

    def _store_pairs(self, pairs: Sequence[tuple[int, int, int]]) -> None:
        """Store pairs of sentences (line, one, other) in both directions, and note those that were there."""
        document = self.document
        duplicates = store_pairs(
            self._connection, document.collection, document.run, ((one, other) for _, one, other in pairs)
        )
        missing = _SHOWN_LINES - len(self.first_duplicates)
        self.first_duplicates.extend(pairs[place][0] for place in duplicates[:missing])
        document.counts.translations += len(pairs) - len(duplicates)
        document.counts.duplicates += len(duplicates)

    def _store_checksums(self, batch: _Batch) -> None:
        """Store the checksums of what the batch added, but for its translations."""
        add_sentences(self._connection, batch.first_sentence, batch.sentences)
        occurrences = batch.occurrences
        if batch.has_repeats:  # the first is the one that is stored
            occurrences = list({row[:3]: row for row in reversed(occurrences)}.values())
        parts = (batch.units, batch.versions, batch.sections)
        add_to_document(self._connection, self.document.id, occurrences, parts)


@dataclass(slots=True)
class _Batch:
    """Rows that are stored together, or were just stored."""

    occurrences: list[Occurrence] = field(default_factory=list)
    units: list[tuple[int, int, int | None, str | None]] = field(default_factory=list)
    versions: list[tuple[int, int, int, int, str, str]] = field(default_factory=list)
    sections: list[tuple[int, int, int, str, str]] = field(default_factory=list)
    pairs: list[tuple[int, int, int]] = field(default_factory=list)
    sentences: list[tuple[str, str]] = field(default_factory=list)
    """Language and text of those that are new, numbered without a gap."""
    annotations: dict[str, list[tuple[int, Annotation]]] = field(default_factory=dict)
    """By language: sentences that had none, with theirs."""
    first_sentence: int = 0
    has_repeats: bool = False
    """Whether an occurrence stands in it twice."""


_OCCURRENCE = "insert or ignore into occurrence (document, line, sentence, original) values (?, ?, ?, ?)"
_UNIT = "insert into unit (document, line, section, name) values (?, ?, ?, ?)"
_VERSION = "insert into version (document, line, number, sentence, role, name) values (?, ?, ?, ?, ?, ?)"
_PROGRESS = "update document set lines_done = ?, counts = ? where id = ?"
_SECTION = """
insert into section (document, number, name, attributes)
select :document, coalesce(max(number), 0) + 1, :name, :attributes from section where document = :document
returning id, document, number
"""
_LAST_SECTION = """
select section.name, section.attributes, section.id from unit join section on section.id = unit.section
where unit.document = :document and unit.line = (select max(line) from occurrence where document = :document)
"""


def _translations(members: Iterable[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """Each pair of sentences that translate each other: two of one language are versions of each other."""
    versions: dict[str, list[int]] = {}
    for language, sentence in members:
        versions.setdefault(language, []).append(sentence)
    for some, others in combinations(versions.values(), 2):
        yield from product(some, others)


@lru_cache
def _has_repeats(languages: tuple[str, ...]) -> bool:
    return len(set(languages)) < len(languages)


# A database beside that of the user, in which something is made again to be looked at.

_ROWS_AT_ONCE = 100_000


@contextmanager
def scratch_store() -> Iterator[Store]:
    """A database of its own, which is gone afterwards; nobody needs it after a crash."""
    with (
        tempfile.TemporaryDirectory(prefix="corpusdb-") as folder,
        open_store(Path(folder) / "scratch.db", create=True) as store,
    ):
        yield store


_INSERT = "insert into {table} values ({marks})"


def streamed(
    store: Store, into: sqlite3.Connection, table: str, statement: str, bound: Mapping[str, object]
) -> Job[None]:
    """Copy what a query gives into a table of another database; ``table`` has its schema before it."""
    rows = store.connection.execute(statement, bound)
    insert = _INSERT.format(table=table, marks=", ".join("?" * len(rows.description)))
    done = 0
    while batch := list(islice(rows, _ROWS_AT_ONCE)):
        yield Progress(f"copying {table.partition('.')[2]} rows", done, 0)
        into.executemany(insert, batch)
        done += len(batch)


_RUNS = "select * from run"


def copy_corpus(
    store: Store, scratch: Store, sentences: str, translations: str, bound: Mapping[str, object]
) -> Job[None]:
    """Copy sentences and translations, which two queries give, into a database of its own, with all runs."""
    with scratch.unchecked_references(), scratch.write():
        for table, statement in (("run", _RUNS), ("sentence", sentences), ("translation", translations)):
            yield from streamed(store, scratch.connection, f"main.{table}", statement, bound)
