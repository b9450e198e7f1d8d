"""Whether a text is polite or plain, what in it is of two registers, and how content words are spelled."""

from __future__ import annotations

from enum import StrEnum
from os.path import commonprefix
from typing import Final, NamedTuple

from corpusdb.base.tokenisation import Morpheme
from corpusdb.rules.matching import asks_within, at_end, at_stop
from corpusdb.rules.morphology import Analysis

# Whether a text is polite or plain, by the predicates with which its sentences end.


_POLITE: Final = frozenset({"desu", "masu"})
_PREDICATES: Final = frozenset({"verb", "adjective", "auxiliary"})
_PARTICLES: Final = frozenset({"closing", "adverbial", "nominaliser"})
_REPORTING: Final = frozenset({"と", "って"})
_REQUESTS: Final = frozenset({"くださる", "下さる"})
_ENDING: Final = ("終止形", "連体形", "命令形", "意志推量形")
_TO_ONESELF: Final = frozenset({"な", "なあ", "なぁ", "なー", "かしら", "の"})
_MOST_PARTICLES: Final = 3
_FARTHEST_BACK: Final = 3  # ませ ん でし た


class Style(StrEnum):
    """The style of a text."""

    POLITE = "polite"
    PLAIN = "plain"
    MIXED = "mixed"
    NONE = "none"
    """No sentence ends with a predicate."""


def style(analysis: Analysis) -> Style:
    """The style of a text: a plain clause within a sentence says nothing of it, a polite one anywhere does.

    What stands in quotation marks, or before と and って, is what another says, and is not looked at.
    """
    found: set[Style] = set()
    beside: set[Style] = set()
    for at in range(1, len(analysis.morphemes) + 1):
        if analysis.quoted[at - 1]:
            continue
        if _is_polite(analysis, at - 1) and not _is_reported(analysis, at):
            found.add(Style.POLITE)
        elif _ends_sentence(analysis, at):
            found.add(_style_before(analysis, at))
        elif "comma" in analysis.classes[at] or not analysis.joined[at]:  # white space in place of a stop
            beside.add(_style_before(analysis, at))  # 分かった、行きます is of two styles, 安い、うまい of none
    found.discard(Style.NONE)
    if not found:
        return Style.NONE
    return found.pop() if len(found | beside - {Style.NONE}) == 1 else Style.MIXED


def _is_polite(analysis: Analysis, number: int) -> bool:
    """Whether a morpheme is です or ます; でん of 読んでんの, which an analyser takes for です, is neither."""
    return bool(analysis.classes[number] & _POLITE) and analysis.morphemes[number].form != "終止形-撥音便"


def _is_reported(analysis: Analysis, at: int) -> bool:
    """Whether a polite auxiliary, with what follows it in its predicate, stands before と or って."""
    while at < len(analysis.morphemes) and analysis.classes[at] & {"auxiliary", "closing", "nu", "ta"}:
        at += 1
    return at < len(analysis.morphemes) and analysis.surfaces[at] in _REPORTING and "particle" in analysis.classes[at]


def _ends_sentence(analysis: Analysis, at: int) -> bool:
    """Whether a sentence of some style ends here: by a stop or by が, beside which けど and から say little of it.

    Particles may stand between, but for those of one who talks to himself, which polite speakers use as well.
    """
    if analysis.surfaces[at : at + 1] == ("が",):
        return at_end(analysis, at) and at > 1 and not at_stop(analysis, at - 2)  # だが begins a sentence
    for end in range(at, at + _MOST_PARTICLES + 1):
        if at_stop(analysis, end) or (end > at and "comma" in analysis.classes[end]):
            return True
        if analysis.surfaces[end] == "か" and asks_within(analysis, end):
            return False
        if not analysis.classes[end] & _PARTICLES or analysis.surfaces[end] in _TO_ONESELF:
            return False
    return False


def _style_before(analysis: Analysis, at: int) -> Style:
    """The style of the predicate that ends before the morpheme of this number; NONE where there is none."""
    last = analysis.morphemes[at - 1]
    if not analysis.classes[at - 1] & _PREDICATES or not last.form.startswith(_ENDING):
        asked = "nominal" in analysis.classes[at - 1] and analysis.surfaces[at : at + 1] == ("か",)
        return Style.PLAIN if asked else Style.NONE  # 本当か
    if last.form == "命令形":
        return Style.POLITE if last.dictionary_form in _REQUESTS else Style.NONE
    for back in range(at - 1, max(at - 1 - _FARTHEST_BACK, -1) - 1, -1):
        if _is_polite(analysis, back):
            return Style.POLITE
        if "auxiliary" not in analysis.classes[back]:
            break
    return Style.PLAIN


# What in a text is of two registers, though all its predicates are of one style: courtesy beside plain style.
#
# Politeness is said by predicates, and also by words for the hearer: 神田様とお約束している。 is said by nobody. Rules
# change predicates alone, so that rewriting can leave such words behind; and である is written, not said to somebody.


