"""Conditions on the words of a vocabulary."""

from __future__ import annotations

import numpy as np
import pytest

from corpusdb.search.cqp import Tokens, parse
from corpusdb.search.cqp.conditions import token_test, without_diacritics, word_classes
from corpusdb.search.cqp.syntax import Token

WORDS = ["cat", "Cat", "cats", "café", "Cafe", "a.m.", "axmx", "が", "か", "ÉCOLE", ""]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"cat"', ["cat"]),
        ('"cat"%c', ["cat", "Cat"]),
        ('"cats?"', ["cat", "cats"]),
        ('"cafe"%d', ["café"]),
        ('"CAFÉ"%cd', ["café", "Cafe"]),
        ('"[é]cole"%cd', ["ÉCOLE"]),
        ('"école"%c', ["ÉCOLE"]),
        ('"a.m."', ["a.m.", "axmx"]),
        ('"a.m."%l', ["a.m."]),
        ('"A.M."%lc', ["a.m."]),
        ('"(?i)A\\.M\\."', ["a.m."]),
        ('"か"%cd', ["か"]),
        ('""', [""]),
        ('[word="c.*" & word!=".*s"]', ["cat", "café"]),
        ('[!(word=".*a.*"%c | word=".")]', ["ÉCOLE", ""]),
    ],
)
def test_token_expressions(query: str, expected: list[str]) -> None:
    token = parse(query).sequence
    assert isinstance(token, Token)
    assert token.condition is not None
    corpus = Tokens(WORDS, np.arange(len(WORDS), dtype=np.int32), np.array([len(WORDS)], dtype=np.int64))
    assert [WORDS[place] for place in token_test(token.condition, corpus).places().tolist()] == expected


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("plain", "plain"),
        ("Café Ångström Việt", "Cafe Angstrom Viet"),
        ("øłđß", "øłđß"),  # letters of their own
        ("ガがぱ", "ガがぱ"),
        ("한국어", "한국어"),
        ("हिन्दी", "हिन्दी"),
        ("ทั้งนี้", "ทั้งนี้"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("άέ й", "αε и"),
    ],
)
def test_diacritics(text: str, bare: str) -> None:
    assert without_diacritics(text) == bare


@pytest.mark.parametrize(
    ("is_blind", "bare", "groups"),
    [
        (False, False, [["cat"], ["Cat"], ["café"], ["CAFE"]]),
        (True, False, [["cat", "Cat"], ["café"], ["CAFE"]]),
        (False, True, [["cat"], ["Cat"], ["café"], ["CAFE"]]),
        (True, True, [["cat", "Cat"], ["café", "CAFE"]]),
    ],
)
def test_word_classes(is_blind: bool, bare: bool, groups: list[list[str]]) -> None:
    words = ["cat", "Cat", "café", "CAFE"]
    classes = word_classes(words, ignore_case=is_blind, ignore_diacritics=bare).tolist()
    by_class: dict[int, list[str]] = {}
    for word, number in zip(words, classes, strict=True):
        by_class.setdefault(number, []).append(word)
    assert list(by_class.values()) == groups


def test_case_makes_no_two_letters_one() -> None:
    assert len(set(word_classes(["weiß", "weiss", "WEISS", "Weiß"], ignore_case=True).tolist())) == 2
