"""Tables of the overview as lines."""

from __future__ import annotations

from corpusdb.base.cells import table_lines


def test_columns_are_aligned_by_cells() -> None:
    rows = [("日本", 1, "x"), ("a", 1_000, "yy")]
    assert table_lines(("name", "n", "what"), rows) == [
        "  name      n  what",
        "  日本      1  x",
        "  a     1,000  yy",
    ]
    assert table_lines(("name",), []) == []
