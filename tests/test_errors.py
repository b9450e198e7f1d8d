from __future__ import annotations

import pytest

from corpusdb.base.errors import CorpusError, InputError, QueryError, UsageError, one_line


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("short", "short"),
        ("two\nlines\r\nor\u2028more", "two lines or more"),
        ("a" * 400, "a" * 400),
        ("a" * 200 + "b" * 186_000 + "c" * 200, "a" * 198 + " ... " + "c" * 197),
    ],
)
def test_a_message_is_one_line_of_bounded_length(message: str, line: str) -> None:
    assert one_line(message) == line
    assert str(CorpusError(message)) == str(UsageError(message)) == str(InputError(message)) == line


def test_place_and_reason_are_bounded_each_for_itself() -> None:
    error = InputError("r" * 1000, path="p" * 1000 + "/end", line=7)
    assert len(str(error)) < 620
    assert "/end:7: r" in str(error)
    assert error.path == "p" * 1000 + "/end"
    assert str(InputError(error.reason)) == error.reason


@pytest.mark.parametrize("position", [0, 59, 60, 61, 500, 9_940, 10_000])
def test_the_caret_stands_below_the_fault_of_a_long_query(position: int) -> None:
    query = "a" * position + "!" + "b" * (10_000 - position) if position < 10_000 else "a" * 10_000
    shown, caret = QueryError("no", query=query, position=position).pointer().split("\n")
    assert len(shown) <= 131
    assert caret.strip() == "^"
    assert shown[len(caret) - 1 : len(caret)] == ("!" if position < 10_000 else "")
