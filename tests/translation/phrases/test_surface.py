"""Tokens become a text as texts of the language are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.search.token_corpus import token_spans, tokenise
from corpusdb.translation.phrase_choices import Spacing, written_text

ENGLISH = [
    "I don't know Tom's house.",
    'He said, "Let\'s go home."',
    "Let me go, will you?",
    "The well-known man (a friend) left.",
    "Let's go.",
]
FRENCH = ["L'eau est froide.", "Où est-il ?", "J'ai dit : « Non ! »", "C'est l'ami de Tom."]
JAPANESE = ["私は学校へ行きます。", "彼は「はい」と言った。"]


def spacing(texts: list[str]) -> Spacing:
    return Spacing((text, token_spans(text)) for text in texts)


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH, JAPANESE])
def test_what_was_seen_is_written_as_it_was(texts: list[str]) -> None:
    for text in texts:
        assert spacing(texts).joined(tokenise(text)) == text


@pytest.mark.parametrize(
    ("texts", "tokens", "expected"),
    [
        (ENGLISH, ["Tom", "'s", "dog", "did", "n't", "let", "my", "dog", "go", "."], "Tom's dog didn't let my dog go."),
        (ENGLISH, ['"', "Go", "home", '"', ",", "he", "said", "."], '"Go home", he said.'),
        (FRENCH, ["l'", "ami", "froid", "est", "là", "?"], "l'ami froid est là ?"),
        (JAPANESE, ["学校", "は", "近い", "。"], "学校は近い。"),
    ],
)  # fmt: skip
def test_what_was_not_seen_follows_what_either_token_allows(texts: list[str], tokens: list[str], expected: str) -> None:
    assert spacing(texts).joined(tokens) == expected


@given(st.lists(st.text("ab.'\"", min_size=1, max_size=3), max_size=6))
def test_no_token_is_lost(tokens: list[str]) -> None:
    joined = spacing(ENGLISH).joined(tokens)
    assert joined.replace(" ", "") == "".join(tokens)


def test_capitals_are_those_of_names_and_of_beginnings() -> None:
    forms = {"tom": "Tom", "i": "I"}
    tokens = ["yes", ".", "i", "know", "tom", "."]
    assert written_text(tokens, forms, spacing(ENGLISH), capital=True) == "Yes. I know Tom."
    quoted = ['"', "go", "?", '"', "he", "said", ".", '"', "no", "."]
    assert written_text(quoted, forms, spacing(ENGLISH), capital=True).split() == ['"Go?"', "he", "said.", '"No.']
    assert written_text(tokens[:1], forms, spacing(ENGLISH), capital=False) == "yes"
    assert written_text([], forms, spacing(ENGLISH), capital=True) == ""
