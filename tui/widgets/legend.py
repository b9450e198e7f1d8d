"""One line that names keys, as they are at this moment, and always fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from tui.meanings import KEY
from tui.shown import Text

__all__ = ["Hints", "Legend"]

_Entry = tuple[str, list[str]]
"""What a binding does, and its keys."""
_GAP = "  "
_WAY_OUT = ".leave"
"""How the id of the binding ends that leads out of a line of input, where the usual key is typed into it."""
_TYPED = "slash"
"""The one key of a character that textual does not know to be typed in a line of input."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Which bindings a legend names, by their ids."""

    bindings: tuple[str, ...] = ()
    """The most important first."""
    main: int = 0
    """So many of them are important: their keys are all told for as long as it goes."""
    needed: int | None = None
    """So many, or all, stay as long as it goes."""
    last: tuple[str, ...] = ("screen.back", "app.help")
    """The way out and the help: these are always shown, at the right."""


class Legend(Widget):
    """The keys of some bindings of the screen, and at the right the way out and the help.

    Where the line is too narrow, it tells only the first key of the less important ones, then of all, and leaves the
    last ones out, but never the way out and the help.
    """

    def __init__(self, hints: Hints, name_of: Callable[[Binding], str] | None = None) -> None:
        """``name_of`` says what a binding does, where that is not its description."""
        super().__init__(id="legend")
        self._hints = hints
        self._name_of = name_of or (lambda binding: binding.description.lower())

    def on_mount(self) -> None:
        """While somebody types, letters are no keys: the legend changes with the focus."""
        self.screen.bindings_updated_signal.subscribe(self, lambda screen: self.refresh())

    def line(self, width: int | None = None) -> str:
        """The legend in at most ``width`` cells, or as long as it is."""
        return "".join(part for part, _ in self._parts(width))

    def render(self) -> Text:
        text = Text(no_wrap=True)
        for part, style in self._parts(self.size.width):
            text.append(part, style)
        return text

    def _parts(self, width: int | None) -> list[tuple[str, str]]:
        """Keys and what stands between them, with their styles."""
        live: dict[str, list[Binding]] = {}
        types = isinstance(self.screen.focused, Input)
        for active in self.screen.active_bindings.values():
            if not (types and active.binding.key == _TYPED):
                live.setdefault(active.binding.id or "", []).append(active.binding)
        ends = list(self._entries(self._hints.last, live))
        if self._hints.last[0] not in live:
            ends = [*self._ways_out(), *ends]
        last = [part for entry in ends for part in _told(entry, 1)][1:]
        entries = [entry for entry in self._entries(self._hints.bindings, live) if entry not in ends]
        room = None if width is None else width - _cells(last)
        first = next((parts for parts in self._choices(entries) if room is None or _cells(parts) <= room), [])
        gap = 0 if room is None else max(room - _cells(first), 0)
        return [*first, (_GAP if room is None and first else " " * gap, ""), *last]

    def _entries(self, wanted: Iterable[str], live: dict[str, list[Binding]]) -> Iterator[_Entry]:
        """What each binding does and its keys, in the order in which they were declared."""
        for name in wanted:
            if name in live:
                declared = self._declared(name)
                found = sorted(live[name], key=lambda each: declared.find(each.key))
                yield self._name_of(found[0]), [self.app.get_key_display(each) for each in found]

    def _ways_out(self) -> Iterator[_Entry]:
        """Out of the line of input that has the focus; the screen may have another use for the key, at times."""
        found = [
            binding
            for node, bindings in self.screen._modal_binding_chain
            for _, binding in bindings
            if node is self.screen.focused and (binding.id or "").endswith(_WAY_OUT)
        ]
        for binding in sorted(found, key=lambda each: each.key != "escape")[:1]:
            yield binding.description.lower(), [self.app.get_key_display(binding)]

    def _declared(self, wanted: str) -> str:
        classes = [owner for node in (self.app, self.screen) for owner in type(node).__mro__]
        bindings = (each for owner in classes for each in owner.__dict__.get("BINDINGS", ()))
        return next((each.key for each in bindings if isinstance(each, Binding) and each.id == wanted), "")

    def _choices(self, entries: list[_Entry]) -> Iterator[list[tuple[str, str]]]:
        """The longest line first: fewer keys of each, then fewer entries."""
        count = len(entries)
        needed = count if self._hints.needed is None else min(self._hints.needed, count)
        shapes = [(shown, full) for full in (count, self._hints.main) for shown in range(count, needed - 1, -1)]
        shapes += [(shown, 0) for shown in range(count, 0, -1)]
        for shown, full in shapes:
            parts = [part for at, each in enumerate(entries[:shown]) for part in _told(each, None if at < full else 1)]
            yield [*parts[1:], (_GAP, "")]


def _told(entry: _Entry, most: int | None) -> list[tuple[str, str]]:
    """A gap, some of the keys, and what they do."""
    name, keys = entry
    return [(_GAP, ""), (",".join(keys[:most]), KEY), (f" {name}", "")]


def _cells(parts: Iterable[tuple[str, str]]) -> int:
    return Text("".join(part for part, _ in parts)).cell_len
