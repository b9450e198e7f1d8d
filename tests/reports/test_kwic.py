"""Lines of a concordance: the matches below each other, whatever the characters, and nothing that a terminal obeys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.cells import cell_width
from corpusdb.search.report import KwicLine, kwic_line

TEXT = st.text("ab 猫ｱe\u0301\x1b\t…", max_size=30)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (("the ", "cat", " sleeps", 6, 7), KwicLine("  the ", "cat", " sleeps")),
        (("the ", "cat", " sleeps", 3, 6), KwicLine("…e ", "cat", " slee…")),
        (("黒い", "猫", "が寝る", 5, 4), KwicLine(" 黒い", "猫", "が…")),
        (("黒い", "猫", "が寝る", 4, None), KwicLine("黒い", "猫", "が寝る")),
        (("黒い猫の", "目", "", 4, 3), KwicLine(" …の", "目", "")),
        (("", "cat", "", 2, 2), KwicLine("  ", "cat", "")),
    ],
)
def test_lines(given: tuple[str, str, str, int, int | None], shown: KwicLine) -> None:
    assert kwic_line(*given) == shown


@given(TEXT, TEXT, TEXT, st.integers(4, 20), st.integers(4, 20))
def test_the_match_begins_in_one_column(left: str, match: str, right: str, before: int, after: int) -> None:
    line = kwic_line(left, match, right, before, after)
    assert cell_width(line.left) == before
    assert cell_width(line.right) <= after
    assert "\x1b" not in "".join(line)
