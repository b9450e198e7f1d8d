"""Shared n-grams against a count of all n-grams, one segment and one order at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.scoring.metrics import encoding as matched_ngrams
from corpusdb.scoring.metrics.encoding import References, shared_ngrams

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
