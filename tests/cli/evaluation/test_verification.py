"""`corpusdb verify` and `corpusdb trace`: scores computed again, and taken apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

SOURCE = "Une bière, s'il vous plaît.\nUne part de pizza, s'il vous plaît.\n"
CORPUS = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "-N", "0")


@pytest.fixture
def scored(run: Run, generated: Path, tmp_path: Path) -> Path:
    (tmp_path / "s.txt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "h.txt").write_text("A beer, please.\nCan I have some pizza?\n", encoding="utf-8")
    return generated


def test_stored_scores_are_verified(run: Run, scored: Path) -> None:
    result = run("verify")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no score is kept" in result.stderr
    found = json.loads(run("score", "h.txt", *CORPUS, "--metric", "bleu,nist", "--store", "--json").stdout)
    assert [each["stored"] for each in found] == [1, 2]

    result = run("verify")
    assert result.exit_code == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [["1", "h"], ["2", "h"]]
    (one,) = json.loads(run("verify", "2", "--json").stdout)
    assert (one["ok"], one["stored"]) == (True, found[1]["score"])


def test_what_differs_is_told_and_the_exit_code_is_1(run: Run, scored: Path, tmp_path: Path) -> None:
    run("score", "h.txt", *CORPUS, "--store")
    run("accept", "A beer, please.", "A beer!", "--lang", "eng")
    result = run("verify", "1")
    assert result.exit_code == 1
    assert "the reference set is another: 2 of 2 segments differ (2 gained, 0 lost), the first is 1" in result.stdout
    assert "1 + A beer!" in result.stdout
    assert "2 + A slice of pizza!" in result.stdout  # by analogy

    (tmp_path / "g.txt").write_text("A beer, please.\nPizza\n", encoding="utf-8")
    result = run("verify", "1", "--hyp", "g.txt", "--ref", "h.txt")
    assert result.exit_code == 1
    assert "the output is another: 1 hypotheses differ, the first is 2" in result.stdout
    assert "the reference set is another: 2 of 2 segments differ" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("9",), 3, "there is no score 9"),
        (("--hyp", "h.txt"), 2, "files are compared with one score"),
        (("1", "--hyp", "short.txt"), 3, "score 1 is of 2 segments, what is given has 1"),
    ],
)
def test_what_cannot_be_verified(
    arguments: tuple[str, ...], code: int, message: str, run: Run, scored: Path, tmp_path: Path
) -> None:
    (tmp_path / "short.txt").write_text("A beer, please.\n", encoding="utf-8")
    run("score", "h.txt", *CORPUS, "--store")
    result = run("verify", *arguments)
    assert (result.exit_code, message in result.stderr) == (code, True)


@pytest.mark.parametrize("unit", ["word", "char"])
def test_the_trace_of_all_segments_adds_up_to_the_score(unit: str, run: Run, scored: Path) -> None:
    """Its statistics, summed over the segments, give BLEU of the whole by its definition."""
    order = {"word": 2, "char": 6}[unit]
    options = (*CORPUS, "--unit", unit, "--order", order, "--json")
    (whole,) = json.loads(run("score", "h.txt", *options, "--segments").stdout)
    found = [json.loads(run("trace", "h.txt", *options, "--segment", number).stdout) for number in (1, 2)]

    assert [each["score"] for each in found] == pytest.approx(whole["segments"])
    assert {each["signature"] for each in found} == {whole["signature"]}
    matched, total = (
        [sum(each["statistics"][name][n] for each in found) for n in range(order)] for name in ("matched", "total")
    )
    assert all(matched)
    product = 1.0
    for one, all_ in zip(matched, total, strict=True):
        product *= one / all_
    lengths = [sum(each["statistics"][name] for each in found) for name in ("length", "closest")]
    penalty = min(1.0, 2.718281828459045 ** (1 - lengths[1] / lengths[0]))
    assert 100 * penalty * product ** (1 / order) == pytest.approx(whole["score"])
    for each in found:
        for ngram in each["ngrams"]:
            assert ngram["count"] == ngram["matched"] + ngram["missed"]
            assert bool(ngram["references"]) == bool(ngram["matched"])


def test_a_generated_reference_leads_to_sentences_of_people(run: Run, scored: Path) -> None:
    found = json.loads(run("trace", "h.txt", *CORPUS, "--segment", "2", "--json").stdout)
    assert [each["label"] for each in found["references"]] == ["original", "generated"]
    original, generated = found["backgrounds"]
    assert original["places"] == ["paper/paper.tsv:6"]
    assert generated["places"] == []
    analogy = generated["explanation"]["analogies"][0]
    assert analogy["b"] == "A beer, please."
    assert analogy["rewording"] == "Can I have a beer?"
    assert analogy["shared"][0]["text"] == "Une bière, s'il vous plaît."
    assert analogy["shared"][0]["places"] == ["paper/paper.tsv:3", "paper/paper.tsv:4"]


def test_the_trace_for_people(run: Run, scored: Path) -> None:
    out = run("trace", "h.txt", *CORPUS, "--segment", "2", "--format", "table", "--order", "2").stdout
    assert "hypothesis  Can I have some pizza?" in out
    assert "matched     5/6  3/5, by order from 1" in out
    assert "Reference 2 is generated: Can I have a slice of pizza?" in out
    assert "paper/paper.tsv:3" in out
    rows = run("trace", "h.txt", *CORPUS, "--segment", "2", "--order", "1", "--missed").stdout.splitlines()
    assert rows == ["order\tcount\tmatched\tmissed\treferences\tngram", "1\t1\t0\t1\t\tsome"]


def test_references_from_files_are_named_by_file_and_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("a b\nc d\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a b\nc e\n", encoding="utf-8")
    found = json.loads(run("trace", "h.txt", "--ref", "r.txt", "--segment", "2", "--json").stdout)
    assert found["references"][0]["label"] == "r.txt:2"
    result = run("trace", "h.txt", "--ref", "r.txt", "--segment", "3")
    assert (result.exit_code, "there are segments 1 to 2, but no 3" in result.stderr) == (2, True)


def test_references_have_one_number_wherever_they_are_named(run: Run, scored: Path, tmp_path: Path) -> None:
    """The corpus knows nothing of the first reference, which is one of a file: the second has a background."""
    (tmp_path / "r.txt").write_text("Beer!\nSome of that pizza, will you?\n", encoding="utf-8")
    both = ("h.txt", "--ref", "r.txt", *CORPUS)
    assert run("score", *both, "--store").exit_code == 0
    for arguments in ((*both, "--segment", 2), ("--score", 1, "--segment", 2)):
        lines = run("trace", *arguments, "--format", "table").stdout.splitlines()
        numbered = {line[5:]: int(line[:3]) for line in lines if line[:3].strip().isdigit() and line[3:5] == "  "}
        behind = [line.removeprefix("Reference ").partition(" is ") for line in lines if line.startswith("Reference ")]
        named = {told.partition(": ")[2]: int(number) for number, _, told in behind}
        assert any("generated" in told for _, _, told in behind)
        assert named.items() <= numbered.items()

        found = json.loads(run("trace", *arguments, "--json").stdout)
        texts = [each["text"] for each in found["references"]]
        assert texts[0] == "Some of that pizza, will you?"
        assert all(texts[each["number"] - 1] == each["reference"]["text"] for each in found["backgrounds"])
        for ngram in found["ngrams"]:
            for number in filter(None, ngram["references"].split(",")):
                assert " ".join(ngram["ngram"].split()).rstrip("?. ") in texts[int(number) - 1]


@pytest.mark.parametrize("format", ["sacrebleu", "jsonl"])
def test_the_digest_of_references_in_files(format: str, run: Run, scored: Path, tmp_path: Path) -> None:
    """It is that of signatures, whatever the format; where sets are filled up, the copies are told."""
    made = run("references", "s.txt", "A twin, please.", "-o", "out", "--lang", "eng", "--format", format, "--json")
    result = run("verify", "--ref", "out", "--json", "--db", "none.db")
    assert not (tmp_path / "none.db").exists()
    found, written = json.loads(result.stdout), json.loads(made.stdout)
    assert (found["digest"], found["segments"]) == (written["digest"], 3)
    assert found["references"] - found["copies"] == written["references"]
    assert bool(found["copies"]) == (format == "sacrebleu")
    assert run("verify", "--ref", "out").stdout.splitlines()[0].split() == [
        "digest",
        written["digest"],
    ]


def test_a_trace_that_is_piped_keeps_what_is_told_of_references(run: Run, scored: Path) -> None:
    result = run("trace", "h.txt", *CORPUS, "--segment", "1", "--format", "tsv")
    assert result.stdout.startswith("order\t")
    assert "Reference 1 is original" in result.stderr


def test_references_of_several_files_behind_one_name(run: Run, scored: Path, tmp_path: Path) -> None:
    """As `score --ref` takes them; a number is the score."""
    for name in ("one.en", "two.en"):
        (tmp_path / name).write_text(f"A {name}.\nPizza\n", encoding="utf-8")
    together = run("verify", "--ref", "one.en", "two.en")
    assert together.exit_code == 0, together.stderr
    assert together.stdout == run("verify", "--ref", "one.en", "--ref", "two.en").stdout
    (scores,) = json.loads(run("score", "h.txt", "--ref", "one.en", "two.en", "--store", "--json").stdout)
    assert f"|set:{together.stdout.split()[1][:16]}|" in scores["signature"]
    for words in (("1", "--ref", "one.en", "two.en"), ("--ref", "one.en", "two.en", "1")):
        result = run("verify", *words)
        assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1), result.output
    assert run("verify", "--ref", "one.en", "1").exit_code == 1, "other references than those it was scored with"
