"""Fluency orders, against the definition of Lepage & Denoual (2005), section 4.4."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.base.ngrams import SortedCorpus, sort_suffixes
from corpusdb.paraphrase.fluency import FluencyOrders, fluency_orders, hashes_within, sequence_hash

letters = st.sampled_from("aab c日é")
corpora = st.lists(st.text(letters, min_size=1, max_size=20), min_size=1, max_size=6)
candidates = st.lists(st.text(st.one_of(letters, st.sampled_from("xü本")), min_size=1, max_size=20), max_size=6)


def fluency(lines: Sequence[str], texts: Sequence[str]) -> tuple[str, FluencyOrders]:
    corpus = "\n" + "\n".join(lines) + "\n"
    return corpus, fluency_orders(texts, SortedCorpus(corpus, sort_suffixes(corpus)).longest)


def order_plainly(text: str, corpus: str) -> int:
    """The largest N up to which every sequence of N characters stands in the corpus."""
    for size in range(1, len(text) + 1):
        if any(text[start : start + size] not in corpus for start in range(len(text) - size + 1)):
            return size - 1
    return NO_LIMIT


def first_unseen(text: str, size: int, corpus: str) -> str:
    runs = [text[start : start + size] for start in range(len(text) - size + 1)]
    return next(run for run in runs if run not in corpus)


def check(lines: Sequence[str], texts: Sequence[str]) -> None:
    corpus, found = fluency(lines, texts)
    assert len(found.order) == len(found.inner_order) == len(found.unseen) == len(found.inner_unseen) == len(texts)
    for place, text in enumerate(texts):
        for order, unseen, whole in (
            (int(found.order[place]), int(found.unseen[place]), f"\n{text}\n"),
            (int(found.inner_order[place]), int(found.inner_unseen[place]), text),
        ):
            assert order == order_plainly(whole, corpus)
            expected = 0 if order == NO_LIMIT else int(sequence_hash([first_unseen(whole, order + 1, corpus)])[0])
            assert unseen == expected
        assert found.inner_order[place] >= found.order[place]


@given(corpora, candidates)
def test_orders(lines: list[str], texts: list[str]) -> None:
    check(lines, texts + lines[:2])


@pytest.mark.parametrize("alphabet", ["ab c", "ab cdeé日本"])
def test_candidates_made_of_two_sentences(alphabet: str) -> None:
    source = random.Random(alphabet)
    for _ in range(60):
        lines = ["".join(source.choices(alphabet, k=source.randrange(1, 34))) for _ in range(source.randrange(2, 9))]
        halves = [(source.choice(lines), source.choice(lines)) for _ in range(10)]
        texts = [(one[: len(one) // 2] + other[len(other) // 2 :]) or "a" for one, other in halves]
        check(lines, [*texts, *lines, "".join(source.choices(alphabet + "z", k=9))])


def test_the_marks_at_the_ends_count() -> None:
    _, found = fluency(["I am here.", "Am I late?"], ["I am", "I am here.", "am I late", "xyz"])
    # "I am" begins a sentence and ends none: "m" and the mark after it were not seen, but all of "I am" was.
    assert found.order.tolist() == [1, NO_LIMIT, 1, 0]
    assert found.inner_order.tolist() == [NO_LIMIT, NO_LIMIT, 3, 0]


def test_no_texts() -> None:
    _, found = fluency(["a"], [])
    assert found.order.tolist() == found.inner_unseen.tolist() == []


@given(st.lists(st.text(max_size=8).filter(bool), max_size=8))
def test_hashes_are_equal_where_the_sequences_are(sequences: list[str]) -> None:
    hashes = sequence_hash(sequences).tolist()
    assert [hashes.index(value) for value in hashes] == [sequences.index(sequence) for sequence in sequences]


@pytest.mark.parametrize("sentence", ["", "a", "I don't.", "食べる。", "aaa"])
def test_all_sequences_of_a_sentence_and_its_marks(sentence: str) -> None:
    marked = f"\n{sentence}\n"
    sequences = [marked[start:stop] for start in range(len(marked)) for stop in range(start + 1, len(marked) + 1)]
    assert sorted(hashes_within(sentence).tolist()) == sorted(sequence_hash(sequences).tolist())
