"""The classes of morphemes and the forms that conditions of rules may name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from corpusdb.japanese.conjugation import FORMS, WIDTHS, endings, paradigm
from corpusdb.morphemes import Morpheme

__all__ = ["CLASSES", "INFLECTIONS", "classes_of", "forms_of"]

_Tags = tuple[tuple[str, ...], str]
_NOMINAL_SUFFIXES: Final = ("名詞的", "形状詞的")
_SEPARATORS: Final = frozenset(".,．，")
_VERBAL: Final = ("五段-", "上一段-", "下一段-", "助動詞-レル", "サ行変格", "カ行変格")

INFLECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "godan": ("五段-",),
    "ichidan": ("上一段-", "下一段-", "助動詞-レル"),
    "suru": ("サ行変格",),
    "kuru": ("カ行変格",),
    "i-adjective": ("形容詞",),
    "tai": ("助動詞-タイ",),
    "nai": ("助動詞-ナイ",),
    "nu": ("助動詞-ヌ",),
    "rashii": ("助動詞-ラシイ",),
    "masu": ("助動詞-マス",),
    "desu": ("助動詞-デス",),
    "da": ("助動詞-ダ",),
    "ta": ("助動詞-タ",),
}
"""The classes that are conjugations: what a conjugation of UniDic begins with."""

_BY_TAGS: Final[Mapping[str, Callable[[_Tags], bool]]] = {
    "noun": lambda tags: tags[0][0] == "名詞" and tags[0][1:2] != ("助動詞語幹",),
    "proper": lambda tags: tags[0][:2] == ("名詞", "固有名詞"),
    "number": lambda tags: tags[0][:2] == ("名詞", "数詞"),
    "counter": lambda tags: tags[0][-1] in ("助数詞可能", "助数詞"),
    "action": lambda tags: tags[0][-1] in ("サ変可能", "サ変形状詞可能"),
    "pronoun": lambda tags: tags[0][0] == "代名詞",
    "na-adjective": lambda tags: tags[0][0] == "形状詞" and tags[0][1:2] != ("助動詞語幹",),
    "manner": lambda tags: tags[0][1:2] == ("助動詞語幹",),  # よう, そう, みたい
    "suffix": lambda tags: tags[0][0] == "接尾辞" and tags[0][1] in _NOMINAL_SUFFIXES,
    "nominal": lambda tags: (
        (tags[0][0] in ("名詞", "代名詞", "形状詞") and tags[0][1:2] != ("助動詞語幹",))
        or (tags[0][0] == "接尾辞" and tags[0][1] in _NOMINAL_SUFFIXES)
    ),
    "adverb": lambda tags: tags[0][0] == "副詞",
    "interjection": lambda tags: tags[0][0] == "感動詞",
    "adnominal": lambda tags: tags[0][0] == "連体詞",
    "conjunction": lambda tags: tags[0][0] == "接続詞",
    "prefix": lambda tags: tags[0][0] == "接頭辞",
    "verb": lambda tags: tags[0][0] in ("動詞", "接尾辞", "助動詞") and tags[1].startswith(_VERBAL),
    "full-verb": lambda tags: tags[0][0] == "動詞",
    "auxiliary": lambda tags: tags[0][0] == "助動詞",
    "adjective": lambda tags: tags[1] == "形容詞",
    "particle": lambda tags: tags[0][0] == "助詞",
    "case": lambda tags: tags[0][:2] == ("助詞", "格助詞"),
    "topic": lambda tags: tags[0][:2] == ("助詞", "係助詞"),
    "adverbial": lambda tags: tags[0][:2] == ("助詞", "副助詞"),
    "conjunctive": lambda tags: tags[0][:2] == ("助詞", "接続助詞"),
    "closing": lambda tags: tags[0][:2] == ("助詞", "終助詞"),
    "nominaliser": lambda tags: tags[0][:2] == ("助詞", "準体助詞"),
    "stop": lambda tags: tags[0][:2] == ("補助記号", "句点"),
    "comma": lambda tags: tags[0][:2] == ("補助記号", "読点"),
    "mark": lambda tags: tags[0][0] in ("補助記号", "記号"),
}

CLASSES: Final[frozenset[str]] = frozenset(_BY_TAGS) | frozenset(INFLECTIONS)
"""Every class that a condition may name."""


@lru_cache(maxsize=4096)
def _classes(part_of_speech: tuple[str, ...], conjugation: str) -> frozenset[str]:
    tags = (part_of_speech, conjugation)
    found = {name for name, holds in _BY_TAGS.items() if holds(tags)}
    return frozenset(found | {name for name, begins in INFLECTIONS.items() if conjugation.startswith(begins)})


def classes_of(morpheme: Morpheme) -> frozenset[str]:
    """The classes that a morpheme belongs to."""
    return _classes(morpheme.part_of_speech, morpheme.conjugation)


@lru_cache(maxsize=65536)
def _forms(row: str, form: str) -> frozenset[str]:
    found = {name for name, forms in FORMS.items() if form in forms}
    if "continuative" in found and row.split("-")[0] in ("一段", "サ行変格", "カ行変格", "助動詞"):
        found.add("euphonic")
    if form == "連用形-一般" and row == "五段-サ行":
        found.add("euphonic")
    if row == "五段-ラ行-敬語" and form == "連用形-イ音便":
        found = {"continuative"}
    if row == "五段-ラ行-敬語" and form == "連用形-一般":
        found.discard("continuative")
    return frozenset(found)


@lru_cache(maxsize=4096)
def _widths(surface: str) -> frozenset[str]:
    """The name of the width of the digits in a number; none where it has none, digits of both widths, or 3,000."""
    digits = set() if _SEPARATORS & set(surface) else {ord(sign) for sign in surface if sign.isdecimal()}
    return frozenset(name for name, table in WIDTHS.items() if digits and digits <= set(table.values()))


def forms_of(morpheme: Morpheme) -> frozenset[str]:
    """The names of the forms in which an inflected morpheme may be taken to stand; none for one that is not inflected.

    Where an inflection has no form of its own before た, its continuative is both: 食べ in 食べた and in 食べます.
    """
    if not morpheme.conjugation:
        return _widths(morpheme.surface)
    row = paradigm(morpheme.conjugation, morpheme.dictionary_form, morpheme.surface)
    if row not in endings():
        return frozenset()
    return _forms(row, morpheme.form)
