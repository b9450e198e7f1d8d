"""Matches of queries: a table by hand, and random queries against a matcher that tries everything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import get_args
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpusdb.cqp import Matches, Query, Strategy, Tokens, find, parse
from corpusdb.cqp.syntax import (
    Alternation,
    Anchor,
    And,
    Condition,
    Node,
    Not,
    Or,
    Repetition,
    Token,
    WordPair,
    WordPattern,
    WordTest,
    labels_of,
)
from corpusdb.cqp.syntax import Sequence as SequenceNode


def tokens_in(sentences: Sequence[Sequence[str]]) -> Tokens:
    types: dict[str, int] = {}
    tokens = [types.setdefault(word, len(types)) for sentence in sentences for word in sentence]
    ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)
    return Tokens(list(types), np.array(tokens, dtype=np.int32), ends)


ENGLISH = [
    sentence.split()
    for sentence in (
        "I do n't like it .",
        "I like tea and I like milk .",
        "The cat saw the cat .",
        "A very very good Café",
        'He said " no " .',
        "the end of the end",
    )
]
JAPANESE = [list(sentence) for sentence in ("私は猫が好きです。", "猫は魚を食べる。", "かがか")]


def texts(corpus: Tokens, matches: Matches, joint: str = " ") -> list[str]:
    words = [corpus.types[token] for token in corpus.tokens]
    return [joint.join(words[a:b]) for a, b in zip(matches.start.tolist(), matches.stop.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"cat"', ["cat", "cat"]),
        ("'cat'", ["cat", "cat"]),
        ('"c"', []),  # the whole word matches, or nothing
        ('"the"', ["the", "the", "the"]),
        ('"the"%c', ["The", "the", "the", "the"]),
        ('"cafe"%cd', ["Café"]),
        ('"cafe"%d', []),
        ('"Cafe"%d', ["Café"]),
        ('"cafe\u0301"%c', ["Café"]),  # typed in two code points
        ('"."%l', [".", ".", ".", "."]),
        ('"\\."', [".", ".", ".", "."]),
        ('""""', ['"', '"']),
        ('"\\""', ['"', '"']),
        ('"\\""%l', ['"', '"']),
        ('""""%l [] "[^a-z]"', ['" no "']),
        ("'\"' \"no\"", ['" no']),
        ('[word="cat|saw"]', ["cat", "saw", "cat"]),
        ('[word="s.*" & word!="saw"]', ["said"]),
        ('[word="no" | word="I" & word="n.*"]', ["no"]),  # & binds closer
        ('[(word="no" | word="I") & !(word="n.*")]', ["I", "I", "I"]),
        ('[!word="[A-Za-z].*" & word != "\\W"%c]', []),
        ('"saw" []', ["saw the"]),
        ('"like" [] ("and"|"\\.")', ["like it .", "like tea and", "like milk ."]),
        ('"like" "it" | "tea" "and"', ["like it", "tea and"]),
        ('"very"+ "good"', ["very very good"]),
        ('"very"? "good"', ["very good"]),
        ('"very"{2} "good"', ["very very good"]),
        ('"very"{2,} "good"', ["very very good"]),
        ('"very"{,1} "good"', ["very good"]),
        ('"very"{3} "good"', []),
        ('"very"{0}', []),
        ('"very"*', ["very", "very"]),
        ('"I" []* "like"', ["I do n't like", "I like", "I like"]),
        ('"I" []{1,2} "like"', ["I do n't like"]),
        ('"I" []* "milk" within 3', ["I like milk"]),
        ('"I" []* "milk" within 3 words', ["I like milk"]),
        ('"I" []* "milk" within s', ["I like tea and I like milk"]),
        ('"it" "\\." "I"', []),  # the next sentence
        ("<s> []", ["I", "I", "The", "A", "He", "the"]),
        ("[] </s>", [".", ".", ".", "Café", ".", "end"]),
        ('<s> "the" []* "end" </s>', ["the end of the end"]),
        ('"like" <s> []', []),
        ('"end" (</s> | "of")', ["end of", "end"]),
        ('(<s> | "and") "I"', ["I", "I", "and I"]),
        ('(<s> | "and"?) "I"', ["I", "I", "and I"]),
        ('("and"? | <s>) "I" (</s> | []?) "like"', ["I like", "and I like"]),
        ('<s>? "I" "like"', ["I like", "I like"]),
        ('a:[] []{2} b:[] :: a.word = b.word', ["cat saw the cat", "the end of the", "end of the end"]),
        ('a:[] []{2} b:[] :: a.word = b.word %c & a.word = "T.*"', ["The cat saw the"]),
        ('a:[] b:[] :: a.word = b.word', ["very very"]),
        ('a:"cat" []* b:"cat" :: a.word != b.word', []),
        ('a:[] "of" :: a.word = "e.*"', ["end of"]),
        ('a:[]* "of" :: !(a.word = "end")', ["of"]),  # the label is not set
    ],
)  # fmt: skip
def test_english(query: str, expected: list[str]) -> None:
    corpus = tokens_in(ENGLISH)
    assert texts(corpus, find(parse(query), corpus)) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"猫"', ["猫", "猫"]),
        ('"猫" "は|が"', ["猫が", "猫は"]),
        (r'[word="[\u4e00-\u9fff]"] "[が-を]"', ["私は", "猫が", "好き", "猫は", "魚を", "食べ"]),
        (r'"[ぁ-ん]"+ "。"', ["きです。", "べる。"]),
        ('"か"%d', ["か", "か"]),  # が is another syllable, not an accent
        ('"か" "が" "か" </s>', ["かがか"]),
        ('a:[] [] b:[] :: a.word = b.word', ["かがか"]),
    ],
)  # fmt: skip
def test_japanese(query: str, expected: list[str]) -> None:
    corpus = tokens_in(JAPANESE)
    assert texts(corpus, find(parse(query), corpus), "") == expected


