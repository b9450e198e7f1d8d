"""The guides: every topic can be read in a terminal of 80 columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpusdb.guides import guide_text, guide_topics

ROOT = Path(__file__).resolve().parents[1]


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
