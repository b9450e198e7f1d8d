"""What is read: files as aligned units, and these as Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

import pyarrow as pa
import pyarrow.parquet as pq

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.cluster.workspace import Row, as_batches, as_rows
from corpusdb.corpus.formats import Record, Source
from corpusdb.corpus.formats.columns import language_of_heading
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import Document, Item, Options, Rejected, Version, aligned_unit

__all__ = ["UNITS", "ParquetSource", "read_items", "write_units"]


# Aligned units in Parquet: what the importer reads from files, with the numbers by which Spark knows them.
#
# Formats are read by one process, as the importer reads them, so that every rule by which a line is rejected is its
# own, files of Moses are zipped, and gzip need not be split; what follows is read from Parquet by all workers.


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


# Parquet files of aligned texts, as data sets of this size are handed out.
#
# Columns whose names are languages, by any code or English name, hold the texts; or one column ``translation`` does, a
# structure whose fields are languages, as in the data sets of Hugging Face. Other columns are passed over.


_NESTED: Final = "translation"
_ROWS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """One file with a row for each unit; a record's line is the number of its row, from 1.

    ``languages`` are chosen, in their order. The rows are held a group at a time.
    """

    path: Path
    options: Options
    columns: tuple[str, ...]
    """What holds the texts of each language: the name of a column, or of a field of ``translation``."""

    @classmethod
    def recognise(cls, path: Path, options: Options) -> Self:
        """The source for a file. Raises InputError where it is no Parquet, or lacks texts in two languages."""
        found: dict[str, str] = {}
        for name in _text_columns(_opened(path).schema_arrow):
            language = language_of_heading(name)
            if language is not None and found.setdefault(language, name) != name:
                raise InputError(f"the columns {found[language]} and {name} are both {language}", path=path)
        wanted = options.languages or tuple(found)
        for language in wanted:
            if language not in found:
                raise InputError(f"no column of texts is {language}; there are {_listed(found)}", path=path)
        if len(wanted) < 2:
            raise InputError(f"columns of texts in two languages are needed; there are {_listed(found)}", path=path)
        return cls(path, Options(languages=wanted), tuple(found[language] for language in wanted))

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.options.languages

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        file = _opened(self.path)
        is_nested = _NESTED in file.schema_arrow.names and not set(self.columns) <= set(file.schema_arrow.names)
        places = [f"column {name} ({code})" for name, code in zip(self.columns, self.languages, strict=True)]
        line = 0
        try:
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=[_NESTED] if is_nested else list(self.columns)):
                held = pa.Table.from_batches([batch])
                texts = held.flatten().rename_columns(_fields(held)) if is_nested else held
                for row in zip(*(texts[name].to_pylist() for name in self.columns), strict=True):
                    line += 1
                    yield _unit(line, row, places)
        except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read behind row {line}: {_first_line(error)}", path=self.path) from error


def _fields(nested: pa.Table) -> list[str]:
    """The names of the fields of a table with one column, a structure."""
    return [field.name for field in nested.schema.field(0).type]


def _unit(line: int, texts: Sequence[str | None], places: Sequence[str]) -> Item:
    if not any(texts):
        return Rejected(line, "has no text")
    if any("\0" in text for text in texts if text):
        return Rejected(line, "has a NUL")
    return aligned_unit(line, tuple(text or "" for text in texts), places)


def _opened(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise InputError("no such file", path=path) from error
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"is no Parquet file that can be read: {_first_line(error)}", path=path) from error


def _text_columns(schema: pa.Schema) -> list[str]:
    """The names of what holds texts; not of numbers, as a column ``id`` has, which would be Indonesian."""
    fields = list(schema)
    if _NESTED in schema.names and pa.types.is_struct(schema.field(_NESTED).type):
        fields = list(schema.field(_NESTED).type)
    return [field.name for field in fields if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]


def _listed(found: dict[str, str]) -> str:
    return ", ".join(f"{name} ({language})" for language, name in found.items()) or "none"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
