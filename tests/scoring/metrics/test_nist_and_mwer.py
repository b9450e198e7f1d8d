"""NIST against mteval-v13a.pl, and mWER against a plain edit distance."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import exp, log, log2
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring import unit_metrics as mwer
from corpusdb.scoring.metric import References
from corpusdb.scoring.unit_metrics import (
    edit_distances,
    mwer_scores,
    mwer_statistics,
    nist_scores,
    nist_statistics,
    normalised,
)

# NIST against mteval-v13a.pl, whose functions were run in Perl 5.36, and against a count by hand.
#
# The values came from compute_ngram_info, score_segment and nist_score of that script (mosesdecoder, scripts/generic),
# fed with the texts as this package tokenises them and with case preserved (-c).


Sample: TypeAlias = tuple[list[str], list[list[str]]]

# The example of NLTK's nist_score, which gives 3.3709 and 1.4619 for it (nltk/nltk#3901).
GUIDE = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]
ZEROS = (
    ["0 0 1 0 a", "b 0 0", "0 x 0"],
    [["0 0 1", "a 0 0 b"], ["0 b 0", "b 0 1 0"], ["0 x", "x 0 0 x"]],
)


def statistics(hypotheses: list[str], references: list[list[str]], tokenisation: str = "none", order: int = 5) -> F64:
    encoded = References.of(references, tokeniser(tokenisation))
    return nist_statistics(encoded.encode(hypotheses), encoded, order)


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        (
            "It is a guide to action which ensures that the military always obeys the commands of the party",
            5.0379201687516808,
        ),
        (
            "It is to insure the troops forever hearing the activity guidebook that party direct",
            2.1138745599641817,
        ),
    ],
)
def test_three_references(hypothesis: str, expected: float) -> None:
    score = nist_scores(statistics([hypothesis], [GUIDE]).sum(axis=0))[-1]

    assert score == pytest.approx(expected, abs=1e-12)


def test_mteval_takes_a_history_of_0_for_none() -> None:
    assert nist_scores(statistics(*ZEROS).sum(axis=0))[-1] == pytest.approx(3.4238145970087301, abs=1e-12)


@pytest.mark.data
@pytest.mark.parametrize(
    ("system", "expected"), [("Facebook-AI", 11.015749405245694), ("Online-Y", 9.8281991254654226)]
)
def test_real_systems(news: dict[str, Sample], system: str, expected: float) -> None:
    assert nist_scores(statistics(*news[system], "13a").sum(axis=0))[-1] == pytest.approx(expected, abs=1e-9)


Segments = list[tuple[str, list[str]]]
TEXTS = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)
REFERENCE = st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map(" ".join)
SEGMENTS = st.lists(st.tuples(TEXTS, st.lists(REFERENCE, min_size=1, max_size=3)), min_size=1, max_size=4)


def ngrams(text: str, order: int) -> Counter[tuple[str, ...]]:
    units = text.split()
    return Counter(tuple(units[start : start + order]) for start in range(len(units) - order + 1))


def by_hand(segments: Segments, order: int) -> float:
    """Doddington (2002), formulas in section 3, straight from counts."""
    everything = [reference for _, references in segments for reference in references]
    total = sum(len(text.split()) for text in everything)
    score = 0.0
    for n in range(1, order + 1):
        count, shorter = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
        for text in everything:
            count += ngrams(text, n)
            shorter += ngrams(text, n - 1) if n > 1 else Counter()
        information, produced = 0.0, 0
        for hypothesis, references in segments:
            best = Counter[tuple[str, ...]]()
            for reference in references:
                best |= ngrams(reference, n)
            produced += sum(ngrams(hypothesis, n).values())
            for ngram, matched in (ngrams(hypothesis, n) & best).items():
                information += matched * log2((shorter[ngram[:-1]] if n > 1 else total) / count[ngram])
        score += information / max(produced, 1)
    produced = sum(len(hypothesis.split()) for hypothesis, _ in segments)
    expected = sum(sum(len(text.split()) for text in texts) / len(texts) for _, texts in segments)
    if not produced:
        return 0.0
    return score * exp(log(0.5) / log(1.5) ** 2 * log(min(produced / expected, 1)) ** 2)


@given(SEGMENTS)
def test_random_segments_with_any_number_of_references(segments: Segments) -> None:
    rows = statistics([text for text, _ in segments], [texts for _, texts in segments], order=4)
    scores = nist_scores(rows.sum(axis=0))

    assert [by_hand(segments, order) for order in range(1, 5)] == pytest.approx(scores.tolist(), abs=1e-9)
    assert np.isfinite(nist_scores(rows)).all()


def test_normalised_by_the_score_of_the_seed() -> None:
    references = References.of([["a b c d"], ["a a"], ["e"]], str.split)
    own, seed = (
        nist_scores(nist_statistics(references.encode(texts), references))[:, -1]
        for texts in (["a b c d", "b", ""], ["a b c d", "a a", "e"])
    )

    assert normalised(own, seed).tolist() == [1.0, 0.0, 0.0]
    assert normalised(np.array([3.0, 0.0]), np.array([0.0, 0.0])).tolist() == [0.0, 0.0]


def test_bad_calls() -> None:
    references = References.of([["a"]], str.split)

    with pytest.raises(UsageError, match="at least 1, not 0"):
        nist_statistics(references.encode(["a"]), references, 0)
    with pytest.raises(InputError, match="2 hypotheses for 1 segments"):
        nist_statistics(References.of([["a"]] * 2, str.split).encode(["a", "b"]), references)


# mWER against a plain edit distance, and by hand.


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


MWER_SEGMENTS = st.lists(
    st.tuples(st.text("abx", max_size=8), st.lists(st.text("ab", min_size=1, max_size=8), min_size=1, max_size=4)),
    min_size=1,
    max_size=6,
)


@given(MWER_SEGMENTS, st.sampled_from([1, 30, 1 << 17]))
def test_distances_and_the_closest_reference(segments: list[tuple[str, list[str]]], cells: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mwer, "_CELLS", cells)
        distances, statistics = encoded([text for text, _ in segments], [texts for _, texts in segments])

    pairs = [(text, reference) for text, texts in segments for reference in texts]
    assert distances.tolist() == [levenshtein(text, reference) for text, reference in pairs]
    closest = [min((levenshtein(text, other), -len(other)) for other in texts) for text, texts in segments]
    assert statistics.tolist() == [[edits, -length] for edits, length in closest]


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
