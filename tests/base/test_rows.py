"""Rows as TSV, CSV and JSON lines, and cells that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.display import Cell, CsvWriter, Formulas, cell_text, escape_breaks, is_formula, json_line, tsv_line

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2, max_size=4)


@given(TEXTS)
def test_a_row_of_tsv_is_one_line_of_as_many_cells(cells: list[str]) -> None:
    line = tsv_line(cells)
    assert line.endswith("\n")
    assert "\r" not in line
    assert len(line[:-1].split("\t")) == len(cells)
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (("a\tb", "c\r\nd", r"\t"), "a\\tb\tc\\r\\nd\t\\t\n"),
        ((None, b"\x01\xff", 3, 0.5), "\t01ff\t3\t0.5\n"),
        ((), "\n"),
    ],
)
def test_cells_of_tsv(cells: tuple[Cell, ...], line: str) -> None:
    assert tsv_line(cells) == line


@given(TEXTS, st.sampled_from(["\r\n", "\n"]), st.booleans())
@example(["", "\r"], "\n", False)
def test_csv_is_read_back_as_it_was(cells: list[str], line_end: str, quote_all: bool) -> None:
    file = io.StringIO(newline="")
    CsvWriter(file, line_end="\n" if line_end == "\n" else "\r\n").write(cells, quote_all=quote_all)
    assert file.getvalue().endswith(line_end)
    assert list(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [cells]


def test_csv_counts_what_a_spreadsheet_would_run_and_keeps_it() -> None:
    file = io.StringIO(newline="")
    table = CsvWriter(file)
    for row in (("=1+1", "a"), (None, "-5"), ("@x", "=y")):
        table.write(row)
    assert table.formulas.cells == 3
    assert file.getvalue() == "=1+1,a\r\n,-5\r\n@x,=y\r\n"


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.lists(st.text()))), st.booleans())
def test_json_is_one_line_and_read_back_as_it_was(document: dict[str, object], compact: bool) -> None:
    line = json_line(document, compact=compact)
    assert "\n" not in line
    assert json.loads(line) == document


def test_compact_json_has_no_spaces_and_text_stays_readable() -> None:
    assert json_line({"a": ["é", 1]}) == '{"a": ["é", 1]}'
    assert json_line({"a": ["é", 1]}, compact=True) == '{"a":["é",1]}'


_CELLS = st.one_of(
    st.text("a\t\n\r\x85é", max_size=3), st.integers(), st.floats(), st.booleans(), st.binary(), st.none()
)


@given(st.lists(_CELLS, max_size=4))
def test_a_line_is_its_escaped_cells(cells: list[Cell]) -> None:
    assert tsv_line(cells) == "\t".join(escape_breaks(cell_text(cell)) for cell in cells) + "\n"


# Cells that a spreadsheet would run, and numbers, which it would not.


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