@pytest.mark.parametrize(
    ("query", "strategy", "expected"),
    [
        ('"very"* "good"', "standard", ["very very good"]),
        ('"very"* "good"', "shortest", ["good"]),
        ('"very"* "good"', "longest", ["very very good"]),
        ('"very"* "good"', "traditional", ["very very good", "very good", "good"]),
        ('"A" "very"*', "standard", ["A"]),
        ('"A" "very"*', "longest", ["A very very"]),
        ('"very"+', "standard", ["very", "very"]),
        ('"very"+', "longest", ["very very"]),
        ('"the"%c []* "cat|end"', "longest", ["The cat saw the cat", "the end of the end"]),
        ('"the"%c []* "cat|end"', "standard", ["The cat", "the cat", "the end", "the end"]),
    ],
)
def test_strategies(query: str, strategy: Strategy, expected: list[str]) -> None:
    corpus = tokens_in(ENGLISH)
    assert texts(corpus, find(parse(query), corpus, strategy=strategy)) == expected


def test_places_and_labels() -> None:
    corpus = tokens_in(ENGLISH)
    matches = find(parse('verb:"like" (a:"tea" | object:[])'), corpus)
    assert matches.sentence.tolist() == [0, 1, 1]
    assert matches.start.tolist() == [3, 7, 11]
    assert matches.stop.tolist() == [5, 9, 13]
    assert {label: tokens.tolist() for label, tokens in matches.labels.items()} == {
        "verb": [3, 7, 11],
        "a": [-1, 8, -1],
        "object": [4, -1, 12],
    }


def test_a_mask_leaves_sentences_out() -> None:
    corpus = tokens_in(ENGLISH)
    mask = np.array([True, False, True, True, True, True])
    assert find(parse('[]{0,2} "like"'), corpus, sentences=mask).sentence.tolist() == [0]


