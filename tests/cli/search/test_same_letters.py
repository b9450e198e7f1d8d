"""Commands that count the same thing agree on what it is: on letters and case, characters, spaces and apostrophes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

GERMAN = ["Ich weiß es.", "Weiss er es?", "Die Masse wächst.", "Die Maße stimmen.", "STRAẞE", "Die Straße.", "Strasse"]


@pytest.fixture
def german(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "rows.tsv").write_text("".join(f"{each}\tx{each}\n" for each in GERMAN), encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "deu,eng", "--header", "no").exit_code == 0
    return run


@pytest.mark.parametrize(
    ("word", "count"),
    [("weiß", 1), ("weiss", 1), ("masse", 1), ("maße", 1), ("straße", 2), ("strasse", 1), ("daß", 0)],
)
def test_no_two_letters_are_one_for_whom_case_does_not_count(german: Run, word: str, count: int) -> None:
    """ß is no ss: not in a string or a word, in a regular expression, a query, a frequency list or a collocate."""
    ways = [(word, "-i"), (word, "-i", "-w"), (word, "-i", "-e"), (f'"{word}"%c', "--cqp")]
    found = [json.loads(german("search", *way, "--lang", "deu", "--json").stdout)["total"] for way in ways]
    listed = json.loads(german("frequencies", "-i", "--lang", "deu", "--pattern", f"^{word}$", "--json").stdout)["rows"]
    nodes = json.loads(german("collocates", "-i", word, "--lang", "deu", "--json").stdout)["nodes"]
    assert [*found, sum(row["count"] for row in listed), nodes] == [count] * 6
