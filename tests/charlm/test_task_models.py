"""The models of a task and of a pool."""

from __future__ import annotations

import pytest

from corpusdb.base.charlm.costs import POOL_TIMES, task_counterparts, text_bits
from corpusdb.base.charlm.counts import Alphabet, train
from corpusdb.base.charlm.smoothing import model_of
from corpusdb.base.errors import InputError


def test_the_task_is_added_to_a_part_of_the_pool() -> None:
    task, pool = ["the cat"], ["a dog", "dogs"]  # so little that the part is all of it
    assert sum(map(len, pool)) < POOL_TIMES * len(task[0])
    alphabet = Alphabet.of([*task, *pool])
    expected = [model_of(train(texts, alphabet, 3), "mkn") for texts in ([*task, *pool], pool)]
    asked = ["a cat", "the dog", "z"]
    found = text_bits(task_counterparts(task, pool, 3, "mkn", 1), asked)
    assert found.bits.tolist() == text_bits(expected, asked).bits.tolist()
    assert found.bits[0, 0] < found.bits[1, 0]


def test_no_more_of_a_large_pool_than_is_said() -> None:
    task, pool = ["cats"], [f"{number:03}" for number in range(1_000)]
    many = [task_counterparts(task, pool, 2, "wb", seed)[1] for seed in (1, 1, 2)]
    bits = [text_bits([model], pool[:20]).bits.tolist() for model in many]
    assert bits[0] == bits[1] != bits[2]
    assert len(many[0].keys[1]) < 30  # of 20 characters, not of 3,000


@pytest.mark.parametrize(("task", "pool", "which"), [([""], ["a"], "task"), (["a"], ["", ""], "pool")])
def test_what_has_no_characters_is_refused(task: list[str], pool: list[str], which: str) -> None:
    with pytest.raises(InputError, match=f"the {which} has no characters"):
        task_counterparts(task, pool, 2, "wb", 1)
