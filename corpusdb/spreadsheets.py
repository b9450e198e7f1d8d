"""What a spreadsheet would run: cells of CSV that begin as formulas do.

CSV is written as the data is, so that what is read back is what was written; a cell such as ``=1+1`` or ``@name`` stays
as it is. A spreadsheet that opens the file takes it for a formula, which may show something else, or fetch from where
the author of the text likes (CWE-1236). So such cells are counted, and the count is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Formulas", "is_formula"]

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
