"""Candidates against a naive implementation of the design, and the examples of Lepage & Denoual (2005)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from brute_force import Generation, detected
from corpora import Row, import_rows, new_store, random_rows, tatoeba

from corpusdb.analogy import is_analogy, lcs_distance
from corpusdb.analogy.commutation import index_slots
from corpusdb.analogy.slots import Slots
from corpusdb.model import NO_LIMIT
from corpusdb.queries import commutation, finished
from corpusdb.queries.commutation import PARAMETERS
from corpusdb.queries.pipeline import generate
from corpusdb.store import Store

Generated = dict[tuple[str, str], tuple[int, int, int, float]]


def generated(store: Store, language: str) -> Generated:
    """By seed and candidate: frequency, pivots, languages, probability."""
    rows = store.connection.execute(
        "select seed.text, candidate.text, frequency, pivots, languages, probability"
        " from candidate join seed on seed.id = candidate.seed where seed.language = ?",
        (language,),
    )
    return {(seed, text): (frequency, pivots, languages, probability) for seed, text, frequency, pivots, languages, probability in rows}


def naive(rows: Sequence[Row], languages: tuple[str, ...], language: str, max_fillers: int = 2000) -> Generation:
    """The naive generator for one language of these rows."""
    column = languages.index(language)
    pairs = {
        (row[column], other, text)
        for row in rows
        for other, text in zip(languages, row, strict=True)
        if other != language and text and row[column]
    }
    sentences = list(dict.fromkeys(row[column] for row in rows if row[column]))
    return Generation(sentences, detected(pairs), max_fillers)


def expected(generation: Generation, sentences: Sequence[str]) -> Generated:
    return {
        (seed, one.text): (one.frequency, one.pivots, one.languages, pytest.approx(one.probability, rel=1e-12))
        for seed in dict.fromkeys(sentences)
        for one in generation.candidates(seed)
    }


def assert_as_naive(store: Store, rows: Sequence[Row], languages: tuple[str, ...], language: str) -> Generated:
    """Import, generate and compare every figure; returns what was generated."""
    import_rows(store, rows, languages)
    report = finished(generate(store, language))
    found = generated(store, language)
    wanted = expected(naive(rows, languages, language), [row[languages.index(language)] for row in rows])
    assert found.keys() == wanted.keys()
    assert found == wanted
    assert (report.candidates, report.analogies) == (len(found), sum(row[0] for row in found.values()))
    assert report.seeds == len({seed for seed, _ in found})
    return found


@pytest.mark.parametrize("number", range(40))
def test_random_corpora(empty: Store, number: int) -> None:
    chance = random.Random(number)
    rows = random_rows(chance, chance.randint(4, 24), words="abcd"[: chance.randint(2, 4)])
    assert_as_naive(empty, rows, ("eng", "fra"), "eng")


@pytest.mark.parametrize("number", range(10))
def test_random_corpora_in_three_languages(empty: Store, number: int) -> None:
    chance = random.Random(100 + number)
    rows = [(*row, f"j{chance.randrange(5)}") for row in random_rows(chance, 16)]
    found = assert_as_naive(empty, rows, ("eng", "fra", "jpn"), "eng")
    assert any(languages == 2 for _, _, languages, _ in found.values())


@pytest.mark.parametrize("number", range(10))
def test_random_corpora_without_spaces(empty: Store, number: int) -> None:
    chance = random.Random(200 + number)
    rows = [("".join(chance.choices("山川を見", k=chance.randint(1, 5))) + "。", f"t{chance.randrange(5)}") for _ in range(18)]
    assert assert_as_naive(empty, rows, ("jpn", "eng"), "jpn")


@pytest.mark.parametrize(("other", "language", "first"), [("fra", "eng", 2000), ("jpn", "eng", 300), ("jpn", "jpn", 300), ("cmn", "cmn", 100)])
def test_real_sentences(empty: Store, other: str, language: str, first: int) -> None:
    rows = tatoeba(other, first, 500)
    assert len(assert_as_naive(empty, rows, ("eng", other), language)) > 20


@pytest.mark.parametrize(("other", "language", "least"), [("fra", "eng", 0.9), ("jpn", "eng", 0.9), ("jpn", "jpn", 0.9)])
def test_rectangles_are_analogies(other: str, language: str, least: float) -> None:
    """All of them by their characters, nearly all by their distances."""
    rows = tatoeba(other, 1500, 250)
    generation = naive(rows, ("eng", other), language)
    rectangles = list(generation.rectangles())
    print(len(rectangles))
    failing = [terms for terms in rectangles if not is_analogy(*terms)]
    for a, b, c, d in rectangles:
        assert sorted(a + d) == sorted(b + c)
    print(language, len(rectangles), len(failing), failing[:5])
    assert len(failing) <= (1 - least) * len(rectangles)
