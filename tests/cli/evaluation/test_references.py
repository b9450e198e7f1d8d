from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.corpus.formats.records import ReferenceSet, digest
from corpusdb.scoring.metrics.signature import Signature

Run: TypeAlias = Callable[..., Result]

SEED = "A slice of pizza, please."
CANDIDATE = "Can I have a slice of pizza?"
FRENCH = "Une bière, s'il vous plaît."
SETS = (
    ReferenceSet("1", SEED, (SEED, CANDIDATE)),
    ReferenceSet("2", FRENCH, ("A beer, please.", "Can I have a beer?")),
)


@pytest.mark.parametrize(
    ("sources", "stdin"),
    [((SEED, FRENCH), ""), (("@sources.txt",), ""), ((SEED, "-"), FRENCH + "\n"), ((SEED, "@second.txt"), "")],
)
def test_sources_are_seeds_or_their_translations_from_anywhere(
    sources: tuple[str, ...], stdin: str, run: Run, generated: Path, tmp_path: Path
) -> None:
    (tmp_path / "sources.txt").write_text(f"{SEED}\n{FRENCH}\n", encoding="utf-8")
    (tmp_path / "second.txt").write_text(FRENCH, encoding="utf-8")
    result = run("references", *sources, "-o", "out", "--lang", "eng", "-N", "0", "--json", stdin=stdin)
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found.pop("made_from")["command"] == "references"
    # Of the four, only the generated one is no translation that people wrote.
    assert found["validities"] == [found["validity"], None]
    assert 0 < found["validity"] < 1
    assert f"{found['validity']:.1%} are expected to hold" in result.stderr
    assert {name: found[name] for name in found if not name.startswith("validit")} == {
        "sources": 2,
        "missing": [],
        "digest": digest(SETS),
        "segments": 2,
        "references": 4,
        "format": "sacrebleu",
        "files": ["out/source.txt", "out/ref0.txt", "out/ref1.txt", "out/provenance.tsv"],
    }
    assert (tmp_path / "out/ref1.txt").read_text(encoding="utf-8") == f"{CANDIDATE}\nCan I have a beer?\n"
    known = [line.split("\t") for line in (tmp_path / "out/provenance.tsv").read_text(encoding="utf-8").splitlines()]
    assert [row[:3] for row in known[1:3]] == [["1", "1", "original"], ["1", "2", "generated"]]
    assert float(known[2][3]) == pytest.approx(found["validity"])
    assert [row[2:] for row in known[3:]] == [["original+detected", "", ""]] * 2


def test_the_digest_and_the_files_are_printed(run: Run, generated: Path, tmp_path: Path) -> None:
    result = run("references", SEED, "-o", "out", "--format", "tsv", "-n", "1")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"digest\t{digest([ReferenceSet('1', SEED, (SEED,))])}",
        "segments\t1",
        "references\t1",
        "file\tout/references.tsv",
    ]


UNKNOWN = "Nobody has ever written that."


def test_how_many_sources_are_covered_is_told_first(run: Run, generated: Path, tmp_path: Path) -> None:
    others = "".join(f"{UNKNOWN} {number}\n" for number in range(12))
    (tmp_path / "sources.txt").write_text(f"{others}{FRENCH}\n", encoding="utf-8")
    options = ("sources.txt", "-o", "out", "--lang", "eng", "--format", "tsv")
    refused = run("references", *options)
    told = (
        "corpusdb: 1 of 13 sources has a reference, 2.0 on average; none for 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more"
    )
    talk = [line for line in refused.stderr.splitlines() if "making reference sets" not in line]
    assert (refused.exit_code, talk[0]) == (3, told)
    assert talk[1].startswith("corpusdb: error: 12 of 13 sources have no reference, the first is 1, ")
    assert not (tmp_path / "out").exists()
    found = json.loads(run("references", *options, "--skip-missing", "--json").stdout)
    assert (found["sources"], found["missing"], found["segments"]) == (13, list(range(1, 13)), 1)


