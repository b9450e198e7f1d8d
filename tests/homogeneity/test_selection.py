"""Selection: scores, the guard, amounts, curves, and the greedy choice against looking at every text every time."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.homogeneity.selection import (
    INITIAL_COUNT,
    amount,
    bilingual_scores,
    closest_scores,
    crossing,
    curve,
    cynical_order,
    guard,
    moore_lewis_scores,
    random_scores,
    ranked,
)
from corpusdb.homogeneity.similarity import Features, character_ngrams, feature_counts


def test_each_method_gives_the_best_the_lowest_score() -> None:
    assert closest_scores(np.array([0.1, np.nan, 0.5]), 0.25).tolist() == pytest.approx([0.15, math.inf, 0.25])
    scores = moore_lewis_scores(np.array([2, 0, 4]), np.array([4.0, 0, 4]), np.array([6.0, 0, 2]))
    assert scores.tolist() == [-1, math.inf, 0.5]
    assert bilingual_scores(scores, np.array([0.5, 1, 1])).tolist() == [-0.5, math.inf, 1.5]
    assert random_scores(9, 1).tolist() == random_scores(9, 1).tolist() != random_scores(9, 2).tolist()
    assert ranked(np.array([2.0, math.inf, 1, 2, 0]), np.array([True, True, True, True, False])).tolist() == [2, 0, 3]


def test_the_guard_keeps_the_first_of_each_key_and_lengths_within_bounds() -> None:
    characters, keys = np.array([3, 0, 3, 9, 4, 9]), ["a", "", "a", "b", "c", "b"]
    assert guard(characters, keys).tolist() == [True, False, False, True, True, False]
    assert guard(characters, keys, 4, 8).tolist() == [False, False, False, False, True, False]
    with pytest.raises(InputError, match="at least 5 and at most 4"):
        guard(characters, keys, 5, 4)


@given(
    characters=st.lists(st.integers(0, 9), min_size=1, max_size=20),
    seed=st.integers(0, 9),
    shares=st.lists(st.floats(0.01, 1), min_size=2, max_size=4),
)
def test_amounts_are_shares_of_the_characters_and_nested(characters: list[int], seed: int, shares: list[float]) -> None:
    sizes = np.array(characters)
    order = np.random.default_rng(seed).permutation(len(sizes))
    chosen = [amount(order, sizes, share) for share in sorted(shares)]
    for smaller, larger in pairwise(chosen):
        assert larger[: len(smaller)].tolist() == smaller.tolist()
    for share, own in zip(sorted(shares), chosen, strict=True):
        assert sizes[own].sum() >= share * sizes.sum() * (1 - 1e-9)
        assert sizes[own[:-1]].sum() < share * sizes.sum() or not sizes.any()
    assert sizes[amount(order, sizes, 1)].sum() == sizes.sum()
    assert amount(order[:1], sizes, 1).tolist() == order[:1].tolist()


@pytest.mark.parametrize("share", [0, -0.1, 1.01, math.nan])
def test_a_share_of_more_than_all_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="not above 0 and at most 1"):
        amount(np.array([0]), np.array([1]), share)


def test_a_curve_measures_each_amount() -> None:
    points = curve(np.array([2, 0, 1]), np.array([5, 3, 2]), lambda chosen: 4.0 - len(chosen), [0.2, 0.7, 1])
    assert [(point.share, point.texts, point.characters, point.perplexity) for point in points] == [
        (0.2, 1, 2, 8),
        (0.7, 2, 7, 4),
        (1, 3, 10, 2),
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 5], [3, 3, 3], 4 / 3),
        ([5, 4, 4], [3, 3, 3], None),
        ([1, 1, 1], [3, 3, 3], None),
        ([1, 5, 1, 5], [3, 3, 3, 3], 2.5),
        ([1, 3, 3], [3, 3, 3], 1.0),
    ],
)
def test_the_last_place_where_a_curve_ceases_to_be_better(
    first: list[float], second: list[float], expected: float | None
) -> None:
    assert crossing(range(len(first)), first, second) == (expected if expected is None else pytest.approx(expected))


def greedy(features: Features, task: list[int], allowed: list[bool]) -> tuple[list[int], list[float]]:
    """Each time all texts that are left, as the definition has it."""
    selected: Counter[int] = Counter()
    inside = INITIAL_COUNT * sum(count > 0 for count in task)
    left = [place for place, is_allowed in enumerate(allowed) if is_allowed and features.lengths[place]]
    order, changes = [], []

    def change(place: int) -> float:
        own = Counter(features.of(place).tolist())
        gain = sum(
            task[each]
            / sum(task)
            * math.log2((INITIAL_COUNT + selected[each]) / (INITIAL_COUNT + selected[each] + often))
            for each, often in own.items()
        )
        return math.log2((inside + sum(own.values())) / inside) + gain

    while left:
        values = {place: change(place) for place in left}
        best = min(values, key=lambda place: values[place])
        order.append(best)
        changes.append(values[best])
        left.remove(best)
        selected.update(features.of(best).tolist())
        inside += float(features.lengths[best])
    return order, changes


@given(
    texts=st.lists(st.text("abcd", max_size=6), min_size=1, max_size=9),
    wanted=st.text("abcd", min_size=2, max_size=9),
    n=st.integers(1, 2),
    data=st.data(),
)
def test_the_greedy_choice_is_as_defined(texts: list[str], wanted: str, n: int, data: st.DataObject) -> None:
    features = character_ngrams([*texts, wanted], n)
    task = feature_counts(features, np.array([len(texts)]))
    allowed = [*data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), False]
    found = cynical_order(features, task, np.array(allowed))
    order, changes = greedy(features, task.tolist(), allowed)
    assert sorted(found.order.tolist()) == sorted(order)
    # Of texts that change as much either may come first, after which the changes can differ.
    for place, expected, own, value in zip(found.order.tolist(), order, found.changes, changes, strict=True):
        assert own == pytest.approx(value, abs=1e-9)
        if place != expected:
            break
    assert found.helpful == next((at for at, value in enumerate(found.changes) if value >= 0), len(order))


def test_the_greedy_choice_covers_what_the_task_has() -> None:
    texts = ["aaaa", "aaaa", "bbbb", "zzzz", "ab"]
    features = character_ngrams([*texts, "abab"], 1)
    found = cynical_order(features, feature_counts(features, np.array([5])), np.array([True] * 5 + [False]))
    assert set(found.order[:3].tolist()) >= {2, 4}
    assert found.order[-1] == 3
    assert found.changes[-1] > 0
    stopped = cynical_order(
        features, feature_counts(features, np.array([5])), np.array([True] * 5 + [False]), lambda place: place == 4
    )
    assert stopped.order[-1] == 4
    assert len(stopped.order) < 5
    with pytest.raises(InputError, match="none of the features"):
        cynical_order(features, np.zeros(features.distinct, dtype=np.int64), np.array([True] * 6))
