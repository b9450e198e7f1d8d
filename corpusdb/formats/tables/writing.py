"""Writers of tables with a row for each unit and a column for each version in each language: TSV and CSV."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TextIO, TypeAlias

from corpusdb.errors import UsageError
from corpusdb.formats.records import Document, Record, Version
from corpusdb.formats.selection import check_writable, variants_of
from corpusdb.formats.tables.columns import DOCUMENT, ID, heading
from corpusdb.rows import CsvWriter, tsv_line
from corpusdb.spreadsheets import Formulas

__all__ = ["Columns", "columns_of", "write_csv", "write_tsv"]

_Numbered: TypeAlias = tuple[str, Version, int]
"""Language, version and which of the unit's texts with these it is, from 1."""

_BREAKS: Final = re.compile("[\t\n\r\0]")
# CSV holds line breaks, but readers take CRLF for the same as LF.
_UNQUOTABLE: Final = re.compile("[\r\0]")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table."""

    layout: tuple[tuple[str, Version], ...]
    """Language and version of each column of texts; twice the same for units that have two such texts."""
    ids: bool = False
    """Whether units have ids."""
    documents: bool = False
    """Whether units have documents."""
    attributes: tuple[str, ...] = ()
    """Names of the attributes of documents."""

    def header(self) -> list[str]:
        """The headings, as columns.py describes them: id and document first, then the texts."""
        places = [ID] * self.ids + [DOCUMENT] * self.documents + [f"{DOCUMENT}:{name}" for name in self.attributes]
        headings = [heading(*column) for column in _number(self.layout)]
        return [check_writable(cell, _BREAKS, "a heading") for cell in places + headings]


def columns_of(records: Iterable[Record], languages: tuple[str, ...] = ()) -> Columns:
    """The columns that all these units need; those of texts in the order of ``languages``, then of appearance.

    ``languages`` are also those of units that do not name their own.
    """
    texts: dict[_Numbered, None] = {}
    ids = documents = False
    attributes: set[str] = set()
    for record in records:
        variants = variants_of(record, languages)
        texts.update(dict.fromkeys(_number((each.language, each.version) for each in variants)))
        ids = ids or bool(record.name)
        if record.document is not None:
            documents = True
            attributes.update(name for name, _ in record.document.attributes)
    order = {language: rank for rank, language in enumerate(dict.fromkeys([*languages, *(each[0] for each in texts)]))}
    met = {version: rank for rank, version in enumerate(dict.fromkeys(each[:2] for each in texts))}
    columns = sorted(texts, key=lambda column: (order[column[0]], met[column[:2]], column[2]))
    layout = tuple((language, version) for language, version, _ in columns)
    return Columns(layout, ids, documents, tuple(sorted(attributes)))


def write_tsv(records: Iterable[Record], columns: Columns, file: TextIO) -> int:
    """Write units with a header; returns how many. ``columns_of`` finds columns in which all have their place.

    Of the attributes of a document those with a value are kept. Raises InputError for texts, ids and names that hold a
    tab or a line break, which the database never does, and UsageError for a text without a column.
    """
    file.write(tsv_line(columns.header()))
    written = 0
    for row in _unit_rows(records, columns):
        file.write(tsv_line([check_writable(cell, _BREAKS, "TSV") for cell in row]))
        written += 1
    return written


def write_csv(records: Iterable[Record], columns: Columns, file: TextIO, formulas: Formulas | None = None) -> int:
    """Write units with a header, delimited by commas and quoted where needed; returns how many.

    As ``write_tsv``, but that texts may hold tabs and LF. They stand as they are, those that a spreadsheet would run,
    such as ``=1+1``, too; ``formulas`` counts these.
    """
    table = CsvWriter(file, formulas, "\n")
    header = columns.header()
    # A reader counts the commas and semicolons outside quotes in the first line to know the delimiter.
    table.write(header, quote_all=";" in "".join(header))
    written = 0
    for row in _unit_rows(records, columns):
        table.write([check_writable(cell, _UNQUOTABLE, "CSV") for cell in row])
        written += 1
    return written


def _unit_rows(records: Iterable[Record], columns: Columns) -> Iterator[list[str]]:
    """The cells of each unit."""
    places = {column: place for place, column in enumerate(_number(columns.layout))}
    languages = tuple(dict.fromkeys(language for language, _ in columns.layout))
    for record in records:
        row = [""] * len(places)
        variants = variants_of(record, languages)
        numbered = _number((each.language, each.version) for each in variants)
        for column, variant in zip(numbered, variants, strict=True):
            if column not in places:
                raise UsageError(f"the table has no column {heading(*column)} for {variant.text[:60]!r}")
            row[places[column]] = variant.text
        yield [*_place_cells(record, columns), *row]


def _place_cells(record: Record, columns: Columns) -> Iterator[str]:
    document = record.document or Document("")
    attributes = dict(document.attributes)
    if columns.ids:
        yield record.name
    if columns.documents:
        yield document.name
    yield from (attributes.get(name, "") for name in columns.attributes)


def _number(versions: Iterable[tuple[str, Version]]) -> Iterator[_Numbered]:
    """Each language and version with how often it has come."""
    counts: Counter[tuple[str, Version]] = Counter()
    for version in versions:
        counts[version] += 1
        yield (*version, counts[version])
