"""Which sentences share translations, and how many would, held against sets of translations."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

from corpusdb.base.arrays import F64, I64
from corpusdb.paraphrase.sharing import BUCKETS, Links, SharedTranslations, measured_recalls, sharing_expected

SENTENCES, LANGUAGES = 14, 3
MAX_SHARING = 5
USUAL = [0.65, 0.65, 0.7, 0.75, 0.8]
"""As the program has them: what is taken for 20 pairs of each bucket."""


class Corpus:
    """Translations drawn at random, as sets."""

    def __init__(self, number: int) -> None:
        chance = random.Random(number)
        self.translations: dict[tuple[int, int], set[int]] = defaultdict(set)
        """By sentence and language."""
        links = set()
        for _ in range(90):
            sentence, translation = chance.randrange(SENTENCES - 2), chance.randrange(24)  # two have none
            language = translation % LANGUAGES
            self.translations[sentence, language].add(translation)
            links.add((sentence, language, translation))
        drawn = sorted(links, key=lambda _: chance.random())
        self.shared = SharedTranslations.of(
            Links(*np.array(drawn, dtype=np.int64).T), SENTENCES, LANGUAGES, MAX_SHARING
        )

    def common(self, one: int, other: int, language: int) -> int:
        """How many translations of a language two sentences share that are not too common."""
        both = self.translations[one, language] & self.translations[other, language]
        return sum(self.having(each) <= MAX_SHARING for each in both)

    def having(self, translation: int) -> int:
        return sum(translation in each for each in self.translations.values())

    def recalls(self) -> F64:
        found = np.zeros((LANGUAGES, BUCKETS))
        for language in range(LANGUAGES):
            counts = [[0, 0] for _ in range(BUCKETS)]
            for one, other in combinations(range(SENTENCES), 2):
                elsewhere = sum(self.common(one, other, each) for each in range(LANGUAGES) if each != language)
                product = len(self.translations[one, language]) * len(self.translations[other, language])
                if elsewhere >= 2 and product:
                    counts[bucket(product)][0] += self.common(one, other, language) > 0
                    counts[bucket(product)][1] += 1
            found[language] = [(y + 20 * p) / (n + 20) for (y, n), p in zip(counts, USUAL, strict=True)]
        return found


def bucket(product: int) -> int:
    """1, 2, 3 to 4, 5 to 8, 9 and more."""
    return 0 if product == 1 else 1 if product == 2 else 2 if product <= 4 else 3 if product <= 8 else 4


@pytest.fixture(params=range(5))
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return Corpus(request.param)


def every_pair() -> tuple[I64, I64]:
    """Each with each, in both orders, and with itself left out."""
    pairs = [(one, other) for one in range(SENTENCES) for other in range(SENTENCES) if one != other]
    one, other = np.array(pairs, dtype=np.int64).T
    return one, other


def test_shared_translations(corpus: Corpus) -> None:
    one, other = every_pair()
    found = corpus.shared.languages_shared(one, other)
    expected = [
        [corpus.common(a, b, language) > 0 for a, b in zip(one.tolist(), other.tolist(), strict=True)]
        for language in range(LANGUAGES)
    ]
    assert found.tolist() == expected
    assert found.any() and not found.all()
    numbers = {
        (a, b): [corpus.common(a, b, language) for language in range(LANGUAGES)]
        for a, b in combinations(range(SENTENCES), 2)
    }
    stored = {
        divmod(pair, SENTENCES): corpus.shared.shared[:, place].tolist()
        for place, pair in enumerate(corpus.shared.pairs.tolist())
    }
    assert stored == {pair: each for pair, each in numbers.items() if any(each)}
    assert max(map(sum, numbers.values())) > 1
    assert max(map(corpus.having, range(24))) > MAX_SHARING, "some are too common"


def test_numbers_of_translations(corpus: Corpus) -> None:
    assert corpus.shared.counts.tolist() == [
        [len(corpus.translations[sentence, language]) for sentence in range(SENTENCES)] for language in range(LANGUAGES)
    ]


def test_recalls(corpus: Corpus) -> None:
    found = measured_recalls(corpus.shared)
    assert found == pytest.approx(corpus.recalls())
    assert np.abs(found - USUAL).max() > 0.001, "something was measured"


def test_expectations(corpus: Corpus) -> None:
    one, other = every_pair()
    recalls = corpus.recalls()
    recalled = corpus.shared.recalled(measured_recalls(corpus.shared), one, other)
    expected = sharing_expected(recalled)
    for place, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        missing = 1.0
        for language in range(LANGUAGES):
            product = len(corpus.translations[a, language]) * len(corpus.translations[b, language])
            probability = recalls[language, bucket(product)] if product else 0.0
            assert recalled[language, place] == pytest.approx(probability)
            missing *= 1 - probability
        assert expected[place] == pytest.approx(1 - missing)
    assert (expected == 0).any(), "of a sentence without translations nothing is expected"


def test_nothing_to_share() -> None:
    none = np.empty(0, dtype=np.int64)
    shared = SharedTranslations.of(Links(none, none, none), 3, 2, 100)
    assert measured_recalls(shared).tolist() == [USUAL] * 2
    one, other = np.array([0, 1]), np.array([1, 2])
    assert not shared.languages_shared(one, other).any()
    assert sharing_expected(shared.recalled(measured_recalls(shared), one, other)).tolist() == [0, 0]
