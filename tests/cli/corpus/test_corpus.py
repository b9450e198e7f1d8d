from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _collections(run: Run) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run("info", "--json").stdout)["collections"]
    return found


def test_import_reports_what_it_read(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"greetings.tsv": "Hello.\tBonjour.\nHi.\tBonjour.\nHello.\tBonjour.\nBye.\t\n"})
    result = run("import", "greetings.tsv", "--lang", "en,fra", "--licence", "CC0", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0
    assert report.pop("seconds") >= 0
    assert report == {
        "collection": "greetings",
        "read": 3,
        "sentences": 3,
        "translations": 2,
        "duplicates": 1,
        "rejected": 1,
        "first_rejected": [["greetings.tsv", 4, "empty text in column 2 (fra)"]],
        "skipped": [],
        "first_duplicates": [["greetings.tsv", 3]],
        "unchanged": [],
        "annotated": None,
        "annotated_before": None,
    }
    assert "left out: greetings.tsv:4: empty text in column 2 (fra)" in result.stderr
    assert _collections(run) == [{"name": "greetings", "documents": 1, "lines": 3, "licence": "CC0", "sections": 0}]


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("Hello.\tBonjour.\n", ("--lang", "en,fra"), "eng from column 1, fra from column 2"),
        ("id\ten\tfr\n1\tHello.\tBonjour.\n", ("--lang", "fra,eng"), "fra from fr (column 3), eng from en (column 2)"),
        ("1\tx\tHi.\tSalut.\n", ("--lang", "eng,fra", "--columns", "3,4"), "eng from column 3, fra from column 4"),
    ],
)
def test_import_says_which_columns_it_took(
    run: Run, tmp_path: Path, text: str, options: tuple[str, ...], told: str
) -> None:
    _write(tmp_path, {"pairs.tsv": text})
    assert f"corpusdb: {told}\n" in run("import", "pairs.tsv", *options).stderr


def test_rejected_lines_beyond_the_tenth_are_counted(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"gaps.tsv": "Hello.\tBonjour.\n" + "Bye.\t\n" * 15})
    result = run("import", "gaps.tsv", "--lang", "en,fr")
    assert result.stderr.count("left out: gaps.tsv:") == 10
    assert "left out: 5 more lines" in result.stderr


def test_a_file_that_was_imported_before_says_so(run: Run, corpus: Path) -> None:
    result = run("import", "paper.tsv", "--lang", "eng,fra", "--json")
    report = json.loads(result.stdout)
    assert (report["sentences"], report["unchanged"]) == (0, ["paper.tsv"])
    assert "paper.tsv: was imported before" in result.stderr


def test_several_tables_are_documents_of_one_collection(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"one.tsv": "One.\tUn.\n", "two.tsv": "Two.\tDeux.\n", "three.txt": "Three.\tTrois.\n"})
    assert run("import", "one.tsv", "two.tsv", "three.txt", "--lang", "eng,fra").exit_code == 0
    assert _collections(run) == [{"name": "one", "documents": 3, "lines": 3, "licence": None, "sections": 0}]
    assert run("import", "one.tsv", "two.tsv", "--format", "tsv", "--lang", "eng,fra", "--name", "both").exit_code == 0
    assert _collections(run)[1]["name"] == "both"


def test_a_bad_file_among_several_leaves_no_database(run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"one.tsv": "One.\tUn.\n", "two.tsv": "Two.\tDeux.\nThree.\n"})
    result = run("import", "one.tsv", "two.tsv", "--lang", "eng,fra")
    assert result.exit_code == 3
    assert "two.tsv:2:" in result.stderr
    assert not (tmp_path / "corpus.db").exists()


def test_parallel_files_are_one_source(run: Run, tmp_path: Path) -> None:
    (tmp_path / "news.en.gz").write_bytes(gzip.compress(b"One.\nTwo.\n", mtime=0))
    _write(tmp_path, {"news.fr": "Un.\nDeux.\n"})
    report = json.loads(run("import", "news.en.gz", "news.fr", "--lang", "en,fr", "--json").stdout)
    assert (report["collection"], report["translations"]) == ("news", 2)


def test_a_tatoeba_export_is_not_taken_for_tables(run: Run, tmp_path: Path) -> None:
    _write(
        tmp_path,
        {"sentences.tsv": "1\teng\tOne.\n2\tfra\tUn.\n", "links.tsv": "1\t2\n2\t1\n", "links2.tsv": "1\t2\n"},
    )
    assert run("import", "sentences.tsv", "links.tsv", "links2.tsv", "--lang", "eng,fra").exit_code == 2
    report = json.loads(run("import", "sentences.tsv", "links.tsv", "--lang", "eng,fra", "--json").stdout)
    assert report["translations"] == 1


