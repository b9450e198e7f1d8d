"""Text as every widget shows it: through the one door, and never as markup.

Only this module makes rich texts, statics and labels; what still comes to a line of the screen around it, such as what
stands in a line of input, meets the wall.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final, cast

import rich.text
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style, StyleType
from textual import widgets
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from corpusdb.base.display import cell_safe, lines_safe
from corpusdb.rules.queries.rule_sets import changed_places

if TYPE_CHECKING:
    from corpusdb.rules import Rewriting


class Text(rich.text.Text):
    """A text with styles whose characters are harmless, as long as what it was made of."""

    def __init__(self, text: str = "", style: StyleType = "", **how: Any) -> None:
        super().__init__(lines_safe(text), style, **how)

    def append(self, text: rich.text.Text | str, style: StyleType | None = None) -> Text:
        super().append(lines_safe(text) if isinstance(text, str) else text, style)
        return self

    def blank_copy(self, plain: str = "") -> Text:
        how = {name: getattr(self, name) for name in ("justify", "overflow", "no_wrap", "end", "tab_size")}
        return Text(plain, self.style, **how)

    def copy(self) -> Text:
        copied = self.blank_copy(self.plain)
        copied.spans = self.spans.copy()
        return copied

    def join(self, lines: Iterable[rich.text.Text]) -> Text:
        return cast("Text", super().join(lines))

    def __add__(self, other: object) -> Text:
        return cast("Text", super().__add__(other))

    @classmethod
    def assemble(cls, *parts: Any, **how: Any) -> Text:
        return cast("Text", super().assemble(*parts, **how))


def one_row(text: Text) -> Text:
    """The text without line breaks and tabs, for where it has one line."""
    plain = cell_safe(text.plain)
    if plain != text.plain:
        text = text.copy()
        text.plain = plain
    return text


class Static(widgets.Static):
    """Lines of text that stay until they are updated."""

    def __init__(self, content: Text | str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(_harmless(content), id=id, classes=classes, markup=False)

    def update(self, content: Any = "", *, layout: bool = True) -> None:
        super().update(_harmless(content), layout=layout)


class Label(widgets.Label):
    """As Static, no wider than its text."""

    def __init__(self, content: Text | str = "", *, classes: str | None = None) -> None:
        super().__init__(_harmless(content), classes=classes, markup=False)

    def update(self, content: Any = "", *, layout: bool = True) -> None:
        super().update(_harmless(content), layout=layout)


def _harmless(content: Text | str) -> Text | str:
    return lines_safe(content) if isinstance(content, str) else content


class TextWall(LineFilter):
    """Makes each line of the screen harmless, whoever painted it; the line keeps its width."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[str] = []
        """What came here that the door had not seen, the last few."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        text = "".join(segment.text for segment in segments)
        harmless = cell_safe(text)
        if harmless == text:
            return segments
        self.met = [*self.met[-9:], text]
        rewritten, done = [], 0
        for part, style, control in segments:
            rewritten.append(Segment(harmless[done : done + len(part)], style, control))
            done += len(part)
        width = sum(cell_len(segment.text) for segment in segments)
        return list(Strip(rewritten).adjust_cell_length(width, Style.null()))


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