_COURTEOUS: Final = frozenset(
    {
        "畏まる", "如何", "恐れ入る", "御座る", "承知", "存じる", "存ずる", "申し上げる", "伺う", "貴社", "弊社",
    }
)  # fmt: skip
"""Words to a hearer, in their normalized form."""
_HUMBLE: Final = "頂く"
_TITLES: Final = frozenset({"様", "さま"})
_PREFIXES: Final = frozenset({"お", "ご", "御"})
_OF_A_HEARER: Final = frozenset({"社", "時間"})  # 御社, お時間
_TO_A_HEARER: Final = frozenset({"closing", "interjection"})
_PERSON: Final = "人名"
_TOPICS: Final = frozenset({"は", "が", "も"})


def clashes_in(analysis: Analysis) -> frozenset[str]:
    """What clashes: ``courtesy`` with plain predicates, ``speech`` with である, a name given plainly as one's own."""
    found = set()
    if style(analysis) is Style.PLAIN:
        if _is_courteous(analysis):
            found.add("courtesy")
        if _introduces(analysis):
            found.add("name")
    if _is_written(analysis) and any(classes & _TO_A_HEARER for classes in analysis.classes):
        found.add("speech")
    return frozenset(found)


def _is_courteous(analysis: Analysis) -> bool:
    """Whether there is a word that only a speaker who is polite uses to a hearer."""
    for number, morpheme in enumerate(analysis.morphemes):
        if analysis.quoted[number]:
            continue
        if morpheme.normalized_form in _COURTEOUS:
            return True
        if morpheme.normalized_form == _HUMBLE and number and "action" in analysis.classes[number - 1]:
            return True  # 変更いただき
        if morpheme.part_of_speech[0] == "接尾辞" and morpheme.surface in _TITLES:
            return True
        if morpheme.part_of_speech[0] == "接頭辞" and morpheme.surface in _PREFIXES:
            following = number + 1
            if following < len(analysis.morphemes) and (
                analysis.classes[following] & {"action", "full-verb"} or analysis.surfaces[following] in _OF_A_HEARER
            ):
                return True
    return False


def _introduces(analysis: Analysis) -> bool:
    """Whether somebody gives a name as one does on the telephone: N社の玉元だ。"""
    if _TOPICS & {*analysis.surfaces}:
        return False
    return any(
        _PERSON in analysis.morphemes[at - 2].part_of_speech and "da" in analysis.classes[at - 1]
        for at in range(2, len(analysis.morphemes) + 1)
        if at_end(analysis, at)
    )


def _is_written(analysis: Analysis) -> bool:
    """Whether である stands at an end."""
    return any(
        analysis.surfaces[at - 2 : at] == ("で", "ある") and not analysis.quoted[at - 1]
        for at in range(2, len(analysis.morphemes) + 1)
        if at_end(analysis, at)
    )


# Content words in the spelling that the dictionary prefers: 分る and わかる are both 分かる.
#
# Rules that do this are what Kanayama (2003), section 5.1, sets against his own: they replace words, not styles.


_CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞"})
_NAMES = "固有名詞"
_BOUND = "非自立可能"  # いる, ある, くださる: these are styles, not contents


class Respelling(NamedTuple):
    """A text with its content words respelt."""

    text: str
    replaced: tuple[tuple[str, str], ...]
    """The words in the form of citation, as they were and as they are, in the order of the text."""


def canonical_spelling(analysis: Analysis) -> Respelling:
    """The text with every content word in the dictionary's own spelling; the same text where all are."""
    parts, replaced, end = [], [], 0
    for morpheme in analysis.morphemes:
        parts.append(analysis.text[end : morpheme.begin])
        spelt = _spelt(morpheme)
        if spelt != morpheme.surface:
            replaced.append((morpheme.dictionary_form, morpheme.normalized_form))
        parts.append(spelt)
        end = morpheme.end
    return Respelling("".join((*parts, analysis.text[end:])), tuple(replaced))


def _spelt(morpheme: Morpheme) -> str:
    """The surface, its stem respelt where the two forms of citation end alike: 分っ of 分る, 分かる is 分かっ."""
    first, *narrower = morpheme.part_of_speech
    cited, preferred = morpheme.dictionary_form, morpheme.normalized_form
    if first not in _CONTENT or _NAMES in narrower or _BOUND in narrower or cited == preferred:
        return morpheme.surface
    if not morpheme.conjugation:
        return preferred if cited == morpheme.surface else morpheme.surface
    shared = len(commonprefix((cited[::-1], preferred[::-1])))
    stem = cited[: len(cited) - shared]
    # Without a shared ending the inflection of the one is not that of the other.
    if not shared or not stem or not morpheme.surface.startswith(stem):
        return morpheme.surface
    return preferred[: len(preferred) - shared] + morpheme.surface[len(stem) :]
