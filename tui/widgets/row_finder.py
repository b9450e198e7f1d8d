"""Finding a text in rows: which of them hold it, and which comes next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Found", "find_row"]


@dataclass(frozen=True, slots=True)
class Found:
    """A row that holds the text."""

    row: int
    number: int
    """From 1, of the rows that hold it."""
    total: int


def find_row(texts: Iterable[str], needle: str, start: int, direction: int) -> Found | None:
    """The first row from ``start`` on, down or up, that holds a text in any case, else the first from the other end."""
    wanted = needle.casefold()
    rows = [row for row, text in enumerate(texts) if wanted in text.casefold()]
    if not rows:
        return None
    if direction > 0:
        place = next((place for place, row in enumerate(rows) if row >= start), 0)
    else:
        place = next((place for place in range(len(rows) - 1, -1, -1) if rows[place] <= start), len(rows) - 1)
    return Found(rows[place], place + 1, len(rows))
