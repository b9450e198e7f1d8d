"""Similarity of corpora against scipy, and its drawing of parts and mixtures."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from corpusdb.base.errors import InputError
from corpusdb.homogeneity.similarity import (
    character_ngrams,
    chi_square_by_df,
    cross_entropy_distance,
    distance_table,
    feature_counts,
    joined,
    judged,
    mixtures,
    of_features,
    random_parts,
    rank_distance,
    similarity_table,
    tokens,
)

texts = st.lists(st.text("abé ", max_size=9), max_size=8)
counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12)


@given(texts=texts, n=st.integers(1, 4), data=st.data())
def test_counts_of_a_set_are_those_of_its_texts(texts: list[str], n: int, data: st.DataObject) -> None:
    features = character_ngrams(texts, n)
    chosen = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=9)) if texts else []
    names: dict[int, str] = {}
    for place, text in enumerate(texts):
        own = features.of(place).tolist()
        assert len(own) == max(len(text) - n + 1, 0)
        assert all(names.setdefault(number, text[at : at + n]) == text[at : at + n] for at, number in enumerate(own))
    assert len(set(names.values())) == len(names) == features.distinct
    found = feature_counts(features, np.array(chosen, dtype=np.int64))
    expected = Counter(text[at : at + n] for text in (texts[i] for i in chosen) for at in range(len(text) - n + 1))
    assert {names[number]: often for number, often in enumerate(found.tolist()) if often} == expected


@given(texts=texts)
def test_joined_features_are_those_of_all_kinds(texts: list[str]) -> None:
    parts = [character_ngrams(texts, n) for n in (1, 3)]
    together = joined(parts)
    assert together.distinct == parts[0].distinct + parts[1].distinct
    for place in range(len(texts)):
        expected = [*parts[0].of(place).tolist(), *(parts[1].of(place) + parts[0].distinct).tolist()]
        assert together.of(place).tolist() == together.first(place + 1).of(place).tolist() == expected


def test_tokens_are_numbered_as_they_come() -> None:
    features = tokens([["a", "b", "a"], [], ["b", "c"]])
    assert [features.of(place).tolist() for place in range(3)] == [[0, 1, 0], [], [1, 2]]
    assert features.distinct == 3


@given(counts=counts)
def test_chi_square_is_that_of_scipy(counts: list[tuple[int, int]]) -> None:
    first, second = (np.array(column, dtype=np.int64) for column in zip(*counts, strict=True))
    seen = first + second > 0
    assume(first.any() and second.any() and seen.sum() > 1)
    expected = stats.chi2_contingency([first[seen], second[seen]], correction=False)
    assert chi_square_by_df(first, second) == pytest.approx(expected.statistic / expected.dof)


@given(counts=counts)
def test_rank_distance_is_that_of_scipy(counts: list[tuple[int, int]]) -> None:
    first, second = (np.array(column, dtype=np.int64) for column in zip(*counts, strict=True))
    seen = first + second > 0
    assume(len(set(first[seen].tolist())) > 1 and len(set(second[seen].tolist())) > 1)
    expected = 1 - stats.spearmanr(first[seen], second[seen]).statistic
    assert rank_distance(first, second) == pytest.approx(expected, abs=1e-12)


def test_only_the_commonest_features_are_compared() -> None:
    first, second = np.array([50, 3, 40, 9]), np.array([45, 30, 52, 1])
    two = chi_square_by_df(first, second, 2)
    assert two == pytest.approx(chi_square_by_df(first[[0, 2]], second[[0, 2]]))
    assert two != chi_square_by_df(first, second, 3)
    assert chi_square_by_df(first, first) == 0
    assert chi_square_by_df(first, np.zeros(4, dtype=np.int64)) == 0


def test_cross_entropy_is_the_mean_of_both_ways() -> None:
    assert cross_entropy_distance(["a"], ["b"], lambda trained, measured: 3 if trained == ["a"] else 5) == 4


@given(
    characters=st.lists(st.integers(0, 9), max_size=30),
    size=st.integers(1, 20),
    parts=st.integers(1, 3),
    seed=st.integers(0, 9),
)
def test_parts_share_nothing_and_have_their_size(characters: list[int], size: int, parts: int, seed: int) -> None:
    own = np.array(characters, dtype=np.int64)
    try:
        found = random_parts(own, size, parts, np.random.default_rng(seed))
    except InputError:
        assert own.sum() < parts * (size + 9)
        return
    places = np.concatenate(found)
    assert len(found) == parts
    assert len(set(places.tolist())) == len(places)
    assert all(size <= own[part].sum() < size + 9 for part in found)


@given(
    first=st.lists(st.integers(1, 9), min_size=60, max_size=90),
    second=st.lists(st.integers(1, 9), min_size=60, max_size=90),
    seed=st.integers(0, 9),
    count=st.integers(2, 6),
)
def test_mixtures_have_their_share_and_no_text_in_common(
    first: list[int], second: list[int], seed: int, count: int
) -> None:
    characters = np.array([*first, *second])
    found = mixtures(np.array(first), np.array(second), seed, count)
    places = np.concatenate([mixture.texts for mixture in found])
    assert len(set(places.tolist())) == len(places)
    sizes = [int(characters[mixture.texts].sum()) for mixture in found]
    assert max(sizes) - min(sizes) <= 20
    for mixture, size in zip(found, sizes, strict=True):
        inside = int(characters[mixture.texts[mixture.texts >= len(first)]].sum())
        assert abs(inside - mixture.share * size) <= 20
    assert [mixture.share for mixture in found] == [number / (count - 1) for number in range(count)]


def test_too_little_text_is_refused() -> None:
    with pytest.raises(InputError, match="too little text for 8 mixtures"):
        mixtures(np.array([9, 9]), np.array([9, 9]), 1)
    with pytest.raises(InputError, match="too little text for 2 parts of 5"):
        random_parts(np.array([6]), 5, 2, np.random.default_rng(1))


def test_judgements_count_nested_pairs() -> None:
    shares = np.array([0.0, 0.3, 0.6, 1.0])
    right = np.abs(shares[:, None] - shares)
    nested = [
        (inner, outer)
        for outer in combinations(range(4), 2)
        for inner in combinations(range(4), 2)
        if outer[0] <= inner[0] and inner[1] <= outer[1] and inner != outer
    ]
    assert (judged(right).right, judged(right).all, judged(right).share) == (len(nested), len(nested), 1)
    rng = np.random.default_rng(3)
    half = rng.integers(0, 4, (4, 4)).astype(np.float64)
    table = half + half.T
    expected = sum(bool(table[inner] < table[outer]) for inner, outer in nested)
    assert 0 < judged(table).right == expected < len(nested)


def test_a_table_has_halves_on_its_diagonal() -> None:
    rng = np.random.default_rng(5)
    spoken = ["".join(rng.choice(list("abcd "), 20)) for _ in range(300)]
    written = ["".join(rng.choice(list("cdef "), 20)) for _ in range(500)]
    characters = np.full(800, 20)
    distance = of_features(character_ngrams([*spoken, *written], 3), chi_square_by_df)
    corpora = [np.arange(300), np.arange(300, 800)]
    table, size = similarity_table(corpora, characters, distance, 1)
    assert table.shape == (2, 2)
    assert table[0, 1] == table[1, 0] > 3 * table.diagonal().max()
    assert table.diagonal() == pytest.approx(
        [1, 1], abs=0.25
    )  # text of one source: chi-square is its degrees of freedom
    assert 2_900 <= size <= 3_000
    again, _ = similarity_table(corpora, characters, distance, 1)
    assert again.tolist() == table.tolist() != similarity_table(corpora, characters, distance, 2)[0].tolist()
    assert distance_table(corpora[:1], distance).tolist() == [[0]]
