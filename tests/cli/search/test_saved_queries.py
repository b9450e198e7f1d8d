"""Queries that are kept, and run again with the same answer."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

SEED = "A twin, please."
ASK = ("paraphrases", SEED, "--limit", "1", "-N", "0")
LINE = f"corpusdb paraphrases --limit 1 --fluency 0 '{SEED}'"


@pytest.mark.parametrize("format", ["table", "tsv", "csv", "json", "jsonl", "markdown"])
def test_every_answer_comes_in_every_format_and_to_a_file(format: str, run: Run, generated: Path) -> None:
    result = run(*ASK, "--format", format)
    assert result.exit_code == 0
    to_file = run(*ASK, "--format", format, "-o", "rows")
    assert (to_file.exit_code, to_file.stdout) == (0, "")
    assert generated.with_name("rows").read_bytes() == result.stdout_bytes != b""
    assert run(*ASK, "--format", format, "-o", "-").stdout == result.stdout


def test_formats_hold_the_same_rows(run: Run, generated: Path) -> None:
    table = run(*ASK).stdout.splitlines()
    header, row = (line.split("\t") for line in table)
    assert list(csv.reader(StringIO(run(*ASK, "--format", "csv").stdout))) == [header, row]
    (line,) = run(*ASK, "--format", "jsonl").stdout.splitlines()
    assert [str(value) for value in json.loads(line).values()] == row
    assert run(*ASK, "--json").stdout == run(*ASK, "--format", "json").stdout


def test_two_formats_are_a_usage_error(run: Run, generated: Path) -> None:
    assert run(*ASK, "--json", "--format", "csv").exit_code == 2
    assert run(*ASK, "--json", "--format", "json").exit_code == 0


def test_a_failing_query_leaves_the_file_and_is_not_kept(run: Run, generated: Path) -> None:
    file = generated.with_name("rows")
    file.write_text("before")
    assert run("sql", "selec", "-o", "rows", "--save", "wrong").exit_code == 2
    assert file.read_text() == "before"
    assert json.loads(run("queries", "--json").stdout) == json.loads(run("history", "--json").stdout) == []


def test_a_saved_query_is_run_again_with_its_options(run: Run, generated: Path) -> None:
    first = run(*ASK, "--save", "beer")
    again = run("run", "beer")
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert again.stderr.startswith(f"corpusdb: $ {LINE}\n")
    assert run("run", "beer", "--json").stdout == run(*ASK, "--json").stdout
    assert run("run", "beer", "--format", "markdown").stdout.startswith("| validity | frequency |")
    assert run("--quiet", "run", "beer").stderr == ""
    (row,) = run("queries").stdout.splitlines()[1:]
    assert (row.split("\t")[0], row.split("\t")[-1]) == ("beer", LINE)
    (document,) = json.loads(run("queries", "--json").stdout)
    assert (document["command"], document["options"]["limit"]) == ("paraphrases", 1)


def test_a_name_is_not_taken_from_another_query(run: Run, generated: Path) -> None:
    for _ in range(2):
        assert run(*ASK, "--save", "beer").exit_code == 0
    other = run("sql", "select 1", "--save", "beer")
    assert (other.exit_code, "corpusdb queries --delete beer" in other.stderr) == (2, True)
    assert run("queries", "--delete", "beer").exit_code == 0
    assert run("sql", "select 1", "--save", "beer").exit_code == 0
    assert run("run", "beer").stdout == "1\n1\n"
    missing = run("queries", "--delete", "bear")
    assert (missing.exit_code, "'beer'" in missing.stderr) == (3, True)


def test_the_history_lists_and_runs_by_number(run: Run, generated: Path) -> None:
    gap = ("paradigm", "I'd like _, please.", "-n", "1")
    asked = [run("sql", "select 1"), run(*gap), run("sql", "select 1"), run("sql", "select 2", "-n", "0")]
    documents = json.loads(run("history", "--json").stdout)
    assert [(one["number"], one["total"]) for one in documents] == [(2, 3), (3, 1), (4, 1)]
    lines = [line.split("\t") for line in run("history", "-n", "2").stdout.splitlines()]
    assert [line[-1] for line in lines] == ["query", "corpusdb sql 'select 1'", "corpusdb sql --limit 0 'select 2'"]
    assert "1 more query" in run("history", "-n", "2").stderr
    for number, result in enumerate(asked, 1):  # numbers stay, although each of these calls is remembered too
        assert run("run", number).stdout == result.stdout
    assert run("run", "-").stdout == asked[-1].stdout
    assert run("run", "2", "--save", "drinks").stdout == run("run", "drinks").stdout == asked[1].stdout


def test_the_history_is_that_of_a_database(run: Run, generated: Path) -> None:
    run("sql", "select 1")
    assert run("backup", "copy.db").exit_code == 0
    assert json.loads(run("--db", "copy.db", "history", "--json").stdout) == []
    assert run("--db", "copy.db", "run", "1").exit_code == 2
    assert run("--db", "copy.db", "run", "-").exit_code == 2
    run("--db", "copy.db", "sql", "select 2")
    assert len(run("history", "--all").stdout.splitlines()) == 3
    assert run("history", "--clear").exit_code == 0
    assert [one["number"] for one in json.loads(run("history", "--all", "--json").stdout)] == [1]


@pytest.mark.parametrize("name", ["bear", "1"])
def test_what_was_never_kept(name: str, run: Run, generated: Path) -> None:
    assert run("run", name).exit_code in (2, 3)


def test_stdin_is_not_kept(run: Run, generated: Path) -> None:
    assert run("sql", "-", stdin="select 1").exit_code == 0
    assert json.loads(run("history", "--json").stdout) == []
    assert run("sql", "-", "--save", "one", stdin="select 1").exit_code == 2


def test_history_can_be_off(run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSDB_HISTORY", "off")
    assert run(*ASK).exit_code == 0
    assert json.loads(run("history", "--json").stdout) == []


def test_a_query_of_another_version_is_listed_and_not_run(run: Run, generated: Path) -> None:
    run("sql", "select 1", "--save", "old")
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("""update saved_query set options = '{"select": "1"}'""")
        connection.execute("insert into saved_query select 9, 'gone', 'gone', '{}', '', saved from saved_query")
    assert run("queries").stdout.count("corpusdb ") == 2
    for name in ("old", "gone"):
        result = run("run", name)
        assert result.exit_code == 2
        assert "version of corpusdb" in result.stderr


def test_a_name_that_is_taken_is_told_before_anything_is_answered(run: Run, generated: Path) -> None:
    saved = run(*ASK, "--save", "it is mine")
    assert "saved; `corpusdb run 'it is mine'` asks it again" in saved.stderr
    assert run(*ASK, "--save", "it is mine").stdout == saved.stdout
    for name, told in (("it is mine", "another query is saved as 'it is mine'"), ("7", "cannot be the name")):
        taken = run(*ASK, "-n", "2", "--save", name)
        assert (taken.exit_code, taken.stdout) == (2, "")
        assert told in taken.stderr


def test_a_query_whose_reader_has_seen_enough_is_the_last_one(
    run: Run, generated: Path, environment: dict[str, str]
) -> None:
    run("search", "twin", "--lang", "eng")
    reading, writing = os.pipe()
    os.close(reading)  # as `| head` has done when the line behind its last one is written
    asked = [sys.executable, "-m", "corpusdb", "search", "beer", "--lang", "eng", "--kwic", "--save", "beers"]
    unbuffered = environment | {"PYTHONUNBUFFERED": "1"}
    with os.fdopen(writing, "wb") as output:
        done = subprocess.run(asked, cwd=generated.parent, env=unbuffered, stdout=output, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert run("run", "-").stderr.startswith("corpusdb: $ corpusdb search --lang eng --kwic beer\n")
    assert run("run", "beers").exit_code == 0
