"""Hypotheses and references as numbers, the n-grams that they share, and references drawn from a set."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.scoring import metric as matched_ngrams
from corpusdb.scoring.metric import UNKNOWN, References, parallel, resampled_references, shared_ngrams


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


# Shared n-grams against a count of all n-grams, one segment and one order at a time.


Segment = tuple[str, list[str]]
TEXTS = st.text("ab", max_size=14)
SEGMENTS = st.lists(
    st.tuples(TEXTS, st.lists(st.text("ab", min_size=1, max_size=14), min_size=1, max_size=4)), min_size=1
)


def counts(text: str, order: int) -> Counter[str]:
    return Counter(text[start : start + order] for start in range(len(text) - order + 1))


def brute_force(segments: Sequence[Segment], order: int) -> list[Counter[str]]:
    shared = []
    for hypothesis, references in segments:
        most: Counter[str] = Counter()
        for reference in references:
            most |= counts(reference, order)
        shared.append(counts(hypothesis, order) & most)
    return shared


def found(segments: Sequence[Segment], order: int) -> dict[int, list[Counter[str]]]:
    """By order, the shared n-grams of every segment, spelled with the references' units at the place given."""
    references = References.of([texts for _, texts in segments], list)
    spelled = "".join("".join(texts) for _, texts in segments)
    result: dict[int, list[Counter[str]]] = {n: [Counter() for _ in segments] for n in range(1, order + 1)}
    for shared in shared_ngrams(references.encode([text for text, _ in segments]), references, order):
        for segment, count, place in zip(shared.segments, shared.counts, shared.places, strict=True):
            ngram = spelled[place : place + shared.order]
            assert ngram not in result[shared.order][segment]
            result[shared.order][segment][ngram] = int(count)
    return result


@given(SEGMENTS)
def test_they_are_those_of_brute_force(segments: list[Segment]) -> None:
    for order, shared in found(segments, 8).items():
        assert shared == brute_force(segments, order)


@pytest.mark.parametrize("batch", [1, 7, 40])
def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    rng = np.random.default_rng(batch)
    texts = ["".join(rng.choice(list("abc"), size=size)) for size in rng.integers(0, 12, size=60)]
    segments = [(text, [other + "a", text[::-1] + "b"]) for text, other in zip(texts, reversed(texts), strict=True)]
    monkeypatch.setattr(matched_ngrams, "_BATCH", batch)

    for order, shared in found(segments, 6).items():
        assert shared == brute_force(segments, order)


@pytest.mark.parametrize(
    ("hypothesis", "references", "expected"),
    [
        ("", ["a"], {}),
        ("xyz", ["a"], {}),
        ("aaa", ["a", "baab"], {1: {"a": 2}, 2: {"aa": 1}}),
        ("axb", ["ab"], {1: {"a": 1, "b": 1}}),  # an unknown unit stands between
        ("ab", ["ba", "a", "b"], {1: {"a": 1, "b": 1}}),  # no n-gram goes from one text into the next
    ],
)
def test_small_cases(hypothesis: str, references: list[str], expected: dict[int, dict[str, int]]) -> None:
    shared = found([(hypothesis, references)], 3)

    assert {order: dict(segments[0]) for order, segments in shared.items() if segments[0]} == expected


def test_drawn_references_are_the_segments_own() -> None:
    references = References.of([["a", "b", "c"], ["d"], ["e", "f"]], str.split)
    own = [set(units) for units in ("abc", "d", "ef")]
    names = {number: unit for unit, number in references.vocabulary.items()}
    seen: list[set[str]] = [set(), set(), set()]
    for drawn in resampled_references(references, 40, seed=2):
        for segment, number in zip(drawn.segments, drawn.sequences.units, strict=True):
            seen[segment].add(names[int(number)])
        assert (drawn.counts >= 1).all() and (drawn.counts <= references.counts).all()

    assert seen == own
    first, again = (next(resampled_references(references, 1, seed=2)) for _ in range(2))
    assert first.sequences.units.tolist() == again.sequences.units.tolist()
