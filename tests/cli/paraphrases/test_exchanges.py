"""The command for exchanges of words, on the example of the paper and on the phrasebook."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


@pytest.fixture
def ask(run: Run, finished_phrasebook: Path) -> Run:
    """The command on the phrasebook."""
    return lambda *arguments: run("--db", finished_phrasebook, "exchanges", *arguments)


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_an_exchange_with_its_counter_examples(run: Run, generated: Path) -> None:
    result = run("exchanges", "beer", "twin")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "beer / twin: 0 of 2 pairs of sentences share a translation, 1.3 were expected to",
        "",
        "of\tname\tpairs\tshared\texpected\trate",
        "all\tbeer / twin\t2\t0\t1.3\t0.13",
        "language\tfra\t2\t0\t1.3\t0.13",
        "left\tA\t1\t0\t0.6\t0.182",
        "left\ta\t1\t0\t0.6\t0.182",
        "right\t,\t2\t0\t1.3\t0.13",
        "",
        "beer / twin: pairs that share a translation (0)",
        "beer / twin: pairs that share none, most expected first (2)",
        "  A beer, please.  (0.65)",
        "  A twin, please.",
        "  I'd like a beer, please.  (0.65)",
        "  I'd like a twin, please.",
    ]


def test_an_exchange_as_json(ask: Run) -> None:
    found = document(ask("'s", "is", "--json", "-n", "3"))
    assert {"rate", "shared", "expected", "examples"} <= found.keys()
    assert (found["before"], found["after"]) == ("'s", "is")
    assert [(each["before"], each["after"]) for each in found["forms"]] == [("'s", " is")]
    assert found["rate"] == pytest.approx((found["shared"] + 0.3) / (found["expected"] + 1))
    assert {each["name"] for each in found["by_language"]} == {"fra", "jpn"}
    assert len(found["examples"]) == len(found["left"]) == len(found["right"]) == 3
    for each in found["examples"]:
        assert each["one"].replace("'s", " is", 1) == each["other"] and each["translations"]


def test_what_is_left_out_is_told(ask: Run) -> None:
    every = document(ask("'s", "is", "--json", "-n", "0"))
    result = ask("'s", "is", "-n", "2")
    for what, found in (("neighbours to the left", every["left"]), ("examples", every["examples"])):
        assert f"{len(found) - 2:,} more {what}; `-n 0` shows all {len(found):,}" in result.stderr
    assert f"pairs that share a translation (2 of {len(every['examples'])})" in result.stdout
    assert "more" not in ask("'s", "is", "-n", "0").stderr


def test_the_figures_in_another_format(ask: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(ask("'s", "is", "-n", "2", "--format", "csv").stdout, newline="")))
    assert [row["of"] for row in rows] == ["all", "language", "language", "left", "left", "right", "right"]
    whole = document(ask("'s", "is", "--json"))
    assert (int(rows[0]["pairs"]), int(rows[0]["shared"])) == (whole["pairs"], whole["shared"])


def test_an_exchange_that_the_corpus_does_not_have(ask: Run) -> None:
    for options in ((), ("--json",)):
        result = ask("beer", "zebra", *options)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == "corpusdb: no two sentences differ by 'beer' and 'zebra' alone\n"
    result = ask("beer", " beer")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_the_list(ask: Run) -> None:
    found = document(ask("--json", "-n", "0"))
    assert [each["rate"] for each in found] == sorted((each["rate"] for each in found), reverse=True)
    assert min(each["expected"] for each in found) >= 3
    shown = ask("-n", "4")
    assert [line.split("\t")[:3] for line in shown.stdout.splitlines()] == [
        ["u", "v", "pairs"],
        *([each["before"], each["after"], str(each["pairs"])] for each in found[:4]),
    ]
    assert f"{len(found) - 4:,} more exchanges; `-n 0` shows all {len(found):,}" in shown.stderr
    by_pairs = document(ask("--json", "-n", "0", "--sort", "pairs", "--least", "0"))
    assert len(by_pairs) > len(found)
    assert [each["pairs"] for each in by_pairs] == sorted((each["pairs"] for each in by_pairs), reverse=True)


def test_the_list_of_one_word(ask: Run) -> None:
    found = document(ask("is", "--json"))
    assert "'s" in [each["after"] for each in found] and {each["before"] for each in found} == {"is"}
    markdown = ask("is", "-n", "1", "--format", "markdown").stdout.splitlines()
    assert (markdown[0], len(markdown)) == ("| u | v | pairs | shared | expected | rate |", 3)
    result = ask("zebra", "--json")
    assert (document(result), result.stderr) == ([], "")
    assert "no exchange of 'zebra' with 3 pairs expected to share; --least 0 shows all" in ask("zebra").stderr
    assert ask("zebra", "--least", "0").stderr == "corpusdb: no exchange of 'zebra'\n"


@pytest.mark.parametrize("arguments", [(), ("beer",), ("beer", "twin")])
def test_a_corpus_that_was_never_prepared(arguments: tuple[str, ...], run: Run, corpus: Path) -> None:
    for options in ((), ("--lang", "eng")):
        result = run("exchanges", *arguments, *options)
        assert (result.exit_code, "corpusdb generate --lang" in result.stderr) == (3, True)
