"""The program run inside this process and as a process of its own, on the example of the paper."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
import typer.main
from typer.testing import CliRunner, Result

from corpusdb.program.app import app

Run: TypeAlias = Callable[..., Result]
MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]
Program: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

CHECKOUT = Path(__file__).parents[2]

# Sentences of Lepage & Denoual 2005, tables 3 and 4, with translations that make the second and the third paraphrases.
PAPER = """\
english	french
I'd like a beer, please.	Je voudrais une bière, s'il vous plaît.
A beer, please.	Une bière, s'il vous plaît.
Can I have a beer?	Une bière, s'il vous plaît.
I'd like a slice of pizza, please.	Je voudrais une part de pizza, s'il vous plaît.
A slice of pizza, please.	Une part de pizza, s'il vous plaît.
I'd like a twin, please.	Je voudrais une chambre à deux lits, s'il vous plaît.
A twin, please.	Une chambre à deux lits, s'il vous plaît.
"""


@pytest.fixture(scope="session", autouse=True)
def built_once() -> Iterator[None]:
    """The commands are built once for all runs in this process: that takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program keeps the history, instead of in the home of whoever runs the tests."""
    return tmp_path_factory.mktemp("state")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: Path) -> Run:
    """The program in this process and in an empty folder; its database is corpus.db there unless told otherwise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CORPUSDB_DB", raising=False)
    monkeypatch.delenv("CORPUSDB_TRACEBACK", raising=False)
    monkeypatch.delenv("CORPUSDB_HISTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))

    def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)

    return call


@pytest.fixture
def environment(state: Path) -> dict[str, str]:
    """The environment for a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CORPUSDB_")}
    return kept | {"PYTHONPATH": str(CHECKOUT), "XDG_STATE_HOME": str(state)}


@pytest.fixture
def program(tmp_path: Path, environment: dict[str, str]) -> Program:
    """The program as a process of its own, in the same folder."""

    def call(*arguments: object, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "corpusdb", *map(str, arguments)]
        return subprocess.run(
            command, cwd=tmp_path, env=environment | variables, input=stdin, capture_output=True, encoding="utf-8"
        )

    return call


@pytest.fixture(scope="session")
def example(make_once: MakeOnce) -> Path:
    """A folder with the sentences of the paper, as a file, imported, and with everything generated from them."""

    def fill(folder: Path) -> None:
        (folder / "paper.tsv").write_text(PAPER, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("CORPUSDB_HISTORY", "off")
            invoked("--db", "generated.db", "import", "paper.tsv", "--lang", "eng,fra")
            shutil.copy("generated.db", "corpus.db")
            invoked("--db", "generated.db", "generate", "--lang", "eng")

    return make_once("example", fill)


def invoked(*arguments: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr


@pytest.fixture
def corpus(run: Run, example: Path, tmp_path: Path) -> Path:
    """corpus.db with the sentences of the paper, from which nothing was derived yet, where ``run`` finds it."""
    shutil.copy(example / "paper.tsv", tmp_path)
    return Path(shutil.copy(example / "corpus.db", tmp_path))


@pytest.fixture
def generated(corpus: Path, example: Path) -> Path:
    """The same with the paraphrases of all its English sentences."""
    return Path(shutil.copy(example / "generated.db", corpus))
