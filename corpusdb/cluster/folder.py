"""The folder of a run, on this machine or on any file system that Spark knows, and what each step was made of."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from errno import EDQUOT, ENOSPC
from fcntl import LOCK_EX, LOCK_NB, flock
from itertools import count
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final
from weakref import finalize

from corpusdb import __version__
from corpusdb.base.errors import ClusterError, InputError, UsageError
from corpusdb.base.holders import Holder, claimed, forget
from corpusdb.cluster.session import is_address

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def run_folder(place: Path | str, session: SparkSession | None = None) -> RunFolder:
    """The folder at a path or an address. Raises UsageError for an address without a session, which alone knows it."""
    if not is_address(place):
        return RunFolder(Path(str(place).removeprefix("file://")))
    if session is None:
        raise UsageError(f"{place} needs Spark, which is not running")
    return AddressedFolder(str(place), session)


class RunFolder:
    """A folder of this machine; of a cluster all its machines see it under the same name."""

    def __init__(self, place: Path) -> None:
        self._name = str(place)
        self._place = place.resolve()

    def __str__(self) -> str:
        """As it was named."""
        return self._name

    @property
    def log(self) -> Path:
        """Where what Spark says is kept."""
        return self._place / "spark.log"

    def location(self, step: str) -> str:
        """Where Spark finds a step: nothing in it is quoted, as it would be in an address."""
        return f"file://{self._place / step}"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Inside the block no other process of this machine runs in the folder. Raises InputError where one does.

        Raises ClusterError where the disk gets full.
        """
        with (self._place / _OWN).open("r+b") as own:
            try:
                flock(own, LOCK_EX | LOCK_NB)
            except BlockingIOError as error:
                raise InputError("another run is at work in it", path=self._name) from error
            except OSError:  # a file system without locks
                pass
            try:
                yield
            except OSError as error:
                if error.errno not in (ENOSPC, EDQUOT):
                    raise
                raise ClusterError(f"the disk is full: {self._name}") from error

    def names(self) -> list[str] | None:
        """What is in the folder; None where there is none. Raises InputError for what is no folder."""
        if self._place.exists() and not self._place.is_dir():
            raise InputError("is not a folder", path=self._name)
        return [path.name for path in self._place.iterdir()] if self._place.exists() else None

    def make(self) -> None:
        self._place.mkdir(parents=True)

    def exists(self, name: str) -> bool:
        return (self._place / name).exists()

    def text(self, name: str) -> str:
        """What a small file holds."""
        return (self._place / name).read_text(encoding="utf-8")

    def write_text(self, name: str, text: str) -> None:
        """Write it under another name first, so that it is there whole or not at all."""
        unfinished = self._place / f"{name}.unfinished"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self._place / name)

    def files(self, step: str) -> Path:
        """The files of a complete step, or one of them, as pyarrow opens them."""
        return self._place / step

    def files_here(self, step: str) -> list[Path]:
        """The files of a step that are on this machine in any case."""
        place = self._place / step
        return sorted(place.glob("*.parquet")) if place.is_dir() else [place]

    @contextmanager
    def filled(self, step: str) -> Iterator[Path]:
        """Inside the block, an empty folder on this machine, whose files are those of the step at its end."""
        (self._place / step).mkdir()
        yield self._place / step

    def remove(self, name: str) -> None:
        """Remove a file, or a step with all its files; nothing where there is none."""
        if (self._place / name).is_dir():
            shutil.rmtree(self._place / name, ignore_errors=True)
        else:
            (self._place / name).unlink(missing_ok=True)

    def on_workers(self, step: str) -> tuple[str, bool]:
        """Where workers find the files of a step, and whether they were sent to them."""
        return str(self._place / step), False


