"""Parts of a translator that take long to make, kept in files of their user between calls.

They stand in $XDG_CACHE_HOME/corpusdb, a file for each, named after the database and the languages, and begin with the
state of the database that they were made from: where it is another one they are made anew, and replace the file, which
is complete or not there. $CORPUSDB_CACHE ``off`` keeps none. Arrays are not read but mapped.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import pickle
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from corpusdb import __version__
from corpusdb.base.errors import CorpusError
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import corpus_fingerprint
from corpusdb.corpus.store.user_history import folder_of_user

__all__ = ["CACHE_VARIABLE", "KeptParts", "cache_folder", "kept_parts"]

CACHE_VARIABLE: Final = "CORPUSDB_CACHE"
_LEAST_SENTENCES: Final = 20_000
"""Of the source language: below that, a translator is made as fast as it is read."""
_MOST_FILES: Final = 20
"""Of all databases and languages; those that were made longest ago are removed."""
_FORMAT: Final = 1
"""Of what stands in the files; another one where the classes of the parts change."""
_ENDING: Final = ".part"
_LEAST_BUFFER: Final = 4096
_ALIGNMENT: Final = 64
_NUMBER: Final = struct.Struct("<Q")
_NUMPY: Final = frozenset(
    (f"numpy.{module}", name)
    for module, name in (
        *(("core.multiarray", "_reconstruct"), ("_core.multiarray", "_reconstruct")),
        *(("core.multiarray", "scalar"), ("_core.multiarray", "scalar")),
        *(("core.numeric", "_frombuffer"), ("_core.numeric", "_frombuffer")),
    )
) | {("numpy", "ndarray"), ("numpy", "dtype")}
"""What arrays are made by; anything else that a file asks for must be a class of this program."""

_T = TypeVar("_T")


def cache_folder() -> Path | None:
    """Where parts are kept; None for a user without a home, and for one who wants none kept."""
    if os.environ.get(CACHE_VARIABLE) == "off":
        return None
    folder = folder_of_user("XDG_CACHE_HOME", ".cache")
    return None if folder is None else folder / "corpusdb"


@dataclass
class KeptParts:
    """The parts of one translator."""

    folder: Path
    name: str
    """With which those of this database and these languages begin."""
    state: bytes
    """Of the database, before anything was read for the parts."""
    _made: dict[str, tuple[object, Mapping[str, object]]] = field(default_factory=dict)

    def load(self, part: str, kind: type[_T], known: Mapping[str, object]) -> _T | None:
        """A part that was kept of this state; None where there is none, or none that could be read.

        ``known`` are the objects that it refers to, by the names under which it was made.
        """
        try:
            with open(self._file(part), "rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid() or status.st_mode & 0o022 or file.read(len(self.state)) != self.state:
                    return None
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            found = _read(content, len(self.state), known)
        except (OSError, ValueError, TypeError, LookupError, AttributeError, ImportError, EOFError, struct.error):
            return None
        except pickle.UnpicklingError:
            return None
        return found if isinstance(found, kind) else None

    def made(self, part: str, value: object, known: Mapping[str, object]) -> None:
        """Note a part that was made, to be written by ``save``."""
        self._made[part] = value, known

    def save(self) -> None:
        """Write the parts that were made; where that is not possible they are made again another time."""
        if not self._made:
            return
        with suppress(OSError, CorpusError, pickle.PicklingError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for part, (value, known) in self._made.items():
                with Outputs(Guard(overwrite=True)) as outputs, outputs.file(self._file(part), mode=0o600) as file:
                    file.write(self.state)
                    _write(file, len(self.state), value, known)
            files = [(each.stat().st_mtime, each) for each in self.folder.glob(f"*{_ENDING}")]
            for _, file_of_before in sorted(files)[:-_MOST_FILES]:
                file_of_before.unlink(missing_ok=True)
        self._made.clear()

    def _file(self, part: str) -> Path:
        return self.folder / f"{self.name}-{part}{_ENDING}"


_SENTENCES = "select count(*) from sentence where language = ?"
_UNFINISHED = "select exists (select 1 from run where finished is null and operation <> 'import')"
_STATE = """
select (select max(id) from run), (select count(*) from run), (select max(finished) from run),
    (select count(*) from sentence), (select max(id) from sentence), (select count(*) from translation)
