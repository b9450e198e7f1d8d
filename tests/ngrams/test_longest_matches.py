"""The longest sequences that occur in a corpus, against plain string search."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.ngrams import SortedCorpus, SuffixIndex, sort_suffixes

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


@given(sentences, queries, st.sampled_from(["\n", ""]))
def test_longest(lines: list[str], asked: list[str], mark: str) -> None:
    corpus = "\n" + "".join(line + "\n" for line in lines)
    text = mark + "\n".join(asked) + mark  # the last line may lack its line break
    assert SortedCorpus(corpus, sort_suffixes(corpus)).longest(text).tolist() == longest_plainly(corpus, text)


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
