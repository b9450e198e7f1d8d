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
