"""What the commands for Spark refuse, and what they say where its packages are not installed."""

from __future__ import annotations

import errno
import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from calls import Run

from corpusdb import __version__
from corpusdb.base.errors import ClusterError
from corpusdb.cluster import session
from corpusdb.cluster.folder import claim_folder, run_folder
from corpusdb.cluster.session import spark_errors

needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="the extra spark is not installed")


needs_pyspark = pytest.mark.skipif(find_spec("pyspark") is None, reason="the extra spark is not installed")


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of two pairs, on a machine with Java."""
    monkeypatch.setattr(session, "which", lambda name: f"/usr/bin/{name}")
    path = tmp_path / "pairs.tsv"
    path.write_text("One.\tUn.\nTwo.\tDeux.\n", encoding="utf-8")
    return path


def _refused(run: Run, pairs: Path, *options: str) -> tuple[int, str]:
    folder = str(pairs.parent / "run")
    result = run("distributed", "run", str(pairs), "--lang", "eng,fra", "--out", folder, *options, "--quiet")
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    return result.exit_code, lines[0]


@needs_pyarrow
@needs_pyspark
@pytest.mark.parametrize("package", ["pyspark", "pyarrow", "pandas"])
def test_a_missing_package_is_told_with_the_command_that_installs_it(
    run: Run, pairs: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == package else object())
    code, told = _refused(run, pairs)
    assert (code, told) == (2, f"corpusdb: error: this needs {package}: pip install 'corpusdb[spark]'")
    assert not (pairs.parent / "run").exists()


@needs_pyarrow
@needs_pyspark
def test_a_machine_without_java(run: Run, pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "which", lambda name: None)
    monkeypatch.setenv("JAVA_HOME", str(pairs.parent))
    code, told = _refused(run, pairs)
    assert code == 2 and "this needs Java 17" in told


@needs_pyarrow
@needs_pyspark
def test_no_cluster(run: Run, pairs: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{unused.getsockname()[1]}"
        assert _refused(run, pairs, "--master", master) == (
            4,
            f"corpusdb: error: no cluster answers at {master}: Connection refused",
        )
    code, told = _refused(run, pairs, "--master", "spark://127.0.0.1:here")
    assert code == 2 and "is not an address of a master" in told
    code, told = _refused(run, pairs, "--master", "mesos://127.0.0.1:5050")
    assert code == 2 and "is not a cluster" in told


@needs_pyarrow
@needs_pyspark
def test_settings_that_are_none(run: Run, pairs: Path) -> None:
    for setting in ("spark.executor.memory", "memory=4g"):
        code, told = _refused(run, pairs, "--conf", setting)
        assert code == 2 and "spark.NAME=VALUE" in told


@needs_pyarrow
@needs_pyspark
def test_options_that_say_nothing_of_parquet(run: Run, pairs: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = pairs.with_suffix(".parquet")
    pq.write_table(pa.table({"en": ["One."], "fr": ["Un."]}), path)
    for options in (("--columns", "2,1"), ("--format", "tsv")):
        code, told = _refused(run, path, *options)
        assert code == 2 and "--format and --columns are not for Parquet files" in told


@needs_pyarrow
@needs_pyspark
def test_a_language_that_the_files_do_not_have(run: Run, pairs: Path) -> None:
    texts = "".join(f'<tuv xml:lang="{code}"><seg>{code}</seg></tuv>' for code in ("en", "fr"))
    path = pairs.with_suffix(".tmx")
    path.write_text(f'<tmx version="1.4"><header/><body><tu>{texts}</tu></body></tmx>', encoding="utf-8")
    folder = str(pairs.parent / "run")
    result = run("distributed", "run", str(path), "--lang", "deu", "--out", folder, "--quiet")
    told = "corpusdb: error: no text is in deu, only in eng, fra\n"
    assert (result.exit_code, result.stderr) == (3, told)


@needs_pyarrow
@needs_pyspark
def test_names_and_settings_that_are_for_nothing(run: Run, pairs: Path) -> None:
    code, told = _refused(run, pairs, "--name", "two\nlines")
    assert code == 2 and "a collection" in told and not (pairs.parent / "run").exists()
    result = run("distributed", "load", str(pairs.parent), "--conf", "spark.driver.memory=4g")
    assert result.exit_code == 2 and "--conf is for a folder that has an address" in result.stderr


@needs_pyarrow
@needs_pyspark
def test_a_folder_in_which_another_run_is_at_work(run: Run, pairs: Path) -> None:
    folder = run_folder(pairs.parent / "run")
    claim_folder(folder)
    with folder.held():
        code, told = _refused(run, pairs)
    assert code == 3 and told.endswith("run: another run is at work in it")
    assert folder.names() == ["corpusdb-distributed.json"]


@needs_pyarrow
@needs_pyspark
def test_folders_that_are_not_of_a_run_stay_as_they_are(run: Run, pairs: Path) -> None:
    folder = pairs.parent / "run"
    folder.write_text("a file", encoding="utf-8")
    assert _refused(run, pairs)[0] == 3
    folder.unlink()
    folder.mkdir()
    (folder / "letter.txt").write_text("mine", encoding="utf-8")
    code, told = _refused(run, pairs)
    assert code == 3 and "is not the folder of a distributed run" in told
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]


@needs_pyarrow
@needs_pyspark
@pytest.mark.parametrize(
    ("version", "layout", "maker"),
    [
        ("0.0.9", 1, f"corpusdb 0.0.9, and this is {__version__}"),
        # Its segments are one row each: what reads them in pieces, or whole, would read the other wrongly.
        (__version__, 5, f"another corpusdb {__version__}, which divides steps otherwise (5, not 6)"),
    ],
)
def test_a_folder_of_another_version(run: Run, pairs: Path, version: str, layout: int, maker: str) -> None:
    folder = pairs.parent / "run"
    folder.mkdir()
    own = json.dumps({"corpusdb": version, "layout": layout})
    (folder / "corpusdb-distributed.json").write_text(own, encoding="utf-8")
    code, told = _refused(run, pairs)
    assert code == 3
    assert told.endswith(f"was made by {maker}: name a new folder for `corpusdb distributed run`")
    loaded = run("distributed", "load", str(folder), "--db", str(pairs.parent / "new.db"))
    assert loaded.exit_code == 3 and loaded.stderr == told + "\n"


@needs_pyarrow
@needs_pyspark
def test_files_that_cannot_be_read(run: Run, pairs: Path) -> None:
    code, told = _refused(run, pairs.parent / "no*.tsv")
    assert code == 3 and "no file has such a name" in told
    pairs.write_text("One.\n", encoding="utf-8")
    assert _refused(run, pairs)[0] == 3
    pairs.write_bytes(b"One.\tUn.\nTwo.\t\xff\n")
    code, told = _refused(run, pairs)
    assert code == 3 and f"{pairs}:2" in told
    assert not (pairs.parent / "run" / "unit").exists()


@needs_pyarrow
@needs_pyspark
def test_a_full_disk(run: Run, pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    code, told = _refused(run, pairs)
    assert (code, told) == (4, f"corpusdb: error: the disk is full: {pairs.parent / 'run'}")
    assert not (pairs.parent / "run" / "unit.json").exists()


@needs_pyarrow
@needs_pyspark
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("java.io.IOException: No space left on device", "the disk is full"),
        ('Cannot run program "/opt/py": error=2', "a worker has no Python called /opt/py"),
        ("ModuleNotFoundError: No module named 'numpy'\n at x", "a worker cannot run this: No module named 'numpy'"),
        ("[PYTHON_VERSION_MISMATCH] 3.11 and 3.12", "another version of Python"),
        ("java.lang.OutOfMemoryError: Java heap space", "memory does not suffice"),
        ("\n\nsomething else\nbelow", "Spark stopped: something else"),
    ],
)
def test_what_spark_says_is_one_line(said: str, told: str, tmp_path: Path) -> None:
    from py4j.protocol import Py4JError

    log = tmp_path / "spark.log"
    with pytest.raises(ClusterError) as caught, spark_errors(log):
        raise Py4JError(said)
    assert told in str(caught.value) and str(log) in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.exit_code == 4
    assert said in log.read_text(encoding="utf-8")


@needs_pyarrow
@needs_pyspark
def test_what_is_logged_of_an_interruption_is_kept_and_not_shown(tmp_path: Path) -> None:
    code = f"""
