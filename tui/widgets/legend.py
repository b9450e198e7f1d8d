"""One line that names keys, as they are at this moment, and always fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.binding import Binding
from textual.widget import Widget

from tui.shown import Text

__all__ = ["Legend"]


class Legend(Widget):
    """The keys of some bindings of the screen, by the ids of these, the most important first.

    Where the line is too narrow, it tells only the first key of the less important ones, then of all, and leaves the
    last ones out.
    """

    def __init__(self, bindings: Sequence[str], *, id: str, main: int = 0, needed: int | None = None) -> None:
        """The first ``main`` bindings are the important ones; the first ``needed``, or all, stay as long as it goes."""
        super().__init__(id=id)
        self._ids = tuple(bindings)
        self._main = main
        self._needed = len(bindings) if needed is None else needed

    def line(self, width: int | None = None) -> str:
        """The legend in at most ``width`` cells, or as long as it is."""
        entries = list(self._entries())
        for shown, full in self._choices(len(entries)):
            parts = (keys if place < full else keys[:1] for place, (_, keys) in enumerate(entries[:shown]))
            line = "  ".join(f"{','.join(keys)} {name}" for keys, (name, _) in zip(parts, entries[:shown], strict=True))
            if width is None or Text(line).cell_len <= width:
                return line
        return ""

    def render(self) -> Text:
        return Text(self.line(self.size.width), no_wrap=True)

    def _entries(self) -> Iterator[tuple[str, list[str]]]:
        """What each binding does and its keys, in the order in which they were declared."""
        active = [active.binding for active in self.screen.active_bindings.values()]
        for wanted in self._ids:
            declared = self._declared(wanted)
            found = sorted((each for each in active if each.id == wanted), key=lambda each: declared.find(each.key))
            if found:
                yield found[0].description.lower(), [self.app.get_key_display(each) for each in found]

    def _declared(self, wanted: str) -> str:
        classes = type(self.screen).__mro__
        bindings = (each for owner in classes for each in owner.__dict__.get("BINDINGS", ()))
        return next((each.key for each in bindings if isinstance(each, Binding) and each.id == wanted), "")

    def _choices(self, bindings: int) -> Iterator[tuple[int, int]]:
        """How many bindings to show, and how many of them with all their keys, the longest line first."""
        needed = min(self._needed, bindings)
        for full in (bindings, self._main):
            yield from ((shown, full) for shown in range(bindings, needed - 1, -1))
        yield from ((shown, 0) for shown in range(bindings, 0, -1))
