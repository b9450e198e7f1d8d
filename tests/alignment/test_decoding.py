"""Links by a model: which depend on it and on the pair of texts alone."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.links import SYMMETRISATIONS, Link, Symmetrisation
from corpusdb.alignment.model import AlignmentModel
from corpusdb.alignment.training import align, train
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished

WORDS = {
    "la": "the",
    "une": "a",
    "maison": "house",
    "fleur": "flower",
    "bleue": "blue",
    "verte": "green",
    "rouge": "red",
    "grande": "big",
    "mange": "eats",
    ".": ".",
}
THINGS = [
    f"{article} {noun}{adjective}"
    for article, noun, adjective in product(
        ("la", "une"), ("maison", "fleur"), ("", " bleue", " verte", " rouge", " grande")
    )
]
FRENCH = [f"{thing} .".split() for thing in THINGS]
FRENCH += [f"{thing} mange {other} .".split() for thing, other in product(THINGS, THINGS)]
ADJECTIVES = {"bleue", "verte", "rouge", "grande"}


def english(words: list[str]) -> list[str]:
    """Word by word, the adjective before its noun."""
    moved = list(words)
    for at, word in enumerate(words):
        if word in ADJECTIVES:
            moved[at - 1 : at + 1] = [word, words[at - 1]]
    return [WORDS[word] for word in moved]


ENGLISH = [english(words) for words in FRENCH]


@cache
def trained() -> AlignmentModel:
    return finished(train(FRENCH, ENGLISH))


@pytest.fixture
def model() -> AlignmentModel:
    return trained()


def true_links(words: list[str]) -> list[Link]:
    links = list(enumerate(range(len(words))))
    for at, word in enumerate(words):
        if word in ADJECTIVES:
            links[at - 1 : at + 1] = [(at - 1, at), (at, at - 1)]
    return [(source, target) for source, target in links]


@pytest.mark.parametrize("way", SYMMETRISATIONS)
def test_a_small_language_is_learned(model: AlignmentModel, way: Symmetrisation) -> None:
    links = finished(align(model, FRENCH, ENGLISH, way))
    assert [links.of_pair(number) for number in range(len(links))] == [true_links(words) for words in FRENCH]


def test_case_is_no_matter(model: AlignmentModel) -> None:
    links = finished(align(model, [["LA", "Fleur"]], [["The", "FLOWER"]]))
    assert links.of_pair(0) == [(0, 0), (1, 1)]


def test_words_that_the_model_has_not_are_linked_by_their_places(model: AlignmentModel) -> None:
    links = finished(align(model, [["la", "girafe", "mange", "."]], [["the", "giraffe", "eats", "."]]))
    assert links.of_pair(0) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_an_empty_and_a_long_side_have_no_links(model: AlignmentModel) -> None:
    links = finished(align(model, [[], ["la"], ["la"] * 1001], [["the"], [], ["the"]]))
    assert [links.of_pair(number) for number in range(3)] == [[], [], []]


def test_unequal_numbers_are_refused(model: AlignmentModel) -> None:
    with pytest.raises(InputError, match="1 source texts for 2 target texts"):
        finished(align(model, [["la"]], [["the"], ["a"]]))


texts = st.lists(st.sampled_from([*WORDS, *WORDS.values(), "unknown"]), min_size=0, max_size=12)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=8), st.integers(0, 8), st.sampled_from(SYMMETRISATIONS))
def test_links_of_two_imports_are_those_of_one(
    pairs: list[tuple[list[str], list[str]]], cut: int, way: Symmetrisation
) -> None:
    """Which other pairs are aligned in the same call, and in which order, is no matter."""
    source, target = [list(side) for side in zip(*pairs, strict=True)]
    together = finished(align(trained(), source, target, way))
    found = []
    for part in (slice(0, cut), slice(cut, None)):
        links = finished(align(trained(), source[part], target[part], way))
        found += [links.of_pair(number) for number in range(len(links))]
    assert found == [together.of_pair(number) for number in range(len(together))]
    backwards = finished(align(trained(), source[::-1], target[::-1], way))
    assert found[::-1] == [backwards.of_pair(number) for number in range(len(backwards))]


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_each_direction_links_a_word_once_at_most(pairs: list[tuple[list[str], list[str]]]) -> None:
    source, target = [list(side) for side in zip(*pairs, strict=True)]
    forward, backward = (finished(align(trained(), source, target, way)) for way in ("forward", "backward"))
    for number, (own, theirs) in enumerate(pairs):
        for link in (*forward.of_pair(number), *backward.of_pair(number)):
            assert 0 <= link[0] < len(own)
            assert 0 <= link[1] < len(theirs)
        assert len({target for _, target in forward.of_pair(number)}) == len(forward.of_pair(number))
        assert len({source for source, _ in backward.of_pair(number)}) == len(backward.of_pair(number))


any_texts = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=5)


@given(st.lists(st.tuples(any_texts, any_texts), min_size=1, max_size=5), st.sampled_from(SYMMETRISATIONS))
def test_any_tokens_are_aligned(pairs: list[tuple[list[str], list[str]]], way: Symmetrisation) -> None:
    """Whatever Unicode holds: marks alone, signs that NFKC makes longer, letters without case."""
    source, target = [list(side) for side in zip(*pairs, strict=True)]
    made = finished(train(source, target))
    again = AlignmentModel.from_bytes(made.to_bytes())
    links = finished(align(made, source, target, way))
    assert np.isfinite(made.forward.words).all()
    for number, (own, theirs) in enumerate(pairs):
        assert all(0 <= f < len(own) and 0 <= e < len(theirs) for f, e in links.of_pair(number))
    from_stored = finished(align(again, source, target, way))
    assert [links.of_pair(number) for number in range(len(pairs))] == [
        from_stored.of_pair(number) for number in range(len(pairs))
    ]
