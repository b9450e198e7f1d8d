"""Rules that pairs of sentences suggest, and twins."""

from __future__ import annotations

import pytest

from corpusdb.base.morphemes import sudachi_analyser
from corpusdb.rules import Analysis, Direction, Expander, apply_rule, load_rules
from corpusdb.rules.learning import Twin, bare, pattern_between, strict_twins, try_twin
from corpusdb.rules.rule import parse_rules

pytestmark = pytest.mark.usefixtures("recorded_morphemes")

SUGGESTED = [
    (
        *("忘れた。", "忘れました。", "polite"),
        "$1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END",
    ),
    (
        *("本を読んだ。", "本を読みました。", "polite"),
        "$1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END",
    ),
    ("私は幸せだ。", "私は幸せです。", "polite", "だ(da) <-> です(desu) / (nominal) _ END"),
    ("大丈夫？", "大丈夫ですか？", "polite", "$1(na-adjective) <-> $1 : です(desu) : か(closing) / _ END"),
    ("続けろ。", "続けて。", "other", "$1(verb imperative) <-> $1(euphonic) : て(conjunctive) / _ END"),
    ("元気出せよ。", "元気を出せよ。", "other", "$1(noun) <-> $1 : を(case)"),
]
NOTHING = [
    ("本屋に行く。", "書店に行く。"),  # other content words
    ("勘定お願いします。", "勘定書お願いします。"),  # content again, in Chinese characters
    ("そうだ。", "そうだ。"),
    ("", ""),
    ("彼は走った。", "昨日の夜はとても静かで誰もいなかった。"),
]


def analysed(text: str) -> Analysis:
    return Analysis(text, sudachi_analyser().analyse(text))


@pytest.mark.parametrize(("one", "other", "kind", "source"), SUGGESTED)
def test_a_pair_suggests_a_rule_that_makes_it(one: str, other: str, kind: str, source: str) -> None:
    for first, second in ((one, other), (other, one)):
        found = pattern_between(analysed(first), analysed(second))
        assert found is not None and (found.kind, found.source) == (kind, source)
    (rule,) = parse_rules([f"suggested {kind} = {source}"], "suggested")
    assert apply_rule(rule, Direction.FORWARD, one, sudachi_analyser()) == other
    assert apply_rule(rule, Direction.BACKWARD, other, sudachi_analyser()) == one


@pytest.mark.parametrize(("one", "other"), NOTHING)
def test_content_words_and_equal_sentences_suggest_nothing(one: str, other: str) -> None:
    assert pattern_between(analysed(one), analysed(other)) is None


def test_twins_share_everything_but_style() -> None:
    group = [
        *("彼は昨日本を読んだ。", "彼は昨日本を読みました。", "彼は昨日本を読みます。"),
        *("彼は昨日雑誌を読みました。", "昨日彼は本を読みました。"),
    ]
    twins = strict_twins([analysed(text) for text in group])
    assert twins == [Twin(group[0], group[1])]
    result = try_twin(twins[0], Expander(load_rules(), sudachi_analyser()))
    assert (result.to_polite, result.to_plain, result.either) == (True, True, True)
    missed = try_twin(twins[0], Expander(load_rules().without(["verb-past"]), sudachi_analyser()))
    assert (missed.to_polite, missed.to_plain, missed.either) == (False, False, False)


def test_punctuation_does_not_count() -> None:
    assert bare("ここで、休もう！") == bare("ここで休もう。")