"""


def kept_parts(store: Store, source: str, target: str) -> KeptParts | None:
    """What is kept for a translator on the whole corpus; None where nothing is worth being kept, or can be.

    Not while a job is unfinished, since what is derived may then change and its run stay the same; of an import, the
    fingerprint of the corpus tells how far it is.
    """
    folder = cache_folder()
    if folder is None or store.connection.execute(_SENTENCES, (source,)).fetchone()[0] < _LEAST_SENTENCES:
        return None
    if store.connection.execute(_UNFINISHED).fetchone()[0]:
        return None
    state = (corpus_fingerprint(store), *store.connection.execute(_STATE).fetchone(), __version__, _FORMAT)
    database = hashlib.sha256(os.fsencode(store.path.resolve())).hexdigest()[:16]
    return KeptParts(folder, f"{database}-{source}-{target}", hashlib.sha256(repr(state).encode()).digest())


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, known: Mapping[str, object], buffers: list[pickle.PickleBuffer]) -> None:
        super().__init__(file, protocol=5, buffer_callback=lambda buffer: self._stays(buffer, buffers))
        self._names = {id(value): name for name, value in known.items()}

    @staticmethod
    def _stays(buffer: pickle.PickleBuffer, buffers: list[pickle.PickleBuffer]) -> bool:
        """Whether an array is written among the rest; otherwise it is one of the buffers."""
        if buffer.raw().nbytes < _LEAST_BUFFER:
            return True
        buffers.append(buffer)
        return False

    def persistent_id(self, value: Any) -> str | None:
        return self._names.get(id(value))


class _Unpickler(pickle.Unpickler):
    """Makes arrays and objects of this program, and nothing else, whatever a file says."""

    def __init__(self, content: memoryview, known: Mapping[str, object], buffers: list[memoryview]) -> None:
        super().__init__(io.BytesIO(content), buffers=buffers)
        self._known = known

    def persistent_load(self, name: Any) -> object:
        return self._known[name]

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module.startswith("corpusdb.") or (module, name) in _NUMPY else None
        if found is None or (module.startswith("corpusdb.") and not isinstance(found, type)):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a translator")
        return found


def _write(file: BinaryIO, at: int, value: object, known: Mapping[str, object]) -> None:
    """Behind ``at`` bytes: how many buffers there are, the size of the rest, the sizes of these, then all of them."""
    buffers: list[pickle.PickleBuffer] = []
    rest = io.BytesIO()
    _Pickler(rest, known, buffers).dump(value)
    sizes = [rest.getbuffer().nbytes, *(each.raw().nbytes for each in buffers)]
    head = b"".join(_NUMBER.pack(number) for number in (len(buffers), *sizes))
    file.write(head)
    at += len(head)
    for content in (rest.getbuffer(), *(each.raw() for each in buffers)):
        padding = -at % _ALIGNMENT
        file.write(bytes(padding))
        file.write(content)
        at += padding + content.nbytes


def _read(content: memoryview, at: int, known: Mapping[str, object]) -> object:
    (count,) = _NUMBER.unpack_from(content, at)
    sizes = struct.unpack_from(f"<{count + 1}Q", content, at + _NUMBER.size)
    at += _NUMBER.size * (count + 2)
    pieces = []
    for size in sizes:
        at += -at % _ALIGNMENT
        if at + size > len(content):
            raise ValueError("the file is cut off")
        pieces.append(content[at : at + size])
        at += size
    return _Unpickler(pieces[0], known, pieces[1:]).load()
