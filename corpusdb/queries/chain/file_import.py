"""Import: files that were checked go into the database, in transactions that may be interrupted between any two."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice, pairwise
from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.formats import Record, Rejected, Source
from corpusdb.formats.records import Options, Skipped
from corpusdb.jobs import Job, Progress
from corpusdb.model import ImportReport
from corpusdb.options import record_from_json
from corpusdb.queries.corpus.unit_writer import FEW_TEXTS, Counts, StoredDocument, UnitWriter, check_unit
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive

__all__ = ["CheckedSource", "TextSample", "check_source", "import_source", "language_order"]

_BATCH = 5000
_SECONDS_PER_TRANSACTION = 0.5
_SHOWN_LINES = 10
_SAMPLED_TEXTS = 150
_SAMPLED_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """Files that were read once from end to end and found usable."""

    source: Source
    digest: str
    """SHA-256 of the files and of how they are read."""
    former_digest: str
    """The same as schema 11 and earlier had it, for files that were imported then."""
    languages: tuple[str, ...]
    """Those that the source says it has, in its order; otherwise as ``language_order`` makes of its units."""
    records: int
    rejected: int
    first_rejected: tuple[tuple[str, int, str], ...]
    skipped: tuple[tuple[str, int, str], ...] = ()
    """File, line and reason of each bad line that is skipped; they are among the rejected ones."""
    samples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By language some of the texts, from all over the files; long ones are cut."""


