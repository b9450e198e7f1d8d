"""Patterns as they are found in texts, whole words, and words that look alike."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.base.text import alike_in, normalise
from corpusdb.search import matches
from corpusdb.search.lexical import edits_between, near_words
from corpusdb.search.matches import LanguageText, Matcher, WordMatching, required_literal
from corpusdb.search.patterns import Folding, Mode, Pattern, fold, original_offsets
from corpusdb.search.token_corpus import TokenCorpus, Tokeniser, token_spans

# Patterns as Matcher finds them, against Python's own string search, re, and folding one by one.


TEXT_CHARACTERS = "abAB ßİﬁéeÉ\u0301ＡアｱｶﾞガがＥ学校.'\u2019-\u2010\u00a0\u00ad\u2028\x85"
sentences = st.lists(st.text(TEXT_CHARACTERS, min_size=1, max_size=8), max_size=8)
foldings = st.builds(Folding, case=st.booleans(), width=st.booleans(), alike=st.sampled_from(["", "'", "-", " '-"]))


def language_text(lines: list[str]) -> LanguageText:
    return LanguageText("eng", np.arange(10, 10 + len(lines)), "".join(f"{line}\n" for line in lines).encode())


def places(pattern: Pattern, lines: list[str]) -> list[int]:
    """Found twice: for the second time sentences are folded in one piece."""
    text = language_text(lines)
    found, again = (Matcher(pattern).indexes(text).tolist() for _ in range(2))
    assert found == again
    return list(found)


@given(sentences, st.text(TEXT_CHARACTERS, min_size=1, max_size=3), foldings)
def test_a_string_is_found_wherever_it_stands(lines: list[str], text: str, folding: Folding) -> None:
    typed = unicodedata.normalize("NFC", text)
    if not fold(typed, folding):
        folding = replace(folding, alike=None)  # of what nobody sees alone, just that is meant
    expected = [place for place, line in enumerate(lines) if fold(typed, folding) in fold(line, folding)]
    assert places(Pattern(text, "substring", folding), lines) == expected


@given(sentences, st.text(TEXT_CHARACTERS, min_size=1, max_size=3))
def test_a_string_that_stands_in_many_is_found_in_the_same(lines: list[str], text: str) -> None:
    expected = [place for place, line in enumerate(lines) if text in line]
    for most in (0, len(lines)):
        with patch.object(matches, "_MANY", most):
            assert language_text(lines).indexes_with(text).tolist() == expected


@pytest.mark.parametrize(
    ("mode", "text", "folding", "sentence", "spans"),
    [
        ("substring", "aa", Folding(), "aaaaa", [(0, 2), (2, 4)]),
        ("substring", "STRAẞE", Folding(case=True), "die Straße hier", [(4, 10)]),
        ("substring", "s", Folding(case=True), "Straße", [(0, 1)]),
        ("substring", "i", Folding(case=True, width=True), "ﬁn", [(0, 1)]),
        ("substring", "ΟΔΟΣ", Folding(case=True), "η οδός οδος", [(7, 11)]),
        ("substring", "abc", Folding(case=True, width=True), "１２ＡＢＣ３", [(2, 5)]),
        ("substring", "ガ", Folding(width=True), "アｶﾞス", [(1, 3)]),
        ("substring", "e\u0301", Folding(), "café", [(3, 4)]),
        ("substring", "校", Folding(), "学校の校長", [(1, 2), (3, 4)]),
        ("substring", "e ?", Folding(alike=" "), "gare\u202f? pire ?", [(3, 6), (10, 13)]),
        ("substring", "d'h", Folding(alike="'"), "aujourd\u2019hui", [(6, 9)]),
        ("substring", "coop", Folding(alike=" "), "co\u00adop co-op", [(0, 5)]),
        ("regex", "e [?]", Folding(alike=" "), "gare\u00a0?", [(3, 6)]),
        ("regex", r"e\x20[?]|e\u202f", Folding(alike=" "), "gare\u202f? e ?", [(3, 5), (7, 10)]),
        ("regex", r"\bt\w+", Folding(), "the tall cat", [(0, 3), (4, 8)]),
        ("regex", r"^the", Folding(case=True), "The the", [(0, 3)]),
        ("regex", r"x*", Folding(), "axxb", [(1, 3)]),
        ("regex", r"q?$", Folding(), "ab", [(2, 2)]),
        ("regex", r"[ぁ-ん]+", Folding(), "学校へ行く", [(2, 3), (4, 5)]),
        ("regex", r"\W", Folding(case=True), "A b", [(1, 2)]),
    ],
)
def test_where_a_pattern_stands(
    mode: Mode, text: str, folding: Folding, sentence: str, spans: list[tuple[int, int]]
) -> None:
    assert Matcher(Pattern(text, mode, folding)).spans(sentence) == spans
    assert 1 in places(Pattern(text, mode, folding), ["", sentence, "\u2028"])


@given(st.text(TEXT_CHARACTERS, max_size=10), foldings)
@example("A\uff9e\u0301", Folding(width=True))
def test_folded_characters_are_traced_to_where_they_came_from(text: str, folding: Folding) -> None:
    offsets = original_offsets(text, folding)
    folded = fold(text, folding)
    assert len(offsets) == len(folded) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
    # Between two places that both sides know, each side holds the folding of the other.
    cuts = [place for place in range(len(offsets)) if place == 0 or offsets[place] != offsets[place - 1]]
    pieces = [fold(text[offsets[one] : offsets[other]], folding) for one, other in itertools.pairwise(cuts)]
    assert "".join(pieces) == folded


@pytest.mark.parametrize("text", ["\xad", "\u200b", "\u200b\xad"])
def test_what_nobody_sees_alone_is_what_is_meant(text: str) -> None:
    """Folded to nothing it would stand everywhere, and a search for its places came to no end."""
    found = Matcher(Pattern(text, "substring", Folding(alike="")))
    assert found.spans(f"ab{text}c") == [(2, 2 + len(text))]
    assert found.spans("abc") == []
    assert places(Pattern(text, "substring", Folding(alike="")), ["abc", f"ab{text}c"]) == [1]


@given(st.text(TEXT_CHARACTERS, max_size=12), st.text(TEXT_CHARACTERS, min_size=1, max_size=2), foldings)
@example("ab", "\xad", Folding(alike=""))
def test_what_is_marked_holds_the_pattern(sentence: str, text: str, folding: Folding) -> None:
    wanted = fold(unicodedata.normalize("NFC", text), folding)
    for start, stop in Matcher(Pattern(text, "substring", folding)).spans(sentence):
        assert wanted in fold(sentence[start:stop], folding)


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("abc", "abc"),
        ("abc?d", "ab"),
        ("ab*cde", "cde"),
        ("ab+cd", "ab"),
        ("a{2}bcd", "bcd"),
        ("a|b", ""),
        ("(a|b)cd", "cd"),
        ("x(ab(c)d)?yz", "yz"),
        ("(?!a(b)c)d", "d"),
        ("(?<!ab)c", "c"),
        (r"\bing\b", "ing"),
        (r"a\.b", "a.b"),
        (r"a\db", "a"),
        ("[abc]de[^]]f", "de"),
        (r"[\]a]bc", "bc"),
        ("(?i)abc", ""),
        ("(?i:abc)d", ""),
        ("(?P<name>ab)cd(?P=name)", "ab"),
        ("(?#a(b)cd", ""),
        ("^学校.*行く$", "学校"),
        ("a.b", "a"),
        ("(ha)+", "ha"),
        (r"(\w+ly )+", "ly "),
        ("(ab(cd)*efg)+h", "efg"),
        ("(abc){0,2}d", "d"),
        ("((ab|cd)e)f", "e"),
        ("(a)(?(1)bc|d)", "a"),
        ("(?=abc)d", "abc"),
        ("", ""),
    ],
)
def test_the_literal_that_every_match_holds(pattern: str, literal: str) -> None:
    assert required_literal(pattern) == literal


_ATOMS = r"a b ab . [ab] [^a] (a|b) (?:ab) (b) \. \w (?=a) (?!b(a)) ^ $ |".split()


@given(
    st.lists(st.tuples(st.sampled_from(_ATOMS), st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,1}", "+?"]))),
    st.lists(st.text("ab. ", min_size=1, max_size=8), max_size=10),
)
@example([("(?!b(a))", ""), ("a", "")], ["ba"])
def test_regular_expressions_find_what_re_finds(atoms: list[tuple[str, str]], lines: list[str]) -> None:
    pattern = "".join(atom + (repeat if atom not in "^$|" else "") for atom, repeat in atoms)
    try:
        regex = re.compile(pattern)
    except re.error:
        with pytest.raises(UsageError):
            Matcher(Pattern(pattern, "regex"))
        return
    if pattern:
        expected = [place for place, line in enumerate(lines) if regex.search(line)]
        assert places(Pattern(pattern, "regex"), lines) == expected


@given(
    st.lists(st.sampled_from(["k", "S", "i", "É", "ss", "K", "a?", "[^k]", "."]), min_size=1, max_size=4),
    st.lists(st.text("kK\u212asSſßiIİıéÉa ", min_size=1, max_size=6), max_size=10),
)
@example(["S"], ["ſ"])
def test_whatever_the_case_as_re_has_it(atoms: list[str], lines: list[str]) -> None:
    """Also where a letter that is no ASCII is the same as one that is."""
    pattern = unicodedata.normalize("NFC", "".join(atoms))
    expected = [place for place, line in enumerate(lines) if re.search(pattern, line, re.IGNORECASE)]
    assert places(Pattern("".join(atoms), "regex", Folding(case=True)), lines) == expected


@pytest.mark.parametrize(
    ("text", "mode", "part"),
    [
        ("", "substring", "empty"),
        ("", "regex", "empty"),
        ("a(b", "regex", "at character 2"),
        ("[a", "regex", "at character 1"),
        ("a**", "regex", "at character 3"),
    ],
)
def test_a_pattern_that_makes_no_sense(text: str, mode: Mode, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        Matcher(Pattern(text, mode))


# Whole words as tokens, against cutting every sentence by itself.


WORDS = "don't Don do n't o'clock clock make-up make up l'eau aujourd\u2019hui 学校 .".split()
matches_sentences = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), max_size=6)


def matching(lines: list[str], text: str, folding: Folding) -> WordMatching:
    numbers: dict[str, int] = {}
    lengths, tokens = Tokeniser(numbers).types_of(lines)
    ids = np.arange(1, len(lines) + 1)
    whole = LanguageText("eng", ids, "".join(f"{line}\n" for line in lines).encode())
    return WordMatching(whole, TokenCorpus("eng", ids, lengths, tokens, list(numbers)), Pattern(text, "word", folding))


def naive_spans(line: str, text: str, folding: Folding) -> list[tuple[int, int]]:
    """From left to right, what begins with a token and ends with one, and is the text."""
    cut, found, end = token_spans(line), [], 0
    for place, (start, _) in enumerate(cut):
        for _, stop in cut[place:]:
            if start >= end and fold(line[start:stop], folding) == fold(text, folding):
                found.append((start, stop))
                end = stop
    return found


@pytest.mark.parametrize(
    ("text", "folding", "sentence", "spans"),
    [
        ("cat", Folding(), "cat, concat the cat's cats", [(0, 3), (16, 19)]),
        ("学校", Folding(), "明日学校へ", [(2, 4)]),
        ("please", Folding(case=True), "Please, please!", [(0, 6), (8, 14)]),
        (", p", Folding(), "a, please, p", [(9, 12)]),
        ("l'eau", Folding(), "de l'eau", [(3, 8)]),
        ("don", Folding(case=True), "Don't, Don!", [(7, 10)]),
        ("don't", Folding(), "don't do n't", [(0, 5)]),
        ("aujourd'hui", Folding(alike="'"), "aujourd\u2019hui", [(0, 11)]),
        ("make-up", Folding(), "make-up make - up", [(0, 7)]),
        ("ha ha", Folding(), "ha ha ha", [(0, 5)]),
    ],
)
def test_where_a_word_stands(text: str, folding: Folding, sentence: str, spans: list[tuple[int, int]]) -> None:
    found = matching(["", sentence, "x"], text, folding)
    assert found.indexes.tolist() == [1]
    assert found.spans(1) == spans


@given(matches_sentences, st.sampled_from([*WORDS, "don", "make up", "up make", "up ."]), st.booleans())
def test_a_word_is_some_tokens(lines: list[str], text: str, case: bool) -> None:
    lines, folding = [normalise(line) for line in lines], Folding(case, alike=alike_in(text))
    found = matching(lines, text, folding)
    expected = [naive_spans(line, text, folding) for line in lines]
    assert found.indexes.tolist() == [index for index, spans in enumerate(expected) if spans]
    assert [found.spans(index) for index in found.indexes.tolist()] == [spans for spans in expected if spans]
    if text.isalpha() and text.isascii():
        whole = re.compile(rf"\b{fold(text, folding)}\b")
        assert found.by_letters == sum(whole.search(fold(line, folding)) is not None for line in lines)


def test_a_word_has_something_that_is_seen() -> None:
    with pytest.raises(UsageError, match="empty"):
        matching(["a b"], " ", Folding())


# Words that look like one that is not there, and the edits between two, beside those of the plain definition.


NEAR_WORDS_WORDS = ["the", "coffee", "fee", "movie", "move", "Straße", "école", "sleeps", "ten", "The", "because", "it"]
"""The most frequent first."""


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("cofee", ["coffee"]),
        ("moive", ["movie", "move"]),
        ("MOIVE", ["movie", "move"]),
        ("teh", ["the", "ten"]),
        ("ecole", ["école"]),
        ("Strase", ["Straße"]),
        ("becuase", ["because"]),
        ("qqqq", []),
        ("at", []),
        ("", []),
    ],
)
def test_the_nearest_come_first(word: str, near: list[str]) -> None:
    assert near_words(word, NEAR_WORDS_WORDS) == near


def test_of_the_like_the_more_frequent_come_first_and_no_more_than_three() -> None:
    assert near_words("cat", ["cut", "bat", "dog", "hat", "rat"]) == ["cut", "bat", "hat"]
    assert near_words("cta", ["cut", "cat"]) == ["cat"]


@cache
def edits(one: str, other: str) -> int:
    """Each letter inserted, deleted, replaced or exchanged with the next, none of them twice."""
    if not one or not other:
        return len(one) + len(other)
    least = min(
        edits(one[1:], other) + 1,
        edits(one, other[1:]) + 1,
        edits(one[1:], other[1:]) + (one[0] != other[0]),
    )
    if one[:2] == other[:2][::-1] and len(one) > 1:
        least = min(least, edits(one[2:], other[2:]) + 1)
    return least


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.integers(0, 4))
def test_edits_are_those_of_the_definition(one: str, other: str, most: int) -> None:
    assert edits_between(one, other, most) == min(edits(one, other), most + 1)
