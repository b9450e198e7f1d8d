from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from corpusdb.base.cells import Axis, bar_plot, point_plot

POINT = st.tuples(st.floats(0.01, 1e6), st.floats(0.01, 1e6))


def test_bars_by_hand() -> None:
    assert bar_plot([("one", "8", 8), ("ten", "10", 10), ("no", "0", 0)], 21, ascii=True) == [
        "  one   8  ########",
        "  ten  10  ##########",
        "   no   0  #",
    ]


@pytest.mark.parametrize(("value", "bar"), [(16, "████"), (10, "██▌"), (9, "██▎"), (1, "▎"), (0, "▏")])
def test_bars_end_at_an_eighth_of_a_cell(value: float, bar: str) -> None:
    assert bar_plot([("a", "1", value), ("b", "2", 16)], 12)[0] == f"  a  1  {bar}"


def test_labels_are_aligned_by_cells() -> None:
    lines = bar_plot([("日本", "1", 1), ("a", "22", 1)], 30)
    assert [cell_len(line.partition("█")[0]) for line in lines] == [12, 12]


def test_nothing_to_plot_is_said() -> None:
    assert bar_plot([], 80) == point_plot({"a": []}, (80, 10), Axis("x"), Axis("y")) == ["  none"]


def test_points_by_hand() -> None:
    """A diagonal of four points in four columns and two lines, which are four half lines."""
    plot = point_plot({"a": [(n, n) for n in range(4)]}, (8, 5), Axis("x"), Axis("y"), ascii=True)
    assert plot == ["y over x", "2 |  .'", "0 |.'", "  +----", "   0 2"]


def test_a_logarithmic_axis_shows_ratios() -> None:
    """Powers of ten stand as far apart as their exponents do."""
    axes = Axis("x", log=True), Axis("y", log=True)
    logarithmic = point_plot({"a": [(10**n, 10**n) for n in range(4)]}, (10, 5), *axes, ascii=True)
    linear = point_plot({"a": [(n, n) for n in range(4)]}, (8, 5), Axis("x"), Axis("y"), ascii=True)
    drawn = [[line.partition("|")[2] for line in plot[1:3]] for plot in (logarithmic, linear)]
    assert drawn[0] == drawn[1] == ["  .'", ".'"]


def test_several_series_have_marks_and_the_first_is_on_top() -> None:
    plot = point_plot({"mean": [(0, 0), (1, 1)], "most": [(1, 1)]}, (20, 8), Axis("x"), Axis("y"))
    assert plot[0] == "* mean  o most"
    body = "".join(plot[2:])
    assert (body.count("*"), body.count("o")) == (2, 0)


@given(points=st.lists(POINT, min_size=1, max_size=30), width=st.integers(20, 200), height=st.integers(6, 40))
@pytest.mark.parametrize("log", [False, True])
def test_a_plot_keeps_its_size_and_shows_both_ends(
    log: bool, points: Sequence[tuple[float, float]], width: int, height: int
) -> None:
    plot = point_plot({"a": points}, (width, height), Axis("x", log), Axis("y", log), ascii=True)
    assert len(plot) == height
    frame = [line for line in plot if "|" in line]
    assert all(len(line) <= width for line in [*frame, plot[-2]])
    assert all(line.isascii() for line in plot)
    drawn = [line.partition("|")[2] for line in frame]
    marks = sum(2 if mark == ":" else 1 for line in drawn for mark in line if mark != " ")
    assert 1 <= marks <= len(set(points))
    assert drawn[0].strip(), "the highest point stands in the first line"
    assert len({line.index("|") for line in frame}) == 1, "the axis is straight"


def test_what_a_logarithmic_axis_cannot_show() -> None:
    with pytest.raises(ValueError, match="seeds: a logarithmic axis has no place for 0"):
        point_plot({"a": [(1, 0)]}, (40, 10), Axis("x"), Axis("seeds", log=True))
