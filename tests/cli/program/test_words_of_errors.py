"""What is wrong with the value of an option is said in our words, and not in those of the library that checks it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from typer import BadParameter
from typer.models import ArgumentInfo
from typer.testing import CliRunner

from corpusdb.commands.command import Command, CommandGroup
from corpusdb.commands.failures import exit_code_of
from corpusdb.commands.options import hints_of, info_of, names_of
from corpusdb.program.app import app
from corpusdb.program.catalogue import load_all

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
        for field, hint in ((each, hints_of(options)[each.name]) for each in fields(options)):
            info = info_of(hint)
            if not isinstance(info, ArgumentInfo) and re.search("int|float|Literal", str(hint)):
                yield names_of(field.name, info)[0]


CHECKED = [(" ".join(words), name) for words, command in commands() for name in options_of(command)]


def test_there_are_many() -> None:
    assert len(CHECKED) > 100


@pytest.mark.parametrize(("command", "option"), CHECKED)
def test_no_option_is_refused_in_foreign_words(
    command: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in VALUES:
        result = CliRunner().invoke(app, [*command.split(), f"{option}={value}"])
        # 4: the value is right for it, and there is no database here.
        assert result.exit_code in (2, 3) or (result.exit_code == 4 and "no such database" in result.stderr)
        assert not FOREIGN.search(result.stderr), result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--samples x", "Invalid value for '--samples': 'x' is no whole number (see `corpusdb score --help`)"),
        ("--samples 1.5", "'1.5' is no whole number"),
        ("--samples 0", "Invalid value for '--samples': '0' is less than 1 (see"),
        ("--samples 9999999", "'9999999' is more than 1,000,000 (see"),
        (f"--samples {'9' * 4400}", f"'{'9' * 40}...' is too large (see"),
        ("--samples nan", "'nan' is no number (see"),
        ("--by x", "Invalid value for '--by': 'x' is not one of 'coefficient', 'length', 'references', 'novelty' (see"),
    ],
)
def test_our_words(words: str, message: str) -> None:
    result = CliRunner().invoke(app, ["score", *words.split()])
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
