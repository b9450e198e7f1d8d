"""Texts of two registers."""

from __future__ import annotations

import pytest

from corpusdb.base.morphemes import sudachi_analyser
from corpusdb.rules import Analysis, Expander, load_rules
from corpusdb.rules.style import clashes_in

pytestmark = pytest.mark.usefixtures("recorded_morphemes")


@pytest.mark.parametrize(
    ("text", "clashes"),
    [
        ("2時から神田様とお約束している。", {"courtesy"}),
        ("2時から神田様とお約束しています。", set()),  # courtesy becomes a polite speaker
        ("かしこまった。", {"courtesy"}),
        ("急に変更いただき申し訳ない。", {"courtesy"}),
        ("セミナーはいかがだったか？", {"courtesy"}),
        ("弊社からは誰が出席する予定か？", {"courtesy"}),
        ("御社はどちらにあるか？", {"courtesy"}),
        ("御社はどちらにありますか？", set()),
        ("今、お時間いいか？", {"courtesy"}),
        ("「神田様です」と彼は言った。", set()),  # somebody else is courteous
        ("東京新聞の田中だ。", {"name"}),
        ("彼は田中だ。", set()),
        ("ま、それは無理である。", {"speech"}),
        ("彼は学生である。", set()),
        ("お茶を飲んだ。", set()),  # a word of everybody
        ("", set()),
    ],
)
def test_what_clashes(text: str, clashes: set[str]) -> None:
    assert clashes_in(Analysis(text, sudachi_analyser().analyse(text))) == clashes


def test_a_rewriting_that_clashes_is_dropped_and_counted() -> None:
    rules = load_rules()
    few = rules.without({*rules.names} - {"verb-past"})
    found = Expander(few, sudachi_analyser()).expand("かしこまりました。")
    assert (found.rewritings, found.dropped) == ((), {"mixed": 1})
