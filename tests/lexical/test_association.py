"""Measures of association against the numbers that were published for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64
from corpusdb.search.lexical import expected_frequency, log_dice, log_likelihood, mutual_information, t_score

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


def test_the_table_of_hat_and_roll() -> None:
    """The expected frequency of Evert's contingency table of 2, 18, 1 and 87, worked out by hand: 20 · 3 / 108."""
    assert expected_frequency(20, 3, 108) == pytest.approx(5 / 9)


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
