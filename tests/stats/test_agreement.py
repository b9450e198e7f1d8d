"""Cohen's kappa against published tables, and what holds of every table."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.stats.estimates import Kappa, Weights, cohen_kappa, contingency_table

# Artstein and Poesio, Computational Linguistics 34 (2008), tables 1 and 4; scikit-learn tests itself with the same two.
ARTSTEIN_POESIO = [
    ([[20, 20], [10, 50]], 0.348),
    ([[46, 6, 0], [0, 32, 0], [0, 6, 10]], 0.8013),
]
# Fleiss, Statistical Methods for Rates and Proportions (1981), two raters of 200 subjects in three categories.
FLEISS = [([[106, 10, 4], [22, 28, 10], [2, 12, 6]], 0.429), ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492)]
# Output of SAS proc freq for this table, quoted in the tests of statsmodels: kappa and its 95 % confidence limits.
SAS = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
TABLES = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 30), min_size=size, max_size=size), min_size=size, max_size=size)
)


@pytest.mark.parametrize(("table", "published"), [*ARTSTEIN_POESIO, *FLEISS])
def test_published_kappas(table: list[list[int]], published: float) -> None:
    digits = len(str(published)) - 2
    assert cohen_kappa(table).value == pytest.approx(published, abs=0.5 * 10**-digits)


@pytest.mark.parametrize(
    ("weights", "value", "low", "high"), [("none", 0.4842, 0.2137, 0.7547), ("linear", 0.4701, 0.1845, 0.7558)]
)
def test_published_confidence_limits(weights: Weights, value: float, low: float, high: float) -> None:
    found = cohen_kappa(SAS, weights=weights)
    assert found.interval is not None
    assert found.value is not None
    assert [round(each, 4) for each in (found.value, found.interval.low, found.interval.high)] == [value, low, high]


def test_the_parts_of_kappa() -> None:
    found = cohen_kappa([[20, 5], [10, 15]])  # by hand: (20 + 15) / 50, and 0.5 * 0.6 + 0.5 * 0.4
    assert (found.items, found.observed) == (50, 0.7)
    assert found.expected == pytest.approx(0.5)
    assert found.value == pytest.approx(0.4)


def test_labels_become_a_table() -> None:
    table = contingency_table(["no", "yes", "yes", "no"], ["yes", "yes", "yes", "no"], ["yes", "no"])
    assert table == [[2, 0], [1, 1]]


@pytest.mark.parametrize(
    ("first", "second", "error"), [(["yes"], ["yes", "no"], ValueError), (["yes"], ["perhaps"], KeyError)]
)
def test_labels_that_do_not_fit_are_refused(first: list[str], second: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        contingency_table(first, second, ["yes", "no"])


@pytest.mark.parametrize("table", [[], [[0, 0], [0, 0]]])
def test_nothing_judged_has_no_kappa(table: list[list[int]]) -> None:
    assert cohen_kappa(table) == Kappa(0, None, None, None, None)


def test_one_label_only_has_no_kappa() -> None:
    assert cohen_kappa([[7, 0], [0, 0]]) == Kappa(7, 1.0, 1.0, None, None)


def test_a_table_that_is_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match="not square"):
        cohen_kappa([[1, 2]])


@given(TABLES, st.sampled_from(get_args(Weights)))
def test_kappa_does_not_depend_on_who_is_first_and_lies_in_its_interval(
    table: list[list[int]], weights: Weights
) -> None:
    found = cohen_kappa(table, weights=weights)
    turned = cohen_kappa([list(column) for column in zip(*table, strict=True)], weights=weights)
    if found.value is None:
        assert turned.value is None
        return
    assert found.interval is not None
    assert turned.value == pytest.approx(found.value)
    assert -1 - 1e-12 <= found.interval.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.interval.high <= 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=4), st.sampled_from(get_args(Weights)))
def test_full_agreement_is_one(counts: list[int], weights: Weights) -> None:
    table = [[count if row == column else 0 for column in range(len(counts))] for row, count in enumerate(counts)]
    found = cohen_kappa(table, weights=weights)
    assert found.interval is not None
    assert found.value == pytest.approx(1.0)
    assert found.interval.low == pytest.approx(1.0, abs=1e-6)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4), st.lists(st.integers(1, 9), min_size=2, max_size=4))
def test_independent_judges_agree_by_chance_only(rows: list[int], columns: list[int]) -> None:
    size = min(len(rows), len(columns))
    table = [[row * column for column in columns[:size]] for row in rows[:size]]
    assert cohen_kappa(table).value == pytest.approx(0.0, abs=1e-12)
