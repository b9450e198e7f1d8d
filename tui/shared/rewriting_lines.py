"""Texts before and after rules rewrote them, with what changed in brackets."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import commonprefix
from typing import TYPE_CHECKING

from corpusdb.display import cell_safe
from corpusdb.queries.rules.lineage import changed_places
from tui.shown import Text

if TYPE_CHECKING:
    from corpusdb.japanese import Rewriting

__all__ = ["changed_texts", "marked_text", "marked_texts"]

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
