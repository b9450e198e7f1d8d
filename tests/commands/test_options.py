"""Options as the command line takes them: conversion, bounds, and what is said of values that are wrong."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from calls import Run
from corpora import CHARACTERS
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from typer import BadParameter
from typer.core import TyperOption
from typer.main import get_group
from typer.testing import CliRunner

from corpusdb.base.errors import UsageError, one_line
from corpusdb.base.options import Argument, Option, described, options_from_json, options_to_json
from corpusdb.base.text import nfc
from corpusdb.commands.command import Command, CommandGroup, command
from corpusdb.commands.group import exit_code_of
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.options import convert_plainly, hints_of, names_of, reads_stdin, shell_line, with_options
from corpusdb.program.catalogue import app as catalogue_app
from corpusdb.program.catalogue import load_all


@dataclass(frozen=True, slots=True)
class Options:
    """One option of every kind that the commands have."""

    text: Annotated[str, Argument("A text.", metavar="TEXT")]
    more: Annotated[list[str], Argument("More of them.", metavar="MORE")]
    lang: Annotated[str | None, Option("With the name of its field.")] = None
    limit: Annotated[int, Option("With a letter, too.", "--limit -n")] = 20
    share: Annotated[float, Option("A fraction.")] = 0.5
    marks: Annotated[bool, Option("With an opposite.", "--marks/--no-marks")] = True
    full_text: Annotated[bool, Option("With a name of its own.", "--full")] = False
    sort: Annotated[Literal["left", "right"] | None, Option("One of two.")] = None
    seed: Annotated[list[str], Option("Several.")] = field(default_factory=list)
    seeds: Annotated[Path | None, Option("A file.")] = None
    skip_missing: Annotated[bool, Option("A flag without a name of its own.")] = False


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


_TYPED = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
WORDS = st.text(_TYPED, min_size=1).map(nfc)  # as what is typed
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


HUGE = "99999999999999999999999"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("judge", "record", "s1", HUGE, "y"), "ITEM must be 1 to 2,147,483,647"),
        (("judge", "record", "s1", "0", "y"), "'ITEM': '0' is less than 1"),
        (("judge", "record", "s1", "9" * 5000, "y"), "is too large"),
        (("verify", HUGE), "SCORE must be 1 to 2,147,483,647"),
        (("trace", "h.txt", "--ref", "h.txt", "--segment", HUGE), "--segment must be 1 to 2,147,483,647"),
        (("generate", "--lang", "eng", "-N", HUGE), "--fluency must be 0 to 2,147,483,647"),
        (("search", "beer", "--kwic", "--sort", "random", "--seed", "-1"), "'--seed': '-1' is less than 0"),
        (("search", "beer", "-n", HUGE), "--limit must be 0 to 2,147,483,647"),
        (
            ("score", "h.txt", "--ref", "h.txt", "--order", "999999999999"),
            "'--order': '999999999999' is more than 1,000",
        ),
        (("sql", "select 1", "--timeout", "nan"), "'--timeout': 'nan' is not a number"),
        (("sql", "select 1", "--timeout", "1e400"), "'--timeout': '1e400' is more than 86,400 "),
        (("keywords", "paper", "--p", "nan"), "'--p': 'nan' is not a number"),
        (("search", "nul\0"), "holds a NUL character"),
        (("search", "half\udce9"), "is not UTF-8"),
        (("solve", "a", "b", "c\ud800"), "is not UTF-8"),
    ],
)
def test_what_is_out_of_range_is_a_usage_error_in_one_line(arguments: tuple[str, ...], told: str, run: Run) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 900


def test_a_kept_query_is_held_to_the_same_ranges(run: Run, corpus: Path) -> None:
    assert run("search", "beer", "--save", "mine").exit_code == 0
    with closing(sqlite3.connect(corpus)) as connection:
        connection.execute("update saved_query set options = json_set(options, '$.limit', -5)")
        connection.commit()
    result = run("run", "mine")
    assert result.exit_code == 2
    assert "--limit must be 0 to" in result.stderr


@pytest.mark.parametrize("command", [("info",), ("import", "a.tsv", "--lang", "eng,fra")])
def test_a_database_is_a_regular_file(command: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("one\tun\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    for place in ("pipe", "/dev/null"):
        result = run("--quiet", "--db", place, *command)
        assert result.exit_code == 4
        assert result.stderr == f"corpusdb: error: {place}: is neither a regular file nor a database\n"


def test_a_statement_and_a_line_on_standard_input_have_an_end(run: Run, corpus: Path) -> None:
    assert run("sql", "-", stdin=b"select 1 --" + b"x" * (1 << 20)).stderr.startswith(
        "corpusdb: error: -: the statement"
    )
    result = run("solve", "-", stdin=b"a\tab\tc\n" + b"x" * (2 << 20))
    assert (result.exit_code, result.stdout) == (3, "cb\n")
    assert result.stderr == "corpusdb: error: -:2: the line is longer than 1,048,576 bytes\n"


# Words are converted as typer converts them, and plain ones without loading what it needs for that.


@dataclass(frozen=True, slots=True)
class Words:
    """What is no number."""

    text: Annotated[str, Option("Text.")] = ""
    way: Annotated[Literal["one", "two"], Option("One of two.")] = "one"
    words: Annotated[tuple[str, ...], Option("Several.")] = ()
    file: Annotated[Path | None, Option("A file.")] = None
    flag: Annotated[bool, Option("A flag.")] = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers with bounds and without."""

    count: Annotated[int, Option("A count.", least=0, most=99)] = 1
    share: Annotated[float, Option("A share.", least=0, most=1)] = 0.5
    number: Annotated[int | None, Option("Any number.")] = None
    numbers: Annotated[list[int], Option("Several.", least=0)] = field(default_factory=list)


