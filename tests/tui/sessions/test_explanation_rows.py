"""What the browser lists behind a paraphrase that no analogy yields."""

from __future__ import annotations

import pytest

from corpusdb.model import Explanation
from tui.sessions.explanation_screen import explanation_rows


@pytest.mark.parametrize(
    ("reasons", "last"),
    [(("one", "another"), ["one", "another"]), ((), ["No analogy and no shared translation is known."])],
)
def test_reasons_in_words_are_rows(reasons: tuple[str, ...], last: list[str]) -> None:
    rows = list(explanation_rows(Explanation("the seed", "the candidate", (), 0, reasons=reasons)))
    assert [row.text for row in rows] == ["the candidate", "  paraphrases the seed", *last]
