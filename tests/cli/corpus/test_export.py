from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

NEWS = """\
{"id": "1", "document": "news.1", "texts": [{"lang": "eng", "text": "one"}, {"lang": "fra", "text": "un"}]}
{"id": "2", "document": "news.1", "texts": [{"lang": "eng", "text": "two"}, {"lang": "jpn", "text": "二"}]}
"""
PAIRS = "one\tune\nthree\ttrois\n"


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """A folder with a database of two collections in three languages."""
    (tmp_path / "news.jsonl").write_text(NEWS, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    assert run("import", "news.jsonl").exit_code == 0
    assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0
    return tmp_path


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ((), ["one\tun", "three\ttrois", "one\tune"]),
        (("--collection", "pairs"), ["one\tune", "three\ttrois"]),
        (("--collection", "pairs", "--collection", "news"), ["one\tun", "one\tune", "three\ttrois"]),
        (("--document", "news.1"), ["one\tun"]),
        (("--document", "pairs.tsv"), ["one\tune", "three\ttrois"]),
    ],
)
def test_a_part_of_the_corpus(run: Run, folder: Path, options: Sequence[str], lines: list[str]) -> None:
    result = run("export", *options, "--lang", "en,fr", "--format", "moses", "-o", "out")
    assert result.exit_code == 0, result.stderr
    english, french = (Path(f"out.{code}").read_text(encoding="utf-8").splitlines() for code in ("eng", "fra"))
    assert sorted(map("\t".join, zip(english, french, strict=True))) == sorted(lines)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.tmx", "<?xml version"),
        ("out.xml", "<?xml version"),
        ("out.tsv", "id\tdocument\teng\tfra"),
        ("out.csv", "id,document,eng,fra"),
        ("out.ndjson", '{"id":"1","document":"news.1"'),
    ],
)
def test_the_name_of_the_file_tells_the_format(run: Run, folder: Path, name: str, start: str) -> None:
    result = run("export", "-o", name)
    assert result.exit_code == 0, result.stderr
    assert Path(name).read_text(encoding="utf-8").startswith(start)
    assert "file\t" + name in result.stdout


def test_the_report(run: Run, folder: Path) -> None:
    report = json.loads(run("export", "-o", "out.jsonl", "--lang", "fra,eng", "--json").stdout)
    assert report.pop("seconds") >= 0
    assert report == {"files": ["out.jsonl"], "units": 3, "left_out": 1, "languages": ["fra", "eng"]}


def test_units_that_a_format_cannot_hold_are_counted_with_the_others(run: Run, folder: Path) -> None:
    # One has two translations, three has one, and two has none in French.
    result = run("export", "-o", "out", "--format", "moses", "--by-sentence", "eng", "--lang", "fra", "--json")
    report = json.loads(result.stdout)
    assert (report["files"], report["units"], report["left_out"]) == (["out.eng", "out.fra"], 1, 2)
    assert "left out: 1 unit with not exactly one text in every language" in result.stderr
    assert "left out: 1 unit with fewer than two texts in eng, fra" in result.stderr


def test_sentences_with_all_their_translations(run: Run, folder: Path) -> None:
    result = run("export", "-o", "-", "--format", "jsonl", "--by-sentence", "en", "--lang", "fra,jpn", "--quiet")
    texts = [[each["text"] for each in json.loads(line)["texts"]] for line in result.stdout.splitlines()]
    assert texts == [["one", "un", "une"], ["two", "二"], ["three", "trois"]]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("-o", "out"), 2, "the name out does not tell the format; give --format: conllu, csv, jsonl, moses"),
        (("-o", "-"), 2, "standard output has no name; give --format"),
        (("-o", "-", "--format", "docx"), 2, "format 'docx' cannot be written; there are conllu, csv"),
        (("-o", "-", "--format", "tsv", "--json"), 2, "name a file"),
        (("-o", "-", "--format", "moses"), 2, "cannot go to standard output"),
        (("-o", "o.tmx", "--by-sentence", "eng", "--document", "news.1"), 2, "contradict each other"),
        (("-o", "o.tmx", "--collection", "old"), 3, "there is no collection 'old'; there are news, pairs"),
        (("-o", "o.tmx", "--lang", "eng,deu"), 3, "there is no text in 'deu'; there are eng, fra, jpn"),
        (("-o", "o.tmx", "--by-sentence", "deu"), 3, "there is no text in 'deu'; there are eng, fra, jpn"),
        (("-o", "o.tmx", "--document", "old"), 3, "there is no document 'old'; there are news.jsonl, pairs.tsv"),
        (("-o", "o.tmx", "--lang", "fra,jpn"), 3, "nothing to export: 4 units, none with two texts"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported(run: Run, folder: Path, arguments: Sequence[str], code: int, problem: str) -> None:
    result = run("export", *arguments)
    assert (result.exit_code, problem in result.stderr) == (code, True), result.stderr
    assert {path.name.partition("-")[0] for path in folder.iterdir()} == {"corpus.db", "news.jsonl", "pairs.tsv"}


def test_a_database_that_may_only_be_read_can_be_exported(run: Run, folder: Path) -> None:
    (folder / "corpus.db").chmod(0o444)
    assert run("export", "-o", "out.tmx").exit_code == 0


def test_progress_has_a_stage_for_each_pass(run: Run, folder: Path) -> None:
    told = run("export", "-o", "out.tsv").stderr
    assert told == "corpusdb: reading units, pass 1 ... reading units, pass 3: done\n"
