"""Whole words as tokens, against cutting every sentence by itself."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.base.text import alike_in, normalise
from corpusdb.search.corpus_text import LanguageText
from corpusdb.search.matches import WordMatching
from corpusdb.search.patterns import Folding, Pattern, fold
from corpusdb.search.token_corpus import TokenCorpus, Tokeniser, token_spans

WORDS = [
    "don't",
    "Don",
    "do",
    "n't",
    "o'clock",
    "clock",
    "make-up",
    "make",
    "up",
    "l'eau",
    "aujourd\u2019hui",
    "学校",
    ".",
]
sentences = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), max_size=6)


def matching(lines: list[str], text: str, folding: Folding) -> WordMatching:
    numbers: dict[str, int] = {}
    lengths, tokens = Tokeniser(numbers).types_of(lines)
    ids = np.arange(1, len(lines) + 1)
    whole = LanguageText("eng", ids, "".join(f"{line}\n" for line in lines))
    return WordMatching(whole, TokenCorpus("eng", ids, lengths, tokens, list(numbers)), Pattern(text, "word", folding))


def naive_spans(line: str, text: str, folding: Folding) -> list[tuple[int, int]]:
    """From left to right, what begins with a token and ends with one, and is the text."""
    cut, found, end = token_spans(line), [], 0
    for place, (start, _) in enumerate(cut):
        for _, stop in cut[place:]:
            if start >= end and fold(line[start:stop], folding) == fold(text, folding):
                found.append((start, stop))
                end = stop
    return found


@pytest.mark.parametrize(
    ("text", "folding", "sentence", "spans"),
    [
        ("cat", Folding(), "cat, concat the cat's cats", [(0, 3), (16, 19)]),
        ("学校", Folding(), "明日学校へ", [(2, 4)]),
        ("please", Folding(case=True), "Please, please!", [(0, 6), (8, 14)]),
        (", p", Folding(), "a, please, p", [(9, 12)]),
        ("l'eau", Folding(), "de l'eau", [(3, 8)]),
        ("don", Folding(case=True), "Don't, Don!", [(7, 10)]),
        ("don't", Folding(), "don't do n't", [(0, 5)]),
        ("aujourd'hui", Folding(alike="'"), "aujourd\u2019hui", [(0, 11)]),
        ("make-up", Folding(), "make-up make - up", [(0, 7)]),
        ("ha ha", Folding(), "ha ha ha", [(0, 5)]),
    ],
)
def test_where_a_word_stands(text: str, folding: Folding, sentence: str, spans: list[tuple[int, int]]) -> None:
    found = matching(["", sentence, "x"], text, folding)
    assert found.indexes.tolist() == [1]
    assert found.spans(1) == spans


@given(sentences, st.sampled_from([*WORDS, "don", "make up", "up make", "up ."]), st.booleans())
def test_a_word_is_some_tokens(lines: list[str], text: str, case: bool) -> None:
    lines, folding = [normalise(line) for line in lines], Folding(case, alike=alike_in(text))
    found = matching(lines, text, folding)
    expected = [naive_spans(line, text, folding) for line in lines]
    assert found.indexes.tolist() == [index for index, spans in enumerate(expected) if spans]
    assert [found.spans(index) for index in found.indexes.tolist()] == [spans for spans in expected if spans]
    if text.isalpha() and text.isascii():
        whole = re.compile(rf"\b{fold(text, folding)}\b")
        assert found.by_letters == sum(whole.search(fold(line, folding)) is not None for line in lines)


def test_a_word_has_something_that_is_seen() -> None:
    with pytest.raises(UsageError, match="empty"):
        matching(["a b"], " ", Folding())
