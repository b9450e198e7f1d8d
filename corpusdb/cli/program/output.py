"""Data on stdout: lines, tables and JSON.

To a terminal, tables are aligned by terminal cells and texts are made harmless; anywhere else, columns are separated by
tabs and texts stand as they are, so that ``cut``, ``sort`` and ``grep`` have the data itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpusdb.cli.program.rows import Cell, write_rows
from corpusdb.display import cell_safe, json_safe, lines_safe
from corpusdb.terminal import behind_wall

if TYPE_CHECKING:
    from corpusdb.outputs import Guard

__all__ = [
    "Cell",
    "is_terminal",
    "stdout_in",
    "write_json",
    "write_line",
    "write_table",
    "write_terminal",
    "write_text",
]


def is_terminal() -> bool:
    """Whether stdout is read by a person rather than by a program."""
    return sys.stdout.isatty()


def write_line(text: str = "") -> None:
    """One line of text; on a terminal it is one whatever it holds."""
    sys.stdout.write(f"{cell_safe(text) if is_terminal() else text}\n")


def write_text(text: str) -> None:
    """Lines of text, and the line break that ends the last."""
    sys.stdout.write(f"{lines_safe(text) if is_terminal() else text}\n")


def write_terminal(text: str) -> None:
    """One line whose texts were made harmless by the caller, and which may hold escape sequences of its own."""
    behind_wall(sys.stdout).write(text + "\n")


def write_json(value: object, *, indent: int | None = 2) -> None:
    """One JSON document; dataclasses become objects and bytes their hexadecimal digits."""
    document = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    sys.stdout.write(f"{json_safe(document) if is_terminal() else document}\n")


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, aligned: bool | None = None) -> None:
    """Rows under the names of their columns, or without any; ``aligned`` None = where stdout is a terminal."""
    write_rows("table" if (is_terminal() if aligned is None else aligned) else "tsv", columns, rows, sys.stdout)


@contextmanager
def stdout_in(file: Path | None, guard: Guard) -> Iterator[None]:
    """Inside the block, stdout goes to ``file``, which is there only when the block has ended without an error.

    None and ``-`` are stdout itself. What is no file, such as a pipe, is written to directly. Raises as check_output
    does, before the block begins.
    """
    if file is None or str(file) == "-":
        yield
        return
    from corpusdb.outputs import Outputs

    with Outputs(guard) as outputs, outputs.text(file) as stream, redirect_stdout(stream):
        yield


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} is not JSON")
