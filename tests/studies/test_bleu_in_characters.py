"""The tables of the paper by their definitions, its scores by its formulae, and what it prints held against itself."""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.studies.bleu_in_characters import (
    BestOrder,
    BestOrders,
    CandidateScores,
    Criteria,
    Equivalence,
    LengthClass,
    LengthTable,
    Measurement,
    Ranking,
    SystemMeans,
    best_orders,
    criteria,
    equivalence,
    greatest,
    length_classes,
    length_table,
    ranking,
    rows_by_length,
    rows_by_system,
    scoring_candidates,
)
from corpusdb.studies.characters_report import (
    PAPER_TABLE_1,
    PAPER_TABLE_2,
    PAPER_TABLE_3,
    PAPER_TABLE_4,
    PaperFinding,
    findings,
)

# Table 1 by its definitions, one candidate after the other.


NAN = float("nan")


def scores_of(words: F64, characters: F64) -> CandidateScores:
    """One system with these scores; lengths are of no account here."""
    lengths = np.full(words.shape[1], 9, dtype=np.int64)
    return CandidateScores(("s",), words, characters, lengths, lengths, words[:, :1].T, characters[:, :1].T)


def random_scores(seed: int, candidates: int = 60) -> CandidateScores:
    rng = np.random.default_rng(seed)
    quality = rng.random(candidates)
    words, characters = (np.clip(quality + rng.normal(0, 0.2, (orders, candidates)), 0, 1) for orders in (4, 9))
    return scores_of(words, np.ascontiguousarray(characters))


def kappa(first: list[float], second: list[float]) -> float:
    """Cohen (1960), of the grades 0 to 9."""
    ours, theirs = ([min(9, int(score * 10)) for score in judge] for judge in (first, second))
    items = len(first)
    observed = sum(one == other for one, other in zip(ours, theirs, strict=True)) / items
    counts = Counter(ours), Counter(theirs)
    expected = sum(counts[0][grade] * counts[1][grade] for grade in range(10)) / (items * items)
    return (observed - expected) / (1 - expected)


@pytest.mark.parametrize("seed", range(3))
def test_every_pair_of_orders_is_compared_as_defined(seed: int) -> None:
    scores = random_scores(seed)
    found = criteria(scores)

    for n, words in enumerate(scores.words.tolist()):
        for m, characters in enumerate(scores.characters.tolist()):
            assert found.pearson[n, m] == pytest.approx(statistics.correlation(words, characters))
            assert found.kappa[n, m] == pytest.approx(kappa(words, characters))
            below = [theirs <= ours for ours, theirs in zip(words, characters, strict=True)]
            assert found.below[n, m] == pytest.approx(sum(below) / len(below))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_order_has_the_greatest_value(seed: int) -> None:
    found = criteria(random_scores(seed))

    for order in range(1, 5):
        best = best_orders(found, order)
        assert best.pearson is not None and best.kappa is not None
        assert best.pearson.value == max(found.pearson[order - 1])
        assert found.kappa[order - 1, best.kappa.order - 1] == best.kappa.value == max(found.kappa[order - 1])


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([0.2, 0.89, 0.9, 0.95], BestOrder(3, 0.9)),
        ([0.2, 0.91, 0.7, 0.95], BestOrder(2, 0.91)),  # it is first encountered there, whatever comes behind
        ([1.0, 1.0, 1.0, 1.0], BestOrder(1, 1.0)),
        ([0.2, 0.3, 0.4, 0.89999], None),
    ],
)
def test_behaviour_is_the_first_order_that_leaves_nine_tenths_below(
    shares: list[float], expected: BestOrder | None
) -> None:
    nothing = np.full((2, 4), NAN)
    found = Criteria(nothing, nothing, np.array([shares, [0.0] * 4]))

    assert best_orders(found, 2).behaviour == expected
    assert best_orders(found, 1).behaviour is None  # there is no order below
    assert best_orders(found, 2).pearson is best_orders(found, 2).kappa is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1, 0.5, 0.3], BestOrder(2, 0.5)),
        ([NAN, -0.5, NAN], BestOrder(2, -0.5)),
        ([0.5, 0.5 + 1e-15], BestOrder(1, 0.5)),  # rounding does not make a later order the best
        ([NAN, NAN], None),
    ],
)
def test_the_first_of_the_greatest(values: list[float], expected: BestOrder | None) -> None:
    assert greatest(np.array(values)) == expected


