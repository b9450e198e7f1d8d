"""Whether a text is polite or plain, by the predicates with which its sentences end."""

from __future__ import annotations

from enum import Enum
from typing import Final

from corpusdb.japanese.analysis import Analysis
from corpusdb.japanese.matching import at_end, at_stop

__all__ = ["Style", "style"]

_POLITE: Final = frozenset({"desu", "masu"})
_PREDICATES: Final = frozenset({"verb", "adjective", "auxiliary"})
_PARTICLES: Final = frozenset({"closing", "adverbial", "nominaliser"})
_REQUESTS: Final = frozenset({"くださる", "下さる"})
_ENDING: Final = ("終止形", "連体形", "命令形", "意志推量形")
_FARTHEST_BACK: Final = 3  # ませ ん でし た


class Style(str, Enum):
    """The style of a text."""

    POLITE = "polite"
    PLAIN = "plain"
    MIXED = "mixed"
    NONE = "none"
    """No sentence ends with a predicate."""


def style(analysis: Analysis) -> Style:
    """The style of a text: of all its sentences and, where one is polite within a sentence, of coordinated clauses.

    A plain clause before けど and its like does not count beside a polite end: only ends and polite clauses do. What
    stands in quotation marks is not looked at.
    """
    found = set()
    for at in range(1, len(analysis.morphemes) + 1):
        if analysis.quoted[at - 1] or not at_end(analysis, at):
            continue
        said = _style_before(analysis, at)
        if said is not None and (said is Style.POLITE or _ends_sentence(analysis, at)):
            found.add(said)
    if not found:
        return Style.NONE
    return found.pop() if len(found) == 1 else Style.MIXED


def _ends_sentence(analysis: Analysis, at: int) -> bool:
    while at < len(analysis.morphemes) and not at_stop(analysis, at):
        if not analysis.classes[at] & _PARTICLES:
            return False
        at += 1
    return True


def _style_before(analysis: Analysis, at: int) -> Style | None:
    """The style of the predicate that ends before the morpheme of this number; None where there is none."""
    last = analysis.morphemes[at - 1]
    classes = analysis.classes[at - 1]
    if not classes & _PREDICATES or not (last.form.startswith(_ENDING)):
        return None
    if last.form == "命令形":
        return Style.POLITE if last.dictionary_form in _REQUESTS else None
    for back in range(at - 1, max(at - 1 - _FARTHEST_BACK, -1) - 1, -1):
        if analysis.classes[back] & _POLITE:
            return Style.POLITE
        if "auxiliary" not in analysis.classes[back]:
            break
    return Style.PLAIN
