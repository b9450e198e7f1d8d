"""--timeout: patterns that take too long are stopped, with one line that says which, and what to do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from corpusdb.base.jobs import SECONDS_FOR_PATTERNS, Limit
from corpusdb.commands.invocation import Invocation


@pytest.fixture
def corpus(run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus with a word in which patterns never end, and a clock that goes on whenever somebody looks at it."""
    (tmp_path / "rows.tsv").write_text(f"{'a' * 60}\tx\nA cat.\tUn chat.\n", encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra").exit_code == 0
    ticks = itertools.count()
    monkeypatch.setattr(
        Invocation,
        "limit",
        lambda invocation: Limit(invocation.timeout, clock=lambda: next(ticks) / 10, seconds_a_text=1e9),
    )


@pytest.mark.parametrize(
    "call",
    [
        ("search", "-e", "(a|a)*[.]$"),
        ("search", "-e", "(a|a)*[.]$", "--kwic"),
        ("search", "--cqp", '"(a|a)*[.]"'),
        ("search", "x", "-e", "--aligned", "eng:(a|a)*[.]$", "--lang", "fra"),
        ("frequencies", "--pattern", "(a|a)*[.]$", "--lang", "eng"),
        ("collocates", "(a|a)*[.]", "-e", "--lang", "eng"),
    ],
    ids=" ".join,
)
def test_a_pattern_that_never_ends_is_stopped(run: Callable[..., Result], corpus: None, call: tuple[str, ...]) -> None:
    result = run(*call, "--timeout", 2)
    assert result.exit_code == 2
    assert "was stopped after 2 seconds; `--timeout 0`" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_time_is_not_kept_with_the_query(run: Callable[..., Result], corpus: None) -> None:
    assert run("search", "-e", "c[a]t", "--timeout", 3, "--save", "cats").exit_code == 0
    assert "--timeout" not in run("queries", "--json").stdout
    again = run("run", "cats", "--timeout", 0)
    assert again.exit_code == 0 and "A cat." in again.stdout


def test_there_is_a_limit_where_nothing_is_said() -> None:
    assert Invocation().timeout == SECONDS_FOR_PATTERNS < 10
    assert Limit(0).seconds is None
