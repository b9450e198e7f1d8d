"""Slots of shared contexts, cut part by part, give the index that all slots give."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.paraphrase import slots
from corpusdb.paraphrase.slots import Slots, cut_shared_slots, cut_slots, index_slots

corpora = st.lists(
    st.lists(st.sampled_from("abc水𠮷!"), min_size=1, max_size=5).map(" ".join), unique=True, max_size=14
)


def rows(cut: Slots) -> set[tuple[int, ...]]:
    return set(zip(*(column.tolist() for column in astuple(cut)), strict=True))


@given(corpora, st.integers(1, 5), st.sampled_from([4, 8, 26]))
def test_index_is_the_same(texts: list[str], at_once: int, bits: int) -> None:
    """However few sentences a part has, and however many contexts share a hash by chance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "_SENTENCES_AT_ONCE", at_once)
        patch.setattr(slots, "_MOST_HASH_BITS", bits)
        shared = cut_shared_slots(texts)
    everything = cut_slots(texts)
    assert rows(shared) <= rows(everything)
    assert len(shared) == len(rows(shared))
    found, expected = index_slots(shared), index_slots(everything)
    for column in ("context_fillers", "filler_contexts", "slot_context", "slot_filler", "slot_sentence"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist(), column
    assert rows(found.contexts) == rows(expected.contexts)
    assert rows(found.fillers) == rows(expected.fillers)


def test_slots_of_contexts_seen_once_are_left_out() -> None:
    texts = ["one two", "one three", "a sentence like no other", "neither is this"]
    assert set(cut_shared_slots(texts).sentence.tolist()) == {0, 1}
    assert set(cut_slots(texts).sentence.tolist()) == {0, 1, 2, 3}
