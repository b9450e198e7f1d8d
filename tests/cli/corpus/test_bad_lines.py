"""`import --skip-bad N`: so many bad lines are skipped, told and kept in the run; with one more nothing is imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

_TMX = """<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="en"><seg>Hello.</seg></tuv><tuv xml:lang="fr"><seg>Bonjour.</seg></tuv></tu>
<tu><tuv xml:lang="no such"><seg>Bad.</seg></tuv><tuv xml:lang="fr"><seg>Mal.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Yes.</seg></tuv><tuv xml:lang="fr"><seg>Oui.</seg></tuv></tu>
</body></tmx>
"""
_WORD = "\t_" * 8
FILES = {
    "ragged.tsv": b"Hello.\tBonjour.\nragged\nb\xe9d\tmal\nYes.\tOui.\nNUL\0\tNUL\n",
    "long.tsv": b"Hello.\tBonjour.\n" + b"x" * (3 << 20) + b"\tlong\nYes.\tOui.\n",
    "ragged.csv": b"eng,fra\nHello.,Bonjour.\nragged\nYes.,Oui.\n",
    "units.jsonl": b'{"eng": "Hello.", "fra": "Bonjour."}\nno JSON\n{"eng": 3}\n{"eng": "Yes.", "fra": "Oui."}\n',
    "text.en": b"Hello.\nb\xe9d\nYes.\n",
    "text.fr": b"Bonjour.\nmal\nOui.\n",
    "sentences.csv": b"1\teng\tHello.\n2\tfra\tBonjour.\nx\teng\tBad.\n4\teng\n5\teng\tYes.\n6\tfra\tOui.\n",
    "links.csv": b"1\t2\n2\t1\nfoo\t5\n7\n5\t6\n",
    "units.tmx": _TMX.encode(),
    "tokens.vert": b"<s>\nHello\tUH\n</s>\n<s>\nbad\nof\tit\n</s>\n<s>\nYes\tUH\n</s>\n",
    "tokens.conllu": f"1\tHello{_WORD}\n\n1\tbad\n2\tof it\n\n1\tYes{_WORD}\n".encode(),
}


def _write(folder: Path) -> None:
    for name, content in FILES.items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    ("arguments", "read", "skipped"),
    [
        (["ragged.tsv", "--lang", "eng,fra"], 2, ["ragged.tsv:2", "ragged.tsv:3", "ragged.tsv:5"]),
        (["long.tsv", "--lang", "eng,fra"], 2, ["long.tsv:2"]),
        (["ragged.csv"], 2, ["ragged.csv:3"]),
        (["units.jsonl"], 2, ["units.jsonl:2", "units.jsonl:3"]),
        (["text.en", "text.fr", "--lang", "eng,fra"], 2, ["text.en:2"]),
        (
            ["sentences.csv", "links.csv"],
            2,
            ["sentences.csv:3", "sentences.csv:4", "links.csv:3", "links.csv:4"],
        ),
        (["units.tmx"], 2, ["units.tmx:3"]),
        (["tokens.vert", "--lang", "eng", "--attributes", "word,pos"], 2, ["tokens.vert:5"]),
        (["tokens.conllu", "--lang", "eng"], 2, ["tokens.conllu:3"]),
        (["units.jsonl", "more.jsonl"], 4, ["units.jsonl:2", "units.jsonl:3", "more.jsonl:2", "more.jsonl:3"]),
    ],
)
def test_bad_lines_are_skipped_and_told_up_to_a_number(
    run: Run, tmp_path: Path, arguments: list[str], read: int, skipped: list[str]
) -> None:
    _write(tmp_path)
    (tmp_path / "more.jsonl").write_bytes(FILES["units.jsonl"] + b"\n")
    refused = run("import", *arguments)
    one_less = run("import", *arguments, "--skip-bad", str(len(skipped) - 1))
    assert (refused.exit_code, one_less.exit_code) == (3, 3)
    assert one_less.stderr.count(skipped[-1]) == 1
    assert not (tmp_path / "corpus.db").exists()

    result = run("import", *arguments, "--skip-bad", str(len(skipped)), "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["read"] == read
    assert report["rejected"] - len(report["first_rejected"]) == len(skipped)
    assert [f"{file}:{line}" for file, line, _ in report["skipped"]] == skipped
    for file, line, reason in report["skipped"]:
        assert f"skipped: {file}:{line}: {reason}" in result.stderr.replace("\n", " ")
    runs = run("sql", "select parameters from run where operation = 'import' order by id", "--json")
    kept = [line for (told,) in json.loads(runs.stdout)["rows"] for line in json.loads(told).get("skipped", [])]
    assert kept == report["skipped"]


def test_more_than_may_be_skipped_leaves_the_database_as_it_was(run: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / "good.tsv").write_text("No.\tNon.\n", encoding="utf-8")
    assert run("import", "good.tsv", "--lang", "eng,fra").exit_code == 0
    before = run("sql", "select * from run", "--json").stdout
    refused = run("import", "good.tsv", "ragged.tsv", "--lang", "eng,fra", "--name", "other", "--skip-bad", "2")

    assert refused.exit_code == 3
    assert "ragged.tsv:5: NUL byte" in refused.stderr
    assert run("sql", "select * from run", "--json").stdout == before


def test_a_file_is_the_same_however_many_of_its_lines_may_be_bad(run: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    for allowed in ("3", "7"):
        again = run("import", "ragged.tsv", "--lang", "eng,fra", "--skip-bad", allowed)
        assert again.exit_code == 0
    assert "was imported before" in again.stderr
    assert "skipped: ragged.tsv:2" in again.stderr


@pytest.mark.parametrize(
    ("files", "exit_code", "told"),
    [
        ({"set.xml": b"<dataset/>"}, 2, "no lines of wmt files can be skipped"),
        ({"set.sgm": b"<srcset>"}, 2, "no lines of sgm files can be skipped"),
        ({"cut.tmx": b'<tmx version="1.4"><body><tu>'}, 3, "cut off"),
        ({"a.en": b"Hello.\nYes.\n", "a.fr": b"Bonjour.\n"}, 3, "has no partner"),
        ({"first.tsv": b"b\xe9d\tmal\nYes.\tOui.\n"}, 3, "the first line cannot be skipped"),
        ({"a.csv": b'eng,fra\nHello.,"Bonjour.\n'}, 3, "cannot be read as CSV"),
        ({"a.eng.conllu": b"1\n", "a.fra.conllu": b"1\n"}, 2, "parallel treebanks"),
    ],
)
def test_what_is_no_fault_of_one_line_is_refused(
    run: Run, tmp_path: Path, files: dict[str, bytes], exit_code: int, told: str
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    result = run("import", *files, "--lang", "eng,fra", "--skip-bad", "9")

    assert result.exit_code == exit_code, result.stderr
    assert told in result.stderr.replace("\n", " ")
    assert not (tmp_path / "corpus.db").exists()
