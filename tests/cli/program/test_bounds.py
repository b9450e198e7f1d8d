from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]
HUGE = "99999999999999999999999"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("judge", "record", "s1", HUGE, "y"), "ITEM must be 1 to 2,147,483,647"),
        (("judge", "record", "s1", "0", "y"), "'ITEM': '0' is less than 1"),
        (("judge", "record", "s1", "9" * 5000, "y"), "is too large"),
        (("verify", HUGE), "SCORE must be 1 to 2,147,483,647"),
        (("trace", "h.txt", "--ref", "h.txt", "--segment", HUGE), "--segment must be 1 to 2,147,483,647"),
        (("generate", "--lang", "eng", "-N", HUGE), "--fluency must be 0 to 2,147,483,647"),
        (("search", "beer", "--kwic", "--sort", "random", "--seed", "-1"), "'--seed': '-1' is less than 0"),
        (("search", "beer", "-n", HUGE), "--limit must be 0 to 2,147,483,647"),
        (
            ("score", "h.txt", "--ref", "h.txt", "--order", "999999999999"),
            "'--order': '999999999999' is more than 1,000",
        ),
        (("sql", "select 1", "--timeout", "nan"), "'--timeout': 'nan' is no number"),
        (("sql", "select 1", "--timeout", "1e400"), "'--timeout': '1e400' is more than 86,400 "),
        (("keywords", "paper", "--p", "nan"), "'--p': 'nan' is no number"),
        (("search", "nul\0"), "holds a NUL character"),
        (("search", "half\udce9"), "is not UTF-8"),
        (("solve", "a", "b", "c\ud800"), "is not UTF-8"),
    ],
)
def test_what_is_out_of_range_is_a_usage_error_in_one_line(arguments: tuple[str, ...], told: str, run: Run) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 900


def test_a_kept_query_is_held_to_the_same_ranges(run: Run, corpus: Path) -> None:
    assert run("search", "beer", "--save", "mine").exit_code == 0
    with closing(sqlite3.connect(corpus)) as connection:
        connection.execute("update saved_query set options = json_set(options, '$.limit', -5)")
        connection.commit()
    result = run("run", "mine")
    assert result.exit_code == 2
    assert "--limit must be 0 to" in result.stderr


@pytest.mark.parametrize("command", [("info",), ("import", "a.tsv", "--lang", "eng,fra")])
def test_a_database_is_a_regular_file(command: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("one\tun\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    for place in ("pipe", "/dev/null"):
        result = run("--quiet", "--db", place, *command)
        assert result.exit_code == 4
        assert result.stderr == f"corpusdb: error: {place}: is no regular file, and no database\n"


def test_a_statement_and_a_line_on_standard_input_have_an_end(run: Run, corpus: Path) -> None:
    assert run("sql", "-", stdin=b"select 1 --" + b"x" * (1 << 20)).stderr.startswith(
        "corpusdb: error: -: the statement"
    )
    result = run("solve", "-", stdin=b"a\tab\tc\n" + b"x" * (2 << 20))
    assert (result.exit_code, result.stdout) == (3, "cb\n")
    assert result.stderr == "corpusdb: error: -:2: the line is longer than 1,048,576 bytes\n"
