"""The README: short, and true of the program; and the wheel, used from an empty folder."""

from __future__ import annotations

import ast
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import sysconfig
import tarfile
import termios
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpusdb import __version__
from corpusdb.base import python_version
from corpusdb.corpus.store.opening import latest_version, schema_directory
from corpusdb.guides import guide_topics
from corpusdb.phrasebook import phrasebook_files
from corpusdb.program.catalogue import COMMANDS, app

# The README: short, and true of the program. What it shows of real data is made again where that lies.


ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
DATA = ROOT.parent / "shared" / "data"
WIDTH = 118


def commands_of_setup() -> dict[str, str]:
    """What stands behind each mark of a command: one line of a shell."""
    return dict(re.findall(r"<!-- command: (\w+) -->\n```sh\n(.*)\n```", README))


def shown_calls() -> list[tuple[str, list[str]]]:
    """Each call of a shell in the examples, and the lines that it is shown to answer."""
    calls: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                calls.append((line.removeprefix("$ "), []))
            else:
                calls[-1][1].append(line)
    return calls


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_what_it_links_is_there() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", README)
    assert linked
    assert [each for each in linked if not each.startswith("https://") and not (ROOT / each).exists()] == []


def test_the_guides_that_it_names_are_all_that_there_are() -> None:
    (sentence,) = re.findall(r"`corpusdb guide` lists topics:(.*?):", README, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(guide_topics())


def called() -> Iterator[list[str]]:
    """The words of each call of the program, in the examples and in the text."""
    spans = [*(call for call, _ in shown_calls()), *re.findall(r"`(corpusdb [a-z][^`]*)`", README)]
    for span in spans:
        for call in re.split(r";\s*(?:do\b)?|&&", span):
            words = shlex.split(call)
            if words and words[0] == "corpusdb":
                yield words[1:]


def test_the_calls_are_commands_with_options_that_there_are() -> None:
    calls = list(called())
    assert len(calls) > 12
    names = {each.name for listed in COMMANDS.values() for each in listed}
    for words in calls:
        if words[0].startswith("-"):
            continue
        assert words[0] in names, words
        described = CliRunner().invoke(app, [words[0], "--help"]).output
        if " COMMAND [ARGS]" in described and len(words) > 1:
            described = CliRunner().invoke(app, [words[0], words[1], "--help"]).output
            assert described.startswith("Usage: "), words
        options = [word.partition("=")[0] for word in words if re.match(r"--?[A-Za-z]", word)]
        assert [each for each in options if not re.search(rf"(?<![\w-]){re.escape(each)}\b", described)] == [], words


def test_the_setup_begins_with_the_look_at_python() -> None:
    setup = commands_of_setup()
    assert list(setup) == ["demo", "test"]
    for command in setup.values():
        look = command.split(" && ")[0].split()
        assert look == ["python3", "corpusdb/base/python_version.py"]
        found = subprocess.run([sys.executable, *look[1:]], cwd=ROOT, capture_output=True, text=True)
        assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
        assert subprocess.run(["sh", "-n", "-c", command], check=False).returncode == 0
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == ">=" + ".".join(map(str, python_version._NEEDED))


def test_a_python_that_is_too_old_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from corpusdb.__main__ import main

    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))
    monkeypatch.setattr(sys, "argv", ["corpusdb", "demo"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    told = "corpusdb: error: this is Python 3.10.13, and corpusdb needs 3.11 or later\n"
    assert capsys.readouterr() == ("", told)


def test_every_python_can_read_what_looks_at_it() -> None:
    """Nothing that Python 2.7 and 3.6 would stop at before they tell: the oldest that servers have."""
    tree = ast.parse(Path(python_version.__file__).read_text("ascii"), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.Match, ast.ImportFrom, ast.Nonlocal, ast.AsyncFunctionDef)
    assert [node for node in ast.walk(tree) if isinstance(node, newer)] == []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert [each for each in functions if each.returns or each.args.args or each.args.kwonlyargs] == []


def in_terminal(command: str, folder: Path) -> tuple[list[str], str]:
    """The lines that a call of a shell writes to a terminal, and what it says on stderr."""
    reading, writing = pty.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    program = f'corpusdb() {{ {shlex.quote(sys.executable)} -m corpusdb "$@"; }}; {command}'
    environment = os.environ | {"CORPUSDB_DB": "tatoeba.db", "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder)}
    with (folder / "stderr").open("w+", encoding="utf-8") as errors:
        call = ["bash", "-c", program]
        with subprocess.Popen(call, cwd=folder, env=environment, stdout=writing, stderr=errors) as process:
            os.close(writing)
            found = b""
            while True:
                try:
                    part = os.read(reading, 1 << 16)
                except OSError:  # nobody holds the other end any more
                    break
                found += part
                if not part:
                    break
            os.close(reading)
        assert process.returncode == 0, command
        errors.seek(0)
        return [line.rstrip() for line in found.decode("utf-8").splitlines()], errors.read()


def real_files(folder: Path) -> None:
    """The files of the examples, under the names that these have there."""
    for name in ("fra", "deu", "jpn", "cmn"):
        (folder / f"eng-{name}.tsv.gz").symlink_to(DATA / "tatoeba" / f"eng-{name}.tsv.gz")
    for name in ("systems/ONLINE-A.ja", "systems/AIRC.ja", "ref.A.ja"):
        (folder / Path(name).name).symlink_to(DATA / "wmt23-enja" / name)
    (folder / "news.txt").symlink_to(DATA / "homogeneity" / "news.en.txt")
    rows = (DATA / "dialogue-bsd" / "dev.tsv").read_text("utf-8").splitlines()
    column = rows[0].split("\t").index("en")
    (folder / "dialogues.txt").write_text("".join(row.split("\t")[column] + "\n" for row in rows[1:]), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.data
def test_the_examples_answer_what_is_shown(tmp_path: Path) -> None:
    """Some minutes: all of it is made from the files on."""
    pytest.importorskip("sudachipy")
    real_files(tmp_path)
    calls = [(call, lines) for call, lines in shown_calls() if not call.startswith("export ")]
    for call, lines in calls:
        written, said = in_terminal(call, tmp_path)
        remarks = [line for line in lines if line.startswith("corpusdb: ")]
        assert [line for line in remarks if line not in said.splitlines()] == [], call
        if lines:
            assert written == [line for line in lines if line not in remarks], call


# The wheel: built, installed into an environment of its own, and used from an empty folder.


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


@pytest.mark.slow
def test_what_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"corpusdb/schema/{script.name}" for script in schema_directory().iterdir()} <= names
    assert {f"corpusdb/phrasebook/{path.name}" for path in phrasebook_files()} <= names
    assert {"corpusdb/CITATION.cff", "corpusdb/py.typed", "tui/__init__.py", "tui/py.typed"} <= names
    information = f"corpusdb-{__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"corpusdb", "tui", information}
    assert f"{information}/licenses/LICENSE" in names


@pytest.mark.slow
def test_no_file_is_left_out_of_the_wheel(wheel: Path) -> None:
    sources = [path for package in ("corpusdb", "tui") for path in (ROOT / package).rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT).as_posix() for path in sources if "__pycache__" not in path.parts}
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_what_is_built_has_the_same_bytes_whenever_and_wherever(wheel: Path, tmp_path: Path) -> None:
    """The sdist of this checkout; and of it, unpacked by somebody with other permissions, the sdist and the wheel."""
    build = (sys.executable, "-m", "hatchling", "build", "--target")
    subprocess.run([*build, "sdist", "-d", tmp_path], cwd=ROOT, check=True, capture_output=True)
    (sources,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    tracked = {"tests/program/promised.txt", "tests/corpus/store/test_kept_databases.py", "schema/corpus.sql"}
    assert {"pyproject.toml", "README.md", "LICENSE", "corpusdb/CITATION.cff", *tracked} <= names
    folder = tmp_path / sources.name.removesuffix(".tar.gz")
    for path in folder.rglob("*.py"):
        path.chmod(0o600)
        os.utime(path, (10**9, 10**9))
    for target in ("sdist", "wheel"):
        subprocess.run([*build, target, "-d", tmp_path / "again"], cwd=folder, check=True, capture_output=True)
    assert (tmp_path / "again" / sources.name).read_bytes() == sources.read_bytes()
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_the_schema_is_found(installed: Path, tmp_path: Path) -> None:
    program = "import corpusdb.corpus.store.opening as m; print(m.schema_directory()); print(m.latest_version())"
    place, version = run(installed / "python", "-c", program, folder=tmp_path).splitlines()
    assert Path(place).is_relative_to(installed.parent)
    assert Path(place).parts[-2:] == ("corpusdb", "schema")
    assert int(version) == latest_version()


@pytest.mark.slow
def test_nothing_else_is_installed(installed: Path, tmp_path: Path) -> None:
    program = "import os, sysconfig; print(*sorted(os.listdir(sysconfig.get_path('purelib'))), sep='\\n')"
    names = run(installed / "python", "-c", program, folder=tmp_path).split()
    # Above all no module called schema: another package has that name.
    assert names == ["corpusdb", f"corpusdb-{__version__}.dist-info", "dependencies.pth", "tui"]


@pytest.mark.slow
@pytest.mark.parametrize("command", [["corpusdb"], ["python", "-m", "corpusdb"]], ids=["script", "module"])
def test_the_version(command: list[str], installed: Path, tmp_path: Path) -> None:
    program, *arguments = command
    assert run(installed / program, *arguments, "--version", folder=tmp_path) == f"corpusdb {__version__}\n"


@pytest.mark.slow
def test_how_to_cite_and_what_has_changed(installed: Path, tmp_path: Path) -> None:
    assert f"version: {__version__}\n" in run(installed / "corpusdb", "--cite", folder=tmp_path)
    assert f"\n{__version__}" in run(installed / "corpusdb", "guide", "changes", folder=tmp_path)


@pytest.mark.slow
def test_the_demonstration(installed: Path, tmp_path: Path) -> None:
    shown = run(installed / "corpusdb", "--db", "demo.db", "--quiet", "demo", folder=tmp_path)
    assert shown.strip()
    assert [each.name for each in tmp_path.iterdir()] == ["demo.db"]
