"""One reader of references and one maker of signatures: the same files say the same in every command."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from typer.testing import Result

from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.records import Provenance
from corpusdb.corpus.formats.registry import reference_writer_of
from corpusdb.scoring.metrics.signature import Signature

Run: TypeAlias = Callable[..., Result]

PEOPLE: Final = ["the cat sat on the mat", "it rained all day", "we had tea at four"]
MADE: Final = [["the cat sat upon the mat", "the cat sat down on the mat"], ["it rained the whole day"], []]
ORIGINS: Final = [["exchanged", "generated"], ["detected+exchanged"], []]
OUTPUTS: Final = {
    "one": ["the cat sat upon a mat", "it rained the whole day", "we had tea at five"],
    "two": ["a cat is on the mat", "it rained", "tea at four"],
    "three": ["the cat sat", "rain all day", "we drank tea"],
}
ALL: Final = ("one.txt", "two.txt", "three.txt")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three systems, what people said of them, the references of people, and these with others in every format."""
    sets = [
        ReferenceSet(
            str(number),
            "",
            (first, *others),
            {first: Provenance("original")}
            | {text: Provenance(origin, 0.5) for text, origin in zip(others, origins, strict=True)},
        )
        for number, (first, others, origins) in enumerate(zip(PEOPLE, MADE, ORIGINS, strict=True), 1)
    ]
    for name in ("jsonl", "tsv", "sacrebleu", "sgm", "wmt"):
        reference_writer_of(name).write(sets, tmp_path / name)
    texts = {"ref.txt": PEOPLE, "short.txt": PEOPLE[:2]} | {f"{name}.txt": lines for name, lines in OUTPUTS.items()}
    texts["human.tsv"] = ["system\tsegment\tz", *(f"{name}\t{at}\t{at}" for name in OUTPUTS for at in range(3))]
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def answered(run: Run, *arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def signatures(run: Run, references: Sequence[str]) -> dict[str, str]:
    """Of BLEU over all segments, by the command that told it."""
    agreed = answered(
        run, "agreement", *ALL, *references, "--human", "human.tsv", "--level", "system", "--samples", "9"
    )
    compared = answered(run, "compare", *ALL[:2], *references, "--section", "scores", "--samples", "9")
    worth = answered(run, "study", "reference-worth", *ALL, *references, "--draws", "2", "--samples", "2")
    return {
        "score": answered(run, "score", *ALL, *references)[0]["signature"],
        "agreement": agreed[0]["signature"],
        "compare": compared[0]["scores"][0]["signature"],
        "trace": answered(run, "trace", "one.txt", "--segment", "1", *references)["signature"],
        "worth": worth["curves"][-1]["signatures"][-1].replace("|seed:1", ""),
    }


@pytest.mark.parametrize(
    ("references", "copies"),
    [
        (["--ref", "ref.txt"], None),
        (["--ref", "jsonl"], None),
        (["--ref", "ref.txt", "--ref", "generated:jsonl/references.jsonl"], 3),
        (["--ref", "original:ref.txt", "--ref", "tsv"], 3),
        (["--ref", "sacrebleu"], 3),
        (["--ref", "ref.txt", "--ref", "by-hand:sgm"], 6),
    ],
)
def test_one_set_has_one_signature(run: Run, files: Path, references: list[str], copies: int | None) -> None:
    told = signatures(run, references)
    assert set(told.values()) == {told["score"]}, told
    assert Signature.parse(told["score"]).copies == copies
    digest = answered(run, "verify", *references)
    assert (digest["digest"][:16], digest["copies"]) == (Signature.parse(told["score"]).digest, copies or 0)


@pytest.mark.parametrize("written", ["jsonl", "tsv", "sacrebleu", "sgm", "wmt", "jsonl/references.jsonl"])
@pytest.mark.parametrize(
    ("origins", "counts"),
    [
        ("original+detected+generated+exchanged", [3, 2, 1]),
        ("original+exchanged", [2, 1, 1]),
        ("original+detected", [1, 2, 1]),
        ("original", [1, 1, 1]),
    ],
)
def test_the_origin_that_a_file_tells_is_its_origin(
    run: Run, files: Path, written: str, origins: str, counts: list[int]
) -> None:
    call = ("agreement", *ALL, "--ref", written, "--human", "human.tsv", "--level", "system", "--samples", "9")
    (row, *_) = answered(run, *call, "--origins", origins)
    told = Signature.parse(row["signature"])
    # As a file that has these alone: whatever a format fills up smaller sets with are copies.
    sets = [[first, *others][:1] for first, others in zip(PEOPLE, MADE, strict=True)]
    for number, (texts, labels) in enumerate(zip(MADE, ORIGINS, strict=True)):
        wanted = origins.split("+")
        sets[number] += [text for text, label in zip(texts, labels, strict=True) if label.split("+")[0] in wanted]
    assert [len(each) for each in sets] == counts
    lines = (json.dumps({"id": str(at), "references": each}) for at, each in enumerate(sets, 1))
    (files / "alone.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    alone = Signature.parse(answered(run, "score", "one.txt", "--ref", "alone.jsonl")[0]["signature"])
    assert told.digest == alone.digest
    assert told.references.least * 3 - (told.copies or 0) <= sum(counts)


def test_a_label_is_stronger_than_what_the_file_tells(run: Run, files: Path) -> None:
    result = run("agreement", *ALL, "--ref", "mine:jsonl", "--human", "human.tsv", "--origins", "original")
    assert result.exit_code == 2
    assert "there are no references of the origin 'original'; there are mine" in result.stderr


def test_compare_knows_what_people_did_not_write(run: Run, files: Path) -> None:
    (found,) = answered(run, "compare", *ALL[:2], "--ref", "jsonl", "--section", "origins", "--samples", "9")
    assert (found["origins"]["people"], found["origins"]["generated"], found["origins"]["left_out"]) == (4, 2, 0)
    people = Signature.parse(found["origins"]["by_people"]["signature"])
    # A detected sentence is one that a person wrote.
    assert str(people.references) == "1/1.33/2"


@pytest.mark.parametrize(
    ("name", "rows", "reason"),
    [
        ("jsonl/references.jsonl", '{"references":["a","b"],"origin":["original"]}', ":1: 1 values of 'origin' for 2"),
        ("sacrebleu/provenance.tsv", "a\tb\tc\td", ":1: is no table of segment, rank, origin and validity"),
        ("sacrebleu/provenance.tsv", "segment\trank\torigin\tvalidity\n1\t1\toriginal\t", "nothing of reference 1 of"),
    ],
)
def test_what_tells_no_origin_is_refused(run: Run, files: Path, name: str, rows: str, reason: str) -> None:
    (files / name).write_text(f"{rows}\n", encoding="utf-8")
    result = run("score", "one.txt", "--ref", name.partition("/")[0])
    assert (result.exit_code, reason in result.stderr) == (3, True), result.stderr


def test_columns_of_others_called_origin_are_none(run: Run, files: Path) -> None:
    (files / "own.tsv").write_text("reference\torigin\na\tBBC\nb\tNHK\nc\tBBC\n", encoding="utf-8")
    call = ("agreement", *ALL, "--ref", "own.tsv", "--human", "human.tsv", "--level", "system", "--samples", "9")
    assert answered(run, *call, "--origins", "original")


@pytest.mark.parametrize("command", ["score", "compare", "agreement"])
def test_origins_have_the_same_segments(run: Run, files: Path, command: str) -> None:
    human = ("--human", "human.tsv") if command == "agreement" else ()
    result = run(command, *ALL, "--ref", "ref.txt", "--ref", "generated:short.txt", *human)
    assert (result.exit_code, "ref.txt:3: has no counterpart" in result.stderr) == (3, True), result.stderr


def test_worth_of_origins_that_not_all_segments_have(run: Run, files: Path) -> None:
    call = ("study", "reference-worth", "one.txt", "--ref", "jsonl", "--draws", "2", "--samples", "2")
    found = answered(run, *call)
    together = ["original", "detected", "generated", "exchanged"]
    assert [each["origins"] for each in found["curves"]] == [["original"], *(together[:end] for end in (2, 3, 4))]
    assert "no curve of detected, generated, exchanged: some segments have no reference" in run(*call).stderr
