"""Tab-separated text: one unit a line, one cell per language, never quoted.

A double quote is text like any other character: corpora are full of unbalanced ones, and a reader that takes them for
CSV quotes joins lines without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpusdb.formats.files.reading import read_lines
from corpusdb.formats.tables.reading import Row, TableSource

__all__ = ["TsvSource"]


@dataclass(frozen=True, slots=True)
class TsvSource(TableSource):
    """One TSV file; see TableSource for its columns, and for what is refused."""

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All lines of a file, cut at their tabs. Raises InputError as ``read_lines`` does."""
        return ((number, line.split("\t")) for number, line in read_lines(path))
