"""The one way in which the program writes files: each whole or not at all, and never over a database."""

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
from corpusdb.base.output_guard import (
    COMPANIONS,
    NEW_ONLY,
    SQLITE,
    Guard,
    Place,
    check_output,
    exists,
    own_stream,
    place_of,
    refuse,
    regular,
    told,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "NEW_ONLY",
    "Content",
    "Guard",
    "Outputs",
    "append",
    "check_output",
    "folder_for",
    "is_unfinished",
    "write_files",
]


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

    place: Place
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
                raise InputError("is no folder", path=directory)
        yield
        made.pop_all()


def append(path: Path, data: bytes, *, mode: int) -> int:
    """Add to the end of a file of the program's own, in one write; returns its size then. A missing one is made.

    Raises OSError, and UsageError for a database and for what is no regular file.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or os.pread(descriptor, len(SQLITE), 0) == SQLITE:
            raise UsageError(f"{path} is no file of lines")
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
            raise UsageError(f"{path} is no regular file")
        with self._begun(place, mode) as (_, unfinished):
            for suffix in COMPANIONS:
                self._leftovers.callback(_if_possible, unfinished.with_name(unfinished.name + suffix).unlink)
            yield unfinished

    @contextmanager
    def _begun(self, place: Place, mode: int | None) -> Iterator[tuple[int, Path]]:
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


def _new_name(place: Place, ending: str) -> Path:
    return place.path.with_name(f".corpusdb-{os.urandom(16).hex()}.{ending}")


def _second_name(place: Place) -> Path | None:
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


# The one way in which the program writes files: each whole or not at all, and never over a database.
#
# A file grows in the folder in which it is to stand, under a name that nobody can guess, ``.corpusdb-``, 32
# hexadecimal digits and ``.unfinished``, and gets its own name when it is complete and on the disk. What fails or is
# interrupted leaves nothing, and what stood there before stays. Only kill -9 or a power failure leaves such a file: it
# is no data, no format reads it (``is_unfinished``), and it may be removed when nobody is writing there. One that ends
# in ``.before`` is what stood under a name that was being replaced together with others.
#
# Names are followed as far as they are safe. A symbolic link stays, and what it points to is replaced, where the link
# was made by the user or by root; one that leads nowhere, or was made by somebody else, is refused. Pipes and devices,
# and stdout and stderr by their names, are written to directly: they hold nothing that could be lost.
#
# A file that begins as those of SQLite do, what belongs to one (``-wal``, ``-shm``, ``-journal``) and the database of
# the call are never written over, by whatever name, and other files only when asked for. What another program puts
# under the name meanwhile is kept too; where files may be replaced, all but what it puts there between the last look
# and the renaming that follows at once.
