"""Words as they sound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.bitext import folded, sounding


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Фокер", "Fokker"),
        ("philosophie", "filosofie"),
        ("Москва", "Moskva"),
        ("Виктор", "Victor"),
        ("Élysée", "elysee"),
        ("Thatcher", "Tatcher"),
        ("Джо", "dzho"),
    ],
)
def test_what_sounds_alike_is_written_alike(one: str, other: str) -> None:
    assert sounding(folded(one)) == sounding(folded(other)) != ""


@pytest.mark.parametrize(("one", "other"), [("100", "10"), ("...", "."), ("か", "が"), ("cat", "cut"), ("1991", "191")])
def test_what_differs_stays_apart(one: str, other: str) -> None:
    assert sounding(folded(one)) != sounding(folded(other))


@given(st.text("0123456789.,-%", max_size=12))
def test_numbers_and_marks_are_left_as_they_are(word: str) -> None:
    assert sounding(word) == word
