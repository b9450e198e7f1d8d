"""The commands that count, on the sentences of the paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.corpus.store import open_store

Run: TypeAlias = Callable[..., Result]


def table(result: Result) -> list[list[str]]:
    assert result.exit_code == 0, result.stderr
    return [line.split("\t") for line in result.stdout.splitlines()]


@pytest.fixture
def two(run: Run, corpus: Path, tmp_path: Path) -> Path:
    """The same with a second collection, of one sentence."""
    (tmp_path / "tea.tsv").write_text("tea please\tthé\n", encoding="utf-8")
    assert run("import", "tea.tsv", "--lang", "eng,fra").exit_code == 0
    return corpus


def test_a_frequency_list(run: Run, corpus: Path) -> None:
    result = run("frequencies", "--lang", "en", "-n", "2")
    assert table(result) == [
        ["text", "count", "per_million", "sentences"],
        [",", "6", "122449", "6"],
        [".", "6", "122449", "6"],
    ]
    assert "49 tokens counted, 16 different (A and a apart), in 7 different eng sentences" in result.stderr
    assert "14 more rows; `-n 0` shows all 16" in result.stderr


def test_ngrams_of_words(run: Run, corpus: Path) -> None:
    result = run("frequencies", "--lang", "eng", "--ngram", "2", "--words-only", "-i", "--least", "3", "--pattern", "I")
    assert [row[:2] for row in table(result)[1:]] == [["'d like", "3"], ["i 'd", "3"], ["like a", "3"]]


def test_characters_as_json(run: Run, corpus: Path) -> None:
    document = json.loads(run("frequencies", "--lang", "fra", "--unit", "char", "-n", "1", "--json").stdout)
    row = {"text": "␣", "count": 40, "per_million": pytest.approx(40e6 / 242), "sentences": 6, "dispersion": None}
    assert document == {"total": 242, "distinct": 28, "found": 28, "sentences": 6, "rows": [row], "alike": 0}


def test_dispersion(run: Run, two: Path) -> None:
    found = table(run("frequencies", "--lang", "eng", "--dispersion", "-n", "1"))
    assert found == [
        ["text", "count", "per_million", "sentences", "range", "juilland_d", "dp", "dp_norm"],
        ["please", "7", "137255", "7", "2", "0.3934", "0.1036", "0.1079"],
    ]
    document = json.loads(run("frequencies", "--lang", "eng", "--dispersion", "-n", "1", "--json").stdout)
    assert document["rows"][0]["dispersion"]["range"] == 2


def test_collocates(run: Run, corpus: Path) -> None:
    result = run("collocates", "beer", "--lang", "eng", "--left", "1", "--right", "0", "--least", "1", "-n", "1")
    assert table(result) == [
        ["text", "count", "frequency", "expected", "loglikelihood", "mi", "t", "logdice"],
        ["a", "2", "4", "0.2609", "7.184", "2.939", "1.23", "13.19"],
    ]
    assert "the token 'beer' occurs 3 times, case as typed, with 3 tokens around it" in result.stderr
    document = json.loads(run("collocates", "beer", "--lang", "eng", "--window", "1", "--least", "1", "--json").stdout)
    assert (document["nodes"], document["window_tokens"], document["tokens"]) == (3, 6, 46)


@pytest.mark.parametrize("arguments", [("BEER", "-i"), ("be+r", "-e"), ("B..R", "-e", "-i")])
def test_the_node_can_be_a_pattern_in_any_case(arguments: tuple[str, ...], run: Run, corpus: Path) -> None:
    assert "occurs 3 times" in run("collocates", *arguments, "--lang", "eng").stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("BEER",), "in another case it occurs 3 times: `corpusdb collocates --lang eng --ignore-case BEER`"),
        (
            ('[word="beer"]',),
            "as a pattern it occurs 3 times: `corpusdb collocates --lang eng --cqp '[word=\"beer\"]'`",
        ),
        (("be.*",), "as a pattern it occurs 3 times: `corpusdb collocates --lang eng --regex 'be.*'`"),
    ],
)
def test_why_a_node_does_not_occur(words: tuple[str, ...], told: str, run: Run, corpus: Path) -> None:
    result = run("collocates", *words, "--lang", "eng")
    assert "occurs 0 times" in result.stderr
    assert told in result.stderr


def test_the_node_can_be_a_query(run: Run, corpus: Path) -> None:
    options = ("--lang", "eng", "--least", "1", "--json")
    word = json.loads(run("collocates", "beer", *options).stdout)
    assert json.loads(run("collocates", '[word="BEER"%c]', "--cqp", *options).stdout) == word
    result = run("collocates", "beer", "-e", "--cqp")
    assert (result.exit_code, "exclude each other" in result.stderr) == (2, True)
    assert run("collocates", '"beer" within 2 s', "--cqp").exit_code == 2
    assert run("collocates", '"beer', "--cqp").exit_code == 2


def test_rows_that_are_too_rare_are_told(run: Run, corpus: Path) -> None:
    result = run("collocates", "beer", "--lang", "eng", "--least", "2")
    rows = json.loads(run("collocates", "beer", "--lang", "eng", "--least", "1", "--json").stdout)["found"]
    shown = len(table(result)) - 1
    assert 0 < shown < rows
    assert f"{rows - shown} more occur fewer than 2 times (--least)" in result.stderr


def test_collocates_by_another_measure(run: Run, corpus: Path) -> None:
    options = ("--lang", "eng", "--least", "1", "-n", "0")
    values = {
        measure: [float(row[column]) for row in table(run("collocates", "a", *options, "--measure", measure))[1:]]
        for column, measure in enumerate(("loglikelihood", "mi", "t", "logdice"), 4)
    }
    assert all(each == sorted(each, reverse=True) and len(each) > 3 for each in values.values())


def test_keywords(run: Run, two: Path) -> None:
    result = run("keywords", "tea", "--lang", "eng", "--least", "1")
    assert [row[:3] for row in table(result)] == [
        ["text", "count", "reference_count"],
        ["tea", "1", "0"],
        ["please", "1", "6"],
    ]
    assert "2 tokens against 49" in result.stderr
    against = run("keywords", "paper", "--against", "tea", "--lang", "eng", "--least", "1", "--negative")
    assert [row[0] for row in table(against)[1:]] == ["tea", "please"]
    document = json.loads(run("keywords", "tea", "--lang", "eng", "--least", "1", "--p", "0.05", "--json").stdout)
    assert [(row["text"], row["diff"]) for row in document["rows"]] == [("tea", None)]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("frequencies", "--lang", "jpn"), 3, "there are no sentences in jpn"),
        (("frequencies", "--lang", "eng", "--collection", "none"), 3, "none"),
        (("frequencies", "--lang", "eng", "--pattern", "("), 2, "no regular expression"),
        (("frequencies", "--lang", "eng", "--dispersion"), 2, "two documents or more"),
        (("frequencies", "--lang", "eng", "--ngram", "0"), 2, "--ngram"),
        (("collocates", "a", "--lang", "eng", "--window", "0"), 2, "has no room"),
        (("collocates", " ", "--lang", "eng"), 3, "no word"),
        (("keywords", "none", "--lang", "eng"), 3, "none"),
        (("keywords", "paper", "--lang", "eng"), 3, "the reference has no tokens in eng"),
        (("keywords", "paper", "--lang", "eng", "--p", "2"), 2, "--p"),
    ],
)
def test_what_cannot_be_asked(arguments: tuple[str, ...], code: int, message: str, run: Run, corpus: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_the_only_language_need_not_be_told(run: Run, tmp_path: Path) -> None:
    with open_store(tmp_path / "corpus.db", create=True) as store, store.write() as connection:
        connection.execute("insert into sentence (language, text) values ('eng', 'more tea and tea')")
    assert table(run("frequencies", "-n", "1"))[1][:2] == ["tea", "2"]


@pytest.mark.parametrize("arguments", [("frequencies",), ("collocates", "a"), ("keywords", "tea")])
def test_queries_can_be_kept_and_run_again(arguments: tuple[str, ...], run: Run, two: Path) -> None:
    first = run(*arguments, "--lang", "eng", "--least", "1", "--save", "mine")
    assert first.exit_code == 0, first.stderr
    assert run("run", "mine").stdout == first.stdout
