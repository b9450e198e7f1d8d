"""The one way in which the program writes files: each whole or not at all, and never over a database.

A file grows in the folder in which it is to stand, under a name that nobody can guess, ``.corpusdb-``, 32
hexadecimal digits and ``.unfinished``, and gets its own name when it is complete and on the disk. What fails or is
interrupted leaves nothing, and what stood there before stays. Only kill -9 or a power failure leaves such a file: it
is no data, no format reads it (``is_unfinished``), and it may be removed when nobody is writing there. One that ends
in ``.before`` is what stood under a name that was being replaced together with others.

Names are followed as far as they are safe. A symbolic link stays, and what it points to is replaced, where the link
was made by the user or by root; one that leads nowhere, or was made by somebody else, is refused. Pipes and devices,
and stdout and stderr by their names, are written to directly: they hold nothing that could be lost.

A file that begins as those of SQLite do, what belongs to one (``-wal``, ``-shm``, ``-journal``) and the database of
the call are never written over, by whatever name, and other files only when asked for. What another program puts
under the name meanwhile is kept too; where files may be replaced, all but what it puts there between the last look
and the renaming that follows at once.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self, TextIO, TypeAlias

from corpusdb.base.display import walled
from corpusdb.base.errors import CorpusError, InputError, UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

SQLITE: Final = b"SQLite format 3\0"
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
    database: Path | None = None
    """The database of this call, open or not yet there, which never is."""
    overwrite: bool = False
    databases: bool = False
    """Whether that file may be a SQLite database, as an earlier backup is."""


NEW_ONLY: Final = Guard()


@dataclass(frozen=True, slots=True)
class OutputPlace:
    given: Path
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


def place_of(path: Path, guard: Guard) -> OutputPlace | None:
    """Where a file of this name would stand; None for what is written to directly. Raises as check_output."""
    if "\0" in str(path):
        raise UsageError(f"{str(path)!r} is not a file name")
    if str(path) == "-":
        raise UsageError("this cannot be written to standard output (-): name a file")
    with told(path):
        found = _status(path)
        if found is not None and (
            stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode) or own_stream(found) is not None
        ):
            if stat.S_ISREG(found.st_mode):
                _refuse_database(OutputPlace(path, path), guard, found)
            return None
        place = OutputPlace(path, path if found is not None and stat.S_ISDIR(found.st_mode) else _followed(path))
        if found is None and not place.path.parent.is_dir():
            raise InputError("there is no such folder", path=place.path.parent)
        refuse(place, guard)
        return place


def own_stream(found: os.stat_result) -> int | None:
    """The descriptor of stdout or stderr where they go to this, as to /dev/stdout."""
    for descriptor in (1, 2):
        try:
            if os.path.samestat(os.fstat(descriptor), found):
                return descriptor
        except OSError:  # closed
            continue
    return None


def refuse(place: OutputPlace, guard: Guard) -> None:
    """Raise UsageError, or InputError, where a file may not be put."""
    try:
        found = os.lstat(place.path)
    except FileNotFoundError:
        found = None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise UsageError(f"{place.given} is a folder; name a file")
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{place.told} is not a file that can be written")
    _refuse_database(place, guard, found)
    if found is not None and not guard.overwrite:
        raise exists(place)


def exists(place: OutputPlace) -> UsageError:
    return UsageError(f"{place.told} exists already; --overwrite replaces it")


def _refuse_database(place: OutputPlace, guard: Guard, found: os.stat_result | None) -> None:
    path = place.path
    for suffix in ("", *COMPANIONS):
        if guard.database is not None and _is_same(path, _beside(guard.database, suffix)):
            raise UsageError(f"{place.told} is {'a part of ' if suffix else ''}the database itself")
        base = path.with_name(path.name.removesuffix(suffix) or path.name)
        if base != path and _is_database(base, guard):
            raise UsageError(f"{place.told} belongs to the database {base}")
    for log in (_beside(path, suffix) for suffix in _LOG_NAMES):
        size = status.st_size if (status := regular(log)) is not None else 0
        if (found is None or not found.st_size or guard.databases) and size:
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
    return begins_as_database(path)


def begins_as_database(path: Path) -> bool:
    """Whether there is a regular file that begins as SQLite databases do; OSError where it cannot be read."""
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


def _head(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError as error:
        raise InputError("cannot be read, so it may be a database", path=path) from error
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
    raise UsageError(f"{given} is a broken link")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What the system says of a file as one line that names it."""
    try:
        yield
    except BrokenPipeError:  # no fault: whoever read has seen enough
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error


