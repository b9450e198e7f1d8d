"""What is asked of a run, the Spark session, and the folder of a run: on this machine or wherever Spark reads."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from errno import EDQUOT, ENOSPC
from fcntl import LOCK_EX, LOCK_NB, flock
from importlib import import_module
from importlib.util import find_spec
from logging import FileHandler, getLogger
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, Final
from weakref import finalize

import corpusdb
from corpusdb import __version__
from corpusdb.base.errors import ClusterError, InputError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# What is asked of a run, and what it tells; without anything that Spark needs.


@dataclass(frozen=True, slots=True)
class Request:
    language: str
    folder: Path | str
    """On storage that the driver and all workers see under the same name: a path, or an address such as hdfs://."""
    collection: str
    """What the corpus is called when it is loaded."""
    seeds: Sequence[str] | None = None
    """The sentences that are generated from; None for all."""
    least_order: int = 0
    """The N of the filter, by which candidates are counted as kept."""
    partitions: int = 0
    """Into how many parts rows are divided; 0: by the number of cores and of units."""


@dataclass(frozen=True, slots=True)
class DistributedReport:
    units: int
    sentences: int
    paraphrases: int
    too_common: int
    """Contexts that too many sentences have."""
    left_out: int
    """Translations that too many sentences have."""
    commutations: int
    candidates: int
    kept: int
    """Of these, with every sequence of the asked length in the corpus."""
    seeds: int
    missing_seeds: int
    """Asked for, and no sentence of the corpus."""
    collisions: int
    """Fingerprints that stand for several fillers."""
    seconds: float
    steps: dict[str, float] = field(default_factory=dict)
    """Seconds of each; of those that were there before, what they had taken."""


# The session.

_ADDRESS: Final = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def is_address(place: Path | str) -> bool:
    """Whether a place is on another file system than those that are mounted here, such as hdfs://host/run."""
    return isinstance(place, str) and bool(_ADDRESS.match(place))


_INSTALL: Final = "pip install 'corpusdb[spark]'"
_SECONDS_TO_CONNECT: Final = 5.0
_LEAST_MEMORY: Final = "2g"


def require_parquet() -> None:
    """Raise UsageError, with the command that installs it, where what reads Parquet is missing."""
    _require("pyarrow")


def _require(package: str) -> None:
    if find_spec(package) is None:
        raise UsageError(f"this needs {package}: {_INSTALL}")


def require_spark() -> None:
    """Raise UsageError, with the command that installs it, where pyspark or Java is missing."""
    for package in ("pyarrow", "pandas", "pyspark"):
        _require(package)
    java = os.environ.get("JAVA_HOME")
    if which("java") is None and not (java and (Path(java) / "bin" / "java").exists()):
        raise UsageError("this needs Java 17 or later: no java is on the path, and JAVA_HOME names none")


@contextmanager
def started(master: str, settings: Mapping[str, str] | None, log: Path) -> Iterator[SparkSession]:
    """A session that is stopped at the end; what Spark says goes to a file.

    Raises ClusterError where the cluster does not answer, or its workers lack what they need.
    """
    require_spark()
    _check_master(master)
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    is_local = master == "local" or master.startswith("local[")  # all is done by this process and those that it starts
    if is_local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("corpusdb")
    for name, value in {**_SETTINGS, **(settings or {})}.items():
        builder = builder.config(name, value)
    with TemporaryDirectory(prefix="corpusdb-") as folder, spark_errors(log):
        with _stderr_in(log):
            session = builder.getOrCreate()
        try:
            if not is_local:
                session.sparkContext.addPyFile(str(_packed(Path(folder))))
            _probe(session)
            yield session
        finally:
            with _stderr_in(log):
                session.stop()


_JAVA: Final = (
    # Of some 300 s of the processor for 236,197 sentences, another collector than Java chooses saves 33.
    "-XX:+UseParallelGC"
    # Four times what Java waits for before it compiles a method for good, of which each step has new ones: 262 s where
    # it was 278 and 290, and 271 with sixteen times.
    " -XX:Tier4InvocationThreshold=20000 -XX:Tier4MinInvocationThreshold=2400"
    " -XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=160000"
)
_COMPILED_ONCE: Final = " -XX:TieredStopAtLevel=1"
_FEW_UNITS: Final = 500_000
"""Of fewer, compiling for good costs Java more than it saves: 51 s of the processor where it is left out, and 65 with
it, from the start of `distributed run` to the paraphrases of 236,197 sentences. Where it begins to pay is not known:
this is about twice as many."""
_SETTINGS: Final = {
    "spark.driver.memory": _LEAST_MEMORY,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.maxBytesPerBatch": "64m",
    "spark.sql.parquet.compression.codec": "zstd",
    # Workers give large arrays back to the system when they let them go, which neither Arrow's own allocator does, nor
    # that of the C library once it has seen some.
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(4 << 20),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(32 << 20),
    "spark.executorEnv.MALLOC_ARENA_MAX": "2",  # and Java has many threads
    # Options of the caller come behind these.
    "spark.driver.defaultJavaOptions": _JAVA,
    "spark.executor.defaultJavaOptions": _JAVA,
}


