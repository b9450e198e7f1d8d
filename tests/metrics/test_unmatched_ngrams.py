"""The n-grams that no reference has, against those that the trace of a segment counts one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpusdb.scoring.metrics.encoding import ngrams_up_to, unmatched_ngrams
from corpusdb.scoring.metrics.trace import trace_segment

TEXTS = st.lists(st.sampled_from("abc"), max_size=7)


@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=3), st.integers(1, 5))
def test_they_are_those_that_the_trace_finds_in_no_reference(
    outputs: list[list[str]], references: list[list[str]], order: int
) -> None:
    missed = {
        ngram.units
        for units in outputs
        for ngram in trace_segment(units, references, order).ngrams
        if not any(ngram.in_references)
    }
    assert unmatched_ngrams(outputs, references, order) == missed


def test_ngrams_of_all_orders() -> None:
    assert ngrams_up_to("a b a".split(), 2) == {("a",), ("b",), ("a", "b"), ("b", "a")}
    assert ngrams_up_to(["a"], 4) == {("a",)}
    assert ngrams_up_to([], 4) == set()
