"""Confirmed pairs by their probability: against counting pair by pair, and by what must hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.stats.estimates import Interval, wilson
from corpusdb.studies.precision.precision import EDGES, HeldOutPairs, area_under_curve, bands, curve

_SCORED = st.lists(st.tuples(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.95, 0.9999, 1.0]), st.booleans()), max_size=30)


def pairs_of(confirmed: list[bool], expected: float = 0.5) -> HeldOutPairs:
    size = len(confirmed)
    return HeldOutPairs(np.array(confirmed, dtype=np.bool_), np.full(size, expected), np.arange(size, dtype=np.int64))


@given(_SCORED)
def test_the_area_is_that_of_all_pairs_of_a_confirmed_and_another(scored: list[tuple[float, bool]]) -> None:
    good, bad = ([score for score, is_good in scored if is_good is wanted] for wanted in (True, False))
    wins = [1.0 if one > other else 0.5 if one == other else 0.0 for one in good for other in bad]
    found = area_under_curve(np.array([score for score, _ in scored]), np.array([good for _, good in scored], bool))
    assert found == (pytest.approx(sum(wins) / len(wins)) if wins else None)


@given(_SCORED)
def test_each_pair_is_in_one_band(scored: list[tuple[float, bool]]) -> None:
    probability, pairs = np.array([score for score, _ in scored]), pairs_of([good for _, good in scored])
    found = bands(pairs, probability)
    assert [(each.low, each.high) for each in found] == list(pairwise(EDGES))
    for band in found:
        inside = [
            good for score, good in scored if band.low <= score and (score < band.high or score == 1 == band.high)
        ]
        assert (band.pairs, band.confirmed) == (len(inside), sum(inside))
    assert sum(band.pairs for band in found) == len(scored)


@given(_SCORED)
def test_the_curve_holds_the_bands_from_each_threshold_on(scored: list[tuple[float, bool]]) -> None:
    probability, pairs = np.array([score for score, _ in scored]), pairs_of([good for _, good in scored])
    found = bands(pairs, probability)
    for number, point in enumerate(curve(pairs, probability)):
        assert point.least == found[number].low
        assert point.pairs == sum(band.pairs for band in found[number:])
        assert point.confirmed == sum(band.confirmed for band in found[number:])


def test_precision_is_what_is_confirmed_over_what_is_expected() -> None:
    pairs = HeldOutPairs(np.array([True, True, False]), np.array([0.8, 0.5, 0.2]), np.array([7, 7, 9]))
    (band,) = bands(pairs, np.array([0.2, 0.4, 0.9]), (0.0, 1.0))
    assert band.share == pytest.approx(2 / 3)
    assert band.mean == pytest.approx(0.5)
    assert band.precision == pytest.approx(2 / 1.5)
    # A pair and its reverse are one in the interval: two thirds of two, in whole numbers.
    assert band.interval == wilson(1, 2)


def test_no_pairs() -> None:
    for each in (*bands(pairs_of([]), np.empty(0)), *curve(pairs_of([]), np.empty(0))):
        assert (each.pairs, each.confirmed, each.share, each.precision) == (0, 0, None, None)
        assert each.interval == Interval(0.0, 1.0)
