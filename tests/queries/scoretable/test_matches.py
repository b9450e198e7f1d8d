"""Where the n-grams stand that BLEU counts: as many of each order as its statistics have."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpusdb.scoring.metrics.trace import trace_segment
from corpusdb.scoring.queries.segment_view import counted_occurrences, longest_matches, places_in, unit_places

texts = st.lists(st.sampled_from("abc"), max_size=9)


@given(texts, st.lists(texts.filter(bool), min_size=1, max_size=3), st.integers(1, 4))
def test_as_many_occurrences_count_as_the_statistics_say(
    hypothesis: list[str], references: list[list[str]], order: int
) -> None:
    trace = trace_segment(hypothesis, references, order)
    counted = counted_occurrences(trace)
    assert [len(counted[n]) for n in range(1, order + 1)] == list(trace.statistics[:order])


@given(texts, st.lists(texts.filter(bool), min_size=1, max_size=3), st.integers(1, 4))
def test_stretches_cover_what_counts_and_stand_in_their_references(
    hypothesis: list[str], references: list[list[str]], order: int
) -> None:
    trace = trace_segment(hypothesis, references, order)
    found = longest_matches(trace)
    counted = {(at, at + n) for n, begins in counted_occurrences(trace).items() for at in begins}
    assert all(any(one.start <= start and stop <= one.stop for one in found) for start, stop in counted)
    for match in found:
        units = tuple(hypothesis[match.start : match.stop])
        holders = [number for number, each in enumerate(references) if places_in(each, units)]
        assert list(match.references) == holders != []
        assert match.contributions[0] <= match.length
    assert [match.start for match in found] == sorted(match.start for match in found)
    assert all(before.stop < after.stop for before, after in pairwise(found))


def test_a_word_that_counts_once_is_marked_where_the_longer_match_is() -> None:
    trace = trace_segment("the a the cat".split(), [["the", "cat"]], 2)
    assert counted_occurrences(trace) == {1: {2, 3}, 2: {2}}
    (match,) = longest_matches(trace)
    assert (match.start, match.stop, match.references, match.contributions) == (2, 4, (0,), (2, 1))


def test_a_stretch_is_longer_than_the_order_where_a_reference_has_it() -> None:
    trace = trace_segment("a b c d e".split(), ["a b c d e".split(), "x d e".split()], 2)
    (match,) = longest_matches(trace)
    assert (match.start, match.stop, match.references, match.contributions) == (0, 5, (0,), (5, 4))


def test_units_are_found_in_the_text_that_they_were_cut_from() -> None:
    assert unit_places("Hello, you.", ["Hello", ",", "you", "."]) == [(0, 5), (5, 6), (7, 10), (10, 11)]
    assert unit_places("Ab", ["a", "b"], lowercase=True) == [(0, 1), (1, 2)]
    assert unit_places("ああ 、", ["あ", "あ", "、"]) == [(0, 1), (1, 2), (3, 4)]
    assert unit_places("a &quot; b", ["a", '"', "b"]) is None
    assert unit_places("本は だ", ["本", "は/助詞", "だ/助動詞"]) == [(0, 1), (1, 2), (3, 4)]
    assert unit_places("は/助詞", ["は/助詞"]) == [(0, 4)]
    assert unit_places("İ", ["i̇"], lowercase=True) is None
