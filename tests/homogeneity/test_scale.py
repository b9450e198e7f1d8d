"""The scale between two references against its equations, written out for one text at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.homogeneity.scale import (
    QUANTILES,
    Anchors,
    LinearScale,
    Statistics,
    coefficients,
    held_out_scale,
    summary,
)

ANCHORS = Anchors(h11=1.5, h12=3.5, h21=3.0, h22=1.6)
entries = st.lists(
    st.tuples(st.integers(0, 50), st.floats(0, 400), st.floats(0, 400), st.integers(0, 2)), min_size=1, max_size=12
)


def statistics(rows: Sequence[Sequence[float]]) -> Statistics:
    characters, bits1, bits2 = (np.array(column) for column in list(zip(*rows, strict=True))[:3])
    return Statistics(characters.astype(np.int64), bits1.astype(np.float64), bits2.astype(np.float64))


def by_the_equations(characters: float, bits1: float, bits2: float) -> float | None:
    if not characters:
        return None
    w1 = (bits1 / characters - ANCHORS.h11) / (ANCHORS.h12 - ANCHORS.h11)
    w2 = (bits2 / characters - ANCHORS.h22) / (ANCHORS.h21 - ANCHORS.h22)
    return None if w1 + w2 <= 0.05 else w1 / (w1 + w2)


@given(rows=entries)
def test_coefficients_are_those_of_the_equations(rows: list[tuple[int, float, float, int]]) -> None:
    found = coefficients(statistics(rows), ANCHORS)
    for (characters, bits1, bits2, _), value, undefined, clipped in zip(
        rows, found.values, found.undefined, found.clipped, strict=True
    ):
        expected = by_the_equations(characters, bits1, bits2)
        assert undefined == (expected is None)
        assert clipped == (expected is not None and not 0 <= expected <= 1)
        if expected is not None:
            assert value == pytest.approx(min(max(expected, 0), 1))


@given(rows=entries)
def test_a_group_is_measured_by_its_sums(rows: list[tuple[int, float, float, int]]) -> None:
    found = coefficients(statistics(rows).grouped(np.array([row[3] for row in rows]), 3), ANCHORS)
    for group in range(3):
        own = [row for row in rows if row[3] == group]
        expected = by_the_equations(*(sum(row[column] for row in own) for column in range(3)))
        assert math.isnan(found.values[group]) == (expected is None)
        if expected is not None:
            assert found.values[group] == pytest.approx(min(max(expected, 0), 1))
    assert statistics(rows).total().characters.tolist() == [sum(row[0] for row in rows)]


def test_the_references_are_at_the_ends() -> None:
    first, second = statistics([(100, 150, 300)]), statistics([(10, 35, 16)])
    anchors = Anchors.of(first, second)
    assert anchors == ANCHORS
    assert coefficients(first, anchors).values.tolist() == [0]
    assert coefficients(second, anchors).values.tolist() == [1]


@pytest.mark.parametrize("anchors", [(2, 2, 3, 1), (1, 3, 1, 1), (3, 2, 3, 1), (math.nan, 2, 3, 1)])
def test_references_that_span_no_scale_are_refused(anchors: tuple[float, float, float, float]) -> None:
    with pytest.raises(InputError, match="span no scale"):
        Anchors(*anchors)
    with pytest.raises(InputError, match="cannot be told apart"):
        LinearScale(1, 1)


def test_positions_are_linear_in_the_difference() -> None:
    scale = LinearScale.of(statistics([(10, 20, 30), (10, 20, 30)]), statistics([(5, 20, 10)]))
    assert scale == LinearScale(-1, 2)
    found = scale.positions(statistics([(10, 20, 30), (10, 40, 20), (10, 30, 25), (10, 60, 10), (0, 0, 0)]))
    assert found.tolist() == pytest.approx([0, 1, 0.5, 2, math.nan], nan_ok=True)


def test_held_out_texts_are_measured_without_themselves() -> None:
    seen: list[tuple[set[str], set[str], set[str]]] = []

    def measure(first: Sequence[str], second: Sequence[str], held_out: Sequence[str]) -> Statistics:
        seen.append((set(first), set(second), set(held_out)))
        side = [(1, 1, 2) if text.startswith("a") else (1, 3, 1) for text in held_out]
        return statistics(side or [(0, 0, 0)])

    first, second = ["a0", "a1", "a2", "a3"], ["b0", "b1", "b2"]
    scale = held_out_scale(first, second, np.array([0, 1, 0, 1]), np.array([1, 0, 2]), measure)
    assert scale == LinearScale(-1, 2)
    assert {"a0", "a1", "a2", "a3", "b0", "b1", "b2"} == set().union(*(held_out for _, _, held_out in seen))
    assert not any(held_out & (one | two) for one, two, held_out in seen)
    assert ({"a1", "a3"}, {"b0", "b2"}, {"a0", "a2"}) in seen
    with pytest.raises(InputError, match="one fold only"):
        held_out_scale(first, second, np.array([0, 0, 0, 0]), np.array([1, 0, 2]), measure)


@given(values=st.lists(st.floats(-3, 3) | st.just(math.nan), max_size=20))
def test_a_summary_counts_what_has_no_value(values: list[float]) -> None:
    found, known = summary(np.array(values)), [value for value in values if not math.isnan(value)]
    assert (found.entries, found.undefined, found.clipped) == (len(values), len(values) - len(known), 0)
    assert found.mean == (pytest.approx(sum(known) / len(known), abs=1e-9) if known else None)
    assert (found.sd is None) == (len(known) < 2)
    if found.sd is not None and found.mean is not None:
        variance = sum((value - found.mean) ** 2 for value in known) / (len(known) - 1)
        assert found.sd == pytest.approx(math.sqrt(variance), abs=1e-9)
    assert found.quantiles is None or list(found.quantiles) == sorted(found.quantiles)
    assert (found.quantiles is None) == (found.median is None) == (not known)
    assert found.quantiles is None or len(found.quantiles) == len(QUANTILES)


def test_clipped_values_are_counted() -> None:
    found = summary(coefficients(statistics([(10, 5, 30), (10, 20, 20), (10, 15, 16)]), ANCHORS))
    assert (found.entries, found.undefined, found.clipped) == (3, 1, 1)