def test_scores_that_are_equal_but_for_rounding_are_below() -> None:
    words = np.array([[0.3, 0.6]])

    assert criteria(scores_of(words, words + 1e-15)).below.tolist() == [[1.0]]


# Scores of all orders against the formulae of the paper, written down as they stand there.


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
    scores = finished(scoring_candidates(systems, references, Measurement(4, 12)))

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
    scores = finished(
        scoring_candidates({"s": ["a b c x", "a b c"]}, [["a b c d e"], ["a b c"]], Measurement(2, 1, "none"))
    )

    expected = math.exp(1 - 8 / 7) * math.sqrt(6 / 7 * 4 / 5)
    assert scores.corpus_words[0, 1] == pytest.approx(expected)


@pytest.mark.parametrize(("lowercase", "expected"), [(False, 0.0), (True, 1.0)])
def test_case_is_folded_in_both_units(lowercase: bool, expected: float) -> None:
    scores = finished(scoring_candidates({"s": ["AB CD"]}, [["ab cd"]], Measurement(2, 3, lowercase=lowercase)))

    assert np.unique(scores.words).tolist() == np.unique(scores.characters).tolist() == [expected]


def test_an_empty_candidate_scores_nothing() -> None:
    scores = finished(scoring_candidates({"s": ["", "a b"]}, [["a b"], ["a b"]], Measurement(2, 2)))

    assert scores.words[:, 0].tolist() == scores.characters[:, 0].tolist() == [0.0, 0.0]
    assert scores.words[1, 1] == pytest.approx(1)


def test_bad_calls() -> None:
    with pytest.raises(InputError, match="no systems"):
        finished(scoring_candidates({}, [["a"]]))
    with pytest.raises(InputError, match="2 candidates of s for 1 segments"):
        finished(scoring_candidates({"s": ["a", "b"]}, [["a"]]))
    with pytest.raises(UsageError, match="at least 2, not 1"):
        Measurement(word_order=1)
    with pytest.raises(UsageError, match="at least 1, not 0"):
        Measurement(character_order=0)
    with pytest.raises(UsageError, match="compared with words"):
        Measurement(tokenisation="char")


# Tables 2 to 4 by their definitions, one candidate after the other.


EQUIVALENT = 5


@pytest.fixture(scope="module")
def scores() -> CandidateScores:
    rng = random.Random(7)
    references = [[" ".join(rng.choices(["a", "ab", "ba"], k=rng.randrange(2, 9)))] for _ in range(60)]
    systems = {
        name: [" ".join(word for word in each.split() if rng.random() > loss) for (each,) in references]
        for name, loss in (("bad", 0.4), ("good", 0.1), ("fair", 0.2))
    }
    return finished(scoring_candidates(systems, references, Measurement(2, 8, "none")))


@pytest.mark.parametrize(
    ("lengths", "names"),
    [
        ([3, 4, 10], ["< 4", "4", "5-10", "> 10"]),
        ([0, 1], ["< 1", "1", "> 1"]),
        ([20], ["< 21", "> 20"]),
        ([3, 4, 5, 6, 7, 8, 9, 10], ["< 4", "4", "5", "6", "7", "8", "9", "10", "> 10"]),
    ],
)
def test_classes_of_length(lengths: list[int], names: list[str]) -> None:
    assert [str(each) for each in length_classes(lengths)] == names


@pytest.mark.parametrize("lengths", [[], [-1], [3, 3], [4, 2]])
def test_lengths_that_do_not_ascend(lengths: list[int]) -> None:
    with pytest.raises(UsageError, match="ascend"):
        length_classes(lengths)


def test_each_length_has_its_own_candidates(scores: CandidateScores) -> None:
    rows = rows_by_length(scores, length_classes([1, 2, 4]), EQUIVALENT)

    assert sum(row.candidates for row in rows) == 180
    assert sum(row.share for row in rows) == pytest.approx(1)
    for row, (least, most) in zip(rows, ((0, 1), (2, 2), (3, 4), (5, 99)), strict=True):
        inside = [place for place, length in enumerate(scores.word_lengths) if least <= length <= most]
        words = [float(scores.words[-1, place]) for place in inside]
        assert row.candidates == len(inside)
        assert row.mean == pytest.approx(statistics.fmean(words))
        assert row.deviation == pytest.approx(statistics.pstdev(words))
        if len(set(words)) == 1:  # under two words, BLEUw2 is 0
            assert (row.local, row.pearson) == (None, None)
            continue
        values = []
        for characters in scores.characters:
            chosen = [float(characters[place]) for place in inside]
            values.append(statistics.correlation(words, chosen) if len(set(chosen)) > 1 else -2.0)
        assert row.local is not None
        assert row.local.value == pytest.approx(max(values))
        assert values[row.local.order - 1] == pytest.approx(max(values))
        expected = values[EQUIVALENT - 1]
        assert row.pearson == (None if expected < -1 else pytest.approx(expected))


