"""How many cells of a terminal a text takes, and texts cut and padded to a number of cells.

The one definition: errors, tables, plots and the browser all stand in the same columns. It is that of rich, which the
browser draws with: a letter with its marks, a joined emoji or a variation selector takes what the terminal gives it.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def cut_left(text: str, width: int, mark: str = "…") -> str:
    """The end of a harmless text in at most ``width`` cells; ``mark`` stands for what was cut off."""
    end = text[-_MOST_SHOWN * (width + 1) :]  # of a very long text no more is looked at than can be shown
    if len(end) == len(text) and cell_width(text) <= width:
        return text
    while end and cell_width(end) > width - len(mark):
        end = end[1:]
    while end and not cell_width(end[0]):  # marks of a letter that was cut off
        end = end[1:]
    return mark + end


def cut_right(text: str, width: int, mark: str = "…") -> str:
    """The beginning of a harmless text in at most ``width`` cells; ``mark`` stands for what was cut off."""
    beginning = text[: _MOST_SHOWN * (width + 1)]
    if len(beginning) == len(text) and cell_width(text) <= width:
        return text
    while beginning and cell_width(beginning) > width - len(mark):
        beginning = beginning[:-1]
    return beginning + mark


def cut_middle(text: str, width: int, mark: str = "…") -> str:
    """A harmless name in at most ``width`` cells; ``mark`` stands for what was cut out of its middle.

    Names of one kind often begin alike, and are told apart by their ends.
    """
    if cell_width(text) <= width:
        return text
    end = cut_left(text, width - width // 2, mark)
    return cut_right(text, width - cell_width(end), "") + end


def wrapped(text: str, width: int) -> list[str]:
    """A harmless text in lines of at most ``width`` cells, broken at spaces where there are any; at least one line."""
    most = _MOST_SHOWN * (width + 1)  # of a very long word no more is looked at than a line can hold
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word[:most]}" if line else word[:most]
        if len(word) < most and cell_width(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        at = 0
        while cell_width(word[at : at + most]) > width:  # of a script without spaces
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
    widths = [max(map(cell_width, column)) for column in zip(*shown, strict=True)]
    right = [isinstance(cell, int) if left is None else at >= left for at, cell in enumerate(rows[0])]
    lines = []
    for row in shown:
        cells = zip(row, widths, right, strict=True)
        lines.append("  " + "  ".join(padded(text, width, right=to_right) for text, width, to_right in cells).rstrip())
    return lines
