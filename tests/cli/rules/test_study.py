"""The command that repeats the study of Japanese rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from corpusdb.rules import DEFAULT_CAP
from corpusdb.rules.choice_options import DEFAULT_MOST

pytestmark = pytest.mark.usefixtures("recorded_morphemes")

Run = Callable[..., Result]

FILES = {
    "ref.ja": ("彼は昨日本を読んだ。", "私は学生だ。", "彼女は来なかった。", "今日の天気"),
    "polite.ja": ("彼は昨日本を読みました。", "私は学生です。", "彼女は来ませんでした。", "今日の天気"),
    "plain.ja": ("彼は昨日その本を読んだ。", "私は生徒だ。", "彼女が来なかった。", "今日の天候"),
    "poor.ja": ("昨日は読みます。", "私学生。", "彼女来る。", "天気は今日"),
    "human.tsv": ("system\traw\tz", "polite\t90\t0.5", "plain\t70\t0.4", "poor\t20\t-0.9"),
    "parts.tsv": ("doc\tfirst_segment\tn_segments", "first\t0\t2", "second\t2\t2"),
    "english.ja": ("He read a book.", "I am a student.", "She did not come.", "The weather today"),
}
CALL = ("rules", "study", "polite.ja", "plain.ja", "poor.ja", "--ref", "ref.ja", "--human", "human.tsv")
QUICK = ("--samples", "20", "--rules", "verb-past,da,verb-negative-past")


@pytest.fixture
def files(run: Run, tmp_path: Path) -> Path:
    for name, lines in FILES.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_the_document_has_every_table(run: Run, files: Path) -> None:
    result = run(*CALL, *QUICK, "--human-column", "raw,z", "--by", "parts.tsv", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert [each["system"] for each in found["systems"]] == ["polite", "plain", "poor"]
    assert {each["rule"] for each in found["effects"]} == {"verb-past", "da", "verb-negative-past"}
    assert {each["part"] for each in found["agreement"]} >= {"all", "first", "second"}
    assert found["rules"] == {"polite": 3}
    assert found["analyser"].startswith("sudachi")


def test_tables_stand_beside_those_of_the_paper(run: Run, files: Path) -> None:
    result = run(*CALL, *QUICK, "--format", "table")
    assert result.exit_code == 0, result.stderr
    for title in ("Table 2.", "Figure 1.", "Correlation with people", "Table 3.", "section 4.1"):
        assert title in result.stdout
    assert "paper, Pearson" in result.stdout and "0.931" in result.stdout
    assert "B3 against B1, Pearson with z" in result.stdout


def test_rows_have_one_number_each(run: Run, files: Path) -> None:
    result = run(*CALL, *QUICK, "--no-each-rule", "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["table"] for row in rows} == {"2", "figure 1", "4.1"}
    assert all(isinstance(row["value"], int | float) or row["reason"] for row in rows)
    theirs = {(row["system"], row["method"], row["statistic"]): row["value"] for row in rows if row["table"] == "2"}
    assert theirs["paper S5", "B1", "bleu"] == 0.183 and theirs["paper", "B4", "pearson"] == 0.931


def test_images_replace_nothing_unasked(run: Run, files: Path) -> None:
    pytest.importorskip("matplotlib")
    image = files / "figures" / "figure-1.svg"
    assert run(*CALL, *QUICK, "--no-each-rule", "--svg", "figures").exit_code == 0
    first = image.read_bytes()
    again = run(*CALL, *QUICK, "--no-each-rule", "--svg", "figures")
    assert (again.exit_code, image.read_bytes()) == (2, first)
    assert run(*CALL, *QUICK, "--no-each-rule", "--svg", "figures", "--overwrite").exit_code == 0
    assert image.read_bytes() == first
    assert run(*CALL, *QUICK, "--no-each-rule", "--svg", "others").exit_code == 0
    assert (files / "others" / "figure-1.svg").read_bytes() == first


def test_effects_are_kept(run: Run, files: Path) -> None:
    (files / "pairs.tsv").write_text("eng\tjpn\nHe read.\t彼は読んだ。\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,jpn").exit_code == 0
    result = run(*CALL, *QUICK, "--keep")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(run("sql", "select count(*), count(distinct rule) from rule_effect", "--json").stdout)["rows"]
    assert rows == [[6, 3]]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--human-column", "stars"), 3, "no column 'stars'"),
        (("--without", "nobody"), 2, "no output is of a system 'nobody'"),
        (("--without", "polite,plain"), 2, "at least two systems"),
        (("--rules", "no-such-rule"), 2, "no-such-rule"),
        (("--ref", "english.ja"), 3, "english.ja"),
    ],
)
def test_what_cannot_be_studied_is_told_in_one_line(
    words: tuple[str, ...], code: int, said: str, run: Run, files: Path
) -> None:
    call = [word for word in CALL if word != "ref.ja"] if "--ref" in words else [*CALL]
    if "--ref" in words:
        call.remove("--ref")
    result = run(*call, "--samples", "20", *words)
    assert (result.exit_code, said in result.stderr) == (code, True), result.stderr


def test_systems_without_human_scores_are_left_out(run: Run, files: Path) -> None:
    (files / "new.ja").write_bytes((files / "poor.ja").read_bytes())
    result = run(*CALL, "new.ja", *QUICK, "--no-each-rule", "--json")
    assert "left out, without human scores: new" in result.stderr
    assert len(json.loads(result.stdout)["systems"]) == 3


def test_the_most_rewritings_are_those_of_the_engine() -> None:
    assert DEFAULT_MOST == DEFAULT_CAP
