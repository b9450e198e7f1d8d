"""Analogies among sentences, against trying all triples."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.translation.examples import encode_texts
from corpusdb.translation.source_analogies import AnalogyBounds, AnalogyIndex, index_analogies

WIDE = AnalogyBounds(least_context=0.01, longest_filler=16, places=10**9, places_of_pair=10**9, analogies=10**9)
WORD = st.sampled_from(["a", "b", "c", "d"])
SENTENCES = st.lists(st.lists(WORD, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=30, unique=True)


def asked(index: AnalogyIndex, text: str, bounds: AnalogyBounds) -> list[tuple[int, int, int]]:
    units = index.texts.encode(text)
    found = index.analogies(units, np.array([len(unit.strip()) for unit in units_of(text)]), bounds)
    return list(zip(found.a.tolist(), found.b.tolist(), found.c.tolist(), strict=True))


def fillers(d: list[str], b: list[str]) -> tuple[list[str], list[str]] | None:
    """What is left of both without the largest context; None where they share none."""
    start = 0
    while start < min(len(d), len(b)) and d[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(d), len(b)) - start and d[-1 - end] == b[-1 - end]:
        end += 1
    return (d[start : len(d) - end], b[start : len(b) - end]) if start + end else None


def differ_by(c: list[str], a: list[str], x: list[str], y: list[str]) -> bool:
    """Whether A is C with y in the place of one x."""
    return any(c[at : at + len(x)] == x and [*c[:at], *y, *c[at + len(x) :]] == a for at in range(len(c) - len(x) + 1))


@given(SENTENCES, st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=5).map(" ".join))
def test_all_triples_are_found(sentences: list[str], text: str) -> None:
    cut, d = [sentence.split() for sentence in sentences], text.split()
    expected = set()
    for b, both in enumerate(fillers(d, each) for each in cut):
        if both is None or cut[b] == d:
            continue
        for a, c in product(range(len(cut)), repeat=2):
            if a != b and b != c and cut[c] != d and a != c and differ_by(cut[c], cut[a], *both):
                expected.add((a, b, c))
    found = asked(index_analogies(encode_texts(sentences)), text, WIDE)
    assert set(found) == expected
    assert len(found) == len(expected)


def test_bounds_leave_out_what_is_least_alike() -> None:
    sentences = ["I sing.", "You sing.", "I dance well today.", "You dance well today.", "You dance well.", "I dance."]
    index = index_analogies(encode_texts(sentences))
    every = asked(index, "I dance well.", WIDE)
    assert every and asked(index, "I dance well.", AnalogyBounds(analogies=1)) == every[:1]
    narrow = asked(index, "I dance well.", AnalogyBounds(least_context=0.8))
    assert narrow and set(narrow) < set(every)
    assert asked(index, "I dance well.", AnalogyBounds(places=0)) == []


def test_a_text_longer_than_all_sentences_has_none() -> None:
    index = index_analogies(encode_texts(["a b", "a c"]))
    assert [asked(index, " ".join(["a b"] * times), WIDE) for times in (5, 10, 100, 10_000)] == [[]] * 4


def test_no_sentence_is_no_analogy() -> None:
    assert asked(index_analogies(encode_texts([])), "a b", WIDE) == []
