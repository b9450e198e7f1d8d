"""How many cells of a terminal a text takes, and plots in cells: bars, and points over two axes.

The one definition of a width: errors, tables, plots and the browser all stand in the same columns. It is that of rich,
which the browser draws with: a letter with its marks, a joined emoji or a variation selector takes what the terminal
gives it. Plots are drawn in block characters or in ASCII.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MOST_MARKS = 8
"""So many marks may stand on one letter; no language has more than half of that."""
_MOST_SHOWN = MOST_MARKS + 3
"""So many characters stand in one cell at most: a letter with its marks, a joiner and a variation selector."""


def cell_width(text: str) -> int:
    """How many cells of a terminal ``text`` takes: two for most East Asian characters, none for combining ones."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces behind it, or before it, up to ``width`` cells; a wider text as it is."""
    padding = " " * (width - cell_width(text))
    return padding + text if right else text + padding


def cut_left(text: str, width: int) -> str:
    """The end of a harmless text in at most ``width`` cells; … stands for what was cut off."""
    end = text[-_MOST_SHOWN * (width + 1) :]  # of a very long text no more is looked at than can be shown
    if len(end) == len(text) and cell_width(text) <= width:
        return text
    while end and cell_width(end) >= width:
        end = end[1:]
    while end and not cell_width(end[0]):  # marks of a letter that was cut off
        end = end[1:]
    return "…" + end


def cut_right(text: str, width: int, mark: str = "…") -> str:
    """The beginning of a harmless text in at most ``width`` cells; ``mark`` stands for what was cut off."""
    beginning = text[: _MOST_SHOWN * (width + 1)]
    if len(beginning) == len(text) and cell_width(text) <= width:
        return text
    while beginning and cell_width(beginning) > width - len(mark):
        beginning = beginning[:-1]
    return beginning + mark


def cut_middle(text: str, width: int) -> str:
    """A harmless name in at most ``width`` cells; … stands for what was cut out of its middle.

    Names of one kind often begin alike, and are told apart by their ends.
    """
    if cell_width(text) <= width:
        return text
    end = cut_left(text, width - width // 2)
    return cut_right(text, width - cell_width(end), "") + end


def cut_apart(names: Sequence[str], width: int) -> list[str]:
    """Harmless names in at most ``width`` cells each, cut where that leaves what tells them apart.

    That is in their middles, else where they begin alike.
    """
    shown = [cut_middle(name, width) for name in names]
    if len(set(shown)) == len(set(names)):
        return shown
    alike = len(os.path.commonprefix(list(names)))
    return [name if cell_width(name) <= width else cut_right(f"…{name[alike:]}", width) for name in names]


def wrapped(text: str, width: int) -> list[str]:
    """A harmless text in lines of at most ``width`` cells, broken at spaces; at least one line.

    A word that is wider than a line is broken, and one of wide characters at the end of any line.
    """
    most = _MOST_SHOWN * (width + 1)  # of a very long word no more is looked at than a line can hold
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word[:most]}" if line else word[:most]
        if len(word) < most and cell_width(longer) <= width:
            line = longer
            continue
        if line and cell_width(line) < width - 2 and cell_width(word[:most]) > len(word[:most]):
            word = f"{line} {word}"
        elif line:
            lines.append(line)
        at = 0
        while cell_width(word[at : at + most]) > width:
            size = width + 1
            while cell_width(word[at : at + size]) <= width:
                size *= 2
            begin = cut_right(word[at : at + size], width, "") or word[at]
            lines.append(begin)
            at += len(begin)
        line = word[at:]
    return [*lines, line] if line or not lines else lines


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str | int]], *, left: int | None = None) -> list[str]:
    """Rows below the names of their columns, if these have any. Widths are in cells.

    Whole numbers stand right, or all but the first ``left`` columns.
    """
    if not rows:
        return []
    texts = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    shown = [list(columns), *texts] if columns else texts
    right = [isinstance(cell, int) if left is None else at >= left for at, cell in enumerate(rows[0])]
    return [f"  {line}" for line in aligned_lines(shown, right)]


def aligned_lines(rows: Sequence[Sequence[str]], right: Sequence[bool], gap: str = "  ") -> Iterator[str]:
    """Rows with the cells of each column below each other; ``right``: whether a column stands right."""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        yield gap.join(padded(text, width, right=to_right) for text, width, to_right in cells).rstrip()


# Plots of characters: bars, and points over two axes, in block characters or in ASCII.

