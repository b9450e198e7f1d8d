"""The lock that lets one job at a time change the corpus and what is derived from it.

SQLite's write lock holds for one transaction; a job is many, with decisions between them that rest on what was read.
The lock is a row of the database, so that it holds for all processes on all machines that share the file. A holder that
is dead is taken over. Every transaction of a job looks whether it still has the lock, so that one that was taken for
dead, and is not, stops before it writes anything.
"""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from corpusdb.corpus.store.permissions import now

__all__ = ["Holder", "JobLock", "current_holder"]

_held: set[str] = set()
"""The tokens of this process that are in use: a row with another one was left behind by a job that could not end."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The job that has the lock."""

    token: str
    operation: str
    host: str
    boot: str
    pid: int
    process_started: int
    started: str
    """UTC, ISO 8601."""
    beats: int

    def __str__(self) -> str:
        return f"`{self.operation}` of process {self.pid} on {self.host}, begun {self.started}"

    @property
    def is_known_dead(self) -> bool:
        """Whether this machine can tell that the process has ended.

        Of a process on another machine, or in another container, nothing can be told.
        """
        if self.host != socket.gethostname():
            return False
        machine, boot, numbers = _split(self.boot)
        own_machine, own_boot, own_numbers = _split(_boot())
        if machine and machine == own_machine and boot != own_boot:
            return True  # this machine was started again since
        if (machine, boot, numbers) != (own_machine, own_boot, own_numbers):
            return False
        if self.pid == os.getpid():
            return self.token not in _held
        return not _is_alive(self.pid, self.process_started)


_HOLDER = """
select token, operation, host, boot, pid, process_started, started, beats from job_lock
"""


def current_holder(connection: sqlite3.Connection) -> Holder | None:
    """The job that has the lock, alive or dead; None where nobody has it."""
    row = connection.execute(_HOLDER).fetchone()
    return None if row is None else Holder(*row)


_TAKE = """
insert or replace into job_lock (id, token, operation, host, boot, pid, process_started, started, beats)
values (1, ?, ?, ?, ?, ?, ?, ?, 0)
"""
_BEAT = "update job_lock set beats = beats + 1 where token = ?"
_DROP = "delete from job_lock where token = ?"


class JobLock:
    """The lock as one job has it. Every method is called inside a transaction of the caller."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.token = secrets.token_hex(8)

    def take(self, connection: sqlite3.Connection) -> None:
        """Write the row, in place of one that was left behind. The transaction must have looked for that first."""
        process = (socket.gethostname(), _boot(), os.getpid(), _process(os.getpid())[1])
        connection.execute(_TAKE, (self.token, self.operation, *process, now()))
        _held.add(self.token)

    def beat(self, connection: sqlite3.Connection) -> bool:
        """Show that the job is alive; False where the lock was taken over."""
        return connection.execute(_BEAT, (self.token,)).rowcount == 1

    def drop(self, connection: sqlite3.Connection) -> None:
        """Remove the row, unless it is another's by now."""
        connection.execute(_DROP, (self.token,))

    def forget(self) -> None:
        """Let this process take the row for one that was left behind, whether or not it could be removed."""
        _held.discard(self.token)


@lru_cache(maxsize=1)
def _boot() -> str:
    """The machine, its present start, and its numbering of processes; what the system does not tell is empty."""
    try:
        numbers = str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        numbers = ""
    return f"{_line('/etc/machine-id')}/{_line('/proc/sys/kernel/random/boot_id')}/{numbers}"


def _split(boot: str) -> tuple[str, ...]:
    return tuple(boot.split("/")) if boot.count("/") == 2 else ("", "", boot)


def _line(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _is_alive(pid: int, started: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it is somebody else's
    state, now = _process(pid)
    return state not in ("Z", "X") and (0 in (started, now) or started == now)


_STATE, _START_TIME = 0, 19
"""Places, behind the name of the program, in the line that Linux gives of a process."""


def _process(pid: int) -> tuple[str, int]:
    """The state of a process, Z where it has ended and its parent does not know, and when it began, in ticks since the
    machine did; empty and 0 where the system does not tell."""
    line = _line(f"/proc/{pid}/stat")
    fields = line[line.rfind(")") + 2 :].split()  # the name of the program may hold anything
    return (fields[_STATE], int(fields[_START_TIME])) if len(fields) > _START_TIME else ("", 0)
