"""Plain and polite twins: two sentences that say the same with the same words, but for the style of their predicates.

What rules for politeness ought to make of each other; how many of them they do make is their recall.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.japanese.analysis import Analysis
from corpusdb.japanese.expansion import Expander
from corpusdb.japanese.style import Style, style

__all__ = ["Twin", "TwinResult", "bare", "content_of", "strict_twins", "try_twin"]

_FUNCTIONAL: Final = frozenset({"ある", "ない", "有る", "無い", "ござる"})
_REQUESTS: Final = frozenset({"くださる", "下さる", "くれる", "なさる"})
_CONTENT: Final = frozenset(
    {"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞", "感動詞", "接尾辞", "接頭辞", "連体詞", "接続詞"}
)
_PREDICATE_PARTICLES: Final = frozenset({"て", "で", "ん"})
_GUESSES: Final = ("だろう", "だろ", "でしょう", "でしょ")
_COMPLETED: Final = ("ちゃう", "じゃう", "しまう")
_PUNCTUATION: Final = re.compile(r"[、。，．・…！？!?,.「」『』\s]")


@dataclass(frozen=True, slots=True)
class Twin:
    """A plain and a polite sentence."""

    plain: str
    polite: str


@dataclass(frozen=True, slots=True)
class TwinResult:
    """Whether rules make the one of the other."""

    twin: Twin
    to_polite: bool
    to_plain: bool
    either: bool
    """One of the two, but for punctuation."""


def content_of(analysis: Analysis) -> tuple[object, ...]:
    """What two sentences must share to be twins.

    The same content words and particles in the same order and spelling, as many pasts, negations, requests and guesses,
    and the same closing particles. Only て, で, の and ん may differ, as they belong to predicates.
    """
    words: list[str] = []
    counted: Counter[str] = Counter()
    final: list[str] = []
    for morpheme, classes in zip(analysis.morphemes, analysis.classes, strict=True):
        word, part = morpheme.dictionary_form, morpheme.part_of_speech[0]
        final = [*final, morpheme.surface] if "closing" in classes else final if "mark" in classes else []
        counted["past"] += "ta" in classes
        counted["negation"] += word in ("ない", "無い") or "nu" in classes
        counted["guess"] += morpheme.surface in _GUESSES
        counted["completed"] += word in _COMPLETED
        counted["nominaliser"] += "nominaliser" in classes
        counted["request"] += word in _REQUESTS and part == "動詞"
        if part in _CONTENT and word not in _FUNCTIONAL | _REQUESTS and "da" not in classes:
            words.append(word)
        elif (
            part == "助詞" and not classes & {"closing", "nominaliser"} and morpheme.surface not in _PREDICATE_PARTICLES
        ):
            words.append(morpheme.surface)
    return (*words, tuple(sorted(counted.items())), *final)


def strict_twins(group: Sequence[Analysis]) -> list[Twin]:
    """The twins among sentences that share a translation, in their order."""
    contents = [content_of(each) for each in group]
    styles = [style(each) for each in group]
    return [
        Twin(plain.text, polite.text)
        for plain, content, plain_style in zip(group, contents, styles, strict=True)
        for polite, other, polite_style in zip(group, contents, styles, strict=True)
        if plain_style is Style.PLAIN and polite_style is Style.POLITE and content == other
    ]


def bare(text: str) -> str:
    """A text without its punctuation."""
    return _PUNCTUATION.sub("", text)


def try_twin(twin: Twin, expander: Expander) -> TwinResult:
    """Whether the rules of an expander make the one of the other."""
    ways = [
        (wanted, [rewriting.text for rewriting in expander.expand(text).rewritings])
        for text, wanted in ((twin.plain, twin.polite), (twin.polite, twin.plain))
    ]
    to_polite, to_plain = (wanted in texts for wanted, texts in ways)
    either = any(bare(wanted) in map(bare, texts) for wanted, texts in ways) or bare(twin.plain) == bare(twin.polite)
    return TwinResult(twin, to_polite, to_plain, either)
