"""Cells that a spreadsheet would run, and numbers, which it would not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.rows import Formulas, is_formula


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "- Oui.", "-3x", "+", "--1", "-inf"],
)
def test_a_formula(cell: str) -> None:
    assert is_formula(cell) == (len(cell) > 1)


@pytest.mark.parametrize(
    "cell", ["", "-", "=", "-3", "+3", "-0.5", "-.5", "-1e-07", "+1.5E+10", "-1,234", "-5%", "a=1", " =1", "'=1"]
)
def test_no_formula(cell: str) -> None:
    assert not is_formula(cell)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_no_number_is_a_formula(number: float) -> None:
    assert not is_formula(str(number))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["a", "-1"]], ""),
        ([["=a", "b"]], "1 cell begins as a formula does (=, +, -, @)"),
        ([["=a", "-b"], ["@c", ""]], "3 cells begin as formulas do (=, +, -, @)"),
    ],
)
def test_they_are_counted_and_stay(rows: list[list[str]], told: str) -> None:
    formulas = Formulas()
    assert [formulas.watch(row) for row in rows] == rows
    assert str(formulas).startswith(told)
    assert bool(str(formulas)) == bool(told)
