"""The one place that opens a text file: UTF-8, plain or gzip, ended by LF, in bounded memory."""

from __future__ import annotations

import atexit
import codecs
import gzip
import hashlib
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO
from weakref import WeakKeyDictionary, finalize

from corpusdb.base.errors import InputError
from corpusdb.base.options import is_sent, number_of
from corpusdb.base.text import without_mark

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from corpusdb.corpus.model import Input

# How much is read of what has no size of its own: packed files and standard input.

RATIO_VARIABLE: Final = "CORPUSDB_MAX_RATIO"
"""How many times its size a packed file may unpack to; text in mark-up hardly comes to 30."""
BYTES_VARIABLE: Final = "CORPUSDB_MAX_GIB"
"""How many GiB may come out of a packed file or standard input."""

_MOST_TIMES: Final = 100
_MOST_GIB: Final = 8
_ALWAYS_READ: Final = 16 << 20
"""Bytes that may come out of any packed file, however small it is."""


def check_unpacked(size: int, stored: int, path: Path) -> None:
    """Raise InputError where a packed file of ``stored`` bytes has unpacked to ``size``, and that is too much."""
    if size <= _ALWAYS_READ:
        return
    times = _setting(RATIO_VARIABLE, _MOST_TIMES)
    if size > times * stored:
        raise InputError(f"unpacks to more than {times:,} times its size; {RATIO_VARIABLE} raises that", path=path)
    if size > _most_bytes():
        raise InputError(f"unpacks to more than {_limit_in_words()}", path=path)


def check_sent(size: int, path: Path) -> None:
    """Raise InputError where standard input, or another pipe, has sent ``size`` bytes, and that is too much."""
    if size > _most_bytes():
        raise InputError(f"holds more than {_limit_in_words()}", path=path)


def _most_bytes() -> int:
    return _setting(BYTES_VARIABLE, _MOST_GIB) << 30


def _limit_in_words() -> str:
    return f"{_setting(BYTES_VARIABLE, _MOST_GIB):,} GiB; {BYTES_VARIABLE} raises that"


def _setting(variable: str, usual: int) -> int:
    """What the environment says, where that is a number above 0."""
    told = os.environ.get(variable, "")
    return (number_of(told) or usual) if told.isdecimal() else usual


# The one place that opens a text file: UTF-8, plain or gzip, ended by LF, in bounded memory. ``read_lines`` is for
# files of lines, ``read_text`` for text where lines mean nothing, and ``unpacked`` with ``read_piece`` for bytes in an
# encoding that the file itself declares.
#
# Only LF ends a line. Corpora hold U+2028, U+0085, vertical tabs and form feeds inside their sentences, and readers
# that break lines there (Python's ``str.splitlines`` is one) put two files out of step.

MAX_LINE: Final = 1 << 20
"""The longest line that is read, in bytes without its line end: 1 MiB."""
STDIN: Final = Path("-")

_PIECE = 1 << 17
_GZIP = b"\x1f\x8b"
# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_WIDE_BOMS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_PACKED = {b"BZh91AY&SY": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd"}

# Standard input and pipes can be read only once, sources more than once: for their format, digest and lines. The copy
# lives as long as the stream that it came from; it has no name, so that nothing of it is left however the process ends.
_spools: WeakKeyDictionary[TextIO, BinaryIO] = WeakKeyDictionary()
_spools_of_pipes: dict[int, BinaryIO] = {}
"""Of what a shell puts for <(...), by the numbers of their inodes, of which no two pipes have the same."""

_noted: ContextVar[list[Path] | None] = ContextVar("noted", default=None)


