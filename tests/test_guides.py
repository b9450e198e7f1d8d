"""The guides: every topic can be read in a terminal of 80 columns."""

from __future__ import annotations

import pytest

from corpusdb.guides import guide_text, guide_topics


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
