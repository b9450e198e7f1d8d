"""A text with its morphemes, and what matching asks of it again and again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from corpusdb.japanese.classes import classes_of
from corpusdb.morphemes import Morpheme

__all__ = ["Analysis"]

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
        """The classes of each morpheme."""
        return tuple(classes_of(morpheme) for morpheme in self.morphemes)

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