@contextmanager
def files_read() -> Iterator[list[Path]]:
    """The files that are opened inside the block, as they are named and in that order, one that is read twice twice."""
    files: list[Path] = []
    token = _noted.set(files)
    try:
        yield files
    finally:
        _noted.reset(token)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a file as (number from 1, text without its line end); ``-`` is standard input.

    LF or CRLF ends a line; any other CR is text. The last line needs no end. A UTF-8 byte order mark is dropped, and
    noted: see marks_dropped. At most MAX_LINE and a little of the file are in memory. Raises InputError, with the line
    where there is one, for a file that is missing, not regular, unreadable, empty, not UTF-8 or cut off, and for NUL
    bytes and overlong lines; the lines before come first.
    """
    for lines in _pieces_of_lines(path):
        if isinstance(lines, InputError):
            raise lines
        yield from lines


def read_lines_and_faults(path: Path) -> Iterator[tuple[int, str | InputError]]:
    """The same where lines may be bad: one that is not UTF-8, holds a NUL byte or is overlong is its InputError.

    Raises InputError for what is no fault of one line.
    """
    for lines in _pieces_of_lines(path):
        if isinstance(lines, InputError):
            yield lines.line or 1, lines
        else:
            yield from lines


def _pieces_of_lines(path: Path) -> Iterator[Iterable[tuple[int, str]] | InputError]:
    """Lines that follow each other, with their numbers, and for each line that cannot be read what is wrong with it."""
    number, rest, is_inside_overlong = 1, b"", False
    with unpacked(path) as stream:
        piece = _without_bom(read_piece(stream, path, number), path)
        if not piece:
            raise InputError("the file is empty", path=path)
        while piece:
            data = rest + piece
            end = data.find(b"\n")
            # A piece is shorter than MAX_LINE, so only the line that began in a piece before can be too long.
            if is_inside_overlong or (end if end >= 0 else len(data)) > MAX_LINE:
                if not is_inside_overlong:
                    yield InputError(f"the line is longer than {MAX_LINE:,} bytes", path=path, line=number)
                is_inside_overlong = end < 0
                data = b"" if is_inside_overlong else data[end + 1 :]
                number += not is_inside_overlong
            last = data.rfind(b"\n")
            rest = data[last + 1 :]
            if last >= 0:
                yield from _decoded_lines(data[: last + 1], path, number)
                number += data.count(b"\n", 0, last + 1)
            piece = read_piece(stream, path, number)
    if rest:
        yield _decoded_line(rest, path, number)


def _decoded_lines(data: bytes, path: Path, number: int) -> Iterator[Iterable[tuple[int, str]] | InputError]:
    """Whole lines, the first of them ``number``: together where all can be read, and else one by one."""
    try:
        lines = _decode(data, path, number).replace("\r\n", "\n").split("\n")
    except InputError:
        for at, line in enumerate(data.split(b"\n")[:-1], number):
            yield _decoded_line(line.removesuffix(b"\r"), path, at)
    else:
        lines.pop()
        yield enumerate(lines, number)


def _decoded_line(data: bytes, path: Path, number: int) -> Iterable[tuple[int, str]] | InputError:
    try:
        return [(number, _decode(data, path, number))]
    except InputError as error:
        return error


def read_text(path: Path) -> Iterator[str]:
    """The text of a file in pieces of any length, for formats in which a line is nothing; ``-`` is standard input.

    A UTF-8 byte order mark is dropped, line ends stay as they are. Raises InputError as ``read_lines`` does, but for
    the length of lines.
    """
    line = 1
    decode = codecs.getincrementaldecoder("utf-8")().decode
    with unpacked(path) as stream:
        piece = _without_bom(read_piece(stream, path, line), path)
        if not piece:
            raise InputError("the file is empty", path=path)
        while piece:
            yield (text := _checked_text(decode, piece, path, line))
            line += text.count("\n")
            piece = read_piece(stream, path, line)
    _checked_text(decode, b"", path, line)


def first_line(path: Path) -> str:
    """The first line of a file. Raises InputError as ``read_lines`` does."""
    for _, line in read_lines(path):
        return line
    return ""


def digest_of(paths: Iterable[Path]) -> str:
    """SHA-256 over the bytes of the files as they are stored, one after the other, in hexadecimal."""
    digest = hashlib.sha256()
    for path in paths:
        with _open_bytes(path) as stream:
            try:
                while piece := stream.read(_PIECE):
                    digest.update(piece)
            except OSError as error:
                raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    return digest.hexdigest()


def _open_bytes(path: Path) -> BufferedReader:
    try:
        if path == STDIN:
            return BufferedReader(_Again(_spool_of_stdin()))
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise InputError("is a directory, not a file", path=path)
        if stat.S_ISFIFO(mode) and is_sent(path):
            return BufferedReader(_Again(_spool_of_pipe(path)))
        if not stat.S_ISREG(mode):
            # It may have no writer, and would be waited for.
            raise InputError("is not a regular file; send its content to standard input and name it -", path=path)
        return open(path, "rb")
    except FileNotFoundError as error:
        raise InputError("no such file", path=path) from error
    except PermissionError as error:
        raise InputError("no permission to read it", path=path) from error
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror or error}", path=path) from error


class _Again(RawIOBase):
    """A file from its beginning, whoever else reads it at the same time."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._at = 0

    def fileno(self) -> int:
        return self._file.fileno()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET:
            raise OSError("only places from the beginning are known")
        self._at = offset
        return offset

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        data = memoryview(buffer).cast("B")
        piece = os.pread(self._file.fileno(), len(data), self._at)
        data[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def _spool_of_stdin() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("there is no standard input", path=STDIN)
    if sys.stdin not in _spools:
        _spools[sys.stdin] = spool = _spooled(sys.stdin.buffer, STDIN)
        finalize(sys.stdin, spool.close)
    return _spools[sys.stdin]


def _spool_of_pipe(path: Path) -> BinaryIO:
    pipe = os.stat(path).st_ino
    if pipe not in _spools_of_pipes:
        with open(path, "rb") as sent:
            _spools_of_pipes[pipe] = spool = _spooled(sent, path)
        atexit.register(spool.close)
    return _spools_of_pipes[pipe]


def _spooled(stream: BinaryIO, path: Path) -> BinaryIO:
    """All that a stream sends, in a file that has no name."""
    with ExitStack() as unless_all_came:
        spool = unless_all_came.enter_context(tempfile.TemporaryFile(prefix="corpusdb-"))
        while piece := stream.read(_PIECE):
            check_sent(spool.tell() + len(piece), path)
            spool.write(piece)
        spool.flush()
        unless_all_came.pop_all()
    return spool


class _Unpacked(gzip.GzipFile):
    """What comes out of a packed file, as long as that is in proportion to what went in."""

    def __init__(self, stored: BufferedReader, path: Path) -> None:
        super().__init__(fileobj=stored)
        self._path = path
        self._stored = os.fstat(stored.fileno()).st_size
        self._given = 0

    def read1(self, size: int = -1) -> bytes:
        piece = super().read1(size)
        self._given += len(piece)
        check_unpacked(self._given, self._stored, self._path)
        return piece


@contextmanager
def unpacked(path: Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """The bytes of a file, plain or out of gzip; ``-`` is standard input. Raises InputError if it cannot be opened."""
    with _open_bytes(path) as stored:
        if (noted := _noted.get()) is not None:
            noted.append(path)
        magic = read_piece(stored, path, 1, len(_GZIP))
        stored.seek(0)
        if magic == _GZIP:
            with _Unpacked(stored, path) as unpacked:
                yield unpacked
        else:
            yield stored


def read_piece(stream: BufferedReader | gzip.GzipFile, path: Path, line: int, size: int = _PIECE) -> bytes:
    """The next bytes, none at the end; ``line`` is the one that an InputError is reported for."""
    try:
        # read1 and not read: what was unpacked before the damage is handed over before the error is raised.
        return stream.read1(size)
    except EOFError as error:
        raise InputError("the gzip file is cut off", path=path, line=line) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError("the gzip file is corrupt", path=path, line=line) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path, line=line) from error


def _without_bom(head: bytes, path: Path) -> bytes:
    """The first piece without its byte order mark. Raises InputError where it is no UTF-8 text at all."""
    for bom, encoding in _WIDE_BOMS.items():
        if head.startswith(bom):
            raise InputError(f"looks like {encoding}; convert to UTF-8", path=path, line=1)
    refuse_packed(head, path)
    sample = head[:4096]
    if sample.count(0) * 4 > len(sample):
        raise InputError("looks like UTF-16; convert to UTF-8", path=path, line=1)
    return without_mark(head, str(path))


def refuse_packed(head: bytes, path: Path) -> None:
    """Raises InputError where a file begins as those of packers do that are not read here."""
    for magic, packer in _PACKED.items():
        if head.startswith(magic):
            raise InputError(f"is a {packer} file; unpack it first", path=path, line=1)


def _checked_text(decode: Callable[[bytes, bool], str], piece: bytes, path: Path, line: int) -> str:
    """The next text, the last where ``piece`` is empty; ``line`` is where it begins. Raises InputError as it must."""
    try:
        text = decode(piece, not piece)
    except UnicodeDecodeError as error:
        reason = f"invalid UTF-8: byte 0x{error.object[error.start]:02X}"
        line += error.object.count(b"\n", 0, error.start)
        raise InputError(reason, path=path, line=line) from error
    nul = text.find("\0")
    if nul >= 0:
        raise InputError("NUL byte", path=path, line=line + text.count("\n", 0, nul))
    return text


def _decode(data: bytes, path: Path, line: int) -> str:
    """Whole lines as text; ``line`` is the number of the first. Raises InputError at the first bad byte."""
    nul = data.find(0)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at, reason = error.start, f"invalid UTF-8: byte 0x{data[error.start]:02X}"
    else:
        if nul < 0:
            return text
        at = nul
    if 0 <= nul <= at:
        at, reason = nul, "NUL byte"
    column = at - data.rfind(b"\n", 0, at)
    raise InputError(f"{reason} at byte {column} of the line", path=path, line=line + data.count(b"\n", 0, at))


# How much text files hold, without reading them: what can be said before work on them begins.

_USUAL_RATIO: Final = 3.5
"""Bytes of text in one of gzip, where a file does not tell: so for the corpora of Tatoeba (3.0 to 3.8) and Multi30k."""
_MOST_RATIO: Final = 1032
"""No byte of gzip can stand for more (deflate, RFC 1951)."""


def unpacked_size(paths: Iterable[Path]) -> int | None:
    """The bytes of all files together as they are read, those of gzip unpacked.

    The last four bytes of a gzip file are the size of its last member modulo 2^32 (RFC 1952, 2.3.1). Where that cannot
    be the whole, as it is smaller than the file itself or too large for it, the usual ratio is taken instead. Files put
    together of several members, or of more than 4 GiB, may hold more than they tell. None for standard input, pipes,
    and files that cannot be read, which is told elsewhere.
    """
    total = 0
    for path in paths:
        try:
            if path == STDIN or not path.is_file():  # opening a pipe would wait for its writer
                return None
            total += _size(path)
        except OSError:
            return None
    return total


def _size(path: Path) -> int:
    stored = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(_GZIP)) != _GZIP:
            return stored
        file.seek(max(0, stored - 4))
        told = int.from_bytes(file.read(4), "little")
    return told if stored < told <= stored * _MOST_RATIO else round(stored * _USUAL_RATIO)


def file_inputs(paths: Iterable[Path]) -> Iterator[Input]:
    """The files, each once, as they are now; what was sent has no digest, since nobody has it afterwards.

    Raises InputError for a file that is not there any more.
    """
    from corpusdb.corpus.model import Input  # which costs every help that lists formats

    for path in dict.fromkeys(paths):
        if is_sent(path):
            yield Input("file", str(path), "")
        elif not path.is_file():
            raise InputError("it was read then, but is not there now; replay where it is", path=path)
        else:
            yield Input("file", str(path), digest_of([path]))