class AddressedFolder(RunFolder):
    """A folder on a file system of Hadoop's interface: hdfs, s3a, gs, abfs, viewfs ...

    What the driver reads of it is copied to a folder of this machine first, and what it writes is made there. Files are
    renamed when they are whole where the file system can do that at once, and appear whole where it has no renaming.
    """

    def __init__(self, address: str, session: SparkSession) -> None:
        self._address = address.rstrip("/")
        self._context: Any = session.sparkContext
        # Spark offers Python no file system: that of its Java machine is what it uses itself.
        java: Any = self._context._jvm
        self._java = java.org.apache.hadoop.fs.Path
        self._system = self._path("").getFileSystem(self._context._jsc.hadoopConfiguration())
        copies = mkdtemp(prefix="corpusdb-")
        finalize(self, shutil.rmtree, copies, ignore_errors=True)
        self._here: set[str] = set()
        """What has a copy on this machine."""
        self._is_lost = False
        """Whether another driver took this one for dead."""
        super().__init__(Path(copies))
        self._name = self._address

    @contextmanager
    def held(self) -> Iterator[None]:
        """The same over all machines: whoever is at work has a file there, and writes it anew every now and then."""
        mine = claimed(token_hex(8), "distributed run", datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            while not self._write(_AT_WORK, _told(mine), overwrite=False):
                if (other := self._at_work()) is not None:
                    raise InputError(f"another run is at work in it: {other}", path=self._name)
                self._system.delete(self._path(_AT_WORK), True)
            with self._giving_signs(mine), super().held():
                yield
        finally:
            forget(mine.token)

    def _at_work(self) -> Holder | None:
        """The driver whose file is there; None where it is known to be dead, gives no sign, or has just ended."""
        known = self._sign()
        for _ in range(_SIGNS_MISSED):
            if known is None or ((holder := _holder_of(known)) is not None and holder.is_known_dead):
                return None
            time.sleep(_SECONDS_BETWEEN_SIGNS)
            before, known = known, self._sign()
            if known not in (None, before) and (holder := _holder_of(known)) is not None:
                return holder
        return None

    def _sign(self) -> str | None:
        return self.text(_AT_WORK) if self.exists(_AT_WORK) else None

    @contextmanager
    def _giving_signs(self, mine: Holder) -> Iterator[None]:
        from py4j.protocol import Py4JError

        ended = Event()

        def give() -> None:
            beats = count(1)
            while not (ended.wait(_SECONDS_BETWEEN_SIGNS) or self._is_lost):
                with suppress(Py4JError, OSError):  # the next one may be told
                    holder = _holder_of(self._sign())
                    self._is_lost = holder is None or holder.token != mine.token
                    if not self._is_lost:
                        self._write(_AT_WORK, _told(replace(mine, beats=next(beats))), overwrite=True)

        signs = Thread(target=give, daemon=True)
        signs.start()
        try:
            yield
        finally:
            ended.set()
            signs.join()
            if not self._is_lost:
                self._system.delete(self._path(_AT_WORK), True)

    def _write(self, name: str, text: str, *, overwrite: bool) -> bool:
        """Write a small file at once; False for one that is there and is not to be overwritten."""
        try:
            stream = self._system.create(self._path(name), overwrite)
        except Exception:
            if self.exists(name):
                return False
            raise
        stream.write(text.encode())
        stream.close()
        return True

    def _path(self, name: str) -> Any:
        return self._java(f"{self._address}/{name}" if name else self._address)

    def location(self, step: str) -> str:
        return f"{self._address}/{step}"

    def names(self) -> list[str] | None:
        if not self._system.exists(self._path("")):
            return None
        return [each.getPath().getName() for each in self._system.listStatus(self._path(""))]

    def make(self) -> None:
        self._system.mkdirs(self._path(""))

    def exists(self, name: str) -> bool:
        return bool(self._system.exists(self._path(name)))

    def text(self, name: str) -> str:
        self._fetch(name)
        return super().text(name)

    def write_text(self, name: str, text: str) -> None:
        (self._place / name).parent.mkdir(exist_ok=True)
        super().write_text(name, text)
        self._send(name)

    def files(self, step: str) -> Path:
        name = step.partition("/")[0]
        if name not in self._here:
            super().remove(name)
            self._fetch(name)
        return self._place / step

    def files_here(self, step: str) -> list[Path]:
        return []

    @contextmanager
    def filled(self, step: str) -> Iterator[Path]:
        with super().filled(step) as place:
            yield place
        self._here.add(step)
        self._send(step)

    def _fetch(self, name: str) -> None:
        self._system.copyToLocalFile(False, self._path(name), self._java(f"file://{self._place / name}"), True)
        self._here.add(name)

    def _send(self, name: str) -> None:
        if self._is_lost:
            raise InputError("another run is at work in it, which took this one for dead", path=self._name)
        unfinished, final = self._path(f"{name}.unfinished"), self._path(name)
        for left in (unfinished, final):  # what is copied or renamed to a folder that is there is put into it
            self._system.delete(left, True)
        self._system.copyFromLocalFile(False, True, self._java(f"file://{self._place / name}"), unfinished)
        if not self._system.rename(unfinished, final):
            raise ClusterError(f"the file system does not rename {unfinished} to {final}")

    def remove(self, name: str) -> None:
        super().remove(name)
        self._here.discard(name)
        self._system.delete(self._path(name), True)

    def on_workers(self, step: str) -> tuple[str, bool]:
        self._context.addFile(self.location(step), recursive=True)
        return step, True


def _told(holder: Holder) -> str:
    return json.dumps(asdict(holder))


def _holder_of(sign: str | None) -> Holder | None:
    """Whom a file tells of; None where it is being written, or is not there."""
    try:
        return None if sign is None else Holder(**json.loads(sign))
    except (ValueError, TypeError):
        return None


# What each step in a folder was made of.

_OWN: Final = "corpusdb-distributed.json"
_PLAN: Final = "plan.json"
_AT_WORK: Final = "at-work"
"""On a file system without locks: which driver is at work in the folder, and how many signs of life it has given."""
_SECONDS_BETWEEN_SIGNS: Final = 10.0
_SIGNS_MISSED: Final = 3
"""A driver of another machine that gives no sign for so long is gone."""
_SUCCESS: Final = "_SUCCESS"
_LAYOUT: Final = 6
"""Raised when steps or their columns change."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a complete step was made of, and what it gave."""

    step: str
    digest: str
    """Of the program, the settings and the digests of the steps before."""
    rows: int
    seconds: float
    document: Mapping[str, Any] = field(default_factory=dict)


def claim_folder(folder: RunFolder) -> None:
    """Make the folder of a run, or take up the one there is. Raises InputError for a folder that is not one of ours."""
    names = folder.names()
    if names is None:
        folder.make()
    if not folder.exists(_OWN):
        if names:
            raise InputError(
                "holds other files, and is not the folder of a distributed run: name a new one", path=str(folder)
            )
        _write_json(folder, _OWN, {"corpusdb": __version__, "layout": _LAYOUT})
    check_folder(folder)


def check_folder(folder: RunFolder) -> None:
    """Raise InputError for what is not the folder of a run, or one of another version."""
    if not folder.exists(_OWN):
        raise InputError("is not the folder of a distributed run", path=str(folder))
    told = _read_json(folder, _OWN, "is damaged")
    version, layout = told.get("corpusdb"), told.get("layout")
    if (version, layout) != (__version__, _LAYOUT):
        other = f"corpusdb {version}, and this is {__version__}"
        if version == __version__:
            other = f"another corpusdb {version}, which divides steps otherwise ({layout}, not {_LAYOUT})"
        reason = f"was made by {other}: name a new folder for `corpusdb distributed run`"
        raise InputError(reason, path=str(folder))


def read_manifest(folder: RunFolder, step: str) -> Manifest | None:
    """What is known of a step; None where it is not complete."""
    name = f"{step}.json"
    if not folder.exists(name) or not folder.exists(f"{step}/{_SUCCESS}"):
        return None
    damaged = "is damaged: remove it, and the step is made again"
    try:
        return Manifest(**_read_json(folder, name, damaged))
    except TypeError as error:
        raise InputError(damaged, path=f"{folder}/{name}") from error


def keep_plan(folder: RunFolder, plan: Mapping[str, Any]) -> None:
    """Note what the run in a folder was made of."""
    _write_json(folder, _PLAN, plan)


def kept_plan(folder: RunFolder) -> dict[str, Any] | None:
    """What was noted; None where no run was complete."""
    return _read_json(folder, _PLAN, "is damaged: run it again") if folder.exists(_PLAN) else None


def _read_json(folder: RunFolder, name: str, damaged: str) -> dict[str, Any]:
    """A document of the folder. Raises InputError, with what to say, for what is none."""
    try:
        return dict(json.loads(folder.text(name)))
    except (ValueError, TypeError) as error:
        raise InputError(damaged, path=f"{folder}/{name}") from error


def _write_json(folder: RunFolder, name: str, document: object) -> None:
    folder.write_text(name, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def step_digest(name: str, before: str) -> str:
    """Of what a step is made of: the program, and the steps before it with their settings."""
    return document_digest([__version__, _LAYOUT, name, before])


def is_done(folder: RunFolder, name: str, digest: str) -> Manifest | None:
    """The manifest of a step that was made of this; None where it was not, or is not complete."""
    found = read_manifest(folder, name)
    return found if found is not None and found.digest == digest else None


def remove_step(folder: RunFolder, name: str) -> None:
    """Remove what there is of a step, the manifest first."""
    folder.remove(f"{name}.json")
    folder.remove(name)


def finish(folder: RunFolder, found: Manifest) -> None:
    """Note that a step is complete."""
    if not folder.exists(f"{found.step}/{_SUCCESS}"):
        folder.write_text(f"{found.step}/{_SUCCESS}", "")
    _write_json(folder, f"{found.step}.json", asdict(found))


def document_digest(document: object) -> str:
    """SHA-256 of a document, in hexadecimal digits."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
