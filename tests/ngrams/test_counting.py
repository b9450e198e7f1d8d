"""N-grams of streams of numbers against counting them one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.ngrams import group_ngrams, joined_ranges, number_ngrams

# Units of 31 bits make every key need ranking; small ones make n-grams meet.
units = st.sampled_from([0, 1, 2, 3, 2**30, 2**31 - 2])
streams = st.lists(st.lists(units, max_size=8), max_size=8)


def arrays(sequences: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    flat = [unit for sequence in sequences for unit in sequence]
    return np.array(flat, dtype=np.int32), np.array([len(each) for each in sequences], dtype=np.int32)


def by_hand(
    sequences: list[list[int]], n: int, taboo: int | None
) -> list[set[tuple[int, ...]] | Counter[tuple[int, ...]]]:
    every = [[tuple(each[i : i + n]) for i in range(len(each) - n + 1)] for each in sequences]
    kept = [[gram for gram in grams if taboo not in gram] for grams in every]
    return [Counter(gram for grams in kept for gram in grams), Counter(gram for grams in kept for gram in set(grams))]


@given(streams, st.integers(1, 6), st.sampled_from([None, 1]))
def test_counts_are_those_of_counting_by_hand(sequences: list[list[int]], n: int, taboo: int | None) -> None:
    flat, lengths = arrays(sequences)
    ngrams = group_ngrams(flat, lengths, n, None if taboo is None else flat != taboo)
    firsts = ngrams.places[ngrams.starts].tolist()
    texts = [tuple(flat[place : place + n].tolist()) for place in firsts]
    owners = np.repeat(np.arange(len(sequences)), lengths)
    counts, in_sequences = by_hand(sequences, n, taboo)
    assert dict(zip(texts, ngrams.counts.tolist(), strict=True)) == counts
    assert dict(zip(texts, ngrams.owner_counts(owners).tolist(), strict=True)) == in_sequences
    assert len(texts) == len(set(texts))
    assert ngrams.counts.sum() == len(ngrams.places)


@given(streams, st.integers(1, 4))
def test_places_of_one_ngram_hold_it_and_ascend(sequences: list[list[int]], n: int) -> None:
    flat, lengths = arrays(sequences)
    ngrams = group_ngrams(flat, lengths, n)
    for start, count in zip(ngrams.starts.tolist(), ngrams.counts.tolist(), strict=True):
        places = ngrams.places[start : start + count].tolist()
        assert places == sorted(set(places))
        assert len({tuple(flat[place : place + n].tolist()) for place in places}) == 1


@given(streams, st.integers(1, 6))
def test_equal_ngrams_have_one_number_and_numbers_ascend_with_their_units(
    sequences: list[list[int]], order: int
) -> None:
    flat, lengths = (each.astype(np.int64) for each in arrays(sequences))
    found = list(number_ngrams(flat, lengths, order))
    assert [ngrams.n for ngrams in found] == list(range(1, order + 1))
    for ngrams in found:
        texts = [tuple(flat[place : place + ngrams.n].tolist()) for place in ngrams.places.tolist()]
        assert Counter(texts) == by_hand(sequences, ngrams.n, None)[0]
        numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
        assert ngrams.numbers.tolist() == [numbers[text] for text in texts]


@pytest.mark.parametrize(
    ("starts", "lengths", "expected"),
    [([], [], []), ([5], [3], [5, 6, 7]), ([5, 0, 9], [2, 0, 1], [5, 6, 9]), ([1, 1], [2, 2], [1, 2, 1, 2])],
)
def test_joined_ranges(starts: list[int], lengths: list[int], expected: list[int]) -> None:
    found = joined_ranges(np.array(starts, dtype=np.int64), np.array(lengths, dtype=np.int64))
    assert found.tolist() == expected
