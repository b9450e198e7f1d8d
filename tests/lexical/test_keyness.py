"""Measures of keyness against published numbers."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.search.lexical import (
    difference,
    keyness_likelihood,
    log_likelihood,
    log_ratio,
    significance,
    simple_maths,
)

MILLION = 1_000_000


def test_log_likelihood_is_that_of_rayson_and_garside() -> None:
    """A worked example for Rayson's calculator on the web: 52 in 50,000 words against 57 in 75,000 give +2.65."""
    assert keyness_likelihood(52, 57, 50_000, 75_000) == pytest.approx(2.65, abs=0.005)


@pytest.mark.parametrize(("likelihood", "published"), [(3.84, 0.05), (6.63, 0.01), (10.83, 0.001), (15.13, 0.0001)])
def test_critical_values(likelihood: float, published: float) -> None:
    """Those that Rayson, Berridge and Francis (2004) give for chi-squared with one degree of freedom."""
    assert significance(likelihood) == pytest.approx(published, rel=0.005)


@pytest.mark.parametrize(
    ("target", "reference", "smoothing", "published"),
    [
        (10, 0, 1, 11.00),
        (200, 100, 1, 1.99),
        (12_000, 10_000, 1, 1.20),
        (10, 0, 100, 1.10),
        (200, 100, 100, 1.50),
        (12_000, 10_000, 100, 1.20),
        (10, 0, 1000, 1.01),
        (200, 100, 1000, 1.09),
        (12_000, 10_000, 1000, 1.18),
    ],
)
def test_simple_maths_is_kilgarriffs(target: int, reference: int, smoothing: int, published: float) -> None:
    """Kilgarriff (2009): a rare, a middling and a common word, per million, with 1, 100 and 1000 added."""
    found = simple_maths(target, reference, MILLION, MILLION, smoothing=smoothing)
    assert found == pytest.approx(published, abs=0.005)


def test_simple_maths_of_shard() -> None:
    """The example in the documentation of Sketch Engine: the lemma "shard" in the BNC and in ukWaC."""
    assert simple_maths(35, 263, 112_289_776, 1_559_716_979) == pytest.approx(1.1224, abs=5e-5)


@pytest.mark.parametrize(
    ("target", "reference", "expected"),
    [(5, 5, 0.0), (10, 5, 1.0), (20, 5, 2.0), (5, 10, -1.0), (5, 20, -2.0), (4, 0, 3.0), (0, 4, -3.0)],
)
def test_log_ratio_counts_doublings(target: int, reference: int, expected: float) -> None:
    """Hardie (2014): 1 for twice as often, 2 for four times; 0.5 stands in for a frequency of 0."""
    assert log_ratio(target, reference, 1000, 1000) == pytest.approx(expected)
    assert log_ratio(target, reference, 2000, 1000) == pytest.approx(expected - 1)


@pytest.mark.parametrize(
    ("target", "reference", "expected"), [(5, 5, 0.0), (10, 5, 100.0), (5, 10, -50.0), (0, 5, -100.0), (5, 0, inf)]
)
def test_difference_is_in_per_cent(target: int, reference: int, expected: float) -> None:
    assert difference(target, reference, 1000, 1000) == pytest.approx(expected)


frequencies = st.tuples(st.integers(0, 500), st.integers(0, 500)).filter(any)
sizes = st.tuples(st.integers(500, 10**9), st.integers(500, 10**9))


@given(frequencies, sizes)
def test_the_corpora_can_change_places(frequency: tuple[int, int], size: tuple[int, int]) -> None:
    (a, b), (c, d) = frequency, size
    assert keyness_likelihood(a, b, c, d) == pytest.approx(keyness_likelihood(b, a, d, c), rel=1e-9, abs=1e-6)
    assert log_ratio(a, b, c, d) == pytest.approx(-log_ratio(b, a, d, c), abs=1e-9)
    assert simple_maths(a, b, c, d) == pytest.approx(1 / simple_maths(b, a, d, c))
    if a and b:
        assert float(difference(a, b, c, d)) == pytest.approx(
            100 * (2 ** float(log_ratio(a, b, c, d)) - 1), rel=1e-9, abs=1e-9
        )


@given(frequencies, sizes)
def test_the_two_cells_are_never_more_than_dunnings_four(frequency: tuple[int, int], size: tuple[int, int]) -> None:
    (a, b), (c, d) = frequency, size
    assert 0 <= keyness_likelihood(a, b, c, d) <= log_likelihood(a, a + b, c, c + d) + 1e-6


def test_arrays_keep_their_shape() -> None:
    target, reference = np.array([1, 0, 5]), np.array([0, 3, 5])
    found = keyness_likelihood(target, reference, 10, 20)
    assert found.tolist() == [float(keyness_likelihood(a, b, 10, 20)) for a, b in [(1, 0), (0, 3), (5, 5)]]
    assert significance(found).shape == (3,)
    assert significance(0.0) == 1
