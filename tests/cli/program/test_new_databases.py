"""Commands that write where there is no database yet: those that need no corpus make one and say so, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

MADE = "corpusdb: corpus.db is a new database\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (
        ("hyp.txt", "A beer , please .\n"),
        ("ref.txt", "A beer , thanks .\n"),
        ("pairs.tsv", "english\tfrench\nA beer.\tUne bière.\n"),
        ("ja.txt", "雨が降る。\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        ("import", "pairs.tsv"),
        ("score", "hyp.txt", "--ref", "ref.txt", "--store"),
        ("model", "train", "m", "ref.txt", "--lang", "eng"),
        ("rules", "set", "mine", "--from", "polite"),
    ],
    ids=lambda call: " ".join(call[:2]),
)
def test_what_needs_no_corpus_makes_a_database(call: tuple[str, ...], run: Run, files: Path) -> None:
    first = run(*call)
    assert first.exit_code == 0, first.stderr
    assert first.stderr.count(MADE) == 1
    assert (files / "corpus.db").exists()
    again = run(*call, *(["--replace"] if "model" in call else []))
    assert MADE not in again.stderr
    quiet = run("--quiet", "--db", "other.db", *call)
    assert (quiet.exit_code, quiet.stderr) == (0, "")


@pytest.mark.parametrize(
    ("call", "code", "told"),
    [
        (("score", "hyp.txt", "--ref", "none.txt", "--store"), 3, "none.txt: no such file"),
        (("--db", "no/a.db", "score", "hyp.txt", "--ref", "ref.txt", "--store"), 4, "folder for the database does not"),
        (("scores", "import", "hyp.txt"), 4, "`corpusdb score --store` makes one"),
        (("scores", "list"), 4, "`corpusdb score --store` makes one"),
        (("verify",), 4, "`corpusdb score --store` makes one"),
        (("model", "train", "m", "ref.txt"), 4, "`corpusdb import` makes one"),
        (("model", "train", "m", "phrasebook", "--lang", "eng"), 4, "`corpusdb import` makes one"),
        (("session", "new", "s", "--lang", "eng", "--text", "a"), 4, "`corpusdb import` makes one"),
        (("generate", "--lang", "eng"), 4, "`corpusdb import` makes one"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_fails_or_needs_a_corpus_makes_none(
    call: tuple[str, ...], code: int, told: str, run: Run, files: Path
) -> None:
    result = run(*call)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr.splitlines()[-1]
    assert [*files.glob("**/*.db")] == []
