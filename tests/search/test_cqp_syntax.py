"""Syntax trees of queries, where faults are, and conditions on words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import QueryError
from corpusdb.search.cqp_parser import MAX_DEPTH, MAX_REPEATS, MAX_SENTENCES, MAX_TOKENS, parse
from corpusdb.search.cqp_plan import token_test, without_diacritics, word_classes
from corpusdb.search.cqp_syntax import (
    Aligned,
    Alternation,
    Anchor,
    And,
    Not,
    Or,
    Query,
    Repetition,
    SequenceNode,
    Token,
    WordPair,
    WordPattern,
    WordTest,
)
from corpusdb.search.token_corpus import Tokens

# Syntax trees, and for every query that cannot be read where the fault is and what is said of it.


def pattern(text: str, position: int, flags: str = "") -> WordPattern:
    return WordPattern(text, "l" in flags, "c" in flags, "d" in flags, position)


def word(text: str, position: int, *, flags: str = "", label: str | None = None, source: str | None = None) -> Token:
    test = WordTest(None, True, pattern(text, position, flags), position)
    return Token(test, label, source or f'"{text}"', position)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a"', word("a", 0)),
        ('  "a" %cd ;', word("a", 2, flags="cd", source='"a" %cd')),
        ("[]", Token(None, None, "[]", 0)),
        ('x:"a"', word("a", 2, label="x")),
        ('"a" "b"', SequenceNode((word("a", 0), word("b", 4)), 0)),
        ('"a" | "b"', Alternation((word("a", 0), word("b", 6)), 0)),
        (
            '"a" | "b" "c"',
            Alternation((word("a", 0), SequenceNode((word("b", 6), word("c", 10)), 6)), 0),
        ),
        ('("a" | "b") "c"', SequenceNode((Alternation((word("a", 1), word("b", 7)), 1), word("c", 12)), 0)),
        ('"a"?', Repetition(word("a", 0), 0, 1, 3)),
        ('"a"*', Repetition(word("a", 0), 0, None, 3)),
        ('"a"+', Repetition(word("a", 0), 1, None, 3)),
        ('"a"{2}', Repetition(word("a", 0), 2, 2, 3)),
        ('"a" { 2 , }', Repetition(word("a", 0), 2, None, 4)),
        ('"a"{2,3}', Repetition(word("a", 0), 2, 3, 3)),
        ('"a"{,3}', Repetition(word("a", 0), 0, 3, 3)),
        ('<s> "a" </s>', SequenceNode((Anchor("start", 0), word("a", 4), Anchor("end", 8)), 0)),
        ('"a""b"', Token(WordTest(None, True, pattern('a"b', 0), 0), None, '"a""b"', 0)),
        ('"a""""b"%l', Token(WordTest(None, True, pattern('a""b', 0, "l"), 0), None, '"a""""b"%l', 0)),
        (
            '[word="a" | !word!="b" & word="c"%c]',
            Token(
                Or(
                    (
                        WordTest(None, True, pattern("a", 6), 1),
                        And(
                            (
                                Not(WordTest(None, False, pattern("b", 19), 13), 12),
                                WordTest(None, True, pattern("c", 30, "c"), 25),
                            ),
                            12,
                        ),
                    ),
                    1,
                ),
                None,
                '[word="a" | !word!="b" & word="c"%c]',
                0,
            ),
        ),
    ],
)
def test_the_tree_of_a_sequence(text: str, expected: object) -> None:
    assert parse(text) == Query(expected, None, None, (), text, len(text) - len(text.lstrip()))  # type: ignore[arg-type]


def test_what_stands_behind_the_sequence() -> None:
    query = parse('a:"x" b:[] within 5 words :: a.word != b.word %c :ja ! "y" within 3 :EN-us "z"')
    assert query.within == 5
    assert query.constraint == WordPair("a", "b", False, True, False, 29)
    japanese, english = query.aligned
    whole = query.text
    assert japanese == Aligned("jpn", True, Query(word("y", 55), None, 3, (), whole, 55), 49)
    assert english == Aligned("eng", False, Query(word("z", 75), None, None, (), whole, 75), 68)


def test_the_constraint_and_the_window_come_in_either_order() -> None:
    one, other = parse('a:"x" :: a.word = "x" within 2'), parse('a:"x" within 2 :: a.word = "x"')
    assert (one.sequence, one.within) == (other.sequence, other.within)
    assert one.constraint is not None
    assert other.constraint is not None
    assert parse('"x" within s').within is None
    assert parse('"x" within text').sentences == MAX_SENTENCES


def test_a_cut_stands_last() -> None:
    for text in ('"x" cut 5', '"x" within 2 s :fra "y" cut 5;', 'MU(meet "x" "y" s) cut 5'):
        assert parse(text).cut == 5
    assert parse('"cut" "5"').cut is None


@pytest.mark.parametrize(
    ("query", "position", "message"),
    [
        ("", 0, "the query ends here"),
        ('"a" |', 5, "the query ends here"),
        ("cat", 0, 'put it in quotes: "cat"'),
        ("  don't go", 2, 'put it in quotes: "don\'t"'),
        ('"the" 猫です', 6, 'put it in quotes: "猫です"'),
        ('"the" 1984', 6, 'put it in quotes: "1984"'),
        ('"a" cut', 7, "expected how many matches after cut"),
        ('"a" cut 0', 8, "expected how many matches after cut"),
        ('"a" cut 5 within s', 10, 'put it in quotes: "within"'),
        ('"a" sort by word', 4, "operator sort of CQP is not supported; here --sort does it"),
        ('"a" cut 2 cut 3', 10, "there is a second cut"),
        ('"a" expand to np', 11, "expected to s, or to a number"),
        ('[lbound(s)]', 1, "<s> stands where a sentence begins"),
        ('[lemma contains "a"]', 7, "feature sets are texts"),
        ('[_.genre="a"]', 1, "match.genre"),
        ('(?longest) "a"', 0, "the shortest"),
        ('[word = RE($list)]', 8, "word lists"),
        ('MU (meet "a" "b")', 16, "expected a window after the two tokens"),
        ('MU (meet "a" "b" 2 -2)', 17, "the smaller number comes first: -2 2"),
        ('MU ("a" "b")', 4, "expected meet or union"),
        ('MU meet "a" "b" s', 3, "expected ( after MU"),
        ('MU(meet a:"a" "b" s)', 8, 'put it in quotes: "a"'),
        ('MU(meet "a" "b" s', 17, "ends here"),
        ('MU(meet "a" "b" s) within 3', 19, 'put it in quotes: "within"'),
        ('meet "a" "b"', 0, "operator meet belongs inside MU"),
        ('First = "a"', 0, "named queries"),
        ("“a”", 0, "straight quotes"),
        ('"a', 0, "no closing"),
        ('[word="a]', 6, "no closing"),
        ('"a"%x', 4, "no flag x"),
        ('"a"%cx', 5, "no flag x"),
        ('"a"%', 4, "expected a flag"),
        ('[word="a"]%c', 10, "follow a string directly"),
        ('"b" "a(b"', 6, "bad regular expression: missing )"),
        ('[word="x" & word="a[b"]', 19, "bad regular expression: unterminated character set"),
        ('"?"', 1, 'nothing to repeat; for a literal string write "..."%l'),
        ('"a""*b**"', 7, "multiple repeat"),
        ('"a{99999999999}"', 1, "too large"),
        ('[pos]', 4, "expected = or !="),
        ('[word="a" & lemma.x="b"]', 12, "after the query"),
        ('a:[] [word = a.word]', 13, "after the query: a:[] b:[] :: a.word = b.word"),
        ('a:[] [a.word = "b"]', 6, "after the query"),
        ("[word=cat]", 6, 'put it in quotes: "cat"'),
        ('[word=="cat"]', 5, '= "..."%l'),
        ('[word "cat"]', 6, "expected = or !="),
        ('["cat"]', 1, 'a test: [word="cat"]'),
        ('[word="a" word="b"]', 10, "expected ], or & or |"),
        ('[word="a"', 9, "expected ]"),
        ('("a" "b"', 8, "ends here"),
        ('"a")', 3, "unexpected )"),
        ('"a" ()', 5, "unexpected )"),
        ('* "a"', 0, "follows a token"),
        ('"a"+?', 4, "follows a token"),
        ('"a"{}', 4, "expected a number"),
        ('"a"{,}', 5, "expected a number"),
        ('"a"{2', 5, "expected }"),
        ('"a"{3,2}', 3, "{2,3}"),
        (f'"a"{{{MAX_REPEATS + 1}}}', 3, f"at most {MAX_REPEATS}"),
        ('("a"{500}){3}', 0, f"more than {MAX_TOKENS} tokens"),
        ("(" * (MAX_DEPTH + 1) + '"a"', MAX_DEPTH + 1, "nested"),
        ("[" + "(" * (MAX_DEPTH + 1) + 'word="a"', MAX_DEPTH + 2, "nested"),
        ("<s> </s>", 0, "needs a token"),
        ('<p> "a"', 0, "the only tags are <s> and </s>"),
        ('<<s>> "a"', 0, "the only tags"),
        ('[: word="a" :]', 0, "lookahead"),
        ('/region[s]', 0, "macros"),
        ('"a" $list', 4, "word lists"),
        ('a:@"a"', 0, "a label goes before a token"),
        ('@a:"a"', 0, "a label goes before a token"),
        ('@("a" "b")', 0, "a label goes before a token"),
        ('"a" []@', 6, "a label goes before a token"),
        ('! "a"', 0, "negation"),
        ('"cat" ==>nl "kat"', 6, ":jpn"),
        ('a:("b" "c")', 0, "a label goes before a token"),
        ('"a" within', 10, "expected s or a number"),
        ('"a" within p', 11, "no other regions"),
        ('"a" within <s/>', 11, "expected s"),
        ('"a" within 0', 11, "at least one"),
        ('"a" within 2 p', 13, "no unit p"),
        ('"a" within 0 s', 11, "at least one"),
        (f'"a" within {MAX_SENTENCES + 1} s', 11, f"at most {MAX_SENTENCES} sentences"),
        ('"a" within 2 within s', 13, "no unit within"),
        ('"a" within s within 3', 13, "second within"),
        ('a:"a" :: b.word = a.word', 9, "no label b in this query; there is a"),
        ('"a" :: b.word = "c"', 7, "no label b in this query"),
        ('a:"a" :: a = "b"', 11, "a.word"),
        ('a:"a" :: a. = "b"', 12, "an attribute after the label: a.word"),
        ('a:"a" :: a.word = a.word %l', 26, "no flag l"),
        ('a:"a" b:[] :: distance(a, b) < 3', 14, "quantifiers say how far"),
        ('a:"a" :: ', 9, "ends here"),
        ('"a" :xx "b"', 5, "a language"),
        ('"a" : "b"', 6, "a language"),
        ('"a" :jpn', 8, "ends here"),
        ('"a" :jpn a:"b" :eng "c" :: a.word="b"', 27, "no label a"),
        ('"a"; "b"', 5, "unexpected"),
    ],
)  # fmt: skip
def test_a_fault_is_shown_where_it_is(query: str, position: int, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    error = caught.value
    assert (error.position, error.query) == (position, query)
    assert message in error.reason
    assert str(error) == f"{error.reason}\n{error.pointer()}"


@pytest.mark.parametrize(
    ("query", "position", "expected"),
    [
        ("abc", 0, "abc\n^"),
        ("abc", 3, "abc\n   ^"),
        ("猫 cat", 2, "猫 cat\n   ^"),  # a wide character takes two cells
        ("e\u0301 cat", 3, "e\u0301 cat\n  ^"),  # an accent takes none
        ("ｱ Ａ x", 4, "ｱ Ａ x\n     ^"),  # half width, full width
        ("a\tb", 2, "a b\n  ^"),
        ("one\ntwo x\nthree", 8, "two x\n    ^"),
        ("one\ntwo", 3, "one\n   ^"),
    ],
)
def test_the_caret_stands_under_the_fault(query: str, position: int, expected: str) -> None:
    assert QueryError("no", query=query, position=position).pointer() == expected


PIECES = ['"a"', "'b'%cd", "[]", "[word", "]", "=", "!=", '"', "(", ")", "|", "&", "!", "{2,3}", "*", "?", "a:"]
PIECES += ["a.word", "::", " within ", "5", "s", "<s>", "</s>", ":jpn", "cat", "%", ";", "猫", "\\", "(?", "\n", "[:"]
PIECES += ["-", ".", "ß"]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_anything_is_read_or_refused_in_its_place(text: str) -> None:
    try:
        assert parse(text).text == text
    except QueryError as error:
        assert 0 <= error.position <= len(text)
        assert error.pointer().endswith("^")


WORDS = ["cat", "Cat", "cats", "café", "Cafe", "a.m.", "axmx", "が", "か", "ÉCOLE", ""]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"cat"', ["cat"]),
        ('"cat"%c', ["cat", "Cat"]),
        ('"cats?"', ["cat", "cats"]),
        ('"cafe"%d', ["café"]),
        ('"CAFÉ"%cd', ["café", "Cafe"]),
        ('"[é]cole"%cd', ["ÉCOLE"]),
        ('"école"%c', ["ÉCOLE"]),
        ('"a.m."', ["a.m.", "axmx"]),
        ('"a.m."%l', ["a.m."]),
        ('"A.M."%lc', ["a.m."]),
        ('"(?i)A\\.M\\."', ["a.m."]),
        ('"か"%cd', ["か"]),
        ('""', [""]),
        ('[word="c.*" & word!=".*s"]', ["cat", "café"]),
        ('[!(word=".*a.*"%c | word=".")]', ["ÉCOLE", ""]),
    ],
)
def test_token_expressions(query: str, expected: list[str]) -> None:
    token = parse(query).sequence
    assert isinstance(token, Token)
    assert token.condition is not None
    corpus = Tokens(WORDS, np.arange(len(WORDS), dtype=np.int32), np.array([len(WORDS)], dtype=np.int64))
    assert [WORDS[place] for place in token_test(token.condition, corpus).places().tolist()] == expected


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("plain", "plain"),
        ("Café Ångström Việt", "Cafe Angstrom Viet"),
        ("øłđß", "øłđß"),  # letters of their own
        ("ガがぱ", "ガがぱ"),
        ("한국어", "한국어"),
        ("हिन्दी", "हिन्दी"),
        ("ทั้งนี้", "ทั้งนี้"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("άέ й", "αε и"),
    ],
)
def test_diacritics(text: str, bare: str) -> None:
    assert without_diacritics(text) == bare


@pytest.mark.parametrize(
    ("is_blind", "bare", "groups"),
    [
        (False, False, [["cat"], ["Cat"], ["café"], ["CAFE"]]),
        (True, False, [["cat", "Cat"], ["café"], ["CAFE"]]),
        (False, True, [["cat"], ["Cat"], ["café"], ["CAFE"]]),
        (True, True, [["cat", "Cat"], ["café", "CAFE"]]),
    ],
)
def test_word_classes(is_blind: bool, bare: bool, groups: list[list[str]]) -> None:
    words = ["cat", "Cat", "café", "CAFE"]
    classes = word_classes(words, ignore_case=is_blind, ignore_diacritics=bare).tolist()
    by_class: dict[int, list[str]] = {}
    for word, number in zip(words, classes, strict=True):
        by_class.setdefault(number, []).append(word)
    assert list(by_class.values()) == groups


def test_case_makes_no_two_letters_one() -> None:
    assert len(set(word_classes(["weiß", "weiss", "WEISS", "Weiß"], ignore_case=True).tolist())) == 2
