"""Whatever is killed, the rows are the same: the driver, started again, and a worker of a standalone cluster."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from corpora import Row, generated_store, random_rows, write_rows
from distributed_runs import compared_rows, load_into

STEPS = ("occurrence", "shared_slot", "derivation", "candidate", "compared", "result")
"""Some, of which the others come directly behind or before."""
_PATIENCE = 300.0


def _rows() -> list[Row]:
    return random_rows(random.Random(5), 150)


def _command(folder: Path, master: str, settings: Sequence[str]) -> list[str]:
    rows = write_rows(folder / "rows.tsv", _rows())
    options = ["--format", "tsv", "--partitions", "4", "--master", master]
    options += [part for setting in settings for part in ("--conf", setting)]
    run = ["distributed", "run", str(rows), "--lang", "eng,fra", "--out", str(folder / "run"), "--name", "rows"]
    return [
        sys.executable,
        "-m",
        "corpusdb",
        *run,
        "--format",
        "tsv",
        "--partitions",
        "4",
        "--master",
        master,
        *options,
    ]


LOCAL = ("spark.driver.memory=1g", "spark.driver.bindAddress=127.0.0.1", "spark.driver.host=127.0.0.1")


def _same_rows(folder: Path) -> None:
    store, _ = load_into(folder / "loaded.db", folder / "run")
    with store, generated_store(folder, _rows()) as generated:
        assert compared_rows(store) == compared_rows(generated)


def _until(folder: Path, step: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a step has begun."""
    end = time.monotonic() + _PATIENCE
    while not (folder / "run" / step).exists():
        assert process.poll() is None, "the run ended before"
        assert time.monotonic() < end, f"{step} did not begin"
        time.sleep(0.02)


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it started, which is a session of its own."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_a_driver_that_was_killed_goes_on(tmp_path: Path) -> None:
    """Killed in several steps, one after the other, and each time started again."""
    command = _command(tmp_path, "local[2]", LOCAL)
    for step in STEPS[1::2]:
        process = subprocess.Popen(
            command, start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            _until(tmp_path, step, process)
        finally:
            _kill_tree(process)
        assert not (tmp_path / "run" / f"{step}.json").exists() or step == STEPS[-1]
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run").glob("*.json")}
    assert "sentence.json" in before
    subprocess.run(command, check=True, capture_output=True)
    _same_rows(tmp_path)
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run").glob("*.json")}
    assert {name: kept[name] for name in before} == before  # what was complete was not made again


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
        _command(tmp_path, address, ON_CLUSTER),
        start_new_session=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        _until(tmp_path, "shared_slot", process)
        _kill_tree(workers[0])
        _, said = process.communicate(timeout=_PATIENCE * 2)
        assert process.returncode == 0, said.decode()[-3000:]
    finally:
        if process.poll() is None:
            _kill_tree(process)
    _same_rows(tmp_path)
