"""The line at the top that shows which places there are, and where one is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.widget import Widget

from tui.shown import Text

__all__ = ["PlacesLine"]

_LEAST_CELLS = 3
"""Shorter than this no name tells anything, and the number alone stands there."""


class PlacesLine(Widget):
    """The places with their keys, as much of their names as fits: long ones are shortened first, by a dot.

    The name of the place where one is stays whole, and where names are left out, those of its neighbours come back.
    """

    def __init__(self, places: Sequence[tuple[str, str]], here: str, *, id: str) -> None:
        """Key and name of each place; ``here`` is one of the names."""
        super().__init__(id=id)
        self.places = places
        self._here = here

    def render(self) -> Text:
        return self.line(self.size.width)

    def line(self, width: int) -> Text:
        """The longest line that fits into ``width`` cells."""
        return next((line for line in self._lines() if line.cell_len <= width), self._line(0))

    def _lines(self) -> Iterator[Text]:
        """From the longest to the shortest."""
        longest = max((len(name) for _, name in self.places), default=0)
        yield self._line(longest, gap=" ", after=" ")
        yield self._line(longest, after=" ")
        yield from (self._line(cells) for cells in range(longest, _LEAST_CELLS, -1))
        yield from (self._line(0, beside=cells) for cells in range(longest, _LEAST_CELLS, -1))

    def _line(self, cells: int, *, gap: str = "", after: str = "", beside: int | None = None) -> Text:
        """The places with so many cells of their names; those ``beside`` the one where one is with that many."""
        text = Text(no_wrap=True)
        at = next((place for place, (_, name) in enumerate(self.places) if name == self._here), -2)
        for place, (key, name) in enumerate(self.places):
            text.append(f" {key}{gap}", "dim")
            if place == at:
                text.append(f"[{name}]", "bold")
            else:
                room = beside if beside is not None and abs(place - at) == 1 else cells
                text.append(f"{after}{_short(name, room)}{after}")
        return text


def _short(name: str, cells: int) -> str:
    """A name in so many cells."""
    return name if len(name) <= cells else f"{name[: cells - 1]}." if cells else ""
