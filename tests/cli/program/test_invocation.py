from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from corpusdb.base.errors import UsageError
from corpusdb.commands import invocation as module
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import Format


@pytest.mark.parametrize(
    ("json", "format", "terminal", "expected"),
    [
        (False, None, True, "table"),
        (False, None, False, "tsv"),
        (False, "csv", True, "csv"),
        (True, None, True, "json"),
        (False, "json", True, "json"),
        (True, "json", False, "json"),
    ],
)
def test_the_format_of_rows(
    json: bool, format: Format | None, terminal: bool, expected: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: terminal)
    invocation = Invocation().with_options(db=None, quiet=False, json=json, format=format)
    assert (invocation.format, invocation.json) == (expected, expected == "json")


def test_two_formats_contradict_each_other() -> None:
    with pytest.raises(UsageError, match="--json and --format csv"):
        Invocation().with_options(db=None, quiet=False, json=True, format="csv")


def test_what_is_said_behind_the_command_comes_before_what_was_said_in_front() -> None:
    invocation = Invocation(chosen=Path("a.db"), quiet=True)
    assert invocation.with_options(db=None, quiet=False).path == Path("a.db")
    assert invocation.with_options(db=Path("b.db"), quiet=False).path == Path("b.db")
    assert invocation.with_options(db=None, quiet=False).quiet


@pytest.mark.parametrize("stdin", [True, False])
@pytest.mark.parametrize("stdout", [True, False])
@pytest.mark.parametrize(("quiet", "json"), [(False, False), (True, False), (False, True)])
def test_a_person_sits_where_both_ends_are_a_terminal(
    stdin: bool, stdout: bool, quiet: bool, json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "is_terminal", lambda: stdout)
    monkeypatch.setattr("sys.stdin", Mock(isatty=lambda: stdin))
    invocation = Invocation().with_options(db=None, quiet=quiet, json=json)
    assert invocation.attended == (stdin and stdout and not quiet and not json)
