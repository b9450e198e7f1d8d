"""The HMM, and a step of its training, against sums over all sequences of states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.bitext import Bitext, vocabulary_of
from corpusdb.alignment.model import Emissions, Vocabularies, jump_counts, posteriors
from corpusdb.alignment.training import Training, TrainingSettings
from corpusdb.base.arrays import F64
from corpusdb.base.jobs import finished

JUMPS = np.array([0.05, 0.1, 0.2, 0.4, 0.25])
"""Of -2 to 2."""


def weight(jump: int, jumps: F64) -> float:
    return float(jumps[max(-2, min(2, jump)) + 2])


def paths(length: int, states: int) -> Iterator[tuple[tuple[int, bool], ...]]:
    """Each word comes from a state, or from none and keeps the state before it."""
    return product(product(range(states), (False, True)), repeat=length)


def probability(path: tuple[tuple[int, bool], ...], words: tuple[F64, F64], null: float, jumps: F64) -> float:
    """Of one path and the words; ``words``: how probable they are by state, shape (L, J), and from none."""
    by_state, by_null = words
    states = by_state.shape[1]
    factors, before = [], -1
    for at, (state, is_null) in enumerate(path):
        jump = weight(state - before, jumps) / sum(weight(other - before, jumps) for other in range(states))
        if is_null:
            # The first null word stands at a place drawn as that of another first word.
            stays = jump if at == 0 else float(state == before)
            factors.append(null * stays * by_null[at])
        else:
            factors.append((1 - null) * jump * by_state[at, state])
        before = state
    return float(prod(factors))


def enumerated(by_state: F64, by_null: F64, null: float, jumps: F64 = JUMPS) -> tuple[F64, F64]:
    links, nulls, total = np.zeros_like(by_state), np.zeros(len(by_null)), 0.0
    for path in paths(*by_state.shape):
        share = probability(path, (by_state, by_null), null, jumps)
        total += share
        for at, (state, is_null) in enumerate(path):
            if is_null:
                nulls[at] += share
            else:
                links[at, state] += share
    return links / total, nulls / total


sizes = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(st.lists(sizes, min_size=1, max_size=3), st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.2, 0.7]))
def test_posteriors_are_those_of_all_paths(shapes: list[tuple[int, int]], seed: int, null: float) -> None:
    """Texts of different lengths in one batch, padded."""
    random = np.random.default_rng(seed)
    lengths, states = (np.array(sides, dtype=np.int64) for sides in zip(*shapes, strict=True))
    by_state = random.random((lengths.max(), len(shapes), states.max()))
    by_null = random.random((lengths.max(), len(shapes)))
    for number, (length, width) in enumerate(shapes):
        by_state[:, number, width:] = 0
        by_state[length:, number] = 0
    found = posteriors(Emissions(by_state, by_null, lengths, states), JUMPS, null)
    for number, (length, width) in enumerate(shapes):
        links, nulls = enumerated(by_state[:length, number, :width], by_null[:length, number], null)
        np.testing.assert_allclose(found.states[:length, number, :width], links, atol=1e-12)
        np.testing.assert_allclose(found.null[:length, number], nulls, atol=1e-12)
        assert not found.states[length:, number].any()
        assert not found.states[:, number, width:].any()
        assert not found.null[length:, number].any()


def test_single_precision_is_near_double() -> None:
    random = np.random.default_rng(1)
    by_state, by_null = random.random((30, 5, 40)), random.random((30, 5))
    lengths, states = np.array([30, 20, 10, 5, 1]), np.array([40, 3, 40, 20, 1])
    by_state *= np.arange(40) < states[:, np.newaxis]
    exact = posteriors(Emissions(by_state, by_null, lengths, states), JUMPS, 0.2)
    single = Emissions(by_state.astype(np.float32), by_null.astype(np.float32), lengths, states)
    found = posteriors(single, JUMPS, 0.2)
    assert found.states.dtype == np.float32
    np.testing.assert_allclose(found.states, exact.states, atol=1e-4)


@pytest.mark.parametrize("count", [3, 5, 7])
def test_jumps_are_counted_between_neighbours(count: int) -> None:
    links = np.random.default_rng(2).random((2, 4, 5))
    expected = np.zeros(count)
    most = count // 2
    for text in links:
        for before, after in pairwise(text):
            for state, other in product(range(5), repeat=2):
                expected[max(-most, min(most, other - state)) + most] += before[state] * after[other]
    np.testing.assert_allclose(jump_counts(links, count), expected)


SOURCE = [line.split() for line in ("w x y", "x w", "y", "w y")]
TARGET = [line.split() for line in ("a b c", "b a", "c d", "a")]


def test_a_step_counts_what_both_directions_find() -> None:
    """EM by agreement over all paths of both directions: words by the product, jumps by products of neighbours."""
    settings = TrainingSettings(ibm1_steps=0, hmm_steps=1, widest_jump=2, alike=0, alike_at_start=0, smoothing=0)
    numbers = vocabulary_of(SOURCE), vocabulary_of(TARGET)
    made = Training(Bitext.of(SOURCE, TARGET, *numbers), Vocabularies(*numbers), settings)
    before = made.state()
    together = sorted(
        {(numbers[0][f], numbers[1][e]) for s, t in zip(SOURCE, TARGET, strict=True) for f in s for e in t}
    )
    place = {pair: number for number, pair in enumerate(together)}
    counts, jumps = np.zeros(len(together)), np.zeros((2, 5))
    for source, target in zip(SOURCE, TARGET, strict=True):
        cells = np.array([[place[numbers[0][f], numbers[1][e]] for f in source] for e in target])
        nulls = before["forward.null"][[numbers[1][e] for e in target]]
        their_nulls = before["backward.null"][[numbers[0][f] for f in source]]
        forward, _ = enumerated(before["forward.words"][cells], nulls, settings.null, before["forward.jumps"])
        backward, _ = enumerated(
            before["backward.words"][cells.T], their_nulls, settings.null, before["backward.jumps"]
        )
        links = forward * backward.T
        np.add.at(counts, cells, links)
        jumps[0] += jump_counts(links[np.newaxis], 5)
        jumps[1] += jump_counts(links.T[np.newaxis], 5)
    finished(made.step())
    after = made.state()
    for side, name in enumerate(("forward", "backward")):
        sums = [sum(counts[place[other]] for other in together if other[side] == pair[side]) for pair in together]
        np.testing.assert_allclose(after[f"{name}.words"][: len(together)], counts / sums, atol=1e-5)
        np.testing.assert_allclose(after[f"{name}.jumps"], jumps[side] / jumps[side].sum(), atol=1e-4)
