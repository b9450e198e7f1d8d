"""The wheel: built, installed into an environment of its own, and used from an empty folder."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from corpusdb import __version__
from corpusdb.corpus.store.migrations import schema_directory
from corpusdb.phrasebook import phrasebook_files

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints; it sees nothing of the checkout."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout; what builds it comes from the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", folder)
    run(sys.executable, "-m", "pip", "wheel", *options, ROOT, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel, which finds the dependencies in that of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    programs = folder / "venv" / "bin"
    options = ("--no-deps", "--no-index", "--quiet")
    run(sys.executable, "-m", "pip", "--python", programs / "python", "install", *options, wheel, folder=folder)
    site = run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder)
    # A plain path: the .pth files that lie there, such as that of an editable corpusdb, are not read.
    Path(site.strip(), "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return programs


def test_what_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"corpusdb/schema/{script.name}" for script in schema_directory().iterdir()} <= names
    assert {f"corpusdb/phrasebook/{path.name}" for path in phrasebook_files()} <= names
    assert {"corpusdb/CITATION.cff", "corpusdb/py.typed", "tui/__init__.py", "tui/py.typed"} <= names
    information = f"corpusdb-{__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"corpusdb", "tui", information}
    assert f"{information}/licenses/LICENSE" in names


def test_no_file_is_left_out_of_the_wheel(wheel: Path) -> None:
    sources = [path for package in ("corpusdb", "tui") for path in (ROOT / package).rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT).as_posix() for path in sources if "__pycache__" not in path.parts}
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())


def test_the_schema_is_found(installed: Path, tmp_path: Path) -> None:
    program = "import corpusdb.corpus.store.migrations as m; print(m.schema_directory()); print(m.latest_version())"
    place, version = run(installed / "python", "-c", program, folder=tmp_path).splitlines()
    assert Path(place).is_relative_to(installed.parent)
    assert Path(place).parts[-2:] == ("corpusdb", "schema")
    assert int(version) == len(list(schema_directory().iterdir()))


def test_nothing_else_is_installed(installed: Path, tmp_path: Path) -> None:
    program = "import os, sysconfig; print(*sorted(os.listdir(sysconfig.get_path('purelib'))), sep='\\n')"
    names = run(installed / "python", "-c", program, folder=tmp_path).split()
    # Above all no module called schema: another package has that name.
    assert names == ["corpusdb", f"corpusdb-{__version__}.dist-info", "dependencies.pth", "tui"]


@pytest.mark.parametrize("command", [["corpusdb"], ["python", "-m", "corpusdb"]], ids=["script", "module"])
def test_the_version(command: list[str], installed: Path, tmp_path: Path) -> None:
    program, *arguments = command
    assert run(installed / program, *arguments, "--version", folder=tmp_path) == f"corpusdb {__version__}\n"


def test_the_demonstration(installed: Path, tmp_path: Path) -> None:
    shown = run(installed / "corpusdb", "--db", "demo.db", "--quiet", "demo", folder=tmp_path)
    assert shown.strip()
    assert [each.name for each in tmp_path.iterdir()] == ["demo.db"]