def test_what_makes_no_sense_is_refused() -> None:
    corpus = tokens_in(ENGLISH)
    with pytest.raises(ValueError, match="2 values for 6 sentences"):
        find(parse("[]"), corpus, sentences=np.array([True, False]))
    with pytest.raises(ValueError, match="greedy"):
        find(parse("[]"), corpus, strategy="greedy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="end"):
        Tokens(["a"], np.zeros(3, dtype=np.int32), np.array([2], dtype=np.int64))


@pytest.mark.parametrize("query", ["[]", '"a"', "a:[] []* b:[] :: a.word = b.word", "<s> [] </s>"])
@pytest.mark.parametrize("strategy", get_args(Strategy))
@pytest.mark.parametrize("sentences", [[], [[]], [[], []]])
def test_a_corpus_without_tokens(query: str, strategy: Strategy, sentences: list[list[str]]) -> None:
    assert len(find(parse(query), tokens_in(sentences), strategy=strategy)) == 0


@pytest.mark.parametrize("length", range(2, 90))
def test_the_first_token_that_is_labelled_decides_in_matches_of_any_length(length: int) -> None:
    corpus = tokens_in([["a"] * (length + 1)])
    rest = f"[]{{{length - 2}}} </s>"
    matches = find(parse(f"<s> ([] x:[] [] {rest} | y:[] [] [] {rest} | [] [] z:[] {rest})"), corpus)
    assert {label: tokens.tolist() for label, tokens in matches.labels.items()} == {"x": [-1], "y": [0], "z": [-1]}


# The naive matcher: it follows the syntax tree from every token, and compares whole matches.

UNLABELLED = 99


def word_matches(pattern: WordPattern, word: str) -> bool:
    text = pattern.text
    if pattern.ignore_diacritics:
        text, word = (each.replace("é", "e").replace("É", "E") for each in (text, word))
    if pattern.literal:
        text = re.escape(text)
    return re.fullmatch(text, word, re.IGNORECASE if pattern.ignore_case else 0) is not None


def holds(condition: Condition | None, words: Mapping[str | None, str]) -> bool:
    match condition:
        case None:
            return True
        case Not(operand=operand):
            return not holds(operand, words)
        case And(operands=operands):
            return all(holds(operand, words) for operand in operands)
        case Or(operands=operands):
            return any(holds(operand, words) for operand in operands)
        case WordTest(label=label, equal=equal, pattern=pattern):
            return label in words and word_matches(pattern, words[label]) == equal
        case WordPair(left=left, right=right, equal=equal, ignore_case=ignore_case, ignore_diacritics=bare):
            if left not in words or right not in words:
                return False
            one, other = words[left], words[right]
            if bare:
                one, other = (each.replace("é", "e").replace("É", "E") for each in (one, other))
            return (one.lower() == other.lower() if ignore_case else one == other) == equal


Way = tuple[int, tuple[int, ...]]
"""Where a match has got to, and for each of its tokens the number of its label."""


def ways(node: Node, words: Sequence[str], way: Way, labels: Sequence[str]) -> set[Way]:
    place, path = way
    match node:
        case Token(condition=condition, label=label):
            if place == len(words) or not holds(condition, {None: words[place]}):
                return set()
            return {(place + 1, (*path, UNLABELLED if label is None else labels.index(label)))}
        case Anchor(side=side):
            return {way} if place == (0 if side == "start" else len(words)) else set()
        case SequenceNode(items=items):
            reached = {way}
            for item in items:
                reached = {end for each in reached for end in ways(item, words, each, labels)}
            return reached
        case Alternation(branches=branches):
            return {end for branch in branches for end in ways(branch, words, way, labels)}
        case Repetition(item=item, least=least, most=most):
            reached, found = {way}, {way} if not least else set()
            for times in count(1):
                if most is not None and times > most:
                    break
                ahead = {end for each in reached for end in ways(item, words, each, labels)}
                # Beyond the least number only what moves on can lead to anything new.
                reached = ahead if times <= least else ahead - found
                if not reached:
                    break
                found |= reached if times >= least else set()
            return found


Found = tuple[int, int, tuple[int, ...]]
"""Start, stop, and the token of each label, from the beginning of the sentence."""


def matches_plainly(query: Query, words: Sequence[str], strategy: str) -> list[Found]:
    labels = labels_of(query.sequence)
    found: list[Found] = []
    for start in range(len(words)):
        candidates = []
        for stop, path in ways(query.sequence, words, (start, ()), labels):
            last = {label: start + offset for offset, label in enumerate(path) if label != UNLABELLED}
            named: dict[str | None, str] = {labels[label]: words[token] for label, token in last.items()}
            if stop > start and stop - start <= (query.within or len(words)) and holds(query.constraint, named):
                tokens = tuple(last.get(label, -1) for label in range(len(labels)))
                candidates.append((-stop if strategy == "longest" else stop, path, (start, stop, tokens)))
        found += [min(candidates)[-1]] if candidates else []
    match strategy:
        case "standard":
            return [one for one in found if not any(two[1] == one[1] and two[0] < one[0] for two in found)]
        case "longest":
            return [one for one in found if not any(inside(one, two) for two in found)]
        case "shortest":
            return [one for one in found if not any(inside(two, one) for two in found)]
    return found


def inside(one: Found, two: Found) -> bool:
    return one[:2] != two[:2] and two[0] <= one[0] and one[1] <= two[1]


TESTS = ['"a"', '"[ab]"', "'a'%c", '"e"%d', '"É"%cd', "[]", '[word!="a"]', '[word="a" | word="B"%c]', '"é"%l']
TESTS += ['[!(word="a") & word!="b"]', "[]", "[]"]
units = st.one_of(
    st.sampled_from(TESTS),
    st.builds("{}:{}".format, st.sampled_from("xyz"), st.sampled_from(TESTS)),
    st.sampled_from(["<s>", "</s>"]),
)
QUANTIFIERS = ["?", "*", "+", "{2}", "{0}", "{1,}", "{2,}", "{1,2}", "{0,3}", "{,2}"]


def grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        parts.map(" ".join),
        parts.map(" ".join),
        parts.map(" | ".join).map("({})".format),
        st.builds("({}){}".format, inner, st.sampled_from(QUANTIFIERS)),
    )


