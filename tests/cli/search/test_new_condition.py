"""A search condition that only this test knows: one field makes the option, the search and the query that is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pytest
import typer
from typer.testing import CliRunner, Result

from corpusdb.base.options import FormLine, Option
from corpusdb.commands.command import KEPT_COMMANDS
from corpusdb.commands.invocation import Invocation
from corpusdb.search.commands import search
from corpusdb.search.queries.conditions import Candidates, Condition
from corpusdb.search.queries.request import SearchRequest, condition
from corpusdb.search.result_commands import queries, run

Run: TypeAlias = Callable[..., Result]

LINES = ["a cat\tun chat\n", "cats\tdes chats\n", "the cat\tle chat\n", "the cats\tles chats\n", "a dog!\tun chien\n"]


@dataclass(frozen=True, slots=True)
class EvenLength(Condition):
    """The sentence has an even number of characters."""

    def narrow(self, candidates: Candidates) -> Candidates:
        return candidates.where(lambda text: len(text) % 2 == 0)


@dataclass(frozen=True, slots=True)
class Request(SearchRequest):
    """A search request with one condition more."""

    even: bool = condition(
        False,
        Option("Of an even number of characters.", ("--even",)),
        FormLine("Even length", "yes or nothing", "even"),
        lambda request: [EvenLength()],
    )


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Run:
    """The program itself, in a folder with a database."""
    (tmp_path / "cats.tsv").write_text("".join(LINES), encoding="utf-8")
    assert run("import", "cats.tsv", "--lang", "eng,fra").exit_code == 0
    return run


@pytest.fixture
def extended(corpus: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A program whose ``search`` has the condition."""
    command = replace(search, options=Request)
    monkeypatch.setitem(KEPT_COMMANDS, "search", command)
    program = typer.Typer(rich_markup_mode=None)
    program.callback()(_begin)
    for each in (command, queries, run):
        each.add_to(program)

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(program, arguments, catch_exceptions=False)

    return call


def _begin(context: typer.Context) -> None:
    context.obj = Invocation()


def found(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [hit["text"] for hit in json.loads(result.stdout)["hits"]]


def test_it_is_an_option_with_its_help(extended: Run) -> None:
    text = extended("search", "--help").stdout
    assert "--even" in text
    assert "Of an even number of characters." in text


def test_it_narrows_the_search(extended: Run) -> None:
    question = ("search", "cat", "--lang", "eng", "--json")
    assert found(extended(*question)) == ["a cat", "cats", "the cat", "the cats"]
    assert found(extended(*question, "--even")) == ["cats", "the cats"]
    assert found(extended(*question, "--even", "--length", "2-")) == ["the cats"]
    assert found(extended(*question, "--even", "--aligned", "fra:des")) == ["cats"]


def test_it_is_kept_with_the_query(extended: Run) -> None:
    question = ("search", "cat", "--even", "--lang", "eng")
    first = extended(*question, "--save", "even")
    assert extended("run", "even").stdout == first.stdout
    assert "the cats" in first.stdout
    (row,) = extended("queries").stdout.splitlines()[1:]
    assert row.endswith("corpusdb search --lang eng --even cat")


def test_a_query_that_was_kept_before_it_is_still_run(corpus: Run, extended: Run) -> None:
    first = corpus("search", "cat", "--lang", "eng", "--save", "cats")
    assert extended("run", "cats").stdout == first.stdout
