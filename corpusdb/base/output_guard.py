"""Where a file may stand, and what it may replace."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.base.errors import InputError, UsageError

__all__ = [
    "COMPANIONS",
    "NEW_ONLY",
    "SQLITE",
    "Guard",
    "Place",
    "check_output",
    "exists",
    "own_stream",
    "place_of",
    "refuse",
    "regular",
    "told",
]

SQLITE: Final = b"SQLite format 3\0"
"""How a database begins."""
_LOGS: Final = (
    b"\x37\x7f\x06\x82",  # a write-ahead log, in both byte orders of its checksums
    b"\x37\x7f\x06\x83",
    (3_007_000).to_bytes(4, sys.byteorder),  # the index of one
    b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",  # a rollback journal
)
_LOG_NAMES: Final = ("-wal", "-journal")
COMPANIONS: Final = (*_LOG_NAMES, "-shm")
"""How the files beside a database are called."""
_MOST_LINKS: Final = 40  # as many as Linux follows


@dataclass(frozen=True, slots=True)
class Guard:
    """What may be replaced."""

    database: Path | None = None
    """The database of this call, open or not yet there, which never is."""
    overwrite: bool = False
    """Whether another file may be."""
    databases: bool = False
    """Whether that file may be a SQLite database, as an earlier backup is."""


NEW_ONLY: Final = Guard()
"""Nothing at all."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file is to stand."""

    given: Path
    """What the user calls it."""
    path: Path
    """The same without a link at its end."""

    @property
    def told(self) -> str:
        """How to call it in a message."""
        return str(self.given) if self.given == self.path else f"{self.given} leads to {self.path}, which"


def check_output(path: Path, guard: Guard) -> None:
    """Raise what would be raised if ``path`` were written, so that long work need not begin.

    UsageError for a file that is there and may not be replaced, for a database, a folder, and a link that is not
    followed; InputError for a folder that is not there or may not be written to.
    """
    place = place_of(path, guard)
    if place is not None and not os.access(place.path.parent, os.W_OK | os.X_OK):
        raise InputError(f"cannot be written: {os.strerror(errno.EACCES)}", path=path)


def place_of(path: Path, guard: Guard) -> Place | None:
    """Where a file of this name would stand; None for what is written to directly. Raises as check_output."""
    if "\0" in str(path):
        raise UsageError(f"{str(path)!r} is no name of a file")
    with told(path):
        found = _status(path)
        if found is not None and _is_direct(found):
            if stat.S_ISREG(found.st_mode):
                _refuse_database(Place(path, path), guard, found)
            return None
        place = Place(path, path if found is not None and stat.S_ISDIR(found.st_mode) else _followed(path))
        if found is None and not place.path.parent.is_dir():
            raise InputError("there is no such folder", path=place.path.parent)
        refuse(place, guard)
        return place


def _is_direct(found: os.stat_result) -> bool:
    return stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode) or own_stream(found) is not None


def own_stream(found: os.stat_result) -> int | None:
    """The descriptor of stdout or stderr where they go to this, as to /dev/stdout."""
    for descriptor in (1, 2):
        try:
            if os.path.samestat(os.fstat(descriptor), found):
                return descriptor
        except OSError:  # closed
            continue
    return None


def refuse(place: Place, guard: Guard) -> None:
    """Raise UsageError, or InputError, where a file may not be put."""
    try:
        found = os.lstat(place.path)
    except FileNotFoundError:
        found = None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise UsageError(f"{place.given} is a folder; name a file")
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{place.told} is no file that can be written")
    _refuse_database(place, guard, found)
    if found is not None and not guard.overwrite:
        raise exists(place)


def exists(place: Place) -> UsageError:
    """What to raise for a file that may not be replaced."""
    return UsageError(f"{place.told} exists already; --overwrite replaces it")


def _refuse_database(place: Place, guard: Guard, found: os.stat_result | None) -> None:
    path = place.path
    for suffix in ("", *COMPANIONS):
        if guard.database is not None and _is_same(path, _beside(guard.database, suffix)):
            raise UsageError(f"{place.told} is {'a part of ' if suffix else ''}the database itself")
        base = path.with_name(path.name.removesuffix(suffix) or path.name)
        if base != path and _is_database(base, guard):
            raise UsageError(f"{place.told} belongs to the database {base}")
    for log in (_beside(path, suffix) for suffix in _LOG_NAMES):
        if (found is None or not found.st_size or guard.databases) and _size(log):
            # SQLite would take what is in it for a part of the file. An empty one is what a reader leaves behind.
            raise UsageError(f"{log} is there: a database of that name is in use, or was not closed properly")
    if found is not None and _head(path).startswith(_LOGS):
        raise UsageError(f"{place.told} belongs to a SQLite database, which is never written over")
    if found is not None and not guard.databases and _head(path) == SQLITE:
        raise UsageError(f"{place.told} is a SQLite database, which is never written over")


def _is_database(path: Path, guard: Guard) -> bool:
    # The open database is known by its number and never opened here: to close it again would take away the locks that
    # this process has on it.
    if guard.database is not None and _is_same(path, guard.database):
        return True
    return regular(path) is not None and _head(path) == SQLITE


def _is_same(path: Path, other: Path) -> bool:
    found, status = _status(path), _status(other)
    if found is not None and status is not None:
        return os.path.samestat(found, status)
    return os.path.realpath(path) == os.path.realpath(other)


def _beside(path: Path, suffix: str) -> Path:
    return Path(f"{path}{suffix}")  # as SQLite names it; "." and "/" have no name to which it could be added


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def regular(path: Path) -> os.stat_result | None:
    """What is known of a regular file; None where there is none."""
    found = _status(path)
    return found if found is not None and stat.S_ISREG(found.st_mode) else None


def _size(path: Path) -> int:
    found = regular(path)
    return 0 if found is None else found.st_size


def _head(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError as error:
        raise InputError("may not be read, so that nobody knows whether it is a database", path=path) from error
    try:
        return os.read(descriptor, len(SQLITE))
    finally:
        os.close(descriptor)


def _followed(path: Path) -> Path:
    """The path without a symbolic link at its end. Raises UsageError for a link that is not safe, or leads nowhere."""
    given = path
    for _ in range(_MOST_LINKS):
        try:
            found = os.lstat(path)
        except FileNotFoundError as error:
            if path == given:
                return path
            raise UsageError(f"{given} is a link to {path}, which is not there; name that file itself") from error
        if not stat.S_ISLNK(found.st_mode):
            return path
        if found.st_uid not in (os.geteuid(), 0):
            raise UsageError(f"{path} is a link that another user made; name the file itself")
        path = path.parent / os.readlink(path)
    raise UsageError(f"{given} is a link that leads nowhere")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What the system says of a file as one line that names it."""
    try:
        yield
    except BrokenPipeError:  # no fault: whoever read has seen enough
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error