def settings_for(units: int, given: Mapping[str, str] | None) -> Mapping[str, str]:
    """What a session has for so many units, beside what is given."""
    java = _JAVA + _COMPILED_ONCE * (units <= _FEW_UNITS)
    return {f"spark.{role}.defaultJavaOptions": java for role in ("driver", "executor")} | dict(given or {})


_MASTER: Final = re.compile(r"local(-cluster)?(\[[^]]+\])?|yarn|spark://.+|k8s://.+")


def _check_master(master: str) -> None:
    """Look whether a standalone master answers: Spark itself would try for a minute. Raises UsageError for no URL."""
    if not _MASTER.fullmatch(master):
        raise UsageError(f"{master!r} is not a cluster: local[*], spark://HOST:PORT, yarn or k8s://HOST:PORT")
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT):
                return
        except ValueError as error:
            raise UsageError(f"{master!r} is not an address of a master, such as spark://host:7077") from error
        except OSError as error:
            reason = error.strerror or str(error)
    raise ClusterError(f"no cluster answers at {master}: {reason}")


def _packed(folder: Path) -> Path:
    """This program in a file that workers can import from: one that ends in .zip, and not in .whl.

    With the models and lists that modules read when they are imported.
    """
    root = Path(corpusdb.__file__).parent
    target = folder / "corpusdb.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                packed.write(path, Path("corpusdb") / path.relative_to(root))
    return target


def _probe(session: SparkSession) -> None:
    """Let a task of each core import what all tasks need. Raises ClusterError with the first reason why one cannot."""
    context = session.sparkContext
    count = max(1, context.defaultParallelism)
    for reason in context.parallelize(range(count), count).mapPartitions(_missing).collect():
        raise ClusterError(f"a worker cannot run this: {reason}")


def _missing(numbers: Iterable[int]) -> Iterator[str]:
    del numbers
    for name in ("numpy", "pyarrow", "corpusdb.cluster.rewordings"):
        try:
            import_module(name)
        except ImportError as error:
            yield f"{socket.gethostname()}: {error}"


@contextmanager
def _stderr_in(log: Path) -> Iterator[None]:
    """What this process and those that it starts write to stderr goes to a file meanwhile, and theirs also later."""
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


_REASONS: Final = (
    (r"No space left on device|Disk quota exceeded", "the disk is full"),
    (r"Cannot run program \"([^\"]+)\"", r"a worker has no Python called \1: set PYSPARK_PYTHON to one that all have"),
    (r"(ModuleNotFoundError|ImportError): ([^\n]+)", r"a worker cannot run this: \2"),
    (r"PYTHON_VERSION_MISMATCH\][^\n]*", "the workers have another version of Python than this process"),
    (r"Permission denied[^\n]*|AccessControlException[^\n]*", r"\g<0>"),
    (r"JAVA_GATEWAY_EXITED", "Java did not start"),
    (r"OutOfMemoryError[^\n]*", "memory does not suffice: see the sizes in `corpusdb guide cluster`"),
    (r"All masters are unresponsive[^\n]*", "the master of the cluster does not answer"),
    (r"No FileSystem for scheme[: \"]+([\w.+-]+)", r"Spark knows no file system \1: its jar is missing (spark.jars)"),
    (r"UnknownHostException: ([^\n]+)", r"there is no machine called \1"),
    (r"Could not parse Master URL: '?([^'\n]+)", r"\1 is not a master that Spark knows"),
    (r"(\S*FileNotFoundException[^\n]*|Path does not exist[^\n]*)", r"\1"),
)


@contextmanager
def spark_errors(log: Path) -> Iterator[None]:
    """Tell what Spark raises in one line, and where the rest of it stands."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException as SparkFailure

    logged = FileHandler(log, encoding="utf-8", delay=True)
    getLogger().addHandler(logged)  # else what is logged, as of an interruption, is written to stderr with a traceback
    try:
        yield
    except (Py4JError, SparkFailure, ConnectionError) as error:
        said = str(error)
        with log.open("a", encoding="utf-8") as file:
            file.write(said + "\n")
        for pattern, told in _REASONS:
            if match := re.search(pattern, said):
                raise ClusterError(f"{match.expand(told)} (all of it: {log})") from error
        first = next((line for line in said.splitlines() if line.strip()), type(error).__name__)
        raise ClusterError(f"Spark stopped: {first.strip()} (all of it: {log})") from error
    except OSError as error:
        if error.errno is None:
            raise
        raise ClusterError(f"{error.strerror}: {error.filename or log.parent}") from error
    finally:
        getLogger().removeHandler(logged)
        logged.close()


# The folder of a run, on this machine or on any file system that Spark knows, and what each step in it was made of.


def run_folder(place: Path | str, session: SparkSession | None = None) -> RunFolder:
    """The folder at a path or an address. Raises UsageError for an address without a session, which alone knows it."""
    if not is_address(place):
        return RunFolder(Path(str(place).removeprefix("file://")))
    if session is None:
        raise UsageError(f"{place} is known to Spark alone, and none is running")
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
        super().__init__(Path(copies))
        self._name = self._address

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


# What each step in a folder was made of.

_OWN: Final = "corpusdb-distributed.json"
_PLAN: Final = "plan.json"
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