@pytest.mark.parametrize("skips", [(), ("--skip-missing",)])
def test_a_set_of_nothing_is_not_written(skips: tuple[str, ...], run: Run, generated: Path, tmp_path: Path) -> None:
    result = run("references", UNKNOWN, f"{UNKNOWN} Never.", "-o", "out", "--lang", "eng", *skips)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "0 of 2 sources have a reference\n" in result.stderr
    assert "nothing is written; none of the 2 sources is in the corpus, which has " in result.stderr
    assert "`--ref FILE --ref-from corpus`" in result.stderr
    assert "-N 10" not in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", ["sacrebleu", "sgm", "wmt", "jsonl", "tsv"])
def test_what_fills_sets_up_is_warned_of(format: str, run: Run, generated: Path, tmp_path: Path) -> None:
    """NIST counts every copy of a reference, and the digest none."""
    options = ("--lang", "eng", "--format", format, "--json")
    made = run("references", "A twin, please.", FRENCH, "-o", "out", *options)
    fills_up = format not in ("jsonl", "tsv")
    assert ("--format jsonl or tsv keeps every set as it is" in made.stderr) == fills_up
    files = [name for name in json.loads(made.stdout)["files"] if "/ref" in name and "src" not in name]
    (tmp_path / "h.txt").write_text("A twin, please.\nA beer, please.\n", encoding="utf-8")
    scored = run("score", "h.txt", "--ref", *files, "--metric", "nist,bleu", "--json")
    assert ("NISTw5: 1 of 2 segments have a reference twice" in scored.stderr) == fills_up
    assert "BLEUw4: " not in scored.stderr
    for each in json.loads(scored.stdout):
        signature = Signature.parse(each["signature"])
        assert signature.digest == json.loads(made.stdout)["digest"][:16]
        assert str(signature.references) == ("2" if fills_up else "1/1.50/2")
        assert signature.copies == (1 if fills_up else None), "the digest is the same, and NIST is not"
        assert ("|copies:" in signature.short()) == fills_up


def test_the_call_of_sacrebleu_that_is_told_gives_our_numbers(run: Run, generated: Path, tmp_path: Path) -> None:
    """Also of TER, which knows no case by default there, and counts references that fill up."""
    pytest.importorskip("sacrebleu")
    (tmp_path / "h.txt").write_text("can I have a slice of Pizza?\nA beer, I said.\n", encoding="utf-8")
    told = run("references", SEED, FRENCH, "-o", "my out", "--lang", "eng", "-N", "0", "--min-shared", "0").stderr
    (call,) = re.findall(r"'my out'`: sacrebleu (.*)", told)
    words = shlex.split(
        call.replace("'my out'/ref*.txt", "'my out/ref0.txt' 'my out/ref1.txt'").replace("OUTPUT", "h.txt")
    )
    command = [sys.executable, "-m", "sacrebleu", *words, "-w", "6"]
    theirs = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    ours = json.loads(run("score", "h.txt", "--ref", "my out", "-m", "bleu,chrf,ter", "--json").stdout)
    assert [each["score"] for each in json.loads(theirs)] == pytest.approx([each["score"] for each in ours], abs=1e-5)


def test_references_that_are_given_twice_are_told(run: Run, tmp_path: Path) -> None:
    """No BLEU changes by it, but the number of references in the signature."""
    (tmp_path / "h.txt").write_text("a cat sat\nso it is\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a cat sits\nso is it\n", encoding="utf-8")
    (tmp_path / "all.tsv").write_text("ref\tref\tref\na cat sits\tcat\t\nso is it\tso\tit is\n", encoding="utf-8")
    alone, both = run("score", "h.txt", "--ref", "all.tsv"), run("score", "h.txt", "--ref", "r.txt", "all.tsv")
    assert "reference twice" not in alone.stderr
    assert "2 of 2 segments have a reference twice, as files have that are filled up or given twice" in both.stderr
    assert "refs:3/3.50/4|copies:2|set:2-" in run("score", "h.txt", "--ref", "r.txt", "all.tsv", "--json").stdout