class TextSample:
    """Some of many texts, at equal distances, whatever their number: the same for the same texts."""

    __slots__ = ("_seen", "_step", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._step = 1
        self._seen = 0

    def add(self, text: str) -> None:
        """Take it, if it is its turn; where there are too many, every other one is let go."""
        if self._seen % self._step == 0:
            self.texts.append(text[:_SAMPLED_CHARACTERS])
            if len(self.texts) >= 2 * _SAMPLED_TEXTS:
                self.texts = self.texts[::2]
                self._step *= 2
        self._seen += 1


def check_source(source: Source, skippable: int = 0) -> Job[CheckedSource]:
    """Read the files once without storing anything, so that bad input is refused before the database is touched.

    Of a source that skips bad lines, so many may be ``skippable``. Raises InputError with file and line.
    """
    records, rejected = 0, 0
    first: list[tuple[str, int, str]] = []
    skipped: list[tuple[str, int, str]] = []
    sequences: dict[tuple[str, ...], None] = {source.languages: None}
    samples: dict[str, TextSample] = {}
    for number, item in enumerate(source.items()):
        if isinstance(item, Rejected):
            rejected += 1
            if isinstance(item, Skipped):
                if len(skipped) == skippable:
                    reason = f"{item.reason}; more lines are bad than may be skipped"
                    raise InputError(reason, path=item.path, line=item.place)
                skipped.append((str(item.path), item.place, item.reason))
            elif len(first) < _SHOWN_LINES:
                first.append((str(source.paths[0]), item.line, item.reason))
        else:
            records += 1
            for language, text in zip(item.languages or source.languages, item.texts, strict=False):
                if text:
                    samples.setdefault(language, TextSample()).add(text)
            if len(item.texts) > FEW_TEXTS:
                try:
                    check_unit(item, source.languages)
                except InputError as error:
                    raise InputError(error.reason, path=source.paths[0], line=error.line) from error
            if item.languages:
                sequences.update(_sequences(item))
        if number % 50_000 == 0:
            yield Progress("checking lines", number, 0)
    if not records:
        raise InputError(
            "holds no aligned text" + (f" ({rejected} lines rejected)" if rejected else ""), path=source.paths[0]
        )
    digests = reading_digests(source)
    sampled = {language: tuple(sample.texts) for language, sample in samples.items()}
    order = language_order(sequences)
    return CheckedSource(source, *digests, order, records, rejected, tuple(first), tuple(skipped), sampled)


def reading_digests(source: Source) -> tuple[str, str]:
    """The digest of a source and its former digest, both of the files and of how they are read.

    Only options that are not left at their defaults count, so that an option more changes the digest of no file that is
    read without it; and not whether bad lines are skipped, since a file that is read at all reads the same with it.
    Formerly the text of the object stood there, with the four options that there were.
    """
    options: Options | None = getattr(source, "options", None)
    chosen, former = {}, repr("")
    if options is not None:
        defaults = asdict(type(options)())
        chosen = {name: value for name, value in asdict(options).items() if value != defaults[name]}
        chosen.pop("skip_bad", None)
        four = (f"{name}={getattr(options, name)!r}" for name in ("languages", "columns", "header", "systems"))
        former = f"Options({', '.join(four)})"
    files = source.digest()
    return _sha256([files, source.languages, chosen]), _sha256([files, source.languages, former])


def _sha256(document: object) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _sequences(record: Record) -> dict[tuple[str, ...], None]:
    """The languages of a unit as one sequence; each by itself where versions keep the order of its texts."""
    spoken = tuple(language for language, text in zip(record.languages, record.texts, strict=True) if text)
    if record.versions or len(set(spoken)) < len(spoken):
        return dict.fromkeys((language,) for language in spoken)
    return {spoken: None}


def language_order(sequences: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All the languages in one order that keeps that of every sequence, where there is such an order.

    It decides how the texts of plain units are ordered when they are exported, so that a file whose units all have
    their languages in one order, though none has all of them, comes out as it went in. What the sequences leave open
    or contradict goes by the first appearance; the order of the first sequence is always kept.
    """
    before: dict[str, set[str]] = {}
    for sequence in sequences:
        distinct = list(dict.fromkeys(sequence))
        for language in distinct:
            before.setdefault(language, set())
        for one, other in pairwise(distinct):
            before[other].add(one)
    order: list[str] = []
    while before:
        free = (language for language, others in before.items() if others.isdisjoint(before))
        order.append(next(free, next(iter(before))))
        del before[order[-1]]
    return tuple(order)


@dataclass(slots=True)
class _Import:
    """One document on its way into the database."""

    store: Store
    run: Run
    units: UnitWriter


@exclusive("import")
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
        document = _document(connection, collection, licence, checked)
        if document and document.complete:
            report = ImportReport(
                *(checked.records, 0, 0, 0, checked.rejected, time.monotonic() - begun),
                skipped=checked.skipped,
                unchanged=(name,),
            )
            return report
        parameters: dict[str, object] = {"collection": collection, "digest": checked.digest, "document": name}
        if checked.skipped:
            parameters["skipped"] = checked.skipped
        if document is None:
            run = start_run(store, "import", parameters)
            document = _new_document(connection, collection, name, checked, run.id)
        elif connection.execute(_WAS_FOLLOWED, (document.run,)).fetchone()[0]:
            _begin_later_run(store, document, parameters)
    units = UnitWriter(store.connection, document, checked.source.languages)
    task = _Import(store, Run(document.run, "import", resumed=document.done > 0), units)
    total = checked.records + checked.rejected
    # By their number and not by their line: lines that are left out may be of another file than the units.
    items = islice(checked.source.items(), document.done, None)
    yield Progress("importing lines", document.done, total)
    with store.unchecked_references():
        while _store_some(task, items):
            yield Progress("importing lines", document.done, total)
    with store.write() as connection:
        connection.execute(_COMPLETE, (document.id,))
        finish_run(store, task.run, document.counts.to_store())
    file = str(checked.source.paths[0])
    counts = document.counts
    return ImportReport(
        *(counts.read, counts.sentences, counts.translations, counts.duplicates, counts.rejected),
        seconds=time.monotonic() - begun,
        annotated=counts.annotated or None,
        annotated_before=counts.annotated_before or None,
        first_rejected=checked.first_rejected,
        skipped=checked.skipped,
        first_duplicates=tuple((file, line) for line in units.first_duplicates),
    )


_COMPLETE = "update document set complete = 1 where id = ?"
_COLLECTION = """
insert into collection (name, licence) values (?, ?)
on conflict (name) do update set licence = coalesce(excluded.licence, licence)
"""
_DOCUMENT = """
select document.id, document.collection, document.run, document.complete, document.counts
from document join collection on collection.id = document.collection where collection.name = ? and digest in (?, ?)
"""
_NEW_DOCUMENT = """
insert into document (collection, name, digest, languages, run)
select id, ?, ?, ?, ? from collection where name = ? returning id, collection
"""


def _document(
    connection: sqlite3.Connection, collection: str, licence: str | None, checked: CheckedSource
) -> StoredDocument | None:
    """The document as an earlier import left it, or None."""
    connection.execute(_COLLECTION, (collection, licence))
    row = connection.execute(_DOCUMENT, (collection, checked.digest, checked.former_digest)).fetchone()
    if row is None:
        return None
    number, collection_number, run, complete, counts = row
    counted = record_from_json(Counts, json.loads(counts), of="an import")
    return StoredDocument(number, collection_number, run, counted, bool(complete))


def _new_document(
    connection: sqlite3.Connection, collection: str, name: str, checked: CheckedSource, run: int
) -> StoredDocument:
    languages = ",".join(checked.languages)
    row = connection.execute(_NEW_DOCUMENT, (name, checked.digest, languages, run, collection)).fetchone()
    return StoredDocument(row[0], row[1], run, Counts())


def _store_some(task: _Import, items: Iterator[Record | Rejected]) -> bool:
    """Store units for about half a second in one transaction; False when there are no more."""
    limit = time.monotonic() + _SECONDS_PER_TRANSACTION
    with task.store.write():
        while batch := list(islice(items, _BATCH)):
            task.units.write(batch)
            if time.monotonic() > limit:
                break
        else:
            return False
    return True


_WAS_FOLLOWED = "select exists (select 1 from layer where last_run >= ?)"
_RUN = "update document set run = ? where id = ?"


def _begin_later_run(store: Store, document: StoredDocument, parameters: dict[str, object]) -> None:
    """Give what comes now a run of its own, since a layer was brought up to date after the import was interrupted, and
    knows by the runs what it has to look at. Inside a transaction of the caller."""
    finish_run(store, Run(document.run, "import", resumed=True), document.counts.to_store())
    document.run = start_run(store, "import", parameters).id
    store.connection.execute(_RUN, (document.run, document.id))
