"""The studies of reference sets from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two systems, three references of two segments, and human scores."""
    texts = {
        "one.txt": "a b c d e\nf g h i\n",
        "two.txt": "a b x d e\nf g h\n",
        "r1.txt": "a b c d\nf g h i j\n",
        "r2.txt": "a b c d e\nf g h i\n",
        "r3.jsonl": '{"references": ["a b c", "b c d e"]}\n{"references": ["f g"]}\n',
        "human.tsv": "system\tsegment\tz\none\t0\t0.5\none\t1\t0.9\ntwo\t0\t0.1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_generated_sets_and_sets_made_by_hand_beside_the_paper(run: Run, generated: Path, files: Path) -> None:
    arguments = ("study", "reference-sets", "--lang", "eng", "-N", "0", "--ref", "r1.txt", "--ref", "r2.txt")
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[2:5] == [
        "Automatically produced set (paper)          0.11          0.39",
        "Hand-produced set 1 (paper)                 0.10          0.49",
        "Hand-produced set 2 (paper)                 0.11          0.49",
    ]
    assert lines[5].startswith("generated, eng, N = 0 ")
    assert any(line.startswith("by hand ") and "2 of 2 sets, 4 sentences" in line for line in lines)
    assert sum(line.startswith("metric:") for line in lines) == 4
    assert result.stdout == run(*arguments).stdout

    documents = json.loads(run(*arguments, "--json").stdout)
    assert [each["name"] for each in documents] == ["generated, eng, N = 0", "by hand"]
    assert documents[1]["table_7"]["sentences"] == 4
    assert len(documents[1]["figure_2"]) == 4


def test_files_of_one_name_make_one_kind_of_sets(run: Run, files: Path) -> None:
    given = [f"--ref={name}" for name in ("first:r1.txt", "second:r1.txt", "first:r2.txt", "second:r3.jsonl")]
    result = run("study", "reference-sets", *given, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert [(each["name"], each["paraphrases"]) for each in found] == [("first", 1), ("second", 1.5)]


def test_the_worth_of_references(run: Run, files: Path) -> None:
    arguments = ("one.txt", "two.txt", "--ref", "r1.txt", "--ref", "generated:r3.jsonl", "--human", "human.tsv")
    result = run("study", "reference-worth", *arguments, "--draws", "3", "--samples", "5")
    assert result.exit_code == 0, result.stderr
    header, *rows = (line.split("\t") for line in result.stdout.splitlines())
    assert header == [
        *("origins", "references", "mean", "measure", "value", "low", "high"),
        *("sd_segments", "sd_references", "signature"),
    ]
    assert [(row[0], row[1], row[3]) for row in rows if row[0] == "original+generated"] == [
        ("original+generated", number, measure)
        for number in "123"
        for measure in ("BLEU one", "BLEU two", "Pearson segments")
    ]
    assert all(row[-1].startswith("metric:bleu|order:4|unit:word|") for row in rows)

    document = json.loads(run("study", "reference-worth", *arguments, "--draws", "3", "--json").stdout)
    assert document["systems"] == ["one", "two"]
    assert [curve["origins"] for curve in document["curves"]] == [
        ["original"],
        ["generated"],
        ["original", "generated"],
    ]


def test_a_table_has_the_curves_and_the_signatures_below(run: Run, files: Path) -> None:
    arguments = ("study", "reference-worth", "one.txt", "--ref", "r1.txt", "--ref", "other:r2.txt")
    result = run(*arguments, "--format", "table")
    assert result.exit_code == 0, result.stderr
    assert "original+other: metric:bleu|" in result.stdout
    assert "BLEU over references" in result.stdout
    assert "BLEU over references" not in run(*arguments, "--format", "table", "--no-plots").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["reference-sets"], 2, "--lang"),
        (["reference-sets", "--ref", "r1.txt"], 3, "there are no reference sets"),
        (["reference-sets", "--ref", "none.txt"], 3, "none.txt"),
        (["reference-sets", "--ref", "r1.txt", "--ref", "r2.txt", "--unit", "syllable"], 2, "unknown unit"),
        (["reference-sets", "--lang", "eng"], 4, "corpus.db"),
        (["reference-worth", "one.txt", "--ref", "short.txt"], 3, "one.txt:2"),
        (
            ["reference-worth", "one.txt", "--ref", "r1.txt", "--ref", "more:short.txt"],
            3,
            "r1.txt:2: has no counterpart",
        ),
        (["reference-worth", "one.txt", "--ref", "blank.txt"], 3, "blank.txt:2"),
        (["reference-worth", "one.txt", "--ref", "r1.txt", "--human", "r1.txt"], 3, "a header with a column system"),
    ],
)
def test_bad_input_ends_with_its_code(arguments: list[str], code: int, told: str, run: Run, files: Path) -> None:
    (files / "short.txt").write_text("a b\n", encoding="utf-8")
    (files / "blank.txt").write_text("a b\n \n", encoding="utf-8")
    result = run("study", *arguments)
    assert result.exit_code == code, result.stderr
    assert told in result.stderr


def test_systems_without_human_scores_are_told(run: Run, files: Path) -> None:
    (files / "human.tsv").write_text("system\tz\none\t0.5\n", encoding="utf-8")
    result = run("study", "reference-worth", "one.txt", "two.txt", "--ref", "r1.txt", "--human", "human.tsv")
    assert result.exit_code == 0
    assert "no human scores of two" in result.stderr
