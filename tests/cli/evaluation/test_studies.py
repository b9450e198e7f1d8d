from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

STUDY = ("study", "bleu-in-characters")
FILES = ("good.txt", "bad.txt", "--ref", "ref0.txt", "--ref", "ref1.txt")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two systems, 60 segments, two references."""
    rng = random.Random(5)
    vocabulary = ["the", "cat", "sat", "down", "here", "again"]
    first = [rng.choices(vocabulary, k=rng.randrange(2, 13)) for _ in range(60)]
    texts = {"ref0": first, "ref1": [each[::-1] for each in first]}
    for name, loss in (("good", 0.1), ("bad", 0.4)):
        texts[name] = [[word if rng.random() > loss else "dog" for word in each] for each in first]
    for name, segments in texts.items():
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(each) + "\n" for each in segments))
    return tmp_path


def test_the_tables_and_figures_fit_a_terminal(run: Run, files: Path) -> None:
    result = run(*STUDY, *FILES)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "2 systems, 60 segments, 120 candidates"
    for heading in ("Table 1", "Table 2", "Table 3", "Table 4", "What agrees", "Figure 1", "Figure 2, middle"):
        assert sum(line.startswith(heading) for line in lines) == 1
    assert max(len(line) for line in lines if not line.startswith("metric:")) <= 80
    assert [line.split("|")[2] for line in lines if line.startswith("metric:")] == ["unit:word", "unit:char"]
    assert result.stderr == "corpusdb: 2 references of 60 segments; 2 systems\n"


def test_json_has_what_the_text_has(run: Run, files: Path) -> None:
    result = run(*STUDY, *FILES, "--json", "--max-order-chars", "20", "--lengths", "4,8", "--equivalent", "16")
    assert result.exit_code == 0
    study = json.loads(result.stdout)
    assert (study["candidates"], study["equivalent"], study["is_given"]) == (120, 16, True)
    assert [len(study[name]) for name in ("pearson", "kappa", "below", "best")] == [4] * 4
    assert {len(row) for row in study["pearson"]} == {20}
    assert [row["lengths"] for row in study["by_length"]] == [
        {"least": 0, "most": 4},
        {"least": 5, "most": 8},
        {"least": 9, "most": None},
    ]
    assert [row["system"] for row in study["by_system"]] == ["good", "bad"]
    assert {finding["agrees"] for finding in study["findings"]} <= {True, False, None}
    assert "order:16|unit:char" in study["signatures"][1]


def test_the_numbers_are_those_of_score(run: Run, files: Path) -> None:
    """BLEU of the whole output, and the set of references, as the other command gives them."""
    study = json.loads(run(*STUDY, *FILES, "--json", "--equivalent", "18").stdout)
    for unit, key in (("word", "corpus_words"), ("char", "corpus_characters")):
        scores = json.loads(run("score", *FILES, "--metric", "bleu", "--unit", unit, "--json").stdout)
        ours = {row["system"]: 100 * row[key] for row in study["by_system"]}
        assert ours == pytest.approx({each["system"]: each["score"] for each in scores})
        assert scores[0]["signature"] in study["signatures"]


def test_figures_can_be_left_out(run: Run, files: Path) -> None:
    assert "Figure" not in run(*STUDY, *FILES, "--no-plots", "--quiet").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--lengths", "4,x"), 2, "numbers with commas"),
        (("--lengths", "5,4"), 2, "ascend"),
        (("--equivalent", "31"), 2, "only of 1 to 30"),
        (("--tokenise", "char"), 2, "compared with words"),
        (("--tokenise", "klingon"), 2, "unknown tokenisation"),
        (("--max-order-words", "1"), 2, "max-order-words"),
        (("--ref", "missing.txt"), 3, "missing.txt"),
        (("--ref-from", "corpus"), 2, "in which language are the references? Say it with --lang"),
        (("--ref", "short.txt"), 3, "has no counterpart"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: int, message: str, run: Run, files: Path) -> None:
    (files / "short.txt").write_text("one\n")
    result = run(*STUDY, *FILES, *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stdout == ""


def test_one_output_given_twice_is_refused(run: Run, files: Path) -> None:
    result = run(*STUDY, "good.txt", *FILES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "given twice" in result.stderr


def test_systems_of_one_name_are_told_apart(run: Run, files: Path) -> None:
    (files / "other").mkdir()
    (files / "other" / "good.txt").write_text((files / "bad.txt").read_text())
    study = json.loads(run(*STUDY, "other/good.txt", "good.txt", "--ref", "ref0.txt", "--json").stdout)
    assert {row["system"] for row in study["by_system"]} == {"other/good.txt", "good.txt"}


def test_words_of_a_script_without_spaces_are_warned_of(run: Run, files: Path) -> None:
    (files / "ja.txt").write_text("学校へ行きます。\n水を飲みたいです。\n", encoding="utf-8")
    (files / "hyp.txt").write_text("学校へ行く。\n水を飲みます。\n", encoding="utf-8")
    result = run(*STUDY, "hyp.txt", "--ref", "ja.txt", "--no-plots")
    assert result.exit_code == 0
    assert "ja-mecab" in result.stderr


@pytest.mark.parametrize("option", ["--svg", "--png"])
def test_figures_without_matplotlib_are_refused_before_anything_is_read(
    option: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(*STUDY, "missing.txt", "--ref", "missing.txt", option, "out")
    assert result.exit_code == 2
    assert "pip install 'corpusdb[plots]'" in result.stderr
