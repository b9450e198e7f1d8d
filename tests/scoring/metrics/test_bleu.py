"""BLEU against sacrebleu and published scores; and the trace of a segment, which adds up to its statistics."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import zip_longest
from math import exp
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metric import References, ngrams_up_to, unmatched_ngrams
from corpusdb.scoring.metric_settings import NO_SMOOTHING, Smoothing
from corpusdb.scoring.unit_metrics import TracedNgram, bleu_scores, bleu_statistics, closest_lengths, trace_segment

# BLEU against sacrebleu, on real segments and random ones, and against published scores.


logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it advises effective_order for every sentence

SMOOTHINGS = [
    NO_SMOOTHING,
    *(Smoothing(method, effective=effective) for method in ("floor", "add-k", "exp") for effective in (False, True)),
    Smoothing(effective=True),
    Smoothing("floor", 0.01),
    Smoothing("add-k", 0.5),
]
Sample: TypeAlias = tuple[list[str], list[list[str]]]
TOLERANCE = 1e-11  # of scores from 0 to 1, where 1e-9 of sacrebleu's is wanted


def statistics(hypotheses: Sequence[str], references: Sequence[Sequence[str]], tokenisation: str, order: int) -> I64:
    encoded = References.of(references, tokeniser(tokenisation))
    return bleu_statistics(encoded.encode(hypotheses), encoded, order)


def theirs(tokenisation: str, order: int, smoothing: Smoothing = NO_SMOOTHING) -> Any:
    return pytest.importorskip("sacrebleu.metrics").BLEU(
        tokenize=tokenisation,
        max_ngram_order=order,
        smooth_method=smoothing.method,
        smooth_value=smoothing.value,
        effective_order=smoothing.effective,
        force=True,
    )


def their_corpus(metric: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    score: float = metric.corpus_score(list(hypotheses), list(zip_longest(*references))).score
    return score / 100


def their_sentences(metric: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> F64:
    pairs = zip(hypotheses, references, strict=True)
    return np.array([metric.sentence_score(text, list(texts)).score / 100 for text, texts in pairs])


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("tokenisation", ["13a", "char"])
def test_real_segments_in_every_order(captions: Sample, tokenisation: str) -> None:
    """One run of sacrebleu up to order 30 counts the n-grams of all orders; its own formula scores each of them.

    Of each third segment, with 1 to 13 references as all have.
    """
    most = 30
    hypotheses, references = captions[0][::3], captions[1][::3]
    ours = statistics(hypotheses, references, tokenisation, most)
    metric = theirs(tokenisation, most)
    scores = [metric.sentence_score(*pair) for pair in zip(hypotheses, references, strict=True)]

    expected = np.array([[*score.counts, *score.totals, score.sys_len, score.ref_len] for score in scores])
    np.testing.assert_array_equal(ours, expected)
    for rows, observed in (
        (expected, bleu_scores(ours)),
        (expected.sum(axis=0)[np.newaxis], bleu_scores(ours.sum(axis=0))),
    ):
        for order in range(1, most + 1):
            again = [
                metric.compute_bleu(
                    list(row[:order]), list(row[most : most + order]), row[-2], row[-1], max_ngram_order=order
                ).score
                for row in rows
            ]
            np.testing.assert_allclose(100 * observed[..., order - 1], np.squeeze(again), rtol=0, atol=1e-9)
    assert (bleu_scores(ours.sum(axis=0))[:4] > 0.01).all()


UNITS = st.text("ab c\u3000\u00e9日\U0001f600", max_size=40)
BLANKLESS = st.text("ab c\u3000\u00e9日\U0001f600", min_size=1, max_size=40).filter(lambda text: not text.isspace())
SEGMENTS = st.lists(st.tuples(UNITS, st.lists(BLANKLESS, min_size=1, max_size=13)), min_size=1, max_size=6)


@given(SEGMENTS, st.sampled_from(["none", "char"]), st.integers(1, 30), st.sampled_from(SMOOTHINGS))
def test_random_segments(
    segments: list[tuple[str, list[str]]], tokenisation: str, order: int, smoothing: Smoothing
) -> None:
    hypotheses, references = [text for text, _ in segments], [texts for _, texts in segments]
    ours = statistics(hypotheses, references, tokenisation, 30)
    metric = theirs(tokenisation, order, smoothing)

    corpus = their_corpus(metric, hypotheses, references)
    assert bleu_scores(ours.sum(axis=0), smoothing)[order - 1] == pytest.approx(corpus, abs=TOLERANCE)
    sentences = their_sentences(metric, hypotheses, references)
    np.testing.assert_allclose(bleu_scores(ours, smoothing)[:, order - 1], sentences, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(
    ("hypothesis", "references", "expected"),
    [
        # Papineni et al. (2001), section 2.1: "the" stands at most twice in one reference.
        ("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"], [2 / 7, 0]),
        ("a b", ["a b"], [1, 1]),
        ("a b", ["a b c d"], [exp(-1), exp(-1)]),
        ("a b c", ["a b c d", "a b"], [1, 1]),  # 2 and 4 are as close: the shorter is taken
        ("a", ["a b", "a"], [1, 0]),  # fewer units than the order
        ("", ["a"], [0, 0]),
        ("x y", ["a"], [0, 0]),
        ("b a", ["a b"], [1, 0]),
    ],
)
def test_small_cases(hypothesis: str, references: list[str], expected: list[float]) -> None:
    assert bleu_scores(statistics([hypothesis], [references], "none", 2))[0] == pytest.approx(expected, abs=1e-15)


def test_statistics_have_the_columns_described() -> None:
    rows = statistics(["a b a c", ""], [["a b", "c a b a"], ["x"]], "none", 3)

    assert rows.tolist() == [[4, 2, 1, 4, 3, 2, 4, 4], [0, 0, 0, 0, 0, 0, 0, 1]]


def test_closest_length() -> None:
    references = References.of([["a " * length for length in (11, 8, 6, 7)], ["a " * 11, "a " * 3]], str.split)

    assert closest_lengths(references.encode(["a " * 7, "a " * 7]), references).tolist() == [7, 3]


@pytest.mark.parametrize(
    ("method", "value"), [("Exp", None), ("none", 0.1), ("exp", 1.0), ("floor", 0.0), ("add-k", -1.0)]
)
def test_impossible_smoothing(method: str, value: float | None) -> None:
    with pytest.raises(UsageError):
        Smoothing(method, value)


def test_bad_calls() -> None:
    references = References.of([["a"]], str.split)

    with pytest.raises(UsageError, match="at least 1, not 0"):
        bleu_statistics(references.encode(["a"]), references, 0)
    with pytest.raises(InputError, match="2 hypotheses for 1 segments"):
        bleu_statistics(References.of([["a"]] * 2, str.split).encode(["a", "b"]), references, 4)


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


TRACE_UNITS = st.lists(st.sampled_from("abc"), max_size=12)


@given(TRACE_UNITS, st.lists(TRACE_UNITS.filter(bool), min_size=1, max_size=5), st.integers(1, 8))
def test_it_adds_up_to_the_statistics(hypothesis: list[str], references: list[list[str]], order: int) -> None:
    encoded = References.of([[" ".join(units) for units in references]], str.split)
    (row,) = bleu_statistics(encoded.encode([" ".join(hypothesis)]), encoded, order).tolist()
    found = trace_segment(hypothesis, references, order)

    assert list(found.statistics) == row
    for number, alone in enumerate(found.sole_matches()):
        others = [units for other, units in enumerate(references) if other != number]
        rest = sum(trace_segment(hypothesis, others, order).statistics[:order]) if others else 0
        assert alone == sum(row[:order]) - rest


def test_bad_calls_of_a_trace() -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        trace_segment("a", ["a"], 0)
    with pytest.raises(InputError, match="no reference"):
        trace_segment("a", [], 1)


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
