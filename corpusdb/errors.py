"""Every error that corpusdb raises for its users, as one tree.

    CorpusError                    exit code 1
    ├── UsageError                 2    the call itself makes no sense
    │   └── QueryError                  a corpus query that cannot be read; shows where
    ├── InputError                 3    a file or text that cannot be used; says where and why
    │   └── NotADatabase                a file given as the database that is something else
    ├── StoreError                 4    the database cannot be used as asked
    │   ├── DatabaseDamaged             its content is not what SQLite wrote
    │   ├── DatabaseLocked              another process is writing
    │   ├── DatabaseReadOnly            a change was asked of a file that may only be read
    │   └── DatabaseTooNew              written by a later version of corpusdb
    └── Cancelled                  130  the user stopped a job; what was committed stays

The command line prints ``str(error)`` on stderr, one line but for a QueryError, and ends with ``exit_code``.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

__all__ = [
    "Cancelled",
    "CorpusError",
    "DatabaseDamaged",
    "DatabaseLocked",
    "DatabaseReadOnly",
    "DatabaseTooNew",
    "InputError",
    "NotADatabase",
    "QueryError",
    "StoreError",
    "UsageError",
]


class CorpusError(Exception):
    """What corpusdb raises on purpose; the message is one line for a person."""

    exit_code = 1


class UsageError(CorpusError):
    """The arguments contradict each other or name something that is not there."""

    exit_code = 2


class QueryError(UsageError):
    """A corpus query that cannot be read: the query, the offset of the fault in it, in code points, and the reason.

    The message is the reason and, on two more lines, the query with a caret under the fault.
    """

    def __init__(self, reason: str, *, query: str, position: int) -> None:
        self.reason = reason
        self.query = query
        self.position = position
        super().__init__(f"{reason}\n{self.pointer()}")

    def pointer(self) -> str:
        """The line of the query that holds the fault, and below it a line with a caret, counted in terminal cells."""
        first = self.query.rfind("\n", 0, self.position) + 1
        line = self.query[first:].partition("\n")[0]
        # A tab or another control character would move the caret away from what it points at.
        shown = "".join(" " if unicodedata.category(char) == "Cc" else char for char in line)
        cells = sum(map(_cells, shown[: self.position - first]))
        return f"{shown}\n{' ' * cells}^"


def _cells(char: str) -> int:
    """How many cells of a terminal ``char`` takes."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


class InputError(CorpusError):
    """Input that cannot be used: the file, the line (counted from 1) and the reason."""

    exit_code = 3

    def __init__(self, reason: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        self.reason = reason
        self.path = None if path is None else str(path)
        self.line = line
        place = [part for part in (self.path, None if line is None else str(line)) if part is not None]
        super().__init__(": ".join([":".join(place), reason]) if place else reason)


class NotADatabase(InputError):
    """A file given as the database that is something else."""


class StoreError(CorpusError):
    """The database cannot be used as asked."""

    exit_code = 4


class DatabaseDamaged(StoreError):
    """The content of the file is not what SQLite wrote."""


class DatabaseLocked(StoreError):
    """Another process holds the write lock and did not let go in time."""


class DatabaseReadOnly(StoreError):
    """A change was asked of a database that may only be read."""


class DatabaseTooNew(StoreError):
    """The schema is of a later version than this program knows."""


class Cancelled(CorpusError):
    """The user stopped a job between two transactions."""

    exit_code = 130
