"""Matches of queries against a matcher that tries everything, from where they are looked for, and how they stop."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import naive_matcher
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive_matcher import Word, matches_plainly

from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import Limit
from corpusdb.search.cqp import expanded, find
from corpusdb.search.cqp_parser import parse
from corpusdb.search.cqp_plan import candidate_starts, plan_query
from corpusdb.search.cqp_syntax import MeetUnion, Query, Token, Union, labels_of
from corpusdb.search.token_corpus import Attribute, Matches, Tokens

# Matches of queries: a table by hand, and random queries against a matcher that tries everything.


def attribute_of(words: Sequence[str], name: str) -> Attribute:
    numbers = {"": 0}
    values = [getattr(word, name, "") if name != "word" else str(word) for word in words]
    tokens = [numbers.setdefault(value, len(numbers)) for value in values]
    return Attribute(list(numbers), np.array(tokens, dtype=np.int32))


def tokens_in(sentences: Sequence[Sequence[str]], follows: Sequence[bool] | None = None) -> Tokens:
    types: dict[str, int] = {}
    tokens = [types.setdefault(word, len(types)) for sentence in sentences for word in sentence]
    ends = np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)
    words = [word for sentence in sentences for word in sentence]
    attributes = {name: attribute_of(words, name) for name in ("lemma", "pos")}
    behind = None if follows is None else np.array(follows, dtype=np.bool_)
    return Tokens(list(map(str, types)), np.array(tokens, dtype=np.int32), ends, attributes, behind)


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


MEETS = st.recursive(
    st.sampled_from(['"a"', '"[ab]"%c', "[]", '[word!="a"]', '[pos="V.*"]']),
    lambda inner: st.one_of(
        st.builds(
            "(meet {} {}{} {})".format,
            *(inner, st.sampled_from(["", "not "]), inner),
            st.sampled_from(["s", "0 0", "-1 1", "1 2", "-3 -1"]),
        ),
        st.builds("(union {} {})".format, inner, inner),
    ),
    max_leaves=5,
).filter(lambda text: text.startswith("("))


def meeting(node: MeetUnion, words: list[str]) -> set[int]:
    """The places in one sentence, by the definition."""
    if isinstance(node, Token):
        return {at for at, word in enumerate(words) if naive_matcher.holds(node.condition, {None: word})}
    left, right = meeting(node.left, words), meeting(node.right, words)
    if isinstance(node, Union):
        return left | right
    low, high = node.window or (-99, 99)
    return {at for at in left if any(low <= other - at <= high for other in right - {at}) != node.negated}


@given(MEETS, st.lists(st.lists(st.sampled_from([*map(Word.of, ("a", "b", "A//V", "e//V2"))]), max_size=6), max_size=3))
def test_tokens_that_meet_are_those_of_the_definition(written: str, sentences: list[list[str]]) -> None:
    query, corpus = parse(f"MU{written}"), tokens_in(sentences)
    assert query.meet is not None
    expected = [(at, place) for at, words in enumerate(sentences) for place in sorted(meeting(query.meet, words))]
    found = find(query, corpus)
    begins = corpus.begins[found.sentence].tolist()
    places = [start - begin for start, begin in zip(found.start.tolist(), begins, strict=True)]
    assert list(zip(found.sentence.tolist(), places, strict=True)) == expected
    assert found.stop.tolist() == [start + 1 for start in found.start.tolist()]


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ('MU(meet (meet "the" "end" 1 1) "of" 2 2)', '@"the" "end" "of"'),  # as CEQL makes it of "the end of"
        ('MU(meet "I" "tea" 2 2)', '@"I" [] "tea"'),
        ('mu(MEET "like" "I" -1 -1)', '"I" @"like"'),
        ('MU(union "tea" "milk");', '@"tea|milk"'),
    ],
)
def test_meeting_tokens_are_the_targets_of_a_sequence(query: str, same: str) -> None:
    corpus = tokens_in(ENGLISH)
    assert find(parse(query), corpus).start.tolist() == find(parse(same), corpus).labels["target"].tolist()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"b" expand to s', ["a b c b", "b d"]),
        ('"c" cut 1 expand left to 1', ["b c"]),
        ('"b" expand right to s', ["b c b", "b", "b d"]),
        ('"b" expand to 1;', ["a b c", "c b", "b d"]),
        ('"c" []{1,2} "b" within 2 s expand to s', ["a b c b b d"]),
    ],
)
def test_matches_are_expanded_in_their_sentences(written: str, expected: list[str]) -> None:
    corpus, query = tokens_in([["a", "b", "c", "b"], ["b", "d"]], [False, True]), parse(written)
    assert query.expansion is not None
    assert texts(corpus, expanded(find(query, corpus), query.expansion, corpus)) == expected


def test_a_mask_leaves_sentences_out() -> None:
    corpus = tokens_in(ENGLISH)
    mask = np.array([True, False, True, True, True, True])
    assert find(parse('[]{0,2} "like"'), corpus, sentences=mask).sentence.tolist() == [0]
    assert find(parse('MU(meet "like" "I" s)'), corpus, sentences=mask).sentence.tolist() == [0]


def test_what_makes_no_sense_is_refused() -> None:
    corpus = tokens_in(ENGLISH)
    with pytest.raises(ValueError, match="2 values for 6 sentences"):
        find(parse("[]"), corpus, sentences=np.array([True, False]))
    with pytest.raises(ValueError, match="end"):
        Tokens(["a"], np.zeros(3, dtype=np.int32), np.array([2], dtype=np.int64))


@pytest.mark.parametrize("query", ["[]", '"a"', "a:[] []* b:[] :: a.word = b.word", "<s> [] </s>"])
@pytest.mark.parametrize("sentences", [[], [[]], [[], []]])
def test_a_corpus_without_tokens(query: str, sentences: list[list[str]]) -> None:
    assert len(find(parse(query), tokens_in(sentences))) == 0


@pytest.mark.parametrize("length", [2, 3, 5, 14, 15, 16, 29, 30, 31, 32, 33, *range(60, 67), 89])
def test_the_first_token_that_is_labelled_decides_in_matches_of_any_length(length: int) -> None:
    corpus = tokens_in([["a"] * (length + 1)])
    rest = f"[]{{{length - 2}}} </s>"
    matches = find(parse(f"<s> ([] x:[] [] {rest} | y:[] [] [] {rest} | [] [] z:[] {rest})"), corpus)
    assert {label: tokens.tolist() for label, tokens in matches.labels.items()} == {"x": [-1], "y": [0], "z": [-1]}


TESTS = ['"a"', '"[ab]"', "'a'%c", '"e"%d', '"É"%cd', "[]", '[word!="a"]', '[word="a" | word="B"%c]', '"é"%l']
TESTS += ['[!(word="a") & word!="b"]', "[]", "[]"]
TESTS += ['[lemma="a"]', '[lemma="a" & pos="V.*"]', '[lemma!="a" | word="b"]', '[!(pos="N" & word="a"%c) & lemma=".*"]']
TESTS += ['[pos=""]', '[(word="a" | pos="V") & !(lemma="b" | pos="V2")]']
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
CONSTRAINTS += ["x.lemma = y.lemma", "x.word != y.lemma", 'x.pos = "V.*" & x.lemma = y.word %c']
CONSTRAINTS += ["x.word = y.word & y.word = z.word", 'x.word != "a"%c | z.word = x.word']
tails = st.one_of(
    st.sampled_from(CONSTRAINTS).map(" :: {}".format),
    st.sampled_from(["", "", " within 2", " within s", " within 4", " within 2 s", " within 3 s"]),
)
WORDS = [Word.of(each) for each in ("a/a/V", "a/a/N", "a", "b/a/V2", "A/a/V", "e/b/V2", "é/é/N", "É", "a/b/")]
corpora = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=4)


drawn = given(sequences, tails, corpora, st.integers(0, 31))
"""The number: whether each sentence but the first follows the one before; and whether blocks are small."""


@pytest.mark.slow
@settings(max_examples=1000)
@drawn
@example("(x:[] | y:[])+", " :: x.word = y.word", [list("abaéa")], 16)
@example("(x:[]? y:[]?)* </s>", " :: x.word = y.word %cd", [list("abAéEa")], 16)
@example('"a" </s> <s> "b"', " within 2 s", [["b", "a"], ["b"], [], ["b"]], 2)
@example('("a" </s>)+ <s>? "b" </s>', " within 3 s", [["a"], ["a"], ["b"]], 6)
def test_every_match_is_found(sequence: str, tail: str, sentences: list[list[str]], drawn_bits: int) -> None:
    if not re.search(r"\[|[\"']", sequence):
        sequence += " []"
    if any(f"{label}:" not in sequence for label in re.findall(r"(\w)\.\w+", tail)):
        tail = ""
    follows = [index > 0 and bool(drawn_bits >> index & 1) for index in range(len(sentences))]
    is_small = bool(drawn_bits & 16)
    query, corpus = parse(sequence + tail), tokens_in(sentences, follows)
    # Small blocks and ranks show whether what is done for large corpora and long matches changes anything.
    with (
        patch("corpusdb.search.cqp._BLOCK", 3 if is_small else 1 << 17),
        patch("corpusdb.search.cqp._MAX_RANK", 20 if is_small else 1 << 62),
    ):
        matches = find(query, corpus)
    columns = np.stack([matches.sentence, matches.start, matches.stop, *matches.labels.values()], axis=1)
    assert columns.tolist() == list(expected_rows(query, sentences, follows))
    assert tuple(matches.labels) == labels_of(query.sequence)


def expected_rows(query: Query, sentences: Sequence[Sequence[str]], follows: Sequence[bool]) -> Iterator[list[int]]:
    begin = first = 0
    ends = np.cumsum([len(sentence) for sentence in sentences]).tolist()
    while first < len(sentences):
        last = next(
            (each for each in range(first + 1, len(sentences)) if not follows[each] or query.sentences == 1),
            len(sentences),
        )
        for start, stop, labels in matches_plainly(query, sentences[first:last]):
            index = next(number for number, end in enumerate(ends) if begin + start < end)
            yield [index, begin + start, begin + stop, *(begin + token if token >= 0 else -1 for token in labels)]
        begin, first = ends[last - 1], last


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


TYPES = ["common", "rare", "seldom"]
TOKENS = [0, 0, 0, 0, 1, 0] + [0] * 6 + [1, 0, 2]
CORPUS = Tokens(TYPES, np.array(TOKENS, dtype=np.int32), np.array([6, 12, 15], dtype=np.int64))


@pytest.mark.parametrize(
    ("query", "landmark", "reach", "starts"),
    [
        ('"rare"', ['"rare"'], (0, 0), [4, 12]),
        ('"common" "rare"', ['"rare"'], (1, 1), [3]),  # 12 begins its sentence
        ('[]{0,2} "rare"', ['"rare"'], (0, 2), [2, 3, 4, 12]),
        ('[]{1,2} "rare"', ['"rare"'], (1, 2), [2, 3]),
        ('[]* "rare"', ['"rare"'], (0, None), [0, 1, 2, 3, 4, 12]),
        ('[]+ "rare" within 3', ['"rare"'], (1, None), [0, 1, 2, 3]),
        ('[] ("rare" | "common" "seldom")', ['"rare"', '"seldom"'], (1, 2), [2, 3, 12, 13]),
        ('("rare" | "common"+ "seldom") within 2', ['"rare"', '"seldom"'], (0, None), [0, 1, 2, 3, 4, 12, 13, 14]),
        ('[] ("rare" []* | "common")? "seldom"', ['"seldom"'], (1, None), [12, 13]),
        ('"common"? "seldom"', ['"seldom"'], (0, 1), [13, 14]),
        ('("common" "rare")+ "common"', ['"rare"'], (1, 1), [3]),
        ('("common" | []{0,2})* "rare"', ['"rare"'], (0, None), [0, 1, 2, 3, 4, 12]),
        ('"common"{2,3} </s>', ['"common"'], (0, 0), [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13]),
        ('(<s> | "common"){2} "seldom"', ['"seldom"'], (0, 2), [12, 13, 14]),
        ('"rare"? "seldom"?', ['"rare"', '"seldom"'], (0, 0), [4, 12, 14]),
        ('"x"{0}', [], (0, 0), []),
        ('"x"', ['"x"'], (0, 0), []),
    ],
)
def test_the_search_begins_where_least_is(
    query: str, landmark: list[str], reach: tuple[int, int | None], starts: list[int]
) -> None:
    plan = plan_query(parse(query), CORPUS)
    assert [token.source for token in plan.landmark.tokens] == landmark
    assert (plan.landmark.least, plan.landmark.most) == reach
    assert candidate_starts(plan, CORPUS, None).tolist() == starts


def test_only_in_chosen_sentences() -> None:
    plan = plan_query(parse('[]{0,2} "rare"'), CORPUS)
    assert candidate_starts(plan, CORPUS, np.array([False, True, True])).tolist() == [12]


def test_one_expression_is_looked_up_once() -> None:
    plan = plan_query(parse('a:"rare" "rare" []'), CORPUS)
    first, second = (test for token, test in plan.tests.items() if token.source == '"rare"')
    assert first is second


class Counted(Limit):
    """Cancelled after so many looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.left = looks

    def check(self, pattern: str) -> None:
        self.left -= 1
        if self.left < 0:
            self.cancel()
        super().check(pattern)


def test_it_is_looked_at_every_step_whether_to_go_on() -> None:
    corpus = Tokens([f"w{number}" for number in range(2_000)], np.arange(2_000, dtype=np.int32), np.array([2_000]))
    query = parse("a:[] []* b:[] []* c:[] :: a.word = b.word & b.word = c.word")
    for looks in (0, 1, 5, 20):
        with pytest.raises(Cancelled):
            find(query, corpus, limit=Counted(looks))