def test_a_length_that_no_candidate_has(scores: CandidateScores) -> None:
    (row,) = rows_by_length(scores, [LengthClass(50, 60)], EQUIVALENT)

    assert (row.candidates, row.share) == (0, 0.0)
    assert (row.mean, row.deviation, row.local, row.pearson) == (None, None, None, None)


def test_systems_have_the_means_of_their_sentences(scores: CandidateScores) -> None:
    rows = rows_by_system(scores, EQUIVALENT)

    assert [row.system for row in rows] == ["good", "fair", "bad"]
    for row in rows:
        number = scores.systems.index(row.system)
        own = slice(60 * number, 60 * (number + 1))
        assert row.words == pytest.approx(statistics.fmean(scores.words[-1, own].tolist()))
        assert row.characters == pytest.approx(statistics.fmean(scores.characters[EQUIVALENT - 1, own].tolist()))
        assert row.difference == pytest.approx(row.characters - row.words)
        assert row.corpus_words == scores.corpus_words[number, -1]
        assert row.corpus_characters == scores.corpus_characters[number, EQUIVALENT - 1]


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        # Table 3 of the paper as printed: systems 2 and 3 are not told apart by words (note 12).
        ([(0.349, 0.292), (0.312, 0.267), (0.305, 0.279), (0.232, 0.183)], Ranking(6, 5, 1, 0, False)),
        ([(0.5, 0.4), (0.3, 0.2)], Ranking(1, 1, 0, 0, True)),
        ([(0.5, 0.2), (0.3, 0.4)], Ranking(1, 0, 0, 1, False)),
        ([(0.5, 0.400), (0.3, 0.401)], Ranking(1, 0, 1, 0, False)),
        ([(0.5, 0.4)], Ranking(0, 0, 0, 0, True)),
    ],
)
def test_pairs_of_systems(systems: list[tuple[float, float]], expected: Ranking) -> None:
    rows = [
        SystemMeans(str(number), words, characters, characters - words, words, characters)
        for number, (words, characters) in enumerate(systems)
    ]
    assert ranking(rows) == expected


def test_lengths_in_both_units(scores: CandidateScores) -> None:
    table = length_table(scores, EQUIVALENT)

    pairs = list(zip(scores.word_lengths.tolist(), scores.character_lengths.tolist(), strict=True))
    assert table.short == sum(words < 2 and characters < 5 for words, characters in pairs)
    assert table.short_in_characters == sum(words >= 2 and characters < 5 for words, characters in pairs)
    assert table.short_in_words == sum(words < 2 and characters >= 5 for words, characters in pairs)
    assert table.long == sum(words >= 2 and characters >= 5 for words, characters in pairs)


# What the paper prints, held against itself, and what is said to agree with it.


@pytest.fixture(scope="module")
def study() -> Equivalence:
    rng = random.Random(3)
    references = [[" ".join(rng.choices(["word", "and", "mark"], k=8))] for _ in range(40)]
    systems = {
        name: [" ".join(word for word in each.split() if rng.random() > loss) for (each,) in references]
        for name, loss in (("one", 0.1), ("two", 0.4))
    }
    return equivalence(finished(scoring_candidates(systems, references, Measurement(4, 24))))


@pytest.fixture(scope="module")
def papers(study: Equivalence) -> Equivalence:
    """A study that finds what the paper says it found."""
    systems = [replace(study.by_system[0], words=w, characters=c, difference=d) for w, c, d in PAPER_TABLE_3]
    return replace(
        study,
        equivalent=18,
        ratio=4.14,
        word_length=3.84,
        best=tuple(PAPER_TABLE_1.values()),
        by_length=(replace(study.by_length[-1], local=BestOrder(12, 0.919), pearson=0.861),),
        by_system=tuple(systems),
        ranking=Ranking(6, 5, 1, 0, True),
        lengths=PAPER_TABLE_4,
        words_below=(1.0, 1.0, 1.0),
    )


