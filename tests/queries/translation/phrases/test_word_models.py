"""Models of words: what the decoder is told is what the models of characters say of the whole text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.charlm.costs import text_bits
from corpusdb.base.charlm.counts import Alphabet, train
from corpusdb.base.charlm.smoothing import model_of
from corpusdb.translation.queries.phrase_rung import WordModel

LETTERS = "abcde"
UNSEEN = 7
texts = st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=8)


@given(texts, st.text(f"{LETTERS}z", max_size=7), st.integers(1, 5), st.sampled_from(["wb", "mkn"]))
def test_a_text_word_by_word_costs_what_it_costs_as_a_whole(
    training: list[str], text: str, order: int, smoothing: str
) -> None:
    """Every letter stands for a word; one that was never seen is unknown to both."""
    model = model_of(train(training, Alphabet.of(training), order), smoothing)
    measured = text_bits([model], [text])
    expected = -np.log(2) * float(measured.bits[0, 0] + measured.end_bits[0, 0])
    numbers = np.array([LETTERS.index(letter) for each in training for letter in each], dtype=np.int32)
    lengths = np.array(list(map(len, training)), dtype=np.int64)
    words = [LETTERS.index(letter) if letter in LETTERS else UNSEEN for letter in text]
    of_sentence = WordModel(numbers, lengths, order, smoothing).for_words(words)
    total, state = 0.0, of_sentence.start
    for word in words:
        score, state = of_sentence.follow(state, word)
        total += score
    assert total + of_sentence.end(state) == pytest.approx(expected, rel=1e-5)


def test_a_word_may_be_asked_for_with_nothing_before_it() -> None:
    model = WordModel(np.array([0, 1, 0], dtype=np.int32), np.array([2, 1]), 3, "wb").for_words([0, 1])
    alone, _ = model.follow(-1, 0)
    assert np.exp(alone) == pytest.approx((2 + 3 / 4) / (5 + 3), rel=1e-6)  # 0, 1, 0 and two ends, of four events
