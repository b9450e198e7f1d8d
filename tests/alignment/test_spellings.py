"""The same words written otherwise: what may stand in their places, and what may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.spellings import written_otherwise


def variants(text: str, language: str = "eng", known: str = "wellbeing email") -> set[tuple[str, str]]:
    found = written_otherwise(language, text, known.split().__contains__)
    return {(text[each.start : each.end], each.text) for each in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('“Yes”, it’s the players\' "game" - 2019–20 … on', set()),
        ("the well-known well-being", {("well-known", "well known"), ("well-being", "wellbeing")}),
        ("an e-mail to co-author", {("e-mail", "email")}),
        ("the Labour Party travelled to centres", {("travelled", "traveled"), ("centres", "centers")}),
        ("Colours, COLOUR and colorful", {("Colours", "Colors"), ("colorful", "colourful")}),
        ("it organised analyses, realism", {("organised", "organized")}),
        ("organize towards a per cent", {("organize", "organise"), ("towards", "toward"), ("per cent", "percent")}),
        ("cheque, check", {("cheque", "check")}),
        ("on 3 May and May 12th", {("3 May", "May 3"), ("May 12th", "12 May"), ("May 12th", "May 12")}),
        ("six men, 12 cats", {("six", "6")}),
        ("one twelve-year-old, a pro-war non-member", set()),
        ("$ seven billion, three to five days, two or six men, 4 and nine", set()),
        ("may march in 2019, 10 may", {("10 may", "may 10")}),
    ],
)
def test_what_may_stand_instead(text: str, expected: set[tuple[str, str]]) -> None:
    assert variants(text) == expected


def test_there_are_those_of_english_alone() -> None:
    assert not variants("colour, 3 May, well-known", "deu")


@given(st.text("aé -12,three colour organise May per cent", max_size=40))
def test_variants_are_places_of_the_text_that_differ(text: str) -> None:
    for each in written_otherwise("eng", text, lambda word: True):
        assert 0 <= each.start < each.end <= len(text)
        assert each.text.strip() and each.text != text[each.start : each.end]


@pytest.mark.parametrize("word", ["colours", "organisation", "travelling", "analyse", "grey", "programme"])
def test_a_spelling_is_that_of_the_other(word: str) -> None:
    """Those that go both ways come back."""
    ((_, other),) = variants(word)
    assert (other, word) in variants(other)
