"""Words that look like one that is not there, and the edits between two, beside those of the plain definition."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.search.lexical import edits_between, near_words

WORDS = ["the", "coffee", "fee", "movie", "move", "Straße", "école", "sleeps", "ten", "The", "because", "it"]
"""The most frequent first."""


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("cofee", ["coffee"]),
        ("moive", ["movie", "move"]),
        ("MOIVE", ["movie", "move"]),
        ("teh", ["the", "ten"]),
        ("ecole", ["école"]),
        ("Strase", ["Straße"]),
        ("becuase", ["because"]),
        ("qqqq", []),
        ("at", []),
        ("", []),
    ],
)
def test_the_nearest_come_first(word: str, near: list[str]) -> None:
    assert near_words(word, WORDS) == near


def test_of_the_like_the_more_frequent_come_first_and_no_more_than_asked() -> None:
    assert near_words("cat", ["cut", "bat", "dog", "hat"], 2) == ["cut", "bat"]
    assert near_words("cta", ["cut", "cat"]) == ["cat"]


@cache
def edits(one: str, other: str) -> int:
    """Each letter inserted, deleted, replaced or exchanged with the next, none of them twice."""
    if not one or not other:
        return len(one) + len(other)
    least = min(
        edits(one[1:], other) + 1,
        edits(one, other[1:]) + 1,
        edits(one[1:], other[1:]) + (one[0] != other[0]),
    )
    if one[:2] == other[:2][::-1] and len(one) > 1:
        least = min(least, edits(one[2:], other[2:]) + 1)
    return least


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.integers(0, 4))
def test_edits_are_those_of_the_definition(one: str, other: str, most: int) -> None:
    assert edits_between(one, other, most) == min(edits(one, other), most + 1)