# Files that grow under a name of their own, and get the one that they are to have when they are complete.

Content: TypeAlias = Callable[[TextIO], object]
"""What writes a file: given the open file; what it returns is of no account."""

_BUFFER: Final = 1 << 16
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_UNFINISHED: Final = re.compile(r"\.corpusdb-[0-9a-f]{32}\.unfinished")
_NO_LINKS: Final = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
"""What a file system answers that gives a file one name only."""
_NO_SYNC: Final = {errno.EINVAL, errno.ENOTSUP}
"""What it answers where folders cannot be synchronised."""


@dataclass(slots=True)
class _Complete:
    """A file that waits for its name."""

    place: OutputPlace
    unfinished: Path
    identity: os.stat_result
    was_there: bool = False
    """Whether it replaces another."""
    before: Path | None = None
    """A second name of that other, while it may have to come back."""


def write_files(directory: Path, files: Mapping[str, Content], guard: Guard) -> list[Path]:
    """Write files, by their names, into a directory, which is made if it is missing; returns their paths.

    UTF-8, with line ends as they are written. If one of them fails, none of them is there and those of before stay as
    they were. Raises as check_output does, and InputError where the disk does not allow it.
    """
    with folder_for(directory), Outputs(guard) as outputs:
        for name, write in files.items():
            with outputs.text(directory / name) as file:
                write(file)
    return [directory / name for name in files]


@contextmanager
def folder_for(directory: Path) -> Iterator[None]:
    """Make a folder, and those that it lies in, where they are missing; taken away again where the block fails.

    Raises InputError where it cannot be made.
    """
    with ExitStack() as made:
        with told(directory):
            for folder in reversed([each for each in (directory, *directory.parents) if not each.exists()]):
                folder.mkdir(exist_ok=True)
                made.callback(_if_possible, folder.rmdir)  # which it is where it is empty
            if not directory.is_dir():
                raise InputError("is not a folder", path=directory)
        yield
        made.pop_all()


def append(path: Path, data: bytes, *, mode: int) -> int:
    """Add to the end of a file of the program's own, in one write; returns its size then. A missing one is made.

    Raises OSError, and UsageError for a database and for what is no regular file.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or os.pread(descriptor, len(SQLITE), 0) == SQLITE:
            raise UsageError(f"{path} is not a file of lines")
        os.write(descriptor, data)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


class Outputs:
    """Files that appear together when the block ends, or not at all where it ends with an error.

    They are written one after the other. Where one cannot get its name, those that have theirs are taken back; should
    that fail too, the InputError says which files are new, and where those of before are.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._complete: list[_Complete] = []
        self._leftovers = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._leftovers:
            if kind is None:
                self._give_names()

    @contextmanager
    def file(self, path: Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
        """A file of bytes, which is complete when the block ends.

        Its permissions are ``mode``, else those of the file that it replaces, else what the umask leaves. Raises as
        check_output does; writing raises InputError where the disk does not allow it.
        """
        place = place_of(path, self._guard)
        if place is None:
            with _direct(path) as descriptor, _stream(descriptor, path) as stream:
                yield stream
        else:
            with self._begun(place, mode) as (descriptor, _), _stream(descriptor, path) as stream:
                yield stream

    @contextmanager
    def text(self, path: Path, *, mode: int | None = None) -> Iterator[TextIO]:
        """As ``file``, of text: UTF-8, with line ends as they are written; on a terminal behind its wall."""
        with self.file(path, mode=mode) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="", line_buffering=stream.isatty())
            try:
                yield walled(text)
                text.flush()
            except BaseException:
                with suppress(OSError, CorpusError):
                    text.close()
                raise
            text.detach()

    @contextmanager
    def name(self, path: Path, *, mode: int | None = None) -> Iterator[Path]:
        """The name of the unfinished file, which is there and empty, for what writes by names, as SQLite does."""
        place = place_of(path, self._guard)
        if place is None:
            raise UsageError(f"{path} is not a regular file")
        with self._begun(place, mode) as (_, unfinished):
            for suffix in COMPANIONS:
                self._leftovers.callback(_if_possible, unfinished.with_name(unfinished.name + suffix).unlink)
            yield unfinished

    @contextmanager
    def _begun(self, place: OutputPlace, mode: int | None) -> Iterator[tuple[int, Path]]:
        unfinished = _new_name(place, "unfinished")
        self._leftovers.callback(_if_possible, unfinished.unlink)  # before it is made: nobody else has such a name
        with told(place.given):
            if mode is None and (there := regular(place.path)) is not None:
                mode = there.st_mode & 0o777
            descriptor = os.open(unfinished, _NEW, 0o666 if mode is None else 0o600)
        try:
            yield descriptor, unfinished
            with told(place.given):
                if mode is not None:
                    with suppress(PermissionError):  # a file system without permissions
                        os.fchmod(descriptor, mode)
                os.fsync(descriptor)
                self._complete.append(_Complete(place, unfinished, os.fstat(descriptor)))
        finally:
            os.close(descriptor)

    def _give_names(self) -> None:
        try:
            for each in self._complete:
                with told(each.place.given):
                    self._give_name(each)
        except BaseException as error:
            self._take_names_back(error)
            raise
        for each in self._complete:
            if each.before is not None:
                _if_possible(each.before.unlink)
        for place in {each.place.path.parent: each.place for each in self._complete}.values():
            with told(place.given):
                _sync_folder(place.path.parent)

    def _give_name(self, each: _Complete) -> None:
        refuse(each.place, self._guard)  # once more: much may have happened since the first look
        each.was_there = os.path.lexists(each.place.path)
        if each.was_there and len(self._complete) > 1:
            each.before = _second_name(each.place)
        if self._guard.overwrite:
            os.replace(each.unfinished, each.place.path)
            return
        try:
            os.link(each.unfinished, each.place.path, follow_symlinks=False)  # unlike a renaming it replaces nothing
        except FileExistsError as error:
            raise exists(each.place) from error
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.replace(each.unfinished, each.place.path)

    def _take_names_back(self, error: BaseException) -> None:
        stuck = []
        for each in reversed(self._complete):
            try:
                is_back = _taken_back(each)
            except OSError:
                is_back = False
            if not is_back:
                before = "" if each.before is None else f" (what it was is in {each.before})"
                stuck.append(f"{each.place.given}{before}")
        if stuck:
            raise InputError(f"not all files could be replaced: {error}; new are {', '.join(stuck)}") from error


