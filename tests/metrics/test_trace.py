"""The trace of a segment: it adds up to the statistics that are computed in bulk, and says which reference matched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.metrics.bleu import bleu_statistics
from corpusdb.scoring.metrics.encoding import References
from corpusdb.scoring.metrics.trace import TracedNgram, trace_segment

# Papineni et al. (2002), example 2: the modified unigram precision is 2 of 7.
THE = "the the the the the the the"
CAT = ("the cat is on the mat", "there is a cat on the mat")


def test_the_example_of_clipping() -> None:
    found = trace_segment(THE.split(), [text.split() for text in CAT], 1)

    assert found.ngrams == (TracedNgram(("the",), 7, (2, 1)),)
    assert (found.ngrams[0].matched, found.ngrams[0].missed, found.ngrams[0].references) == (2, 5, (0,))
    assert found.statistics == (2, 7, 7, 7)
    assert found.closest == 1
    assert found.sole_matches() == (1, 0)


def test_which_reference_matched() -> None:
    found = trace_segment("abx", ["ab", "bx", "y"], 2)
    by_units = {"".join(each.units): each for each in found.ngrams}

    assert {units: each.references for units, each in by_units.items()} == {
        "a": (0,), "b": (0, 1), "x": (1,), "ab": (0,), "bx": (1,)
    }  # fmt: skip
    assert found.sole_matches() == (2, 2, 0)
    assert found.closest == 0  # of two that are as close the first of the shorter ones


UNITS = st.lists(st.sampled_from("abc"), max_size=12)


@given(UNITS, st.lists(UNITS.filter(bool), min_size=1, max_size=5), st.integers(1, 8))
def test_it_adds_up_to_the_statistics(hypothesis: list[str], references: list[list[str]], order: int) -> None:
    encoded = References.of([[" ".join(units) for units in references]], str.split)
    (row,) = bleu_statistics(encoded.encode([" ".join(hypothesis)]), encoded, order).tolist()
    found = trace_segment(hypothesis, references, order)

    assert list(found.statistics) == row
    for number, alone in enumerate(found.sole_matches()):
        others = [units for other, units in enumerate(references) if other != number]
        rest = sum(trace_segment(hypothesis, others, order).statistics[:order]) if others else 0
        assert alone == sum(row[:order]) - rest


def test_bad_calls() -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        trace_segment("a", ["a"], 0)
    with pytest.raises(InputError, match="no reference"):
        trace_segment("a", [], 1)