@pytest.mark.parametrize("columns", ["3,1", "french,english"])
def test_columns_by_number_or_name(columns: str, run: Run, tmp_path: Path) -> None:
    _write(tmp_path, {"table.tsv": "english\tid\tfrench\nOne.\t1\tUn.\n"})
    assert run("import", "table.tsv", "--lang", "fra,eng", "--columns", columns, "--header", "yes").exit_code == 0
    rows = run("sql", "select language, text from sentence order by 1", "--json").stdout
    assert json.loads(rows)["rows"] == [["eng", "One."], ["fra", "Un."]]


def test_standard_input_is_a_file(run: Run) -> None:
    report = json.loads(run("import", "-", "--lang", "eng,fra", "--json", stdin="One.\tUn.\n").stdout)
    assert (report["collection"], report["read"]) == ("stdin", 1)


MORE = """\
Can I have a twin?\tUne chambre à deux lits, s'il vous plaît.
"""


def test_what_was_derived_follows_an_import_unless_told_not_to(run: Run, generated: Path, tmp_path: Path) -> None:
    _write(tmp_path, {"more.tsv": MORE})

    def states() -> set[str]:
        languages = json.loads(run("info", "--json").stdout)["languages"]
        return {layer["state"] for language in languages for layer in language["layers"]}

    before = json.loads(run("paraphrases", "A slice of pizza, please.", "-N", "0", "--json").stdout)
    assert [each["frequency"] for each in before] == [1]
    assert run("import", "more.tsv", "--lang", "eng,fra", "--no-follow").exit_code == 0
    assert "behind" in states()
    assert run("import", "more.tsv", "--lang", "eng,fra").exit_code == 0  # nothing to read, but something to follow
    assert states() == {"up to date"}
    after = json.loads(run("paraphrases", "A slice of pizza, please.", "-N", "0", "--json").stdout)
    assert [(each["text"], each["frequency"]) for each in after] == [("Can I have a slice of pizza?", 2)]


def test_info_shows_collections_languages_and_runs(run: Run, generated: Path, tmp_path: Path) -> None:
    rows = (tmp_path / "paper.tsv").read_text(encoding="utf-8").splitlines()[1:]
    characters = sum(len(row.split("\t")[0]) for row in rows)
    result = run("info")
    assert result.exit_code == 0
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert ["paper", "1", "0", "7", ""] in lines
    assert [
        "eng",
        "7",
        str(characters),
        "7",
        "7",
        "paraphrase, ngram, commutation, candidate, validity, rewording: up to date",
    ] in lines
    assert {"import", "detect", "index", "generate"} <= {line[1] for line in lines if len(line) == 5}
    assert "sizes" in json.loads(run("info", "--json").stdout)
    assert any(
        line[0] == "sentence" for line in (row.split("\t") for row in run("info", "--sizes").stdout.splitlines())
    )


def test_what_it_takes_is_said_where_it_is_worth_it(
    run: Run, corpus: Path, generated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = corpus.with_name("more.tsv")
    more.write_text("".join(f"I see {number}.\tJe vois {number}.\n" for number in range(30)), encoding="utf-8")
    calls = (["import", "more.tsv", "--lang", "eng,fra", "--no-follow"], ["generate", "--lang", "eng"])
    assert not any(" of memory, " in run(*call).stderr for call in calls), "it is done in a moment"
    monkeypatch.setattr("corpusdb.chain.queries.foreseen._WORTH_SAYING", 0)
    for call, after in (
        (["--db", "new.db", *calls[0]], "a file of "),
        (calls[0], "the file grows to "),
        (["generate", "--lang", "fra"], "the file grows to "),
    ):
        silent = [run(option, *call).stderr for option in ("--quiet", "--json")] if call is calls[0] else []
        assert not any(" of memory, " in told for told in silent)
        told = run(*call).stderr.splitlines()[0]
        assert told.startswith("corpusdb: about ")
        assert f" of memory, {after}" in told


def test_a_disk_without_room_is_a_warning(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=500))
    call = ["import", "paper.tsv", "--lang", "eng,fra", "--db", "new.db"]
    warning = "corpusdb: warning: the disk has 0.5 kB left, and this takes about "
    assert run(*call).stderr.startswith(warning)
    result = run(*call, "--json")
    assert result.stderr.startswith(warning)
    assert result.exit_code == 0
    assert not run("--quiet", *call).stderr
    assert run("generate", "--lang", "eng").stderr.startswith(warning)
    assert warning not in run("generate", "--lang", "eng").stderr, "there is nothing left to do"
