"""Texts in lines of so many cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.cells import cell_width, wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("overlong", 3, ["ove", "rlo", "ng"]),
        ("a overlong", 4, ["a", "over", "long"]),
        ("日本語です", 5, ["日本", "語で", "す"]),
        ("a  b", 10, ["a  b"]),
    ],
)
def test_wrapped(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


@given(st.text(st.sampled_from("ab 日本é")), st.integers(2, 12))
def test_nothing_is_lost_or_too_wide(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert lines and all(cell_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_very_long_word() -> None:
    lines = wrapped("日" * 10_000, 80)
    assert (len(lines), len(lines[0])) == (250, 40)
