"""The variation of reference sets against counts by hand, sacrebleu and what must hold of any sets."""

from __future__ import annotations

from itertools import permutations
from statistics import fmean
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.stats.estimates import Interval
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metrics.settings import Smoothing
from corpusdb.studies.references.variation import (
    Mean,
    ParaphraseSet,
    Scoring,
    SeedVariation,
    figure_2,
    leave_one_out,
    seed_variation,
)

Sample: TypeAlias = tuple[list[str], list[list[str]]]

PLAIN = Scoring(str.split)
EFFECTIVE = Scoring(str.split, smoothing=Smoothing(effective=True))

sentences = st.lists(st.sampled_from("abc"), min_size=1, max_size=7).map(" ".join)
paraphrase_sets = st.lists(
    st.builds(ParaphraseSet, sentences, st.lists(sentences, min_size=1, max_size=4).map(tuple)), min_size=1, max_size=5
)


def test_the_paraphrases_of_a_seed_are_one_test_set() -> None:
    """Of all their n-grams, 10 of 10, 5 of 8, 3 of 6 and 2 of 4 are those of the seed; there is no penalty."""
    (found,) = seed_variation([ParaphraseSet("a b c d e", ("a b c d e", "a c b d e"))], PLAIN)
    matched = (10 / 10) * ((4 + 1) / 8) * (3 / 6) * (2 / 4)
    assert found.bleu == pytest.approx(matched**0.25, rel=1e-12)
    assert (found.length, found.paraphrases) == (5, 2)


def test_the_weights_of_a_single_seed_make_all_its_words_weigh_the_same() -> None:
    """The five words weigh log2 5 each and their sequences nothing; a sentence with four of five words has 4/5."""
    (found,) = seed_variation([ParaphraseSet("a b c d e", ("a b c d x",))], PLAIN)
    assert found.nist == pytest.approx(4 / 5, rel=1e-12)


@pytest.mark.parametrize("scoring", [PLAIN, EFFECTIVE])
def test_identical_sentences_do_not_vary(scoring: Scoring) -> None:
    same = [ParaphraseSet("a b c d", ("a b c d",) * 3), ParaphraseSet("e f g h i", ("e f g h i",))]
    assert [(each.bleu, each.nist) for each in seed_variation(same, scoring)] == [pytest.approx((1, 1))] * 2
    found = leave_one_out(same, scoring, draws=3, samples=5, seed=1)
    assert (found.bleu, found.nist) == pytest.approx((1, 1))
    assert (found.bleu_interval.low, found.bleu_interval.high) == pytest.approx((1, 1))


def test_bleu_of_a_sentence_that_is_shorter_than_the_order() -> None:
    short = [ParaphraseSet("a b c", ("a b c",))]
    assert leave_one_out(short, PLAIN, seed=1).bleu == 0
    assert leave_one_out(short, EFFECTIVE, seed=1).bleu == pytest.approx(1)
    assert leave_one_out(short, PLAIN, seed=1).nist == pytest.approx(1)


def test_sets_without_a_common_word_score_0() -> None:
    found = leave_one_out([ParaphraseSet("a b c d", ("e f g h", "i j k l"))], PLAIN, seed=1)
    assert (found.bleu, found.bleu_interval, found.nist) == (0, Interval(0, 0), 0)
    assert (found.sets, found.sentences) == (1, 3)


@pytest.mark.slow
def test_many_draws_come_to_the_mean_over_all_pairs() -> None:
    """Of two sentences either is left out half of the time, of three each a third; the mean is over evaluations."""
    sets = [ParaphraseSet("a b c d e", ("a b c d x y",)), ParaphraseSet("a b c d", ("a b c d e f", "b c d e f"))]

    def bleu(one: str, other: str) -> float:
        return seed_variation([ParaphraseSet(other, (one,))], PLAIN)[0].bleu

    pairs = [list(permutations((each.seed, *each.paraphrases), 2)) for each in sets]
    # In a draw the first set has one evaluation and the second two.
    exact = fmean([fmean(bleu(*pair) for pair in pairs[0]), *[fmean(bleu(*pair) for pair in pairs[1])] * 2])
    assert leave_one_out(sets, PLAIN, draws=2000, samples=1, seed=1).bleu == pytest.approx(exact, abs=0.01)


