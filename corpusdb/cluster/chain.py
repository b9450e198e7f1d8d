"""The chain on Spark: the session that was started for it, and its steps in their order."""

from __future__ import annotations

import os
import re
import socket
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

import corpusdb
from corpusdb.base.errors import ClusterError, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.cluster import derivation, exchanges
from corpusdb.cluster.request import DistributedReport, Request
from corpusdb.cluster.workspace import (
    Manifest,
    Workspace,
    check_folder,
    document_digest,
    finish,
    is_done,
    keep_plan,
    kept_plan,
    read_manifest,
    remove,
    step_digest,
)
from corpusdb.paraphrase.sharing import MAX_SHARING
from corpusdb.paraphrase.slots import MAX_FILLERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# The Spark session: started with the modules of this program on every worker, and errors told in one line.

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


class Cluster:
    def __init__(self, master: str = "local[*]", settings: Mapping[str, str] | None = None) -> None:
        self.master = master
        self.settings = dict(settings or {})

    @property
    def is_local(self) -> bool:
        """Whether all work is done inside of this process and those that it starts."""
        return self.master == "local" or self.master.startswith("local[")


@contextmanager
def started(cluster: Cluster, log: Path) -> Iterator[SparkSession]:
    """A session that is stopped at the end; what Spark says goes to a file.

    Raises ClusterError where the cluster does not answer, or its workers lack what they need.
    """
    require_spark()
    _check_master(cluster.master)
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if cluster.is_local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(cluster.master).appName("corpusdb")
    for name, value in (_SETTINGS | cluster.settings).items():
        builder = builder.config(name, value)
    with TemporaryDirectory(prefix="corpusdb-") as folder, spark_errors(log):
        with _stderr_in(log):
            session = builder.getOrCreate()
        try:
            if not cluster.is_local:
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
_SETTINGS: Final = {
    "spark.driver.memory": _LEAST_MEMORY,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.parquet.compression.codec": "zstd",
    # Options of the caller come behind these.
    "spark.driver.defaultJavaOptions": _JAVA,
    "spark.executor.defaultJavaOptions": _JAVA,
}

_MASTER: Final = re.compile(r"local(-cluster)?(\[[^]]+\])?|yarn|spark://.+|k8s://.+")


def _check_master(master: str) -> None:
    """Look whether a standalone master answers: Spark itself would try for a minute. Raises UsageError for no URL."""
    if not _MASTER.fullmatch(master):
        raise UsageError(f"{master!r} is no cluster: local[*], spark://HOST:PORT, yarn or k8s://HOST:PORT")
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT):
                return
        except ValueError as error:
            raise UsageError(f"{master!r} is no address of a master, such as spark://host:7077") from error
        except OSError as error:
            reason = error.strerror or str(error)
    raise ClusterError(f"no cluster answers at {master}: {reason}")


def _packed(folder: Path) -> Path:
    """The modules of this program in a file that workers can import from: one that ends in .zip, and not in .whl."""
    root = Path(corpusdb.__file__).parent
    target = folder / "corpusdb.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(root.rglob("*.py")):
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
    for name in ("numpy", "pyarrow", "corpusdb.cluster.exchanges"):
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
    (r"UnknownHostException: ([^\n]+)", r"there is no machine called \1"),
    (r"Could not parse Master URL: '?([^'\n]+)", r"\1 is no master that Spark knows"),
    (r"(\S*FileNotFoundException[^\n]*|Path does not exist[^\n]*)", r"\1"),
)


