"""Encoding of hypotheses and references, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from corpusdb.base.errors import InputError
from corpusdb.scoring.metrics.encoding import UNKNOWN, References, parallel


def test_units_are_numbered_in_the_order_of_the_references() -> None:
    references = References.of([["a b a", "c"], ["b d"]], str.split)

    assert references.sequences.units.tolist() == [0, 1, 0, 2, 1, 3]
    assert references.sequences.lengths.tolist() == [3, 1, 2]
    assert references.sequences.starts.tolist() == [0, 3, 4, 6]
    assert references.counts.tolist() == [2, 1]
    assert references.firsts.tolist() == [0, 2, 3]
    assert references.segments.tolist() == [0, 0, 1]


def test_hypotheses_have_the_numbers_of_the_references() -> None:
    references = References.of([["a b"], ["c"], ["c"]], str.split)
    hypotheses = references.encode(["b x a", "", "y"])

    assert hypotheses.units.tolist() == [1, UNKNOWN, 0, UNKNOWN]
    assert hypotheses.lengths.tolist() == [3, 0, 1]
    assert dict(references.vocabulary) == {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("references", "message"),
    [
        ([], "there are no segments"),
        ([["a"], []], "2: the segment has no reference"),
        ([["a"], ["b"], ["c", " \t"]], "3: a reference of the segment is blank; leave out what is missing"),
        ([["a"], ["", "b"]], "2: a reference of the segment is blank; leave out what is missing"),
        ([["a"], "b c"], "2: the references of a segment must be a list, this is one text"),
    ],
)
def test_references_that_cannot_be_used(references: list[list[str]], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        References.of(references, str.split)


@pytest.mark.parametrize("hypotheses", [[], ["a"], ["a", "b", "c"]])
def test_another_number_of_hypotheses_is_refused(hypotheses: list[str]) -> None:
    references = References.of([["a"], ["b"]], str.split)

    with pytest.raises(InputError, match=f"{len(hypotheses)} hypotheses .* 2 segments"):
        references.encode(hypotheses)


def test_encoded_hypotheses_of_another_set_are_refused() -> None:
    first, second = (References.of([["a"]] * size, str.split) for size in (1, 2))

    with pytest.raises(InputError, match="2 hypotheses for 1 segments"):
        parallel(second.encode(["a", "a"]), first)


def test_a_subset_keeps_what_was_chosen() -> None:
    references = References.of([["a b", "c"], ["d", "e f", "g"]], str.split)
    subset = references.subset(np.array([False, True, True, False, True]))

    assert subset.counts.tolist() == [1, 2]
    assert subset.sequences.units.tolist() == [references.vocabulary[unit] for unit in "cdg"]
    assert subset.sequences.lengths.tolist() == [1, 1, 1]
    assert subset.encode(["c", "d"]).units.tolist() == references.encode(["c", "d"]).units.tolist()


def test_a_subset_leaves_no_segment_without_references() -> None:
    references = References.of([["a"], ["b", "c"]], str.split)

    with pytest.raises(InputError, match=r"^2: no reference of the segment was chosen$"):
        references.subset(np.array([True, False, False]))