app = typer.Typer()
app.command("words")(with_options(lambda context, **values: None, Words))
app.command("numbers")(with_options(lambda context, **values: None, Numbers))

_KINDS = (Words, Numbers)
_COMMANDS = get_group(app).commands
_OPTIONS = {
    option.name: option
    for each in _COMMANDS.values()
    for option in each.params
    if isinstance(option, TyperOption) and any(option.name in described(kind, Option) for kind in _KINDS)
}
_BY_TYPER = {name: option.process_value for name, option in _OPTIONS.items()}
convert_plainly(_OPTIONS.values(), _KINDS)
_WORDS = st.one_of(
    st.text(CHARACTERS, max_size=6),
    st.from_regex(r"\A[-+]?[0-9]{0,17}(\.[0-9]*)?\Z"),
    st.sampled_from(["one", "TWO", "1e3", "nan", "inf", "true", "0x1", "1_0", " 1", "١", "", ".", "/", __file__, "\0"]),
    st.integers(-5, 200),
    st.floats(-1, 2),
    st.booleans(),
    st.just(Path("y")),
)


def _converted(by: Callable[..., Any], value: object) -> tuple[type, object]:
    """The value, or the words of the error."""
    try:
        made = by(typer.Context(_COMMANDS["words"]), value)
    except Exception as error:
        return type(error), one_line(str(error), 200)
    return type(made), made


@pytest.mark.parametrize("name", sorted(_OPTIONS))
@given(word=_WORDS, others=st.lists(_WORDS, max_size=2))
@example(word="7", others=["007"])
@example(word="0.25", others=[])
def test_values_and_errors_are_those_of_typer(name: str, word: object, others: list[object]) -> None:
    option = _OPTIONS[name]
    value = [word, *others] if option.multiple else word
    assert _converted(option.process_value, value) == _converted(_BY_TYPER[name], value)


@pytest.mark.parametrize("name", sorted(_OPTIONS))
def test_what_is_not_said_is_that_of_typer(name: str) -> None:
    assert _converted(_OPTIONS[name].process_value, None) == _converted(_BY_TYPER[name], None)


# What is wrong with the value of an option is said in our words, and not in those of the library that checks it.


FOREIGN = re.compile(r"Input should|[Vv]alue error|[Uu]nable to|valid (integer|number|boolean|string)|pydantic", re.A)
VALUES = ("x", "", "-1", "1.5", "nan", "inf", "1" + "0" * 30, "9" * 4400, "nothing")


def commands() -> Iterator[tuple[list[str], Command[Any]]]:
    for entry in load_all():
        if isinstance(entry, CommandGroup):
            yield from (([entry.name, each.name], each) for each in entry.commands)
        else:
            yield [entry.name], entry


def options_of(command: Command[Any]) -> Iterator[str]:
    """The name of each option that is checked: those of any type but text and files."""
    for options in (command.options, command.common):
        hints = hints_of(options)
        for name, option in described(options, Option).items():
            if not isinstance(option, Argument) and re.search("int|float|Literal", str(hints[name])):
                yield names_of(name, option)[0]


CHECKED = {" ".join(words): names for words, command in commands() if (names := [*options_of(command)])}


def test_there_are_many() -> None:
    assert sum(map(len, CHECKED.values())) > 100


@pytest.mark.slow
@pytest.mark.parametrize("command", CHECKED)
def test_no_option_is_refused_in_foreign_words(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for option, value in product(CHECKED[command], VALUES):
        result = CliRunner().invoke(catalogue_app, [*command.split(), f"{option}={value}"])
        # 4: the value is right for it, and there is no database here.
        is_refused = result.exit_code in (2, 3) or (result.exit_code == 4 and "no such database" in result.stderr)
        assert is_refused, (option, value, result.stderr)
        assert not FOREIGN.search(result.stderr), result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--samples x", "Invalid value for '--samples': 'x' is not a whole number (see `corpusdb score --help`)"),
        ("--samples 1.5", "'1.5' is not a whole number"),
        ("--samples 0", "Invalid value for '--samples': '0' is less than 1 (see"),
        ("--samples 9999999", "'9999999' is more than 1,000,000 (see"),
        (f"--samples {'9' * 4400}", f"'{'9' * 40}...' is too large (see"),
        ("--samples nan", "'nan' is not a number (see"),
        (
            "--by x",
            "Invalid value for '--by': 'x' is not one of 'coefficient', 'length', 'references', 'novelty', 'document',"
            " 'domain' (see",
        ),
    ],
)
def test_our_words(words: str, message: str) -> None:
    result = CliRunner().invoke(catalogue_app, ["score", *words.split()])
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("kind", "value"), [(bool, "maybe"), (bytes, 1), (list[int], ["x"]), (set[int], 1)])
def test_what_no_option_is_today_has_no_foreign_words_either(
    kind: Any, value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(kind).validate_python(value)
    error = BadParameter(str(refused.value))
    error.__cause__ = refused.value
    assert exit_code_of(error) == 2
    told = capsys.readouterr().err
    assert "corpusdb: error: " in told
    assert not FOREIGN.search(told)
