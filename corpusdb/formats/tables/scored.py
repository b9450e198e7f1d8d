"""Tables of what is scored: which columns hold outputs of systems, references and sources.

The first line names the columns; a table of one column needs no names. Columns are taken by what they are called, and
where that does not tell, the table is refused. A column ``segment`` counts the segments from 1, upwards; rows of one
number are references of one segment. ``LANG:ROLE:NAME``, as tables are written here, tells the role, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.format import ScoringReader
from corpusdb.formats.references import UNKNOWN, Provenance
from corpusdb.formats.segments import (
    Output,
    Reference,
    ReferenceTexts,
    Segmentation,
    base_name,
    check_counts,
    make_reference,
)
from corpusdb.formats.tables.columns import text_heading

__all__ = ["COLUMNS", "ScoredRole", "check_no_table", "table_scoring_reader"]

ScoredRole: TypeAlias = Literal["system", "reference", "source"]
ReadRows: TypeAlias = Callable[[Path], Iterator[tuple[int, list[str]]]]
"""All rows of a file: the line on which each begins, from 1, and its cells."""

SEGMENT: Final = "segment"
COLUMNS: Final[dict[ScoredRole, tuple[tuple[str, ...], ...]]] = {
    "system": (("hypothesis", "hyp", "output", "system", "mt"), ("translation", "target", "tgt")),
    "reference": (("reference", "ref"), ("translation", "target", "tgt")),
    "source": (("source", "src"),),
}
"""What the columns of each role are called, with or without a number; by the second names where none has a first."""
_WHAT: Final[dict[ScoredRole, str]] = {"system": "an output", "reference": "references", "source": "sources"}
_OTHER_NAMES: Final = ("text", "sentence")
"""What the column of a table that has only this one may be called, besides."""
_LEAST_ROWS: Final = 2
"""From so many lines on, the same number of tabs in all of them is no chance."""


@dataclass(slots=True)
class _Rows:
    """The segments of a table."""

    path: Path
    names: tuple[str, ...]
    """Of the columns; none where the table has no header."""
    lines: list[int] = field(default_factory=list)
    """Where each segment begins."""
    segments: list[list[tuple[int, list[str]]]] = field(default_factory=list)
    """The rows of each segment, with their lines."""

    def columns(self, role: ScoredRole) -> list[int]:
        """The columns of a role, from 0; none where the header names none."""
        if len(self.names) < 2:
            return [0]
        told = [(number, text_heading(name)) for number, name in enumerate(self.names)]
        by_role = [number for number, heading in told if heading is not None and heading[1].role == role]
        named = (self._named(group) for group in COLUMNS[role])
        return by_role or next((found for found in named if found), [])

    def _named(self, names: Sequence[str]) -> list[int]:
        return [number for number, name in enumerate(self.names) if _base(name) in names]

    def needed(self, role: ScoredRole) -> list[int]:
        """The columns of a role. Raises InputError where there are none."""
        if found := self.columns(role):
            return found
        raise _unclear(self.path, self.names, role)


def table_scoring_reader(rows: ReadRows) -> ScoringReader:
    """The reader of references, outputs and sources for tables whose rows are read so."""

    def references(path: Path) -> ReferenceTexts:
        return _references(_read(rows, path, "reference"))

    def outputs(path: Path, segmentation: Segmentation) -> list[Output]:
        return _outputs(_read(rows, path, "system"), segmentation)

    def sources(path: Path) -> list[str]:
        table = _read(rows, path, "source")
        column = table.needed("source")[0]
        return [cells[column] for _, cells in _single(table)]

    return ScoringReader(references, outputs, sources)


def check_no_table(lines: Sequence[str], path: Path) -> None:
    """Raise InputError for lines that are a table by their header, or by the same number of tabs in all of them."""
    first = lines[0].split("\t") if lines else []
    tabs = len(first) - 1
    is_table = tabs > 0 and (
        all(map(_is_known, first)) or (len(lines) >= _LEAST_ROWS and all(line.count("\t") == tabs for line in lines))
    )
    if is_table:
        reason = f"is a table of {tabs + 1} columns and no text: one column of it is wanted (`corpusdb guide files`)"
        raise InputError(reason, path=path, line=1)


def _read(rows: ReadRows, path: Path, role: ScoredRole) -> _Rows:
    """The rows by segment. Raises InputError where the first line does not say what the columns hold."""
    found = rows(path)
    begin, first = next(found)
    has_header = any(map(_is_known, first)) or (len(first) == 1 and _base(first[0]) in _OTHER_NAMES)
    if not has_header and len(first) > 1:
        raise _unclear(path, first, role)
    table = _Rows(path, tuple(first) if has_header else ())
    numbered = next((at for at, name in enumerate(first) if name.strip().lower() == SEGMENT and len(first) > 1), None)
    for line, cells in found if has_header else chain([(begin, first)], found):
        if len(cells) != len(first):
            raise InputError(f"{len(cells)} columns, and the first line has {len(first)}", path=path, line=line)
        number = str(len(table.segments) + 1) if numbered is None else cells[numbered]
        if number == str(len(table.segments) + 1):
            table.segments.append([])
            table.lines.append(line)
        elif number != str(len(table.segments)) or not table.segments:
            reason = f"segment {number!r} stands where {len(table.segments) + 1} is next"
            raise InputError(reason, path=path, line=line)
        table.segments[-1].append((line, cells))
    return table


def _references(table: _Rows) -> ReferenceTexts:
    columns, sources = table.needed("reference"), table.columns("source") if len(table.names) > 1 else []
    if not table.segments:
        raise InputError("holds no reference", path=table.path, line=1)
    names = _names_of(table, columns)
    told = _provenance_columns(table)
    segments = tuple(
        tuple(each for line, cells in rows for each in _of_row(table.path, line, cells, names, told))
        for rows in table.segments
    )
    known = tuple(rows[0][1][sources[0]] for rows in table.segments) if sources else ()
    return ReferenceTexts(Segmentation(table.path, tuple(table.lines)), segments, known if any(known) else ())


def _provenance_columns(table: _Rows) -> tuple[int, int] | None:
    """The columns of the origin and the validity of each reference, as they are written here; None without the two."""
    try:
        return table.names.index("origin"), table.names.index("validity")
    except ValueError:
        return None


def _of_row(
    path: Path, line: int, cells: Sequence[str], names: dict[int, str], told: tuple[int, int] | None
) -> list[Reference]:
    """The references in a row: of several columns those that are not blank. Raises InputError where all are."""
    there = [column for column in names if cells[column].strip()] or list(names)[:1]
    known = UNKNOWN if told is None else Provenance.of_cells(cells[told[0]], cells[told[1]])
    return [make_reference(cells[column], path, line, names[column], known) for column in there]


def _outputs(table: _Rows, segmentation: Segmentation) -> list[Output]:
    columns = table.needed("system")
    rows = _single(table)
    check_counts(segmentation, Segmentation(table.path, tuple(table.lines)))
    names = _names_of(table, columns)
    return [
        Output(name or base_name(table.path), table.path, tuple(cells[column] for _, cells in rows))
        for column, name in names.items()
    ]


def _names_of(table: _Rows, columns: Sequence[int]) -> dict[int, str]:
    """What is in each column: the name in its heading, the heading where there are several, or nothing."""
    found = {}
    for column in columns:
        heading = text_heading(table.names[column]) if table.names else None
        name = heading[1].name if heading is not None else ""
        found[column] = name or (table.names[column].strip() if len(columns) > 1 else "")
    return found


def _single(table: _Rows) -> list[tuple[int, list[str]]]:
    """The row of each segment. Raises InputError for a segment that has two."""
    for number, rows in enumerate(table.segments, 1):
        if len(rows) > 1:
            raise InputError(f"segment {number} stands here again", path=table.path, line=rows[1][0])
    return [rows[0] for rows in table.segments]


def _unclear(path: Path, first: Sequence[str], role: ScoredRole) -> InputError:
    names = [name for group in COLUMNS[role] for name in group]
    shown = ", ".join(first)
    shown = shown if len(shown) <= 80 else f"{shown[:80]}..."
    reason = f"which column has {_WHAT[role]}? The first line has {shown}; one is to be called {_listed(names)}"
    return InputError(reason, path=path, line=1)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _base(name: str) -> str:
    """The name of a column without the number behind it."""
    return re.sub(r"[ _-]?\d*$", "", name.strip().lower())


def _is_known(name: str) -> bool:
    heading = text_heading(name)
    return (
        name.strip().lower() in (SEGMENT, "rank", "id")
        or any(_base(name) in group for groups in COLUMNS.values() for group in groups)
        or (heading is not None and heading[1].role != "")
    )
