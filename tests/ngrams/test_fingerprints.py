"""Fingerprints of substrings, against the substrings themselves."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.ngrams import Fingerprints, combined, mixed

texts = st.text(alphabet="aabc\n水\U0001f375", max_size=14)


def all_prints(text: str) -> dict[tuple[int, int], int]:
    places = [(start, stop) for start in range(len(text) + 1) for stop in range(start, len(text) + 1)]
    starts, stops = np.array(places).T
    values = Fingerprints(text).of(starts, stops)
    return dict(zip(places, map(int, values), strict=True))


@given(texts)
def test_substrings_are_equal_where_their_fingerprints_are(text: str) -> None:
    for ((start, stop), one), ((begin, end), other) in combinations(all_prints(text).items(), 2):
        assert (one == other) == (text[start:stop] == text[begin:end])


@given(texts, texts)
def test_fingerprints_do_not_depend_on_the_text_around(first: str, second: str) -> None:
    both = all_prints(first + second)
    assert all_prints(second) == {
        (start - len(first), stop - len(first)): value for (start, stop), value in both.items() if start >= len(first)
    }


@given(texts.filter(bool), st.data())
def test_windows(text: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(text)))
    prints = all_prints(text)
    expected = [prints[start, start + size] for start in range(len(text) - size + 1)]
    assert Fingerprints(text).windows(size).tolist() == expected


def test_one_character_more_is_another_fingerprint() -> None:
    # Runs of one character, NUL among them: what a polynomial over plain code points would confuse.
    runs = [char * size for char in "\0a\U0010ffff" for size in range(1, 200)]
    values = {int(Fingerprints(run).windows(len(run))[0]) for run in runs}
    assert len(values) == len(runs)


def test_no_collision_among_short_texts() -> None:
    joined = "".join("".join(letters) for letters in product("abcdefgh", repeat=6))
    values = Fingerprints(joined).of(np.arange(0, len(joined), 6), np.arange(6, len(joined) + 1, 6))
    assert len(np.unique(values)) == 8**6


def test_the_order_of_two_fingerprints_matters() -> None:
    values = np.arange(200, dtype=np.uint64)
    pairs = combined(np.repeat(values, 200), np.tile(values, 200))
    assert len(np.unique(pairs)) == 200**2


@pytest.mark.parametrize(
    ("seed", "expected"),
    # The first output of splitmix64 for a seed: Vigna's splitmix64.c, https://prng.di.unimi.it/splitmix64.c
    [(0, 0xE220A8397B1DCDAF), (1234567, 6457827717110365317)],
)
def test_mixing_is_splitmix64(seed: int, expected: int) -> None:
    assert int(mixed(np.array([seed], dtype=np.uint64))[0]) == expected


def test_an_empty_text() -> None:
    prints = Fingerprints("")
    assert prints.size == 0
    nothing = np.zeros(0, dtype=np.int64)
    assert len(prints.of(nothing, nothing)) == 0
