"""The edits of TER, held against sacrebleu's own search, ties of its beam and limits included."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.scoring.edit_rate import LONGEST, Pair, edits_of

EditRate = Callable[[list[str], list[str]], tuple[int, int]]


@pytest.fixture(scope="module")
def peer() -> EditRate:
    found: EditRate = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    return found


def expected(peer: EditRate, pairs: Sequence[Pair]) -> list[int]:
    return [peer(list(hypothesis), list(reference))[0] for hypothesis, reference in pairs]


def drawn(seed: int, *, words: int, most: int, pairs: int) -> list[Pair]:
    """Hypotheses that are references with runs moved, and words left out, put in and replaced."""
    rng = random.Random(seed)
    found: list[Pair] = []
    for _ in range(pairs):
        reference = [str(rng.randrange(words)) for _ in range(rng.randint(1, most))]
        text = list(reference)
        for _ in range(rng.randint(0, 3)):
            start, stop = sorted(rng.choices(range(len(text) + 1), k=2))
            run, text = text[start:stop], text[:start] + text[stop:]
            place = rng.randint(0, len(text))
            text = text[:place] + run + text[place:]
        kept = [word if rng.random() > 0.1 else str(rng.randrange(words)) for word in text if rng.random() > 0.1]
        found.append((kept + [str(rng.randrange(words))] * rng.randint(0, 2), reference))
    return found


@pytest.mark.parametrize(("words", "most"), [(4, 9), (12, 20), (40, 70)])
@pytest.mark.parametrize("seed", range(4))
def test_the_edits_are_those_of_sacrebleu(peer: EditRate, words: int, most: int, seed: int) -> None:
    pairs = drawn(seed, words=words, most=most, pairs=40 if most < 50 else 8)
    assert edits_of(pairs).tolist() == expected(peer, pairs)


TEXTS = st.lists(st.sampled_from("abcdef"), max_size=14)


@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_any_texts(pairs: list[Pair]) -> None:
    peer = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    assert edits_of(pairs).tolist() == expected(peer, pairs)


@pytest.mark.slow
def test_lengths_far_apart_widen_the_beam_and_many_moves_are_not_tried(peer: EditRate) -> None:
    rng = random.Random(1)
    far = [(["a", "b"], ["a"] * 130), (["x"] * 90, ["x", "y"]), (["b"], ["a"] * 60 + ["b"])]
    same = [rng.choice("ab") for _ in range(40)]
    many = [(same, same[20:] + same[:20]), (same[::-1], same)]
    pairs: list[Pair] = [*far, *many]
    assert edits_of(pairs).tolist() == expected(peer, pairs)


def test_no_words() -> None:
    assert edits_of([([], []), (["a", "b"], []), ([], ["a"]), (["a"], ["a"])]).tolist() == [0, 2, 1, 0]
    assert edits_of([]).tolist() == []
    with pytest.raises(ValueError, match="more than"):
        edits_of([(["a"] * (LONGEST + 1), ["a"])])


def test_pairs_do_not_depend_on_those_beside_them() -> None:
    pairs = drawn(9, words=8, most=15, pairs=300)
    alone = [int(edits_of([pair])[0]) for pair in pairs]
    assert edits_of(pairs).tolist() == alone
    assert edits_of(pairs[::-1]).tolist() == alone[::-1]
