"""The instances of exchanges and their sums, held against nested loops."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from corpusdb.paraphrase import sharing as rates
from corpusdb.paraphrase.sharing import WHOLE, find_instances, places, totals_by

FILLERS = 7


def drawn_slots(number: int, size: int) -> list[tuple[int, int, int]]:
    """Context, filler and sentence, by context and then by filler; of a context each filler once."""
    chance = random.Random(number)
    slots = {(chance.randrange(size // 4), chance.randrange(FILLERS)) for _ in range(size)}
    return [(*each, chance.randrange(50)) for each in sorted(slots)]


@pytest.mark.parametrize("at_once", [1, 3, 10, 1_000_000])
@pytest.mark.parametrize("number", range(3))
def test_instances(monkeypatch: pytest.MonkeyPatch, number: int, at_once: int) -> None:
    monkeypatch.setattr(rates, "_PAIRS_AT_ONCE", at_once)
    slots = drawn_slots(number, 60)
    chance = random.Random(number)
    drawn = [chance.sample(range(FILLERS), 2) for _ in range(5)]
    exchanges = sorted({min(pair) * FILLERS + max(pair) for pair in drawn})
    context, filler, sentence = np.array(slots, dtype=np.int64).T
    found = find_instances(context, filler, sentence, np.array(exchanges), FILLERS)
    expected = Counter(
        (exchanges.index(x * FILLERS + y), context, one, other)
        for context, x, one in slots
        for same, y, other in slots
        if same == context and x < y and x * FILLERS + y in exchanges
    )
    columns = found.exchange, found.context, found.one, found.other
    assert Counter(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert len(found) == expected.total() > 0


def test_no_slots_and_no_exchanges() -> None:
    none = np.empty(0, dtype=np.int64)
    assert len(find_instances(none, none, none, np.array([1]), FILLERS)) == 0
    context, filler, sentence = np.array(drawn_slots(1, 20), dtype=np.int64).T
    assert len(find_instances(context, filler, sentence, none, FILLERS)) == 0


@pytest.mark.parametrize("number", range(3))
def test_sums(number: int) -> None:
    chance = random.Random(number)
    rows = [(chance.choice([3, 5, 8]), chance.random() < 0.5, chance.random()) for _ in range(40)]
    keys, shared, expected = map(np.array, zip(*rows, strict=True))
    found = totals_by(keys, shared, expected)
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for key, having, probable in rows:
        for place, more in enumerate((1, having, round(probable * WHOLE))):
            sums[key][place] += more
    columns = found.keys, found.pairs, found.shared, found.expected
    assert {key: rest for key, *rest in zip(*(each.tolist() for each in columns), strict=True)} == dict(
        sorted(sums.items())
    )
    order = np.random.default_rng(number).permutation(len(rows))
    again = totals_by(keys[order], shared[order], expected[order])
    assert all((getattr(found, each) == getattr(again, each)).all() for each in ("keys", "pairs", "shared", "expected"))


def test_repeated_instances() -> None:
    columns = [(1, 10, 5, 6), (2, 11, 5, 6), (1, 12, 6, 5), (1, 13, 5, 7), (2, 14, 8, 9), (1, 15, 5, 6), (2, 16, 5, 6)]
    found = rates.Instances(*np.array(columns, dtype=np.int64).T)
    assert [columns[place][:2] for place in found.repeated()] == [(1, 10), (1, 12), (1, 15), (2, 11), (2, 16)]
    assert found.without(np.array([0, 5])).context.tolist() == [11, 12, 13, 14, 16]
    none = rates.Instances(*np.empty((4, 0), dtype=np.int64))
    assert len(none.repeated()) == 0


def test_places() -> None:
    place, known = places(np.array([2, 5, 9]), np.array([5, 1, 9, 10, 2]))
    assert (place.tolist(), known.tolist()) == ([1, 0, 2, 0, 0], [True, False, True, False, True])
