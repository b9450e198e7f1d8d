"""Crossings are where a search for them along the interpolated curves finds them; spreads are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.studies.homogeneity.curves import SelectionCurve, crossing_of

SHARES = (0.01, 0.1, 0.25, 0.5, 0.75, 1.0)
VALUES = st.lists(st.integers(1, 9).map(float), min_size=len(SHARES) - 1, max_size=len(SHARES) - 1)
"""Of all shares but the last, at which all curves meet."""


def curves(selected: list[float], draws: list[list[float]], end: float = 5.0) -> tuple[SelectionCurve, SelectionCurve]:
    rows = [(*draw, end) for draw in draws]
    means = tuple(float(each) for each in np.mean(rows, axis=0))
    random = SelectionCurve("perplexity", "random", SHARES, means, tuple(rows))
    return SelectionCurve("perplexity", "coefficient", SHARES, (*selected, end)), random


def searched(ours: list[float], theirs: list[float]) -> float | None:
    """The last share at which the first of two curves ceases to be lower, by looking everywhere."""
    fine = np.linspace(SHARES[0], SHARES[-2], 74_001)
    gaps = np.interp(fine, SHARES[:-1], ours) - np.interp(fine, SHARES[:-1], theirs)
    ends = np.flatnonzero((gaps[:-1] < -1e-9) & (gaps[1:] >= -1e-9))
    return float(fine[ends[-1] + 1]) if len(ends) else None


@given(VALUES, st.lists(VALUES, min_size=1, max_size=5), st.booleans())
def test_crossings_are_found(selected: list[float], draws: list[list[float]], lower_is_better: bool) -> None:
    found = crossing_of(*curves(selected, draws), lower_is_better=lower_is_better)
    sign = 1 if lower_is_better else -1
    ours = [sign * value for value in selected]
    theirs = np.array(draws) * sign
    for share, other in (
        (found.share, theirs.mean(axis=0)),
        (found.beyond_draws, theirs.min(axis=0)),
        *zip(found.of_draws, theirs, strict=True),
    ):
        expected = searched(ours, list(other))
        assert (share is None) == (expected is None)
        assert share is None or share == pytest.approx(expected, abs=1e-4)
    better = [share for share, one, other in zip(SHARES, ours, theirs.mean(axis=0), strict=False) if one < other]
    assert [*found.better_at] == better
    assert {*found.better_than_all_at} <= {*found.better_at}


@given(VALUES, st.lists(VALUES, min_size=1, max_size=3))
def test_a_verdict_is_none_or_a_share(selected: list[float], draws: list[list[float]]) -> None:
    found = crossing_of(*curves(selected, draws), lower_is_better=True)
    assert (found.share is None) == found.verdict.startswith("none: ")
    if found.share is not None:
        assert found.verdict.startswith(f"at {100 * found.share:.1f} %")
    is_better_last = found.better_at[-1:] == found.compared[-1:]
    assert is_better_last == ("the method is better" in found.verdict)
    assert found.better_at == () or is_better_last or found.share is not None
    assert ("the draws" in found.verdict) == (len(draws) > 1 and bool(found.better_at))


def test_a_method_of_small_amounts_is_compared_there_only() -> None:
    random = SelectionCurve("bleu", "random", SHARES, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    found = crossing_of(SelectionCurve("bleu", "cynical", SHARES, (2.0, 1.0)), random, lower_is_better=False)
    assert found.compared == (0.01, 0.1)
    assert found.share == found.beyond_draws == pytest.approx(0.055)
    assert (found.better_at, found.better_than_all_at, found.of_draws) == ((0.01,), (0.01,), ())


@given(st.lists(VALUES, min_size=2, max_size=5))
def test_spreads_are_those_of_numpy(draws: list[list[float]]) -> None:
    _, random = curves([1.0] * 5, draws)
    expected = np.std([(*draw, 5.0) for draw in draws], axis=0, ddof=1)
    assert random.sd == pytest.approx(tuple(expected))


def test_one_draw_has_no_spread() -> None:
    selected, random = curves([1.0] * 5, [[2.0] * 5])
    assert random.sd == selected.sd == (None,) * 6
    assert crossing_of(selected, random, lower_is_better=True).verdict == "none: the method is better at every amount"
