"""Association, dispersion and keyness against published numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from corpusdb.base.arrays import F64
from corpusdb.search.lexical import (
    cubic_association,
    deviation_of_proportions,
    difference,
    juilland_d,
    keyness_likelihood,
    log_dice,
    log_likelihood,
    log_ratio,
    mann_kendall,
    minimum_sensitivity,
    mutual_information,
    normalised_deviation,
    parts_with,
    reduced_frequencies,
    significance,
    simple_maths,
    t_score,
    theil_sen_slope,
    z_score,
)

NEW_YORK_TIMES = 14_307_668
"""The size of the corpus in Manning and Schütze (1999, chapter 5)."""


@pytest.mark.parametrize(
    ("both", "first_only", "second_only", "neither", "published"),
    [
        (110, 2442, 111, 29114, 270.72),  # the swiss
        (29, 13, 123, 31612, 263.90),  # can be
        (31, 23, 139, 31584, 256.84),  # previous year
        (10, 0, 3, 31764, 167.23),  # mineral water
        (76, 104, 2476, 29121, 157.21),  # at the
        (16, 16, 51, 31694, 157.03),  # real terms
        (9, 0, 5, 31763, 146.80),  # natural gas
        (16, 0, 865, 30896, 115.02),  # owing to
        (10, 9, 41, 31717, 104.53),  # health insurance
        (8, 2, 27, 31740, 100.96),  # stiff competition
        (12, 111, 14, 31640, 98.72),  # is likely
    ],
)
def test_log_likelihood_is_that_of_dunning(
    both: int, first_only: int, second_only: int, neither: int, published: float
) -> None:
    """Dunning (1993), table 1: the bigrams with the highest scores."""
    total = both + first_only + second_only + neither
    assert log_likelihood(both, both + first_only, both + second_only, total) == pytest.approx(published, abs=0.005)


def test_log_likelihood_of_most_powerful() -> None:
    """Manning and Schütze (1999), table 5.12, give 1291.42, which is the formula's value to three digits."""
    assert log_likelihood(150, 12593, 932, NEW_YORK_TIMES) == pytest.approx(1291.42, rel=1e-3)


@pytest.mark.parametrize(
    ("both", "first", "second", "published"),
    [
        (20, 42, 20, 18.38),  # Ayatollah Ruhollah
        (20, 41, 27, 17.98),  # Bette Midler
        (20, 30, 117, 16.31),  # Agatha Christie
        (20, 77, 59, 15.94),  # videocassette recorder
        (20, 24, 320, 15.19),  # unsalted butter
        (20, 14907, 9017, 1.09),  # first made
        (20, 13484, 10570, 1.01),  # over many
        (20, 14734, 13478, 0.53),  # into them
        (20, 14093, 14776, 0.46),  # like people
        (20, 15019, 15629, 0.29),  # time last
    ],
)
def test_mutual_information_is_the_published(both: int, first: int, second: int, published: float) -> None:
    """Manning and Schütze (1999), table 5.14."""
    assert mutual_information(both, first, second, NEW_YORK_TIMES) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("both", "first", "second", "published", "digits"),
    [
        (8, 15828, 4675, 0.999932, 5e-7),  # new companies, in the text of section 5.3.1
        (20, 42, 20, 4.4721, 1e-4),  # Ayatollah Ruhollah, and these of table 5.6
        (20, 41, 27, 4.4721, 1e-4),
        (20, 14907, 9017, 2.3714, 1e-4),  # first made
        (20, 13484, 10570, 2.2446, 1e-4),
        (20, 15019, 15629, 0.8036, 1e-4),
    ],
)
def test_t_score_is_the_published(both: int, first: int, second: int, published: float, digits: float) -> None:
    """Manning and Schütze (1999), section 5.3.1."""
    assert t_score(both, first, second, NEW_YORK_TIMES) == pytest.approx(published, abs=digits)


@pytest.mark.parametrize(
    ("both", "first", "second", "published"),
    [
        (7, 7, 7, 14),  # the maximum: the two only occur together
        (1, 16000, 16000, 0),  # "less than one co-occurrence per 16,000 X or Y"
        (50, 200, 200, 12),
        (100, 200, 200, 13),  # one more is twice as often
    ],
)
def test_log_dice_has_the_values_that_rychly_explains(both: int, first: int, second: int, published: float) -> None:
    """Rychlý (2008), section 2."""
    assert log_dice(both, first, second) == pytest.approx(published, abs=0.04)


