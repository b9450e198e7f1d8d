"""Whatever is killed, the rows are the same: the driver, started again, and a worker of a standalone cluster."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the extra spark is not installed")

from corpora import Row, generated_store, random_rows, write_rows
from distributed_runs import compared_rows, load_into

from corpusdb.distributed.chain import STEPS

_PATIENCE = 300.0


def _rows() -> list[Row]:
    return random_rows(random.Random(5), 150)


def _command(rows: Path, folder: Path, master: str, settings: Sequence[str]) -> list[str]:
    """A run of the rows in a file, with its folder in another."""
    options = ["--format", "tsv", "--partitions", "4", "--master", master]
    options += [part for setting in settings for part in ("--conf", setting)]
    run = ["distributed", "run", str(rows), "--lang", "eng,fra", "--out", str(folder / "run"), "--name", "rows"]
    return [sys.executable, "-m", "corpusdb", *run, *options]


LOCAL = ("spark.driver.memory=1g", "spark.driver.bindAddress=127.0.0.1", "spark.driver.host=127.0.0.1")


def _same_rows(folder: Path) -> None:
    store, _ = load_into(folder / "loaded.db", folder / "run")
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
    process.wait()


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
    assert list(kept) == order[: order.index(step)]
    subprocess.run(command, check=True, capture_output=True)
    made = _manifests(tmp_path / "run")
    assert list(made) == order
    assert {name: made[name] for name in kept} == kept  # what was complete was not made again
    _same_rows(tmp_path)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A master and two workers of one core each, all on this machine: the address, and the processes of the workers."""
    import pyspark

    home = Path(pyspark.__path__[0])
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_LOCAL_DIRS": str(tmp_path / "local"),
        "SPARK_WORKER_DIR": str(tmp_path / "work"),
    }
    port = _free_port()
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> None:
        command = [str(home / "bin" / "spark-class"), *words]
        log = (tmp_path / f"{len(started)}.log").open("wb")
        with log:
            started.append(
                subprocess.Popen(command, env=environment, start_new_session=True, stdout=log, stderr=log, cwd=tmp_path)
            )

    address = f"spark://127.0.0.1:{port}"
    try:
        start(
            "org.apache.spark.deploy.master.Master",
            *("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(_free_port())),
        )
        for _ in range(2):
            start(
                "org.apache.spark.deploy.worker.Worker",
                *("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", str(_free_port()), address),
            )
        _until_registered(tmp_path / "0.log")
        yield address, started[1:]
    finally:
        for process in started:
            if process.poll() is None:
                _kill_tree(process)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _until_registered(log: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while log.read_text(encoding="utf-8", errors="replace").count("Registering worker") < 2:
        assert time.monotonic() < end, log.read_text(encoding="utf-8", errors="replace")[-2000:]
        time.sleep(0.1)


ON_CLUSTER = (*LOCAL, "spark.executor.memory=512m", "spark.executor.cores=1")


@pytest.mark.slow
def test_a_worker_that_was_killed_is_done_without(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    """With its executor, in the middle of a run on a standalone cluster."""
    address, workers = cluster
    process = subprocess.Popen(
        _command(write_rows(tmp_path / "rows.tsv", _rows()), tmp_path, address, ON_CLUSTER),
        start_new_session=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        _until((tmp_path / "run" / "shared_slot").exists, process)
        _kill_tree(workers[0])
        _, said = process.communicate(timeout=_PATIENCE * 2)
        assert process.returncode == 0, said.decode()[-3000:]
    finally:
        if process.poll() is None:
            _kill_tree(process)
    _same_rows(tmp_path)
