"""Tab-separated text: one unit a line, one cell per language, never quoted.

A double quote is text like any other character: corpora are full of unbalanced ones, and a reader that takes them for
CSV quotes joins lines without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.lines import digest_of, first_line, read_lines
from corpusdb.formats.records import Item, Options, Record, Rejected, aligned_unit
from corpusdb.languages import language_of_name

__all__ = ["TsvSource"]

_HEADER_WORD = re.compile(
    r"(source|src|target|tgt|translation|reference|ref|sentence|segment|text|original)[ _-]?\d*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Layout:
    has_header: bool
    columns: tuple[int, ...]
    """Positions from 0, one per language."""


@dataclass(frozen=True, slots=True)
class TsvSource:
    """One TSV file with a column for each of the languages of its options.

    Raises UsageError where the options contradict each other. A line with too few cells raises InputError: it is the
    mark of a file that was cut off or is no TSV. Empty cells and blank lines are rejected one by one.
    """

    path: Path
    options: Options

    def __post_init__(self) -> None:
        columns = self.options.columns
        if not self.options.languages:
            raise UsageError("tab-separated text needs its languages, such as eng,fra")
        if columns is None:
            return
        if len(columns) != len(self.options.languages):
            raise UsageError(f"{len(columns)} columns for {len(self.options.languages)} languages")
        if len(set(columns)) < len(columns):
            raise UsageError("a column is given twice")
        if any(isinstance(column, int) and column < 1 for column in columns):
            raise UsageError("columns are counted from 1")
        if self.options.header == "no" and any(isinstance(column, str) for column in columns):
            raise UsageError("columns are chosen by name, but the file is said to have no header")

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.options.languages

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        layout = self._layout(first_line(self.path).split("\t"))
        needed = max(layout.columns) + 1
        pick = itemgetter(*layout.columns) if len(layout.columns) > 1 else lambda cells: (cells[layout.columns[0]],)
        places = [f"column {column + 1} ({code})" for column, code in zip(layout.columns, self.languages, strict=True)]
        lines = read_lines(self.path)
        if layout.has_header:
            next(lines)
        for number, line in lines:
            cells = line.split("\t", needed)
            if len(cells) >= needed:
                texts = pick(cells)
                # Most lines end here: a text that begins with a letter costs isspace() one character.
                if "" not in texts and not any(map(str.isspace, texts)):
                    yield Record(number, texts)
                    continue
            if not line or (line.isspace() and "\t" not in line):
                yield Rejected(number, "blank line")
            elif len(cells) < needed:
                count = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
                raise InputError(f"has {count}, {needed} needed", path=self.path, line=number)
            else:
                yield aligned_unit(number, texts, places)

    def _layout(self, first: list[str]) -> _Layout:
        """Which columns hold the languages, and whether ``first``, the cells of the first line, names them."""
        columns, header = self.options.columns, self.options.header
        if columns is None:
            named = self._columns_by_language(first) if header != "no" else None
            if named is not None:
                return _Layout(True, named)
            positions = tuple(range(len(self.languages)))
        elif isinstance(columns[0], str):
            return _Layout(True, tuple(self._column_named(str(name), first) for name in columns))
        else:
            positions = tuple(int(column) - 1 for column in columns)
        if header == "auto":
            has_header = max(positions) < len(first) and all(
                _is_heading(first[position], code) for position, code in zip(positions, self.languages, strict=True)
            )
        else:
            has_header = header == "yes"
        if has_header and columns is None:
            self._refuse_contradiction(first)
        return _Layout(has_header, positions)

    def _columns_by_language(self, first: list[str]) -> tuple[int, ...] | None:
        """The positions of the headings that name the languages asked for, or None unless all of them are named."""
        positions = []
        for code in self.languages:
            named = [position for position, cell in enumerate(first) if _language_of_heading(cell) == code]
            if not named:
                return None
            # The longest name, because short codes are also words: "id" is Indonesian, and the usual head of a key.
            positions.append(max(named, key=lambda position: len(first[position].strip())))
        return tuple(positions)

    def _column_named(self, name: str, first: list[str]) -> int:
        names = [cell.strip().casefold() for cell in first]
        count = names.count(name.strip().casefold())
        if count != 1:
            reason = f"no column is named {name!r}" if not count else f"{count} columns are named {name!r}"
            raise InputError(f"{reason}; the header has: {', '.join(first)[:200]}", path=self.path, line=1)
        return names.index(name.strip().casefold())

    def _refuse_contradiction(self, first: list[str]) -> None:
        """Raise InputError where a heading names another language than the one that its position stands for."""
        for position, code in enumerate(self.languages):
            named = _language_of_heading(first[position]) if position < len(first) else None
            if named is not None and named != code:
                reason = f"column {position + 1} is headed {first[position]!r}, not {code}; choose the columns"
                raise InputError(reason, path=self.path, line=1)


def _language_of_heading(cell: str) -> str | None:
    """The language that a heading names: "french", "fra", "fr" or, with a region, "fr-CA"."""
    head = re.split(r"[-_]", cell.strip(), maxsplit=1)[0]
    return language_of_name(cell) or (language_of_name(head) if len(head) in (2, 3) else None)


def _is_heading(cell: str, code: str) -> bool:
    """Whether a cell of the first line is no text of the language ``code`` but the head of its column."""
    cell = cell.strip()
    if _HEADER_WORD.fullmatch(cell) or _language_of_heading(cell) == code:
        return True
    # Short codes of other languages are left out: "no", "he", "is" and "so" are sentences.
    return len(cell) > 3 and _language_of_heading(cell) is not None
