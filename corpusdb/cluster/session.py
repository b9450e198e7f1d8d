"""What is asked of a run, and the Spark session."""

from __future__ import annotations

import os
import re
import socket
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from logging import FileHandler, getLogger
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import corpusdb
from corpusdb.base.errors import ClusterError, UsageError

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
