"""The whole study: texts whose answer is known, and real ones."""

from __future__ import annotations

import random
import statistics
from typing import TypeAlias

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.studies.bleu_in_characters.tables import (
    CandidateScores,
    Measurement,
    candidate_scores,
    equivalence,
    length_classes,
)

Sample: TypeAlias = tuple[list[str], list[list[str]]]


def letters(width: int, *, seed: int = 1) -> CandidateScores:
    """Texts whose words are one of three letters, written ``width`` times."""
    rng = random.Random(seed)
    references = [rng.choices("abc", k=rng.randrange(1, 12)) for _ in range(150)]
    outputs = [[unit if rng.random() < 0.7 else rng.choice("abc") for unit in each] for each in references]

    def text(units: list[str]) -> str:
        return " ".join(unit * width for unit in units)

    systems = {"one": [text(each) for each in outputs], "two": [text(each[1:]) for each in outputs]}
    return candidate_scores(systems, [[text(each)] for each in references], Measurement(4, 20, "none"))


def test_words_of_one_character_are_equivalent_to_characters() -> None:
    study = equivalence(letters(1))

    for best in study.best:
        assert best.pearson is not None and best.kappa is not None
        assert (best.pearson.order, best.kappa.order) == (best.order, best.order)
        assert (best.pearson.value, best.kappa.value) == pytest.approx((1, 1))
    assert study.ratio == study.word_length == 1
    assert all(row.difference == 0 for row in study.by_system) or study.equivalent != 4
    assert study.best[0].behaviour is None


def test_longer_words_want_higher_orders() -> None:
    narrow, wide = equivalence(letters(1)), equivalence(letters(4))

    assert wide.word_length == 4
    assert wide.equivalent > narrow.equivalent
    assert wide.ratio is not None and wide.ratio > 2


def test_the_order_that_stands_for_words_is_the_median_of_the_three() -> None:
    study = equivalence(letters(3))
    last = study.best[-1]
    assert last.pearson and last.kappa and last.behaviour
    assert study.equivalent == statistics.median([last.pearson.order, last.kappa.order, last.behaviour.order])
    assert not study.is_given


def test_a_given_order_is_taken() -> None:
    scores = letters(2)
    study = equivalence(scores, equivalent=7)

    assert (study.equivalent, study.is_given) == (7, True)
    assert study.by_system[0].corpus_characters in scores.corpus_characters[:, 6]
    for impossible in (0, 21):
        with pytest.raises(UsageError, match="only of 1 to 20"):
            equivalence(scores, equivalent=impossible)


def test_clipping_can_raise_a_score_with_the_order() -> None:
    """Each reference has one a, and together they have all pairs: 3 of 4 words match, and 3 of 3 pairs."""
    scores = candidate_scores({"s": ["a b a c", "a b"]}, [["a b", "b a", "a c"], ["a b"]], Measurement(2, 2, "none"))

    assert equivalence(scores, equivalent=2).words_below == (0.5,)


def test_candidates_that_all_score_alike() -> None:
    """Nothing correlates; only BLEUcM <= BLEUw1 holds, for every M."""
    study = equivalence(candidate_scores({"s": ["a b", "c d"]}, [["a b"], ["c d"]], Measurement(2, 2)))

    assert (study.best[1].pearson, study.best[1].kappa, study.ratio) == (None, None, None)
    assert study.equivalent == 1


def test_no_order_can_be_found_where_nothing_says_anything() -> None:
    """No word and one character in twenty match: one grade, no variation, and never below the words."""
    scores = candidate_scores({"s": ["a" + "x" * 19] * 2}, [["a"]] * 2, Measurement(2, 1))
    with pytest.raises(InputError, match="do not vary"):
        equivalence(scores)


@pytest.mark.data
@pytest.mark.slow
def test_the_study_of_ten_systems(news: dict[str, Sample]) -> None:
    """What was found when this was written; the paper has 5, 8, 10, 17 and 5, 9, 14, 18 and 9, 14, 18."""
    references = next(iter(news.values()))[1]
    scores = candidate_scores({name: sample[0] for name, sample in news.items()}, references)
    study = equivalence(scores, length_classes([10, 20, 30]))

    assert (study.systems, study.segments, study.candidates) == (10, 1000, 10_000)
    assert [best.pearson and best.pearson.order for best in study.best] == [5, 9, 10, 15]
    assert [best.kappa and best.kappa.order for best in study.best] == [4, 8, 12, 16]
    assert [best.behaviour and best.behaviour.order for best in study.best] == [None, 8, 14, 19]
    assert study.pearson[3][17] == pytest.approx(
        statistics.correlation(scores.words[3].tolist(), scores.characters[17].tolist())
    )
    assert study.ratio == pytest.approx(study.word_length, abs=0.5)
    assert study.ranking.reversed == 0


@pytest.mark.data
def test_scores_of_a_part_are_those_of_sacrebleu(news: dict[str, Sample]) -> None:
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU
    hypotheses, references = next(iter(news.values()))
    scores = candidate_scores({"s": hypotheses[:100]}, references[:100])
    study = equivalence(scores, equivalent=18)

    for tokenise, order, ours in (("13a", 4, study.by_system[0].words), ("char", 18, study.by_system[0].characters)):
        metric = bleu(tokenize=tokenise, max_ngram_order=order, smooth_method="none", force=True)
        pairs = zip(hypotheses[:100], references[:100], strict=True)
        theirs = statistics.fmean(metric.sentence_score(text, own).score for text, own in pairs)
        assert 100 * ours == pytest.approx(theirs, abs=1e-9)
