"""Pictures of stored scores: what the bars of segments count, and how agreement is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64
from corpusdb.base.cells import cell_width
from corpusdb.scoring.table_report import agreement_in_words, bin_edges, segment_lines, smoothed_difference


@given(
    st.lists(st.floats(-200, 200) | st.sampled_from([0.0, float("nan")]), min_size=1, max_size=60),
    st.booleans(),
    st.booleans(),
)
def test_every_segment_with_a_score_is_in_the_one_bar_that_leads_to_it(
    values: list[float], are_differences: bool, ascii: bool
) -> None:
    scores = np.round(np.array(values), 4)
    known: F64 = scores[~np.isnan(scores)]
    if not known.size:
        return
    heading, *bars = segment_lines(scores, 7, "a system", 60, are_differences=are_differences, ascii=ascii)
    assert heading.is_heading and heading.text.startswith(f"a system: {known.size:,} segments, median ")
    ends = [bar.bar for bar in bars if bar.bar is not None]
    ties = [int(bar.text.split()[1]) for bar in bars if bar.text.split()[0] == "equal"]
    assert ties == [count for count in [np.count_nonzero(known == 0)] if count and are_differences]
    assert len(ends) == len(bars) <= 20 + len(ties) and {bar.output for bar in bars} == {7}
    held = [sum(low <= value < below for value in known.tolist()) for low, below in ends]
    figures = [int(bar.text.split(" to ")[-1].split()[1].replace(",", "")) for bar in bars]
    assert figures == held and sum(held) == known.size
    assert max(cell_width(bar.text) for bar in bars) <= 60
    assert all(bar.text.isascii() for bar in bars) or not ascii


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        ([3.0, 3.0], [3.0, 4.0]),
        ([0.0, 100.0], [5.0 * place for place in range(21)]),
        ([0.12, 0.5], [0.02 * place for place in range(6, 26)]),
    ],
)
def test_ends_of_bars_are_round(values: list[float], edges: list[float]) -> None:
    assert bin_edges(np.array(values)) == pytest.approx(edges)


@pytest.mark.parametrize(
    ("points", "lower_is_better", "told"),
    [
        ([(1, 10), (2, 20), (3, 30)], False, "Pearson 1.000, Kendall 1.000, pairs in the same order 100 %"),
        ([(1, 30), (2, 20), (3, 10)], True, "Pearson 1.000, Kendall 1.000, pairs in the same order 100 %"),
        ([(1, 30), (2, 20), (3, 10)], False, "Pearson -1.000, Kendall -1.000, pairs in the same order 0 %"),
        ([(1, 30)], False, "one of the systems has both scores, and two are needed"),
        ([(1, 3), (1, 4)], False, "the human scores of all systems are the same"),
    ],
)
def test_agreement_is_told_in_words(points: list[tuple[float, float]], lower_is_better: bool, told: str) -> None:
    assert agreement_in_words(points, lower_is_better=lower_is_better) == told


def test_smoothed_scores_of_two_are_subtracted() -> None:
    one, other = np.array([3.0, 1.0]), np.array([1.0, 2.0])
    assert smoothed_difference([one]) is one and smoothed_difference([one, None]) is None
    assert smoothed_difference([one, other]) == pytest.approx([2.0, -1.0])
