"""What stands between a process and the system: every operation on a file or on memory, and a fault at the n-th."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

# What stands between SQLite and the system: every operation on a file, and every allocation, can be made to fail.
#
# The default VFS of the SQLite that Python has loaded is replaced by one that hands everything on, but asks first. It
# is meant for a child process, since it stays. SQLite is reached through the symbols that Python's own module is
# linked to.


FAILURES: Final = {
    "write": sqlite3.SQLITE_IOERR_WRITE,
    "full": sqlite3.SQLITE_FULL,
    "sync": sqlite3.SQLITE_IOERR_FSYNC,
    "truncate": sqlite3.SQLITE_IOERR_TRUNCATE,
    "open": sqlite3.SQLITE_CANTOPEN,
    "delete": sqlite3.SQLITE_IOERR_DELETE,
    "share": sqlite3.SQLITE_IOERR_SHMMAP,
    "read": sqlite3.SQLITE_IOERR_READ,
}
"""The operations on files, and what SQLite is told where they fail; ``full`` is a write, too."""
MEMORY: Final = "allocate"

_Address: TypeAlias = "int | None"


class Watcher(Protocol):
    """What is asked before each operation, and told of those that were done."""

    def fails(self, kind: str) -> bool:
        """Whether this operation is to fail; asked of a write as ``write`` and as ``full``."""
        ...

    def opened(self, file: int, path: str) -> None:
        """A database, journal or log was opened; ``file`` is what SQLite knows it by, until it is closed."""
        ...

    def done(self, file: int, kind: str, offset: int, data: bytes) -> None:
        """A write, a truncation to ``offset``, a sync or a close was done."""
        ...

    def deleted(self, path: str) -> None:
        """A file was deleted."""
        ...


# Names are passed on as addresses: SQLite keeps them.
_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_Delete = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
_Close = CFUNCTYPE(c_int, c_void_p)
_Transfer = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)
_Map = CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_int, c_void_p)


class _Vfs(Structure):
    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _Open),
        ("delete", _Delete),
        ("others", c_void_p * 13),
    )


class _Methods(Structure):
    _fields_ = (
        ("version", c_int),
        ("close", _Close),
        ("read", _Transfer),
        ("write", _Transfer),
        ("truncate", _Truncate),
        ("sync", _Sync),
        ("others", c_void_p * 7),
        ("map", _Map),
        ("last", c_void_p * 5),
    )


class _File(Structure):
    _fields_ = (("methods", c_void_p),)


_MAIN_FILES: Final = 0x00000100 | 0x00000800 | 0x00080000  # SQLITE_OPEN_MAIN_DB, _MAIN_JOURNAL and _WAL
_kept: list[object] = []
"""What SQLite holds pointers to."""


def library() -> ctypes.CDLL | None:
    """The SQLite that Python's module is linked to; None where its functions cannot be reached."""
    import _sqlite3

    try:
        found = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        found.sqlite3_vfs_find.restype = POINTER(_Vfs)
        found.sqlite3_libversion.restype = c_char_p
    except (OSError, AttributeError):
        return None
    return found if found.sqlite3_libversion().decode() == sqlite3.sqlite_version else None


def interpose(watcher: Watcher, *, memory: bool = False) -> None:
    """Ask ``watcher`` before each operation of this process on files, and with ``memory`` before each allocation.

    Raises RuntimeError where SQLite cannot be reached. No database may be open.
    """
    sqlite = library()
    if sqlite is None:
        raise RuntimeError("the SQLite of Python's module cannot be reached")
    if memory:
        _interpose_memory(sqlite, watcher)
    original = sqlite.sqlite3_vfs_find(None)
    changed = _Vfs.from_buffer_copy(original.contents)
    changed.name = b"attack"
    changed.open, changed.delete = _open(original, watcher), _delete(original, watcher)
    _kept.extend((original, changed, watcher))
    if sqlite.sqlite3_vfs_register(ctypes.byref(changed), 1):
        raise RuntimeError("SQLite takes no other VFS")


def _open(original: Any, watcher: Watcher) -> Any:
    opens, table = original.contents.open, _FileMethods(watcher)

    def open_file(_: _Address, name: _Address, address: int, flags: int, told: _Address) -> int:
        if watcher.fails("open"):
            return FAILURES["open"]
        code: int = opens(ctypes.addressof(original.contents), name, address, flags, told)
        if code == sqlite3.SQLITE_OK:
            table.replace(address)
            if name is not None and flags & _MAIN_FILES:
                watcher.opened(address, ctypes.string_at(name).decode())
        return code

    return _Open(open_file)


def _delete(original: Any, watcher: Watcher) -> Any:
    deletes = original.contents.delete

    def delete(_: _Address, name: int, sync: int) -> int:
        if watcher.fails("delete"):
            return FAILURES["delete"]
        code: int = deletes(ctypes.addressof(original.contents), name, sync)
        if code == sqlite3.SQLITE_OK:
            watcher.deleted(ctypes.string_at(name).decode())
        return code

    return _Delete(delete)


