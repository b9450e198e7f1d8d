"""Differences between characters that a search may ignore: case and width."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

__all__ = ["NO_FOLDING", "Folding", "fold", "original_offsets"]


@dataclass(frozen=True, slots=True)
class Folding:
    """Which differences do not count."""

    case: bool = False
    width: bool = False
    """Full-width Latin letters and half-width katakana are the same as the others (NFKC)."""

    def __bool__(self) -> bool:
        return self.case or self.width


NO_FOLDING = Folding()


def fold(text: str, folding: Folding) -> str:
    """``text`` without the differences that do not count; line breaks stay where they are."""
    if folding.width and not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.casefold() if folding.case else text


def original_offsets(text: str, folding: Folding) -> list[int]:
    """For each offset in the folded text, and its end, the offset in ``text`` of what it came from.

    Folding can make a text longer (ß, ﬁ) or shorter (a half-width kana and its voicing mark).
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
