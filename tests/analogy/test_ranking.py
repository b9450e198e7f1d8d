"""Ranking as arithmetic: what several origins say makes one score, and which paraphrase comes first."""

from __future__ import annotations

import random

import pytest

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.corpus.model import Finding
from corpusdb.paraphrase.ranking import rank, score


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([], 0.0),
        ([(0.95, 0.0)], 0.95),
        ([(0.0, 1.0)], 1 / 2),
        ([(0.95, 0.0), (0.0, 1.0)], 0.975),
        ([(0.95, 0.0), (0.0, 1.0), (0.8, 0.0)], 0.995),
        ([(1.0, 0.0), (0.5, 0.0)], 1.0),
    ],
)
def test_score(evidence: list[tuple[float, float]], expected: float) -> None:
    """Worked out by hand from 1 - product of (1 - strength), where odds of 1 are a strength of 1/2."""
    findings = [Finding(str(n), "a", strength=strength, odds=odds) for n, (strength, odds) in enumerate(evidence)]
    assert score(findings) == pytest.approx(expected)


def test_two_origins_are_combined_to_the_last_digit_as_stored_scores_were() -> None:
    """Samples and recipes keep scores and ranks: 1 - (1 - d) / (1 + odds), not another order of operations."""
    chance = random.Random(1)
    for _ in range(1000):
        strength, odds = 1 - 0.05 * 0.2 ** chance.randrange(8), chance.random() * 30
        both = [Finding("d", "a", strength=strength), Finding("g", "a", odds=odds)]
        assert score(both) == 1 - (1 - strength) / (1 + odds)
        assert score(both[1:]) == 1 - 1 / (1 + odds)
        assert score(both[:1]) == 1 - (1 - strength)


def test_each_text_once_with_the_figures_of_all_its_origins() -> None:
    first = Finding("d", "a", languages=3, probability=0.1, shared=2, fluency=NO_LIMIT, inner_fluency=NO_LIMIT)
    second = Finding("g", "a", 7, 2, 1, 0.4, 0, 12, 14)
    (one,) = rank([first, second])
    assert (one.frequency, one.pivots, one.languages, one.probability, one.shared) == (7, 2, 3, 0.4, 2)
    assert (one.order, one.inner_order, one.in_corpus) == (12, 14, False)
    assert (one.origins, one.findings) == (("d", "g"), (first, second))


def test_the_best_first_and_ties_by_code_points() -> None:
    found = rank([Finding("d", text, strength=0.5) for text in ("b", "é", "a", "Z")] + [Finding("g", "b", odds=0.1)])
    assert [one.text for one in found] == ["b", "Z", "a", "é"]
