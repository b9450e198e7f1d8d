"""What texts have in common, against the textbook's recursion."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from textbook import common_length

from corpusdb.translation.examples import UNKNOWN, UnitTexts
from corpusdb.translation.memory import common_lengths, stretches

UNITS = st.lists(st.integers(0, 3), max_size=9)
TEXT = st.one_of(st.lists(st.integers(UNKNOWN, 3), max_size=9), st.lists(st.integers(0, 3), min_size=60, max_size=70))


@given(TEXT, st.lists(UNITS, min_size=1, max_size=6))
def test_many_at_a_time(text: list[int], others: list[list[int]]) -> None:
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in others])))
    texts = UnitTexts({}, np.array([unit for each in others for unit in each], dtype=np.int32), offsets)
    found = common_lengths(np.array(text, dtype=np.int32), texts, np.arange(len(others)))
    assert found.tolist() == [common_length(text, other) for other in others]


@given(TEXT, UNITS)
def test_beside_the_stretches_both_are_the_same_and_longest(text: list[int], other: list[int]) -> None:
    found = stretches(text, other)
    common, made, done, seen = 0, [], 0, 0
    for start, stop, begin, end in found:
        assert text[done:start] == other[seen:begin]
        assert (start < stop or begin < end) and (done < start or not done)
        common += start - done
        made += [*text[done:start], *other[begin:end]]
        done, seen = stop, end
    assert common + len(text) - done == common_length(text, other)
    assert [*made, *text[done:]] == other
