"""Agreement with people from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

REFERENCE = ["the cat sat on the mat today", "it rained on and on all day", "we had tea and cake at four", "go home"]
OUTPUTS = {
    "one": ["the cat sat on the mat today", "it rained on and on all day", "we had tea and cake at five", "go home"],
    "two": ["the cat sat on a mat today", "it rained all the day", "we had tea at four", "go to home"],
    "three": ["a cat is on the rug", "rain fell", "we drank tea and ate cake", "went home"],
}
HUMAN: dict[str, list[int | None]] = {
    "one": [3, 3, 2, 3],
    "two": [2, 1, 2, None],
    "three": [1, 1, 0, 2],
    "HUMAN": [3, 2, 3, 3],
}
ARGUMENTS = ("one.txt", "two.txt", "three.txt", "--ref", "ref.txt", "--human", "human.tsv", "--samples", "40")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three systems and their reference, another translation, and human scores with one missing."""
    texts = {f"{name}.txt": lines for name, lines in OUTPUTS.items()}
    texts |= {"ref.txt": REFERENCE, "other.txt": ["a cat sat there", "much rain", "tea and cake at four", "home"]}
    rows = [
        f"{name}\t{at}\t{score}" for name, row in HUMAN.items() for at, score in enumerate(row) if score is not None
    ]
    texts |= {"human.tsv": ["system\tsegment\tz", *rows]}
    texts |= {"docs.tsv": ["doc\tfirst_segment\tn_segments\tdomain", "a\t0\t2\tnews", "b\t2\t2\tchat"]}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def answered(run: Run, *arguments: str) -> list[dict[str, Any]]:
    result = run("agreement", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_the_list_that_others_read(run: Run, files: Path) -> None:
    rows = answered(run, *ARGUMENTS)
    assert all({"metric", "level", "statistic", "value", "low", "high", "n"} <= row.keys() for row in rows)
    system = {row["statistic"]: row for row in rows if row["level"] == "system"}
    assert list(system) == ["pearson", "spearman", "kendall", "pairwise_accuracy"]
    assert [system[name]["value"] for name in ("spearman", "kendall", "pairwise_accuracy")] == pytest.approx([1, 1, 1])
    assert {row["n"] for row in system.values()} == {3}
    levels = {row["level"] for row in rows}
    assert levels == {"system", "segment", "segment within systems", "segment within segments"}
    assert {(row["statistic"], row["n"]) for row in rows if row["level"] == "segment"} == {
        (name, 11) for name in ("pearson", "kendall", "acc_eq")
    }
    assert all(row["metric"] == "bleu" and row["signature"].startswith("metric:bleu|order:4") for row in rows)
    assert rows == answered(run, *ARGUMENTS)


def test_people_without_an_output_are_told_of(run: Run, files: Path) -> None:
    result = run("agreement", *ARGUMENTS, "--level", "system")
    assert "human scores without an output are left out: HUMAN; the text" in result.stderr
    rows = answered(run, *ARGUMENTS, "--human-references", "HUMAN=other.txt", "--level", "system")
    assert {row["n"] for row in rows} == {4}
    assert all(row["value"] < 1 for row in rows)


def test_all_variants_in_one_call(run: Run, files: Path) -> None:
    lists = ("--metric", "bleu,chrf", "--unit", "word,char", "--order", "1,2,4", "--references", "1,all")
    rows = answered(run, *ARGUMENTS, "other.txt", *lists, "--draws", "2", "--level", "system")
    names = list(dict.fromkeys(row["name"] for row in rows))
    assert len(rows) == 4 * len(names)
    assert names[:4] == ["BLEUw1 1 ref = all", "BLEUw2 1 ref = all", "BLEUw4 1 ref = all", "BLEUc1 1 ref = all"]
    several = (*ARGUMENTS, "--ref", "other.txt", *lists, "--draws", "2", "--level", "system")
    rows = answered(run, *several)
    assert len({row["name"] for row in rows}) == 14


def test_metrics_against_each_other(run: Run, files: Path) -> None:
    rows = [row for row in answered(run, *ARGUMENTS, "--metric", "bleu,chrf", "--compare", "all") if "against" in row]
    assert [(row["level"], row["statistic"]) for row in rows] == [
        *(("system", name) for name in ("pearson", "spearman", "kendall", "pairwise_accuracy")),
        ("segment", "pearson"),
        ("segment within segments", "acc_eq"),
    ]
    tests = [[test["test"] for test in row["tests"]] for row in rows]
    assert tests == [["PERM-BOTH", "paired bootstrap"]] * 5 + [["PERM-INPUTS", "paired bootstrap"]]
    for row in rows:
        assert all(0 < test["p_better"] <= 1 and "equally well" in test["null_hypothesis"] for test in row["tests"][:1])
    result = run("agreement", *ARGUMENTS, "--metric", "bleu,chrf", "--compare", "bleu,chrf", "--format", "table")
    assert "PERM-BOTH: the null hypothesis is that the two metrics agree with people equally well" in result.stdout
    assert "difference" in result.stdout


def test_parts_and_documents(run: Run, files: Path) -> None:
    rows = answered(run, *ARGUMENTS, "--documents", "docs.tsv", "--by", "domain", "--level", "system")
    assert [row["part"] for row in rows[::4]] == ["all", "domain news", "domain chat"]
    assert rows[0]["over_documents"].keys() == {"low", "high"}
    table = run("agreement", *ARGUMENTS, "--documents", "docs.tsv", "--by", "document", "--format", "table").stdout
    assert "over documents" in table
    assert "document b" in table


def test_scores_of_others_by_themselves(run: Run, files: Path) -> None:
    (files / "automatic.tsv").write_text("system\tCOMET\none\t0.9\ntwo\t0.5\nthree\t0.6\nref-A\t2\n", encoding="utf-8")
    (files / "MX.seg.score").write_text(
        "".join(f"{name}\t{score}\n" for name, row in HUMAN.items() for score in row), encoding="utf-8"
    )
    rows = answered(run, "--scores", "automatic.tsv", "--human", "human.tsv")
    assert {(row["level"], row["n"], row["low"]) for row in rows} == {("system", 3, None)}
    rows = answered(run, "--scores", "automatic.tsv", "--scores", "MX.seg.score", "--human", "human.tsv")
    assert all("no scores of segments" in row["reason"] for row in rows if row["metric"] == "COMET" and not row["n"])
    exact = [row["value"] for row in rows if row["metric"] == "MX" and row["statistic"] == "acc_eq"]
    assert exact == [1, 1, 1]  # people agree with themselves
    rows = answered(run, *ARGUMENTS, "--scores", "automatic.tsv", "--level", "system")
    assert {row["metric"] for row in rows} == {"bleu", "COMET"}


def test_what_is_not_defined_has_a_reason(run: Run, files: Path) -> None:
    (files / "flat.tsv").write_text("system\tz\none\t1\ntwo\t1\nthree\t1\n", encoding="utf-8")
    arguments = (*ARGUMENTS[:6], "flat.tsv")
    rows = answered(run, *arguments)
    assert [(row["statistic"], row["value"]) for row in rows] == [
        ("pearson", None), ("spearman", None), ("kendall", None), ("pairwise_accuracy", 0.0)
    ]  # fmt: skip
    assert rows[0]["reason"] == "the human scores of all systems are the same"
    table = run("agreement", *arguments, "--format", "table")
    assert "nan" not in table.stdout
    assert "pearson (system), spearman (system), kendall (system): the human scores of all systems" in table.stdout
    alone = answered(run, "one.txt", *ARGUMENTS[3:7])
    assert alone[0]["reason"] == "one of the systems has both scores, and two are needed"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--human", "human.tsv"), 2, "what is scored? Give HYP... with --ref FILE..., or --scores FILE..."),
        (("one.txt", "--human", "human.tsv"), 2, "where are the references? Give --ref FILE..."),
        (("--ref", "ref.txt", "--human", "human.tsv"), 2, "what is scored? Give HYP..."),
        (("short.txt", *ARGUMENTS[1:]), 3, "ref.txt:4: has no counterpart: short.txt ends after 3 segments"),
        ((*ARGUMENTS[:5], "--human", "far.tsv"), 3, "far.tsv: all its scores are of segments beyond the 4 that"),
        ((*ARGUMENTS[:5], "--human", "others.tsv"), 3, "the human scores are of other systems: nobody"),
        (("--scores", "a.tsv", "b.tsv", "--human", "human.tsv"), 2, "each file of scores needs its own --scores"),
        ((*ARGUMENTS, "--documents", "twice.tsv"), 3, "twice.tsv:3: two documents are called 'a'"),
        ((*ARGUMENTS, "--documents", "over.tsv"), 3, "over.tsv:3: b overlaps with a"),
        ((*ARGUMENTS, "--documents", "holes.tsv"), 3, "holes.tsv:2: segments 2 to 3, the last, are in no document"),
        ((*ARGUMENTS, "--scores", "MX.seg.score"), 3, "MX.seg.score:1: scores of 2 segments of each system"),
        ((*ARGUMENTS, "--human-references", "HUMAN=ref.txt"), 3, "ref.txt: it is among the references"),
        ((*ARGUMENTS, "--human-references", "HUMAN"), 2, "a human reference is given as NAME=FILE"),
        ((*ARGUMENTS, "--human-references", "one=other.txt"), 2, "one is a system and a human reference"),
        ((*ARGUMENTS, "--by", "document"), 2, "--by document needs --documents FILE"),
        ((*ARGUMENTS, "--level", "word"), 2, "--level takes system, segment"),
        ((*ARGUMENTS, "--order", "1,x"), 2, "--order takes numbers from 1"),
        ((*ARGUMENTS, "--references", "0"), 2, "--references takes numbers from 1"),
        ((*ARGUMENTS, "--unit", "syllable"), 2, "unknown unit 'syllable'"),
        ((*ARGUMENTS, "--origins", "generated"), 2, "there are no references of the origin 'generated'"),
        ((*ARGUMENTS, "--compare", "ter"), 2, "there is no metric 'ter' to compare; there are BLEUw4"),
        ((*ARGUMENTS, "--compare", "all"), 2, "two metrics are needed to be compared"),
        ((*ARGUMENTS[:5], "--human", "flat.tsv", "--level", "segment"), 2, "people scored whole systems only"),
    ],
)
def test_bad_input_ends_with_its_code(arguments: tuple[str, ...], code: int, told: str, run: Run, files: Path) -> None:
    header = "doc\tfirst_segment\tn_segments\n"
    for name, text in {
        "short.txt": "a\nb\nc\n",
        "far.tsv": "system\tsegment\tz\none\t5\t1\n",
        "others.tsv": "system\tz\nnobody\t1\n",
        "flat.tsv": "system\tz\none\t1\ntwo\t2\n",
        "twice.tsv": f"{header}a\t0\t2\na\t2\t2\n",
        "over.tsv": f"{header}a\t0\t3\nb\t2\t2\n",
        "holes.tsv": f"{header}a\t0\t2\n",
        "MX.seg.score": "one\t1\none\t2\n",
    }.items():
        (files / name).write_text(text, encoding="utf-8")
    result = run("agreement", *arguments)
    assert result.exit_code == code, result.stderr
    assert told in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["more.tsv", "more.seg.score"])
def test_human_scores_of_more_segments_are_left_out(run: Run, files: Path, name: str) -> None:
    """A part of a test set has outputs; the scores are of all of it, and of other systems."""
    texts = {each: [*row, 5.0, 6.0] for each, row in HUMAN.items()} | {"nobody": [1.0] * 6}
    rows = [(each, at, score) for each, row in texts.items() for at, score in enumerate(row)]
    if name == "more.tsv":
        lines = ["system\tsegment\tz", *(f"{each}\t{at}\t{score}" for each, at, score in rows if score is not None)]
    else:
        lines = [f"{each}\t{score}" for each, _, score in rows]
    (files / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    result = run(*("agreement", *ARGUMENTS[:5], "--human", name, *ARGUMENTS[7:]), "--json")
    assert result.exit_code == 0, result.stderr
    told = f"{2 * len(texts)} human scores are left out: of segments beyond the 4 that there are\n"
    assert result.stderr.count(told) == 1
    same = run("agreement", *ARGUMENTS, "--json")
    assert json.loads(result.stdout) == json.loads(same.stdout)
