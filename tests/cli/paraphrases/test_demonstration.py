from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.phrasebook import phrasebook_files
from corpusdb.queries.chain import demonstration

Run: TypeAlias = Callable[..., Result]


def test_the_demonstration_runs_in_a_new_temporary_database(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "phrasebook_files", lambda: phrasebook_files()[:3])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("CORPUSDB_DB", str(tmp_path / "mine.db"))
    result = run("demo")
    assert result.exit_code == 0
    assert "phrasebook" in result.stdout
    (database,) = tmp_path.glob("corpusdb-*/demo.db")
    assert f"the database is {database}" in result.stderr
    assert not (tmp_path / "mine.db").exists()


@pytest.mark.slow
def test_the_demonstration_in_a_named_database(run: Run) -> None:
    report = json.loads(run("demo", "--db", "demo.db", "--json").stdout)
    assert report["database"] == "demo.db"
    assert report["generation"]["kept"] > 0


@pytest.mark.usefixtures("corpus")
def test_the_demonstration_is_not_made_in_a_database_that_is_used(run: Run) -> None:
    result = run("--db", "corpus.db", "demo")
    assert result.exit_code == 2
    assert "holds paper" in result.stderr
