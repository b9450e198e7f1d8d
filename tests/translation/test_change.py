"""The target side of analogies: solved by hand, and properties of every solution."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.translation.analogies import Sentence, solutions

WORDS = st.lists(st.sampled_from(["one", "two", "three"]), min_size=1, max_size=3)


def solved(a: str, b: str, c: str) -> list[str]:
    return solutions(Sentence(a), Sentence(b), Sentence(c), {"he": "he"})


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        ("I sing.", "I dance.", "She will sing.", ["She will dance."]),
        ("I speak.", "I also speak.", "I sing.", ["I also sing."]),
        ("He is in.", "He isn't in.", "He is ill.", ["He isn't ill."]),
        ("He came.", "Yesterday he came.", "He left.", ["Yesterday he left."]),
        ("Tom left.", "He left.", "Does Tom know?", ["Does he know?"]),
        ("I go.", "You go.", "We stay.", []),
        ("The cat and the dog.", "The cat and the cow.", "A dog or a dog.", ["A dog or a cow."]),
        ("Dog!", "Cow!", "A dog or a dog or so.", []),
        ("私は行く。", "彼は行く。", "私は来る。", ["彼は来る。"]),
        ("same", "same", "other", ["other"]),
    ],
)
def test_solutions(a: str, b: str, c: str, expected: list[str]) -> None:
    assert solved(a, b, c) == expected


@given(
    WORDS, WORDS, st.lists(st.sampled_from(["x", "y"]), max_size=2), st.lists(st.sampled_from(["u", "v"]), max_size=2)
)
def test_two_contexts_and_two_fillers_are_solved(
    before: list[str], behind: list[str], x: list[str], y: list[str]
) -> None:
    other = ["four", *behind]
    a, b, c, d = (" ".join(each) for each in (before + x, before + y, other + x, other + y))
    assert d in solved(a, b, c)


@given(WORDS, WORDS, WORDS)
def test_what_is_solved_one_way_is_solved_the_other(a: list[str], b: list[str], c: list[str]) -> None:
    found = solved(" ".join(a), " ".join(b), " ".join(c))
    assert sorted(found) == sorted(solved(" ".join(a), " ".join(c), " ".join(b)))
    assert len(found) <= 2 and len(set(found)) == len(found)
