"""The classes and inflections of morphemes, and a text with its morphemes.

How Japanese verbs, adjectives, the copula and auxiliaries are inflected: endings as data, stems from the text.
``conjugations.tsv`` says for each conjugation of UniDic and each form the ending that is put to the stem. The stem
is what is left of the surface without the ending of its own form, not of the dictionary form: so 信じ stays 信じ,
where its dictionary form is 信ずる, and kanji stay kanji.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Final

from corpusdb.base.tokenisation import Morpheme

FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "final": ("終止形-一般", "連体形-一般"),  # but for the copula they are the same
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
GODAN: Final[Mapping[str, str]] = {
    "く": "カ", "ぐ": "ガ", "す": "サ", "つ": "タ", "ぬ": "ナ", "ぶ": "バ", "む": "マ", "る": "ラ", "う": "ワア",
}  # fmt: skip
"""What a godan verb ends in as dictionaries cite it, and the row that its conjugation is called after."""

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


_PAIRS: Final[Mapping[str, str]] = {
    "「": "」", "『": "』", "｢": "｣", "（": "）", "(": ")", "“": "”", "‘": "’", "《": "》", "〈": "〉", "【": "】",
    "[": "]", "［": "］", "〔": "〕", "«": "»", "〝": "〟",
}  # fmt: skip
_SAME: Final = frozenset({'"', "＂"})


class Analysis:
    """A text and its morphemes; what is derived from them is worked out once, when it is first asked for."""

    def __init__(self, text: str, morphemes: tuple[Morpheme, ...]) -> None:
        self.text = text
        self.morphemes = morphemes
        self.ends: dict[int, bool] = {}
        """Whether a predicate may end before the morpheme of this number; filled by matching."""

    @cached_property
    def surfaces(self) -> tuple[str, ...]:
        return tuple(morpheme.surface for morpheme in self.morphemes)

    @cached_property
    def words(self) -> Mapping[str, tuple[int, ...]]:
        """Where each surface and each dictionary form stands."""
        found: dict[str, list[int]] = {}
        for number, morpheme in enumerate(self.morphemes):
            found.setdefault(morpheme.surface, []).append(number)
            if morpheme.dictionary_form != morpheme.surface:
                found.setdefault(morpheme.dictionary_form, []).append(number)
        return {word: tuple(numbers) for word, numbers in found.items()}

    @cached_property
    def classes(self) -> tuple[frozenset[str], ...]:
        return tuple(_classes(morpheme.part_of_speech, morpheme.conjugation) for morpheme in self.morphemes)

    @cached_property
    def members(self) -> Mapping[str, tuple[int, ...]]:
        """Where the morphemes of each class stand."""
        found: dict[str, list[int]] = {}
        for number, names in enumerate(self.classes):
            for name in names:
                found.setdefault(name, []).append(number)
        return {name: tuple(numbers) for name, numbers in found.items()}

    @cached_property
    def joined(self) -> tuple[bool, ...]:
        """Whether no white space stands before each morpheme."""
        ends = (-1, *(morpheme.end for morpheme in self.morphemes))
        return tuple(morpheme.begin == end for morpheme, end in zip(self.morphemes, ends[:-1], strict=True))

    @cached_property
    def quoted(self) -> tuple[bool, ...]:
        """Whether each morpheme stands in brackets or quotation marks; those around the whole text do not count."""
        depths = [0] * len(self.morphemes)
        for first, last in self._mates.items():
            for inside in range(first, last + 1):
                depths[inside] += 1
        whole = bool(depths) and self._mates.get(0) == len(depths) - 1
        return tuple(depth > whole for depth in depths)

    @cached_property
    def _mates(self) -> Mapping[int, int]:
        """Of each opening bracket that is closed, where; a bracket without its mate is none."""
        found: dict[int, int] = {}
        opened: list[tuple[str, int]] = []
        for number, surface in enumerate(self.surfaces):
            if surface in _SAME and not any(closing == surface for closing, _ in opened):
                opened.append((surface, number))
            elif surface in _PAIRS:
                opened.append((_PAIRS[surface], number))
            else:
                mate = next((at for at in reversed(range(len(opened))) if opened[at][0] == surface), None)
                if mate is not None:
                    found[opened[mate][1]] = number
                    del opened[mate:]
        return found
