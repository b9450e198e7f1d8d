from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from corpusdb.base.errors import UsageError
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.commands.command import Command, command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.options import reads_stdin, shell_line


@dataclass(frozen=True, slots=True)
class Options:
    """One option of every kind that the commands have."""

    text: Annotated[str, typer.Argument(metavar="TEXT")]
    more: Annotated[list[str], typer.Argument(metavar="MORE")]
    lang: Annotated[str | None, typer.Option("--lang")] = None
    limit: Annotated[int, typer.Option("--limit", "-n")] = 20
    share: Annotated[float, typer.Option()] = 0.5
    marks: Annotated[bool, typer.Option("--marks/--no-marks")] = True
    full_text: Annotated[bool, typer.Option("--full")] = False
    sort: Annotated[Literal["left", "right"] | None, typer.Option()] = None
    seed: Annotated[list[str], typer.Option()] = field(default_factory=list)
    seeds: Annotated[Path | None, typer.Option()] = None
    skip_missing: Annotated[bool, typer.Option(help="A flag without a name of its own.")] = False


PLAIN = Options("a", ["b"])
FULL = Options(
    "it's", ["--x", "水 \"'"], "eng", 0, 1.0, False, True, "left", ["a b", "-c"], Path("d/e f"), skip_missing=True
)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (PLAIN, "corpusdb ask a b"),
        (Options("it's", ["a b", "$x"], "eng"), "corpusdb ask --lang eng \"it's\" 'a b' '$x'"),
        (Options("-a", ["b"], marks=False), "corpusdb ask --no-marks -- -a b"),
        (Options("a", ["b"], seed=["c", "-d"]), "corpusdb ask --seed c --seed=-d a b"),
    ],
)
def test_the_line_that_one_would_type(options: Options, line: str) -> None:
    assert shell_line("ask", options) == line


def parsed(words: list[str]) -> Options:
    """The options that the program itself takes these words for."""
    taken: list[Options] = []

    @command("ask", reports=False)
    def ask(invocation: Invocation, options: Options) -> None:
        taken.append(options)

    app = typer.Typer()
    app.callback()(_begin)
    made: Command[Options] = ask
    made.add_to(app)
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return taken[0]


def _begin(context: typer.Context) -> None:
    context.obj = Invocation()


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
ANY = st.builds(
    Options,
    WORDS,
    st.lists(WORDS, min_size=1),
    st.none() | WORDS,
    st.integers(0, 99),
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, "left", "right"]),
    st.lists(WORDS),
    st.none() | st.sampled_from([Path("a b"), Path("-c"), Path("/d")]),
    st.booleans(),
)


@given(ANY)
def test_the_line_means_what_was_kept(options: Options) -> None:
    program, name, *words = shlex.split(shell_line("ask", options))
    assert (program, name) == ("corpusdb", "ask")
    assert parsed([name, *words]) == options


@given(ANY)
def test_options_are_read_back_from_json(options: Options) -> None:
    assert options_from_json(Options, options_to_json(options)) == options


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"limit": "3"}, "'limit' cannot be '3'"),
        ({"limit": True}, "'limit' cannot be True"),
        ({"limit": None}, "'limit' cannot be None"),
        ({"sort": "up"}, "'sort' cannot be 'up'"),
        ({"seed": "a"}, "'seed' cannot be 'a'"),
        ({"seed": [1]}, "'seed' cannot be 1"),
        ({"seeds": 1}, "'seeds' cannot be 1"),
    ],
)
def test_what_another_version_kept_is_refused(change: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        options_from_json(Options, options_to_json(PLAIN) | change)


@pytest.mark.parametrize(
    ("options", "expected"), [(PLAIN, False), (Options("-", []), True), (Options("a", [], seeds=Path("-")), True)]
)
def test_what_comes_from_stdin(options: Options, expected: bool) -> None:
    assert reads_stdin(options) == expected
