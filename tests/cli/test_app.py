from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb import __version__
from corpusdb.cli.app import COMMANDS

Run: TypeAlias = Callable[..., Result]

NAMES = [command.name for commands in COMMANDS.values() for command in commands]
HEAVY = {"numpy", "sqlite3", "sqlite_utils", "textual", "rich", "corpusdb.store", "corpusdb.formats"}


def test_the_help_lists_every_command_in_one_line_of_80_columns(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.split() and line.split()[0] in NAMES] == NAMES
    assert max(map(len, lines)) <= 80
    assert "..." not in result.stdout.partition("Start:")[2]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_and_takes_the_common_options(name: str, run: Run) -> None:
    result = run(name, "-h")
    assert result.exit_code == 0
    assert all(option in result.stdout for option in ("--db", "--quiet", "--json"))
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [(["--help"], set()), (["--version"], set()), (["search", "--help"], set()), (["import", "--help"], {"formats"})],
)
def test_help_imports_nothing_heavy(
    arguments: list[str], needed: set[str], tmp_path: Path, environment: dict[str, str]
) -> None:
    """Not even what the formats it lists need to read a file."""
    script = f"""
import sys
sys.argv = ["corpusdb", *{arguments!r}]
from corpusdb.cli.app import main
try:
    main()
except SystemExit as end:
    assert not end.code
print("loaded:", *sys.modules)
"""
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.rpartition("loaded:")[2].split())
    assert "corpusdb.cli.paraphrases.paraphrases" in loaded
    assert loaded & HEAVY == {f"corpusdb.{room}" for room in needed}


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"corpusdb {__version__}\n"


def test_no_command_is_a_usage_error_with_the_help_on_stderr(run: Run) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage:" in result.stderr


def test_the_alias_works_and_is_not_listed(run: Run, generated: Path) -> None:
    assert "stats " not in run("--help").stdout
    assert run("stats", "--lang", "en").stdout == run("statistics", "--lang", "eng").stdout != ""


def test_options_of_the_program_may_stand_on_either_side(run: Run, corpus: Path) -> None:
    target = corpus.rename(corpus.with_name("other.db"))
    for arguments in (("--db", target, "--quiet", "info"), ("info", "--db", target, "--quiet")):
        result = run(*arguments)
        assert (result.exit_code, result.stderr) == (0, "")
        assert "paper" in result.stdout


def test_the_database_is_the_named_one_then_that_of_the_environment(
    run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = corpus.rename(corpus.with_name("other.db"))
    assert run("info").exit_code == 3
    monkeypatch.setenv("CORPUSDB_DB", str(target))
    assert run("info").exit_code == 0
    assert run("--db", "corpus.db", "info").exit_code == 3


def test_quiet_silences_progress_and_talk_but_no_error(run: Run, corpus: Path) -> None:
    assert run("detect", "--lang", "eng").stderr != ""
    assert run("--quiet", "detect", "--lang", "eng").stderr == ""
    assert run("--quiet", "detect", "--lang", "xx").stderr.startswith("corpusdb: error: ")


def test_an_older_schema_is_brought_up_to_date_by_a_command_that_reads(run: Run, tmp_path: Path) -> None:
    from sqlite_utils import Database, Migrations

    from corpusdb.store.migrations import latest_version, schema_directory

    first = min(schema_directory().iterdir(), key=lambda entry: entry.name)
    database = Database(tmp_path / "corpus.db")
    migrations = Migrations("corpusdb")

    @migrations(name=first.name.removesuffix(".sql"))
    def create(db: Database) -> None:
        db.executescript(first.read_text(encoding="utf-8"))
        db.execute("pragma user_version = 1")

    migrations.apply(database)
    database.execute(f"pragma application_id = {0x63726462}")
    database.close()
    result = run("info")
    assert result.exit_code == 0
    assert f"schema {latest_version()}" in result.stdout
