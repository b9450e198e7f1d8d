"""Similarity of corpora, the scale between two references, outliers and near documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from corpusdb.base.errors import InputError
from corpusdb.homogeneity import similarity as outliers
from corpusdb.homogeneity.scale import (
    QUANTILES,
    Anchors,
    LinearScale,
    Statistics,
    coefficients,
    held_out_scale,
    summary,
)
from corpusdb.homogeneity.similarity import (
    LEAST_CHARACTERS,
    LEAST_DOCUMENTS,
    RARITY_WEIGHT,
    character_ngrams,
    character_rarity,
    chi_square_by_df,
    dearest,
    distance_table,
    document_length,
    documents_of,
    feature_counts,
    judged,
    mixtures,
    near_duplicates,
    nearness,
    of_features,
    outlier_scores,
    random_parts,
    rank_distance,
    self_entropies,
    similarity_table,
    tokens,
    uncertainties,
)

# Similarity of corpora against scipy, and its drawing of parts and mixtures.


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


def test_a_long_line_of_one_corpus_leaves_the_other_its_text() -> None:
    characters = np.array([*[10] * 100, 5_000, *[10] * 500])
    _, size = similarity_table([np.arange(100), np.arange(100, 601)], characters, lambda first, second: 0.0, 1)
    assert size == (1_000 - 10) // 2


# Outliers and near-duplicates against counting one text at a time.


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


# Without the numbers next to zero, of which a half is none.
@given(bits=st.lists(st.floats(0, 20, allow_subnormal=False), max_size=9), share=st.floats(0.05, 1))
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


# Documents of a corpus, and what is far from them, against a loop over the sentences.


@given(characters=st.lists(st.integers(1, 90), min_size=1, max_size=60), length=st.integers(1, 200))
def test_documents_are_runs_of_about_their_length(characters: list[int], length: int) -> None:
    found = documents_of(np.array(characters), length).tolist()
    count = max(sum(characters) // length, 1)
    before, expected = 0, []
    for size in characters:
        expected.append(min(before // length, count - 1))
        before += size
    assert found == expected
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("characters", "corpus", "expected"),
    [
        (5_000, 1_000_000, 5_000),
        (50_000, 1_000_000, 1_000_000 // LEAST_DOCUMENTS),
        (LEAST_CHARACTERS - 1, 1_000_000, None),
        (5_000, LEAST_CHARACTERS * LEAST_DOCUMENTS - 1, None),
        (5_000, LEAST_CHARACTERS * LEAST_DOCUMENTS, LEAST_CHARACTERS),
        (0, 0, None),
    ],
)
def test_documents_are_as_long_as_the_text_where_there_are_enough(
    characters: int, corpus: int, expected: int | None
) -> None:
    assert document_length(characters, corpus) == expected


@given(
    costs=st.lists(st.floats(1, 5), min_size=LEAST_DOCUMENTS, max_size=120),
    text=st.floats(0.5, 6),
)
def test_a_text_is_far_where_nearly_all_documents_cost_less(costs: list[float], text: float) -> None:
    sizes = np.full(len(costs), 1000)
    found = nearness(500, 500 * text, sizes, np.array(costs) * sizes, 1000)
    assert found.bits == pytest.approx(text)
    assert found.low <= found.median <= found.high
    assert found.dearer == pytest.approx(np.mean([cost >= found.bits for cost in np.array(costs) * 1000 / 1000]))
    if found.is_far:
        assert found.dearer <= 0.025 + 1 / len(costs)
    if found.dearer > 0.025 + 1 / len(costs):
        assert not found.is_far
    if text > max(costs) + 1e-9:
        assert found.is_far
    if text < min(costs):
        assert not found.is_far


# The scale between two references against its equations, written out for one text at a time.


ANCHORS = Anchors(h11=1.5, h12=3.5, h21=3.0, h22=1.6)
entries = st.lists(
    st.tuples(st.integers(0, 50), st.floats(0, 400), st.floats(0, 400), st.integers(0, 2)), min_size=1, max_size=12
)


def statistics(rows: Sequence[Sequence[float]]) -> Statistics:
    characters, bits1, bits2 = (np.array(column) for column in list(zip(*rows, strict=True))[:3])
    return Statistics(characters.astype(np.int64), bits1.astype(np.float64), bits2.astype(np.float64))


def by_the_equations(characters: float, bits1: float, bits2: float) -> float | None:
    if not characters:
        return None
    w1 = (bits1 / characters - ANCHORS.h11) / (ANCHORS.h12 - ANCHORS.h11)
    w2 = (bits2 / characters - ANCHORS.h22) / (ANCHORS.h21 - ANCHORS.h22)
    return None if w1 + w2 <= 0.05 else w1 / (w1 + w2)


@given(rows=entries)
def test_coefficients_are_those_of_the_equations(rows: list[tuple[int, float, float, int]]) -> None:
    found = coefficients(statistics(rows), ANCHORS)
    for (characters, bits1, bits2, _), value, undefined, clipped in zip(
        rows, found.values, found.undefined, found.clipped, strict=True
    ):
        expected = by_the_equations(characters, bits1, bits2)
        assert undefined == (expected is None)
        assert clipped == (expected is not None and not 0 <= expected <= 1)
        if expected is not None:
            assert value == pytest.approx(min(max(expected, 0), 1))


@given(rows=entries)
def test_a_group_is_measured_by_its_sums(rows: list[tuple[int, float, float, int]]) -> None:
    found = coefficients(statistics(rows).grouped(np.array([row[3] for row in rows]), 3), ANCHORS)
    for group in range(3):
        own = [row for row in rows if row[3] == group]
        expected = by_the_equations(*(sum(row[column] for row in own) for column in range(3)))
        assert math.isnan(found.values[group]) == (expected is None)
        if expected is not None:
            assert found.values[group] == pytest.approx(min(max(expected, 0), 1))
    assert statistics(rows).total().characters.tolist() == [sum(row[0] for row in rows)]


def test_the_references_are_at_the_ends() -> None:
    first, second = statistics([(100, 150, 300)]), statistics([(10, 35, 16)])
    anchors = Anchors.of(first, second)
    assert anchors == ANCHORS
    assert coefficients(first, anchors).values.tolist() == [0]
    assert coefficients(second, anchors).values.tolist() == [1]


@pytest.mark.parametrize("anchors", [(2, 2, 3, 1), (1, 3, 1, 1), (3, 2, 3, 1), (math.nan, 2, 3, 1)])
def test_references_that_span_no_scale_are_refused(anchors: tuple[float, float, float, float]) -> None:
    with pytest.raises(InputError, match="span no scale"):
        Anchors(*anchors)
    with pytest.raises(InputError, match="cannot distinguish held-out text"):
        LinearScale(1, 1)


def test_positions_are_linear_in_the_difference() -> None:
    scale = LinearScale.of(statistics([(10, 20, 30), (10, 20, 30)]), statistics([(5, 20, 10)]))
    assert scale == LinearScale(-1, 2)
    found = scale.positions(statistics([(10, 20, 30), (10, 40, 20), (10, 30, 25), (10, 60, 10), (0, 0, 0)]))
    assert found.tolist() == pytest.approx([0, 1, 0.5, 2, math.nan], nan_ok=True)


def test_held_out_texts_are_measured_without_themselves() -> None:
    seen: list[tuple[set[str], set[str], set[str]]] = []

    def measure(first: Sequence[str], second: Sequence[str], held_out: Sequence[str]) -> Statistics:
        seen.append((set(first), set(second), set(held_out)))
        side = [(1, 1, 2) if text.startswith("a") else (1, 3, 1) for text in held_out]
        return statistics(side or [(0, 0, 0)])

    first, second = ["a0", "a1", "a2", "a3"], ["b0", "b1", "b2"]
    scale = held_out_scale(first, second, np.array([0, 1, 0, 1]), np.array([1, 0, 2]), measure)
    assert scale == LinearScale(-1, 2)
    assert {"a0", "a1", "a2", "a3", "b0", "b1", "b2"} == set().union(*(held_out for _, _, held_out in seen))
    assert not any(held_out & (one | two) for one, two, held_out in seen)
    assert ({"a1", "a3"}, {"b0", "b2"}, {"a0", "a2"}) in seen
    with pytest.raises(InputError, match="one fold only"):
        held_out_scale(first, second, np.array([0, 0, 0, 0]), np.array([1, 0, 2]), measure)


@given(values=st.lists(st.floats(-3, 3) | st.just(math.nan), max_size=20))
def test_a_summary_counts_what_has_no_value(values: list[float]) -> None:
    found, known = summary(np.array(values)), [value for value in values if not math.isnan(value)]
    assert (found.entries, found.undefined, found.clipped) == (len(values), len(values) - len(known), 0)
    assert found.mean == (pytest.approx(sum(known) / len(known), abs=1e-9) if known else None)
    assert (found.sd is None) == (len(known) < 2)
    if found.sd is not None and found.mean is not None:
        variance = sum((value - found.mean) ** 2 for value in known) / (len(known) - 1)
        assert found.sd == pytest.approx(math.sqrt(variance), abs=1e-9)
    assert found.quantiles is None or list(found.quantiles) == sorted(found.quantiles)
    assert (found.quantiles is None) == (found.median is None) == (not known)
    assert found.quantiles is None or len(found.quantiles) == len(QUANTILES)


def test_clipped_values_are_counted() -> None:
    found = summary(coefficients(statistics([(10, 5, 30), (10, 20, 20), (10, 15, 16)]), ANCHORS))
    assert (found.entries, found.undefined, found.clipped) == (3, 1, 1)
