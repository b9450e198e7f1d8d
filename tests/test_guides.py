"""The guides: every topic can be read in a terminal of 80 columns."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpusdb.corpus.formats import FORMATS
from corpusdb.corpus.formats.columns import COLUMNS, DOCUMENT, ID
from corpusdb.guides import guide_text, guide_topics
from corpusdb.people.judging_sheets import COLUMNS as SHEET_COLUMNS
from corpusdb.program.app import app

ROOT = Path(__file__).resolve().parents[1]
CALLS = re.findall(r"(?m)^ {6}(corpusdb .*)$", guide_text("sacrebleu"))
SAME_CALLS = re.findall(r"(?m)^ {6}(corpusdb .*)$", guide_text("sacrebleu").partition("Our own way")[0])
"""Those that are the same there."""


def test_a_title_for_each_topic() -> None:
    assert guide_topics()["sharing"] == "One database, several people and several programs"
    assert all(guide_topics().values())


@pytest.mark.parametrize("topic", guide_topics())
def test_the_lines_fit(topic: str) -> None:
    assert all(len(line) <= 80 and line == line.rstrip() for line in guide_text(topic).split("\n"))


@pytest.mark.parametrize("topic", ["", "nothing", "../sharing", "sharing.txt", "__init__"])
def test_another_topic(topic: str) -> None:
    with pytest.raises(KeyError):
        guide_text(topic)


def test_contributors_are_sent_to_files_that_there_are() -> None:
    named = re.findall(r"(?:corpusdb|tui|schema|tests)/[\w./]*\w", guide_text("contributing"))
    assert len(named) > 10
    assert [each for each in named if not (ROOT / each).exists()] == []


def test_contributors_are_told_of_every_room() -> None:
    text = guide_text("contributing")
    rooms = {path.name for path in (ROOT / "corpusdb").iterdir() if (path / "__init__.py").exists()}
    assert {
        room for room in rooms - {"guides", "phrasebook", "stoppable"} if not re.search(rf"\b{room}\b", text)
    } == set()


@pytest.mark.parametrize("topic", guide_topics())
def test_a_guide_that_another_names_is_there(topic: str) -> None:
    named = re.findall(r"corpusdb\s+guide\s+([a-z]+)", guide_text(topic))
    assert [each for each in named if each not in guide_topics()] == []


def test_the_guides_lead_to_each_other() -> None:
    named = {each for topic in guide_topics() for each in re.findall(r"corpusdb\s+guide\s+([a-z]+)", guide_text(topic))}
    assert {"files", "sizes", "query", "keys", "places", "limits", "validity", "scores", "annotations"} <= named


def test_every_format_has_its_columns_told() -> None:
    text = guide_text("files")
    section = text[text.index("Columns and keys of each format") : text.index("Where to get sentence pairs")]
    heads = {head for line in re.findall(r"(?m)^  ([a-z, ]+?) {2,}", section) for head in line.split(", ")}
    assert set(FORMATS) <= heads
    for names in (
        ID,
        DOCUMENT,
        *SHEET_COLUMNS,
        *(name for groups in COLUMNS.values() for each in groups for name in each),
    ):
        assert re.search(rf"\b{names}\b", section), names


def test_the_calls_of_sacrebleu_are_the_ones_that_are_shown() -> None:
    assert len(SAME_CALLS) == 6
    assert len(CALLS) > len(SAME_CALLS) + 4


@pytest.fixture
def test_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {
        "ref.en": ("The dog bit the man.", "It was not unexpected.", "The man bit him first."),
        "ref2.en": ("The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."),
        "sys.en": ("The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."),
        "other.en": ("the dog has bit a man.", "It was unexpected.", "A man bit him, then."),
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("test_set")
@pytest.mark.parametrize("call", CALLS)
def test_the_calls_for_those_who_come_from_sacrebleu_run(call: str) -> None:
    pytest.importorskip("sacrebleu")
    result = CliRunner().invoke(app, shlex.split(call)[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout


@pytest.mark.parametrize("call", SAME_CALLS)
def test_they_have_the_numbers_of_sacrebleu(call: str, test_set: Path) -> None:
    """All numbers to eight places; of several systems those of each by itself."""
    pytest.importorskip("sacrebleu")
    words = [word for word in shlex.split(call)[2:] if word not in ("-b", "-v")]
    words = words[: words.index("-w")] if "-w" in words else words
    systems = [word for word in words if word in ("sys.en", "other.en")]
    for system in systems:
        alone = [word for word in words if word not in systems or word == system]
        command = [sys.executable, "-m", "sacrebleu", *alone, "-b", "-w", "8"]
        expected = subprocess.run(command, cwd=test_set, capture_output=True, text=True, check=True).stdout
        numbers = [float(number) for number in re.findall(r"\d+\.\d+", expected)]
        rows = json.loads(CliRunner().invoke(app, ["score", *alone, "--json"]).stdout)
        ours = [score for row in rows for score in row.get("segments", [row["score"]])]
        assert ours == pytest.approx(numbers, abs=1e-8)
        assert numbers
