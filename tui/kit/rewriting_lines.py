"""Texts before and after rules rewrote them, and the least validity that a filter asks for, moved by keys."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from os.path import commonprefix
from typing import TYPE_CHECKING, Final

from corpusdb.base.display import cell_safe
from corpusdb.rules.queries.method import changed_places
from tui.kit.shown import Text

if TYPE_CHECKING:
    from corpusdb.rules import Rewriting

__all__ = [
    "changed_texts",
    "marked_text",
    "marked_texts",
    "moved_validity",
]


# Texts before and after rules rewrote them, with what changed in brackets.


_CHANGED = "bold underline"


def marked_text(text: str, places: Iterable[tuple[int, int]]) -> Text:
    """The text with brackets around its places, which come from left to right: begin and end, from 0."""
    shown, done = Text(no_wrap=True), 0
    for begin, end in places:
        shown.append(cell_safe(text[done:begin])).append(f"[{cell_safe(text[begin:end])}]", _CHANGED)
        done = end
    return shown.append(cell_safe(text[done:]))


def marked_texts(text: str, rewriting: Rewriting) -> tuple[Text, Text]:
    """A text and its rewriting, with what was changed marked in both."""
    before, after = changed_places(text, rewriting)
    return marked_text(text, before), marked_text(rewriting.text, after)


def changed_texts(before: str, after: str) -> tuple[Text, Text]:
    """The same of two texts of which only these are known: all between what they begin and what they end with."""
    begin = len(commonprefix([before, after]))
    end = len(commonprefix([before[begin:][::-1], after[begin:][::-1]]))
    return tuple(marked_text(each, [(begin, len(each) - end)]) for each in (before, after))  # type: ignore[return-value]


# The least validity that a filter asks for, moved by keys: in steps that are the smaller, the nearer it is to 1.


_STEPS: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)


def moved_validity(at: float, by: int) -> float:
    """The next step above ``at``, or below where ``by`` is negative; beyond the ends, ``at`` itself."""
    place = bisect_right(_STEPS, at) if by > 0 else bisect_left(_STEPS, at) - 1
    return _STEPS[place] if 0 <= place < len(_STEPS) else at
