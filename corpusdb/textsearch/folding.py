"""Differences between characters that a search may ignore: case, width, and what nobody sees on a screen."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from corpusdb.text import as_typed, fold_case

__all__ = ["NO_FOLDING", "Folding", "fold", "original_offsets", "other_widths"]


@dataclass(frozen=True, slots=True)
class Folding:
    """Which differences do not count."""

    case: bool = False
    width: bool = False
    """Full-width Latin letters and half-width katakana are the same as the others (NFKC)."""
    alike: str | None = None
    """Those keys of text.LOOK_ALIKES whose look-alikes are the same as they; what is not seen is then not there, also
    where there is no key. None: everything is what it is."""

    def __bool__(self) -> bool:
        return self.case or self.width or self.alike is not None


NO_FOLDING = Folding()


_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""Full-width forms of ASCII, and U+3000 of the space, which every search takes for one."""


def other_widths(text: str) -> list[str]:
    """A text with all of its characters as wide as they can be, and as narrow, as far as that is another text."""
    return [other for other in {text.translate(_WIDE), unicodedata.normalize("NFKC", text)} if other != text]


def fold(text: str, folding: Folding) -> str:
    """``text`` without the differences that do not count; line breaks stay where they are."""
    if folding.width and not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if folding.case:
        text = fold_case(text)
    return text if folding.alike is None else as_typed(text, folding.alike)


def original_offsets(text: str, folding: Folding) -> list[int]:
    """For each offset in the folded text, and its end, the offset in ``text`` of what it came from.

    Folding can make a text longer (İ, ﬁ) or shorter (a half-width kana and its voicing mark).
    """
    if not folding or text.isascii():
        return list(range(len(text) + 1))
    whole = fold(text, folding)
    offsets: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        before = fold(text[:end], folding)
        # Not where marks change their order or join a letter over what stands between them.
        if before + fold(text[end:], folding) == whole:
            offsets.extend([start] * (len(before) - len(offsets)))
            start = end
    return [*offsets, len(text)]
