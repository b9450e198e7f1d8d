"""Lines of a concordance as they are shown: key word in context, the matches below each other."""

from __future__ import annotations

from typing import NamedTuple

from corpusdb.cells import cut_left, cut_right, padded
from corpusdb.display import cell_safe

__all__ = ["KwicLine", "kwic_line"]


class KwicLine(NamedTuple):
    """The three parts of a line, made harmless; whoever shows it marks the match."""

    left: str
    match: str
    right: str


def kwic_line(left: str, match: str, right: str, before: int, after: int | None = None) -> KwicLine:
    """The match with its context in exactly ``before`` cells on its left and at most ``after`` on its right.

    Context that has no room is cut at its far end and marked by an ellipsis; ``after`` None leaves the right as it is.
    """
    shown = cell_safe(right)
    return KwicLine(
        padded(cut_left(cell_safe(left), before), before, right=True),
        cell_safe(match),
        shown if after is None else cut_right(shown, after),
    )
