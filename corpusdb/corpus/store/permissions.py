"""The time as rows have it, and who may read a database."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

# The time, in the one form in which rows have it.


def now() -> str:
    """The time now, as every row has it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# Who may read a database: a new one as the user's umask has it, and one that names judges nobody else.


def mode_of(path: Path) -> str:
    """The permissions of a file as `ls` and `chmod` write them, such as ``0600 -rw-------``."""
    mode = path.stat().st_mode
    return f"{stat.S_IMODE(mode):04o} {stat.filemode(mode)}"


def keep_private(path: Path) -> bool:
    """Let only the owner read and write a database, with its logs; whether that had to be changed.

    A group that may write to it shares it on purpose, and keeps it: then only all others lose it. A file of somebody
    else stays as it is. SQLite gives the logs that it makes later the permissions of the database.
    """
    changed = False
    for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        try:
            found = file.stat()
            mode = stat.S_IMODE(found.st_mode)
            private = mode & (0o660 if mode & stat.S_IWGRP else 0o600)
            if mode != private and found.st_uid == os.geteuid():
                file.chmod(private)
                changed = changed or file == path
        except OSError:  # a log that has gone meanwhile, or a file system that knows no permissions
            continue
    return changed
