"""Tables 2 to 4 by their definitions, one candidate after the other."""

from __future__ import annotations

import random
import statistics

import pytest

from corpusdb.base.errors import UsageError
from corpusdb.studies.bleu_in_characters.tables import (
    CandidateScores,
    LengthClass,
    Measurement,
    Ranking,
    SystemRow,
    candidate_scores,
    length_classes,
    length_table,
    ranking,
    rows_by_length,
    rows_by_system,
)

EQUIVALENT = 5


@pytest.fixture(scope="module")
def scores() -> CandidateScores:
    rng = random.Random(7)
    references = [[" ".join(rng.choices(["a", "ab", "ba"], k=rng.randrange(2, 9)))] for _ in range(60)]
    systems = {
        name: [" ".join(word for word in each.split() if rng.random() > loss) for (each,) in references]
        for name, loss in (("bad", 0.4), ("good", 0.1), ("fair", 0.2))
    }
    return candidate_scores(systems, references, Measurement(2, 8, "none"))


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
        SystemRow(str(number), words, characters, characters - words, words, characters)
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
