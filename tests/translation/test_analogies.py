"""Translation by analogy: analogies among sentences, and their target side."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.translation.example_rungs import Sentence, learn_casing, open_analogies, solutions
from corpusdb.translation.examples import AnalogyShown, encode_texts, examples_of_pairs
from corpusdb.translation.source_analogies import AnalogyBounds, AnalogyIndex, attest, index_analogies

# Translation by analogy: what is found, what is refused, and the evidence.


PAIRS = [
    ("Je chante.", "I sing."),
    ("Il chante.", "He sings."),
    ("Il danse.", "He dances."),
    ("Elle danse.", "She dances."),
    ("Elle chante bien.", "She sings well."),
]


def test_a_translation_names_the_analogies_behind_it() -> None:
    (found,) = open_analogies(examples_of_pairs(PAIRS)).translations("Elle chante.", 5)
    assert (found.text, found.rung, found.score) == ("She sings.", "analogy", 1.0)
    shown = [each for each in found.evidence if isinstance(each, AnalogyShown)]
    assert len(shown) == found.votes == 1  # A : B :: C : D and A : C :: B : D are one
    assert shown[0].a.source == "Il danse." and {shown[0].b.source, shown[0].c.source} == {"Il chante.", "Elle danse."}


def test_what_has_no_analogy_has_no_translation() -> None:
    translator = open_analogies(examples_of_pairs(PAIRS))
    assert translator.translations("Nous dormons.", 5) == translator.translations("Il danse.", 0) == []


def test_units_that_meet_nowhere_else_are_refused() -> None:
    pairs = [("a b", "one two"), ("a c", "one three"), ("d b", "four two")]
    assert open_analogies(examples_of_pairs(pairs)).translations("d c", 5) == []
    (found,) = open_analogies(examples_of_pairs(pairs), least_share=0).translations("d c", 5)
    assert (found.text, found.votes) == ("four three", 1)
    (found,) = open_analogies(examples_of_pairs([*pairs, ("x", "four three")])).translations("d c", 5)
    assert found.text == "four three"


def test_runs_of_a_corpus() -> None:
    runs = attest(["a b c", "b c d"])
    assert [runs.missing(text) for text in ("a b c", "a b c d", "c b", "", "b x")] == [
        (0, 0),
        (0, 0),
        (3, 2),
        (1, 0),
        (2, 2),
    ]


def test_casing_is_that_inside_of_sentences() -> None:
    assert learn_casing(["The end of Tom.", "The Tom and the end."])["the"] == "the"
    assert learn_casing(["A Tom.", "a tom Tom Tom."])["tom"] == "Tom"


# The target side of analogies: solved by hand, and properties of every solution.


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


# Analogies among sentences, against trying all triples.


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
