"""Rows as the lines of files that programs read: tab-separated values, CSV and JSON lines."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from typing import Final, Literal, TextIO, TypeAlias

from corpusdb.spreadsheets import Formulas

__all__ = ["Cell", "CsvWriter", "cell_text", "escape_breaks", "json_line", "tsv_line"]

Cell: TypeAlias = str | int | float | bytes | None

# A tab or a line break inside a cell would make two of it.
_BREAK: Final = re.compile("[\t\n\r]")
_ESCAPES: Final = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})


def cell_text(cell: Cell) -> str:
    """What stands in a cell: bytes as hexadecimal digits, and nothing for None."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    return cell.hex() if isinstance(cell, bytes) else str(cell)


def escape_breaks(text: str) -> str:
    r"""``text`` with each tab and line break written ``\t``, ``\n`` or ``\r``."""
    return text.translate(_ESCAPES) if _BREAK.search(text) else text


_AS_THEY_STAND: Final = frozenset({str, int, float})
"""What ``str`` makes the text of."""


def tsv_line(cells: Iterable[Cell]) -> str:
    """A row of tab-separated values with its line end; tabs and line breaks inside the cells are escaped."""
    row = tuple(cells)
    if _AS_THEY_STAND.issuperset(map(type, row)):
        line = "\t".join(map(str, row))
        if line.count("\t") == len(row) - 1 and "\n" not in line and "\r" not in line:  # as nearly all are
            return line + "\n"
    return "\t".join([escape_breaks(cell_text(cell)) for cell in row]) + "\n"


class CsvWriter:
    """Writes rows of comma-separated values, quoted where needed.

    Lines end in CR LF as RFC 4180 has it, for spreadsheets, unless LF is asked for. Cells that a spreadsheet would run
    stand as they are, and ``formulas`` counts them.
    """

    def __init__(
        self, file: TextIO, formulas: Formulas | None = None, line_end: Literal["\r\n", "\n"] = "\r\n"
    ) -> None:
        self.formulas = Formulas() if formulas is None else formulas
        self._line_end = line_end
        self._plain = csv.writer(file, lineterminator=line_end)
        self._quoting = csv.writer(file, lineterminator=line_end, quoting=csv.QUOTE_ALL)

    def write(self, cells: Iterable[Cell], *, quote_all: bool = False) -> None:
        """Write one row; with ``quote_all`` every cell stands in quotes."""
        row = self.formulas.watch([cell_text(cell) for cell in cells])
        # csv quotes a carriage return by itself only where its lines end in one, up to Python 3.12.
        quoted = quote_all or (self._line_end == "\n" and any("\r" in cell for cell in row))
        (self._quoting if quoted else self._plain).writerow(row)


def json_line(document: object, *, compact: bool = False) -> str:
    """A JSON document on one line, without a line end; ``compact`` leaves out the spaces behind commas and colons."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":") if compact else None)
