from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.formats.reference_digest import digest
from corpusdb.formats.references import ReferenceSet

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
        "digest": digest(SETS),
        "segments": 2,
        "references": 4,
        "format": "sacrebleu",
        "files": ["out/source.txt", "out/ref0.txt", "out/ref1.txt"],
    }
    assert (tmp_path / "out/ref1.txt").read_text(encoding="utf-8") == f"{CANDIDATE}\nCan I have a beer?\n"


def test_the_digest_and_the_files_are_printed(run: Run, generated: Path, tmp_path: Path) -> None:
    result = run("references", SEED, "-o", "out", "--format", "tsv", "-n", "1")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"digest\t{digest([ReferenceSet('1', SEED, (SEED,))])}",
        "segments\t1",
        "references\t1",
        "file\tout/references.tsv",
    ]


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
