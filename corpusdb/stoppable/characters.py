"""Which characters one part of a regular expression matches, as far as two of them can be told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]  # re has no public name for what it makes of a pattern
from typing import Any, Final

__all__ = ["END", "Characters"]

_FEW = 256
"""Ranges of so many characters are looked at one by one."""
_LAST_SPACE = 0x3000
_OTHER_CATEGORIES = re.ASCII | re.LOCALE
"""Flags under which the categories are not those of ``str``."""

_CATEGORIES: Final[Mapping[Any, Callable[[str], bool]]] = {
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
}
_OPPOSITES: Final = frozenset(
    frozenset(pair)
    for pair in (
        (codes.CATEGORY_WORD, codes.CATEGORY_NOT_WORD),
        (codes.CATEGORY_DIGIT, codes.CATEGORY_NOT_DIGIT),
        (codes.CATEGORY_DIGIT, codes.CATEGORY_NOT_WORD),
        (codes.CATEGORY_SPACE, codes.CATEGORY_NOT_SPACE),
    )
)


@dataclass(frozen=True, slots=True)
class Characters:
    """A set of characters as a pattern has it."""

    items: tuple[tuple[Any, Any], ...]
    """Single characters, ranges and categories."""
    negated: bool
    flags: int

    @classmethod
    def of_node(cls, kind: Any, of: Any, flags: int) -> Characters:
        """The set of a part of a pattern that matches one character; ``flags`` are all those of the pattern."""
        if kind is codes.IN:
            negated = of[0][0] is codes.NEGATE
            return cls(tuple(of[1:] if negated else of), negated, flags)
        if kind is codes.LITERAL:
            return cls(((codes.LITERAL, of),), False, flags)
        if kind is codes.NOT_LITERAL:
            return cls(((codes.LITERAL, of),), True, flags)
        return cls((), True, flags)

    def excludes(self, other: Characters) -> bool:
        """Whether no character is surely in both; false where that is not known."""
        if self.flags & _OTHER_CATEGORIES or self == other:
            return False
        for one, two in ((self, other), (other, self)):
            few = one._listed()
            if few is not None:
                return all(two._surely_lacks(char) for char in few)
        return (
            not self.negated
            and not other.negated
            and all(frozenset((a[1], b[1])) in _OPPOSITES for a in self.items for b in other.items)
        )

    def _listed(self) -> list[str] | None:
        """The characters one by one, where they are few."""
        if self.negated:
            return None
        found: list[str] = []
        for kind, of in self.items:
            if kind is codes.LITERAL:
                found.append(chr(of))
            elif kind is codes.RANGE and of[1] - of[0] < _FEW:
                found += map(chr, range(of[0], of[1] + 1))
            elif kind is codes.CATEGORY and of is codes.CATEGORY_SPACE:
                found += _spaces()
            else:
                return None
        return found

    def _surely_lacks(self, char: str) -> bool:
        # What else a character with two cases may match is a long story.
        if self.flags & re.IGNORECASE and (char.lower() != char or char.upper() != char):
            return False
        return any(self._has(item, char) for item in self.items) is self.negated

    @staticmethod
    def _has(item: tuple[Any, Any], char: str) -> bool:
        kind, of = item
        if kind is codes.LITERAL:
            return bool(ord(char) == of)
        if kind is codes.RANGE:
            return bool(of[0] <= ord(char) <= of[1])
        return _CATEGORIES[of](char)


END = Characters((), False, 0)
"""No character: where the text has to end, or the pattern does."""


@cache
def _spaces() -> list[str]:
    return [char for char in map(chr, range(_LAST_SPACE + 1)) if char.isspace()]
