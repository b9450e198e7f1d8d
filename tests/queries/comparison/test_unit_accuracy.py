"""Precision and recall of units by class, against BLEU's statistics and a count by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metrics.bleu import bleu_statistics
from corpusdb.scoring.metrics.encoding import References
from corpusdb.scoring.queries.unit_differences import (
    UnitCounts,
    accuracy_by_frequency,
    frequency_class,
    frequency_classes,
)

NONE = tokeniser("none")
TEXT = st.lists(st.sampled_from("abcde"), max_size=7).map(" ".join)
REFERENCES = st.lists(TEXT.filter(str.strip), min_size=1, max_size=3)
SEGMENTS = st.lists(st.tuples(TEXT, TEXT, REFERENCES), min_size=1, max_size=4)
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


@given(SEGMENTS, FREQUENCIES)
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


@given(SEGMENTS, FREQUENCIES)
def test_the_other_way_round_is_the_mirror(
    segments: list[tuple[str, str, list[str]]], frequencies: dict[str, int] | None
) -> None:
    a, b, texts = map(list, zip(*segments, strict=True))
    there, back = (accuracy_by_frequency(each, texts, NONE, frequencies) for each in ((a, b), (b, a)))
    assert [(each.name, each.a, each.b) for each in there] == [(each.name, each.b, each.a) for each in back]
