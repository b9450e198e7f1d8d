"""Scores of all orders against the formulae of the paper, written down as they stand there."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.studies.bleu_in_characters.tables import Measurement, candidate_scores


def bleu(candidate: Sequence[str], references: Sequence[Sequence[str]], order: int) -> float:
    """Section 3.1: a brevity penalty times the geometric average of the modified n-gram precisions up to the order."""
    product = 1.0
    for n in range(1, order + 1):
        own = ngrams(candidate, n)
        if not own:
            return 0.0
        clipped = sum(min(count, max(ngrams(each, n)[gram] for each in references)) for gram, count in own.items())
        product *= clipped / own.total()
    length = len(candidate)
    closest = min((abs(len(each) - length), len(each)) for each in references)[1]
    penalty = 1.0 if length > closest else math.exp(1 - closest / length)
    return penalty * math.pow(product, 1 / order)


def ngrams(units: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(units[at : at + n]) for at in range(len(units) - n + 1))


def texts(rng: random.Random, count: int) -> list[str]:
    return [" ".join(rng.choices(["a", "ab", "ba", "b", "cab"], k=rng.randrange(1, 9))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(3))
def test_every_score_is_that_of_the_formulae(seed: int) -> None:
    rng = random.Random(seed)
    systems = {name: texts(rng, 20) for name in ("one", "two")}
    references = [texts(rng, rng.randrange(1, 4)) for _ in range(20)]
    scores = candidate_scores(systems, references, Measurement(4, 12))

    candidates = [(text, number) for output in systems.values() for number, text in enumerate(output)]
    for place, (text, number) in enumerate(candidates):
        words = [each.split() for each in references[number]]
        characters = [list(each.replace(" ", "")) for each in references[number]]
        expected = [bleu(text.split(), words, order) for order in range(1, 5)]
        assert scores.words[:, place] == pytest.approx(expected, abs=1e-12)
        expected = [bleu(list(text.replace(" ", "")), characters, order) for order in range(1, 13)]
        assert scores.characters[:, place] == pytest.approx(expected, abs=1e-12)
        assert scores.word_lengths[place] == len(text.split())
        assert scores.character_lengths[place] == len(text.replace(" ", ""))
    assert (scores.systems, scores.segments) == (("one", "two"), 20)
    assert scores.of_systems(scores.words[3])[1].tolist() == scores.words[3, 20:].tolist()


def test_the_score_of_a_whole_output_is_that_of_its_sums() -> None:
    """4 of 5 and 3 of 3 words, 2 of 3 and 2 of 2 pairs; as long as the references but for one word."""
    scores = candidate_scores({"s": ["a b c x", "a b c"]}, [["a b c d e"], ["a b c"]], Measurement(2, 1, "none"))

    expected = math.exp(1 - 8 / 7) * math.sqrt(6 / 7 * 4 / 5)
    assert scores.corpus_words[0, 1] == pytest.approx(expected)


@pytest.mark.parametrize(("lowercase", "expected"), [(False, 0.0), (True, 1.0)])
def test_case_is_folded_in_both_units(lowercase: bool, expected: float) -> None:
    scores = candidate_scores({"s": ["AB CD"]}, [["ab cd"]], Measurement(2, 3, lowercase=lowercase))

    assert np.unique(scores.words).tolist() == np.unique(scores.characters).tolist() == [expected]


def test_an_empty_candidate_scores_nothing() -> None:
    scores = candidate_scores({"s": ["", "a b"]}, [["a b"], ["a b"]], Measurement(2, 2))

    assert scores.words[:, 0].tolist() == scores.characters[:, 0].tolist() == [0.0, 0.0]
    assert scores.words[1, 1] == pytest.approx(1)


def test_bad_calls() -> None:
    with pytest.raises(InputError, match="no systems"):
        candidate_scores({}, [["a"]])
    with pytest.raises(InputError, match="2 candidates of s for 1 segments"):
        candidate_scores({"s": ["a", "b"]}, [["a"]])
    with pytest.raises(UsageError, match="at least 2, not 1"):
        Measurement(word_order=1)
    with pytest.raises(UsageError, match="at least 1, not 0"):
        Measurement(character_order=0)
    with pytest.raises(UsageError, match="compared with words"):
        Measurement(tokenisation="char")
