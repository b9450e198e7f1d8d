"""The line at the top that shows which places there are, and where one is."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widget import Widget

from tui.shown import Text

__all__ = ["PlacesLine"]

_CELLS = (40, 8, 7, 6)
"""Of each name, without a gap behind the number; the first leaves them whole."""
_SHORT_CELLS = 4


class PlacesLine(Widget):
    """The places with their number keys; their names are shortened, or left out, where the line is narrow."""

    def __init__(self, names: Sequence[str], here: str, *, id: str) -> None:
        """``here`` is one of the names."""
        super().__init__(id=id)
        self._names = names
        self._here = here

    def render(self) -> Text:
        lines = [self._line(None), self._line(None, gap=""), *(self._line(cells, gap="") for cells in _CELLS)]
        lines += [self._line(_SHORT_CELLS), self._line(0)]
        return next((line for line in lines if line.cell_len <= self.size.width), lines[-1])

    def _line(self, cells: int | None, gap: str = " ") -> Text:
        """The places with so many cells of their names, or all, and a gap behind their numbers."""
        text = Text(no_wrap=True)
        for number, name in enumerate(self._names, 1):
            text.append(f" {number % 10}{gap}", "dim")
            if name == self._here:
                text.append(f"[{name}]", "bold")
            elif cells is None:
                text.append(f" {name} ")
            elif cells:
                text.append(name[:cells])
        return text