def test_a_format_that_cannot_be_written_is_told_before_anything_is_done(run: Run, generated: Path) -> None:
    result = run("references", SEED, "-o", "out", "--format", "docx")
    assert result.exit_code == 2
    assert "there are jsonl, sacrebleu, tsv" in result.stderr or "sacrebleu" in result.stderr
    assert not Path("out").exists()


def test_a_file_of_sources_that_is_not_there(run: Run, generated: Path) -> None:
    result = run("references", "@none.txt", "-o", "out")
    assert (result.exit_code, result.stderr) == (3, "corpusdb: error: none.txt: no such file\n")


def test_statistics_are_the_tables_of_the_paper(run: Run, generated: Path) -> None:
    result = run("statistics", "--lang", "eng", "-N", "0")
    assert result.exit_code == 0
    assert "Table 1" in result.stdout
    assert "Table 2" in result.stdout
    document = json.loads(run("statistics", "--lang", "eng", "-N", "0", "--json").stdout)
    assert isinstance(document, dict)


def test_statistics_with_plots(run: Run, generated: Path) -> None:
    shown = run("statistics", "--lang", "eng", "-N", "0", "--plot").stdout
    assert shown.startswith(run("statistics", "--lang", "eng", "-N", "0").stdout)
    assert shown.count("Figure 1, left") == 2
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("format", ["sacrebleu", "sgm", "wmt", "jsonl", "tsv"])
def test_a_folder_stands_for_the_references_written_there(
    format: str, run: Run, generated: Path, tmp_path: Path
) -> None:
    made = run("references", FRENCH, "A twin, please.", "-o", "out", "--lang", "eng", "--format", format, "--json")
    files = [name for name in json.loads(made.stdout)["files"] if "/ref" in name and "src" not in name]
    (tmp_path / "h.txt").write_text("A beer, please.\nA twin, please.\n", encoding="utf-8")
    for call in (("score", "h.txt", "--ref", "out"), ("score", "out", "-i", "h.txt")):
        by_folder = json.loads(run(*call, "--json").stdout)[0]
        by_files = json.loads(run(*(x for each in call for x in (files if each == "out" else [each])), "--json").stdout)
        assert by_folder["signature"] == by_files[0]["signature"]
        assert Signature.parse(by_folder["signature"]).digest == json.loads(made.stdout)["digest"][:16]
    assert run("score", "h.txt", "--ref", "out", "--store").exit_code == 0
    assert run("verify", "1").exit_code == 0, "the files in it are what is compared"


def test_ranks_of_a_folder_stand_in_their_order_and_other_folders_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("a\n", encoding="utf-8")
    for number in (10, 9, 0):
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / f"ref{number}.txt").write_text(f"r {number}\n", encoding="utf-8")
    found = json.loads(run("trace", "h.txt", "--ref", "out", "--segment", "1", "--json").stdout)
    assert [each["text"] for each in found["references"]] == ["r 0", "r 9", "r 10"]
    for name in ("references.jsonl", "references.tsv"):
        (tmp_path / "two").mkdir(exist_ok=True)
        (tmp_path / "two" / name).write_text("", encoding="utf-8")
    (tmp_path / "none").mkdir()
    for folder in ("two", "none"):
        result = run("score", "h.txt", "--ref", folder)
        assert (result.exit_code, result.stdout) == (3, "")
        assert f"{folder}: is a folder, and holds neither ref0.txt, ref1.txt ... nor one file" in result.stderr


def test_only_a_filter_that_finds_references_is_named(run: Run, generated: Path) -> None:
    asked = ("references", "A beer, please.", "A twin, please.", "--references", "detected,generated", "-o", "out")
    nothing = run(*asked)
    assert nothing.exit_code == 1
    assert "nothing is written; -V 0 finds 1; `--ref FILE" in nothing.stderr
    refused = run(*asked, "-T", "0")
    assert refused.exit_code == 3
    assert "the first is 2, 'A twin, please.': --skip-missing leaves them out; -N 0 finds 1; `--ref" in refused.stderr
    bare = run(*asked, "-T", "0", "-N", "0", "--min-shared", "9").stderr
    assert "nothing is written; without --min-... there are 2; `--ref FILE" in bare
