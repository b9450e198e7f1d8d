"""Every error that corpusdb raises for its users, as one tree.

    CorpusError                    exit code 1
    ├── UsageError                 2    the call itself makes no sense
    │   └── QueryError                  a corpus query that cannot be read; shows where
    ├── InputError                 3    a file or text that cannot be used; says where and why
    ├── StoreError                 4    the database cannot be used as asked
    │   ├── DatabaseMissing             there is no such file
    │   ├── NotADatabase                a file given as the database that is something else
    │   ├── DatabaseDamaged             its content is not what SQLite wrote
    │   ├── DatabaseIsExtract           it holds a part, and the whole is needed
    │   ├── DatabaseLocked              another process is writing
    │   ├── DatabaseReadOnly            a change was asked of a file that may only be read
    │   ├── DatabaseTooNew              written by a later version of corpusdb
    │   └── DatabaseTooOld              written by a version before the first whose databases are brought up to date
    ├── ClusterError               4    Spark cannot compute what it is asked
    └── Cancelled                  130  the user stopped a job; what was committed stays

The command line prints ``str(error)`` on stderr, one line but for a QueryError, and ends with ``exit_code``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from corpusdb.base.cells import cell_width

_LEFT_OUT: Final = " ... "
_MOST_CHARACTERS: Final = 400
MOST_TOLD: Final = 800
"""The most characters of a line on stderr: a place with its reason, and what others say."""
_MOST_OF_A_PLACE: Final = 200
_MOST_BESIDE_FAULT: Final = 33
"""Characters: on a terminal of 80 columns a longer line is broken, and the caret below stands under the rest of it."""
_ALIKE: Final = 0.7
"""How like a name is to one that was perhaps meant, at least: chrf+ is so to chrf++, and meteor not to ter."""
_BREAKS: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def one_line(message: str, most: int = _MOST_CHARACTERS) -> str:
    """A message as one line of at most ``most`` characters: what it quotes may be long, and then lacks its middle."""
    message = _BREAKS.sub(" ", message)
    if len(message) <= most:
        return message
    side = (most - len(_LEFT_OUT)) // 2
    return message[: most - len(_LEFT_OUT) - side] + _LEFT_OUT + message[-side:]


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A question for the names that are like one that there is not; nothing where none is."""
    from difflib import get_close_matches  # what goes well needs none of it

    by_folded = {each.casefold(): each for each in known}
    near = [repr(by_folded[each]) for each in get_close_matches(given.casefold(), by_folded, cutoff=_ALIKE)]
    return f"did you mean {' or '.join(near)}?" if near else ""


def there_are(given: str, known: Iterable[str]) -> str:
    """The names that there are, for the end of a message about one that there is not; what is like it comes first."""
    names = list(known)
    near, listed = did_you_mean(given, names), ", ".join(names)
    return f"{near} There are {listed}" if near else f"there are {listed}"


class CorpusError(Exception):
    """What corpusdb raises on purpose; the message is one line for a person."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class UsageError(CorpusError):
    """The arguments contradict each other or name something that is not there."""

    exit_code = 2


class QueryError(UsageError):
    """A corpus query that cannot be read: the query, the offset of the fault in it, in code points, and the reason.

    The message is the reason and, on two more lines, the query with a caret under the fault.
    """

    def __init__(self, reason: str, *, query: str, position: int) -> None:
        self.reason = one_line(reason)
        self.query = query
        self.position = position
        Exception.__init__(self, f"{self.reason}\n{self.pointer()}")  # the one message of several lines

    def pointer(self) -> str:
        """The line of the query that holds the fault, and below it a line with a caret, counted in terminal cells."""
        first = self.query.rfind("\n", 0, self.position) + 1
        line, at = self.query[first:].partition("\n")[0], self.position - first
        before, behind = line[:at], line[at:]
        if len(before) > _MOST_BESIDE_FAULT:
            before = _LEFT_OUT + before[-_MOST_BESIDE_FAULT:]
        if len(behind) > _MOST_BESIDE_FAULT:
            behind = behind[:_MOST_BESIDE_FAULT] + _LEFT_OUT
        # A tab or another control character would move the caret away from what it points at.
        before, behind = (
            "".join(" " if unicodedata.category(char) == "Cc" else char for char in part) for part in (before, behind)
        )
        return f"{before}{behind}\n{' ' * cell_width(before)}^"


class InputError(CorpusError):
    """Input that cannot be used: the file, the line (counted from 1) and the reason."""

    exit_code = 3

    def __init__(self, reason: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        self.reason = one_line(reason)
        self.path = None if path is None else str(path)
        self.line = line
        file = None if self.path is None else one_line(self.path, _MOST_OF_A_PLACE)
        place = [part for part in (file, None if line is None else str(line)) if part is not None]
        Exception.__init__(self, ": ".join([":".join(place), self.reason]) if place else self.reason)


class StoreError(CorpusError):
    """The database cannot be used as asked."""

    exit_code = 4


class _OfDatabaseFile(StoreError):
    """What is wrong with the file itself: its path and the reason."""

    def __init__(self, reason: str, *, path: Path | str) -> None:
        self.path = str(path)
        super().__init__(f"{one_line(self.path, _MOST_OF_A_PLACE)}: {reason}")


class DatabaseMissing(_OfDatabaseFile):
    """There is no such file."""


class NotADatabase(_OfDatabaseFile):
    """A file given as the database that is something else."""


class DatabaseDamaged(StoreError):
    """The content of the file is not what SQLite wrote."""


class DatabaseIsExtract(StoreError):
    """Something was asked that needs the whole corpus, of a file that holds a part of it."""


class DatabaseLocked(StoreError):
    """Another process holds the write lock and did not let go in time."""


class DatabaseReadOnly(StoreError):
    """A change was asked of a database that may only be read."""


class DatabaseTooNew(StoreError):
    """The schema is of a later version than this program knows."""


class DatabaseTooOld(StoreError):
    """The schema is of a version before the first whose databases are brought up to date."""


class ClusterError(CorpusError):
    """Spark, its workers or the storage that they share cannot be used as asked."""

    exit_code = 4


class Cancelled(CorpusError):
    """The user stopped a job between two transactions."""

    exit_code = 130
