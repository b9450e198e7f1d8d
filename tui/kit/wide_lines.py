"""Lines that are wider than a screen: where they are broken, or move sideways, and which of their cells stay then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from textual import events

from corpusdb.base.cells import cell_width, wrapped
from tui.kit.shown import Static, Text

_BETWEEN = 2
"""Blanks between two columns of a table."""
_FIGURE = re.compile(r"[-+<~=(\[]*\.?\d")
"""How a cell that is no name begins."""

Columns = list[tuple[int, int]]
"""The first cell of each column of a table, and that behind its last."""


def held_cells(lines: Sequence[str], room: int) -> list[int]:
    """So many cells of each line stay where the others move sideways: the first columns of a table, with its names.

    Lines that follow each other belong together where all or none are indented. Those that fit in ``room`` cells stay;
    those that are no table, as no column of blanks goes through them, move whole.
    """
    held: list[int] = []
    for texts in _blocks(lines):
        held += [_names_of(texts, room) if max(map(len, texts)) > room else room] * len(texts)
    return held


def next_stop(lines: Sequence[str], row: int, room: int, shifted: int, direction: int) -> int:
    """How far the lines are moved to the next column that is not seen whole, or back to the one that shows the most.

    Columns are those of the table of this row, or of the widest where that fits. Gives ``shifted`` where no more comes.
    """
    blocks = list(_blocks(lines))
    ends = [sum(map(len, blocks[: place + 1])) for place in range(len(blocks))]
    texts = next((each for each, end in zip(blocks, ends, strict=True) if row < end), [""])
    if max(map(len, texts)) <= room:
        texts = max(blocks, key=lambda each: max(map(len, each)), default=[""])
    names, width = _names_of(texts, room), max(map(len, texts))
    held = min(names, room // 2)
    seen = room - held
    columns = [(start - held, end - held) for start, end in _columns(texts) if start >= names] if names else []
    if direction < 0:
        before = [start for start, _ in columns if start < shifted and shifted - start <= seen]
        return min(before, default=max(shifted - max(seen // 2, 1), 0))
    if width - held - shifted <= seen:
        return shifted
    after = (start for start, end in columns if start > shifted and end > shifted + seen)
    return next(after, min(shifted + max(seen // 2, 1), width - held - seen))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines that belong together, with one character a cell."""
    for _, block in groupby(lines, lambda line: (bool(line.strip()), line.startswith(" "))):
        yield ["".join(each * cell_width(each) for each in line) for line in block]


def _columns(texts: Sequence[str]) -> Columns:
    """The columns of a table; one where it is none."""
    width = max(map(len, texts))
    taken = [any(text[at : at + 1].strip() for text in texts) for at in range(width)]
    found: Columns = []
    for at in (at for at, is_taken in enumerate(taken) if is_taken):
        if found and at - found[-1][1] < _BETWEEN:
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found


def _names_of(texts: Sequence[str], room: int) -> int:
    """Where the first column of a table begins that has figures, after the first; 0 where it is no table."""
    columns = _columns(texts) if len(texts) > 1 else []
    for start, end in columns[1:]:
        cells = [cell for text in texts[1:] if (cell := text[start:end].strip())]
        if start > room // 2 or 2 * sum(bool(_FIGURE.match(cell)) for cell in cells) >= len(cells):
            return start
    return columns[1][0] if columns[1:] else 0


# Texts in which words of wide characters, as in Japanese, are broken at the end of a line: else a name stands alone in
# the line above them.


class FoldedText(Static):
    """Lines of text with styles, broken as ``wrapped`` does."""

    _whole: Text | None = None
    _width = 0

    def fold(self, text: Text, *, layout: bool = False) -> None:
        """Show another text; ``layout`` where it may have more lines or fewer."""
        self._whole, self._width = text, self.content_size.width
        self.update(Text("\n").join(folded(text, self._width)) if self._width else text, layout=layout)

    def on_resize(self, event: events.Resize) -> None:
        if self._whole is not None and self.content_size.width != self._width:
            self.fold(self._whole, layout=True)


def folded(text: Text, width: int) -> list[Text]:
    """A text as lines of at most ``width`` cells, each character with its style."""
    parts, begin = list[Text](), 0
    for line in text.plain.split("\n"):
        at = begin
        for part in wrapped(line, width):
            at = text.plain.index(part, at)  # behind the space at which the line before ended
            parts.append(Text.assemble(text[at : at + len(part)]))
            at += len(part)
        begin += len(line) + 1
    return parts
