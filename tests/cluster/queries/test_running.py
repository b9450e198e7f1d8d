"""Whatever is killed, the rows are the same; and the derivations of a seed are looked at together."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra spark is not installed")

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from corpora import Row, generated_store, random_rows, write_rows
from distributed_runs import compared_rows, load_into
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.cluster import derivation, session
from corpusdb.cluster.chain import STEPS
from corpusdb.cluster.session import settings_for
from corpusdb.paraphrase import word_model

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Whatever is killed, the rows are the same: the driver, started again, and a worker of a standalone cluster.


_PATIENCE = 800.0


def _rows() -> list[Row]:
    return random_rows(random.Random(5), 150)


def _command(rows: Path, folder: Path, master: str, settings: Sequence[str]) -> list[str]:
    """A run of the rows in a file, with its folder in another."""
    options = ["--format", "tsv", "--partitions", "4", "--master", master]
    options += [part for setting in settings for part in ("--conf", setting)]
    run = ["distributed", "run", str(rows), "--lang", "eng,fra", "--out", str(folder / "run"), "--name", "rows"]
    return [sys.executable, "-m", "corpusdb", *run, *options]


LEAST_SENTENCES = word_model.LEAST_SENTENCES
LOCAL = ("spark.driver.memory=1g", "spark.driver.bindAddress=127.0.0.1", "spark.driver.host=127.0.0.1")


def _same_rows(folder: Path) -> None:
    """As many sentences are asked of a word model here as in the processes that ran the chain."""
    store, _ = load_into(folder / "loaded.db", folder / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_model, "LEAST_SENTENCES", LEAST_SENTENCES)
        with store, generated_store(folder, _rows()) as generated:
            assert compared_rows(store) == compared_rows(generated)


def _until(begun: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something has begun."""
    end = time.monotonic() + _PATIENCE
    while not begun():
        assert process.poll() is None, "the run ended before"
        assert time.monotonic() < end, "it did not begin"
        time.sleep(0.002)


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it started, which is a session of its own."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("complete")
    rows = write_rows(folder / "rows.tsv", _rows())
    subprocess.run(_command(rows, folder, "local[2]", LOCAL), check=True, capture_output=True)
    return folder


def _take_back(run: Path, first: str) -> None:
    """Leave a run as it is before it makes a step."""
    order = ["unit", *STEPS]
    (run / "plan.json").unlink()
    for name in order[order.index(first) :]:
        (run / f"{name}.json").unlink()
        shutil.rmtree(run / name)


