"""Outliers and near-duplicates against counting one text at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.homogeneity import similarity as outliers
from corpusdb.homogeneity.similarity import (
    RARITY_WEIGHT,
    character_rarity,
    dearest,
    near_duplicates,
    outlier_scores,
    self_entropies,
    uncertainties,
)


@given(rows=st.lists(st.tuples(st.text("abcd", max_size=5), st.integers(0, 2)), max_size=9))
def test_rarity_is_that_of_the_rarest_character_elsewhere(rows: list[tuple[str, int]]) -> None:
    texts, folds = [text for text, _ in rows], np.array([fold for _, fold in rows], dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outliers, "_TEXTS_AT_A_TIME", 2)
        found = character_rarity(texts, folds)
    assert len(found) == len(rows)
    for (text, fold), value in zip(rows, found, strict=True):
        others = [other for other, its in rows if its != fold]
        having = [max(sum(char in other for other in others), 0.5) for char in text]
        expected = max((-math.log2(count / max(len(others), 1)) for count in having), default=0)
        assert value == pytest.approx(expected)


def test_scores_are_bits_of_symbols_and_of_the_rarest_character() -> None:
    entropies = self_entropies(np.array([3, 0]), np.array([9.0, 0.0]), np.array([1.0, 4.0]))
    assert entropies.tolist() == [2.5, 4]
    assert outlier_scores(entropies, np.array([10.0, 0])).tolist() == [2.5 + 10 * RARITY_WEIGHT, 4]


@given(bits=st.lists(st.floats(0, 20), max_size=9), share=st.floats(0.05, 1))
def test_no_fewer_characters_cost_as_much(bits: list[float], share: float) -> None:
    costs = np.array(bits, dtype=np.float64)
    found = dearest(costs, share)
    assert found.tolist() == sorted(set(found.tolist()))
    if costs.sum() <= 0:
        assert not len(found)
        return
    assert costs[found].sum() >= share * costs.sum() * (1 - 1e-9)
    assert sum(sorted(bits, reverse=True)[: len(found) - 1]) < share * costs.sum() * (1 + 1e-9)
    assert not len(found) or costs[found].min() >= np.delete(costs, found).max(initial=0)


def test_equal_keys_are_near_duplicates() -> None:
    assert near_duplicates(["b", "a", "", "b", "", "c", "a", "b"]) == [[0, 3, 7], [1, 6]]


def test_what_a_short_text_costs_by_chance_is_more_than_what_a_long_one_does() -> None:
    entropies = np.array([3.0, 2.0, 2.5, 1.5, 9.0])
    found = uncertainties(entropies, np.array([8, 8, 8, 8, 35]))
    # the squares of 0.5, -0.5, 0, -1 by 9 symbols and of 6.5 by 36: their median is 2.25
    assert found[:4] == pytest.approx([4 * (2.25 / 0.4549364) ** 0.5 / 9] * 4)
    assert found[4] == pytest.approx(found[0] / 4)
    assert uncertainties(np.zeros(0), np.zeros(0, dtype=np.int64)).tolist() == []
