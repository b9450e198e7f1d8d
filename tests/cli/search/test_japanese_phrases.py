"""`align`, `translations` and `equivalents` of Japanese: what is linked is said, and so is what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from recorded_analyses import RecordedAnalyser
from typer.testing import Result

from corpusdb.base import morphemes as sudachi
from corpusdb.base.errors import UsageError

Run: TypeAlias = Callable[..., Result]

ROWS = """\
english	japanese
He read a book.	彼は本を読んだ。
She read a book.	彼女は本を読んだ。
The school is new.	学校は新しい。
The book is new.	本は新しい。
The school is near.	学校は近い。
"""


@pytest.fixture
def imported(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "rows.tsv").write_text(ROWS, encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,jpn").exit_code == 0
    return run


def lose_morphemes(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(dictionary: str) -> None:
        raise UsageError("Japanese morphemes need more: pip install 'corpusdb[japanese]'")

    monkeypatch.setattr(sudachi, "_opened", opened)


def test_morphemes_are_linked_and_found(imported: Run, recorded_morphemes: RecordedAnalyser) -> None:
    found = imported("align", "--lang", "jpn,eng")
    assert found.exit_code == 0, found.stderr
    assert f"tokens of eng\twords\ntokens of jpn\tmorphemes by {recorded_morphemes.identity}\n" in found.stdout
    shown = imported("translations", "学校", "--with", "eng", "--format", "tsv")
    assert "[学校]" in shown.stdout.splitlines()[1]
    assert imported("translations", "school", "--with", "jpn").exit_code == 0


@pytest.mark.usefixtures("recorded_morphemes")
@pytest.mark.parametrize("phrase", ["学校", "the school"])
def test_what_cannot_be_shown_is_said(imported: Run, monkeypatch: pytest.MonkeyPatch, phrase: str) -> None:
    assert imported("align", "--lang", "jpn,eng").exit_code == 0
    lose_morphemes(monkeypatch)
    found = imported("translations", phrase, "--with", "eng" if phrase == "学校" else "jpn")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in found.stderr
    checked = imported("check")
    assert (checked.exit_code, checked.stdout) == (0, "ok\n")
    assert "the links of eng and jpn: Japanese morphemes need more" in checked.stderr


def test_characters_are_said_where_there_are_no_morphemes(imported: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_morphemes(monkeypatch)
    found = imported("align", "--lang", "eng,jpn")
    assert found.exit_code == 0, found.stderr
    assert "tokens of jpn\tcharacters\n" in found.stdout
    assert "Japanese is aligned by characters; by morphemes with pip install 'corpusdb[japanese]'" in found.stderr
    assert imported("translations", "本", "--with", "eng").exit_code == 0
