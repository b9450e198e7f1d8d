"""All formal analogies of small samples, and the command that lists those of a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import analogies
import pytest
from calls import Run

from corpusdb.paraphrase.equations import is_analogy

# Rectangles against all formal analogies of small samples of Tatoeba, and the brute force against a plainer one.
#
# Short sentences are drawn, because among a few hundred of all lengths there is no analogy to be expected.


@pytest.fixture(scope="module", params=["english", pytest.param("japanese", marks=pytest.mark.slow)])
def sample(request: pytest.FixtureRequest) -> tuple[str, list[str]]:
    columns, longest, size = {
        "english": (analogies.ENGLISH, 16, 2000),
        "japanese": (analogies.JAPANESE, 9, 3000),
    }[request.param]
    return request.param, analogies.draw(analogies.sentences(columns, longest), size, 1)


@pytest.mark.slow
@pytest.mark.data
def test_most_analogies_are_rectangles(sample: tuple[str, list[str]]) -> None:
    name, texts = sample
    formal = analogies.all_analogies(texts)
    found = analogies.covered(formal, analogies.rectangles(texts, 8), len(texts))
    assert len(found) > 50
    assert sum(found) / len(found) >= {"english": 0.92, "japanese": 0.97}[name]


@pytest.mark.slow
@pytest.mark.data
def test_most_rectangles_are_analogies(sample: tuple[str, list[str]]) -> None:
    _, texts = sample
    found = analogies.covered(analogies.rectangles(texts, 8), analogies.all_analogies(texts), len(texts))
    assert sum(found) / len(found) >= 0.95


@pytest.mark.slow
@pytest.mark.data
def test_the_index_finds_the_rectangles_that_the_strings_have(sample: tuple[str, list[str]]) -> None:
    _, texts = sample
    formal = analogies.all_analogies(texts)
    for max_units in (1, 8):
        gap = analogies.unit_gap(max_units)
        expected = [analogies.is_rectangle(terms, gap) for terms in analogies.terms_of(texts, formal)]
        assert analogies.covered(formal, analogies.rectangles(texts, max_units), len(texts)) == expected


WORDS = "a b ab ba abc cab aab walk walked talk talked walks talks unlike like known unknown".split()


def test_the_brute_force_finds_what_trying_all_quadruples_finds() -> None:
    expected = set()
    for a, b, c, d in combinations(range(len(WORDS)), 4):
        for a1, b1, c1, d1 in ((a, b, c, d), (a, b, d, c), (a, c, d, b)):  # which of the others is opposite to a
            if is_analogy(*(WORDS[term] for term in (a1, b1, c1, d1))):
                expected.add((a1, *sorted((b1, c1)), d1))
    found = [tuple(row) for row in analogies.all_analogies(WORDS).tolist()]
    assert len(found) == len(set(found)) > 3
    assert set(found) == expected


@pytest.mark.parametrize("texts", [[], ["a"], ["a", "b"]])
def test_few_sentences_have_no_analogies(texts: list[str]) -> None:
    assert analogies.all_analogies(texts).shape == (0, 4)


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


def test_a_byte_order_mark_is_no_part_of_the_first_term(run: Run) -> None:
    result = run("solve", "-", stdin="\ufefflike\tunlike\tknown\n")
    assert (result.exit_code, result.stdout) == (0, "unknown\n")


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
