"""N-grams and units that one system gets and another does not, against counting one by one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metric import References
from corpusdb.scoring.queries.matched_ngrams import (
    UnitCounts,
    accuracy_by_frequency,
    frequency_class,
    frequency_classes,
    ngram_differences,
)
from corpusdb.scoring.unit_metrics import bleu_statistics, trace_segment

# N-grams that one system gets more often, against n-grams counted one by one.


TEXT = st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)
REFERENCES = st.lists(TEXT.filter(str.strip), min_size=1, max_size=3)
SEGMENTS = st.lists(st.tuples(TEXT, TEXT, REFERENCES), min_size=1, max_size=4)
ORDER = 4


def traced(texts: list[str], references: list[list[str]]) -> Counter[tuple[str, ...]]:
    """The same by the trace of every segment."""
    counts: Counter[tuple[str, ...]] = Counter()
    for text, own in zip(texts, references, strict=True):
        for ngram in trace_segment(text.split(), [each.split() for each in own], ORDER).ngrams:
            counts[ngram.units] += ngram.matched
    return +counts


@given(SEGMENTS)
def test_matches_are_those_of_the_trace(segments: list[tuple[str, str, list[str]]]) -> None:
    a, b, references = map(list, zip(*segments, strict=True))
    found = ngram_differences(a, b, References.of(references, tokeniser("none")), ORDER, limit=1)
    for matched, texts in ((found.matched_a, a), (found.matched_b, b)):
        by_order = Counter[int]()
        for ngram, count in traced(texts, references).items():
            by_order[len(ngram)] += count
        assert matched == tuple(by_order[n] for n in range(1, ORDER + 1))


def contains(long: tuple[str, ...], short: tuple[str, ...]) -> bool:
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))


@given(SEGMENTS)
def test_differences_are_those_that_no_longer_n_gram_has(segments: list[tuple[str, str, list[str]]]) -> None:
    a, b, references = map(list, zip(*segments, strict=True))
    one, other = traced(a, references), traced(b, references)
    found = ngram_differences(a, b, References.of(references, tokeniser("none")), ORDER, limit=0)

    pairs = {ngram: (one[ngram], other[ngram]) for ngram in one | other if one[ngram] != other[ngram]}
    told = {
        ngram
        for ngram, pair in pairs.items()
        if not any(
            len(longer) == len(ngram) + 1 and contains(longer, ngram) and same == pair for longer, same in pairs.items()
        )
    }
    listed = [*found.for_a, *found.for_b]
    assert sorted(each.units for each in listed) == sorted(told)
    for each in listed:
        assert (each.a, each.b) == pairs[each.units]
        assert each.ratio == (max(each.a, each.b) + 1) / (each.a + each.b + 2)
    for rows in (found.for_a, found.for_b):
        assert [row.ratio for row in rows] == sorted((row.ratio for row in rows), reverse=True)
    assert sum(found.matched_a) == one.total() and sum(found.matched_b) == other.total()


@given(SEGMENTS, st.integers(0, 3))
def test_the_other_way_round_is_the_mirror(segments: list[tuple[str, str, list[str]]], limit: int) -> None:
    a, b, texts = map(list, zip(*segments, strict=True))
    references = References.of(texts, tokeniser("none"))
    found = ngram_differences(a, b, references, ORDER, limit=limit)
    back = ngram_differences(b, a, references, ORDER, limit=limit)
    assert (found.matched_a, found.matched_b) == (back.matched_b, back.matched_a)
    for here, there in ((found.for_a, back.for_b), (found.for_b, back.for_a)):
        assert [(one.units, one.a, one.b, one.ratio) for one in here] == [
            (one.units, one.b, one.a, one.ratio) for one in there
        ]


def test_the_smoothed_ratio_ranks() -> None:
    references = References.of([["x y z"], ["x"], ["y q"]], tokeniser("none"))
    found = ngram_differences(["x y z", "x", "q"], ["x", "", "y"], references, 2, limit=2)
    assert [(each.units, each.a, each.b, each.ratio) for each in found.for_a] == [
        (("x", "y"), 1, 0, 2 / 3),
        (("y", "z"), 1, 0, 2 / 3),
    ]
    assert found.for_b == ()  # y once each, and x twice against once
    assert (found.matched_a, found.matched_b) == ((5, 2), (2, 0))


# Precision and recall of units by class, against BLEU's statistics and a count by hand.


NONE = tokeniser("none")
UNIT_ACCURACY_TEXT = st.lists(st.sampled_from("abcde"), max_size=7).map(" ".join)
UNIT_ACCURACY_REFERENCES = st.lists(UNIT_ACCURACY_TEXT.filter(str.strip), min_size=1, max_size=3)
UNIT_ACCURACY_SEGMENTS = st.lists(
    st.tuples(UNIT_ACCURACY_TEXT, UNIT_ACCURACY_TEXT, UNIT_ACCURACY_REFERENCES), min_size=1, max_size=4
)
FREQUENCIES = st.none() | st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2000))


@pytest.mark.parametrize(
    ("frequency", "name"),
    [(0, "0"), (1, "1"), (4, "4"), (5, "5-9"), (9, "5-9"), (10, "10-99"), (999, "100-999"), (1000, "1,000 or more")],
)
def test_classes(frequency: int, name: str) -> None:
    assert frequency_classes()[frequency_class(frequency)] == name


def test_a_count_by_hand() -> None:
    """Here "the" stands 3 times in the references, "dog" twice, "cat" and "barks" once."""
    references = [["the dog barks", "the the dog"], ["cat"]]
    classes = accuracy_by_frequency((["the the the cat", "cat"], ["dog", "dog"]), references, NONE)
    assert [each.name for each in classes] == ["1", "2", "3"]
    assert [each.a for each in classes] == [UnitCounts(1, 2, 1, 2), UnitCounts(0, 0, 0, 2), UnitCounts(2, 3, 3, 3)]
    assert [each.b for each in classes] == [UnitCounts(0, 0, 0, 2), UnitCounts(1, 2, 2, 2), UnitCounts(0, 0, 0, 3)]
    assert (classes[0].a.precision, classes[0].a.recall, classes[0].a.f1) == (0.5, 0.5, 0.5)
    assert (classes[1].a.precision, classes[1].a.recall, classes[1].a.f1) == (None, 0, None)
    assert UnitCounts(0, 1, 0, 1).f1 == 0


@given(UNIT_ACCURACY_SEGMENTS, FREQUENCIES)
def test_classes_sum_to_the_whole(
    segments: list[tuple[str, str, list[str]]], frequencies: dict[str, int] | None
) -> None:
    a, b, texts = map(list, zip(*segments, strict=True))
    classes = accuracy_by_frequency((a, b), texts, NONE, frequencies)
    references = References.of(texts, NONE)
    for output, counts in ((a, [each.a for each in classes]), (b, [each.b for each in classes])):
        statistics = bleu_statistics(references.encode(output), references, 1).sum(axis=0)
        assert (sum(each.matched for each in counts), sum(each.produced for each in counts)) == tuple(statistics[:2])
        found = 0
        for place in range(max(map(len, texts))):  # each reference by itself
            chosen = [number for number, each in enumerate(texts) if len(each) > place]
            one = References.of([[texts[number][place]] for number in chosen], NONE)
            found += bleu_statistics(one.encode([output[number] for number in chosen]), one, 1)[:, 0].sum()
        assert sum(each.found for each in counts) == found
        assert sum(each.wanted for each in counts) == references.sequences.lengths.sum()


@given(UNIT_ACCURACY_SEGMENTS, FREQUENCIES)
def test_units_the_other_way_round_are_the_mirror(
    segments: list[tuple[str, str, list[str]]], frequencies: dict[str, int] | None
) -> None:
    a, b, texts = map(list, zip(*segments, strict=True))
    there, back = (accuracy_by_frequency(each, texts, NONE, frequencies) for each in ((a, b), (b, a)))
    assert [(each.name, each.a, each.b) for each in there] == [(each.name, each.b, each.a) for each in back]
