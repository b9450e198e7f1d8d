"""Symmetrisation against the published definition, word by word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.links import SYMMETRISATIONS, Link, Links, Symmetrisation, agreement, symmetrised
from corpusdb.base.arrays import Bools

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def grow_diag_final_and(e2f: set[Link], f2e: set[Link], english: int, foreign: int) -> set[Link]:
    """Koehn, Och and Marcu (2003), as the pseudocode of Koehn's book (2010, figure 4.14) has it; points are (e, f).

    Grow-diag goes over all points of the matrix, as long as something is added; final-and over those of each direction.
    """
    alignment = e2f & f2e
    union = e2f | f2e

    def is_aligned_e(e: int) -> bool:
        return any(point[0] == e for point in alignment)

    def is_aligned_f(f: int) -> bool:
        return any(point[1] == f for point in alignment)

    while True:
        added = False
        for e in range(english):
            for f in range(foreign):
                if (e, f) not in alignment:
                    continue
                for de, df in NEIGHBOURS:
                    new = (e + de, f + df)
                    if new in alignment or new not in union:
                        continue
                    if not is_aligned_e(new[0]) or not is_aligned_f(new[1]):
                        alignment.add(new)
                        added = True
        if not added:
            break
    for direction in (e2f, f2e):
        for e in range(english):
            for f in range(foreign):
                if (e, f) in direction and not is_aligned_e(e) and not is_aligned_f(f):
                    alignment.add((e, f))
    return alignment


def points(linked: Bools) -> set[Link]:
    return {(int(e), int(f)) for e, f in zip(*np.nonzero(linked), strict=True)}


@st.composite
def directions(draw: st.DrawFn) -> tuple[Bools, Bools]:
    """Of some pairs of texts of at most 6 words: each word of one side has a link at most in each direction."""
    pairs, english, foreign = draw(st.integers(1, 4)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    forward, backward = np.zeros((2, pairs, english, foreign), dtype=np.bool_)
    for pair in range(pairs):
        for e in range(english):
            if (f := draw(st.integers(-1, foreign - 1))) >= 0:
                forward[pair, e, f] = True
        for f in range(foreign):
            if (e := draw(st.integers(-1, english - 1))) >= 0:
                backward[pair, e, f] = True
    return forward, backward


@given(directions())
def test_grow_diag_final_and_is_as_published(both: tuple[Bools, Bools]) -> None:
    forward, backward = both
    found = symmetrised(forward, backward, "grow-diag-final-and")
    for row in range(len(forward)):
        expected = grow_diag_final_and(points(forward[row]), points(backward[row]), *forward.shape[1:])
        assert points(found[row]) == expected


@given(directions())
def test_ways_contain_each_other(both: tuple[Bools, Bools]) -> None:
    found = {way: symmetrised(*both, way) for way in SYMMETRISATIONS}
    assert (found["intersection"] <= found["grow-diag-final-and"]).all()
    assert (found["grow-diag-final-and"] <= found["union"]).all()
    np.testing.assert_array_equal(found["intersection"], both[0] & both[1])
    np.testing.assert_array_equal(found["union"], both[0] | both[1])
    np.testing.assert_array_equal(found["forward"], both[0])
    np.testing.assert_array_equal(found["backward"], both[1])


pairs_of_links = st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique=True))


@given(pairs_of_links)
def test_links_come_back_in_order(pairs: list[list[Link]]) -> None:
    links = Links.of(pairs)
    assert [links.of_pair(number) for number in range(len(links))] == [sorted(each) for each in pairs]


@given(pairs_of_links)
def test_links_from_matrices_are_those_from_lists(pairs: list[list[Link]]) -> None:
    parts = []
    for number, each in reversed(list(enumerate(pairs))):
        linked = np.zeros((1, 10, 10), dtype=np.bool_)
        for source, target in each:
            linked[0, target, source] = True
        parts.append((np.array([number]), linked))
    found, expected = Links.in_order(parts, len(pairs)), Links.of(pairs)
    np.testing.assert_array_equal(found.starts, expected.starts)
    np.testing.assert_array_equal(found.sources, expected.sources)
    np.testing.assert_array_equal(found.targets, expected.targets)


def test_the_error_rate_is_that_of_och_and_ney() -> None:
    """3 found, 2 of them sure and the third possible; 4 are sure: AER = 1 - (2 + 3) / (3 + 4)."""
    found = agreement([([(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)], []), ([(0, 1)], [(0, 0)], [(0, 1)])])
    assert (found.precision, found.recall) == (1, 0.5)
    assert found.aer == pytest.approx(1 - 5 / 7)


def test_nothing_found_and_nothing_sure_has_no_measures() -> None:
    nothing = agreement([([], [], [(0, 0)])])
    assert (nothing.precision, nothing.recall, nothing.aer) == (None, None, None)
    assert agreement([([], [(0, 0)], [])]).aer == 1


@pytest.mark.parametrize("way", SYMMETRISATIONS)
def test_no_pairs_have_no_links(way: Symmetrisation) -> None:
    nothing = np.zeros((1, 2, 3), dtype=np.bool_)
    assert not symmetrised(nothing, nothing, way).any()
    assert len(Links.in_order([], 2)) == 2