@given(paraphrase_sets, st.integers(0, 9))
def test_scores_are_in_range_and_do_not_depend_on_the_order_of_paraphrases(
    sets: list[ParaphraseSet], seed: int
) -> None:
    found = seed_variation(sets, PLAIN)
    turned = [ParaphraseSet(each.seed, each.paraphrases[::-1]) for each in sets]
    assert [each.bleu for each in found] == pytest.approx([each.bleu for each in seed_variation(turned, PLAIN)])
    assert [each.nist for each in found] == pytest.approx([each.nist for each in seed_variation(turned, PLAIN)])
    assert all(0 <= each.bleu <= 1 + 1e-12 and each.nist >= 0 for each in found)
    table = leave_one_out(sets, PLAIN, draws=2, samples=10, seed=seed)
    assert 0 <= table.bleu_interval.low <= table.bleu_interval.high <= 1 + 1e-12
    assert table == leave_one_out(sets, PLAIN, draws=2, samples=10, seed=seed)


def test_the_graphs_are_means_along_the_axis() -> None:
    points = [SeedVariation(3, 1, 0.2, 0.1), SeedVariation(5, 1, 0.6, 0.2), SeedVariation(3, 4, 0.4, 0.6)]
    by_length, nist_by_length, by_number, _ = figure_2(points)
    assert (by_length.measure, by_length.axis) == ("bleu", "length")
    assert by_length.means == (Mean(3, 2, (0.2 + 0.4) / 2), Mean(5, 1, 0.6))
    assert nist_by_length.means == (Mean(3, 2, (0.1 + 0.6) / 2), Mean(5, 1, 0.2))
    assert by_number.means == (Mean(1, 2, (0.2 + 0.6) / 2), Mean(4, 1, 0.4))
    # By hand: x around its mean is -2/3, 4/3, -2/3 and y is -0.2, 0.2, 0.
    assert by_length.pearson == pytest.approx(0.4 / (8 / 3 * 0.08) ** 0.5)
    assert figure_2([points[0]])[0].pearson is None
    assert figure_2([])[0].means == ()


@pytest.mark.parametrize(
    ("sets", "draws", "error"),
    [
        ([], 1, InputError),
        ([ParaphraseSet("a", ())], 1, InputError),
        ([ParaphraseSet(" ", ("a",))], 1, InputError),
        ([ParaphraseSet("a", ("a",))], 0, UsageError),
    ],
)
def test_what_cannot_be_measured(sets: list[ParaphraseSet], draws: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        leave_one_out(sets, PLAIN, draws=draws, seed=1)


@pytest.mark.data
@pytest.mark.parametrize("count", [15, pytest.param(60, marks=pytest.mark.slow)])
def test_descriptions_of_images_score_what_sacrebleu_gives_on_all_pairs(captions: Sample, count: int) -> None:
    metric = pytest.importorskip("sacrebleu.metrics").BLEU(smooth_method="none", effective_order=False)
    first, references = captions
    sets = [
        ParaphraseSet(text, tuple(others[:4])) for text, others in zip(first, references, strict=True) if others[3:]
    ][:count]
    pairs = [pair for each in sets for pair in permutations((each.seed, *each.paraphrases), 2)]
    expected = fmean(metric.sentence_score(one, [other]).score / 100 for one, other in pairs)
    found = leave_one_out(sets, Scoring(tokeniser("13a")), draws=200, seed=1)
    assert found.bleu == pytest.approx(expected, abs=0.002)
    assert found.bleu_interval.low < expected < found.bleu_interval.high
