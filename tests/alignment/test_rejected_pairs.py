"""Which phrases a rejected pair is about: itself, and what differs by it alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.equivalence import is_rejected

PAIRS = {("home", "house"), ("a big house", "a home")}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("house", "home", True),
        ("the house", "the home", True),
        ("my house now", "my home now", True),
        ("the house", "a home", False),
        ("house", "the home", False),
        ("house", "home home", False),
        ("a home", "a big house", True),
        ("is a home", "is a big house", False),
        ("house house", "house home", True),
        ("car", "vehicle", False),
    ],
)
def test_pairs(one: str, other: str, expected: bool) -> None:
    assert is_rejected(tuple(one.split()), tuple(other.split()), PAIRS) is expected
    assert is_rejected(tuple(other.split()), tuple(one.split()), PAIRS) is expected


_WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
_AROUND = st.lists(st.sampled_from("xyz"), max_size=2).map(tuple)


@given(_WORDS, _WORDS, _AROUND, _AROUND)
def test_what_stands_around_both_changes_nothing(
    one: tuple[str, ...], other: tuple[str, ...], before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    """Where the two differ at both ends, so that nothing around them belongs to what they differ by."""
    pair = (min(" ".join(one), " ".join(other)), max(" ".join(one), " ".join(other)))
    around = before + one + after, before + other + after
    assert is_rejected(one, other, {pair})
    if one[0] != other[0] and one[-1] != other[-1]:
        assert is_rejected(*around, {pair})
    assert not is_rejected(*around, set())
    assert not is_rejected(*around, {("q", "r")})