import logging, pathlib
from corpusdb.cluster.session import spark_errors
with spark_errors(pathlib.Path({str(tmp_path / "spark.log")!r})):
    logging.exception("KeyboardInterrupt while sending command.")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("", "")
    assert "KeyboardInterrupt while" in (tmp_path / "spark.log").read_text(encoding="utf-8")


@needs_pyarrow
@needs_pyspark
def test_seeds_without_a_text(run: Run, pairs: Path) -> None:
    seeds = pairs.parent / "seeds.txt"
    seeds.write_text("\n \n", encoding="utf-8")
    code, told = _refused(run, pairs, "--seeds", str(seeds))
    assert code == 3 and "holds no seed" in told


@needs_pyarrow
@needs_pyspark
def test_loading_from_nowhere_makes_no_database(run: Run, tmp_path: Path) -> None:
    result = run("distributed", "load", str(tmp_path), "--db", str(tmp_path / "new.db"))
    assert result.exit_code == 3
    assert "is not the folder of a distributed run" in result.stderr
    assert not (tmp_path / "new.db").exists()


_WITHOUT = """
import sys
for package in ("pandas", "pyarrow", "pyspark"):
    sys.modules[package] = None
sys.argv = ["corpusdb", *sys.argv[1:]]
from corpusdb.program.catalogue import main
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        ("distributed", "run", "pairs.tsv", "--lang", "eng,fra", "--out", "run"),
        pytest.param(("distributed", "load", "run", "--db", "loaded.db"), marks=pytest.mark.slow),
    ],
)
def test_a_package_that_is_missing_is_told_in_one_line(words: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("One.\tUn.\n", encoding="utf-8")
    command = [sys.executable, "-c", _WITHOUT, *words]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 2
    assert result.stderr == "corpusdb: error: this needs pyarrow: pip install 'corpusdb[spark]'\n"
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.tsv"]
