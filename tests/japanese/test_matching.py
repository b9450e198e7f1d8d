"""Where rules match: classes, contexts, quotations, white space; and the index against trying every rule."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from corpusdb.base.morphemes import Analyser
from corpusdb.rules import Analysis, Direction, RuleSet
from corpusdb.rules.matching import DirectedRule, RuleIndex, at_end, voiced
from corpusdb.rules.rule import parse_rules

Analysed = Callable[[str], Analysis]
PAST = "past polite = $1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END"


def directed(line: str, direction: Direction = Direction.FORWARD) -> DirectedRule:
    (rule,) = parse_rules([line], "mine.rules")
    return DirectedRule(rule, direction)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("彼は本を読んだ。", [4]),
        ("行った。読んだ。", [0, 3]),
        ("行った犬。", []),  # not at an end
        ("行ったよ。", [0]),
        ("行ったと言った。", [3]),
        ("「行った。」と言った。", [6]),
        ("「行った。」", [1]),  # brackets around everything are no quotation
        ("「行った。", [1]),  # nor are those that are not closed
        ("行っ た。", []),  # a match has no white space in it
        ("行ったけど、読んだ。", [0, 4]),
        ("行ったからだ。", []),
        ("行ったが犬。", []),
        ("行ったが、読んだ。", [0, 4]),
        ("本だ。", []),
        ("行った", [0]),
        ("行った\n本", [0]),
    ],
)
def test_where_a_rule_matches(analysed: Analysed, text: str, places: list[int]) -> None:
    assert list(directed(PAST).matches(analysed(text))) == places


def test_what_follows_is_voiced_as_the_verb_asks(analysed: Analysed) -> None:
    progressive = directed("a other = $1(verb euphonic) : て : いる(ichidan *) <-> $1(euphonic) : てる(ichidan *)")
    assert list(progressive.matches(analysed("読んでいる。"))) == [0]
    assert list(progressive.matches(analysed("行っている。"))) == [0]
    assert list(progressive.matches(analysed("行っでいる。"))) == []
    assert [voiced(word) for word in ("た", "てる", "ちゃう", "は", "")] == ["だ", "でる", "じゃう", "は", ""]


@pytest.mark.parametrize(
    ("context", "text", "matches"),
    [
        ("START _", "本だ。", True),
        ("START _", "彼は本だ。", False),
        ("START _", "行く。本だ。", True),
        ("は _", "彼は本だ。", True),
        ("彼 : は _", "彼は本だ。", True),
        ("犬 : は _", "彼は本だ。", False),
        ("!は _", "彼は本だ。", False),
        ("!彼 : は _", "彼は本だ。", False),
        ("!犬 : は _", "彼は本だ。", True),
        ("!(pronoun) : (particle) _", "彼は本だ。", False),
        ("_ だ : STOP", "彼は本だ。", True),
        ("_ だ : !STOP", "彼は本だ。", False),
        ("_ !だ", "彼は本だ。", False),
        ("_ です", "彼は本だ。", False),
    ],
)
def test_contexts(analysed: Analysed, context: str, text: str, matches: bool) -> None:
    rule = directed(f"a other = $1(noun) -> 犬 / {context}")
    assert bool(list(rule.matches(analysed(text)))) is matches


def test_a_predicate_may_end_before_particles_and_clauses(analysed: Analysed) -> None:
    ends = [at_end(analysed(f"行く{rest}"), 1) for rest in ("。", "よ。", "か？", "けど、", "と", "の。", "は", "かと")]
    assert ends == [True, True, True, True, False, False, False, False]


def test_the_index_leaves_out_no_rule_that_matches(analyser: Analyser, rules: RuleSet) -> None:
    """Against trying every rule on every text, here on the examples of all rules."""
    index = RuleIndex(rules.rules)
    texts = sorted({example.before for rule in rules.rules for example in rule.examples})
    for text in random.Random(1).sample(texts, 150):
        analysis = Analysis(text, analyser.analyse(text))
        matching = {one for one in index.directed if any(one.matches(analysis))}
        tried = {one for one in index.directed if any(one.fits(analysis, at) for at in range(len(analysis.morphemes)))}
        assert matching <= tried <= index.candidates(analysis)
