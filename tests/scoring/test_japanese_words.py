"""Scores over Japanese morphemes: signatures, runs and documents name the dictionary, and another one is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Run, write_files
from recorded_analyses import RecordedAnalyser, lose_morphemes
from typer.testing import Result

from corpusdb.base import tokenisation as sudachi

FILES = {
    "r.txt": ("彼は本を読んだ。", "学校は新しい。"),
    "h.txt": ("彼女は本を読んだ。", "学校は近い。"),
    "g.txt": ("彼は本を 読まなかった。", "本は新しい。"),
}
WORDS = ("--ref", "r.txt", "--tokenise")


@pytest.fixture
def files(run: Run, generated: Path, tmp_path: Path, recorded_morphemes: RecordedAnalyser) -> RecordedAnalyser:
    write_files(tmp_path, FILES)
    return recorded_morphemes


def another_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    other = RecordedAnalyser("sudachi-0.7.0-small-20991231-C", {})
    monkeypatch.setattr(sudachi, "_opened", lambda dictionary: other)


def told(result: Result) -> str:
    """The one line on stderr that is an error."""
    (line,) = [line for line in result.stderr.splitlines() if "error:" in line]
    return line


def version(analyser: RecordedAnalyser) -> str:
    return analyser.identity.removeprefix("sudachi-")


@pytest.mark.parametrize("name", ["ja-sudachi", "ja-sudachi-pos"])
def test_every_metric_in_words_counts_morphemes(run: Run, files: RecordedAnalyser, name: str) -> None:
    found = json.loads(run("score", "h.txt", *WORDS, name, "--metric", "bleu,nist,mwer", "--store", "--json").stdout)
    assert {part for each in found for part in each["signature"].split("|") if part.startswith("tok:")} == {
        f"tok:{name}-{version(files)}"
    }
    assert {each["metric"]: each["score"] for each in found}["mwer"] == pytest.approx(2 / 11)
    (row,) = json.loads(run("sql", "select parameters from run where operation = 'score'", "--json").stdout)["rows"]
    assert json.loads(row[0])["tokenisations"] == [f"{name}-{version(files)}"]
    assert run("verify").exit_code == 0
    assert run("replay", "score:1").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "h.txt", "g.txt", *WORDS, "ja-sudachi"),
        ("agreement", "h.txt", "g.txt", *WORDS, "ja-sudachi,13a", "--human", "human.tsv"),
        ("trace", "h.txt", *WORDS, "ja-sudachi-pos", "--segment", "1"),
        ("study", "reference-worth", "h.txt", "g.txt", *WORDS, "ja-sudachi", "--draws", "2", "--samples", "2"),
        ("study", "bleu-in-characters", "h.txt", "g.txt", *WORDS, "ja-sudachi", "--max-order-chars", "3"),
    ],
    ids=lambda words: words[0],
)
def test_other_commands_count_morphemes(
    run: Run, files: RecordedAnalyser, tmp_path: Path, words: tuple[str, ...]
) -> None:
    human = "system\tsegment\tz\nh\t0\t1\nh\t1\t2\ng\t0\t0\ng\t1\t0.5\n"
    (tmp_path / "human.tsv").write_text(human, encoding="utf-8")
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    assert f"-{version(files)}" in result.stdout


def test_the_trace_says_what_a_particle_is(run: Run, files: RecordedAnalyser) -> None:
    result = run("trace", "h.txt", *WORDS, "ja-sudachi-pos", "--segment", "1", "--format", "tsv")
    assert "を/助詞" in result.stdout
    assert "読ん" in result.stdout


def test_a_document_says_which_analyser_it_was_made_with(
    run: Run, files: RecordedAnalyser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run("score", "h.txt", *WORDS, "ja-sudachi", "--json").stdout
    (tmp_path / "made.json").write_text(made, encoding="utf-8")
    inputs = json.loads(made)[0]["made_from"]["inputs"]
    assert {"kind": "analyser", "name": "of Japanese", "digest": files.identity} in inputs
    assert run("replay", "made.json").exit_code == 0
    plain = json.loads(run("score", "h.txt", "--ref", "r.txt", "--unit", "char", "--json").stdout)
    assert "analyser" not in {each["kind"] for each in plain[0]["made_from"]["inputs"]}

    another_dictionary(monkeypatch)
    result = run("replay", "made.json")
    assert result.exit_code == 3
    assert f"made.json: the Japanese was split by {files.identity}, but sudachi-" in told(result)
    lose_morphemes(monkeypatch)
    result = run("replay", "made.json")
    assert result.exit_code == 2
    assert "pip install 'corpusdb[japanese]'" in told(result)


@pytest.mark.parametrize(
    "words",
    [("verify",), ("verify", "1"), ("replay", "score:1"), ("trace", "--score", "1", "--segment", "1")],
    ids=" ".join,
)
def test_a_stored_score_of_another_dictionary_is_refused(
    run: Run, files: RecordedAnalyser, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    assert run("score", "h.txt", *WORDS, "ja-sudachi", "--store").exit_code == 0
    assert run(*words).exit_code == 0
    another_dictionary(monkeypatch)
    result = run(*words)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"split by {files.identity}, but sudachi-0.7.0-small-20991231-C is installed: pip install" in told(result)
    lose_morphemes(monkeypatch)
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in told(result)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["ja-sudachi", "ja-sudachi-pos"])
def test_without_the_extra_the_command_that_installs_it_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lose_morphemes(monkeypatch)
    result = run("score", "h.txt", *WORDS, name, "--store")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in told(result)
    assert json.loads(run("sql", "select count(*) from score", "--json").stdout)["rows"] == [[0]]
