"""`corpusdb scores` and `corpusdb trace --score`: what the browser shows of stored scores, as commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

FILES = {
    "src.txt": "le chat\nle chien\nla pluie\n",
    "a.txt": "the cat sat on a mat\na dog barks now\nit rains\n",
    "b.txt": "cat\ndog barks\nrain rain\n",
    "r1.txt": "the cat sat on the mat\na dog barks now\nit rains today\n",
    "r2.txt": "a cat sat on a mat\nthe dog is barking\ntoday it rains\n",
}


@pytest.fixture
def scored(run: Run, generated: Path, tmp_path: Path) -> Path:
    """Two systems, with one reference of each segment by two metrics, and with two by BLEU."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    common = ("--source", "src.txt", "--order", "2", "--store")
    assert run("score", "a.txt", "b.txt", "--ref", "r1.txt", *common, "--metric", "bleu,mwer").exit_code == 0
    assert run("score", "a.txt", "b.txt", "--ref", "r1.txt", "r2.txt", *common).exit_code == 0
    return generated


def test_nothing_is_stored(run: Run, generated: Path) -> None:
    result = run("scores", "list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no score is stored; `corpusdb score ... --store` keeps them" in result.stderr
    assert run("scores", "list", "--json").stdout == "[]\n"
    for words in (("segments", "a"), ("curve",)):
        result = run("scores", *words)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "no score is stored" in result.stderr


def test_the_table_has_a_column_for_each_metric_and_reference_set(run: Run, scored: Path) -> None:
    result = run("scores", "list", "--format", "tsv")
    header, *rows = (line.split("\t") for line in result.stdout.splitlines())
    assert header == ["system", "BLEUw2 r1.txt", "mWER r1.txt", "BLEUw2 r1.txt+1"]
    assert [row[0] for row in rows] == ["a", "b"]
    again = run("score", "a.txt", "b.txt", "--ref", "r1.txt", "--source", "src.txt", "--order", "2", "--json")
    assert [row[1] for row in rows] == [f"{each['score']:.2f}" for each in json.loads(again.stdout)]
    by_errors = run("scores", "list", "--format", "tsv", "--sort", "mwer").stdout.splitlines()
    assert [line.split("\t")[0] for line in by_errors[1:]] == ["a", "b"]


def test_json_has_a_document_for_each_number(run: Run, scored: Path) -> None:
    found = json.loads(run("scores", "list", "--json", "--baseline", "a").stdout)
    assert len(found) == 6
    assert {each["stored"] for each in found} == set(range(1, 7))
    for each in found:
        assert each["kind"] == "computed" and each["signature"].startswith("metric:")
        assert each["reference_set"][:16] in each["signature"]
        assert (each["p"] is None) == (each["system"] == "a")
    assert run("scores", "list", "--long", "--format", "tsv").stdout.count("\n") == 7


@pytest.mark.parametrize(
    ("format", "note"), [("markdown", "\n    BLEUw2 r1.txt: metric"), ("latex", "% BLEUw2 r1.txt:")]
)
def test_signatures_stand_below_the_table(format: str, note: str, run: Run, scored: Path) -> None:
    result = run("scores", "list", "--format", format, "--baseline", "a")
    assert note in result.stdout
    assert "against a (paired bootstrap, 1,000 samples, seed 1)" in result.stdout


def test_segments_stand_worst_first(run: Run, scored: Path) -> None:
    found = json.loads(run("scores", "segments", "b", "--json").stdout)
    scores = [each["score"] for each in found]
    assert scores == sorted(scores)
    assert {each["segment"]: (each["source"], each["output"]) for each in found} == {
        1: ("le chat", "cat"),
        2: ("le chien", "dog barks"),
        3: ("la pluie", "rain rain"),
    }
    best = run("scores", "segments", "b", "--json", "--best-first", "-n", "1", "--column", "mwer")
    assert len(json.loads(best.stdout)) == 1
    assert "2 more segments; `-n 0` shows all 3" in best.stderr


def test_segments_of_the_same_stored_score_stand_by_their_smoothed_score(run: Run, scored: Path) -> None:
    """Of order 4 all have 0; `compare` smooths, and what it has is what tells them apart."""
    Path("c.txt").write_text("the cat was on a chair\nloud is no dog\nit rains all day\n", encoding="utf-8")
    common = ("c.txt", "--ref", "r1.txt", "--source", "src.txt", "--order", "4")
    assert run("score", *common, "--store").exit_code == 0
    listed = run("scores", "segments", "c", "--json", "--column", "BLEUw4 r1.txt")
    found = json.loads(listed.stdout)
    smoothed = run("score", *common, "--segments", "--worst-first", "--smoothing", "exp").stdout.splitlines()[1:]
    order = [int(line.split("\t")[0]) for line in smoothed]
    assert {each["score"] for each in found} == {0}
    assert [each["segment"] for each in found] == order != sorted(order)
    told = "BLEUw4 r1.txt: 3 of 3 segments have 0, for one order without a match is enough; `score --smoothing exp"
    assert told in listed.stderr
    assert "equal ones stand by BLEU smoothed by exp+effective, as `compare` has it" in listed.stderr
    assert "smoothed" not in run("scores", "segments", "b", "--column", "mwer").stderr
    best = json.loads(run("scores", "segments", "c", "--json", "--best-first", "--column", "BLEUw4 r1.txt").stdout)
    assert best[0]["segment"] == order[-1]


def test_two_systems_are_subtracted(run: Run, scored: Path) -> None:
    found = json.loads(run("scores", "segments", "b", "a", "--json").stdout)
    assert [each["difference"] for each in found] == sorted(each["b"] - each["a"] for each in found)


def test_a_curve_has_the_stored_score_at_its_end(run: Run, scored: Path) -> None:
    words = ("scores", "curve", "b", "--column", "BLEUw2 r1.txt+1", "--draws", "4", "--samples", "4")
    rows = json.loads(run(*words, "--json").stdout)
    (last,) = [row for row in rows if row["references"] == 2 and row["measure"] == "BLEU b"]
    numbers = json.loads(run("scores", "list", "--json").stdout)
    (stored,) = [row["score"] for row in numbers if (row["system"], row["references"]) == ("b", "r1.txt+1")]
    assert last["value"] == pytest.approx(stored, abs=1e-3)
    table = run(*words, "--format", "table").stdout
    assert "BLEU over references of a segment at most" in table
    assert table.count("over references") == 1  # of the system that was named


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("segments", "c"), 2, "there is no system 'c'"),
        (("segments", "a", "--column", "chrf"), 2, "there is no column 'chrf'"),
        (("list", "--test-set", "2"), 2, "there is no test set 2; there are 1 to 1"),
        (("list", "--baseline", "c"), 2, "there is no system 'c'"),
        (("curve",), 3, "BLEUw2 r1.txt has one reference of each segment: a curve needs more"),
        (("curve", "--column", "mwer"), 2, "there are curves of BLEU only, not of mWER"),
    ],
)
def test_what_there_is_not(words: tuple[str, ...], code: int, message: str, run: Run, scored: Path) -> None:
    result = run("scores", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and result.stderr.count("\n") == 1


def test_a_stored_score_is_traced_like_its_files(run: Run, scored: Path) -> None:
    files = json.loads(
        run(
            *("trace", "b.txt", "--ref", "r1.txt", "r2.txt", "--source", "src.txt", "--order", "2"),
            *("--segment", "2", "--json"),
        ).stdout
    )
    stored = json.loads(run("trace", "--score", "6", "--segment", "2", "--json").stdout)
    for each in (files, stored):
        for reference in each["references"]:
            del reference["label"]
    assert stored == files


def test_a_stored_score_on_the_corpus_has_the_sentences_behind_it(run: Run, generated: Path, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("Une bière, s'il vous plaît.\n", encoding="utf-8")
    (tmp_path / "h.txt").write_text("A beer, please.\n", encoding="utf-8")
    corpus = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "-N", "0")
    run("score", "h.txt", *corpus, "--store")
    from_files = json.loads(run("trace", "h.txt", *corpus, "--segment", "1", "--json").stdout)
    assert json.loads(run("trace", "--score", "1", "--segment", "1", "--json").stdout) == from_files
    assert from_files["backgrounds"][0]["places"] != []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--segment", "1"), 2, "give the output of a system, or --score NUMBER"),
        (("a.txt", "--score", "1", "--segment", "1"), 2, "give the output of a system, or --score NUMBER"),
        (("--score", "1", "--segment", "1", "--ref", "r1.txt"), 2, "a stored score has its own references"),
        (("--score", "9", "--segment", "1"), 3, "there is no score 9"),
        (("--score", "1", "--segment", "9"), 2, "there are segments 1 to 3, but no 9"),
        (("--score", "3", "--segment", "1"), 2, "only BLEU is taken apart, not mwer"),
    ],
)
def test_what_cannot_be_traced(words: tuple[str, ...], code: int, message: str, run: Run, scored: Path) -> None:
    result = run("trace", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_a_segment_that_equals_a_reference_is_perfect_wherever_it_is_shown(
    run: Run, generated: Path, tmp_path: Path
) -> None:
    """Two words have no 4-gram: BLEU of a segment is that of the orders which it has."""
    (tmp_path / "h.txt").write_text("Pleasant atmosphere\nthe dog is in a house\nYes.\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("Pleasant atmosphere\nthe dog is in the house\nYes.\n", encoding="utf-8")
    call = ("h.txt", "--ref", "r.txt")
    (scored,) = json.loads(run("score", *call, "--segments", "--store", "--json").stdout)
    perfect, other, _ = scored["segments"]
    assert scored["segments"] == pytest.approx([100, other, 100])
    assert 0 < other < perfect
    (listed, *_) = json.loads(run("scores", "segments", "h", "--json").stdout)
    assert listed["segment"] == 2, "the worst first"
    for arguments in ((*call, "--segment", 1), ("--score", 1, "--segment", 1)):
        assert json.loads(run("trace", *arguments, "--json").stdout)["score"] == pytest.approx(100)
    theirs = json.loads(run("score", "r.txt", "-i", "h.txt", "-sl", "--json").stdout)[0]
    assert theirs["segments"] == pytest.approx(scored["segments"])


@pytest.mark.parametrize("smoothing", ["none", "floor", "add-k=1", "exp"])
def test_segments_have_sacrebleus_effective_order_by_any_smoothing(
    smoothing: str, run: Run, generated: Path, tmp_path: Path
) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    pairs = (("Yes.", "Yes."), ("a cat", "a dog"), ("the dog is in a house", "the dog is in"), ("no", "x"))
    for name, lines in zip(("h.txt", "r.txt"), zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    call = ("score", "h.txt", "--ref", "r.txt", "--smoothing", smoothing, "--segments", "--json")
    theirs = metrics.BLEU(smooth_method=smoothing.split("=")[0], effective_order=True)
    expected = [theirs.sentence_score(hypothesis, [reference]).score for hypothesis, reference in pairs]
    assert json.loads(run(*call).stdout)[0]["segments"] == pytest.approx(expected)
