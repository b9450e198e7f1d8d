"""Morphemes for tests of the rules: by hand for what is pure, by SudachiPy for the rules themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpusdb.base.tokenisation import Analyser, Morpheme, sudachi_analyser
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.rewriting import load_rules
from corpusdb.rules.rule import RuleSet

KNOWN = """
彼 代名詞
本 名詞,普通名詞,一般
犬 名詞,普通名詞,一般
は 助詞,係助詞
を 助詞,格助詞
と 助詞,格助詞
が 助詞,接続助詞
けど 助詞,接続助詞
から 助詞,接続助詞
て 助詞,接続助詞
で 助詞,接続助詞
か 助詞,終助詞
よ 助詞,終助詞
の 助詞,準体助詞
。 補助記号,句点
？ 補助記号,句点
、 補助記号,読点
「 補助記号,括弧開
」 補助記号,括弧閉
読む 動詞,一般 五段-マ行 終止形-一般
読み 動詞,一般 五段-マ行 連用形-一般 読む
読ん 動詞,一般 五段-マ行 連用形-撥音便 読む
行く 動詞,一般 五段-カ行 終止形-一般
行き 動詞,一般 五段-カ行 連用形-一般 行く
行っ 動詞,一般 五段-カ行 連用形-促音便 行く
食べる 動詞,一般 下一段-バ行 終止形-一般
食べ 動詞,一般 下一段-バ行 連用形-一般 食べる
言う 動詞,一般 五段-ワア行 終止形-一般
言い 動詞,一般 五段-ワア行 連用形-一般 言う
言っ 動詞,一般 五段-ワア行 連用形-促音便 言う
いる 動詞,非自立可能 上一段-ア行 終止形-一般
い 動詞,非自立可能 上一段-ア行 連用形-一般 いる
てる 助動詞 下一段-タ行 終止形-一般
でる 助動詞 下一段-ダ行 終止形-一般
た 助動詞 助動詞-タ 終止形-一般
ます 助動詞 助動詞-マス 終止形-一般
まし 助動詞 助動詞-マス 連用形-一般 ます
です 助動詞 助動詞-デス 終止形-一般
だ 助動詞 助動詞-ダ 終止形-一般
"""
"""Surfaces, each with its part of speech, conjugation, form, and dictionary form where that is another."""
PAST = "助動詞 助動詞-タ 終止形-一般 だ"


class HandAnalyser:
    """Cuts a text into the longest morphemes that are known; だ after a nasal is the past."""

    identity = "hand|1|C"

    def __init__(self) -> None:
        self._known = dict(line.split(" ", 1) for line in KNOWN.strip().split("\n"))

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        found: list[Morpheme] = []
        at = 0
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            length = next((size for size in (3, 2, 1) if text[at : at + size] in self._known), 1)
            surface = text[at : at + length]
            tags = self._known.get(surface, "補助記号,一般")
            if surface == "だ" and found and found[-1].surface.endswith("ん"):
                tags = PAST
            part, conjugation, form, word = (*tags.split(" "), "", "", "")[:4]
            cited = word or surface
            found.append(Morpheme(surface, at, tuple(part.split(",")), conjugation, form, cited, cited, ""))
            at += length
        return tuple(found)


@pytest.fixture(scope="session")
def hand() -> Analyser:
    """An analyser that knows a few words."""
    return HandAnalyser()


@pytest.fixture(scope="session")
def analysed(hand: Analyser) -> Callable[[str], Analysis]:
    """The analysis of a text of these words."""
    return lambda text: Analysis(text, hand.analyse(text))


@pytest.fixture(scope="session")
def analyser() -> Analyser:
    """The analyser for which the rules are written."""
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    return sudachi_analyser()


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    """The rules that come with the program."""
    return load_rules()