@pytest.mark.parametrize(("both", "first", "second"), [(8, 15828, 4675), (20, 42, 20), (20, 15019, 15629)])
def test_the_z_score_is_the_residual_of_pearson(both: int, first: int, second: int) -> None:
    """Of the first cell of the table, whose expected frequencies scipy computes."""
    observed = np.array([[both, first - both], [second - both, NEW_YORK_TIMES - first - second + both]])
    expected = stats.contingency.expected_freq(observed)
    residuals = (observed - expected) / np.sqrt(expected)
    assert z_score(both, first, second, NEW_YORK_TIMES) == pytest.approx(residuals[0, 0], rel=1e-9)
    assert (residuals**2).sum() == pytest.approx(stats.chi2_contingency(observed, correction=False)[0])


@given(both=st.integers(1, 1000), more=st.integers(0, 1000), second=st.integers(1000, 9000))
def test_mi3_is_mutual_information_with_more_room_for_the_frequent(both: int, more: int, second: int) -> None:
    """Daille's cube is two binary orders of the frequency more; and words that only occur together are wholly so."""
    table = both, both + more, second, 20_000
    expected = float(mutual_information(*table)) + 2 * np.log2(both)
    assert cubic_association(*table) == pytest.approx(expected, abs=1e-9)
    assert minimum_sensitivity(both, both + more, second) == min(both / (both + more), both / second)
    assert minimum_sensitivity(both, both, both) == 1


def tables() -> st.SearchStrategy[tuple[int, int, int, int]]:
    """Consistent numbers: both, first, second, total."""
    cell = st.integers(0, 10_000)
    return st.tuples(cell, cell, cell, st.integers(1, 10_000)).map(
        lambda cells: (cells[0], cells[0] + cells[1], cells[0] + cells[2], sum(cells))
    )


@given(tables())
def test_the_order_of_the_words_does_not_matter(table: tuple[int, int, int, int]) -> None:
    both, first, second, total = table
    measures: list[Callable[..., F64]] = [log_likelihood]
    if both:
        measures += [mutual_information, t_score]
        assert log_dice(both, first, second) == log_dice(both, second, first)
    for measure in measures:
        assert measure(both, first, second, total) == pytest.approx(measure(both, second, first, total), abs=1e-6)


@given(tables())
def test_log_likelihood_is_nothing_for_independent_words_only(table: tuple[int, int, int, int]) -> None:
    both, first, second, total = table
    found = float(log_likelihood(both, first, second, total))
    assert found >= 0
    if both * total == first * second:
        assert found == pytest.approx(0, abs=1e-6)
    elif abs(both * total - first * second) > total:
        assert found > 0


def test_arrays_give_what_numbers_give() -> None:
    both, second = np.array([8, 20, 0]), np.array([4675, 20, 5])
    with np.errstate(all="raise"):
        for measure in (log_likelihood, mutual_information, t_score):
            single = [float(measure(b, 15828, s, NEW_YORK_TIMES)) for b, s in zip(both, second, strict=True)]
            assert measure(both, 15828, second, NEW_YORK_TIMES).tolist() == single
    assert mutual_information(0, 5, 5, 100) == t_score(0, 5, 5, 100) == log_dice(0, 5, 5) == -np.inf


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


rates = st.lists(st.integers(0, 6), min_size=3, max_size=12)


@given(rates)
def test_slopes_are_those_of_scipy(values: list[int]) -> None:
    assert theil_sen_slope([values, values[::-1]]).tolist() == pytest.approx(
        [stats.theilslopes(values).slope, stats.theilslopes(values[::-1]).slope]
    )


@given(rates)
def test_order_by_chance_is_that_of_the_definition(values: list[int]) -> None:
    n = len(values)
    ties = [values.count(each) for each in set(values)]
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    score = sum((values[j] > values[i]) - (values[j] < values[i]) for j in range(n) for i in range(j))
    z = max(abs(score) - 1, 0) / variance**0.5 if variance else 0.0
    assert float(mann_kendall(values)) == pytest.approx(2 * stats.norm.sf(z))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True).map(sorted), st.integers(41, 60))
def test_reduced_frequency_is_that_of_the_definition(places: list[int], size: int) -> None:
    reach = size / len(places)
    distances = [after - before for before, after in zip(places, [*places[1:], places[0] + size], strict=True)]
    expected = sum(min(each, reach) for each in distances) / reach
    found = reduced_frequencies(np.array([*places, 3]), np.array([len(places), 1]), size)
    assert found.tolist() == pytest.approx([expected, 1.0])