sequences = st.recursive(units, grouped, max_leaves=6)
CONSTRAINTS = ["x.word = y.word", "x.word != y.word %c", "!(x.word = y.word %cd)", 'y.word = "[ab]"']
CONSTRAINTS += ["x.word = y.word & y.word = z.word", 'x.word != "a"%c | z.word = x.word']
tails = st.one_of(
    st.sampled_from(CONSTRAINTS).map(" :: {}".format),
    st.sampled_from(["", "", " within 2", " within s", " within 4"]),
)
corpora = st.lists(st.lists(st.sampled_from("aaabAeéÉ"), max_size=6), max_size=4)


drawn = given(sequences, tails, corpora, st.sampled_from(get_args(Strategy)), st.booleans())


@settings(max_examples=150)
@drawn
@example("(x:[] | y:[])+", " :: x.word = y.word", [list("abaéa")], "longest", True)
@example("(x:[]? y:[]?)* </s>", " :: x.word = y.word %cd", [list("abAéEa")], "traditional", True)
def test_every_match_is_found(
    sequence: str, tail: str, sentences: list[list[str]], strategy: Strategy, is_small: bool
) -> None:
    assert_every_match_is_found(sequence, tail, sentences, strategy, is_small)


@pytest.mark.slow
@settings(max_examples=3000)
@drawn
def test_every_match_is_found_in_thousands_of_corpora(
    sequence: str, tail: str, sentences: list[list[str]], strategy: Strategy, is_small: bool
) -> None:
    assert_every_match_is_found(sequence, tail, sentences, strategy, is_small)


def assert_every_match_is_found(
    sequence: str, tail: str, sentences: list[list[str]], strategy: Strategy, is_small: bool
) -> None:
    if not re.search(r"\[|[\"']", sequence):
        sequence += " []"
    if any(f"{label}:" not in sequence for label in re.findall(r"(\w)\.word", tail)):
        tail = ""
    query, corpus = parse(sequence + tail), tokens_in(sentences)
    # Small blocks and ranks show whether what is done for large corpora and long matches changes anything.
    with (
        patch("corpusdb.cqp.matching._BLOCK", 3 if is_small else 1 << 17),
        patch("corpusdb.cqp.matching._MAX_RANK", 20 if is_small else 1 << 62),
    ):
        matches = find(query, corpus, strategy=strategy)
    columns = np.stack([matches.sentence, matches.start, matches.stop, *matches.labels.values()], axis=1)
    assert columns.tolist() == list(expected_rows(query, sentences, strategy))
    assert tuple(matches.labels) == labels_of(query.sequence)


def expected_rows(query: Query, sentences: Sequence[Sequence[str]], strategy: str) -> Iterator[list[int]]:
    begin = 0
    for index, words in enumerate(sentences):
        for start, stop, labels in matches_plainly(query, words, strategy):
            yield [index, begin + start, begin + stop, *(begin + token if token >= 0 else -1 for token in labels)]
        begin += len(words)


@given(sequences, corpora, st.integers(0, 15))
def test_a_mask_is_as_good_as_a_smaller_corpus(sequence: str, sentences: list[list[str]], chosen: int) -> None:
    query, corpus = parse(sequence + " []"), tokens_in(sentences)
    mask = np.array([chosen >> index & 1 for index in range(len(sentences))], dtype=np.bool_)
    everywhere, there = find(query, corpus), find(query, corpus, sentences=mask)
    kept = mask[everywhere.sentence] if len(sentences) else np.zeros(0, dtype=np.bool_)
    assert there.start.tolist() == everywhere.start[kept].tolist()
    assert there.stop.tolist() == everywhere.stop[kept].tolist()


@given(sequences, corpora)
def test_labels_change_no_match(sequence: str, sentences: list[list[str]]) -> None:
    corpus, sequence = tokens_in(sentences), sequence + " []"
    bare = re.sub(r"[xyz]:", "", sequence)
    with_labels, without = find(parse(sequence), corpus), find(parse(bare), corpus)
    assert with_labels.start.tolist() == without.start.tolist()
    assert with_labels.stop.tolist() == without.stop.tolist()
