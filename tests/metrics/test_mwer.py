"""mWER against a plain edit distance, and by hand."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError
from corpusdb.scoring.metrics import mwer
from corpusdb.scoring.metrics.encoding import References
from corpusdb.scoring.metrics.mwer import edit_distances, mwer_scores, mwer_statistics


def encoded(hypotheses: list[str], references: list[list[str]]) -> tuple[I64, I64]:
    """The distance to every reference, and the statistics; units are characters."""
    sets = References.of(references, list)
    texts = sets.encode(hypotheses)
    return edit_distances(texts, sets), mwer_statistics(texts, sets)


@cache
def levenshtein(first: str, second: str) -> int:
    """The definition, by recursion over first and last characters."""
    if not first or not second:
        return len(first) + len(second)
    return min(
        levenshtein(first[1:], second) + 1,
        levenshtein(first, second[1:]) + 1,
        levenshtein(first[1:], second[1:]) + (first[0] != second[0]),
    )


SEGMENTS = st.lists(
    st.tuples(st.text("abx", max_size=8), st.lists(st.text("ab", min_size=1, max_size=8), min_size=1, max_size=4)),
    min_size=1,
    max_size=6,
)


@given(SEGMENTS, st.sampled_from([1, 30, 1 << 17]))
def test_distances_and_the_closest_reference(segments: list[tuple[str, list[str]]], cells: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mwer, "_CELLS", cells)
        distances, statistics = encoded([text for text, _ in segments], [texts for _, texts in segments])

    pairs = [(text, reference) for text, texts in segments for reference in texts]
    assert distances.tolist() == [levenshtein(text, reference) for text, reference in pairs]
    closest = [min((levenshtein(text, other), -len(other)) for other in texts) for text, texts in segments]
    assert statistics.tolist() == [[edits, -length] for edits, length in closest]


@given(SEGMENTS)
def test_distances_are_those_of_rapidfuzz(segments: list[tuple[str, list[str]]]) -> None:
    levenshtein = pytest.importorskip("rapidfuzz.distance").Levenshtein
    distances, _ = encoded([text for text, _ in segments], [texts for _, texts in segments])

    expected = [levenshtein.distance(text, other) for text, texts in segments for other in texts]
    assert distances.tolist() == expected


@pytest.mark.parametrize(
    ("hypothesis", "references", "row", "rate"),
    [
        ("abc", ["abc"], [0, 3], 0.0),
        ("abc", ["xyz", "abd"], [1, 3], 1 / 3),
        ("abc", ["ab", "abcd"], [1, 4], 1 / 4),  # as many edits: the longer, which gives the lower rate
        ("", ["ab"], [2, 2], 1.0),
        ("abcd", ["x"], [4, 1], 4.0),
    ],
)
def test_small_cases(hypothesis: str, references: list[str], row: list[int], rate: float) -> None:
    _, statistics = encoded([hypothesis], [references])

    assert statistics.tolist() == [row]
    assert mwer_scores(statistics).tolist() == [rate]


def test_a_corpus_counts_by_units_not_by_segments() -> None:
    _, statistics = encoded(["ab", "x"], [["ab"], ["abab", "abaa"]])

    assert mwer_scores(statistics.sum(axis=0)) == pytest.approx(4 / 6)


def test_references_without_units_are_defined() -> None:
    references = References.of([["-"], ["-"]], lambda text: text.replace("-", "").split())

    assert mwer_scores(mwer_statistics(references.encode(["", "a b"]), references)).tolist() == [0.0, 2.0]


def test_another_number_of_hypotheses_is_refused() -> None:
    first, second = (References.of([["a"]] * size, list) for size in (1, 2))

    with pytest.raises(InputError, match="2 hypotheses for 1 segments"):
        mwer_statistics(second.encode(["a", "a"]), first)
