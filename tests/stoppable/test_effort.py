"""What is taken to be quick, against a matcher that counts the steps that it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpusdb.base import pattern_effort as effort
from corpusdb.base.pattern_effort import Effort

SENTENCE = 400
"""Tatoeba has none that is longer."""


@pytest.mark.parametrize(
    "pattern",
    [
        "cat",
        "^I .*[?]$",
        r"\b\w+ing\b",
        r"\b(\w+) \1\b",
        r"(\w+ )+",
        r"^(\w+ )*\w+[.]$",
        r"(\w+\s+){3}cat",
        r"(\w+\W+)+cat",
        r"\d+(\.\d+)?",
        r"(the|that|this)* x",
        r"(?:Mr|Mrs|Ms)[.]? \w+",
        r"[A-Z]\w*( [A-Z]\w*)+",
        '"[^"]*"',
        r"([^,]*,){2}",
        r"(?=.*a)(?=.*b)",
        "[ぁ-ん]+",
        r"(.)(.)\2\1",
    ],
)
def test_what_people_ask_for_is_quick_in_any_sentence(pattern: str) -> None:
    assert Effort(pattern).longest >= SENTENCE


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(\w+\s*)+$",
        "(a|a)*$",
        "(.*)*x",
        "(x+x+)+y",
        r"(\w+)+\1$",
        r"(\w+,?)+$",
        "(a|aa)*c",
        "(a?){50}b",
        r"(?i)(kk|K)*x",
        r"((a|b)*c?)*d",
        r"(?=(\w+\s*)+$)",
        "(?>(a*)*b)",
        "(a|b|ab)*?c",
        r"(?a:(\w|\W)+)+$",
        "((|a)(a|))*b",
    ],
)
def test_what_has_too_many_ways_is_not(pattern: str) -> None:
    assert Effort(pattern).longest < 40


@pytest.mark.parametrize("pattern", [r"\w+ing", ".*a.*b", r"(\w+)\1"])
def test_a_long_text_makes_more_work(pattern: str) -> None:
    assert not Effort(pattern).is_quick(1 << 20)
    assert Effort(pattern).is_quick(Effort(pattern).longest)


def simple(kind: Any, of: Any, char: str) -> bool:
    """Whether one character matches a part that is one."""
    if kind is codes.LITERAL:
        return bool(ord(char) == of)
    if kind is codes.IN:
        return any(simple(each, what, char) for each, what in of)
    return kind is codes.ANY


def noted(ends: list[int], end: int) -> bool:
    ends.append(end)
    return True


class Counting:
    """A backtracking matcher that tries what ``re`` tries, in the same order, and counts the parts that it looks at."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def match(self, nodes: list[Any], place: int, then: Callable[[int], bool]) -> bool:
        if not nodes:
            return then(place)
        self.steps += 1
        (kind, of), rest = nodes[0], nodes[1:]

        def go_on(end: int) -> bool:
            return self.match(rest, end, then)

        if kind is codes.AT:
            return place == len(self.text) and go_on(place)
        if kind is codes.SUBPATTERN:
            return self.match(list(of[-1]), place, go_on)
        if kind is codes.BRANCH:
            return any(self.match(list(branch), place, go_on) for branch in of[1])
        if kind is codes.ASSERT:
            return self.match(list(of[1]), place, lambda end: True) and go_on(place)
        if kind is codes.ATOMIC_GROUP:
            ends: list[int] = []
            return self.match(list(of), place, lambda end: noted(ends, end)) and go_on(ends[0])
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            return self.repeat(kind, of, place, 0, go_on)
        return place < len(self.text) and simple(kind, of, self.text[place]) and go_on(place + 1)

    def repeat(self, kind: Any, of: Any, place: int, done: int, go_on: Callable[[int], bool]) -> bool:
        least, most, body = of

        def once_more() -> bool:
            if done >= most:
                return False
            return self.match(list(body), place, further)

        def further(end: int) -> bool:
            return end > place and self.repeat(kind, of, end, done + 1, go_on)

        def enough() -> bool:
            return done >= least and go_on(place)

        return (once_more() or enough()) if kind is codes.MAX_REPEAT else (enough() or once_more())

    def search(self, nodes: list[Any]) -> int:
        """The steps of trying every place."""
        for place in range(len(self.text) + 1):
            self.match(nodes, place, lambda end: True)
        return self.steps


parts = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "$", "ab"]),
    lambda inner: st.one_of(
        st.builds("(?:{})(?:{})".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({}){}".format, inner, st.sampled_from(["*", "+", "?", "*?", "{1,2}", "{2}"])),
        st.builds("(?={})".format, inner),
        st.builds("(?>{})".format, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(parts, st.text("abc", max_size=10))
@example("(?:a|)(?:a|)(?:a|)(?:a|)(?:a|)b", "aaaaaaaa")
@example("(?:(?:a)*b)*(?:$)", "aabaab")
def test_a_quick_text_takes_no_more_steps_than_was_said(pattern: str, text: str) -> None:
    most = 200.0
    with patch.object(effort, "_MOST_STEPS", most):
        longest = Effort(pattern).longest
    for length in range(min(longest, len(text)) + 1):
        # A step of the estimate is a part that is looked at and the end of it: two or three of those counted here.
        assert Counting(text[:length]).search(list(parser.parse(pattern))) <= 4 * most


def patterns_in(text: str) -> Iterator[str]:
    yield from re.findall(r"``(\(.*?\)\*)``", text.replace("\\\\", "\\"))


def test_the_examples_of_the_documentation() -> None:
    quick, slow = patterns_in(effort.__doc__ or "")
    assert Effort(quick).longest >= SENTENCE
    assert Effort(slow).longest < SENTENCE
