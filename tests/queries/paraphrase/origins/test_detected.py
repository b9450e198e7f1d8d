"""Detected paraphrases as an origin."""

from __future__ import annotations

import pytest

from corpusdb.paraphrase.queries.origins.detected import detection_strength


@pytest.mark.parametrize(("shared", "expected"), [(1, 0.95), (2, 0.99), (3, 0.998)])
def test_strength(shared: int, expected: float) -> None:
    """Worked out by hand."""
    assert detection_strength(shared) == pytest.approx(expected)
