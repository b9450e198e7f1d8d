"""Tests of corpusdb/paraphrase/sharing.py; the chain over a database is compared with it in tests/queries/chain."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from corpusdb.paraphrase.sharing import Paraphrase, Share, Translation, paraphrases, paraphrases_of

BEER = [
    Translation(1, "fra", 10),  # a beer, please
    Translation(2, "fra", 10),
    Translation(2, "fra", 11),
    Translation(1, "jpn", 20),
    Translation(2, "jpn", 20),
    Translation(3, "jpn", 20),
    Translation(3, "fra", 12),
]


def test_sentences_that_share_translations() -> None:
    assert list(paraphrases(BEER)) == [
        Paraphrase(1, 2, 2, "fra,jpn", 1 / 2 * 1 / 2 + 1 / 2 * 1 / 3),
        Paraphrase(1, 3, 1, "jpn", 1 / 6),
        Paraphrase(2, 1, 2, "fra,jpn", 1 / 3 * 1 / 2 + 1 / 3 * 1 / 3),
        Paraphrase(2, 3, 1, "jpn", 1 / 9),
        Paraphrase(3, 1, 1, "jpn", 1 / 6),
        Paraphrase(3, 2, 1, "jpn", 1 / 6),
    ]


def test_what_many_sentences_share_is_left_out_and_is_a_translation_all_the_same() -> None:
    assert list(paraphrases(BEER, max_sharing=2)) == [
        Paraphrase(1, 2, 1, "fra", 1 / 4),
        Paraphrase(2, 1, 1, "fra", 1 / 6),
    ]


@pytest.mark.parametrize("number", range(10))
def test_the_order_of_the_rows_does_not_matter(number: int) -> None:
    chance = random.Random(number)
    rows = [Translation(chance.randrange(8), "fra", 10 + chance.randrange(6)) for _ in range(40)]
    expected = list(paraphrases(rows))
    chance.shuffle(rows)
    assert list(paraphrases(rows + rows[:5])) == expected
    assert expected == sorted(expected)


@pytest.mark.parametrize("number", range(10))
def test_probabilities_sum_to_one_with_that_of_the_sentence_itself(number: int) -> None:
    chance = random.Random(100 + number)
    rows = {Translation(chance.randrange(8), "fra", 10 + chance.randrange(6)) for _ in range(30)}
    sharing: dict[int, set[int]] = defaultdict(set)
    own: dict[int, set[int]] = defaultdict(set)
    for sentence, _, translation in rows:
        own[sentence].add(translation)
        sharing[translation].add(sentence)
    total: dict[int, float] = defaultdict(float)
    for row in paraphrases(rows):
        total[row.sentence] += row.probability
    for sentence, translations in own.items():
        itself = sum(1 / len(translations) / len(sharing[each]) for each in translations)
        assert total[sentence] + itself == pytest.approx(1)


def test_a_sum_is_rounded_once() -> None:
    shares = [Share(1, 2, "fra", part) for part in (0.1, 0.2, 0.3, 0.1)]
    assert {paraphrases_of(1, order)[0].probability for order in (shares, shares[::-1])} == {0.7}
