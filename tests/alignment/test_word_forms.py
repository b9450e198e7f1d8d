"""Forms of one word told from other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.equivalence import closed_words
from corpusdb.alignment.word_forms import are_alike, are_forms_of_one

CLOSED = closed_words("eng", "closed")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("run", "runs"),
        ("year", "years"),
        ("try", "tried"),
        ("play tennis", "playing tennis"),
        ("likely", "unlikely"),
        ("said", "says"),
        ("person", "people"),
        ("in donbass", "in the donbass"),
        ("tom is", "is tom"),
        ("said the", "said to the"),
        ("手伝っ", "手伝う"),
    ],
)
def test_what_differs_by_endings_is_one_word(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        assert are_forms_of_one("eng", tuple(one.split()), tuple(other.split()), CLOSED)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("got", "received"),
        ("mother", "brother"),
        ("the street", "the road"),
        ("president of russia", "russian president"),
        ("very fast", "quickly"),
        ("看", "看见"),
        ("学校", "学生"),
        ("これ", "これら"),
    ],
)
def test_other_words_are_others(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        assert not are_forms_of_one("eng", tuple(one.split()), tuple(other.split()), CLOSED)


def test_irregular_forms_are_those_of_a_language() -> None:
    assert not are_forms_of_one("deu", ("said",), ("says",), frozenset())


@given(st.text("abcy", min_size=1, max_size=9), st.text("abcy", min_size=1, max_size=9))
def test_order_does_not_matter(one: str, other: str) -> None:
    assert are_alike(one, other) == are_alike(other, one)
