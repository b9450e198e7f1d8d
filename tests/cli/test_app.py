from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb import __version__
from corpusdb.commands.command import CommandGroup
from corpusdb.program.catalogue import COMMANDS

Run: TypeAlias = Callable[..., Result]

NAMES = [command.name for commands in COMMANDS.values() for command in commands]
HEAVY = {"numpy", "sqlite3", "sqlite_utils", "textual", "rich", "corpusdb.corpus.store", "corpusdb.corpus.formats"}


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
    ("arguments", "module"),
    [
        (["--help"], None),
        (["--version"], None),
        (["search", "--help"], "corpusdb.search.commands"),
        (["import", "-h"], "corpusdb.chain.corpus_commands"),
    ],
)
def test_help_imports_the_command_that_is_asked_for_and_nothing_heavy(
    arguments: list[str], module: str | None, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Not even what the formats it lists need to read a file."""
    script = f"""
import sys
sys.argv = ["corpusdb", *{arguments!r}]
from corpusdb.program.app import main
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
    called = {each.place.partition(":")[0] for commands in COMMANDS.values() for each in commands}
    directly = {name for name in called if name in loaded}
    assert (module in directly) if module else not directly
    assert len(directly) < len(called) / 4
    assert loaded & HEAVY <= {"corpusdb.corpus.formats"}
    assert module == "corpusdb.chain.corpus_commands" or not loaded & HEAVY


def test_the_list_of_commands_says_what_they_say_of_themselves() -> None:
    for each in (each for commands in COMMANDS.values() for each in commands):
        command = each.load()
        told = command.help if isinstance(command, CommandGroup) else inspect.getdoc(command.run)
        assert told is not None
        assert each.summary == told.splitlines()[0]
        assert (each.name, tuple(each.aliases)) == (command.name, tuple(getattr(command, "aliases", ())))


def test_how_to_cite(run: Run) -> None:
    shown = run("--cite")
    root = Path(__file__).resolve().parents[2]
    assert (shown.exit_code, shown.stdout) == (0, (root / "corpusdb" / "CITATION.cff").read_text(encoding="utf-8"))
    assert shown.stdout.startswith("cff-version: 1.2.0\n")
    assert f"\nversion: {__version__}\n" in shown.stdout
    assert shown.stdout.count("  - type: conference-paper\n") == 5


def test_a_mistyped_command_is_told_what_it_is_like(run: Run) -> None:
    result = run("similarty")
    assert result.exit_code == 2
    assert "'similarity'" in result.stderr


def test_names_of_commands_are_completed_without_loading_them(tmp_path: Path, environment: dict[str, str]) -> None:
    script = """
import sys
sys.argv = ["corpusdb"]
from corpusdb.program.app import main
try:
    main()
finally:
    print("corpusdb.search.commands" in sys.modules)
"""
    asked = environment | {"_CORPUSDB_COMPLETE": "complete_bash", "COMP_WORDS": "corpusdb se", "COMP_CWORD": "1"}
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=asked, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["search", "session", "select", "False"]


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
    assert run("info").exit_code == 4
    monkeypatch.setenv("CORPUSDB_DB", str(target))
    assert run("info").exit_code == 0
    assert run("--db", "corpus.db", "info").exit_code == 4


def test_quiet_silences_progress_and_talk_but_no_error(run: Run, corpus: Path) -> None:
    assert run("detect", "--lang", "eng").stderr != ""
    assert run("--quiet", "detect", "--lang", "eng").stderr == ""
    assert run("--quiet", "detect", "--lang", "xx").stderr.startswith("corpusdb: error: ")


def test_an_older_schema_is_brought_up_to_date_by_a_command_that_reads(run: Run, tmp_path: Path) -> None:
    from sqlite_utils import Database, Migrations

    from corpusdb.corpus.store.migrations import latest_version, schema_directory

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
