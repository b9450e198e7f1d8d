"""Rows as people and programs read them: tab-separated values, CSV, JSON lines, tables, LaTeX."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TextIO, TypeAlias

from corpusdb.base.cells import cell_width, padded
from corpusdb.base.display import cell_safe, json_safe
from corpusdb.base.errors import UsageError

__all__ = [
    "EXPORT_FORMATS",
    "Cell",
    "CsvWriter",
    "Format",
    "Formulas",
    "cell_text",
    "escape_breaks",
    "is_formula",
    "json_line",
    "tsv_line",
    "write_rows",
]


# What a spreadsheet would run: cells of CSV that begin as formulas do.
#
# CSV is written as the data is, so that what is read back is what was written; a cell such as ``=1+1`` or ``@name``
# stays as it is. A spreadsheet that opens the file takes it for a formula, which may show something else, or fetch
# from where the author of the text likes (CWE-1236). So such cells are counted, and the count is told.


_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")
_NUMBER: Final = re.compile(r"[+-]\s?([0-9][0-9.,]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s?%?")


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula: it begins as one, says more, and is no number."""
    return cell.startswith(_SIGNS) and len(cell) > 1 and not _NUMBER.fullmatch(cell)


@dataclass(slots=True)
class Formulas:
    """Counts such cells in the rows that pass."""

    cells: int = 0

    def watch(self, row: Sequence[str]) -> Sequence[str]:
        """The row as it is."""
        self.cells += sum(map(is_formula, row))
        return row

    def __str__(self) -> str:
        """One line for whoever opens the file; empty where there is no such cell."""
        if not self.cells:
            return ""
        begin = "cell begins as a formula does" if self.cells == 1 else "cells begin as formulas do"
        return f"{self.cells:,} {begin} (=, +, -, @) and may be run by a spreadsheet; load the columns as text"


# Rows as the lines of files that programs read: tab-separated values, CSV and JSON lines.


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


# Rows in the formats that people and programs read.
#
# Only ``table`` needs all rows at once; the others are written row by row. On a terminal every format is made
# harmless; anywhere else texts stand as they are.


Row: TypeAlias = Sequence[Cell]
Format: TypeAlias = Literal["table", "tsv", "csv", "json", "jsonl", "markdown", "latex"]
EXPORT_FORMATS: tuple[Format, ...] = ("tsv", "csv", "markdown", "latex", "json", "jsonl")
"""Those of files; a table is for the eye."""

# What CommonMark would read as markup; a bar would end the cell.
_MARKUP = re.compile(r"([\\`*_\[\]<>&~|])")
# What LaTeX would read as commands, outside of mathematics.
_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def write_rows(format: Format, columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> Formulas:
    """Write rows under the names of their columns; ``table`` and ``tsv`` may have rows without names.

    Returns what CSV holds that a spreadsheet would run: it stands there as it is. Bytes are hexadecimal digits, and
    None is an empty cell or null; in a table, ``-``. Raises UsageError where a JSON object would have two members of
    one name.
    """
    if stream.isatty() and format not in ("table", "json", "jsonl"):
        columns = [cell_safe(name) for name in columns]
        rows = (tuple(_harmless(cell) for cell in row) for row in rows)
    formulas = Formulas()
    if format == "csv":
        _write_csv(columns, rows, stream, formulas)
    else:
        _WRITERS[format](columns, rows, stream)
    return formulas


def _harmless(cell: Cell) -> Cell:
    return cell_safe(escape_breaks(cell)) if isinstance(cell, str) else cell


def _header(columns: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(columns)] if columns else []


def _write_tsv(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> None:
    write = stream.write
    for line in _lines(columns, rows):
        write(tsv_line(line))


def _lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[Row]:
    yield from _header(columns)
    yield from rows


def _write_csv(columns: Sequence[str], rows: Iterable[Row], stream: TextIO, formulas: Formulas) -> None:
    # For spreadsheets; for cut and grep there is tsv.
    table = CsvWriter(stream, formulas)
    for line in _lines(columns, rows):
        table.write(line)


def _write_jsonl(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> None:
    for document in _objects(columns, rows, stream):
        stream.write(document + "\n")


def _write_json(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> None:
    separator = "["
    for document in _objects(columns, rows, stream):
        stream.write(f"{separator}\n  {document}")
        separator = ","
    stream.write("[]\n" if separator == "[" else "\n]\n")


def _objects(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> Iterator[str]:
    """Each row as a JSON object on one line, as it may be shown where ``stream`` is a terminal."""
    shown = json_safe if stream.isatty() else str
    for name in columns:
        if columns.count(name) > 1:
            raise UsageError(f"two columns are called {name!r}, which a JSON object cannot have")
    for row in rows:
        cells = (cell.hex() if isinstance(cell, bytes) else cell for cell in row)
        yield shown(json_line(dict(zip(columns, cells, strict=True))))


def _write_markdown(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> None:
    stream.write(_markdown_line(columns))
    stream.write("|" + " --- |" * len(columns) + "\n")
    for row in rows:
        stream.write(_markdown_line(row))


def _markdown_line(cells: Row) -> str:
    return "| " + " | ".join(_markdown_cell(cell_text(cell)) for cell in cells) + " |\n"


def _markdown_cell(text: str) -> str:
    return re.sub(r"\r\n|\r|\n", "<br>", _MARKUP.sub(r"\\\1", text))


def _write_latex(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> None:
    """A tabular with three rules of the package booktabs; columns of numbers stand right."""
    table = list(rows)
    numeric = [all(isinstance(row[at], int | float | None) for row in table) for at in range(len(columns))]
    stream.write(r"\begin{tabular}{" + "".join("r" if each else "l" for each in numeric) + "}\n\\toprule\n")
    stream.write(_latex_line(columns) + "\\midrule\n")
    for row in table:
        stream.write(_latex_line(row))
    stream.write("\\bottomrule\n\\end{tabular}\n")


def _latex_line(cells: Row) -> str:
    return " & ".join(" ".join(cell_text(cell).translate(_LATEX).split()) for cell in cells) + " \\\\\n"


def _write_table(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> None:
    """Numbers stand right and have separators between thousands."""
    table = list(rows)
    shown = [*_header([cell_safe(name) for name in columns]), *(tuple(_shown(cell) for cell in row) for row in table)]
    widths = [max(map(cell_width, column)) for column in zip(*shown, strict=True)]
    numeric = [all(isinstance(cell, int | float | None) for cell in column) for column in zip(*table, strict=True)] or [
        False
    ] * len(widths)
    for line in shown:
        cells = [padded(cell, width, right=right) for cell, width, right in zip(line, widths, numeric, strict=True)]
        stream.write("  ".join(cells).rstrip() + "\n")


def _shown(cell: Cell) -> str:
    match cell:
        case None:
            return "-"
        case bytes():
            return f"({len(cell):,} bytes)"
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:,.4g}"
        case str():
            return cell_safe(escape_breaks(cell))


_WRITERS: dict[Format, Callable[[Sequence[str], Iterable[Row], TextIO], None]] = {
    "table": _write_table,
    "tsv": _write_tsv,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "markdown": _write_markdown,
    "latex": _write_latex,
}