class _File(io.FileIO):
    """An open file whose failures name it."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with told(self._path):
            return super().write(data)


@contextmanager
def _stream(descriptor: int, path: Path) -> Iterator[BinaryIO]:
    stream = io.BufferedWriter(_File(descriptor, path), _BUFFER)
    try:
        yield stream
        stream.flush()
    finally:
        with suppress(OSError, CorpusError):  # what could not be written a moment ago
            stream.close()


@contextmanager
def _direct(path: Path) -> Iterator[int]:
    """What is no file, or stdout or stderr by another name, opened for writing."""
    with told(path):
        own = own_stream(path.stat())
        if own is None:
            descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
        else:
            for stream in filter(None, (sys.__stdout__, sys.__stderr__)):
                stream.flush()
            descriptor = os.dup(own)  # goes on where the others are, where it is a file
    try:
        if own is None and stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"{path} has just become a file")
        yield descriptor
    finally:
        os.close(descriptor)


def _if_possible(remove: Callable[[], None]) -> None:
    with suppress(OSError):
        remove()


def is_unfinished(path: Path) -> bool:
    """Whether this is what a program that was killed had begun to write: no data, whatever stands in it."""
    return _UNFINISHED.fullmatch(path.name) is not None


def _new_name(place: OutputPlace, ending: str) -> Path:
    return place.path.with_name(f".corpusdb-{os.urandom(16).hex()}.{ending}")


def _second_name(place: OutputPlace) -> Path | None:
    """Give a file another name beside its own; None where the file system cannot."""
    before = _new_name(place, "before")
    try:
        os.link(place.path, before, follow_symlinks=False)
    except OSError:
        return None
    return before


def _taken_back(each: _Complete) -> bool:
    """See to it that what was there before is there again; whether that was possible. Raises OSError."""
    try:
        is_new = os.path.samestat(os.lstat(each.place.path), each.identity)
    except FileNotFoundError:
        is_new = False
    if is_new and each.was_there:
        if each.before is None:
            return False
        os.replace(each.before, each.place.path)
    elif is_new:
        each.place.path.unlink()
    elif each.before is not None:  # it still is, or somebody else has put another there
        each.before.unlink()
    return True


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:  # a folder that one may write to and not list
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)
