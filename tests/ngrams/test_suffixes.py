"""Sorted suffixes and what can be asked of them, against plain string comparisons."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.ngrams import SuffixIndex, sort_suffixes

# Repetitions make suffixes equal over many characters; a wide alphabet leaves few characters to a 64-bit key.
pieces = st.sampled_from(["a", "b", "ab", "aaaaaaaa", " ", "\x01", "é", "日本", "\U0001f375", "a" * 40])
sentences = st.lists(st.lists(pieces, max_size=12).map("".join), max_size=6)
WIDE = "".join(map(chr, range(0x4E00, 0x5200)))


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


@given(sentences)
def test_order(lines: list[str]) -> None:
    text = marked(lines)
    assert sort_suffixes(text).tolist() == sorted_plainly(text)


@pytest.mark.parametrize("alphabet", ["ab", "ab c", "日本語", WIDE], ids=["two", "four", "kanji", "wide"])
def test_order_of_random_corpora(alphabet: str) -> None:
    source = random.Random(alphabet)
    for _ in range(60):
        letters = source.sample(alphabet, 2) if alphabet is WIDE else alphabet
        lines = ["".join(source.choices(letters, k=source.randrange(70))) for _ in range(source.randrange(1, 9))]
        text = marked([*lines, alphabet, *lines[:2]])
        assert sort_suffixes(text).tolist() == sorted_plainly(text)


@pytest.mark.parametrize(
    "text", ["", "\n", "\n\n", "\n\n\n", "\na\n", "a\n", "\n" + "a" * 300 + "\n" + "a" * 299 + "\n"]
)
def test_order_at_the_edges(text: str) -> None:
    assert sort_suffixes(text).tolist() == sorted_plainly(text)


def test_a_text_must_end_with_a_line_break() -> None:
    with pytest.raises(ValueError, match="line break"):
        sort_suffixes("\na")


@given(sentences, sentences)
def test_index(first: list[str], second: list[str]) -> None:
    texts = [marked(first), marked(second)]
    index = SuffixIndex([(text, memoryview(sort_suffixes(text).tobytes()).cast("i")) for text in texts])
    for sequence in sequences(texts[0]):
        expected = {(part, offset) for part, text in enumerate(texts) for offset in places(text, sequence)}
        found = list(index.occurrences(sequence))
        assert set(found) == expected
        assert index.count(sequence) == len(found) == len(expected)
        assert index.contains(sequence) == bool(expected)


@given(sentences, st.lists(pieces, max_size=6).map("".join))
def test_longest(lines: list[str], line: str) -> None:
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
