from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.phrasebook import phrasebook_files, register_file
from corpusdb.program.demonstration_report import OWN, TO_TRY
from corpusdb.program.queries import demonstration as generation

Run: TypeAlias = Callable[..., Result]
TOPICS = ("airport", "conversation", "hotel")
PAIRS = """\
english	french
I'd like a beer, please.	Je voudrais une bière, s'il vous plaît.
A beer, please.	Une bière, s'il vous plaît.
A cold beer, please.	Une bière froide, s'il vous plaît.
I'd like a slice of pizza, please.	Je voudrais une part de pizza, s'il vous plaît.
A slice of pizza, please.	Une part de pizza, s'il vous plaît.
"""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demonstration on some topics, which takes less time."""
    files = [path for path in phrasebook_files() if path.stem in TOPICS]
    monkeypatch.setattr(generation, "phrasebook_files", lambda: files)


@pytest.mark.usefixtures("small")
def test_the_demonstration_runs_in_a_new_temporary_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("CORPUSDB_DB", str(tmp_path / "mine.db"))
    result = run("demo")
    assert result.exit_code == 0
    assert "phrasebook" in result.stdout
    (database,) = tmp_path.glob("corpusdb-*/demo.db")
    assert f"the database is {database}" in result.stderr
    assert f"export CORPUSDB_DB={database}" in result.stdout
    assert not (tmp_path / "mine.db").exists()


@pytest.mark.usefixtures("small")
def test_the_demonstration_in_a_named_database_and_what_it_says_to_try(run: Run) -> None:
    report = json.loads(run("demo", "--db", "demo.db", "--json").stdout)
    assert report["database"] == "demo.db"
    assert report["generation"]["kept"] > 0
    assert report["scores"]["scores"][0]["characters"] > 0
    assert [each["report"]["language"] for each in report["profiles"]] == ["eng", "jpn"]
    for command, _ in TO_TRY:
        words = shlex.split(command)
        result = run("--db", "demo.db", *words, *(["--help"] if words == ["browse"] else []))
        assert (result.exit_code, bool(result.stdout)) == (0, True), command


def test_the_commands_for_ones_own_corpus_work(run: Run, tmp_path: Path) -> None:
    texts = {
        "pairs.tsv": PAIRS,
        "output.ja": "窓側の席をください。\n",
        "reference.ja": "窓側の席をお願いします。\n",
        "texts.ja": "道に迷ってしまいました。\n",
        "talk.txt": register_file("spoken", "eng").read_text("utf-8"),
        "news.txt": register_file("written", "eng").read_text("utf-8"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for system, commands in OWN.items():
        if system == "rules":
            pytest.importorskip("sudachipy")
        for command in commands:
            result = run(*shlex.split(command.replace("WORD", "beer")))
            assert result.exit_code in ((0, 1) if "WORD" in command else (0,)), (command, result.stderr)
            assert result.stdout or "WORD" in command, command


def test_the_key_that_leaves_the_browser_is_the_one_that_is_told(run: Run) -> None:
    (told,) = (why.split()[0] for command, why in TO_TRY if command == "browse")
    assert ["keys.app.quit", told] in [line.split()[:2] for line in run("browse", "--keys").stdout.splitlines()]


@pytest.mark.usefixtures("corpus")
def test_the_demonstration_is_not_made_in_a_database_that_is_used(run: Run) -> None:
    result = run("--db", "corpus.db", "demo")
    assert result.exit_code == 2
    assert "holds paper" in result.stderr
