"""The formats that `import` reads, as it is called from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

WMT = """<dataset id="s"><doc id="d" origlang="en">
<src lang="en"><seg id="1">Hello.</seg></src>
<ref lang="fr" translator="A"><seg id="1">Bonjour.</seg></ref>
<hyp lang="fr" system="X"><seg id="1">Allo.</seg></hyp>
</doc></dataset>
"""
FILES = {
    "named.tsv": "id\teng\tfra\n1\tHello.\tBonjour.\n",
    "sheet.csv": 'french,english\nBonjour.,"Hello."\n',
    "more.csv": "french;english\nSalut.;Hi.\n",
    "units.jsonl": '{"en": "Hello.", "fr": ["Bonjour.", "Salut."]}\n',
    "set.xml": WMT,
}


@pytest.mark.parametrize(
    ("arguments", "read", "sentences"),
    [
        (["named.tsv"], 1, 2),
        (["sheet.csv", "more.csv", "--lang", "eng,fra"], 2, 4),
        (["sheet.csv"], 1, 2),
        (["units.jsonl"], 1, 3),
        (["units.jsonl", "--lang", "fra,eng"], 1, 3),
        (["set.xml"], 1, 2),
        (["set.xml", "--systems"], 1, 3),
    ],
)
def test_files_are_imported(run: Run, tmp_path: Path, arguments: list[str], read: int, sentences: int) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = run("import", *arguments, "--json")

    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["read"], report["sentences"]) == (read, sentences)


def test_a_table_that_does_not_name_its_languages_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("Hello.\tBonjour.\n", encoding="utf-8")
    result = run("import", "pairs.tsv")

    assert result.exit_code == 2
    assert "needs its languages" in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("eng\tfra\tnote\nHello.\tBonjour.\tx\n", "column 3 (note) cannot be taken, since no language is named so"),
        ("eng\tfra\tnote\nHello.\tBonjour.\tx\n", "--lang eng,fra reads the other columns; --columns with --lang"),
        ("eng\tmood\tfra\twho\nHi.\t1\tSalut.\tx\n", "columns 2 (mood), 4 (who) cannot be taken"),
        ("en\tfr\nHello.\tBonjour.\n", "(en, fr) is a header is not told: --header yes, or --lang eng,fra"),
    ],
)
def test_a_column_that_no_language_is_named_after_is_told(run: Run, tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    result = run("import", "pairs.tsv")

    assert result.exit_code == 2
    assert told in result.stderr


def test_chosen_columns_that_name_languages_tell_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("eng\tnote\tfra\nHello.\tx\tBonjour.\n", encoding="utf-8")
    result = run("import", "pairs.tsv", "--columns", "fra,eng")

    assert result.exit_code == 0, result.stderr
    assert "fra from fra (column 3), eng from eng (column 1)" in result.stderr


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("p.en", "p.fr"), "eng from p.en, fra from p.fr"),
        (("p.fra_Latn", "p.eng_Latn"), "fra from p.fra_Latn, eng from p.eng_Latn"),
        (("p.ja.txt", "p.english"), "jpn from p.ja.txt, eng from p.english"),
        (("p.en", "q.en"), "p.en and q.en are both eng by their names; give --lang"),
        (("p.en", "p.other"), "the name of p.other does not end in a language"),
        (("p", "q.fr"), "the name of p does not end in a language"),
    ],
)
def test_parallel_files_tell_their_languages_by_their_names(
    run: Run, tmp_path: Path, names: tuple[str, ...], told: str
) -> None:
    for name in names:
        (tmp_path / name).write_text("One.\nTwo.\n", encoding="utf-8")
    result = run("import", *names)

    assert result.exit_code == (0 if " from " in told else 2), result.stderr
    assert told in result.stderr
