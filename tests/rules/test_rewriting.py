"""Where rules match, and the copies that they make with their lineage."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from corpusdb.base.tokenisation import Analyser
from corpusdb.rules.matching import DirectedRule, RuleIndex, Style, at_end, style, voiced
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.rewriting import DEFAULT_CAP, Expander, Expansion, Rewriting, trace
from corpusdb.rules.rule import RuleDirection, RuleSet, parse_rules

# Where rules match: classes, contexts, quotations, white space; and the index against trying every rule.


Analysed = Callable[[str], Analysis]
PAST = "past polite = $1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END"


def directed(line: str, direction: RuleDirection = RuleDirection.FORWARD) -> DirectedRule:
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


@pytest.mark.slow
def test_the_index_leaves_out_no_rule_that_matches(analyser: Analyser, rules: RuleSet) -> None:
    """Against trying every rule on every text, here on the examples of all rules."""
    index = RuleIndex(rules.rules)
    texts = sorted({example.before for rule in rules.rules for example in rule.examples})
    for text in random.Random(1).sample(texts, 70):
        analysis = Analysis(text, analyser.analyse(text))
        matching = {one for one in index.directed if any(one.matches(analysis))}
        tried = {one for one in index.directed if any(one.fits(analysis, at) for at in range(len(analysis.morphemes)))}
        assert matching <= tried <= index.candidates(analysis)


# Copies and their lineages: order, direction, caps, styles, and the way back to the original.

PRESENT = "present polite = $1(verb final) <-> $1(continuative) : ます(masu) / _ END"
PROGRESSIVE = "progressive other = $1(verb euphonic) : て : いる(ichidan *) <-> $1(euphonic) : てる(ichidan *)"
KEDO = "kedo other = が(conjunctive) <-> けど(conjunctive)"


def rule_set(*lines: str) -> RuleSet:
    return RuleSet(parse_rules(lines, "mine.rules"))


def expand(text: str, rules: RuleSet, analyser: Analyser, cap: int = DEFAULT_CAP) -> Expansion:
    return Expander(rules, analyser, cap).expand(text)


def texts(found: tuple[Rewriting, ...]) -> list[str]:
    return [rewriting.text for rewriting in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("彼は本を読んだ。", ["彼は本を読みました。"]),
        ("彼は本を読みました。", ["彼は本を読んだ。"]),
        ("行っている。", ["行っています。", "行ってる。"]),
        ("読んでる。", ["読んでいる。"]),
        ("行った。読んだ。", ["行きました。読みました。"]),
        ("行った。読む。", ["行きました。読みます。"]),  # not one of them alone
        ("行った。読みます。", ["行きました。読みます。", "行った。読む。"]),  # which is mixed already
        ("本。", []),
    ],
)
def test_copies(hand: Analyser, text: str, expected: list[str]) -> None:
    found = expand(text, rule_set(PAST, PRESENT, PROGRESSIVE), hand)
    assert set(expected) <= set(texts(found.rewritings))
    assert text not in texts(found.rewritings)
    if len(expected) < 2:
        assert texts(found.rewritings) == expected


def test_rules_are_applied_in_their_order_and_to_copies(hand: Analyser) -> None:
    found = expand("行ったが、読んだ。", rule_set(PAST, KEDO), hand)
    assert [(one.text, [step.rule for step in one.lineage]) for one in found.rewritings] == [
        ("行きましたが、読みました。", ["past"]),
        ("行ったけど、読んだ。", ["kedo"]),
        ("行きましたけど、読みました。", ["past", "kedo"]),
    ]


def test_a_lineage_never_uses_a_rule_twice_or_both_ways(hand: Analyser) -> None:
    found = expand("行ったが、読んだけど、言った。", rule_set(PAST, KEDO, PRESENT, PROGRESSIVE), hand, cap=100)
    assert found.rewritings
    for rewriting in found.rewritings:
        used = [step.rule for step in rewriting.lineage]
        assert len(used) == len(set(used))
        assert rewriting.text != found.text


def test_what_reaches_the_cap_is_counted(hand: Analyser) -> None:
    everything = expand("行ったが、読んだ。", rule_set(PAST, KEDO), hand)
    assert everything.dropped == {}
    capped = expand("行ったが、読んだ。", rule_set(PAST, KEDO), hand, cap=2)
    assert capped.rewritings == everything.rewritings[:2]
    assert capped.dropped == {"cap": 1}
    assert expand("行った。", rule_set(PAST), hand, cap=0).dropped == {"cap": 1}


def test_what_is_half_changed_is_counted(hand: Analyser) -> None:
    assert expand("行った。読む。", rule_set(PAST), hand).dropped == {"mixed": 1}


def test_what_reads_otherwise_is_counted(hand: Analyser) -> None:
    found = expand("犬だ。", rule_set("a other = 犬 -> 犬 : 読"), hand)
    assert texts(found.rewritings) == ["犬読だ。"]
    joined = expand("犬は。", rule_set("a other = 犬 : は -> で : す"), hand)  # です is one morpheme
    assert joined.rewritings == ()
    assert joined.dropped == {"reading": 1}


def test_disabled_rules_are_not_applied(hand: Analyser) -> None:
    both = rule_set(PAST, KEDO)
    assert texts(expand("行ったが、本。", both.without(["past"]), hand).rewritings) == ["行ったけど、本。"]
    assert texts(expand("行ったが、本。", both.only(["polite"]), hand).rewritings) == ["行きましたが、本。"]
    assert both.without(["past"]).including(["past"]) == both


def test_white_space_stays(hand: Analyser) -> None:
    assert texts(expand("彼は 本を 読んだ。", rule_set(PAST), hand).rewritings) == ["彼は 本を 読みました。"]


def test_a_stretch_is_traced_to_rules_and_the_original(hand: Analyser) -> None:
    text = "彼は本を読むが、行った。"
    found = expand(text, rule_set(PAST, PRESENT, KEDO), hand)
    (rewriting,) = [one for one in found.rewritings if one.text == "彼は本を読みますけど、行きました。"]
    shown = {}
    for word in ("彼は本を", "読みますけ", "ます", "けど", "、", "行きました", "。"):
        begin = rewriting.text.index(word)
        origin = trace(rewriting, begin, begin + len(word))
        shown[word] = (text[origin.begin : origin.end], [step.rule for step in origin.steps])
    assert shown == {
        "彼は本を": ("彼は本を", []),
        "読みますけ": ("読むが", ["present", "kedo"]),
        "ます": ("読む", ["present"]),
        "けど": ("が", ["kedo"]),
        "、": ("、", []),
        "行きました": ("行った", ["past"]),
        "。": ("。", []),
    }


@pytest.mark.slow
def test_steps_say_where_they_changed_what(analyser: Analyser, rules: RuleSet) -> None:
    """The text after each step is the text before it, but for the places that the step names."""
    expander = Expander(rules, analyser)
    seen = 0
    for rule in rules.rules:
        for example in rule.examples[:1]:
            for rewriting in expander.expand(example.before).rewritings:
                whole = trace(rewriting, 0, len(rewriting.text))
                assert (whole.begin, whole.end) == (0, len(example.before))
                assert whole.steps == rewriting.lineage
                for at, sign in enumerate(rewriting.text):
                    origin = trace(rewriting, at, at + 1)
                    seen += 1
                    if not origin.steps:
                        assert example.before[origin.begin : origin.end] == sign
                    assert all(step.direction in RuleDirection for step in origin.steps)
    assert seen > 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("彼は行った。", Style.PLAIN),
        ("彼は行きました。", Style.POLITE),
        ("彼は行きましたよ。", Style.POLITE),
        ("行った。行きました。", Style.MIXED),
        ("行ったから、行きます。", Style.POLITE),
        ("行ったけど、行きます。", Style.POLITE),
        ("行ったが、行きます。", Style.MIXED),
        ("行きましたけど、行く。", Style.MIXED),
        ("「行きます。」と言った。", Style.PLAIN),
        ("行きますと言った。", Style.PLAIN),
        ("本です。", Style.POLITE),
        ("本だよ、行きます。", Style.MIXED),
        ("本か。", Style.PLAIN),
        ("本。", Style.NONE),
        ("", Style.NONE),
    ],
)
def test_the_style_of_a_text(analysed: Callable[[str], Analysis], text: str, expected: Style) -> None:
    assert style(analysed(text)) is expected
