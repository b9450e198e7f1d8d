"""Batches, pairs of words, how alike words look and sound, and stems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.bitext import (
    BOTH_UNKNOWN,
    ONE_UNKNOWN,
    PADDING,
    SPECIAL,
    UNKNOWN,
    UNSEEN,
    Bitext,
    WordPairs,
    batches_of,
    ending,
    folded,
    sound_similarities,
    sounding,
    stem,
    vocabulary_of,
)
from corpusdb.alignment.model import WordClasses

# Batches, pairs of words, how alike words are, and stems: each against a few lines of plain Python.


Texts: TypeAlias = list[list[str]]

word = st.text("abcdéÀ1", min_size=1, max_size=6)
text = st.lists(word, max_size=6)
bitexts = st.lists(st.tuples(text, text), max_size=8)


def bitext_of(sides: Sequence[Texts], vocabularies: Sequence[Mapping[str, int]]) -> Bitext:
    return Bitext.of(sides[0], sides[1], vocabularies[0], vocabularies[1])


@given(bitexts, st.integers(1, 6))
def test_each_pair_is_in_one_batch(pairs: list[tuple[list[str], list[str]]], longest: int) -> None:
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    vocabularies = [vocabulary_of(side) for side in sides]
    seen = []
    for batch in batches_of(bitext_of(sides, vocabularies), longest):
        for row, number in enumerate(batch.pairs.tolist()):
            seen.append(number)
            for padded, mask, words, vocabulary in zip(
                (batch.source, batch.target),
                (batch.source_mask, batch.target_mask),
                pairs[number],
                vocabularies,
                strict=True,
            ):
                assert padded[row][mask[row]].tolist() == [vocabulary[folded(each)] for each in words]
                assert set(padded[row][~mask[row]].tolist()) <= {UNKNOWN}
    usable = [number for number, pair in enumerate(pairs) if all(1 <= len(side) <= longest for side in pair)]
    assert sorted(seen) == usable


@given(bitexts, bitexts)
def test_every_cell_leads_to_its_pair_of_words(
    pairs: list[tuple[list[str], list[str]]], others: list[tuple[list[str], list[str]]]
) -> None:
    """In the texts that the pairs were made from, and in others, of which not all words are known."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    numbers = [vocabulary_of(side) for side in sides]
    together = {(folded(f), folded(e)) for source, target in pairs for f in source for e in target}
    table = WordPairs.of(batches_of(bitext_of(sides, numbers), 6), len(numbers[1]))
    assert len(table) == len(together)
    names = [list(each) for each in numbers]
    for given_pairs in (pairs, others):
        given_sides = [[pair[side] for pair in given_pairs] for side in (0, 1)]
        for batch in batches_of(bitext_of(given_sides, numbers), 6):
            cells = table.cells(batch).of(np.arange(len(table) + SPECIAL))
            for row, number in enumerate(batch.pairs.tolist()):
                source, target = ([folded(each) for each in side] for side in given_pairs[number])
                for (e, f), place in np.ndenumerate(cells[row]):
                    if e >= len(target) or f >= len(source):
                        assert place == len(table) + PADDING
                    elif (source[f], target[e]) in together:
                        assert (names[0][table.sources[place]], names[1][table.targets[place]]) == (
                            source[f],
                            target[e],
                        )
                    else:
                        unknown = (source[f] not in numbers[0]) + (target[e] not in numbers[1])
                        assert place == len(table) + (UNSEEN, ONE_UNKNOWN, BOTH_UNKNOWN)[unknown]


def alike(one: str, other: str) -> float:
    """The longest common subsequence, by the recursion of its definition."""

    @cache
    def shared(left: str, right: str) -> int:
        if not left or not right:
            return 0
        if left[-1] == right[-1]:
            return 1 + shared(left[:-1], right[:-1])
        return max(shared(left[:-1], right), shared(left, right[:-1]))

    one, other = sounding(one)[:12], sounding(other)[:12]
    if one == other:
        return 1.0
    both, longer = shared(one, other), max(len(one), len(other))
    return both / longer if one[:1] == other[:1] and both >= 3 and 2 * both >= longer else 0.0


