"""Whether a text is polite or plain, by the predicates with which its sentences end."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from corpusdb.japanese.analysis import Analysis
from corpusdb.japanese.matching import asks_within, at_end, at_stop

__all__ = ["Style", "style"]

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
