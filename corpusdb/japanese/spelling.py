"""Content words in the spelling that the dictionary prefers: 分る and わかる are both 分かる.

Rules that do this are what Kanayama (2003), section 5.1, sets against his own: they replace words, not styles.
"""

from __future__ import annotations

from os.path import commonprefix
from typing import NamedTuple

from corpusdb.japanese.analysis import Analysis
from corpusdb.morphemes import Morpheme

__all__ = ["Respelling", "canonical_spelling"]

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
