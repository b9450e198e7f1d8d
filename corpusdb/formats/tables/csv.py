"""Comma-separated values as spreadsheets write them (RFC 4180): cells may be quoted, and then hold line breaks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import MAX_LINE, first_line, read_lines
from corpusdb.formats.format import FileContents, Format, Reader, Writer
from corpusdb.formats.records import Options
from corpusdb.formats.selection import SelectedUnits
from corpusdb.formats.tables.reading import Row, TableSource
from corpusdb.formats.tables.scored import table_scoring_reader
from corpusdb.formats.tables.writing import columns_of, write_csv

__all__ = ["CSV", "CsvSource"]

_LONGEST_ROW: Final = 16 * MAX_LINE


@dataclass(frozen=True, slots=True)
class CsvSource(TableSource):
    """One CSV file; see TableSource for its columns, and for what is refused.

    The delimiter is the semicolon, as in the exports of spreadsheets where the comma is the decimal mark, if the first
    line has more of them than commas outside quotes, and otherwise the comma. A line break in a quoted cell is LF,
    however the file writes it; units have the number of the line on which they begin.
    """

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All rows of a file. Raises InputError as ``read_lines`` does, and with the line on which the row begins for
        broken quoting, and for rows of more than 16 MiB and cells of more than ``csv.field_size_limit()`` (131,072)
        characters."""
        begin, size = 1, 0

        def lines() -> Iterator[str]:
            nonlocal size
            # The csv module takes only CR and LF for line ends; it is given no other CR than those inside lines.
            for _, line in read_lines(path):
                size += len(line)
                if size > _LONGEST_ROW:
                    reason = f"the row is longer than {_LONGEST_ROW:,} characters; a quote may be missing"
                    raise InputError(reason, path=path, line=begin)
                yield f"{line}\n"

        reader = csv.reader(lines(), delimiter=_delimiter(first_line(path)), strict=True)
        try:
            for cells in reader:
                yield begin, cells
                begin, size = reader.line_num + 1, 0
        except csv.Error as error:
            # What the module says after a dash is advice for programmers.
            reason, *_ = str(error).split(" - ")
            raise InputError(f"cannot be read as CSV: {reason}", path=path, line=begin) from error


def _delimiter(line: str) -> str:
    unquoted = re.sub('"[^"]*("|$)', "", line)
    return ";" if unquoted.count(";") > unquoted.count(",") else ","


def _open(files: tuple[Path, ...], options: Options) -> CsvSource:
    return CsvSource.recognise(files[0], options)


def _files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    return {name: lambda file: write_csv(units(), columns_of(units(), languages), file, units.formulas)}


CSV: Final = Format(
    name="csv",
    extensions=(".csv",),
    reader=Reader(_open, options=("columns", "header", "skip_bad")),
    writer=Writer(_files),
    scoring_reader=table_scoring_reader(CsvSource.rows),
)
