"""What speaks for two phrases being equivalents, held against counts that are made one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.equivalence import (
    Alignment,
    Exchanges,
    Neighbours,
    PhraseStream,
    Surroundings,
    affinity,
    equivalence_model,
    evidence,
)
from corpusdb.search.token_corpus import TokenCorpus, Tokeniser

SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "C", "c"]), min_size=1, max_size=5).map(tuple), unique=True)


def stream_of(sentences: Sequence[Sequence[str]]) -> PhraseStream:
    numbers: dict[str, int] = {}
    lengths, tokens = Tokeniser(numbers).types_of(" ".join(words) for words in sentences)
    return PhraseStream(TokenCorpus("eng", np.arange(len(sentences)) + 7, lengths, tokens, list(numbers)))


@given(SENTENCES, st.lists(st.sampled_from("abcd"), min_size=1, max_size=2).map(tuple))
def test_surroundings_are_those_of_all_places(sentences: list[tuple[str, ...]], phrase: tuple[str, ...]) -> None:
    around: Counter[tuple[str, str]] = Counter()
    frames: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for words in sentences:
        lowered = [word.lower() for word in words]
        for at in range(len(words) - len(phrase) + 1):
            if tuple(lowered[at : at + len(phrase)]) == phrase:
                before, after = tuple(lowered[:at]), tuple(lowered[at + len(phrase) :])
                around["".join(before[-1:]), "".join(after[:1])] += 1
                frames.add((before, after))
    found = stream_of(sentences).of(phrase)
    assert found.places == around.total()
    shares = sorted(count / around.total() for count in around.values())
    assert sorted(found.around.shares.tolist()) == pytest.approx(shares)
    assert len(found.before.numbers) == len({before for before, _ in around})
    assert len(found.after.numbers) == len({after for _, after in around})
    assert len(found.frames) == len(frames)
    for sentence in found.sentences.tolist():
        assert set(phrase) <= {word.lower() for word in sentences[sentence - 7]}


def test_sentences_that_differ_by_one_phrase_have_one_frame() -> None:
    stream = stream_of([("we", "give", "up", "now"), ("we", "quit", "now"), ("we", "quit"), ("they", "quit", "now")])
    one, other = stream.of(("give", "up")), stream.of(("quit",))
    assert len(np.intersect1d(one.frames, other.frames)) == 1
    assert affinity(one.around, other.around) == pytest.approx(math.sqrt(1 / 3))


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_affinity_is_that_of_shares(one: list[int], other: list[int]) -> None:
    first, second = Neighbours.of(np.array(one)), Neighbours.of(np.array(other))
    told = sum(math.sqrt(one.count(each) / len(one) * other.count(each) / len(other)) for each in range(6))
    assert affinity(first, second) == pytest.approx(told) == pytest.approx(affinity(second, first))
    assert affinity(first, first) == pytest.approx(1)


def surroundings(*words: int, places: int = 50) -> Surroundings:
    beside = Neighbours.of(np.array(words))
    none = np.zeros(0, dtype=np.int64)
    return Surroundings(places, beside, beside, beside, none.astype(np.uint64), none)


def probability(alike: float, other: Surroundings, exchanges: Exchanges) -> float:
    aligned = [Alignment(alike / 7, alike / 7, alike)] * 3
    features = evidence(aligned, surroundings(1, 2, 3, 4), other, exchanges, closed=0.0)
    return float(equivalence_model().probability(np.array([features]))[0])


def test_what_speaks_for_a_pair_makes_it_more_probable() -> None:
    """Translations alone, or places alone, are not enough: forms of a word have the one, antonyms the other."""
    near, far = surroundings(1, 2, 3, 5), surroundings(6, 7, 8, 9)
    both = probability(0.7, near, Exchanges(6, 1))
    assert both > 0.8
    assert both > probability(0.7, near, Exchanges(0, 0)) > probability(0.7, far, Exchanges(0, 0))
    assert probability(0.7, near, Exchanges(0, 0)) > probability(0.05, near, Exchanges(0, 9))
    assert max(probability(0.7, far, Exchanges(0, 0)), probability(0.05, near, Exchanges(0, 9))) < 0.5
