"""`guide`: the list of topics, a topic, and one that there is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from typer.testing import Result

from corpusdb.guides import guide_text, guide_topics

Run: TypeAlias = Callable[..., Result]


def test_the_topics(run: Run) -> None:
    assert "sharing\tOne database" in run("guide").stdout
    assert json.loads(run("guide", "--json").stdout) == guide_topics()


def test_a_topic(run: Run) -> None:
    assert run("guide", "sharing").stdout == guide_text("sharing")
    assert json.loads(run("guide", "sharing", "--json").stdout)["text"] == guide_text("sharing")


def test_another_topic(run: Run) -> None:
    result = run("guide", "nothing")
    assert (result.exit_code, result.stdout) == (2, "")
    topics = "agreement, contributing, equivalents, guided, homogeneity, limits, rules, sharing, validity"
    assert f"there is no guide to 'nothing'; there are {topics}" in result.stderr
