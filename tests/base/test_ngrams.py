"""N-grams, sorted suffixes and fingerprints of substrings, against plain strings."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import Packed, packed
from corpusdb.base.ngrams import (
    Fingerprints,
    SortedCorpus,
    SuffixIndex,
    combined,
    group_ngrams,
    joined_ranges,
    mixed,
    number_ngrams,
    sort_suffixes,
    text_hashes,
)

# N-grams of streams of numbers against counting them one by one.


# Units of 31 bits make every key need ranking; small ones make n-grams meet.
units = st.sampled_from([0, 1, 2, 3, 2**30, 2**31 - 2])
streams = st.lists(st.lists(units, max_size=8), max_size=8)


def arrays(sequences: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    flat = [unit for sequence in sequences for unit in sequence]
    return np.array(flat, dtype=np.int32), np.array([len(each) for each in sequences], dtype=np.int32)


def by_hand(
    sequences: list[list[int]], n: int, taboo: int | None
) -> list[set[tuple[int, ...]] | Counter[tuple[int, ...]]]:
    every = [[tuple(each[i : i + n]) for i in range(len(each) - n + 1)] for each in sequences]
    kept = [[gram for gram in grams if taboo not in gram] for grams in every]
    return [Counter(gram for grams in kept for gram in grams), Counter(gram for grams in kept for gram in set(grams))]


@given(streams, st.integers(1, 6), st.sampled_from([None, 1]))
def test_counts_are_those_of_counting_by_hand(sequences: list[list[int]], n: int, taboo: int | None) -> None:
    flat, lengths = arrays(sequences)
    ngrams = group_ngrams(flat, lengths, n, None if taboo is None else flat != taboo)
    firsts = ngrams.places[ngrams.starts].tolist()
    texts = [tuple(flat[place : place + n].tolist()) for place in firsts]
    owners = np.repeat(np.arange(len(sequences)), lengths)
    counts, in_sequences = by_hand(sequences, n, taboo)
    assert dict(zip(texts, ngrams.counts.tolist(), strict=True)) == counts
    assert dict(zip(texts, ngrams.owner_counts(owners).tolist(), strict=True)) == in_sequences
    assert len(texts) == len(set(texts))
    assert ngrams.counts.sum() == len(ngrams.places)


@given(streams, st.integers(1, 4))
def test_places_of_one_ngram_hold_it_and_ascend(sequences: list[list[int]], n: int) -> None:
    flat, lengths = arrays(sequences)
    ngrams = group_ngrams(flat, lengths, n)
    for start, count in zip(ngrams.starts.tolist(), ngrams.counts.tolist(), strict=True):
        places = ngrams.places[start : start + count].tolist()
        assert places == sorted(set(places))
        assert len({tuple(flat[place : place + n].tolist()) for place in places}) == 1


@given(streams, st.integers(1, 6))
def test_equal_ngrams_have_one_number_and_numbers_ascend_with_their_units(
    sequences: list[list[int]], order: int
) -> None:
    flat, lengths = (each.astype(np.int64) for each in arrays(sequences))
    found = list(number_ngrams(flat, lengths, order))
    assert [ngrams.n for ngrams in found] == list(range(1, order + 1))
    for ngrams in found:
        texts = [tuple(flat[place : place + ngrams.n].tolist()) for place in ngrams.places.tolist()]
        assert Counter(texts) == by_hand(sequences, ngrams.n, None)[0]
        numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
        assert ngrams.numbers.tolist() == [numbers[text] for text in texts]


@pytest.mark.parametrize(
    ("starts", "lengths", "expected"),
    [([], [], []), ([5], [3], [5, 6, 7]), ([5, 0, 9], [2, 0, 1], [5, 6, 9]), ([1, 1], [2, 2], [1, 2, 1, 2])],
)
def test_joined_ranges(starts: list[int], lengths: list[int], expected: list[int]) -> None:
    found = joined_ranges(np.array(starts, dtype=np.int64), np.array(lengths, dtype=np.int64))
    assert found.tolist() == expected


# Fingerprints of substrings, against the substrings themselves.


texts = st.text(alphabet="aabc\n水\U0001f375", max_size=14)


def all_prints(text: str) -> dict[tuple[int, int], int]:
    places = [(start, stop) for start in range(len(text) + 1) for stop in range(start, len(text) + 1)]
    starts, stops = np.array(places).T
    values = Fingerprints(text).of(starts, stops)
    return dict(zip(places, map(int, values), strict=True))


@given(texts)
def test_substrings_are_equal_where_their_fingerprints_are(text: str) -> None:
    for ((start, stop), one), ((begin, end), other) in combinations(all_prints(text).items(), 2):
        assert (one == other) == (text[start:stop] == text[begin:end])


@given(texts, texts)
def test_fingerprints_do_not_depend_on_the_text_around(first: str, second: str) -> None:
    both = all_prints(first + second)
    assert all_prints(second) == {
        (start - len(first), stop - len(first)): value for (start, stop), value in both.items() if start >= len(first)
    }


@given(texts.filter(bool), st.data())
def test_windows(text: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(text)))
    prints = all_prints(text)
    expected = [prints[start, start + size] for start in range(len(text) - size + 1)]
    assert Fingerprints(text).windows(size).tolist() == expected


def test_fingerprints_do_not_depend_on_the_place_in_a_long_text() -> None:
    prints, places = Fingerprints("a phrase, " * 3_000), np.arange(0, 29_990, 10)
    assert len(set(prints.of(places, places + 8).tolist())) == 1


def test_one_character_more_is_another_fingerprint() -> None:
    # Runs of one character, NUL among them: what a polynomial over plain code points would confuse.
    runs = [char * size for char in "\0a\U0010ffff" for size in range(1, 200)]
    values = {int(Fingerprints(run).windows(len(run))[0]) for run in runs}
    assert len(values) == len(runs)


@pytest.mark.slow
def test_no_collision_among_short_texts() -> None:
    joined = "".join("".join(letters) for letters in product("abcdefgh", repeat=6))
    values = Fingerprints(joined).of(np.arange(0, len(joined), 6), np.arange(6, len(joined) + 1, 6))
    assert len(np.unique(values)) == 8**6


def test_the_order_of_two_fingerprints_matters() -> None:
    values = np.arange(200, dtype=np.uint64)
    pairs = combined(np.repeat(values, 200), np.tile(values, 200))
    assert len(np.unique(pairs)) == 200**2


@pytest.mark.parametrize(
    ("seed", "expected"),
    # The first output of splitmix64 for a seed: Vigna's splitmix64.c, https://prng.di.unimi.it/splitmix64.c
    [(0, 0xE220A8397B1DCDAF), (1234567, 6457827717110365317)],
)
def test_mixing_is_splitmix64(seed: int, expected: int) -> None:
    assert int(mixed(np.array([seed], dtype=np.uint64))[0]) == expected


def test_an_empty_text() -> None:
    prints = Fingerprints("")
    assert prints.size == 0
    nothing = np.zeros(0, dtype=np.int64)
    assert len(prints.of(nothing, nothing)) == 0


# The longest sequences that occur in a corpus, against plain string search.


pieces = st.sampled_from(["a", "b", "ab", "abab", " ", "é", "日本", "\U0001f375", "a" * 33])
sentences = st.lists(st.lists(pieces, max_size=8).map("".join), max_size=6)
queries = st.lists(st.lists(st.one_of(pieces, st.sampled_from("xü語")), max_size=8).map("".join), max_size=6)
WIDE = "".join(map(chr, range(0x4E00, 0x9E00)))


def longest_plainly(corpus: str, text: str) -> list[int]:
    """For each offset the most characters, up to the next line break after it, that occur in the corpus."""
    lengths = []
    for start in range(len(text)):
        end = text.find("\n", start + 1)
        end = len(text) if end < 0 else end + 1
        lengths.append(max(size for size in range(end - start + 1) if text[start : start + size] in corpus))
    return lengths


# Characters that are looked at in one step.
parts = st.sampled_from([1, 2, 5, 1 << 20])


@contextmanager
def looked_at_in_parts(at_once: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corpusdb.base.ngrams._AT_ONCE", at_once)
        yield


@given(sentences, queries, st.sampled_from(["\n", ""]), parts)
def test_longest(lines: list[str], asked: list[str], mark: str, at_once: int) -> None:
    corpus = "\n" + "".join(line + "\n" for line in lines)
    text = mark + "\n".join(asked) + mark  # the last line may lack its line break
    with looked_at_in_parts(at_once):
        found = SortedCorpus(corpus, sort_suffixes(corpus)).longest(text)
    assert found.tolist() == longest_plainly(corpus, text)


@pytest.mark.slow
@pytest.mark.parametrize("alphabet", ["ab", "ab cdeé日本", WIDE], ids=["two", "nine", "wide"])
def test_pieces_of_the_corpus_put_together(alphabet: str) -> None:
    source = random.Random(alphabet)
    for _ in range(25):
        lines = ["".join(source.choices(alphabet[:9], k=source.randrange(1, 60))) for _ in range(8)] + [alphabet]
        corpus = "\n" + "\n".join(lines) + "\n"
        crossed = [source.choice(lines[:8])[: source.randrange(40)] + source.choice(lines[:8])[-20:] for _ in range(10)]
        text = "\n" + "\n".join([*crossed, "unseen ö", lines[0], lines[1] + "!"]) + "\n"
        assert SortedCorpus(corpus, sort_suffixes(corpus)).longest(text).tolist() == longest_plainly(corpus, text)


@given(sentences, queries)
def test_many_look_ups_agree_with_one(lines: list[str], asked: list[str]) -> None:
    corpus = "\n" + "".join(line + "\n" for line in lines)
    suffixes = sort_suffixes(corpus)
    index, text = SuffixIndex([(corpus, suffixes.tolist())]), "".join(f"\n{line}\n" for line in asked)
    many = SortedCorpus(corpus, suffixes).longest(text)
    for start, length in enumerate(many.tolist()):
        end = text.find("\n", start + 1)
        rest = text[start:] if end < 0 else text[start : end + 1]
        assert index.longest(rest, 0) == length


def test_a_sequence_ends_with_its_sentence() -> None:
    corpus = "\nab\ncd\n"
    longest = SortedCorpus(corpus, sort_suffixes(corpus)).longest
    assert longest("\nab\ncd\n").tolist() == [4, 3, 2, 4, 3, 2, 1]
    assert longest("abcd").tolist() == [2, 1, 2, 1]


def test_an_empty_corpus_holds_nothing() -> None:
    assert SortedCorpus("", sort_suffixes("")).longest("\nab\n").tolist() == [0, 0, 0, 0]


def test_nothing_is_asked() -> None:
    assert SortedCorpus("\na\n", sort_suffixes("\na\n")).longest("").tolist() == []


# Sorted suffixes and what can be asked of them, against plain string comparisons.


# Repetitions make suffixes equal over many characters; a wide alphabet leaves few characters to a 64-bit key.
suffixes_pieces = st.sampled_from(["a", "b", "ab", "aaaaaaaa", " ", "\x01", "é", "日本", "\U0001f375", "a" * 40])
suffixes_sentences = st.lists(st.lists(suffixes_pieces, max_size=12).map("".join), max_size=6)
SUFFIXES_WIDE = "".join(map(chr, range(0x4E00, 0x5200)))


def marked(lines: list[str]) -> str:
    """The lines as a corpus: each between two line breaks."""
    return "\n" + "".join(line + "\n" for line in lines)


def suffix(text: str, offset: int) -> str:
    end = text.find("\n", offset + 1)
    return text[offset:] if end < 0 else text[offset : end + 1]


def sorted_plainly(text: str) -> list[int]:
    return sorted(range(len(text)), key=lambda offset: (suffix(text, offset), offset))


def places(text: str, sequence: str) -> list[int]:
    return [offset for offset in range(len(text)) if text.startswith(sequence, offset)]


def sequences(text: str) -> list[str]:
    """Every run of characters that does not go beyond a line break, and each with one character changed."""
    seen = {suffix(text, start)[:size] for start in range(len(text)) for size in range(1, 9)}
    return sorted(seen | {sequence[:-1] + "z" for sequence in seen})


@given(suffixes_sentences, parts)
def test_order(lines: list[str], at_once: int) -> None:
    text = marked(lines)
    with looked_at_in_parts(at_once):
        assert sort_suffixes(text).tolist() == sorted_plainly(text)


@pytest.mark.slow
@pytest.mark.parametrize("alphabet", ["ab", "ab c", "日本語", SUFFIXES_WIDE], ids=["two", "four", "kanji", "wide"])
def test_order_of_random_corpora(alphabet: str) -> None:
    source = random.Random(alphabet)
    for _ in range(60):
        letters = source.sample(alphabet, 2) if alphabet is SUFFIXES_WIDE else alphabet
        lines = ["".join(source.choices(letters, k=source.randrange(70))) for _ in range(source.randrange(1, 9))]
        text = marked([*lines, alphabet, *lines[:2]])
        assert sort_suffixes(text).tolist() == sorted_plainly(text)


@pytest.mark.parametrize(
    "text", ["", "\n", "\n\n", "\n\n\n", "\na\n", "a\n", "\n" + "a" * 300 + "\n" + "a" * 299 + "\n"]
)
def test_order_at_the_edges(text: str) -> None:
    assert sort_suffixes(text).tolist() == sorted_plainly(text)


@pytest.mark.slow
def test_memory_by_character() -> None:
    """Python tells what numpy holds: 24 bytes a character, and with what is told 31."""
    source = random.Random(0)
    text = marked(["".join(source.choices("abcdefghi ", k=source.randrange(60))) for _ in range(35_000)])
    tracemalloc.start()
    with looked_at_in_parts(1 << 14):
        suffixes = sort_suffixes(text)
        _, sorting = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        SortedCorpus(text, suffixes).longest(text)
        _, looking = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sorting < 28 * len(text)
    assert looking < 36 * len(text)  # with the suffixes, and the lengths that are told


@given(suffixes_sentences, parts)
def test_fingerprints_of_many_texts_are_those_of_each(texts: list[str], at_once: int) -> None:
    with looked_at_in_parts(at_once):
        found = text_hashes(texts).tolist()
    assert found == [text_hashes([text])[0] for text in texts]


def test_a_text_must_end_with_a_line_break() -> None:
    with pytest.raises(ValueError, match="line break"):
        sort_suffixes("\na")


@given(suffixes_sentences, suffixes_sentences)
def test_index(first: list[str], second: list[str]) -> None:
    texts = [marked(first), marked(second)]
    one, other = map(sort_suffixes, texts)
    index = SuffixIndex([(texts[0], one.data), (texts[1], Packed(packed(other)))])
    for sequence in sequences(texts[0]):
        expected = {(part, offset) for part, text in enumerate(texts) for offset in places(text, sequence)}
        found = list(index.occurrences(sequence))
        assert set(found) == expected
        assert index.count(sequence) == len(found) == len(expected)
        assert index.contains(sequence) == bool(expected)


@given(suffixes_sentences, st.lists(suffixes_pieces, max_size=6).map("".join))
def test_longest_by_suffixes(lines: list[str], line: str) -> None:
    corpus = marked(lines)
    index = SuffixIndex([(corpus, sort_suffixes(corpus).tolist()), ("", [])])
    text = f"\n{line}\n"
    for start in range(len(text)):
        rest = suffix(text, start)
        expected = max(size for size in range(len(rest) + 1) if rest[:size] in corpus)
        assert index.longest(rest, 0) == expected


def test_marks_tell_beginnings_and_ends_of_sentences() -> None:
    text = marked(["to be", "be to"])
    index = SuffixIndex([(text, sort_suffixes(text).tolist())])
    assert [index.count(sequence) for sequence in ("be", "\nbe", "be\n", "\nbe\n")] == [2, 1, 1, 0]
    assert index.count("\n") == 3


def test_an_index_without_parts_holds_nothing() -> None:
    index = SuffixIndex([])
    assert not index.contains("a")
    assert index.count("a") == index.longest("a", 0) == 0
    assert list(index.occurrences("a")) == []
