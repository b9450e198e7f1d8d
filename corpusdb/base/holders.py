"""Which process has the lock of a job, and whether it is alive, as far as this machine can tell."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

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
        if self.host != _host():
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


def claimed(token: str, operation: str, started: str) -> Holder:
    """This process as the one that has a lock since ``started``; until it is forgotten, the token is in use."""
    _held.add(token)
    process = (_host(), _boot(), os.getpid(), _process(os.getpid())[1])
    return Holder(token, operation, *process, started, 0)


def forget(token: str) -> None:
    """Let this process take the lock with this token for one that was left behind."""
    _held.discard(token)


def _host() -> str:
    import socket  # with what asks for a lock

    return socket.gethostname()


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
