"""Bars, lines and documents as rows of lists."""

from __future__ import annotations

import math
from collections.abc import Sequence

from corpusdb.cells import cut_right, padded
from corpusdb.display import cell_safe
from corpusdb.queries.homogeneity.outlying import OutlyingLine
from corpusdb.reports.homogeneity import Tick, TickedBar, bar_label
from corpusdb.reports.plots import bar as drawn_bar
from tui.profile.sight import Sight
from tui.shown import Text

__all__ = ["bar_columns", "bar_row", "cut", "figure", "marked_line", "ticks_told"]

_LABEL, _COUNT, _SHARE, _TICKS = 13, 9, 7, 8
_BESIDE = 4
"""Cells of the mark of the cursor and the scroll bar."""


def bar_columns(level: str) -> str:
    """The heading of the bars."""
    ticks = "documents" if level == "line" else ""
    cells = (padded("from - to", _LABEL), padded(f"{level}s", _COUNT, right=True), padded("chars", _SHARE, right=True))
    return f"    {' '.join(cells)}  {ticks}"


def bar_row(each: TickedBar, sight: Sight, most: int, width: int, *, ascii: bool) -> Text:
    """A bar with its figures, at most as long as ``width`` allows; ``most`` is the entries of the longest."""
    bar, stretch = each.bar, each.bar.stretch
    mark = sight.inside(bar)
    cells = (
        padded(bar_label(bar, sight.scale), _LABEL),
        padded(f"{stretch.entries:,}", _COUNT, right=True),
        padded(f"{100 * stretch.share:.1f} %", _SHARE, right=True),
        padded(_ticks(each.ticks) if sight.level == "line" else "", _TICKS),
    )
    figures = f"{mark} {' '.join(cells)} "
    room = max(width - _BESIDE - len(figures), 1)
    drawn = drawn_bar(room * stretch.entries / max(most, 1), ascii=ascii) if stretch.entries else ""
    return Text(figures + drawn, "bold" if mark == "|" else "", no_wrap=True)


def _ticks(ticks: Sequence[Tick]) -> str:
    """A mark for each document, or how many there are."""
    return "|" * len(ticks) if len(ticks) < _TICKS else f"|x {len(ticks):,}"


def ticks_told(ticks: Sequence[Tick], most: int = 50) -> str:
    """The documents of a bar by their names, each with where it stands."""
    told = [f"{cell_safe(tick.name)}{'' if tick.value is None else f' {tick.value:.3f}'}" for tick in ticks[:most]]
    more = f", and {len(ticks) - most:,} more" if len(ticks) > most else ""
    return ", ".join(told) + more


def figure(value: float) -> str:
    """A value of a scale, in 7 cells."""
    return padded("-" if math.isnan(value) else f"{value:.3f}", 7, right=True)


def marked_line(line: OutlyingLine, width: int | None = None) -> Text:
    """The text with its dearest characters in brackets, bold and underlined; cut where it is wider than ``width``."""
    text, dear, inside = Text(no_wrap=True), {*line.dearest}, False
    for place, char in enumerate(cell_safe(line.measured)):
        if (place in dear) != inside:
            text.append("]" if inside else "[")
            inside = not inside
        text.append(char, "bold underline" if inside else "")
    if inside:
        text.append("]")
    if width is not None and text.cell_len > width:
        text.truncate(max(width, 1), overflow="ellipsis")
    return text


def cut(text: str, width: int) -> str:
    """A text in at most ``width`` cells."""
    return cut_right(cell_safe(text), max(width, 1))
