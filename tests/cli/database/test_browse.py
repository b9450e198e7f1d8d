from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from tui.places import PLACES

Run: TypeAlias = Callable[..., Result]


@pytest.mark.browser
def test_the_corpus_as_lines(run: Run, corpus: Path) -> None:
    result = run("browse", "--lines", "corpus", "--find", "slice")
    assert result.exit_code == 0
    assert "I'd like a slice of pizza, please." in result.stdout
    assert "A slice of pizza, please." in result.stdout
    assert "beer" not in result.stdout


def test_the_help_names_every_place(run: Run) -> None:
    *first, last = (place.key for place in PLACES)
    assert f": {', '.join(first)} or {last}." in " ".join(run("browse", "--help").output.split())


@pytest.mark.browser
def test_lines_as_json(run: Run, corpus: Path) -> None:
    document = json.loads(run("browse", "--lines", "corpus", "--find", "twin", "--json").stdout)
    assert set(document) == {"lines", "message", "is_error"}
    assert any("A twin, please." in line for line in document["lines"])
    assert not document["is_error"]


@pytest.mark.browser
def test_keys_are_pressed_as_on_the_screen(run: Run, corpus: Path) -> None:
    keys = run("browse", "--lines", "corpus", "--press", "?").stdout.splitlines()
    assert any(line.split() == ["j", "down", "Go", "to", "the", "next", "row"] for line in keys)
    assert "Everywhere" in keys


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("--lines", "nowhere"), 2, "there is no place 'nowhere'; there are corpus, session, "),
        (("--lines", "corpus", "--press", "shfit+a"), 2, "'shfit+a' is no key"),
        pytest.param(
            ("--lines", "corpus", "--press", "ctrl+q"), 2, "'ctrl+q' leaves the browser", marks=pytest.mark.browser
        ),
        (("--keys", "--check-config"), 2, "--keys and --check-config exclude each other"),
        (("--find", "a"), 2, "--find and --press go with --lines"),
        (("--press", "a"), 2, "--find and --press go with --lines"),
        (("--config", "missing.toml", "--lines", "corpus"), 3, "missing.toml: cannot be read"),
        (("--config", "missing.toml", "--keys"), 3, "missing.toml: cannot be read"),
        ((), 2, "is no terminal; `corpusdb browse --lines PLACE` prints what a place shows"),
    ],
)
def test_what_cannot_be_done_is_told(
    arguments: tuple[str, ...], code: int, reason: str, run: Run, corpus: Path
) -> None:
    result = run("browse", *arguments)
    assert result.exit_code == code
    assert result.stdout == ""
    assert reason in result.stderr


def test_a_database_that_cannot_be_opened_is_told_and_no_screen_appears(run: Run, tmp_path: Path) -> None:
    missing = run("browse", "--lines", "corpus")
    assert (missing.exit_code, missing.stdout) == (4, "")
    assert "there is no such database" in missing.stderr
    (tmp_path / "corpus.db").write_text("x" * 200, encoding="utf-8")
    other = run("browse", "--lines", "corpus")
    assert (other.exit_code, other.stdout) == (4, "")


def test_a_database_of_a_later_version_is_told(run: Run, corpus: Path) -> None:
    with closing(sqlite3.connect(corpus)) as connection, connection:
        connection.execute("pragma user_version = 9999")
    result = run("browse", "--lines", "corpus")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "later version" in result.stderr or "newer" in result.stderr


def test_a_damaged_database_is_told(run: Run, corpus: Path) -> None:
    size = corpus.stat().st_size
    with corpus.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(size - 100))
    result = run("browse", "--lines", "corpus")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "Traceback" not in result.stderr


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "browser.toml"
    monkeypatch.setenv("CORPUSDB_CONFIG", str(file))
    return file


def test_settings_are_shown_with_their_origin(run: Run, settings: Path) -> None:
    settings.write_text('borders = "ascii"\n[keys]\nscreen.copy = "f7"\n', encoding="utf-8")
    rows = [line.split("\t") for line in run("browse", "--keys").stdout.splitlines()]
    assert rows[0] == ["setting", "value", "origin"]
    assert ["borders", "ascii", str(settings)] in rows
    assert ["theme", "auto", "default"] in rows
    assert ["keys.screen.copy", "f7", str(settings)] in rows
    assert ["keys.list.down", "j,down", "default"] in rows
    document = json.loads(run("browse", "--keys", "--json").stdout)
    assert {"name": "borders", "value": "ascii", "origin": str(settings)} in document


def test_settings_are_checked(run: Run, settings: Path) -> None:
    settings.write_text('theme = "light"\n', encoding="utf-8")
    assert run("browse", "--check-config").stdout == f"{settings}: ok\n"
    assert json.loads(run("browse", "--check-config", "--json").stdout) == {"ok": True, "file": str(settings)}
    settings.write_text('[keys]\nscreen.copy = "q"\n', encoding="utf-8")
    result = run("browse", "--check-config")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{settings}:2: 'q' cannot do both screen.copy and screen.back" in result.stderr


def test_without_a_file_the_settings_are_right(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORPUSDB_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    result = run("browse", "--check-config")
    assert (result.exit_code, result.stdout) == (0, "ok\n")


@pytest.mark.browser
def test_changed_keys_are_in_the_help(run: Run, corpus: Path, settings: Path) -> None:
    settings.write_text('[keys]\nlist.down = "ctrl+n"\n', encoding="utf-8")
    keys = run("browse", "--lines", "corpus", "--press", "?").stdout
    assert "ctrl+n            Go to the next row" in keys