class _FileMethods:
    """The methods of open files: those of the system, of each file its own, behind ones that ask first."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._original: dict[int, _Methods] = {}
        self._changed: dict[int, _Methods] = {}

    def replace(self, address: int) -> None:
        """Put the methods that ask first in the place of those that the file was opened with."""
        file = _File.from_address(address)
        place = int(file.methods)
        original = _Methods.from_address(place)
        if place not in self._changed:
            changed = _Methods.from_buffer_copy(original)
            self._put(changed)
            self._changed[place] = changed
        self._original[address] = original
        file.methods = ctypes.addressof(self._changed[place])

    def _put(self, methods: _Methods) -> None:
        methods.close, methods.sync = _Close(self._close), _Sync(self._sync)
        methods.read, methods.write = _Transfer(self._read), _Transfer(self._write)
        methods.truncate = _Truncate(self._truncate)
        if methods.version >= 2:
            methods.map = _Map(self._map)

    def _close(self, address: int) -> int:
        original = self._original.pop(address)
        self._watcher.done(address, "close", 0, b"")
        _File.from_address(address).methods = ctypes.addressof(original)
        return int(original.close(address))

    def _read(self, address: int, buffer: int, size: int, offset: int) -> int:
        if self._watcher.fails("read"):
            return FAILURES["read"]
        return int(self._original[address].read(address, buffer, size, offset))

    def _write(self, address: int, buffer: int, size: int, offset: int) -> int:
        """One that fails has written a half."""
        write: Callable[..., int] = self._original[address].write
        for kind in ("write", "full"):
            if self._watcher.fails(kind):
                write(address, buffer, size // 2, offset)
                return FAILURES[kind]
        code = write(address, buffer, size, offset)
        if code == sqlite3.SQLITE_OK:
            self._watcher.done(address, "write", offset, ctypes.string_at(buffer, size))
        return code

    def _truncate(self, address: int, size: int) -> int:
        if self._watcher.fails("truncate"):
            return FAILURES["truncate"]
        code = int(self._original[address].truncate(address, size))
        if code == sqlite3.SQLITE_OK:
            self._watcher.done(address, "truncate", size, b"")
        return code

    def _sync(self, address: int, flags: int) -> int:
        if self._watcher.fails("sync"):
            return FAILURES["sync"]
        code = int(self._original[address].sync(address, flags))
        if code == sqlite3.SQLITE_OK:
            self._watcher.done(address, "sync", 0, b"")
        return code

    def _map(self, address: int, page: int, size: int, extend: int, mapped: int) -> int:
        if self._watcher.fails("share"):
            return FAILURES["share"]
        return int(self._original[address].map(address, page, size, extend, mapped))


_Allocate = CFUNCTYPE(c_void_p, c_int)
_Reallocate = CFUNCTYPE(c_void_p, c_void_p, c_int)


class _Memory(Structure):
    _fields_ = (
        ("allocate", _Allocate),
        ("free", c_void_p),
        ("reallocate", _Reallocate),
        ("others", c_void_p * 5),
    )


_SET_MALLOC, _GET_MALLOC = 4, 5  # SQLITE_CONFIG_MALLOC and SQLITE_CONFIG_GETMALLOC


def _interpose_memory(sqlite: ctypes.CDLL, watcher: Watcher) -> None:
    original, changed = _Memory(), _Memory()
    sqlite.sqlite3_shutdown()
    for into in (original, changed):
        if sqlite.sqlite3_config(_GET_MALLOC, ctypes.byref(into)):
            raise RuntimeError("SQLite does not tell how it allocates memory")
    allocate, reallocate = original.allocate, original.reallocate

    def allocated(size: int) -> _Address:
        return None if watcher.fails(MEMORY) else allocate(size)

    def reallocated(place: int, size: int) -> _Address:
        return None if watcher.fails(MEMORY) else reallocate(place, size)

    changed.allocate, changed.reallocate = _Allocate(allocated), _Reallocate(reallocated)
    _kept.extend((original, changed))
    if sqlite.sqlite3_config(_SET_MALLOC, ctypes.byref(changed)) or sqlite.sqlite3_initialize():
        raise RuntimeError("SQLite takes no other memory")


# A fault at the n-th operation of a process on its files or memory: the operation fails, or the process is killed.


_PYTHONS: Final = ("replace", "link", "rename", "fsync")
"""What Python itself does with files that it has written, by the names in the module os."""
ON_FILES: Final = (*FAILURES, *_PYTHONS)
KINDS: Final = (*ON_FILES, MEMORY)
FIRED: Final = ".fired"
"""The file that the process leaves in its folder where the operation was reached."""
COUNTS: Final = ".counts"
"""The file with how many operations of each kind there were; only where the process came to its end."""


@dataclass
class Injection:
    """Around a program: the ``nth`` operation of these kinds, from 1, fails, or with it the process is killed.

    With ``nth`` 0 all are counted and none fails. Operations behind the one that failed fail too if it is ``lasting``.
    """

    kinds: tuple[str, ...]
    nth: int
    action: Literal["fail", "kill"] = "fail"
    lasting: bool = False
    _seen: Counter[str] = field(default_factory=Counter)
    _reached: int = 0

    def __enter__(self) -> None:
        interpose(self, memory=MEMORY in self.kinds)
        for name in _PYTHONS:
            setattr(os, name, self._guarded(name, getattr(os, name)))

    def __exit__(self, *exception: object) -> None:
        Path(COUNTS).write_text(json.dumps(self._seen), encoding="utf-8")

    def fails(self, kind: str) -> bool:
        """Whether this operation is to fail."""
        self._seen[kind] += 1
        if kind not in self.kinds:
            return False
        self._reached += 1
        if self.nth == 0 or self._reached < self.nth or (self._reached > self.nth and not self.lasting):
            return False
        if self._reached == self.nth:
            os.close(os.open(FIRED, os.O_CREAT | os.O_WRONLY, 0o600))
        if self.action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def opened(self, file: int, path: str) -> None:
        """Nothing is kept of it."""

    def done(self, file: int, kind: str, offset: int, data: bytes) -> None:
        """Nothing is kept of it."""

    def deleted(self, path: str) -> None:
        """Nothing is kept of it."""

    def _guarded(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self.fails(name):
                raise OSError(errno.EIO, os.strerror(errno.EIO), *arguments[:1])
            return original(*arguments, **named)

        return call
