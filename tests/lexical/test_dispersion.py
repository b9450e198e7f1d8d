"""Measures of dispersion against published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.search.lexical import deviation_of_proportions, juilland_d, normalised_deviation, parts_with

GRIES = (
    "b a m n i b e u p",
    "b a s a t b e w q n",
    "b c a g a b e s t a",
    "b a g h a b e a a t",
    "b a h a a b e a x a t",
)
"""The corpus of five parts in Gries (2008)."""


def test_the_example_of_gries() -> None:
    """Of the word "a" Gries (2008) gives a Juilland's D of 0.785 and a DP of 0.18; DPnorm is 0.18 / (1 - 9 / 50)."""
    parts = [part.split() for part in GRIES]
    counts, sizes = [part.count("a") for part in parts], [len(part) for part in parts]
    assert (counts, sizes) == ([1, 2, 3, 4, 5], [9, 10, 10, 10, 11])
    assert parts_with(counts) == 5
    assert juilland_d(counts, sizes) == pytest.approx(0.785, abs=0.0005)
    assert deviation_of_proportions(counts, sizes) == pytest.approx(0.18)
    assert normalised_deviation(counts, sizes) == pytest.approx(0.18 / 0.82)


def test_the_example_of_another_program() -> None:
    """The R package tlda prints these for the lemma "allemand" in the ten parts of the corpus of Lyne (1985)."""
    counts = [2, 0, 1, 1, 3, 0, 3, 0, 0, 0]
    sizes = [8143, 8058, 8271, 8125, 7959, 7941, 8146, 8001, 8003, 7930]
    assert parts_with(counts) == 5
    assert juilland_d(counts, sizes) == pytest.approx(0.6038797, abs=5e-8)
    assert deviation_of_proportions(counts, sizes) == pytest.approx(0.4990705, abs=5e-8)


@pytest.mark.parametrize("sizes", [(10, 10), (5, 20, 75), (1, 2, 3, 4)])
def test_even_and_uneven_spreading(sizes: tuple[int, ...]) -> None:
    even = np.array(sizes) * 3
    assert juilland_d(even, sizes) == pytest.approx(1)
    assert deviation_of_proportions(even, sizes) == pytest.approx(0)
    alone = np.zeros(len(sizes))
    alone[0] = 4  # all in the smallest part: as uneven as can be
    assert juilland_d(alone, sizes) == pytest.approx(0)
    assert normalised_deviation(alone, sizes) == pytest.approx(1)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 1000)), min_size=2, max_size=8))
def test_the_measures_stay_in_their_ranges(parts: list[tuple[int, int]]) -> None:
    counts, sizes = [[*column] for column in zip(*parts, strict=True)]
    counts[0] += 1
    assert 1 <= parts_with(counts) <= len(parts)
    for value in (juilland_d(counts, sizes), normalised_deviation(counts, sizes)):
        assert -1e-9 <= value <= 1 + 1e-9
    assert deviation_of_proportions(counts, sizes) <= normalised_deviation(counts, sizes)


def test_many_words_in_one_call() -> None:
    counts, sizes = [[1, 2, 3], [0, 0, 7]], [10, 10, 20]
    for measure in (juilland_d, deviation_of_proportions, normalised_deviation):
        assert measure(counts, sizes).tolist() == pytest.approx([float(measure(row, sizes)) for row in counts])
    assert parts_with(counts).tolist() == [3, 1]
