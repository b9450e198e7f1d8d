from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


@pytest.mark.parametrize(
    ("terms", "solution"),
    [
        # Lepage & Denoual 2005, section 4.3 and table 4
        (
            ("I'd like a beer, please.", "Can I have a beer?", "I'd like a slice of pizza, please."),
            "Can I have a slice of pizza?",
        ),
        (("like", "unlike", "known"), "unknown"),
        (("", "", "読む"), "読む"),
    ],
)
def test_an_equation_is_solved(terms: tuple[str, ...], solution: str, run: Run) -> None:
    result = run("solve", *terms)
    assert (result.exit_code, result.stdout) == (0, solution + "\n")
    assert json.loads(run("solve", *terms, "--json").stdout) == {"solution": solution}


def test_no_solution_is_the_answer_no(run: Run) -> None:
    result = run("solve", "abc", "d", "e")
    assert (result.exit_code, result.stdout) == (1, "")
    result = run("solve", "abc", "d", "e", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (1, {"solution": None})


def test_all_solutions(run: Run) -> None:
    from corpusdb.paraphrase.equations import solutions

    expected = solutions("a", "ab", "ac", limit=0)
    assert len(expected) > 1
    assert run("solve", "a", "ab", "ac", "--all").stdout.splitlines() == expected
    assert json.loads(run("solve", "a", "ab", "ac", "--all", "--json").stdout) == {
        "solution": expected[0],
        "solutions": expected,
    }


def test_a_term_that_begins_with_a_dash_stands_behind_two(run: Run) -> None:
    assert run("solve", "--", "a", "-a", "b").stdout == "-b\n"


def test_lines_are_answered_one_by_one(run: Run) -> None:
    result = run("solve", "-", stdin="like\tunlike\tknown\nabc\td\te\r\n読む\t読んだ\t飲む\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "unknown\n\n飲んだ\n", "")
    lines = run("solve", "-", "--json", stdin="like\tunlike\tknown\nabc\td\te\n").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"solution": "unknown"}, {"solution": None}]


def test_no_line_has_no_answer(run: Run) -> None:
    result = run("solve", "-", stdin="")
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (b"a\tb\tc\na\tb\n", "-:2: has 2 columns, 3 needed: A, B, C"),
        (b"a\tb\tc\n\n", "-:2: has 1 column, 3 needed: A, B, C"),
        (b"a\tb\tc\td\n", "-:1: has 4 columns, 3 needed: A, B, C"),
        (b"a\tb\tcaf\xe9\n", "-:1: is not UTF-8"),
    ],
)
def test_a_bad_line_is_named(lines: bytes, told: str, run: Run) -> None:
    result = run("solve", "-", stdin=lines)
    assert (result.exit_code, result.stderr) == (3, f"corpusdb: error: {told}\n")


def test_each_answer_comes_before_the_next_question(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "corpusdb", "solve", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe) as process:
        assert process.stdin and process.stdout
        for word in ("known", "fair"):
            process.stdin.write(f"like\tunlike\t{word}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().decode() == f"un{word}\n"
        process.stdin.close()
        assert process.wait(60) == 0