@given(bitexts)
def test_words_are_alike_by_the_letters_that_they_share(pairs: list[tuple[list[str], list[str]]]) -> None:
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    numbers = [vocabulary_of(side) for side in sides]
    table = WordPairs.of(batches_of(bitext_of(sides, numbers), 6), len(numbers[1]))
    source, target = (list(each) for each in numbers)
    expected = [alike(source[f], target[e]) for f, e in zip(table.sources, table.targets, strict=True)]
    assert sound_similarities(table, source, target).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("président", "president", 1),
        ("nation", "nationale", 6 / 9),
        ("gouvernement", "government", 10 / 12),
        ("maikeru", "マイケル", 1),
        ("obama", "오바마", 1),
        ("mother", "other", 0),
        ("consequence", "cat", 0),
        ("42", "42", 1),
        ("42", "421", 0),
        ("か", "が", 0),
        ("x" * 20, "x" * 30, 1),
    ],
)
def test_words_that_are_alike(one: str, other: str, expected: float) -> None:
    table = WordPairs(np.array([0]), 1)
    assert sound_similarities(table, [one], [other]).tolist() == pytest.approx([expected])


Class = Callable[[str, int], str]


@given(bitexts, st.sampled_from([stem, ending]), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_words_of_a_class_share_their_translations(
    pairs: list[tuple[list[str], list[str]]], class_of: Class, length: int, seed: int
) -> None:
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    numbers = [vocabulary_of(side) for side in sides]
    table = WordPairs.of(batches_of(bitext_of(sides, numbers), 6), len(numbers[1]))
    names = [list(each) for each in numbers]
    both_words = table.sources, table.targets
    classes = WordClasses(both_words, *([class_of(word, length) for word in each] for each in names))
    counts = np.random.default_rng(seed).integers(0, 4, len(table)).astype(np.float64)
    words = [(names[0][f], names[1][e]) for f, e in zip(table.sources, table.targets, strict=True)]
    seen: Counter[tuple[str, str]] = Counter()
    of_class: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    of_word: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for pair, count in zip(words, counts.tolist(), strict=True):
        seen[class_of(pair[0], length), class_of(pair[1], length)] += count
        for side in (0, 1):
            of_class[side][class_of(pair[side], length)] += count
            of_word[side][pair[side]] += count
    both = [(class_of(f, length), class_of(e, length)) for f, e in words]
    for way in (0, 1):
        expected = []
        for pair, own in zip(words, both, strict=True):
            whole = of_class[way][own[way]] * of_class[1 - way][own[1 - way]]
            expected.append(seen[own] * of_word[1 - way][pair[1 - way]] / whole if whole else 0.0)
        assert classes.translations(counts, way).tolist() == pytest.approx(expected)
    total = max(counts.sum(), 1)
    attraction = [(seen[own] + 2) / (of_class[0][own[0]] * of_class[1][own[1]] / total + 2) for own in both]
    assert classes.attraction(counts, 2).tolist() == pytest.approx(attraction)


@pytest.mark.parametrize(
    ("word", "begins", "ends"),
    [
        ("marchait", "marc", "it"),
        ("école", "ecol", "le"),
        ("the", "the", "=the"),
        ("1999", "1999", "0"),
        ("3rd", "3rd", "0"),
        (",", ",", "=,"),
        ("", "", "="),
        ("進んだ", "進ん", "だ"),
        ("で", "で", "=で"),
        ("대통령은", "대통", "은"),
    ],
)
def test_what_words_begin_with_and_end_in(word: str, begins: str, ends: str) -> None:
    assert (stem(word, 4), ending(word, 2)) == (begins, ends)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Фокер", "Fokker"),
        ("philosophie", "filosofie"),
        ("Москва", "Moskva"),
        ("Виктор", "Victor"),
        ("Élysée", "elysee"),
        ("Thatcher", "Tatcher"),
        ("Джо", "dzho"),
        ("トム", "tomu"),
        ("バーモント", "bamonto"),
        ("서울", "seoul"),
    ],
)
def test_what_sounds_alike_is_written_alike(one: str, other: str) -> None:
    assert sounding(folded(one)) == sounding(folded(other)) != ""


@pytest.mark.parametrize(("one", "other"), [("100", "10"), ("...", "."), ("か", "が"), ("cat", "cut"), ("1991", "191")])
def test_what_differs_stays_apart(one: str, other: str) -> None:
    assert sounding(folded(one)) != sounding(folded(other))


@given(st.text("0123456789.,-%", max_size=12))
def test_numbers_and_marks_are_left_as_they_are(word: str) -> None:
    assert sounding(word) == word
