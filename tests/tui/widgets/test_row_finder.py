"""Finding in rows, down and up, and round the end."""

from __future__ import annotations

import pytest

from tui.kit.row_list import Found, find_row

TEXTS = ["Beer", "tea", "a beer", "wine", "BEER!"]


@pytest.mark.parametrize(
    ("start", "direction", "expected"),
    [
        (0, 1, Found(0, 1, 3)),
        (1, 1, Found(2, 2, 3)),
        (5, 1, Found(0, 1, 3)),
        (3, -1, Found(2, 2, 3)),
        (4, -1, Found(4, 3, 3)),
        (-1, -1, Found(4, 3, 3)),
    ],
)
def test_the_next_row_that_holds_it(start: int, direction: int, expected: Found) -> None:
    assert find_row(TEXTS, "beer", start, direction) == expected


def test_no_row_holds_it() -> None:
    assert find_row(TEXTS, "coffee", 0, 1) is None
