"""Aligned units in Parquet: what the importer reads from files, with the numbers by which Spark knows them.

Formats are read by one process, as the importer reads them, so that every rule by which a line is rejected is its own,
files of Moses are zipped, and gzip need not be split; what follows is read from Parquet by all workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from corpusdb.distributed.rows import Row, as_batches, as_rows
from corpusdb.formats import Record, Rejected, Source
from corpusdb.formats.records import Document, Item, Version
from corpusdb.jobs import Job, Progress

__all__ = ["UNITS", "read_items", "write_units"]

_UNITS_A_FILE: Final = 100_000
UNITS: Final = pa.schema(
    [
        ("unit", pa.int64()),  # from 0, through all files
        ("file", pa.int32()),
        ("line", pa.int64()),
        ("texts", pa.list_(pa.string())),  # as they stand in the file; null where one is missing
        ("languages", pa.list_(pa.string())),
        ("name", pa.string()),
        ("document", pa.string()),  # JSON
        ("versions", pa.string()),  # JSON
        ("rejected", pa.string()),  # the reason; then nothing else is there
    ]
)


def write_units(sources: Iterable[Source], folder: Path) -> Job[int]:
    """Write the units of all sources into a folder; how many items these are, rejected lines too."""
    folder.mkdir(parents=True)
    done = 0
    for file, source in enumerate(sources):
        items = source.items()
        while part := list(islice(items, _UNITS_A_FILE)):
            rows = [_row(number, file, item, source.languages) for number, item in enumerate(part, done)]
            table = pa.Table.from_batches(as_batches(rows, UNITS), UNITS)
            pq.write_table(table, folder / f"part-{done:012}.parquet")
            done += len(part)
            yield Progress("reading lines", done, 0)
    return done


def _row(number: int, file: int, item: Item, columns: tuple[str, ...]) -> Row:
    if isinstance(item, Rejected):
        return (number, file, item.line, None, None, None, None, None, item.reason)
    document = None if item.document is None else json.dumps(asdict(item.document), ensure_ascii=False)
    versions = json.dumps([asdict(each) for each in item.versions], ensure_ascii=False) if item.versions else None
    languages = list(item.languages or columns)
    return (number, file, item.line, list(item.texts), languages, item.name or None, document, versions, None)


def read_items(tables: Iterable[pa.RecordBatch]) -> Iterator[Item]:
    """The units again, as the source had them, from the rows of one file; what it knew of tokens is left out."""
    for _, _, line, texts, languages, name, document, versions, rejected in as_rows(tables):
        if rejected is not None:
            yield Rejected(line, rejected)
            continue
        yield Record(
            line,
            tuple(texts),
            tuple(languages),
            name or "",
            _document(json.loads(document)) if document else None,
            tuple(Version(**each) for each in json.loads(versions)) if versions else (),
        )


def _document(told: dict[str, Any]) -> Document:
    return Document(told["name"], tuple((name, value) for name, value in told["attributes"]))
