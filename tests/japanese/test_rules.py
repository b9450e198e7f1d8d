"""The rules that come with the program: their examples, how many they are, and what a rule check finds."""

from __future__ import annotations

from collections import Counter

import pytest

from corpusdb.base.morphemes import Analyser
from corpusdb.guides import guide_text
from corpusdb.rules import Direction, RuleSet, apply_rule, check_rules, load_rules
from corpusdb.rules.rule import parse_rules

RULES = load_rules().rules
FUNCTION_WORDS = frozenset(
    (
        "ある あり あっ あろう ない なかっ なく なけれ なきゃ いる い おる おり いらっしゃい ござい する "
        "し いたし 致し なる なら なり いける いけ おく とく しまう ちゃう てる くれ ください 下さい "
        "もらえ いただけ なさい みたい よう いい よい 良い 有る 無い しれ 知れ よっ より 対し 基づい "
        "基づき 伴っ 伴い あたっ あたり 通じ よる よれ 関し 関する つい とんでも ごめん 時 とき 事 "
        "こと 為 ため お 御 何 じゃん だっ ば まし "
    ).split()
)
"""Words of grammar with the tags of content words, those of set phrases, and what reads otherwise alone."""


@pytest.mark.parametrize("name", [rule.name for rule in RULES])
def test_a_rule_does_what_its_examples_say(rules: RuleSet, analyser: Analyser, name: str) -> None:
    assert [str(fault) for fault in check_rules([rules.by_name[name]], analyser)] == []


def test_there_are_as_many_as_in_the_paper(rules: RuleSet) -> None:
    """Kanayama (2003), section 4.1: 88 rules, 51 of them polite; here those that are off do not count."""
    kinds = Counter(rule.kind for rule in rules.enabled)
    assert kinds["polite"] >= 51
    assert kinds.total() >= 88
    assert all(rule.off for rule in rules.rules if rule.name in rules.disabled)


def test_the_guide_says_how_many_there_are(rules: RuleSet) -> None:
    polite = sum(rule.kind == "polite" for rule in rules.enabled)
    said = f"{len(rules.rules)}, of which {len(rules.enabled)} are on, {polite} of these polite"
    assert said in " ".join(guide_text("rules").split())


def test_no_rule_writes_a_content_word(analyser: Analyser) -> None:
    """As the paper asks: nouns, verbs, adjectives and adverbs are copied, and at most inflected."""
    written = {word for rule in RULES for side in (rule.left, rule.right) for one in side for word in one.surfaces}
    parts = {word: {morpheme.part_of_speech[0] for morpheme in analyser.analyse(word)} for word in written}
    content = {word for word in written if parts[word] & {"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞"}}
    assert sorted(content - FUNCTION_WORDS) == []


def check(analyser: Analyser, *lines: str) -> list[str]:
    return [str(fault) for fault in check_rules(parse_rules(lines, "mine.rules"), analyser)]


GOOD = ["+ 彼が来たが、帰った。 = 彼が来たけど、帰った。", "+ 行くが、遅い。 = 行くけど、遅い。"]
NOT = ["- 雨が降る。", "- 彼が来た。"]


def test_a_check_tells_examples_that_do_not_come_out(analyser: Analyser) -> None:
    line = "mine other = が(conjunctive) -> けど"
    last = "+ 見たが、忘れた。 = 見たけど、忘れた。"
    assert check(analyser, line, *GOOD, last, *NOT) == []
    assert check(analyser, line, *GOOD, last, NOT[0]) == [
        "mine.rules, line 1, column 1: mine: 1 examples that must not change, 2 are the least"
    ]
    assert check(analyser, line, *GOOD, *NOT) == [
        "mine.rules, line 1, column 1: mine: 2 examples of ->, 3 are the least"
    ]
    assert check(analyser, line, *GOOD, "+ 見た。 = 見ました。", *NOT) == [
        "mine.rules, line 4, column 1: mine: 見た。 ->: nothing comes out, not 見ました。"
    ]
    assert check(analyser, line, *GOOD, last, *NOT, "- 見たが、忘れた。") == [
        "mine.rules, line 7, column 1: mine: 見たが、忘れた。 ->: 見たけど、忘れた。 comes out"
    ]


def test_a_check_tells_a_rule_that_loops(analyser: Analyser) -> None:
    faults = check(
        analyser,
        "mine other = だけ(particle) -> だけ(particle) : だけ(particle)",
        "+ これだけだ。 = これだけだけだ。",
    )
    assert any("the rule loops" in fault for fault in faults)


def test_one_rule_alone(rules: RuleSet, analyser: Analyser) -> None:
    rule = rules.by_name["verb-past"]
    assert apply_rule(rule, Direction.FORWARD, "彼は本を読んだ。", analyser) == "彼は本を読みました。"
    assert apply_rule(rule, Direction.BACKWARD, "彼は本を読みました。", analyser) == "彼は本を読んだ。"
    assert apply_rule(rule, Direction.FORWARD, "彼は本を読む。", analyser) is None