def _manifests(run: Path) -> dict[str, int]:
    """The steps that are complete, and when each was."""
    return {name: path.stat().st_mtime_ns for name in ("unit", *STEPS) if (path := run / f"{name}.json").exists()}


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_driver_that_was_killed_in_a_step_goes_on(complete: Path, tmp_path: Path, step: str) -> None:
    """Killed as soon as the step before is complete, and what Spark writes of this one has a folder."""
    shutil.copytree(complete / "run", tmp_path / "run", copy_function=shutil.copy2)
    order = ["unit", *STEPS]
    before = order[order.index(step) - 1]
    _take_back(tmp_path / "run", before)
    command = _command(complete / "rows.tsv", tmp_path, "local[2]", LOCAL)
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    begun = [tmp_path / "run" / f"{before}.json"]
    begun += [tmp_path / "run" / step] * (STEPS[step] is not None)  # the driver's own have none until they are made
    try:
        _until(lambda: all(path.exists() for path in begun), process)
    finally:
        _kill_tree(process)
    kept = _manifests(tmp_path / "run")
    assert list(kept)[: order.index(step)] == order[: order.index(step)]
    assert len(kept) <= order.index(step) + (STEPS[step] is None)  # its own may be complete before it is killed
    subprocess.run(command, check=True, capture_output=True)
    made = _manifests(tmp_path / "run")
    assert list(made) == order
    assert {name: made[name] for name in kept} == kept  # what was complete was not made again
    _same_rows(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "none", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this process may mount nothing")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize(("of", "size"), [("run", "300k"), ("shuffle", "60k")])
def test_a_full_disk_is_told_and_the_run_goes_on_where_there_is_room(
    small_disk: Path, tmp_path: Path, of: str, size: str
) -> None:
    """That of the folder, or that on which Spark keeps what goes from task to task."""
    (tmp_path / of).symlink_to(small_disk)
    resize = ("mount", str(small_disk), "-o")
    subprocess.run([*resize, f"remount,size={size}"], check=True)
    settings = (*LOCAL, f"spark.local.dir={tmp_path / 'shuffle'}")
    command = _command(write_rows(tmp_path / "rows.tsv", _rows()), tmp_path, "local[2]", settings)
    ended = subprocess.run([*command, "--quiet"], capture_output=True, timeout=_PATIENCE, check=False)
    lines = ended.stderr.decode().splitlines()
    assert (ended.returncode, len(lines)) == (4, 1), lines
    assert "the disk is full" in lines[0] or "No space left on device" in lines[0]
    made = _manifests(tmp_path / "run")
    assert 0 < len(made) < len(STEPS)
    subprocess.run([*resize, "remount,size=1g"], check=True)
    subprocess.run(command, check=True, capture_output=True)
    after = _manifests(tmp_path / "run")
    assert {name: after[name] for name in made} == made
    _same_rows(tmp_path)


class StandaloneCluster:
    """A master and two workers of one core each, all on this machine, and their logs in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._port = _free_port()
        self.address = f"spark://127.0.0.1:{self._port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        """All that were ever started."""
        self._master = self._started("Master", "--port", str(self._port))
        for _ in range(2):
            self.start_worker()

    def start_worker(self) -> None:
        """Another one; it is waited for until the master knows it."""
        self.workers.append(self._started("Worker", "--cores", "1", "--memory", "1g", self.address))
        end = time.monotonic() + _PATIENCE
        log = self.folder / "Master.0.log"
        while log.read_text(encoding="utf-8", errors="replace").count("Registering worker") < len(self.workers):
            assert time.monotonic() < end, log.read_text(encoding="utf-8", errors="replace")[-2000:]
            time.sleep(0.1)

    def kill_worker(self) -> None:
        """The oldest that lives, with its executor."""
        _kill_tree(next(each for each in self.workers if each.poll() is None))

    def stop(self) -> None:
        """Leave no process behind."""
        for process in (self._master, *self.workers):
            if process.poll() is None:
                _kill_tree(process)

    def _started(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__path__[0])
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_WORKER_DIR": str(self.folder / "work"),
        }
        words = (f"org.apache.spark.deploy.{what.lower()}.{what}", "--host", "127.0.0.1")
        command = [str(home / "bin" / "spark-class"), *words, "--webui-port", str(_free_port()), *options]
        with (self.folder / f"{what}.{len(self.workers)}.log").open("wb") as log:
            return subprocess.Popen(
                command, env=environment, start_new_session=True, stdout=log, stderr=log, cwd=self.folder
            )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[StandaloneCluster]:
    """A cluster that is stopped after the test."""
    found = StandaloneCluster(tmp_path)
    try:
        yield found
    finally:
        found.stop()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


ON_CLUSTER = (*LOCAL, "spark.executor.memory=512m", "spark.executor.cores=1")


@pytest.mark.slow
def test_a_worker_that_was_killed_is_done_without(cluster: StandaloneCluster, tmp_path: Path) -> None:
    """With its executor, in the middle of a run on a standalone cluster."""

    def kill_one(process: subprocess.Popen[bytes]) -> None:
        _until((tmp_path / "run" / "shared_slot").exists, process)
        cluster.kill_worker()

    _run_on(cluster, tmp_path, kill_one)
    _same_rows(tmp_path)


@pytest.mark.slow
def test_a_worker_can_be_killed_in_each_step(cluster: StandaloneCluster, tmp_path: Path) -> None:
    """As soon as Spark writes something of the step; then another one is started, which the next steps can lose."""
    killed = []

    def kill_in_each(process: subprocess.Popen[bytes]) -> None:
        for step in (name for name, make in STEPS.items() if make is not None):
            _until((tmp_path / "run" / step).exists, process)
            if (tmp_path / "run" / f"{step}.json").exists():
                continue  # it was over before it was seen
            cluster.kill_worker()
            killed.append(step)
            cluster.start_worker()

    _run_on(cluster, tmp_path, kill_in_each)
    _same_rows(tmp_path)
    assert len(killed) > len(STEPS) // 2, killed


def _run_on(cluster: StandaloneCluster, folder: Path, disturb: Callable[[subprocess.Popen[bytes]], None]) -> None:
    """A run that comes to its end although it is disturbed."""
    command = _command(write_rows(folder / "rows.tsv", _rows()), folder, cluster.address, ON_CLUSTER)
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        disturb(process)
        _, said = process.communicate(timeout=_PATIENCE * 2)
        assert process.returncode == 0, said.decode()[-3000:]
    finally:
        if process.poll() is None:
            _kill_tree(process)


# What a cluster may lack is told in one line, and nothing is taken for complete.


def _refused(cluster: StandaloneCluster, folder: Path, python: str = sys.executable) -> str:
    """The one line that a run on a cluster ends with, whose workers have this Python."""
    command = _command(write_rows(cluster.folder / "rows.tsv", _rows()), folder, cluster.address, ON_CLUSTER)
    environment = os.environ | {"PYSPARK_PYTHON": python}
    ended = subprocess.run([*command, "--quiet"], env=environment, capture_output=True, timeout=_PATIENCE, check=False)
    lines = ended.stderr.decode().splitlines()
    assert (ended.returncode, len(lines)) == (4, 1), lines
    assert not (folder / "run" / "plan.json").exists()
    return lines[0]


@pytest.mark.slow
def test_workers_without_the_environment(cluster: StandaloneCluster, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    assert "a worker cannot run this: " in _refused(cluster, tmp_path / "a", str(bare / "bin" / "python"))
    assert "a worker has no Python called /nowhere/python" in _refused(cluster, tmp_path / "b", "/nowhere/python")


@pytest.mark.slow
def test_workers_with_another_version_of_python(cluster: StandaloneCluster, tmp_path: Path) -> None:
    """It has the same packages, of which those that are compiled cannot be loaded."""
    import pyspark

    versions = {*map(str, Path.home().glob(".pyenv/versions/3.1?.*/bin/python3.1?")), shutil.which("python3.13")}
    ours = f"python3.{sys.version_info.minor}"
    others = sorted(each for each in versions if each and not each.endswith(ours))
    if not others:
        pytest.skip("there is one version of Python here")
    other = tmp_path / "other"
    packages = Path(pyspark.__path__[0]).parent
    other.write_text(f'#!/bin/sh\nPYTHONPATH={packages}:$PYTHONPATH exec {others[-1]} "$@"\n', encoding="utf-8")
    other.chmod(0o755)
    assert "another version of Python" in _refused(cluster, tmp_path, str(other))


def test_what_is_sent_to_workers_can_be_imported_there(tmp_path: Path) -> None:
    """All modules that their functions are in, with what these read, and nothing else of this program."""
    modules = [f"corpusdb.cluster.{name}" for name in ("derivation", "exchanges", "rewordings")]
    code = f"import {', '.join(modules)}; print(corpusdb.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(session._packed(tmp_path))}
    asked = [sys.executable, "-c", code]
    ended = subprocess.run(asked, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == str(tmp_path / "corpusdb.zip" / "corpusdb" / "__init__.py"), ended.stderr


def test_workers_give_back_what_they_let_go(session: SparkSession) -> None:
    """Arrow's own allocator would keep it."""

    def allocator(rows: Iterator[int]) -> Iterator[str]:
        del rows
        yield pa.default_memory_pool().backend_name

    assert session.sparkContext.parallelize([0], 1).mapPartitions(allocator).collect() == ["system"]


def test_java_compiles_for_good_where_there_are_many_units(session: SparkSession) -> None:
    java: Any = session.sparkContext._jvm
    once = "-XX:TieredStopAtLevel=1"
    assert once in java.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()
    told = settings_for(10_000_000, {"spark.executor.defaultJavaOptions": "-Xss4m"})
    assert once not in told["spark.driver.defaultJavaOptions"] and told["spark.executor.defaultJavaOptions"] == "-Xss4m"


# On Spark the derivations of a seed are looked at together, however its rows lie in batches.


@given(st.lists(st.lists(st.sampled_from([0, 0, 1, 2]), max_size=6), max_size=8), st.integers(1, 12))
def test_no_seed_is_in_two_parts_and_no_row_is_lost(steps: Sequence[Sequence[int]], at_once: int) -> None:
    seed = -3
    batches = []
    for batch in steps:
        seeds = [seed := seed + step for step in batch]
        rows = {"seed": pa.array(seeds, pa.int64()), "row": pa.array(range(len(seeds)), pa.int64())}
        batches.append(pa.RecordBatch.from_pydict(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derivation, "_DERIVED_AT_ONCE", at_once)
        parts = [part.to_pylist() for part in derivation._by_whole_seeds(iter(batches))]
    assert list(chain.from_iterable(parts)) == [row for batch in batches for row in batch.to_pylist()]
    seeds_of = [{row["seed"] for row in part} for part in parts]
    assert all(seeds_of)
    assert sum(map(len, seeds_of)) == len(set().union(*seeds_of))
