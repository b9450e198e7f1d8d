"""`corpusdb results`: a query, kept under a name, combined, counted and exported in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


def test_from_a_search_to_files_of_every_format(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "eng", "-n", "1")
    assert json.loads(run("results", "keep", "A", "--json").stdout) == {
        "name": "A",
        "query": "corpusdb search --lang eng --limit 1 cat",
        "sentences": 4,
    }
    run("search", "dog", "--lang", "eng", "--save", "dogs")
    assert (
        run("results", "keep", "B", "dogs").stdout == "result\tB\nquery\tcorpusdb search --lang eng dog\nsentences\t4\n"
    )
    for operation, count in (("union", 6), ("intersection", 2), ("difference", 2)):
        made = run("results", operation, f"{operation} of both", "A", "B", "--json")
        assert json.loads(made.stdout)["sentences"] == count
    rows = run("results", "list").stdout.splitlines()
    assert rows[1] == "A\teng\t4\tquery\tcorpusdb search --lang eng --limit 1 cat"
    assert "difference of both\teng\t2\tdifference\tdifference of A, B" in rows
    assert "cat\t4" in run("frequencies", "--collection", "A", "--lang", "eng").stdout
    for name in ("x.tmx", "x.jsonl", "x.tsv", "x.csv"):
        report = json.loads(run("export", "-o", name, "--collection", "difference of both", "--json").stdout)
        assert report["units"] == 2
    run("export", "-o", "x", "--format", "moses", "--lang", "eng,fra", "--collection", "difference of both")
    assert (animals / "x.eng").read_text(encoding="utf-8") == "cat runs.\ncat sleeps.\n"
    piped = run("export", "-o", "-", "--format", "tsv", "--query", "dogs").stdout
    assert piped.splitlines()[1:] == [f"{a} {b}.\tle {a} {b}." for a in ("dog", "cat dog") for b in ("runs", "sleeps")]
    assert run("results", "remove", "A").exit_code == 0
    assert run("frequencies", "--collection", "A", "--lang", "eng").exit_code == 3


def test_what_is_empty_is_told(run: Run, animals: Path) -> None:
    run("search", "wolf", "--lang", "eng")
    result = run("results", "keep", "A")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no sentence, and nothing is kept" in result.stderr
    run("frequencies", "--lang", "eng")
    result = run("results", "keep", "A")
    assert result.exit_code == 2
    assert "only those of search find sentences" in result.stderr


def test_a_result_is_kept_again_in_its_place(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "eng")
    run("results", "keep", "A")
    run("search", "dog runs", "--lang", "eng")
    result = run("results", "keep", "A")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "there is a result 'A' already; give another name, or `results keep --replace`" in result.stderr
    assert run("results", "keep", "A", "--replace").stdout.endswith("sentences\t2\n")
    assert run("results", "union", "A", "A", "animals", "--replace").stdout.endswith("sentences\t6\n")
    assert "[QUERY]" in run("results", "keep", "--help").stdout
    assert "[QUERY]" in run("categories", "set", "--help").stdout


def test_what_is_asked_of_a_result_is_asked_in_its_language(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "fra")
    run("results", "keep", "A")
    run("search", "cat", "--lang", "eng")
    run("results", "keep", "E")
    for language, name in (("fra", "A"), ("eng", "E")):
        told = f"in {language}, the language of '{name}'"
        found = run("search", "runs", "--collection", name)
        assert told in found.stderr
        assert [row.split("\t")[1] for row in found.stdout.splitlines()[1:]] == [language] * 2
        for words in (
            ("collocates", "cat", "--collection", name, "--least", "1"),
            ("frequencies", "--collection", name),
            ("keywords", name),
            ("keywords", "animals", "--against", name),
        ):
            asked = run(*words)
            assert (asked.exit_code, told in asked.stderr) == (0, True), asked.stderr


def test_results_are_taken_and_named_where_collections_are(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "eng")
    run("results", "keep", "A")
    inside = run("search", "", "--collection", "A", "--document", "animals.tsv", "--json")
    assert json.loads(inside.stdout)["total"] == 4
    for words in (
        ("search", "cat", "--collection", "B"),
        ("keywords", "B"),
        ("export", "-o", "b.tsv", "--collection", "B"),
    ):
        result = run(*words)
        assert result.exit_code == 3
        assert "there is no collection 'B'; there are animals, and of results A" in result.stderr


def test_the_lines_of_a_result_are_had_again(run: Run, animals: Path) -> None:
    lines = run("search", "dog", "--lang", "eng", "--kwic").stdout
    kept = run("results", "keep", "A")
    call = "corpusdb search --kwic --collection A --lang eng dog"
    assert f"a result holds sentences; its lines again: `{call}`" in kept.stderr
    empty = run("search", "", "--kwic", "--collection", "A")
    assert "a concordance needs a pattern" in empty.stderr
    assert f"'A' holds sentences; their lines again: `{call}`" in empty.stderr
    assert run(*call.split()[1:]).stdout == lines
    assert "a concordance needs a pattern" in run("search", "", "--kwic").stderr