@contextmanager
def spark_errors(log: Path) -> Iterator[None]:
    """Tell what Spark raises in one line, and where the rest of it stands."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException as SparkFailure

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


# What a run has to tell beside its rows: what was left out, and how many different things there are.


def figures_of(work: Workspace) -> Mapping[str, Any]:
    """Counts over the complete steps, and how many candidates have each order."""
    from pyspark.sql import functions as F

    result = work.read("result")
    fan = work.read("link").groupBy("translation").count()
    slot, text = work.read("slot").select("filler", "sentence", "start", "stop"), work.read("sentence")
    filler = F.expr("substring(text, start + 1, stop - start)")
    texts = slot.join(text, "sentence").groupBy("filler").agg(F.count_distinct(filler).alias("texts"))
    seeds = work.seeds()
    orders = result.groupBy("fluency").count().collect()
    return {
        "too_common": work.read("context").where(F.col("fillers") > MAX_FILLERS).count(),
        "left_out": fan.where(F.col("count") > MAX_SHARING).count(),
        "orders": sorted([row["fluency"], row["count"]] for row in orders),
        "seeds": result.select("seed").distinct().count(),
        "missing_seeds": 0 if seeds is None else len(work.seed_texts or ()) - seeds.count(),
        "collisions": texts.where("texts > 1").count(),
    }


# The steps of the chain in their order: each is made unless it is there already, made of the same.


def _results(work: Workspace) -> DataFrame:
    found = work.read("candidate").join(work.read("fluency"), "text")
    judged = work.read("validity/candidate.parquet")
    return (
        found.join(judged, ["seed", "text"]).repartition(work.partitions, "seed").sortWithinPartitions("seed", "text")
    )


STEPS: Final[Mapping[str, Callable[[Workspace], DataFrame] | None]] = {
    "occurrence": derivation.occurrences,
    "sentence": derivation.sentences,
    "link": derivation.links,
    "paraphrase": derivation.paraphrases,
    "shared_slot": derivation.shared_slots,
    "context": derivation.contexts,
    "slot": derivation.slots,
    "filler": derivation.fillers,
    "substitution": derivation.substitutions,
    "derivation": derivation.derivations,
    "commutation": derivation.commutations,
    "candidate": derivation.candidates,
    "segment": derivation.segments,
    "fluency": derivation.fluencies,
    "compared": exchanges.compared,
    "instance": exchanges.instances,
    "validity": None,  # by the driver
    "lone": exchanges.lone_candidates,
    "lone_fluency": exchanges.lone_fluencies,
    "rewording": None,
    "result": _results,
    "figures": None,
}
_WITH_SEEDS: Final = "derivation"
"""The first step that depends on which sentences are generated from."""


@dataclass(frozen=True, slots=True)
class ChainPlan:
    units: str
    """The digest of the step that read them."""
    language: str
    seeds: str
    """The digest of the sentences that are generated from."""
    all_seeds: bool

    def document(self) -> Mapping[str, Any]:
        return asdict(self)

    def digests(self) -> Mapping[str, str]:
        """What each step is made of: the program, the steps before it and what was asked for."""
        digest = f"{self.units} {self.language}"
        found = {}
        for name in STEPS:
            digest = step_digest(name, f"{digest} {self.seeds}" if name == _WITH_SEEDS else digest)
            found[name] = digest
        return found


def run_steps(work: Workspace, plan: ChainPlan) -> Job[list[Manifest]]:
    """Make what is not there yet, step by step; an interrupted call goes on with the step in which it was stopped."""
    found = []
    for name, digest in plan.digests().items():
        known = is_done(work.folder, name, digest)
        if known is None:
            known = yield from _made(work, name, digest)
        found.append(known)
    keep_plan(work.folder, plan.document())
    return found


def complete_steps(folder: Path) -> tuple[ChainPlan, Mapping[str, Manifest]]:
    """What the run in a folder was made of, and its steps. Raises InputError for one that is not complete."""
    check_folder(folder)
    told = kept_plan(folder)
    plan = None if told is None else ChainPlan(**told)
    found = {"unit": is_done(folder, "unit", "" if plan is None else plan.units)}
    for name, digest in ({} if plan is None else plan.digests()).items():
        found[name] = is_done(folder, name, digest)
    steps = {name: manifest for name, manifest in found.items() if manifest is not None}
    if plan is None or len(steps) < len(found):
        missing = next((name for name, manifest in found.items() if manifest is None), "result")
        raise InputError(f"is not complete: step {missing} is missing; `corpusdb distributed run` goes on", path=folder)
    return plan, steps


def _made(work: Workspace, name: str, digest: str) -> Job[Manifest]:
    make = STEPS[name]
    begun = time.monotonic()
    remove(work.folder, name)
    document: Mapping[str, Any] = {}
    if make is not None:
        yield from work.write(name, make(work))
        rows = work.count(name)
    else:
        yield Progress("judging paraphrases", 0, 0)
        rows, document = _BY_THE_DRIVER[name](work, work.folder / name)
    made = Manifest(name, digest, rows, round(time.monotonic() - begun, 1), document)
    finish(work.folder, made)
    return made


def _judged(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    found = exchanges.judged(work)
    folder.mkdir()
    for name in ("candidate", "detected", "exchange", "part"):
        pq.write_table(getattr(found, name), folder / f"{name}.parquet")
    return found.candidate.num_rows, found.document


def _reworded(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    judging = read_manifest(work.folder, "validity")
    found = exchanges.rewordings(work, {} if judging is None else dict(judging.document))
    folder.mkdir()
    pq.write_table(found, folder / "rewording.parquet")
    return found.num_rows, {}


def _counted(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    folder.mkdir()
    return 0, figures_of(work)


_BY_THE_DRIVER: Final[Mapping[str, Callable[[Workspace, Path], tuple[int, Mapping[str, Any]]]]] = {
    "validity": _judged,
    "rewording": _reworded,
    "figures": _counted,
}


# A run on a session that was started: from units in Parquet to judged candidates.

_UNITS_A_PART = 50_000
"""So many units are divided into one part more."""


def run_in(session: SparkSession, units: Manifest, request: Request) -> Job[DistributedReport]:
    """Run the chain on units that were read; what is complete in the folder, and was made of the same, stays."""
    begun = time.monotonic()
    cores = max(1, session.sparkContext.defaultParallelism)
    partitions = request.partitions or max(2 * cores, units.rows // _UNITS_A_PART)
    work = Workspace(session, request.folder.resolve(), request.language, partitions, _seeds(request))
    steps = yield from run_steps(work, _plan(units, request))
    return _report([units, *steps], request, time.monotonic() - begun)


def complete_run(units: Manifest, request: Request) -> DistributedReport | None:
    """What a run gave that is complete, for which no session is needed; None where anything is missing."""
    plan = _plan(units, request)
    steps = [is_done(request.folder, name, digest) for name, digest in plan.digests().items()]
    known = [each for each in steps if each is not None]
    if len(known) < len(steps):
        return None
    keep_plan(request.folder, plan.document())
    return _report([units, *known], request, 0.0)


def _seeds(request: Request) -> list[str] | None:
    return None if request.seeds is None else sorted(set(request.seeds))


def _plan(units: Manifest, request: Request) -> ChainPlan:
    seeds = _seeds(request)
    return ChainPlan(units.digest, request.language, document_digest(seeds), seeds is None)


def _report(steps: Iterable[Manifest], request: Request, seconds: float) -> DistributedReport:
    known = {each.step: each for each in steps}
    found = known["figures"].document
    return DistributedReport(
        units=known["unit"].rows,
        sentences=known["sentence"].rows,
        paraphrases=known["paraphrase"].rows,
        too_common=found["too_common"],
        left_out=found["left_out"],
        commutations=known["commutation"].rows,
        candidates=known["result"].rows,
        kept=sum(count for order, count in found["orders"] if order >= request.least_order),
        seeds=found["seeds"],
        missing_seeds=found["missing_seeds"],
        collisions=found["collisions"],
        seconds=round(seconds, 1),
        steps={each.step: each.seconds for each in known.values()},
    )