def verdicts(found: list[PaperFinding]) -> dict[str, bool | None]:
    return {each.claim: each.agrees for each in found}


def test_the_paper_agrees_with_itself(papers: Equivalence) -> None:
    found = findings(papers)

    assert all(each.agrees for each in found)
    by_claim = {each.claim: each for each in found}
    for name, count in (("Pearson", 4), ("kappa", 4), ("behaviour", 3)):
        assert sum(claim.endswith(name) for claim in by_claim) == count
    for claim in ("M/N is about the length of a word", "the correlation is high", "systems score less in characters"):
        assert by_claim[claim].ours == by_claim[claim].paper


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"words_below": (1.0, 0.9999, 1.0)}, "BLEUwN <= BLEUw(N-1)"),
        ({"ratio": 5.0}, "M/N is about the length of a word"),
        ({"equivalent": 16}, "characters that stand for 4 words"),
        ({"ranking": Ranking(6, 4, 1, 1, False)}, "pairs of systems in another order"),
        ({"lengths": LengthTable(5, 1, 1, 5)}, "more texts too short in characters"),
        (
            {"best": (BestOrders(4, BestOrder(17, 0.79), BestOrder(18, 0.3), BestOrder(18, 0.9)),)},
            "the correlation is high",
        ),
        (
            {"best": (BestOrders(4, BestOrder(16, 0.9), BestOrder(18, 0.3), BestOrder(18, 0.9)),)},
            "one M for N = 4 by all three",
        ),
        (
            {"best": (BestOrders(4, BestOrder(15, 0.9), BestOrder(18, 0.3), BestOrder(18, 0.9)),)},
            "best M for N = 4 by Pearson",
        ),
        ({"best": (BestOrders(4, BestOrder(17, 0.9), None, BestOrder(18, 0.9)),)}, "best M for N = 4 by kappa"),
    ],
)
def test_what_does_not_agree_is_told(papers: Equivalence, changes: dict[str, object], claim: str) -> None:
    assert verdicts(findings(replace(papers, **changes)))[claim] is False  # type: ignore[arg-type]


def test_orders_that_differ_by_one_agree(papers: Equivalence) -> None:
    best = BestOrders(4, BestOrder(18, 0.9), BestOrder(17, 0.3), BestOrder(19, 0.9))

    told = verdicts(findings(replace(papers, best=(best,))))
    assert [told[f"best M for N = 4 by {name}"] for name in ("Pearson", "kappa", "behaviour")] == [True] * 3
    assert told["one M for N = 4 by all three"] is False


def test_what_cannot_be_said(papers: Equivalence) -> None:
    nothing = replace(
        papers, best=(BestOrders(4, None, None, None),), by_length=(), ratio=None, ranking=Ranking(0, 0, 0, 0, True)
    )
    told = verdicts(findings(nothing))

    for claim in ("the correlation is high", "one M for N = 4 by all three", "pairs of systems in another order"):
        assert told[claim] is None
    assert verdicts(findings(replace(papers, is_given=True)))["characters that stand for 4 words"] is None


def test_other_orders_are_not_held_against_the_four_words_of_the_paper(papers: Equivalence) -> None:
    claims = verdicts(findings(replace(papers, word_order=3)))

    assert "characters that stand for 4 words" not in claims


def test_where_the_numbers_of_the_paper_do_not_agree() -> None:
    """The facts behind the remarks."""
    printed = [(round(characters - words, 3), difference) for words, characters, difference in PAPER_TABLE_3]
    assert [number for number, (one, other) in enumerate(printed, 1) if one != other] == [2]
    assert round(0.279 - 0.315, 3) == PAPER_TABLE_3[1][2]
    assert round(sum(row[2] for row in PAPER_TABLE_3) / 4, 3) == -0.047
    over_10 = PAPER_TABLE_2["> 10"]
    assert over_10.deviation**2 > over_10.mean * (1 - over_10.mean)  # the most that scores from 0 to 1 can vary
    assert round(1 - sum(row.share for row in PAPER_TABLE_2.values()), 3) == 0.148
    table = PAPER_TABLE_4
    assert (table.short + table.short_in_words, table.short_in_characters + table.long) == (303, 207)
    assert table.short + table.short_in_characters == 350
