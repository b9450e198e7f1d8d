"""Forms of one word told from other words, and the same words written otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.equivalence import are_alike, are_forms_of_one, closed_words, written_otherwise
from corpusdb.scoring.queries.recipe import WordForms

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


a_word = st.one_of(
    st.text("abiy", min_size=1, max_size=9),
    st.sampled_from(["said", "says", "went", "goes", "people", "person", "the", "over", "手伝っ", "手伝う", "3rd"]),
)


@given(st.lists(a_word, max_size=12), a_word)
def test_forms_are_found_among_words_as_each_is_told(words: list[str], word: str) -> None:
    """Every word of the vocabulary asked by itself."""
    expected = [
        each
        for each in sorted({*words} - {word})
        if each.isalpha() and word.isalpha() and not CLOSED & {each, word}
        if are_forms_of_one("eng", (word,), (each,), CLOSED)
    ]
    assert WordForms("eng", words).of(word) == expected


@given(st.text("abcy", min_size=1, max_size=9), st.text("abcy", min_size=1, max_size=9))
def test_order_does_not_matter(one: str, other: str) -> None:
    assert are_alike(one, other) == are_alike(other, one)


# The same words written otherwise: what may stand in their places, and what may not.


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
        ("of us 10 may enter and march 5 miles, on 3 April they", {("3 April", "April 3")}),
        ("colou\u017fs, organ\u0131sed and analy\u017fe", set()),
    ],
)
def test_what_may_stand_instead(text: str, expected: set[tuple[str, str]]) -> None:
    assert variants(text) == expected


def test_there_are_those_of_english_alone() -> None:
    assert not variants("colour, 3 May, well-known", "deu")


@given(st.text("aé -12,three colour organise \u0131\u017f May per cent", max_size=40))
def test_variants_are_places_of_the_text_that_differ(text: str) -> None:
    for each in written_otherwise("eng", text, lambda word: True):
        assert 0 <= each.start < each.end <= len(text)
        assert each.text.strip() and each.text != text[each.start : each.end]


@pytest.mark.parametrize("word", ["colours", "organisation", "travelling", "analyse", "grey", "programme"])
def test_a_spelling_is_that_of_the_other(word: str) -> None:
    """Those that go both ways come back."""
    ((_, other),) = variants(word)
    assert (other, word) in variants(other)
