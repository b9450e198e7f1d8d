"""How Japanese verbs, adjectives, the copula and auxiliaries are inflected: endings as data, stems from the text.

``conjugations.tsv`` says for each conjugation of UniDic and each form the ending that is put to the stem. The stem is
what is left of the surface without the ending of its own form, not of the dictionary form: so 信じ stays 信じ, where
its dictionary form is 信ずる, and kanji stay kanji.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from corpusdb.morphemes import Morpheme

__all__ = ["FORMS", "WIDTHS", "conjugate", "conjugated", "endings", "in_form", "paradigm", "voices"]

FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "final": (
        "終止形-一般",
        "連体形-一般",
    ),  # but for the copula they are the same
    "continuative": ("連用形-一般",),
    "euphonic": ("連用形-促音便", "連用形-イ音便", "連用形-撥音便", "連用形-ウ音便"),
    "irrealis": ("未然形-一般",),
    "irrealis-n": ("未然形-撥音便",),
    "irrealis-sa": ("未然形-サ",),
    "irrealis-se": ("未然形-セ",),
    "conditional": ("仮定形-一般",),
    "imperative": ("命令形",),
    "volitional": ("意志推量形",),
    "stem": ("語幹-一般",),
}
"""The names of forms in rules, and the forms of UniDic that each stands for."""

WIDTHS: Final[Mapping[str, Mapping[int, int]]] = {
    "fullwidth": {ord("0") + digit: ord("０") + digit for digit in range(10)},
    "halfwidth": {ord("０") + digit: ord("0") + digit for digit in range(10)},
}
"""The forms of numbers: how their digits are written."""
_HONORIFIC: Final = ("っしゃる", "下さる", "くださる", "なさる", "為さる", "ござる", "御座る", "仰る")
_GO: Final = ("行く", "いく", "ゆく", "逝く", "往く")
_WITH_U: Final = ("問う", "請う", "乞う", "恋う", "とう", "こう")
_GOOD: Final = ("こいい", "コいい", "好いい", "地いい", "ちいい", "どいい")
_VOICING: Final = ("五段-ガ行", "五段-ナ行", "五段-バ行", "五段-マ行")


@cache
def endings() -> Mapping[str, Mapping[str, str]]:
    """Of each conjugation, the ending of each form, as ``conjugations.tsv`` has them."""
    table: dict[str, dict[str, str]] = {}
    text = resources.files(__package__).joinpath("conjugations.tsv").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        conjugation, form, ending = line.split("\t")
        table.setdefault(conjugation, {})[form] = ending
    return table


def paradigm(conjugation: str, lexeme: str, surface: str) -> str:
    """The row of the table for a morpheme: the conjugation of UniDic, or a branch of it that inflects otherwise."""
    if conjugation.startswith(("上一段-", "下一段-")):
        return "一段-くれる" if lexeme in ("くれる", "呉れる") else "一段"
    if conjugation == "五段-カ行" and (lexeme.endswith(_GO) or lexeme in ("てく", "でく")):
        return "五段-カ行-行く"
    if conjugation == "五段-ラ行" and lexeme.endswith(_HONORIFIC):
        return "五段-ラ行-敬語"
    if conjugation == "五段-ワア行" and lexeme in _WITH_U:
        return "五段-ワア行-問う"
    if conjugation == "サ行変格" and (lexeme.endswith("ずる") or (lexeme.endswith("じる") and "じ" in surface)):
        return "サ行変格-ずる"
    if conjugation == "カ行変格" and "来" in surface:
        return "カ行変格-来"
    if conjugation == "形容詞" and (surface == "いい" or surface.endswith(_GOOD)):
        return "形容詞-いい"
    if conjugation == "助動詞-タ" and surface.startswith("だ"):
        return "助動詞-タ-だ"
    return conjugation


def conjugate(morpheme: Morpheme, form: str) -> str | None:
    """The surface of a morpheme in another form of UniDic; None where the table does not know how."""
    return conjugated(
        morpheme.surface,
        paradigm(morpheme.conjugation, morpheme.dictionary_form, morpheme.surface),
        morpheme.form,
        form,
    )


@lru_cache(maxsize=65536)
def conjugated(surface: str, row: str, form: str, wanted: str) -> str | None:
    """The surface that ``surface``, in ``form`` of the conjugation ``row``, has in the form ``wanted``."""
    known = endings().get(row, {})
    if form == wanted and form not in known:
        return surface
    ending, other = known.get(form), known.get(wanted)
    if ending is None or other is None or not surface.endswith(ending):
        return None
    return surface[: len(surface) - len(ending)] + other


def in_form(morpheme: Morpheme, name: str) -> str | None:
    """The surface of a morpheme in a form as rules name it; None where it has no such form.

    Before た and て an inflection without a form of its own takes the continuative; before ます いらっしゃる and verbs
    like it take い.
    """
    if name in WIDTHS:
        return morpheme.surface.translate(WIDTHS[name])
    row = paradigm(morpheme.conjugation, morpheme.dictionary_form, morpheme.surface)
    if row == "サ行変格-ずる" and morpheme.surface.endswith("じ"):
        row = "一段"  # 信じ is of 信じる today, though a dictionary may cite 信ずる
    known = endings().get(row, {})
    wanted = next((form for form in FORMS[name] if form in known), None)
    if name == "euphonic" and row == "五段-ラ行-敬語":
        wanted = "連用形-促音便"
    elif name == "euphonic" and wanted is None:
        wanted = "連用形-一般"
    elif name == "continuative" and row == "五段-ラ行-敬語":
        wanted = "連用形-イ音便"
    return None if wanted is None else conjugated(morpheme.surface, row, morpheme.form, wanted)


def voices(morpheme: Morpheme) -> bool:
    """Whether た and て after this morpheme are だ and で: 読んだ, 泳いで."""
    return morpheme.conjugation in _VOICING
