"""Data on stdout: lines, tables and JSON.

To a terminal, tables are aligned by terminal cells and texts are made harmless; anywhere else, columns are separated by
tabs and texts stand as they are, so that ``cut``, ``sort`` and ``grep`` have the data itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from typing import TypeAlias

from corpusdb.text import cell_safe

__all__ = ["Cell", "cell_width", "is_terminal", "write_json", "write_line", "write_table"]

Cell: TypeAlias = str | int | float | bytes | None

# A tab or a line break inside a cell would make two of it.
_ESCAPES = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})


def is_terminal() -> bool:
    """Whether stdout is read by a person rather than by a program."""
    return sys.stdout.isatty()


def cell_width(text: str) -> int:
    """How many cells of a terminal ``text`` takes: two for most East Asian characters, none for combining ones."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def write_line(text: str = "") -> None:
    """One line of text, which may hold line breaks itself."""
    if is_terminal():
        text = "\n".join(cell_safe(line) for line in text.split("\n"))
    sys.stdout.write(text + "\n")


def write_json(value: object, *, indent: int | None = 2) -> None:
    """One JSON document; dataclasses become objects and bytes their hexadecimal digits."""
    write_line(json.dumps(value, ensure_ascii=False, indent=indent, default=_plain))


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, aligned: bool | None = None) -> None:
    """Rows under the names of their columns, or without any; ``aligned`` None = where stdout is a terminal.

    Aligned, numbers stand right and have separators between thousands; None is ``-``, and an empty cell otherwise.
    """
    if not (is_terminal() if aligned is None else aligned):
        for row in (*_header(columns), *rows):
            sys.stdout.write("\t".join(_raw(cell) for cell in row) + "\n")
        return
    table = list(rows)
    shown = [*_header(columns), *(tuple(_shown(cell) for cell in row) for row in table)]
    widths = [max(map(cell_width, column)) for column in zip(*shown, strict=True)]
    numeric = [all(isinstance(cell, int | float | None) for cell in column) for column in zip(*table, strict=True)] or [
        False
    ] * len(widths)
    for line in shown:
        cells = [_padded(cell, width, right=right) for cell, width, right in zip(line, widths, numeric, strict=True)]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _header(columns: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(columns)] if columns else []


def _padded(text: str, width: int, *, right: bool) -> str:
    padding = " " * (width - cell_width(text))
    return padding + text if right else text + padding


def _raw(cell: Cell) -> str:
    if cell is None:
        return ""
    return cell.hex() if isinstance(cell, bytes) else str(cell).translate(_ESCAPES)


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
            return cell_safe(cell.translate(_ESCAPES))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} is not JSON")
