"""Which sentences share translations, and how often by each exchange, against sets and nested loops."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from rows_chain import TranslationPair, paraphrases

from corpusdb.base.arrays import F64, I64
from corpusdb.paraphrase import sharing as rates
from corpusdb.paraphrase.sharing import (
    BUCKETS,
    WHOLE,
    SharedTranslations,
    SharingPair,
    TranslationLinks,
    find_instances,
    measured_recalls,
    paraphrases_of,
    sharing_expected,
    totals_by,
)

BEER = [
    TranslationPair(1, "fra", 10),  # a beer, please
    TranslationPair(2, "fra", 10),
    TranslationPair(2, "fra", 11),
    TranslationPair(1, "jpn", 20),
    TranslationPair(2, "jpn", 20),
    TranslationPair(3, "jpn", 20),
    TranslationPair(3, "fra", 12),
]


def test_sentences_that_share_translations() -> None:
    assert list(paraphrases(BEER)) == [
        SharingPair(1, 2, 2, "fra,jpn", 1 / 2 * 1 / 2 + 1 / 2 * 1 / 3),
        SharingPair(1, 3, 1, "jpn", 1 / 6),
        SharingPair(2, 1, 2, "fra,jpn", 1 / 3 * 1 / 2 + 1 / 3 * 1 / 3),
        SharingPair(2, 3, 1, "jpn", 1 / 9),
        SharingPair(3, 1, 1, "jpn", 1 / 6),
        SharingPair(3, 2, 1, "jpn", 1 / 6),
    ]


def test_what_many_sentences_share_is_left_out_and_is_a_translation_all_the_same() -> None:
    assert list(paraphrases(BEER, max_sharing=2)) == [
        SharingPair(1, 2, 1, "fra", 1 / 4),
        SharingPair(2, 1, 1, "fra", 1 / 6),
    ]


@pytest.mark.parametrize("number", range(10))
def test_the_order_of_the_rows_does_not_matter(number: int) -> None:
    chance = random.Random(number)
    rows = [TranslationPair(chance.randrange(8), "fra", 10 + chance.randrange(6)) for _ in range(40)]
    expected = list(paraphrases(rows))
    chance.shuffle(rows)
    assert list(paraphrases(rows + rows[:5])) == expected
    assert expected == sorted(expected)


@pytest.mark.parametrize("number", range(10))
def test_probabilities_sum_to_one_with_that_of_the_sentence_itself(number: int) -> None:
    chance = random.Random(100 + number)
    rows = {TranslationPair(chance.randrange(8), "fra", 10 + chance.randrange(6)) for _ in range(30)}
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
    shares = [(1, 2, "fra", part) for part in (0.1, 0.2, 0.3, 0.1)]
    assert {paraphrases_of(1, order)[0].probability for order in (shares, shares[::-1])} == {0.7}


# Which sentences share translations, and how many would, held against sets of translations.


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
            TranslationLinks(*np.array(drawn, dtype=np.int64).T), SENTENCES, LANGUAGES, MAX_SHARING
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
    shared = SharedTranslations.of(TranslationLinks(none, none, none), 3, 2, 100)
    assert measured_recalls(shared).tolist() == [USUAL] * 2
    one, other = np.array([0, 1]), np.array([1, 2])
    assert not shared.languages_shared(one, other).any()
    assert sharing_expected(shared.recalled(measured_recalls(shared), one, other)).tolist() == [0, 0]


# The instances of exchanges and their sums, held against nested loops.


FILLERS = 7


def drawn_slots(number: int, size: int) -> list[tuple[int, int, int]]:
    """Context, filler and sentence, by context and then by filler; of a context each filler once."""
    chance = random.Random(number)
    slots = {(chance.randrange(size // 4), chance.randrange(FILLERS)) for _ in range(size)}
    return [(*each, chance.randrange(50)) for each in sorted(slots)]


@pytest.mark.parametrize("at_once", [1, 3, 10, 1_000_000])
@pytest.mark.parametrize("number", range(3))
def test_instances(monkeypatch: pytest.MonkeyPatch, number: int, at_once: int) -> None:
    monkeypatch.setattr(rates, "_PAIRS_AT_ONCE", at_once)
    slots = drawn_slots(number, 60)
    chance = random.Random(number)
    drawn = [chance.sample(range(FILLERS), 2) for _ in range(5)]
    exchanges = sorted({min(pair) * FILLERS + max(pair) for pair in drawn})
    context, filler, sentence = np.array(slots, dtype=np.int64).T
    found = find_instances(context, filler, sentence, np.array(exchanges), FILLERS)
    expected = Counter(
        (exchanges.index(x * FILLERS + y), context, one, other)
        for context, x, one in slots
        for same, y, other in slots
        if same == context and x < y and x * FILLERS + y in exchanges
    )
    columns = found.exchange, found.context, found.one, found.other
    assert Counter(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert len(found) == expected.total() > 0


def test_no_slots_and_no_exchanges() -> None:
    none = np.empty(0, dtype=np.int64)
    assert len(find_instances(none, none, none, np.array([1]), FILLERS)) == 0
    context, filler, sentence = np.array(drawn_slots(1, 20), dtype=np.int64).T
    assert len(find_instances(context, filler, sentence, none, FILLERS)) == 0


@pytest.mark.parametrize("number", range(3))
def test_sums(number: int) -> None:
    chance = random.Random(number)
    rows = [(chance.choice([3, 5, 8]), chance.random() < 0.5, chance.random()) for _ in range(40)]
    keys, shared, expected = map(np.array, zip(*rows, strict=True))
    found = totals_by(keys, shared, expected)
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for key, having, probable in rows:
        for place, more in enumerate((1, having, round(probable * WHOLE))):
            sums[key][place] += more
    columns = found.keys, found.pairs, found.shared, found.expected
    assert {key: rest for key, *rest in zip(*(each.tolist() for each in columns), strict=True)} == dict(
        sorted(sums.items())
    )
    order = np.random.default_rng(number).permutation(len(rows))
    again = totals_by(keys[order], shared[order], expected[order])
    assert all((getattr(found, each) == getattr(again, each)).all() for each in ("keys", "pairs", "shared", "expected"))


def test_repeated_instances() -> None:
    columns = [(1, 10, 5, 6), (2, 11, 5, 6), (1, 12, 6, 5), (1, 13, 5, 7), (2, 14, 8, 9), (1, 15, 5, 6), (2, 16, 5, 6)]
    found = rates.Instances(*np.array(columns, dtype=np.int64).T)
    assert [columns[place][:2] for place in found.repeated()] == [(1, 10), (1, 12), (1, 15), (2, 11), (2, 16)]
    assert found.without(np.array([0, 5])).context.tolist() == [11, 12, 13, 14, 16]
    none = rates.Instances(*np.empty((4, 0), dtype=np.int64))
    assert len(none.repeated()) == 0