Bar = tuple[str, str, float]
"""Label, figure and value of one bar; values are not negative."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_MARKS = "*o+x#%@&"
_HALVES = {(True, True): "█", (True, False): "▀", (False, True): "▄"}
_ASCII_HALVES = {(True, True): ":", (True, False): "'", (False, True): "."}
_TICK_CELLS = 9
"""The least distance of two numbers below the horizontal axis."""
_TICK_LINES = 2


def bar_plot(rows: Iterable[Bar], width: int, *, ascii: bool = False) -> list[str]:
    """Label, figure and a bar for each row, in ``width`` cells.

    The longest bar ends at the last column, and none is quite empty. Without rows there is one line that says so.
    """
    bars = list(rows)
    if not bars:
        return ["  none"]
    label_width = max(cell_width(label) for label, _, _ in bars)
    figure_width = max(cell_width(figure) for _, figure, _ in bars)
    room = max(width - label_width - figure_width - 6, 1)
    longest = max(value for _, _, value in bars) or 1.0
    return [
        "  ".join(
            [
                "",
                padded(label, label_width, right=True),
                padded(figure, figure_width, right=True),
                bar(room * value / longest, ascii=ascii),
            ]
        )
        for label, figure, value in bars
    ]


def bar(cells: float, *, ascii: bool) -> str:
    """A bar of so many cells, at least of an eighth of one."""
    if ascii:
        return "#" * max(1, round(cells))
    whole, eighths = divmod(max(1, round(cells * 8)), 8)
    return "█" * whole + _EIGHTHS[eighths].strip()


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    log: bool = False
    """Equal distances are equal ratios; all values must then be above 0."""
    from_zero: bool = True
    """Whether a linear axis begins at 0 or below; else at the least value."""

    @property
    def label(self) -> str:
        return f"{self.name} (log)" if self.log else self.name


class _Scale:
    """From values to places of a grid, 0 to ``places`` - 1."""

    def __init__(self, values: Sequence[float], axis: Axis, places: int) -> None:
        if axis.log and min(values) <= 0:
            raise ValueError(f"{axis.name}: a logarithmic axis has no place for {min(values)}")
        self._log = axis.log
        low, high = min(values), max(values)
        if not axis.log and axis.from_zero:
            low = min(low, 0.0)
        if low == high:
            low, high = (low / 2, high) if axis.log else (low, high + 1)
        self.low, self.high = low, high
        self._places = places

    def place(self, value: float) -> int:
        low, high, at = (math.log(each) if self._log else each for each in (self.low, self.high, value))
        return min(round((at - low) / (high - low) * (self._places - 1)), self._places - 1)

    def ticks(self, most: int) -> list[float]:
        """At most ``most`` round values between the two ends, ascending; on a logarithmic axis powers of ten first."""
        most = max(most, 1)
        candidates = self._log_ticks() if self._log else self._linear_ticks(most)
        for ticks in candidates:
            if ticks and len(ticks) <= most:
                return ticks
        return [self.high]

    def _log_ticks(self) -> Iterable[list[float]]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        for factors, step in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 3)):
            values = (factor * 10.0**power for power in range(first, last + 1, step) for factor in factors)
            yield [value for value in values if self.low <= value <= self.high]

    def _linear_ticks(self, most: int) -> Iterable[list[float]]:
        power = math.floor(math.log10((self.high - self.low) / most))
        for step in (factor * 10.0**each for each in range(power, power + 3) for factor in (1, 2, 5)):
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            yield [number * step for number in range(first, last + 1)]


def point_plot(
    series: Mapping[str, Sequence[tuple[float, float]]],
    size: tuple[int, int],
    x: Axis,
    y: Axis,
    *,
    ascii: bool = False,
    marks: str = "",
) -> list[str]:
    """Points (x, y) of one or several named series in a frame of ``size`` (width in cells, height in lines).

    The axes are named above it. One series is drawn with two points a line, several with a mark each, which a line more
    explains unless the ``marks`` are given; where two meet, the first is seen. Linear axes begin at 0 or below, unless
    they need not. Without any point there is one line that says so. Raises ValueError for a value that a logarithmic
    axis cannot show.
    """
    points = [point for each in series.values() for point in each]
    if not points:
        return ["  none"]
    width, height = size
    is_explained = len(series) > 1 and not marks
    lines = max(height - 3 - is_explained, 2)
    halves = _Scale([point[1] for point in points], y, 2 * lines)
    labels = {2 * lines - 1 - halves.place(tick): _number(tick) for tick in halves.ticks(max(lines // _TICK_LINES, 2))}
    margin = max(map(len, labels.values()))
    columns = max(width - margin - 3, 2)
    across = _Scale([point[0] for point in points], x, columns)
    grid: dict[tuple[int, int], str] = {}  # by half line from the top, and column
    for mark, each in reversed(list(zip(marks or _MARKS, series.values(), strict=False))):
        grid.update({(2 * lines - 1 - halves.place(up), across.place(right)): mark for right, up in each})
    bar, corner, line = ("|", "+", "-") if ascii else ("│", "└", "─")
    legend = "  ".join(f"{mark} {name}" for mark, name in zip(_MARKS, series, strict=False))
    plot = [legend] if is_explained else []
    plot.append(f"{y.label} over {x.label}")
    for number in range(lines):
        label = labels.get(2 * number, labels.get(2 * number + 1, ""))
        tick = (bar if ascii else "┤") if label else bar
        is_marked = len(series) > 1 or bool(marks)
        cells = "".join(_cell(grid, number, column, is_marked, ascii) for column in range(columns))
        plot.append(f"{label:>{margin}} {tick}{cells}".rstrip())
    plot.append(f"{'':>{margin}} {corner}{line * columns}")
    plot.append(_below(across, columns, margin + 2))
    return plot


def _cell(grid: Mapping[tuple[int, int], str], line: int, column: int, marked: bool, ascii: bool) -> str:
    upper, lower = grid.get((2 * line, column)), grid.get((2 * line + 1, column))
    if marked:
        return upper or lower or " "
    return (_ASCII_HALVES if ascii else _HALVES).get((upper is not None, lower is not None), " ")


def _below(scale: _Scale, columns: int, margin: int) -> str:
    """The numbers below the horizontal axis, each beginning at its place, or ending at the edge."""
    text = ""
    for tick in scale.ticks(max(columns // _TICK_CELLS, 2)):
        number = _number(tick)
        start = margin + min(scale.place(tick), columns - len(number))
        if not text or start > len(text):
            text = f"{text:<{start}}{number}"
    return text


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:.4g}"
