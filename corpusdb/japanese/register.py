"""What in a text is of two registers, though all its predicates are of one style: courtesy beside plain style.

Politeness is said by predicates, and also by words for the hearer: 神田様とお約束している。 is said by nobody. Rules
change predicates alone, so that rewriting can leave such words behind; and である is written, not said to somebody.
"""

from __future__ import annotations

from typing import Final

from corpusdb.japanese.analysis import Analysis
from corpusdb.japanese.matching import at_end
from corpusdb.japanese.style import Style, style

__all__ = ["clashes_in"]

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
