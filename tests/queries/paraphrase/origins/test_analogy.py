"""Generated paraphrases as an origin."""

from __future__ import annotations

import pytest

from corpusdb.paraphrase.queries.origins.analogy import analogy_odds


@pytest.mark.parametrize(
    ("frequency", "pivots", "languages", "probability", "expected"),
    [(0, 0, 0, 0.0, 0.0), (1, 1, 1, 0.5, 1 / 2), (3, 1, 1, 0.5, 1.0), (3, 2, 1, 0.5, 2.0), (3, 2, 2, 0.25, 2.0)],
)
def test_odds(frequency: int, pivots: int, languages: int, probability: float, expected: float) -> None:
    """Worked out by hand."""
    assert analogy_odds(frequency, pivots, languages, probability) == pytest.approx(expected)
